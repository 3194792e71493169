/**
 * The commands, in one table: what each is called and what it does. Whatever goes wrong becomes one sentence here, and
 * nowhere else. A test holds the table against `package.json`.
 */

import * as vscode from "vscode";
import { type Desk, Picker, type Shown } from "./ask/picker";
import type { CorporaView } from "./corpora/view";
import type { Documents } from "./documents";
import type { History } from "./ask/history";
import type { Notes } from "./notes";
import { asking, hasFolder, pointedAt } from "./places";
import type { Answer, IndexStatus, Question, View } from "./protocol";
import type { Questions } from "./questions";
import { data, state } from "./report";
import { copy, type ResultActions, type Which } from "./results/actions";
import type { ResultsView } from "./results/view";
import { install } from "./server/install";
import type { Logs } from "./server/logs";
import { setting } from "./server/settings";
import { sentence, type Supervisor } from "./server/supervisor";
import type { StatusItem } from "./status/item";
import { showMenu } from "./status/menu";

/** Everything of one window. */
export interface Parts {
  readonly context: vscode.ExtensionContext;
  readonly logs: Logs;
  readonly server: Supervisor;
  readonly status: StatusItem;
  readonly questions: Questions;
  readonly results: ResultsView;
  readonly actions: ResultActions;
  readonly corpora: CorporaView;
  readonly notes: Notes;
  readonly history: History;
  readonly documents: Documents;
}

type Act = (...given: never[]) => unknown;

const WALKTHROUGH = "gazetteer.gazetteer#gazetteer.start";

export class Commands {
  private picker: Picker | undefined;
  private readonly failures = new vscode.EventEmitter<string>();

  /** What was said to have gone wrong, in one sentence each. */
  readonly onDidFail = this.failures.event;

  constructor(private readonly parts: Parts) {}

  /** The list that is open now. */
  get asking(): Picker | undefined {
    return this.picker;
  }

  register(): vscode.Disposable {
    const registered = Object.entries(this.table()).map(([name, act]) =>
      vscode.commands.registerCommand(name, async (...given: never[]) => {
        try {
          return await act(...given);
        } catch (error) {
          this.failed(error);
          return undefined;
        }
      }),
    );
    return vscode.Disposable.from(...registered, this.failures);
  }

  /** Every command of the extension. */
  table(): Readonly<Record<string, Act>> {
    const { parts } = this;
    const { actions, corpora, results } = parts;
    const beside = vscode.ViewColumn.Beside;
    return {
      // where something else than an editor has the keys, the keybinding gives an object
      "gazetteer.ask": (asked?: unknown) => this.ask(typeof asked === "string" ? asked : "", typeof asked !== "object"),
      "gazetteer.askSelection": () => this.ask(pointedAt(vscode.window.activeTextEditor)),
      "gazetteer.askedToSide": () => this.picker?.accept(undefined, beside),
      "gazetteer.askedToView": () => this.picker?.keep(),
      "gazetteer.clearHistory": () => parts.history.clear(),
      "gazetteer.relatedHere": () => this.relatedHere(),
      "gazetteer.callersHere": () => this.callersHere(),
      "gazetteer.results.open": actions.open.bind(actions),
      "gazetteer.results.openToSide": (which?: Which) => actions.open(which, beside),
      "gazetteer.results.expand": actions.expand.bind(actions),
      "gazetteer.results.related": actions.related.bind(actions),
      "gazetteer.results.copyCitation": actions.copyCitation.bind(actions),
      "gazetteer.results.insertCitation": actions.insertCitation.bind(actions),
      "gazetteer.results.copyEvidence": actions.copyEvidence.bind(actions),
      "gazetteer.results.refresh": () => results.refresh(),
      "gazetteer.results.back": () => results.back(),
      "gazetteer.results.clear": () => results.clear(),
      "gazetteer.openMap": () => this.map(false),
      "gazetteer.createMap": () => this.map(true),
      "gazetteer.toggleNotes": () => parts.notes.toggle(),
      "gazetteer.syncIndex": () => this.index("sync", "the index is up to date"),
      "gazetteer.rebuildIndex": () => this.index("reindex", "everything was read again"),
      "gazetteer.semanticIndex": () => this.semantic(),
      "gazetteer.showState": () => this.showState(),
      "gazetteer.corpora.show": () => corpora.show(),
      "gazetteer.corpora.refresh": () => corpora.refresh(),
      "gazetteer.corpora.add": (folder?: unknown) => corpora.add(folder instanceof vscode.Uri ? folder : undefined),
      "gazetteer.corpora.remove": corpora.remove.bind(corpora),
      "gazetteer.corpora.attach": corpora.attach.bind(corpora),
      "gazetteer.corpora.detach": corpora.detach.bind(corpora),
      "gazetteer.restart": () => this.restart(),
      "gazetteer.showLogs": () => {
        parts.logs.show();
      },
      "gazetteer.showMenu": () => showMenu(parts.server, parts.status),
      "gazetteer.installServer": () => this.install(),
      "gazetteer.nameServer": () => nameServer(),
      "gazetteer.openWalkthrough": () => this.walkthrough(),
      ...this.ofTheServer(),
    };
  }

