/** Two folders in one window: one server, each question to the folder of its document. */

import type { Api } from "../../src/extension";
import { assert, extension, file, openAt, ready, runSuite, until } from "./bench";
import * as vscode from "vscode";

export const run = (): Promise<void> =>
  runSuite(() => {
    let api: Api;
    before(async () => {
      api = await extension();
      assert.equal(vscode.workspace.workspaceFolders?.length, 2, "the window opened without its folders");
      await until("both folders say how they are", () => api.parts.status.states.length === 2);
      await ready(api);
    });

    it("asks the folder of the active document", async () => {
      await openAt("shop/cart.py");
      const first = await api.parts.questions.retrieve({ query: "price of one article" });
      assert.equal(first.hits[0]?.relpath, "shop/prices.py");
      await vscode.window.showTextDocument(file("ferry.py", 1));
      const second = await api.parts.questions.retrieve({ query: "ferry harbour" });
      assert.equal(second.hits[0]?.relpath, "ferry.py");
    });
  });
