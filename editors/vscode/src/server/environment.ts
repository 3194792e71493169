/** Where programs may lie on this machine: the selected Python environment, PATH, the extension's own environment. */

import * as fs from "node:fs";
import * as path from "node:path";
import * as vscode from "vscode";
import { find, programs, type Found, type Missing } from "./discovery";
import { setting } from "./settings";

const WINDOWS = process.platform === "win32";

/** The extension's own environment below its storage. */
export function ownEnvironment(context: vscode.ExtensionContext): string {
  return path.join(context.globalStorageUri.fsPath, "environment");
}

/** Find the server's program for this window. */
export async function findServer(context: vscode.ExtensionContext): Promise<Found | Missing> {
  const folders = vscode.workspace.workspaceFolders ?? [];
  const environments = [await selectedInterpreter(folders[0]?.uri), activated(process.env)];
  return find({
    setting: setting("server.path", ""),
    environments: environments.filter((folder) => folder !== undefined),
    path: (process.env.PATH ?? "").split(path.delimiter).filter(Boolean),
    own: programs(ownEnvironment(context), WINDOWS),
    roots: folders.filter((folder) => folder.uri.scheme === "file").map((folder) => real(folder.uri.fsPath)),
    trusted: vscode.workspace.isTrusted,
    windows: WINDOWS,
    isExecutable,
  });
}

/** The folder of programs of the environment that the editor was started in. */
function activated(environment: NodeJS.ProcessEnv): string | undefined {
  const folder = environment.VIRTUAL_ENV ?? environment.CONDA_PREFIX;
  return folder ? real(programs(folder, WINDOWS)) : undefined;
}

/** The part that is used of the Python extension's public interface. */
interface PythonExtension {
  readonly environments: {
    readonly onDidChangeActiveEnvironmentPath: vscode.Event<unknown>;
    getActiveEnvironmentPath(resource?: vscode.Uri): { readonly path: string };
    resolveEnvironment(environment: {
      readonly path: string;
    }): Promise<{ readonly executable: { readonly uri?: vscode.Uri } } | undefined>;
  };
}

async function selectedInterpreter(resource: vscode.Uri | undefined): Promise<string | undefined> {
  const python = vscode.extensions.getExtension<PythonExtension>("ms-python.python");
  if (python === undefined) {
    return undefined;
  }
  try {
    const { environments } = await python.activate();
    const found = await environments.resolveEnvironment(environments.getActiveEnvironmentPath(resource));
    const interpreter = found?.executable.uri?.fsPath;
    // its folder, not that of the interpreter that it may be a link to
    return interpreter === undefined ? undefined : path.join(real(path.dirname(interpreter)));
  } catch {
    return undefined; // another extension's trouble is not ours
  }
}

/** Call `act` whenever another Python environment is selected. */
export async function onSelection(act: () => void): Promise<vscode.Disposable> {
  const python = vscode.extensions.getExtension<PythonExtension>("ms-python.python");
  try {
    const api = await python?.activate();
    return api?.environments.onDidChangeActiveEnvironmentPath(act) ?? new vscode.Disposable(() => undefined);
  } catch {
    return new vscode.Disposable(() => undefined);
  }
}

function isExecutable(file: string): boolean {
  try {
    fs.accessSync(file, WINDOWS ? fs.constants.F_OK : fs.constants.X_OK);
    return fs.statSync(file).isFile();
  } catch {
    return false;
  }
}

/** The folder without links, so that one into the workspace is seen; what does not exist stays as it is. */
function real(folder: string): string {
  try {
    return fs.realpathSync(folder);
  } catch {
    return folder;
  }
}