  /** What the server's code actions have the client do; these are not for people and are in no menu. */
  ofTheServer(): Readonly<Record<string, Act>> {
    return {
      "gazetteer.view": (view: View) => this.view(view),
      "gazetteer.copy": ({ text }: { readonly text: string }) => copy(text, "The evidence is in the clipboard."),
    };
  }

  // -- asking ----------------------------------------------------------------------------------------------------

  /** `fromEditor`: an editor has the keys, as far as one can tell, and gets them back when nothing is chosen. */
  private async ask(question: string, fromEditor = true): Promise<void> {
    this.picker?.hide();
    await this.picker?.closed; // what it puts back would take the keys from the next one
    const { questions, history } = this.parts;
    const where = asking(); // not where the place is that is previewed when more is typed
    const desk: Desk = {
      ask: (asked, token) => questions.retrieve({ ...where, ...asked }, token),
      keep: ({ question, answer }) => this.keep({ question: { ...where, ...question }, answer }),
      history,
      preview: () => setting("ask.preview", true),
    };
    const picker = new Picker(desk);
    this.picker = picker;
    void picker.closed.then(() => {
      this.picker = this.picker === picker ? undefined : this.picker;
    });
    await picker.open(question, fromEditor);
  }

  private keep({ question, answer }: Shown): Promise<void> {
    return this.parts.results.show(question.query, answer, (token) => this.parts.questions.retrieve(question, token));
  }

  private async relatedHere(): Promise<void> {
    const editor = vscode.window.activeTextEditor;
    if (editor === undefined) {
      void vscode.window.showInformationMessage("Gazetteer: open a document and put the cursor where you mean.");
      return;
    }
    const [uri, position] = [editor.document.uri, editor.selection.active];
    await this.list(`related to line ${position.line + 1}`, (token) =>
      this.parts.questions.relatedTo(uri, position, token),
    );
  }

  private async callersHere(): Promise<void> {
    const name = pointedAt(vscode.window.activeTextEditor);
    if (!name) {
      void vscode.window.showInformationMessage("Gazetteer: put the cursor on a name.");
      return;
    }
    const question: Question = { query: `who calls ${name}`, via: ["graph"] };
    await this.list(question.query, (token) => this.parts.questions.retrieve(question, token));
  }

  private async list(title: string, ask: (token: vscode.CancellationToken) => Promise<Answer>): Promise<void> {
    const answer = await vscode.window.withProgress(
      { location: vscode.ProgressLocation.Window, title: "Gazetteer: asking" },
      (_, token) => ask(token),
    );
    await this.parts.results.show(title, answer, ask);
  }

