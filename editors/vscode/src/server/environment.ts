/** Where programs may lie on this machine: the selected Python environment, PATH, the extension's own environment. */

import * as fs from "node:fs";
import * as path from "node:path";
import * as vscode from "vscode";
import { programs, type Sources } from "./discovery";
import { setting } from "./settings";

const WINDOWS = process.platform === "win32";

/** The extension's own environment below its storage. */
export function ownEnvironment(context: vscode.ExtensionContext): string {
  return path.join(context.globalStorageUri.fsPath, "environment");
}

/** Where the server's program may lie for this window. */
export async function sources(context: vscode.ExtensionContext): Promise<Sources> {
  const folders = vscode.workspace.workspaceFolders ?? [];
  const environments = [await selectedInterpreter(folders[0]?.uri), activated(process.env)];
  return {
    setting: setting("server.path", ""),
    environments: environments.filter((folder) => folder !== undefined),
    path: (process.env.PATH ?? "").split(path.delimiter).filter(Boolean),
    own: programs(ownEnvironment(context), WINDOWS),
    roots: folders.filter((folder) => folder.uri.scheme === "file").map((folder) => real(folder.uri.fsPath)),
    trusted: vscode.workspace.isTrusted,
    windows: WINDOWS,
    isExecutable,
  };
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

const PYTHON = "ms-python.python";

async function selectedInterpreter(resource: vscode.Uri | undefined): Promise<string | undefined> {
  const python = vscode.extensions.getExtension<PythonExtension>(PYTHON);
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

/** Calls `act` whenever another Python environment is selected, and when the Python extension comes later than this one. */
export class Selections implements vscode.Disposable {
  private readonly coming = vscode.extensions.onDidChange(() => void this.listen());
  private listening: vscode.Disposable | undefined;
  private over = false;

  constructor(private readonly act: () => void) {
    void this.listen();
  }

  dispose(): void {
    this.over = true;
    this.coming.dispose();
    this.listening?.dispose();
  }

  private async listen(): Promise<void> {
    const python = vscode.extensions.getExtension<PythonExtension>(PYTHON);
    if (this.listening !== undefined || python === undefined) {
      return;
    }
    try {
      const { environments } = await python.activate();
      if (!this.over) {
        this.listening ??= environments.onDidChangeActiveEnvironmentPath(this.act);
      }
    } catch {
      // another extension's trouble is not ours
    }
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
