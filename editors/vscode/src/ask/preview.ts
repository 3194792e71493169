/** Shows the place of a hit while somebody moves through a list, and puts everything back when nothing is chosen. */

import * as vscode from "vscode";
import { open, rangeOf, type Target } from "../places";

/** How long an entry stays the current one before its place is opened: typing must not wait for editors. */
const REST_MS = 120;

/** Themes of high contrast tell by lines and not by colours; a frame about every line would cover the text. */
const BAR: vscode.DecorationRenderOptions = {
  borderStyle: "solid",
  borderWidth: "0 0 0 4px",
  borderColor: new vscode.ThemeColor("contrastActiveBorder"),
};

export class Preview implements vscode.Disposable {
  private readonly mark = vscode.window.createTextEditorDecorationType({
    backgroundColor: new vscode.ThemeColor("editor.rangeHighlightBackground"),
    isWholeLine: true,
    ...(contrast() ? BAR : {}),
  });
  private readonly before = vscode.window.activeTextEditor;
  private readonly selection = this.before?.selection;
  private readonly seen = this.before?.visibleRanges[0];
  private readonly tabs = new Set(tabs().map(uriOf));
  private readonly opened = new Set<string>();
  private timer: NodeJS.Timeout | undefined;
  private turn: Promise<void> = Promise.resolve();
  private over = false;

  /** Show a place soon, unless another one is to be shown before. */
  soon(target: Target | undefined): void {
    clearTimeout(this.timer);
    if (target !== undefined && !this.over) {
      this.timer = setTimeout(() => {
        this.turn = this.turn.then(() => this.show(target)).catch(() => undefined);
      }, REST_MS);
    }
  }

  /**
   * Nothing was chosen: close what was opened, and go back. `keys`: to the editor, which has lost them with what it
   * showed; the editor gives them back by itself to anything else that had them.
   */
  async back(keys: boolean): Promise<void> {
    await this.end();
    if (this.before !== undefined && !this.before.document.isClosed && this.opened.size) {
      const column = this.before.viewColumn;
      const editor = await vscode.window.showTextDocument(this.before.document, {
        preserveFocus: !keys,
        ...(column === undefined ? {} : { viewColumn: column }),
        ...(this.selection === undefined ? {} : { selection: this.selection }),
      });
      if (this.seen !== undefined) {
        editor.revealRange(this.seen, vscode.TextEditorRevealType.AtTop);
      }
    }
    await this.close(); // last: where the active tab is closed, the keys go somewhere, some time later
  }

  /** Something was chosen, and is open: what else was shown goes. */
  async keep(chosen: string): Promise<void> {
    await this.end();
    await this.close(vscode.Uri.parse(chosen).toString());
  }

  /** Show nothing more. */
  async end(): Promise<void> {
    this.over = true;
    clearTimeout(this.timer);
    await this.turn;
  }

  /** The mark goes last: where it is gone, everything is as it shall be. */
  dispose(): void {
    void this.end().then(() => {
      this.mark.dispose();
    });
  }

  private async show(target: Target): Promise<void> {
    if (this.over) {
      return;
    }
    this.opened.add(vscode.Uri.parse(target.uri).toString());
    const editor = await open(target, { preview: true, preserveFocus: true });
    const range = editor.document.validateRange(rangeOf(target.range));
    editor.setDecorations(this.mark, [range]);
    // the list covers the upper half: the place begins where it ends
    const { start } = editor.selection;
    editor.revealRange(new vscode.Range(start, start), vscode.TextEditorRevealType.InCenter);
  }

  private async close(but?: string): Promise<void> {
    const extra = tabs().filter((tab) => tab.isPreview && uriOf(tab) !== but && this.isNew(uriOf(tab)));
    await vscode.window.tabGroups.close(extra, true);
  }

  private isNew(uri: string | undefined): boolean {
    return uri !== undefined && this.opened.has(uri) && !this.tabs.has(uri);
  }
}

function contrast(): boolean {
  const { HighContrast, HighContrastLight } = vscode.ColorThemeKind;
  return [HighContrast, HighContrastLight].includes(vscode.window.activeColorTheme.kind);
}

function tabs(): vscode.Tab[] {
  return vscode.window.tabGroups.all.flatMap((group) => group.tabs);
}

function uriOf(tab: vscode.Tab): string | undefined {
  return tab.input instanceof vscode.TabInputText ? tab.input.uri.toString() : undefined;
}
