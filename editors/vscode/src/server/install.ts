/**
 * Installs the server into an environment of the extension's own. Nothing happens before somebody has seen the commands
 * and said yes; what they print goes to the log.
 */

import { spawn } from "node:child_process";
import * as fs from "node:fs/promises";
import * as path from "node:path";
import * as vscode from "vscode";
import { ownEnvironment } from "./environment";
import type { Logs } from "./logs";
import { setting } from "./settings";
import { commands, typed, type Command } from "./steps";
import { sentence } from "./supervisor";

const WINDOWS = process.platform === "win32";

/** Ask, and install; whether there is a server afterwards. */
export async function install(context: vscode.ExtensionContext, logs: Logs): Promise<boolean> {
  if (!vscode.workspace.isTrusted) {
    void vscode.window.showWarningMessage("Gazetteer: trust this workspace before anything is installed from it.");
    return false;
  }
  const python = await interpreter();
  if (python === undefined) {
    void vscode.window.showErrorMessage(
      "Gazetteer: there is no Python 3.11 or newer on PATH; install one and try again.",
    );
    return false;
  }
  const environment = ownEnvironment(context);
  const steps = commands(python, environment, setting("server.package", "gazetteer"), WINDOWS);
  const yes = "Install";
  const copy = "Copy Commands";
  const detail = ["These commands are run:", "", ...steps.map(typed)].join("\n");
  const question = "Install the Gazetteer server into an environment of its own?";
  const choice = await vscode.window.showInformationMessage(question, { modal: true, detail }, yes, copy);
  if (choice === copy) {
    await vscode.env.clipboard.writeText(steps.map(typed).join("\n"));
  }
  return choice === yes && (await installed(environment, steps, logs));
}

async function installed(environment: string, steps: readonly Command[], logs: Logs): Promise<boolean> {
  try {
    await fs.mkdir(path.dirname(environment), { recursive: true });
    await vscode.window.withProgress(
      { location: vscode.ProgressLocation.Notification, title: "Installing the Gazetteer server", cancellable: true },
      async (progress, token) => {
        for (const [at, step] of steps.entries()) {
          progress.report({ message: at === 0 ? "making the environment" : `pip installs ${step.at(-1)}` });
          await run(step, logs, token);
        }
      },
    );
    return true;
  } catch (error) {
    logs.log.error(sentence(error));
    const show = "Show Logs";
    void vscode.window.showErrorMessage(`Gazetteer: not installed. ${sentence(error)}`, show).then((choice) => {
      if (choice === show) {
        logs.show();
      }
    });
    return false;
  }
}

/** The first Python that is new enough. */
async function interpreter(): Promise<string | undefined> {
  for (const candidate of WINDOWS ? ["python", "py"] : ["python3", "python"]) {
    const printed = await output([candidate, "--version"]).catch(() => "");
    const [, major, minor] = /Python (\d+)\.(\d+)/.exec(printed) ?? [];
    if (Number(major) === 3 && Number(minor) >= 11) {
      return candidate;
    }
  }
  return undefined;
}

/** Run a command and return what it printed; rejects when it fails or takes longer than ten seconds. */
export function output(command: Command): Promise<string> {
  return new Promise((resolve, reject) => {
    const [program, ...rest] = command;
    const child = spawn(program, rest, { stdio: ["ignore", "pipe", "pipe"], timeout: 10_000, windowsHide: true });
    let printed = "";
    child.stdout.on("data", (text: Buffer) => (printed += text.toString()));
    child.on("error", reject);
    child.on("close", (code) => {
      if (code === 0) {
        resolve(printed);
      } else {
        reject(new Error(`${program} ended with code ${code ?? "?"}.`));
      }
    });
  });
}

function run(command: Command, logs: Logs, token: vscode.CancellationToken): Promise<void> {
  logs.log.info(typed(command));
  return new Promise((resolve, reject) => {
    const [program, ...rest] = command;
    const child = spawn(program, rest, { stdio: ["ignore", "pipe", "pipe"], windowsHide: true });
    const stop = token.onCancellationRequested(() => child.kill());
    for (const stream of [child.stdout, child.stderr]) {
      stream.on("data", (text: Buffer) => {
        logs.log.info(text.toString().trimEnd());
      });
    }
    child.on("error", reject);
    child.on("close", (code) => {
      stop.dispose();
      if (token.isCancellationRequested) {
        reject(new Error("It was stopped."));
      } else if (code === 0) {
        resolve();
      } else {
        reject(new Error(`${typed(command)} ended with code ${code ?? "?"}.`));
      }
    });
  });
}
