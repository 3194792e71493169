/** The beginning and the end: makes the parts, joins them, and starts the server when there is a folder to serve. */

import * as vscode from "vscode";
import { registerTools } from "./agent/tools";
import { History } from "./ask/history";
import { Commands, type Parts } from "./commands";
import { CorporaView } from "./corpora/view";
import { Documents } from "./documents";
import { Notes } from "./notes";
import { hasFolder } from "./places";
import { Questions } from "./questions";
import { ResultActions } from "./results/actions";
import { ResultsView } from "./results/view";
import { choose, type Found, type Missing } from "./server/discovery";
import { Selections, sources } from "./server/environment";
import { output } from "./server/install";
import { Logs } from "./server/logs";
import { SECTION } from "./server/settings";
import { Supervisor, type ServerState } from "./server/supervisor";
import { fault, parse } from "./server/version";
import { StatusItem } from "./status/item";

/** What the extension gives to others, its own tests among them. */
export interface Api {
  readonly parts: Parts;
  readonly commands: Commands;
}

export function activate(context: vscode.ExtensionContext): Api {
  const logs = new Logs();
  const server = new Supervisor(logs, () => lookFor(context, logs));
  const status = new StatusItem(server);
  const corpora = new CorporaView(server, status);
  const questions = new Questions(server, corpora);
  const results = new ResultsView();
  const notes = new Notes(server);
  const documents = new Documents();
  const history = new History(context.workspaceState);
  const actions = new ResultActions(results, questions);
  const parts = { context, logs, server, status, questions, results, actions, corpora, notes, history, documents };
  const commands = new Commands(parts);
  context.subscriptions.push(logs, status, corpora, results, notes, documents, commands.register());
  context.subscriptions.push(registerTools(questions), ...watch(server));
  stopping = () => server.stop();
  if (hasFolder()) {
    void server.start();
  }
  return { parts, commands };
}

let stopping: (() => Promise<void>) | undefined;

export async function deactivate(): Promise<void> {
  await stopping?.();
}

/** Find a server that this extension can talk to. */
async function lookFor(context: vscode.ExtensionContext, { log }: Logs): Promise<Found | Missing> {
  return await choose(
    await sources(context),
    async (command) => fault(parse(await output([command, "--version"]).catch(() => "")), command),
    (reason) => {
      log.warn(reason);
    },
  );
}

/** Start the server when there is a reason to, and say once what keeps it from running. */
function watch(server: Supervisor): readonly { dispose(): unknown }[] {
  return [
    server.onDidChange((state) => {
      offer(state);
    }),
    vscode.workspace.onDidChangeWorkspaceFolders(() => {
      if (hasFolder()) {
        void server.start();
      }
    }),
    new Selections(() => void server.reconsider()),
    // what was left out until now may be the server that is meant
    vscode.workspace.onDidGrantWorkspaceTrust(() => void server.reconsider()),
    vscode.workspace.onDidChangeConfiguration((event) => {
      if (event.affectsConfiguration(`${SECTION}.server.path`)) {
        void server.reconsider();
      }
    }),
  ];
}

const REMEDIES: Readonly<Record<string, string>> = {
  "Install…": "gazetteer.installServer",
  "Name It…": "gazetteer.nameServer",
  Restart: "gazetteer.restart",
  "Show Logs": "gazetteer.showLogs",
};

function offer({ phase, message }: ServerState): void {
  if (phase !== "missing" && phase !== "failed") {
    return;
  }
  const remedies = phase === "missing" ? ["Install…", "Name It…"] : ["Restart", "Show Logs"];
  void vscode.window.showWarningMessage(message, ...remedies).then(async (choice) => {
    const command = REMEDIES[choice ?? ""];
    if (command !== undefined) {
      await vscode.commands.executeCommand(command);
    }
  });
}
