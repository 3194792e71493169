/**
 * Ask Corpus: a list that searches while somebody types. It shows what the server says and orders nothing by itself.
 */

import * as vscode from "vscode";
import { open } from "../places";
import type { Answer, Hit, Question } from "../protocol";
import type { History } from "./history";
import { Preview } from "./preview";
import { LiveSearch, type Outcome } from "./search";
import { bestLine, FRESHNESS, iconless, place, why } from "./wording";

/** An entry of the list: a hit, a question of before, or a sentence. */
export interface Entry extends vscode.QuickPickItem {
  readonly hit?: Hit;
  readonly before?: string;
}

export interface Shown {
  readonly question: Question;
  readonly answer: Answer;
}

export interface Desk {
  readonly ask: (question: Question, token: vscode.CancellationToken) => Promise<Answer>;
  /** Show an answer in the results view. */
  readonly keep: (shown: Shown) => Promise<void>;
  readonly history: History;
  readonly preview: () => boolean;
}

const TO_SIDE: vscode.QuickInputButton = {
  iconPath: new vscode.ThemeIcon("split-horizontal"),
  tooltip: "Open to the Side (Ctrl+\\)",
};
const KEEP: vscode.QuickInputButton = {
  iconPath: new vscode.ThemeIcon("list-tree"),
  tooltip: "Show in the Results View (Ctrl+L)",
};
const HINT = "Ask in words or by a name; narrow with lang: path: kind: type: corpus: with: without:";
/** While this is set, the keys of the list are those of the extension. */
const ASKING = "gazetteer.asking";

export class Picker implements vscode.Disposable {
  private readonly pick = vscode.window.createQuickPick<Entry>();
  private readonly preview = new Preview();
  private readonly search: LiveSearch<vscode.CancellationToken>;
  private shown: Shown | undefined;
  private chosen = false;
  private fromEditor = true;
  /** Resolved when the list is gone and what was shown meanwhile is put back. */
  readonly closed: Promise<void>;

  constructor(private readonly desk: Desk) {
    this.search = new LiveSearch({
      ask: desk.ask,
      source: () => new vscode.CancellationTokenSource(),
      show: (outcome) => {
        this.show(outcome);
      },
      busy: (busy) => {
        this.pick.busy = busy;
      },
    });
    const { pick } = this;
    pick.title = "Ask Corpus";
    pick.placeholder = HINT;
    pick.buttons = [KEEP];
    keepOrder(pick);
    pick.onDidChangeValue((typed) => void this.type(typed));
    pick.onDidChangeActive(([entry]) => {
      if (desk.preview()) {
        this.preview.soon(entry?.hit);
      }
    });
    pick.onDidAccept(() => void this.accept());
    pick.onDidTriggerButton(() => void this.keep());
    pick.onDidTriggerItemButton(({ item }) => void this.accept(item, vscode.ViewColumn.Beside));
    this.closed = new Promise((resolve) => {
      const hiding = pick.onDidHide(() => {
        hiding.dispose(); // a list that is disposed of says so again, and what is put back late takes the keys
        resolve(this.end());
      });
    });
  }

  /** Show the list, with a question in it that was taken from somewhere, until somebody types. */
  async open(question = "", fromEditor = true): Promise<void> {
    this.fromEditor = fromEditor;
    this.pick.value = question;
    this.pick.show();
    await vscode.commands.executeCommand("setContext", ASKING, true);
    await this.search.ask({ query: question });
  }

  /** Take a text as typed; resolves when the list shows its answer or it was overtaken. */
  async type(typed: string): Promise<void> {
    if (this.pick.value !== typed) {
      this.pick.value = typed;
    }
    await this.search.ask({ query: typed, typed: true });
  }

  /** What the list shows. */
  get entries(): readonly Entry[] {
    return this.pick.items;
  }

  /** The question that the list answers, when it has an answer. */
  get answered(): string | undefined {
    return this.shown?.question.query;
  }

