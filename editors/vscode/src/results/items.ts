/** How a node of the results looks in a tree view. Text of a tree is shown as it is and means nothing to the editor. */

import * as vscode from "vscode";
import { ICONS } from "../ask/picker";
import { bestLine, cited, FRESHNESS, plain, signals, why } from "../ask/wording";
import type { Hit } from "../protocol";
import type { Node } from "./model";

const { None, Collapsed, Expanded } = vscode.TreeItemCollapsibleState;

/** The item of a node, without its id. */
export function itemOf(node: Node): vscode.TreeItem {
  switch (node.kind) {
    case "corpus":
      return look(plain(node.name), Expanded, {
        description: `${node.hits.length} found`,
        icon: "library",
        value: "corpus",
      });
    case "document":
      return documentItem(node);
    case "hit":
      return hitItem(node.hit);
    case "line":
      return lineItem(node);
    case "also":
      return look(plain(`${node.place.path}:${node.place.lines[0]}`), None, {
        description: plain(`${node.place.heading}  ${node.place.reason}`),
        icon: "files",
        value: "also",
      });
    case "why":
      return look("Why these results", Collapsed, { icon: "question", value: "why" });
    case "fact":
      return look(node.fact.label, node.fact.below?.length ? Collapsed : None, {
        description: node.fact.detail ?? "",
        tooltip: [node.fact.label, node.fact.detail].filter(Boolean).join("\n"),
        value: "fact",
      });
  }
}

interface Look {
  readonly description?: string;
  readonly tooltip?: string;
  readonly icon?: string;
  readonly value: string;
}

function look(label: string, state: vscode.TreeItemCollapsibleState, about: Look): vscode.TreeItem {
  const item = new vscode.TreeItem(label, state);
  item.description = about.description ?? "";
  item.tooltip = about.tooltip ?? label;
  item.contextValue = about.value;
  if (about.icon !== undefined) {
    item.iconPath = new vscode.ThemeIcon(about.icon);
  }
  return item;
}

function documentItem(node: Extract<Node, { kind: "document" }>): vscode.TreeItem {
  const item = look(plain(node.path), Expanded, { description: `${node.hits.length}`, value: "document" });
  item.resourceUri = vscode.Uri.parse(node.uri);
  item.iconPath = vscode.ThemeIcon.File;
  return item;
}

function hitItem(hit: Hit): vscode.TreeItem {
  const freshness = FRESHNESS[hit.freshness];
  const heading = plain(hit.heading);
  const about = [`line ${cited(hit)}`, why(hit), freshness].filter(Boolean).join("  ·  ");
  const item = look(heading || bestLine(hit), Collapsed, {
    description: about,
    tooltip: [plain(hit.citation), ...signals(hit), freshness].filter(Boolean).join("\n"),
    value: "hit",
  });
  const colour = freshness ? new vscode.ThemeColor("list.warningForeground") : undefined;
  item.iconPath = new vscode.ThemeIcon(ICONS[hit.kind] ?? "symbol-string", colour);
  item.command = going({ kind: "hit", hit });
  item.accessibilityInformation = { label: `${plain(hit.citation)}, ${about}` };
  return item;
}

function lineItem(node: Extract<Node, { kind: "line" }>): vscode.TreeItem {
  const lead = `${node.line.number}  `;
  const label = lead + node.line.text.replaceAll("\t", " ");
  const item = new vscode.TreeItem({
    label,
    highlights: node.line.highlights.map(([from, to]) => [from + lead.length, to + lead.length]),
  });
  item.tooltip = node.line.text;
  item.contextValue = "line";
  item.command = going(node);
  return item;
}

function going(node: Node): vscode.Command {
  return { title: "Open", command: "gazetteer.results.open", arguments: [node] };
}
