/** What the keys point at in a tree view. */

import * as vscode from "vscode";

/** What a key gives to a command in place of a node. */
export const FOCUSED = "focused";

/**
 * What the keys point at, while they go to this view. The editor tells the selection only, which moving by keys does not
 * change: so it is changed and changed back, and what makes the difference is it.
 */
export async function focused<Node>(tree: vscode.TreeView<Node>): Promise<Node | undefined> {
  const before = tree.selection;
  await vscode.commands.executeCommand("list.toggleSelection");
  const after = tree.selection;
  await vscode.commands.executeCommand("list.toggleSelection");
  return after.find((node) => !before.includes(node)) ?? before.find((node) => !after.includes(node)) ?? before[0];
}
