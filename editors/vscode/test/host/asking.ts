/** Ask Corpus: the list that searches while somebody types. */

import * as vscode from "vscode";
import { api, assert, openAt, shows, until } from "./bench";
import { hand, TREE } from "./hand";

export function asking(): void {
  describe("Ask Corpus", () => {
    it("lists places with citation, corpus, reason and excerpt, and jumps", async () => {
      await vscode.commands.executeCommand("gazetteer.ask");
      const asking = await until("the list is open", () => api().commands.asking);
      await asking.type("price of one article");
      await until("its answer", () => asking.answered === "price of one article");
      const [first] = asking.entries;
      assert.match(first?.label ?? "", /price_of/);
      assert.match(first?.description ?? "", /shop\/prices\.py:6 .*shop-\d+ .*lexical/);
      assert.match(first?.detail ?? "", /price/i);
      await asking.accept();
      const editor = await shows("shop/prices.py");
      assert.equal(editor.selection.active.line, 5);
      assert.deepEqual(api().parts.history.questions.slice(0, 1), ["price of one article"]);
    });

    it("cancels the last search and shows the answer to the last question only", async () => {
      await vscode.commands.executeCommand("gazetteer.ask");
      const asking = await until("the list is open", () => api().commands.asking);
      const overtaken = ["r", "re", "ref", "refu", "refun"].map((typed) => asking.type(typed));
      await asking.type("refund damaged");
      await Promise.all(overtaken);
      await until("its answer", () => asking.answered === "refund damaged");
      assert.match(asking.entries[0]?.label ?? "", /Refund of a damaged article/);
    });

    it("filters by corpus, language, path and kind, and says what a filter that makes no sense should be", async () => {
      await vscode.commands.executeCommand("gazetteer.ask");
      const asking = await until("the list is open", () => api().commands.asking);
      const paths = async (typed: string): Promise<readonly string[]> => {
        await asking.type(typed);
        await until("its answer", () => asking.answered === typed);
        return asking.entries.map(({ hit, label }) => hit?.path ?? label);
      };
      assert.deepEqual([...new Set(await paths("article lang:markdown"))], ["docs/returns.md"]);
      assert.deepEqual([...new Set(await paths("article path:shop/p*"))], ["shop/prices.py"]);
      assert.ok((await paths("article kind:class")).includes("shop/cart.py"));
      const [own] = api().parts.corpora.shown;
      assert.ok((await paths(`article corpus:${own?.name}`)).includes("docs/returns.md"));
      await asking.type("article corpus:nowhere");
      await until("a sentence", () => asking.entries[0]?.label.includes("nowhere"));
      await asking.type("article kind:nonsense");
      await until("a sentence", () => asking.entries[0]?.label.includes("kind"));
    });

    it("sees what is typed into an open document and not saved", async () => {
      const editor = await openAt("shop/till.py");
      await editor.edit((edit) => {
        edit.insert(new vscode.Position(0, 0), "def voucher_for(customer):\n    return 'zanzibar'\n\n\n");
      });
      await vscode.commands.executeCommand("gazetteer.ask", "zanzibar");
      const asking = await until("the list is open", () => api().commands.asking);
      const entry = await until("the list has it", () => asking.entries[0]?.hit && asking.entries[0]);
      assert.match(entry.detail ?? "", /zanzibar/);
      assert.match(entry.description ?? "", /unsaved/);
      asking.hide();
    });

    it("previews the place of the current entry, and goes back when nothing is chosen", async () => {
      const editor = await openAt("shop/cart.py", "class Cart");
      await vscode.commands.executeCommand("gazetteer.ask", "fourteen days refunded");
      const asking = await until("the list is open", () => api().commands.asking);
      await until("the place is shown", () => vscode.window.activeTextEditor?.document.uri.path.endsWith("returns.md"));
      asking.hide();
      await until("the editor of before", () => vscode.window.activeTextEditor?.document === editor.document);
      await until("the preview is closed", () =>
        vscode.window.tabGroups.all.flatMap(({ tabs }) => tabs).every(({ label }) => label !== "returns.md"),
      );
    });

    it("opens to the side", async () => {
      await openAt("shop/cart.py");
      await vscode.commands.executeCommand("gazetteer.ask", "fourteen days refunded");
      await until("the list has it", () => api().commands.asking?.entries[0]?.hit);
      await vscode.commands.executeCommand("gazetteer.askedToSide");
      await shows("returns.md", vscode.ViewColumn.Two);
    });

    it("keeps its answer in the results view", async () => {
      await vscode.commands.executeCommand("gazetteer.ask", "fourteen days refunded");
      await until("the list has it", () => api().commands.asking?.answered);
      await vscode.commands.executeCommand("gazetteer.askedToView");
      await until("the view has it", () => api().parts.results.current?.title === "fourteen days refunded");
      await until("the list is closed", () => api().commands.asking === undefined);
      assert.match(await hand.read(TREE, "docs/returns.md"), /returns/);
    });

    it("asks about the name at the cursor, and offers the questions of before", async () => {
      await openAt("shop/till.py", "receipt_for");
      await vscode.commands.executeCommand("gazetteer.askSelection");
      const entry = await until("the list has it", () => api().commands.asking?.entries[0]);
      assert.match(entry.label, /receipt_for/);
      await api().commands.asking?.accept();
      await vscode.commands.executeCommand("gazetteer.ask");
      await until("history", () => api().commands.asking?.entries.some(({ before }) => before === "receipt_for"));
      await vscode.commands.executeCommand("gazetteer.clearHistory");
      assert.deepEqual(api().parts.history.questions, []);
    });

    it("makes no icon of what a text says", async () => {
      await vscode.commands.executeCommand("gazetteer.ask", "trash");
      const entry = await until("the list has it", () => api().commands.asking?.entries.find(({ hit }) => hit));
      assert.match(entry.detail ?? "", /\\\$\(trash\)/);
    });
  });
}
