/** What can be done with a node of the results: go there, show more, follow, cite, copy. */

import * as vscode from "vscode";
import { quote } from "../evidence";
import { open, type Target } from "../places";
import type { Hit } from "../protocol";
import type { Questions } from "../questions";
import { plain } from "../ask/wording";
import { hitsOf, type Node } from "./model";
import type { ResultsView } from "./view";

/** Lines that "show more" adds before and after. */
const STEP = 10;
const MOST = 200;

export class ResultActions {
  constructor(
    private readonly view: ResultsView,
    private readonly questions: Questions,
  ) {}

  async open(node?: Node, column?: vscode.ViewColumn): Promise<void> {
    const target = targetOf(node ?? this.view.selected);
    if (target !== undefined) {
      await open(target, column === undefined ? {} : { viewColumn: column });
    }
  }

  async expand(node?: Node): Promise<void> {
    const at = node ?? this.view.selected;
    const hit = this.hit(at);
    if (at === undefined || hit === undefined) {
      return;
    }
    const shown = this.view.around(hit.locator);
    const before = Math.min(MOST, (shown === undefined ? 0 : shown.lines[0] - shown.textLines[0]) + STEP);
    const after = Math.min(MOST, (shown === undefined ? 0 : shown.textLines[1] - shown.lines[1]) + STEP);
    const expansion = await this.questions.expand(hit, { before, after });
    if (expansion.state === "gone") {
      void vscode.window.showWarningMessage(`Gazetteer: ${plain(expansion.reason)}`);
    } else {
      this.view.expand(at, expansion);
    }
  }

  async related(node?: Node): Promise<void> {
    const hit = this.hit(node);
    if (hit !== undefined) {
      const ask = (token?: vscode.CancellationToken): ReturnType<Questions["related"]> =>
        this.questions.related(hit, token);
      await this.view.show(`related to ${hit.citation}`, await ask(), ask);
    }
  }

  async copyCitation(node?: Node): Promise<void> {
    const hits = this.hits(node);
    if (hits.length) {
      await copy(hits.map(({ citation }) => plain(citation)).join("\n"), "The citation is in the clipboard.");
    }
  }

  /** Write the citation where the cursor stands. */
  async insertCitation(node?: Node): Promise<void> {
    const hit = this.hit(node);
    const editor = vscode.window.activeTextEditor ?? vscode.window.visibleTextEditors[0];
    if (hit === undefined) {
      return;
    }
    if (editor === undefined) {
      void vscode.window.showWarningMessage("Gazetteer: open the document that the citation is to be written into.");
      return;
    }
    await editor.edit((edit) => {
      for (const selection of editor.selections) {
        edit.replace(selection, plain(hit.citation));
      }
    });
    await vscode.window.showTextDocument(editor.document, {
      viewColumn: editor.viewColumn ?? vscode.ViewColumn.Active,
    });
  }

  /** Copy the evidence of a node, or of all results. */
  async copyEvidence(node?: Node): Promise<void> {
    const results = this.view.current;
    const chosen = this.hits(node);
    const hits = chosen.length ? chosen : (results?.answer.hits ?? []);
    if (results !== undefined && hits.length) {
      await copy(quote(results.title, hits), "The evidence is in the clipboard.");
    }
  }

  private hits(node?: Node): readonly Hit[] {
    const at = node ?? this.view.selected;
    return at === undefined ? [] : hitsOf(at);
  }

  private hit(node?: Node): Hit | undefined {
    return this.hits(node)[0];
  }
}

/** Put a text into the clipboard and say so where it disturbs nobody. */
export async function copy(text: string, said: string): Promise<void> {
  await vscode.env.clipboard.writeText(text);
  vscode.window.setStatusBarMessage(`$(check) ${said}`, 3_000);
}

/** Where a node leads. */
function targetOf(node: Node | undefined): Target | undefined {
  if (node === undefined) {
    return undefined;
  }
  const hit = hitsOf(node)[0];
  if (hit === undefined) {
    return undefined;
  }
  if (node.kind === "line") {
    const line = node.line.number - 1;
    return { uri: hit.uri, range: { start: { line, character: 0 }, end: { line, character: 0 } } };
  }
  return hit;
}
