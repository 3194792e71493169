/** The results view: the last answers, one at a time. What is in it is an answer as it was given; refreshing asks again. */

import * as vscode from "vscode";
import { plain } from "../ask/wording";
import { focused } from "../focused";
import type { Answer, Expansion, Hit } from "../protocol";
import { itemOf } from "./items";
import { above, below, hitsOf, idOf, top, type Node, type Results } from "./model";

/** How to ask for an answer again. */
export type Again = (token: vscode.CancellationToken) => Promise<Answer>;

interface Page extends Results {
  readonly again: Again;
}

const VIEW = "gazetteer.results";
/** Answers that can be gone back to. */
const KEPT = 20;

export class ResultsView implements vscode.TreeDataProvider<Node>, vscode.Disposable {
  private readonly changed = new vscode.EventEmitter<Node | undefined>();
  private readonly tree: vscode.TreeView<Node>;
  private readonly pages: Page[] = [];
  private expanded = new Map<string, Expansion>();
  private count = 0;
  private load: () => void = () => undefined;
  /** Resolved when the tree has asked for its rows. */
  private readonly loaded = new Promise<void>((resolve) => {
    this.load = resolve;
  });

  readonly onDidChangeTreeData = this.changed.event;

  constructor() {
    this.tree = vscode.window.createTreeView(VIEW, { treeDataProvider: this, showCollapseAll: true });
  }

  get current(): Results | undefined {
    return this.pages.at(-1);
  }

  /** What is selected of the answer that is shown; the editor still tells what was selected in the one before. */
  get selected(): Node | undefined {
    const hits = new Set(this.current?.answer.hits);
    return this.tree.selection.find((node) => hitsOf(node).every((hit) => hits.has(hit)));
  }

  /** What the keys point at. */
  focused(): Promise<Node | undefined> {
    return focused(this.tree);
  }

  /** Show an answer; the one before can be gone back to. */
  async show(title: string, answer: Answer, again: Again): Promise<void> {
    if (!this.tree.visible) {
      await vscode.commands.executeCommand(`${VIEW}.focus`);
      await (this.tree.visible ? this.loaded : undefined); // a row of a tree that is being made cannot be gone to
    }
    this.pages.push({ title, answer, again });
    this.pages.splice(0, this.pages.length - KEPT);
    await this.update();
    await vscode.commands.executeCommand(`${VIEW}.focus`);
    const [hit] = answer.hits;
    if (hit !== undefined) {
      await this.point(hit, { select: false, focus: true }); // keys begin at the best one
    }
  }

  /** Go to a hit; once more where the rows were exchanged meanwhile. Where it is gone by then, keys begin at the top. */
  private async point(hit: Hit, how: { readonly select: boolean; readonly focus: boolean }): Promise<void> {
    const go = (): Thenable<void> => this.tree.reveal({ kind: "hit", hit }, { ...how, expand: !how.focus });
    await go().then(undefined, () => {
      this.changed.fire(undefined);
      return go().then(undefined, () => undefined);
    });
  }

  async back(): Promise<void> {
    if (this.pages.length > 1) {
      this.pages.pop();
      await this.update();
    }
  }

  async clear(): Promise<void> {
    this.pages.length = 0;
    await this.update();
  }

  /** Ask the same again. */
  async refresh(): Promise<void> {
    const page = this.pages.at(-1);
    if (page !== undefined) {
      const answer = await vscode.window.withProgress({ location: { viewId: VIEW } }, (_, token) => page.again(token));
      this.pages[this.pages.length - 1] = { ...page, answer };
      await this.update();
    }
  }

  /** Show more of a hit. */
  async expand(hit: Hit, expansion: Expansion): Promise<void> {
    this.expanded.set(hit.locator, expansion);
    this.changed.fire(undefined);
    await this.point(hit, { select: false, focus: false });
  }

  /** The lines around a hit that are shown now. */
  around(locator: string): Expansion | undefined {
    return this.expanded.get(locator);
  }

  getChildren(node?: Node): Node[] {
    this.load();
    const results = this.current;
    if (results === undefined) {
      return [];
    }
    return [...(node === undefined ? top(results) : below(node, this.expanded))];
  }

  getParent(node: Node): Node | undefined {
    return this.current === undefined ? undefined : above(node, this.current);
  }

  getTreeItem(node: Node): vscode.TreeItem {
    const item = itemOf(node);
    const id = idOf(node, this.count);
    if (id !== undefined) {
      item.id = id;
    }
    return item;
  }

  dispose(): void {
    this.tree.dispose();
    this.changed.dispose();
  }

  private async update(): Promise<void> {
    const results = this.current;
    this.count++;
    this.expanded = new Map();
    this.tree.description = results === undefined ? "" : plain(results.title);
    this.tree.message = results === undefined ? "" : messageOf(results.answer);
    this.changed.fire(undefined);
    await vscode.commands.executeCommand("setContext", "gazetteer.hasResults", results !== undefined);
    await vscode.commands.executeCommand("setContext", "gazetteer.hasEarlierResults", this.pages.length > 1);
  }
}

function messageOf({ hits, receipt }: Answer): string {
  return [...(hits.length ? [] : ["Nothing was found."]), ...receipt.notices.map(plain)].join(" ");
}
