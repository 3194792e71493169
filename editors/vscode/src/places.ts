/** From a hit to a place in an editor, and from the editor to where a question is asked from. */

import * as vscode from "vscode";
import type { Range } from "./protocol";
import { setting } from "./server/settings";

/** Something that can be gone to. */
export interface Target {
  readonly uri: string;
  readonly range: Range;
  /** Where the cursor stands then; the beginning of the range where it is not said. */
  readonly selectionRange?: Range;
}

export function rangeOf({ start, end }: Range): vscode.Range {
  return new vscode.Range(start.line, start.character, end.line, end.character);
}

/** Open a place; the cursor stands where it is said to, else at its beginning. */
export async function open(target: Target, options: vscode.TextDocumentShowOptions = {}): Promise<vscode.TextEditor> {
  const document = await vscode.workspace.openTextDocument(vscode.Uri.parse(target.uri, true));
  const range = document.validateRange(rangeOf(target.selectionRange ?? target.range));
  const editor = await vscode.window.showTextDocument(document, {
    ...options,
    selection: new vscode.Range(range.start, range.start),
  });
  editor.revealRange(range, vscode.TextEditorRevealType.InCenterIfOutsideViewport);
  return editor;
}

/** Whether there is something to ask about: a folder on disk. */
export function hasFolder(): boolean {
  return vscode.workspace.workspaceFolders?.some(({ uri }) => uri.scheme === "file") ?? false;
}

/** Where a question comes from: the document of the active editor, else the first folder. */
export function asking(): { readonly uri: string } | { readonly root: string } | Record<string, never> {
  const document = vscode.window.activeTextEditor?.document;
  if (document?.uri.scheme === "file" && vscode.workspace.getWorkspaceFolder(document.uri) !== undefined) {
    return { uri: document.uri.toString() };
  }
  const folder = vscode.workspace.workspaceFolders?.find(({ uri }) => uri.scheme === "file");
  // a question that names a folder does not go to the corpus that is set instead of it
  return folder === undefined || setting("corpus", "") ? {} : { root: folder.uri.toString() };
}

/** The selected text, else the name at the cursor, as one line. */
export function pointedAt(editor: vscode.TextEditor | undefined): string {
  if (editor === undefined) {
    return "";
  }
  const { document, selection } = editor;
  const range = selection.isEmpty ? document.getWordRangeAtPosition(selection.active) : selection;
  return range === undefined ? "" : document.getText(range).split(/\s+/).join(" ").trim().slice(0, 1_000);
}