  /** Go to an entry, or ask a question of before again. */
  async accept(entry = this.pick.activeItems[0] ?? this.pick.items[0], column?: vscode.ViewColumn): Promise<void> {
    if (entry?.before !== undefined) {
      await this.type(entry.before);
    } else if (entry?.hit !== undefined) {
      this.chosen = true;
      await this.remember();
      this.pick.hide();
      if (column === undefined) {
        await this.preview.end();
        await open(entry.hit, { preview: false });
        await this.preview.keep(entry.hit.uri);
      } else {
        await this.preview.back(false); // what it is put beside is what was there before
        await open(entry.hit, { preview: false, viewColumn: column });
      }
    }
  }

  /** Show the answer in the results view instead. */
  async keep(): Promise<void> {
    const { shown } = this;
    if (shown !== undefined) {
      await this.remember();
      this.pick.hide();
      await this.closed; // what is put back would take the keys from the view
      await this.desk.keep(shown);
    }
  }

  hide(): void {
    this.pick.hide();
  }

  dispose(): void {
    this.pick.dispose();
    this.preview.dispose();
  }

  private async remember(): Promise<void> {
    await this.desk.history.add(this.pick.value);
  }

  private async end(): Promise<void> {
    this.search.stop();
    await vscode.commands.executeCommand("setContext", ASKING, false);
    if (!this.chosen) {
      await this.preview.back(this.fromEditor);
    }
    this.dispose();
  }

  private show(outcome: Outcome): void {
    this.shown = outcome.kind === "answer" ? outcome : undefined;
    this.pick.title = titleOf(outcome);
    this.pick.items =
      outcome.kind === "empty"
        ? this.desk.history.questions.map((before) => ({ label: iconless(before), iconPath: CLOCK, before }))
        : entriesOf(outcome);
  }
}

const CLOCK = new vscode.ThemeIcon("history");

function titleOf(outcome: Outcome): string {
  if (outcome.kind !== "answer") {
    return "Ask Corpus";
  }
  const { hits, receipt } = outcome.answer;
  const said = receipt.notices.length ? ` · ${iconless(receipt.notices[0] ?? "")}` : "";
  return `Ask Corpus: ${hits.length} found in ${Math.round(receipt.elapsedMs)} ms${said}`;
}

function entriesOf(outcome: Exclude<Outcome, { kind: "empty" }>): readonly Entry[] {
  if (outcome.kind === "failure") {
    return [{ label: iconless(outcome.message), iconPath: new vscode.ThemeIcon("warning"), alwaysShow: true }];
  }
  const { hits } = outcome.answer;
  return hits.length ? hits.map(entryOf) : [{ label: "Nothing found", alwaysShow: true }];
}

/** A hit as an entry. Text of a tree makes no icons. */
export function entryOf(hit: Hit): Entry {
  const heading = iconless(hit.heading);
  const about = [iconless(place(hit)), iconless(hit.corpus), why(hit), FRESHNESS[hit.freshness]].filter(Boolean);
  return {
    label: heading || iconless(place(hit)),
    description: (heading ? about : about.slice(1)).join("  ·  "),
    detail: iconless(bestLine(hit)),
    iconPath: new vscode.ThemeIcon(ICONS[hit.kind] ?? "file"),
    buttons: [TO_SIDE],
    alwaysShow: true,
    hit,
  };
}

/** What the editor draws for a kind of chunk. */
export const ICONS: Readonly<Record<string, string>> = {
  function: "symbol-function",
  method: "symbol-method",
  class: "symbol-class",
  struct: "symbol-struct",
  interface: "symbol-interface",
  enum: "symbol-enum",
  constant: "symbol-constant",
  variable: "symbol-variable",
  field: "symbol-field",
  module: "symbol-module",
  namespace: "symbol-namespace",
  type: "symbol-class",
  macro: "symbol-function",
  section: "symbol-string",
  key: "symbol-key",
  target: "symbol-event",
};

/** The order of the list is the server's; the editor would put labels that hold what was typed first. */
function keepOrder(pick: vscode.QuickPick<Entry>): void {
  (pick as { sortByLabel?: boolean }).sortByLabel = false;
}
