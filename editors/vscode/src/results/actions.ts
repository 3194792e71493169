/** What can be done with a node of the results: go there, show more, follow, cite, copy. */

import * as vscode from "vscode";
import { quote } from "../evidence";
import { FOCUSED } from "../focused";
import { open, type Target } from "../places";
import type { Hit } from "../protocol";
import type { Questions } from "../questions";
import { plain } from "../ask/wording";
import { hitsOf, type Node } from "./model";
import type { ResultsView } from "./view";

/** Lines that "show more" adds before and after. */
const STEP = 10;
const MOST = 200;

/** Which node: a given one, what the keys point at, or else what is selected. */
export type Which = Node | typeof FOCUSED | undefined;

export class ResultActions {
  constructor(
    private readonly view: ResultsView,
    private readonly questions: Questions,
  ) {}

  async open(which?: Which, column?: vscode.ViewColumn): Promise<void> {
    const target = targetOf(await this.at(which));
    if (target !== undefined) {
      await open(target, column === undefined ? {} : { viewColumn: column });
    }
  }

  async expand(which?: Which): Promise<void> {
    const [hit] = await this.hits(which);
    if (hit === undefined) {
      return;
    }
    const shown = this.view.around(hit.locator);
    const before = Math.min(MOST, (shown === undefined ? 0 : shown.lines[0] - shown.textLines[0]) + STEP);
    const after = Math.min(MOST, (shown === undefined ? 0 : shown.textLines[1] - shown.lines[1]) + STEP);
    const expansion = await this.questions.expand(hit, { before, after });
    if (expansion.state === "gone") {
      void vscode.window.showWarningMessage(`Gazetteer: ${plain(expansion.reason)}`);
    } else {
      await this.view.expand(hit, expansion);
    }
  }

  async related(which?: Which): Promise<void> {
    const [hit] = await this.hits(which);
    if (hit !== undefined) {
      const ask = (token?: vscode.CancellationToken): ReturnType<Questions["related"]> =>
        this.questions.related(hit, token);
      await this.view.show(`related to ${hit.citation}`, await ask(), ask);
    }
  }

  async copyCitation(which?: Which): Promise<void> {
    const hits = await this.hits(which);
    if (hits.length) {
      await copy(hits.map(({ citation }) => plain(citation)).join("\n"), "The citation is in the clipboard.");
    }
  }

  /** Write the citation where the cursor stands. */
  async insertCitation(which?: Which): Promise<void> {
    const [hit] = await this.hits(which);
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
  async copyEvidence(which?: Which): Promise<void> {
    const results = this.view.current;
    const node = await this.node(which);
    const chosen = node === undefined ? [] : hitsOf(node);
    const hits = chosen.length ? chosen : (results?.answer.hits ?? []);
    if (results !== undefined && hits.length) {
      await copy(quote(results.title, hits), "The evidence is in the clipboard.");
    }
  }

  private async hits(which: Which): Promise<readonly Hit[]> {
    const at = await this.at(which);
    return at === undefined ? [] : hitsOf(at);
  }

  private async node(which: Which): Promise<Node | undefined> {
    return which === FOCUSED ? await this.view.focused() : (which ?? this.view.selected);
  }

  /** The node, when it stands for a hit; else it is said that there is none. */
  private async at(which: Which): Promise<Node | undefined> {
    const node = await this.node(which);
    if (node === undefined || !hitsOf(node).length) {
      void vscode.window.showInformationMessage("Gazetteer: choose a result first; Enter in the results view does so.");
      return undefined;
    }
    return node;
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
