/**
 * Inline notes: behind the line of the cursor, what the server knows of the name there, in one line. Off by default. What
 * is shown is the first line of the hover card; nothing is asked while somebody types.
 */

import * as vscode from "vscode";
import { gist } from "./gist";
import type { Supervisor } from "./server/supervisor";
import { SECTION, setting } from "./server/settings";

const REST_MS = 250;

interface Card {
  readonly contents: string | { readonly value: string };
}

export class Notes implements vscode.Disposable {
  private readonly mark = vscode.window.createTextEditorDecorationType({
    after: { color: new vscode.ThemeColor("editorCodeLens.foreground"), margin: "0 0 0 2em" },
    rangeBehavior: vscode.DecorationRangeBehavior.ClosedOpen,
  });
  private readonly listening: vscode.Disposable[];
  private timer: NodeJS.Timeout | undefined;
  private source: vscode.CancellationTokenSource | undefined;
  private note: { readonly line: number; readonly text: string } | undefined;

  constructor(private readonly server: Supervisor) {
    this.listening = [
      vscode.window.onDidChangeTextEditorSelection(({ textEditor }) => {
        this.later(textEditor);
      }),
      vscode.window.onDidChangeActiveTextEditor((editor) => {
        this.later(editor);
      }),
      vscode.workspace.onDidChangeTextDocument(({ document }) => {
        if (document === vscode.window.activeTextEditor?.document) {
          this.clear();
        }
      }),
      vscode.workspace.onDidChangeConfiguration((event) => {
        if (event.affectsConfiguration(`${SECTION}.notes.enable`)) {
          this.later(vscode.window.activeTextEditor);
        }
      }),
    ];
  }

  get enabled(): boolean {
    return setting("notes.enable", false);
  }

  /** The note that stands now. */
  get current(): { readonly line: number; readonly text: string } | undefined {
    return this.note;
  }

  async toggle(): Promise<void> {
    const configuration = vscode.workspace.getConfiguration(SECTION);
    await configuration.update("notes.enable", !this.enabled, vscode.ConfigurationTarget.Global);
  }

  dispose(): void {
    this.clear();
    for (const one of [...this.listening, this.mark]) {
      one.dispose();
    }
  }

  private later(editor: vscode.TextEditor | undefined): void {
    this.clear();
    if (editor?.document.uri.scheme === "file" && this.enabled && this.server.state.phase === "running") {
      this.timer = setTimeout(() => void this.show(editor), REST_MS);
    }
  }

  private clear(): void {
    clearTimeout(this.timer);
    this.source?.cancel();
    this.source = undefined;
    this.note = undefined;
    for (const editor of vscode.window.visibleTextEditors) {
      editor.setDecorations(this.mark, []);
    }
  }

  private async show(editor: vscode.TextEditor): Promise<void> {
    const { document, selection } = editor;
    const { line, character } = selection.active;
    const source = new vscode.CancellationTokenSource();
    this.source = source;
    const params = { textDocument: { uri: document.uri.toString() }, position: { line, character } };
    const card = await this.server
      .request<Card | null>("textDocument/hover", params, source.token)
      .catch(() => undefined); // a note is an extra; what is wrong is said where somebody asks
    const text = card ? gist(card.contents) : "";
    if (text && !source.token.isCancellationRequested) {
      this.note = { line, text };
      const end = document.lineAt(line).range.end;
      editor.setDecorations(this.mark, [
        { range: new vscode.Range(end, end), renderOptions: { after: { contentText: text } } },
      ]);
    }
    source.dispose();
  }
}