  /** Send the request that a code action carries, and show what comes. */
  private async view({ title, method, params }: View): Promise<void> {
    const { server, results, documents } = this.parts;
    const ask = (token?: vscode.CancellationToken): Promise<unknown> => server.request(method, params, token);
    const answer = await ask();
    if (isAnswer(answer)) {
      await results.show(title, answer, async (token) => (await ask(token)) as Answer);
    } else {
      await documents.show(title, data(answer));
    }
  }

  // -- the index and the server ----------------------------------------------------------------------------------

  private async index(method: "sync" | "reindex", said: string): Promise<void> {
    const { server } = this.parts;
    const result = await vscode.window.withProgress(
      { location: vscode.ProgressLocation.Notification, title: "Gazetteer: indexing", cancellable: true },
      (_, token) => server.request<{ generation?: number }>(`gazetteer/${method}`, asking(), token),
    );
    vscode.window.setStatusBarMessage(`$(check) Gazetteer: ${said}, generation ${result.generation ?? "?"}`, 5_000);
  }

  private async semantic(): Promise<void> {
    const { server } = this.parts;
    if (!server.announced.semantic) {
      throw new Error(
        server.announced.version
          ? `the server ${server.announced.version} searches by words, names and structure, and has no semantic index; nothing has to be built.`
          : "no server runs; choose Restart Server first.",
      );
    }
    await vscode.window.withProgress(
      { location: vscode.ProgressLocation.Notification, title: "Gazetteer: semantic index", cancellable: true },
      (_, token) => server.request("gazetteer/index", { ...asking(), semantic: true }, token),
    );
    vscode.window.setStatusBarMessage("$(check) Gazetteer: the semantic index is up to date", 5_000);
  }

  private async restart(): Promise<void> {
    if (!hasFolder()) {
      throw new Error("no folder is open; open one to ask about it.");
    }
    await this.parts.server.restart();
  }

  private async showState(): Promise<void> {
    const status = await this.parts.server.request<IndexStatus>("gazetteer/status", asking());
    await this.parts.documents.show("State of the Index", state(status));
  }

  private async map(create: boolean): Promise<void> {
    const { questions } = this.parts;
    let map = await questions.map(create);
    if (!map.exists) {
      const yes = "Create It";
      const asked = await vscode.window.showInformationMessage(`There is no orientation map (${map.path}).`, yes);
      if (asked !== yes) {
        return;
      }
      map = await questions.map(true);
    }
    await vscode.window.showTextDocument(vscode.Uri.parse(map.uri, true));
  }

  private async walkthrough(): Promise<void> {
    await vscode.commands.executeCommand("workbench.action.openWalkthrough", WALKTHROUGH, false);
    // a step is done by what becomes true after the editor has read the steps, which it does when they are shown first
    await vscode.commands.executeCommand("setContext", "gazetteer.found", this.parts.server.state.phase === "running");
  }

  private async install(): Promise<void> {
    if (await install(this.parts.context, this.parts.logs)) {
      await this.parts.server.restart();
    }
  }

  private failed(error: unknown): void {
    if (error instanceof vscode.CancellationError) {
      return;
    }
    this.parts.logs.log.error(error instanceof Error ? error : String(error));
    this.failures.fire(sentence(error));
    void vscode.window.showErrorMessage(`Gazetteer: ${sentence(error)}`);
  }
}

/** Open the setting where it counts: a window that works on another machine takes it from there only. */
async function nameServer(): Promise<void> {
  const there = vscode.env.remoteName === undefined ? "openSettings" : "openRemoteSettings";
  await vscode.commands.executeCommand(`workbench.action.${there}`, { query: "gazetteer.server.path" });
}

function isAnswer(answer: unknown): answer is Answer {
  return typeof answer === "object" && answer !== null && "hits" in answer && "receipt" in answer;
}
