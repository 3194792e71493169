/**
 * The settings that the server is given: what somebody set, and no defaults, so that the server's environment counts where
 * nothing was set. Keys are the server's own; what is the extension's stays here.
 */

import * as vscode from "vscode";

export const SECTION = "gazetteer";

/** The server's settings as it spells them, below the section. A test holds them against the server's own table. */
export const SERVER_KEYS = [
  "dbPath",
  "maxFiles",
  "allowPartial",
  "exclude",
  "maxFileBytes",
  "corpusRoot",
  "watch",
  "workers",
  "sweepReuseMs",
  "hover.enable",
  "codeActions.enable",
  "codeLens.enable",
  "inlayHints.enable",
  "navigation.enable",
  "navigation.languages",
  "corpus",
] as const;

/** What to send for `workspace/configuration` and at the start. */
export function serverSettings(): Record<string, unknown> {
  const configuration = vscode.workspace.getConfiguration(SECTION);
  const found: Record<string, unknown> = {};
  for (const key of SERVER_KEYS) {
    if (isSet(configuration.inspect(key))) {
      found[key] = configuration.get(key);
    }
  }
  return found;
}

type Inspected = ReturnType<vscode.WorkspaceConfiguration["inspect"]>;

function isSet(inspected: Inspected): boolean {
  return (
    inspected?.globalValue !== undefined ||
    inspected?.workspaceValue !== undefined ||
    inspected?.workspaceFolderValue !== undefined
  );
}

/** One setting of the extension, by its key below the section; `where` is the place that it is asked for. */
export function setting<T>(key: string, otherwise: T, where?: vscode.Uri): T {
  return vscode.workspace.getConfiguration(SECTION, where).get<T>(key, otherwise);
}
