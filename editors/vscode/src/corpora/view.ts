/** The corpora view: what is there, and adding, removing, attaching and detaching. The server keeps the registry. */

import * as vscode from "vscode";
import { plain } from "../ask/wording";
import { FOCUSED, focused } from "../focused";
import type { Attached } from "../questions";
import type { Supervisor } from "../server/supervisor";
import type { StatusItem } from "../status/item";
import { isOwn } from "../status/state";
import { NOTHING, rows, type Listing, type Row } from "./listing";

const VIEW = "gazetteer.corpora";
/** What a server announces that has a registry. */
const LIST = "gazetteer.corpus.list";
const ICONS: Readonly<Record<Row["kind"], string>> = {
  own: "root-folder",
  attached: "plug",
  registered: "library",
  broken: "warning",
};

export class CorporaView implements vscode.TreeDataProvider<Row>, Attached, vscode.Disposable {
  private readonly changed = new vscode.EventEmitter<undefined>();
  private readonly tree: vscode.TreeView<Row>;
  private readonly listening: vscode.Disposable[];
  private attached = new Set<string>();
  private listing: Listing = NOTHING;
  /** How often the server was asked for it, and which time gave this one. */
  private asked = 0;
  private taken = 0;

  readonly onDidChangeTreeData = this.changed.event;

  constructor(
    private readonly server: Supervisor,
    private readonly status: StatusItem,
  ) {
    this.tree = vscode.window.createTreeView(VIEW, { treeDataProvider: this });
    this.listening = [
      server.onDidChange(({ phase }) => {
        if (phase === "running") {
          void this.refresh();
        }
      }),
      server.onFolderStatus((status) => {
        if (isOwn(status)) {
          this.changed.fire(undefined);
        } else {
          void this.refresh(); // what the list says of it, that it is not indexed yet, is true no more
        }
      }),
    ];
  }

  /** Names of the corpora that questions of this session go to too. */
  get names(): readonly string[] {
    return [...this.attached].sort();
  }

  /** Whether the server keeps a registry. */
  get served(): boolean {
    return this.server.announced.commands.includes(LIST);
  }

  get shown(): readonly Row[] {
    return rows(this.status.states, this.listing, this.names);
  }

  /** Ask the server for its list. */
  async refresh(): Promise<void> {
    await vscode.commands.executeCommand("setContext", "gazetteer.hasRegistry", this.served);
    const turn = ++this.asked;
    const listing = this.served ? await this.server.request<Listing>("gazetteer/corpus.list", {}) : NOTHING;
    if (turn < this.taken) {
      return; // what was asked later was answered earlier
    }
    this.taken = turn;
    this.listing = listing;
    this.status.keep(new Set(this.listing.corpora.map(({ name }) => name)));
    this.tree.message = (this.listing.notices ?? []).map(plain).join(" ");
    this.changed.fire(undefined);
  }

  /** Go to the view, with the keys at its first row. */
  async show(): Promise<void> {
    const drawn = this.tree.visible;
    await vscode.commands.executeCommand(`${VIEW}.focus`);
    const [first] = this.shown;
    if (!drawn && first !== undefined) {
      this.changed.fire(undefined); // the rows of a view that is made now come some time later; this is waited for
      await this.tree.reveal(first, { select: false, focus: true }).then(undefined, () => undefined);
    }
  }

  /** Register a folder: the given one, else one that is chosen now. */
  async add(folder?: vscode.Uri): Promise<void> {
    if (!this.has()) {
      return;
    }
    const chosen = folder ?? (await chooseFolder());
    if (chosen !== undefined) {
      await this.server.request("gazetteer/corpus.add", { path: chosen.fsPath });
      await this.refresh();
    }
  }

  /** Take a corpus out of the registry; its files stay. */
  async remove(row?: Row | typeof FOCUSED): Promise<void> {
    const given = row === FOCUSED ? await focused(this.tree) : row;
    const chosen = given ?? (await this.choose("Remove which corpus?", ["registered", "attached", "broken"]));
    if (chosen === undefined) {
      return;
    }
    if (chosen.kind === "own") {
      const name = plain(chosen.name);
      void vscode.window.showInformationMessage(`Gazetteer: ${name} is a folder of this window, which stays indexed.`);
      return;
    }
    const yes = "Remove";
    const detail = "Its index goes; its files stay as they are.";
    const question = `Remove the corpus ${plain(chosen.name)}?`;
    if ((await vscode.window.showWarningMessage(question, { modal: true, detail }, yes)) === yes) {
      await this.server.request("gazetteer/corpus.remove", { name: chosen.name });
      this.attached.delete(chosen.name);
      await this.refresh();
    }
  }

  /** Let the questions of this session go to a corpus too. */
  async attach(row?: Row): Promise<void> {
    const chosen = row ?? (await this.choose("Attach which corpus?", ["registered"]));
    if (chosen !== undefined) {
      this.attached.add(chosen.name);
      this.changed.fire(undefined);
    }
  }

  async detach(row?: Row): Promise<void> {
    const chosen = row ?? (await this.choose("Detach which corpus?", ["attached"]));
    if (chosen !== undefined) {
      this.attached.delete(chosen.name);
      this.changed.fire(undefined);
    }
  }

  getChildren(row?: Row): Row[] {
    return row === undefined ? [...this.shown] : [];
  }

  /** No row is below another one; without saying so, none can be gone to. */
  getParent(): undefined {
    return undefined;
  }

  getTreeItem(row: Row): vscode.TreeItem {
    const item = new vscode.TreeItem(plain(row.name));
    item.description = plain(row.detail);
    item.tooltip = `${plain(row.name)}\n${plain(row.detail)}`;
    item.iconPath = new vscode.ThemeIcon(ICONS[row.kind]);
    item.contextValue = row.kind;
    item.accessibilityInformation = { label: `${plain(row.name)}, ${row.kind}, ${plain(row.detail)}` };
    return item;
  }

  dispose(): void {
    this.attached = new Set();
    for (const one of [...this.listening, this.tree, this.changed]) {
      one.dispose();
    }
  }

  private has(): boolean {
    if (!this.served) {
      const version = this.server.announced.version || "that is not running";
      void vscode.window.showWarningMessage(
        `Gazetteer: the server ${version} keeps no registry of corpora; update it to add folders that are not open.`,
      );
    }
    return this.served;
  }

  private async choose(placeHolder: string, kinds: readonly Row["kind"][]): Promise<Row | undefined> {
    const offered = this.shown.filter((row) => kinds.includes(row.kind));
    if (!offered.length) {
      void vscode.window.showInformationMessage("Gazetteer: there is no such corpus; add a folder first.");
      return undefined;
    }
    const items = offered.map((row) => ({ label: plain(row.name), description: plain(row.detail), row }));
    return (await vscode.window.showQuickPick(items, { placeHolder }))?.row;
  }
}

async function chooseFolder(): Promise<vscode.Uri | undefined> {
  const chosen = await vscode.window.showOpenDialog({
    canSelectFolders: true,
    canSelectFiles: false,
    title: "Add Folder as a Corpus",
    openLabel: "Add",
  });
  return chosen?.[0];
}
