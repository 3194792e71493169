/** The item in the status bar: what `state` says, and a menu behind it. An error of a folder is said once. */

import * as vscode from "vscode";
import type { FolderStatus } from "../protocol";
import type { Supervisor } from "../server/supervisor";
import { alarm, isOwn, nameOf, show, type Severity, type Shown } from "./state";

const COLOURS: Readonly<Record<Severity, vscode.ThemeColor | undefined>> = {
  none: undefined,
  warning: new vscode.ThemeColor("statusBarItem.warningBackground"),
  error: new vscode.ThemeColor("statusBarItem.errorBackground"),
};

export class StatusItem implements vscode.Disposable {
  private readonly item = vscode.window.createStatusBarItem("gazetteer.status", vscode.StatusBarAlignment.Left, 0);
  private readonly folders = new Map<string, FolderStatus>();
  private readonly said = new Set<string>();
  private readonly listening: vscode.Disposable[];
  private now: Shown | undefined;

  constructor(private readonly server: Supervisor) {
    this.item.name = "Gazetteer: state of the index";
    this.item.command = "gazetteer.showMenu";
    this.listening = [
      server.onDidChange(({ phase }) => {
        if (phase !== "running") {
          this.folders.clear(); // what a server said counts as long as it runs
        }
        void vscode.commands.executeCommand("setContext", "gazetteer.running", phase === "running");
        void vscode.commands.executeCommand("setContext", "gazetteer.hasSemantic", server.announced.semantic);
        this.update();
      }),
      server.onFolderStatus((status) => {
        this.take(status);
      }),
      vscode.workspace.onDidChangeWorkspaceFolders((event) => {
        for (const folder of event.removed) {
          this.folders.delete(folder.uri.toString());
        }
        this.update();
      }),
    ];
    this.update();
  }

  /** What is shown now; undefined when nothing is. */
  get shown(): Shown | undefined {
    return this.now;
  }

  /** The states of all folders. */
  get states(): readonly FolderStatus[] {
    return [...this.folders.values()];
  }

  /** Of corpora that are not folders of the window, keep these: what a server said of one that was removed is over. */
  keep(names: ReadonlySet<string>): void {
    for (const [root, status] of this.folders) {
      if (!isOwn(status) && !names.has(nameOf(status))) {
        this.folders.delete(root);
      }
    }
    this.update();
  }

  dispose(): void {
    for (const one of [...this.listening, this.item]) {
      one.dispose();
    }
  }

  private take(status: FolderStatus): void {
    this.folders.set(status.root, status);
    this.update();
    const words = alarm(status);
    if (words !== undefined && !this.said.has(words)) {
      this.said.add(words);
      const logs = "Show Logs";
      void vscode.window.showErrorMessage(`Gazetteer: ${words}`, logs).then((choice) => {
        if (choice === logs) {
          void vscode.commands.executeCommand("gazetteer.showLogs");
        }
      });
    }
  }

  private update(): void {
    this.now = show(this.server.state, this.states);
    if (this.now === undefined) {
      this.item.hide();
      return;
    }
    this.item.text = this.now.text;
    this.item.tooltip = this.now.tooltip;
    this.item.backgroundColor = COLOURS[this.now.severity];
    this.item.accessibilityInformation = { label: this.now.spoken, role: "button" };
    this.item.show();
  }
}
