/** What the suites inside of the extension host share: the extension, waiting, and running tests with a report. */

import * as assert from "node:assert/strict";
import * as fs from "node:fs";
import * as os from "node:os";
import * as path from "node:path";
import Mocha from "mocha";
import * as vscode from "vscode";
import type { Api } from "../../src/extension";
import type { Phase } from "../../src/server/supervisor";
import { hand } from "./hand";

export { assert };

/** How long something may take, in milliseconds, on a machine with much else to do; the hand waits as long. */
const PATIENCE = 60_000;

/** What the extension said to have gone wrong since the last look. */
const failures: string[] = [];

export function failed(): readonly string[] {
  return failures.splice(0);
}

/** Wait until the active editor shows a file whose path ends so. */
export async function shows(end: string, column?: vscode.ViewColumn): Promise<vscode.TextEditor> {
  return await until(
    () => `an editor shows ${end}; there is ${failures.join()}`,
    () => {
      const editor = vscode.window.activeTextEditor;
      const fits = editor?.document.uri.path.endsWith(end) && (column === undefined || editor.viewColumn === column);
      return fits ? editor : undefined;
    },
  );
}

let running: Api | undefined;

/** The extension as it runs here, once `extension` was awaited. */
export function api(): Api {
  assert.ok(running);
  return running;
}

/** The extension; the bundle under test gives it. */
export async function extension(): Promise<Api> {
  const found = vscode.extensions.getExtension<Api>("gazetteer.gazetteer");
  assert.ok(found, "the extension is not there");
  running = await found.activate();
  running.commands.onDidFail((sentence) => failures.push(sentence));
  return running;
}

/** Settings of the user that a test has set. */
const changed = new Set<string>();

/** Set settings of the user, by their keys below the section. */
export async function set(values: Readonly<Record<string, unknown>>): Promise<void> {
  for (const [key, value] of Object.entries(values)) {
    changed.add(key);
    await vscode.workspace.getConfiguration("gazetteer").update(key, value, vscode.ConfigurationTarget.Global);
  }
}

/** Take back what was set. */
export async function unset(): Promise<void> {
  const keys = [...changed];
  changed.clear();
  for (const key of keys) {
    await vscode.workspace.getConfiguration("gazetteer").update(key, undefined, vscode.ConfigurationTarget.Global);
  }
}

/** A folder of its own outside of the workspace, for one test. */
export async function scratch(name: string): Promise<vscode.Uri> {
  const folder = vscode.Uri.file(path.join(os.tmpdir(), `${name}-${process.pid}`));
  await vscode.workspace.fs.createDirectory(folder);
  return folder;
}

/** Write a file as another program does: the editor is not told. */
export function write(uri: vscode.Uri, text: string): void {
  fs.mkdirSync(path.dirname(uri.fsPath), { recursive: true });
  fs.writeFileSync(uri.fsPath, text);
}

/** Paths of what a question finds, best first. */
export async function found(query: string): Promise<readonly string[]> {
  return (await api().parts.questions.retrieve({ query })).hits.map(({ path }) => path);
}

/** Wait for something to be true, by looking at it again; what it gives is returned. */
export async function until<T>(
  what: string | (() => string),
  look: () => T | Promise<T>,
): Promise<Exclude<NonNullable<T>, false>> {
  const end = Date.now() + PATIENCE;
  for (;;) {
    const found = await look();
    if (found) {
      return found as Exclude<NonNullable<T>, false>;
    }
    if (Date.now() > end) {
      throw new Error(`in vain for ${PATIENCE / 1_000} s: ${typeof what === "string" ? what : what()}`);
    }
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/** Wait for the server to be in a phase. */
export async function phase(api: Api, wanted: Phase): Promise<void> {
  const { server } = api.parts;
  await until(
    () => `the server is ${wanted}, now ${JSON.stringify(server.state)}`,
    () => server.state.phase === wanted,
  );
}

/** Wait until the index answers. */
export async function ready(api: Api): Promise<void> {
  await phase(api, "running");
  await until(
    () => `the index is ready, now ${JSON.stringify(api.parts.status.states)}`,
    () => {
      const { states } = api.parts.status;
      return states.length > 0 && states.every(({ state }) => state === "ready");
    },
  );
}

/** A file of the workspace. */
export function file(name: string, folder = 0): vscode.Uri {
  const root = vscode.workspace.workspaceFolders?.[folder];
  assert.ok(root);
  return vscode.Uri.joinPath(root.uri, name);
}

/** Open a file of the workspace with the cursor before a text in it. */
export async function openAt(name: string, text = ""): Promise<vscode.TextEditor> {
  const document = await vscode.workspace.openTextDocument(file(name));
  const at = document.positionAt(document.getText().indexOf(text));
  return await vscode.window.showTextDocument(document, { selection: new vscode.Range(at, at), preview: false });
}

/** The public interface of the Python extension, as far as it is used here. */
interface Python {
  readonly environments: { updateActiveEnvironmentPath(environment: string): Promise<void> };
}

/** Select a Python environment, as the Python extension does when somebody chooses one. */
export async function select(environment: vscode.Uri): Promise<void> {
  const python = vscode.extensions.getExtension<Python>("ms-python.python");
  assert.ok(python);
  await python.exports.environments.updateActiveEnvironmentPath(environment.fsPath);
}

/** Run suites and write what happened where the runner reads it. */
export async function runSuite(define: () => void): Promise<void> {
  const grep = process.env.GAZETTEER_TEST_GREP;
  const mocha = new Mocha({ ui: "bdd", timeout: 3 * PATIENCE, ...(grep && { grep }) });
  mocha.suite.emit("pre-require", globalThis, "", mocha);
  // before a suite puts things back
  afterEach(async function () {
    if (this.currentTest?.state === "failed") {
      write(await hand.screen());
    }
  });
  define();
  const lines: string[] = [];
  const hooks: Promise<unknown>[] = [];
  const out = process.env.GAZETTEER_TEST_OUT;
  const write = (line: string): void => {
    lines.push(line);
    if (out) {
      fs.writeFileSync(out, `${lines.join("\n")}\n`);
    }
  };
  const failures = await new Promise<number>((resolve) => {
    mocha
      .run(resolve)
      .on("pass", (test) => {
        write(`  ok   ${test.title} (${test.duration ?? 0} ms)`);
      })
      .on("fail", (test, error: Error) => {
        write(`  FAIL ${test.title}\n${error.stack ?? error.message}`);
        if ((test.type as string | undefined) === "hook") {
          hooks.push(hand.screen().then(write));
        }
      });
  });
  await Promise.all(hooks);
  if (failures) {
    throw new Error(`${failures} failed`);
  }
}
