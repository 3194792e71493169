/** The tools for the agent mode of the editor: what they give, within which bounds, and that they say what it is. */

import * as vscode from "vscode";
import { api, assert, file, openAt, until } from "./bench";

export function agents(): void {
  describe("tools for agents", () => {
    const invoke = async (name: string, input: object): Promise<string> => {
      const result = await vscode.lm.invokeTool(name, { input, toolInvocationToken: undefined });
      return result.content.map((part) => (part instanceof vscode.LanguageModelTextPart ? part.value : "")).join("");
    };

    it("retrieve, expand and symbols give marked evidence within the budget", async () => {
      const text = await invoke("gazetteer_retrieve", { query: "fourteen days refunded" });
      assert.match(text, /untrusted data[^]*docs\/returns\.md § Refund of a damaged article/);
      assert.ok(text.length <= 10_000);
      const locator = /^locator: (\S+)$/m.exec(text)?.[1];
      assert.ok(locator);
      const around = await invoke("gazetteer_expand", { locator, before: 3 });
      assert.match(around, /State: same[^]*untrusted data[^]*# Returns/);
      const defined = await invoke("gazetteer_symbols", { name: "price_of" });
      assert.match(defined, /untrusted data[^]*shop\/prices\.py § price_of/);
    });

    it("retrieve takes filters and a limit, reads none out of the words, and sees what is not saved", async () => {
      const narrow = await invoke("gazetteer_retrieve", { query: "article", lang: ["markdown"], limit: 1 });
      assert.match(narrow, /^\[1\] docs\/returns\.md/m);
      assert.doesNotMatch(narrow, /^\[2\]|\.py/m);
      assert.match(await invoke("gazetteer_retrieve", { query: "article", path: ["shop/p*"] }), /prices\.py/);
      assert.match(await invoke("gazetteer_retrieve", { query: "article", kind: ["class"] }), /shop\/cart\.py § Cart/);
      assert.match(await invoke("gazetteer_retrieve", { query: "price_of lang:markdown" }), /prices\.py/);
      const editor = await openAt("shop/till.py");
      await editor.edit((edit) => {
        edit.insert(new vscode.Position(0, 0), "# quokka\n");
      });
      assert.match(await invoke("gazetteer_retrieve", { query: "quokka" }), /\(unsaved text of an editor\)/);
    });

    it("stay within the budget over a text that is longer than it, and say that it is cut", async () => {
      const long = file("docs/long.md");
      await vscode.workspace.fs.writeFile(long, Buffer.from("# Long\n\n" + "okapi in the forest; ".repeat(2_000)));
      await vscode.commands.executeCommand("gazetteer.syncIndex");
      const text = await until("it is found", async () => {
        const given = await invoke("gazetteer_retrieve", { query: "okapi forest", limit: 20 });
        return given.includes("docs/long.md") && given;
      });
      assert.ok(text.length <= 10_000, String(text.length));
      const locator = /^locator: (\S+)$/m.exec(text)?.[1];
      const around = await invoke("gazetteer_expand", { locator, before: 200, after: 200 });
      assert.ok(around.length <= 10_000, String(around.length));
      await vscode.workspace.fs.delete(long);
      await vscode.commands.executeCommand("gazetteer.syncIndex");
      assert.match(await invoke("gazetteer_expand", { locator }), /^State: gone/);
    });

    it("are told apart from what cannot be answered: a sentence says what is wrong", async () => {
      await assert.rejects(invoke("gazetteer_expand", { locator: "nonsense" }), /locator/);
    });

    it("are those that are registered with the editor", () => {
      const names = vscode.lm.tools.map(({ name }) => name).filter((name) => name.startsWith("gazetteer_"));
      assert.deepEqual(names.sort(), ["gazetteer_expand", "gazetteer_retrieve", "gazetteer_symbols"]);
      assert.ok(api().parts.server.announced.version);
    });
  });
}
