/** Answers that are read instead of picked: documents that nobody can change and that are never written anywhere. */

import * as vscode from "vscode";

const SCHEME = "gazetteer";
const KEPT = 20;

export class Documents implements vscode.TextDocumentContentProvider, vscode.Disposable {
  private readonly texts = new Map<string, string>();
  private readonly registered = vscode.workspace.registerTextDocumentContentProvider(SCHEME, this);
  private count = 0;

  provideTextDocumentContent(uri: vscode.Uri): string {
    return this.texts.get(uri.toString()) ?? "This answer is not kept any more; ask again.\n";
  }

  /** Show a text under a title. */
  async show(title: string, text: string): Promise<void> {
    const name = title.replace(/[^\w .-]+/g, " ").trim() || "answer";
    const uri = vscode.Uri.from({ scheme: SCHEME, path: `/${name}`, query: String(++this.count) });
    this.texts.set(uri.toString(), text);
    for (const old of [...this.texts.keys()].slice(0, -KEPT)) {
      this.texts.delete(old);
    }
    await vscode.window.showTextDocument(uri, { preview: true });
  }

  dispose(): void {
    this.registered.dispose();
  }
}
