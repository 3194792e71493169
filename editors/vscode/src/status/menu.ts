/** The menu behind the status item: what can be done about the index, the server and the corpora. */

import * as vscode from "vscode";
import type { Supervisor } from "../server/supervisor";
import type { StatusItem } from "./item";
import { line } from "./state";

interface Entry extends vscode.QuickPickItem {
  readonly run?: string;
  /** Where the server has to say that it can. */
  readonly needs?: "semantic";
}

/** What to offer while the server runs, and while it does not. */
const RUNNING: readonly Entry[] = [
  { label: "$(search) Ask Corpus", run: "gazetteer.ask" },
  { label: "$(sync) Sync Index", description: "take in now what has changed", run: "gazetteer.syncIndex" },
  { label: "$(refresh) Rebuild Index", description: "read the whole tree again", run: "gazetteer.rebuildIndex" },
  {
    label: "$(sparkle) Build Semantic Index",
    description: "search by meaning too",
    run: "gazetteer.semanticIndex",
    needs: "semantic",
  },
  { label: "$(info) Show State of the Index", run: "gazetteer.showState" },
  { label: "$(library) Corpora", description: "list, add, remove", run: "gazetteer.corpora.show" },
];
const MISSING: readonly Entry[] = [
  { label: "$(cloud-download) Install the Server", description: "asks first", run: "gazetteer.installServer" },
  { label: "$(settings-gear) Name the Server", description: "gazetteer.server.path", run: "gazetteer.nameServer" },
];
const ALWAYS: readonly Entry[] = [
  { label: "", kind: vscode.QuickPickItemKind.Separator },
  { label: "$(debug-restart) Restart Server", run: "gazetteer.restart" },
  { label: "$(output) Show Logs", run: "gazetteer.showLogs" },
  { label: "$(book) Open Walkthrough", run: "gazetteer.openWalkthrough" },
];

/** The entries for a state of the server. */
export function entries(server: Supervisor): readonly Entry[] {
  const offered = server.state.phase === "running" ? RUNNING : server.state.phase === "missing" ? MISSING : [];
  return [...offered, ...ALWAYS].filter(({ needs }) => needs === undefined || server.announced[needs]);
}

/** Show it, and do what is chosen. */
export async function showMenu(server: Supervisor, status: StatusItem): Promise<void> {
  const chosen = await vscode.window.showQuickPick(entries(server), {
    title: "Gazetteer",
    placeHolder: status.states.map(line).join("; ") || server.state.message || "What to do",
  });
  if (chosen?.run !== undefined) {
    await vscode.commands.executeCommand(chosen.run);
  }
}
