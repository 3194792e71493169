/** The results view: what is in it, and what can be done with it. */

import * as vscode from "vscode";
import type { Node } from "../../src/results/model";
import { api, assert, openAt, shows, until } from "./bench";
import { hand, TOAST } from "./hand";

/** Keep the answer to a question in the view. */
export async function fill(question: string): Promise<void> {
  await vscode.commands.executeCommand("gazetteer.ask", question);
  await until("the list has an answer", () => api().commands.asking?.answered === question);
  await vscode.commands.executeCommand("gazetteer.askedToView");
  await until("the view has it", () => api().parts.results.current?.title === question);
}

export function results(): void {
  describe("results view", () => {
    const hitNode = (): Extract<Node, { kind: "hit" }> => {
      const hit = api().parts.results.current?.answer.hits[0];
      assert.ok(hit);
      return { kind: "hit", hit };
    };

    it("groups by document, shows lines with what matched, and why", async () => {
      await fill("price of one article");
      const { results } = api().parts;
      const top = results.getChildren();
      assert.ok(top.some((node) => node.kind === "document" && node.path === "shop/prices.py"));
      assert.equal(top.at(-1)?.kind, "why");
      const facts = results.getChildren(top.at(-1)).map((node) => results.getTreeItem(node).label);
      assert.ok(facts.includes("Corpora") && facts.includes("Freshness") && facts.includes("Left out"));
      const lines = results.getChildren(hitNode()).filter(({ kind }) => kind === "line");
      assert.ok(lines.some((node) => (results.getTreeItem(node).label as vscode.TreeItemLabel).highlights?.length));
    });

    it("opens, expands, follows, goes back, asks again, clears", async () => {
      await fill("price of one article");
      await vscode.commands.executeCommand("gazetteer.results.open", hitNode());
      await shows("prices.py");
      await vscode.commands.executeCommand("gazetteer.results.openToSide", hitNode());
      await shows("prices.py", vscode.ViewColumn.Two);
      const line = api()
        .parts.results.getChildren(hitNode())
        .find((node) => node.kind === "line" && node.line.number === 7);
      await vscode.commands.executeCommand("gazetteer.results.open", line);
      await until("the cursor is in its line", () => vscode.window.activeTextEditor?.selection.active.line === 6);
      const { hit } = hitNode();
      const passage = { ...hit, range: { ...hit.range, start: { line: 0, character: 0 } } };
      await vscode.commands.executeCommand("gazetteer.results.open", { kind: "hit", hit: passage });
      await until("it is in the line that the citation names", () => {
        return vscode.window.activeTextEditor?.selection.active.line === 5;
      });
      const before = api().parts.results.getChildren(hitNode()).length;
      await vscode.commands.executeCommand("gazetteer.results.expand", hitNode());
      assert.ok(api().parts.results.getChildren(hitNode()).length > before);
      await vscode.commands.executeCommand("gazetteer.results.related", hitNode());
      assert.match(api().parts.results.current?.title ?? "", /^related to/);
      await vscode.commands.executeCommand("gazetteer.results.back");
      assert.equal(api().parts.results.current?.title, "price of one article");
      await vscode.commands.executeCommand("gazetteer.results.refresh");
      assert.equal(api().parts.results.current?.title, "price of one article");
      await vscode.commands.executeCommand("gazetteer.results.clear");
      assert.equal(api().parts.results.current, undefined);
    });

    it("copies and inserts citations, and copies evidence that is marked", async () => {
      await fill("price of one article");
      await vscode.commands.executeCommand("gazetteer.results.copyCitation", hitNode());
      assert.equal(await vscode.env.clipboard.readText(), "shop/prices.py § price_of (Line 6)");
      const editor = await openAt("docs/returns.md");
      await vscode.commands.executeCommand("gazetteer.results.insertCitation", hitNode());
      assert.equal(editor.document.lineAt(0).text, "shop/prices.py § price_of (Line 6)# Returns");
      await vscode.commands.executeCommand("gazetteer.results.copyEvidence");
      assert.match(
        await vscode.env.clipboard.readText(),
        /untrusted data[^]*BEGIN QUOTED ([0-9a-f]{32})[^]*END QUOTED \1/,
      );
    });

    it("marks what is not saved, when it is asked again", async () => {
      await fill("receipt with the total of a cart");
      const editor = await openAt("shop/till.py");
      await editor.edit((edit) => {
        edit.insert(new vscode.Position(0, 0), "# the receipt is printed\n");
      });
      const said = (): string => {
        const hits = api().parts.results.current?.answer.hits ?? [];
        const hit = hits.find(({ path }) => path === "shop/till.py");
        assert.ok(hit);
        return String(api().parts.results.getTreeItem({ kind: "hit", hit }).description);
      };
      assert.doesNotMatch(said(), /unsaved/);
      await vscode.commands.executeCommand("gazetteer.results.refresh");
      assert.match(said(), /line \d+ .* unsaved/);
      await vscode.commands.executeCommand("workbench.action.files.revert");
      await vscode.commands.executeCommand("gazetteer.results.refresh");
      assert.doesNotMatch(said(), /unsaved/);
    });

    it("says what is missing for a citation: a document to write it into", async () => {
      await fill("price of one article");
      await vscode.commands.executeCommand("workbench.action.closeAllEditors");
      await vscode.commands.executeCommand("gazetteer.results.insertCitation", hitNode());
      await hand.read(TOAST, "open the document that the citation is to be written into");
    });

    it("invites to ask while it is empty", async () => {
      await vscode.commands.executeCommand("gazetteer.results.clear");
      await vscode.commands.executeCommand("gazetteer.results.focus");
      await hand.read(".welcome-view-content", "Nothing has been asked yet");
      await hand.click(".welcome-view-content .monaco-button", "Ask Corpus");
      await until("the list is open", () => api().commands.asking);
    });
  });
}
