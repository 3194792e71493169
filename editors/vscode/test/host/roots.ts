/** Several folders in one window: one server, each question to the folder of its document, and the settings of that one. */

import * as vscode from "vscode";
import { api, assert, extension, file, found, openAt, ready, runSuite, shows, until } from "./bench";
import { hand, TOAST } from "./hand";

export const run = (): Promise<void> =>
  runSuite(() => {
    before(async () => {
      await extension();
      assert.equal(vscode.workspace.workspaceFolders?.length, 2, "the window opened without its folders");
      await until("both folders say how they are", () => api().parts.status.states.length === 2);
      await ready(api());
    });

    const openFerry = (): Thenable<vscode.TextEditor> => vscode.window.showTextDocument(file("ferry.py", 1));

    it("asks the folder of the active document", async () => {
      await openAt("shop/cart.py");
      const first = await api().parts.questions.retrieve({ query: "price of one article" });
      assert.equal(first.hits[0]?.relpath, "shop/prices.py");
      await openFerry();
      const second = await api().parts.questions.retrieve({ query: "ferry harbour" });
      assert.equal(second.hits[0]?.relpath, "ferry.py");
    });

    it("asks another folder of the window where a question names it, and all of them where it says so", async () => {
      await openAt("shop/cart.py");
      const asked = async (query: string): Promise<readonly string[]> => {
        const { hits, receipt } = await api().parts.questions.retrieve({ query, typed: true });
        assert.deepEqual(receipt.notices, []);
        return [...new Set(hits.map(({ corpus }) => corpus))].sort();
      };
      const [shop = "", second = ""] = api().parts.corpora.shown.map(({ name }) => name);
      assert.deepEqual(await asked("ferry price"), [shop]);
      assert.deepEqual(await asked(`ferry price corpus:${second}`), [second]);
      for (const words of [`with:${second}`, "corpus:all", `corpus:${shop},${second}`]) {
        assert.deepEqual(await asked(`ferry price ${words}`), [second, shop].sort(), words);
      }
      assert.deepEqual(await asked(`ferry price corpus:all without:${second}`), [shop]);
    });

    it("goes on asking the folder that it was opened in, whatever is previewed meanwhile", async () => {
      const [, second = ""] = api().parts.corpora.shown.map(({ name }) => name);
      await openAt("shop/cart.py");
      await vscode.commands.executeCommand("gazetteer.ask");
      const asking = await until("the list is open", () => api().commands.asking);
      await asking.type(`timetable corpus:${second}`);
      await until("it is previewed", () => vscode.window.activeTextEditor?.document.uri.path.endsWith("ferry.py"));
      await asking.type("price of one article");
      await until("its answer", () => asking.answered === "price of one article");
      assert.equal(asking.entries[0]?.hit?.path, "shop/prices.py");
      await asking.keep();
      await openFerry();
      await vscode.commands.executeCommand("gazetteer.results.refresh");
      assert.equal(api().parts.results.current?.answer.hits[0]?.path, "shop/prices.py");
    });

    it("shows as many places as the setting of that folder says", async () => {
      const limit = async (folder: number, value?: number): Promise<void> => {
        const settings = vscode.workspace.getConfiguration("gazetteer", file("", folder));
        await settings.update("ask.limit", value, vscode.ConfigurationTarget.WorkspaceFolder);
      };
      await openAt("shop/cart.py");
      const shown = async (): Promise<number> => (await found("article price cart receipt")).length;
      await limit(1, 1);
      assert.ok((await shown()) > 1);
      await limit(0, 1);
      assert.equal(await shown(), 1);
      await limit(0);
      await limit(1);
    });

    it("makes an orientation map of that folder, after asking", async () => {
      await openFerry();
      const asked = vscode.commands.executeCommand("gazetteer.openMap");
      await hand.read(TOAST, "There is no orientation map");
      await hand.click(`${TOAST} .monaco-button`, "Create It");
      await asked;
      const { document } = await shows(".knowledge/orientation.md");
      assert.equal(vscode.workspace.getWorkspaceFolder(document.uri)?.index, 1);
    });

    it("serves a folder that is added, and forgets one that is taken away", async () => {
      const third = vscode.Uri.joinPath(file("", 1), "../third");
      await vscode.workspace.fs.writeFile(
        vscode.Uri.joinPath(third, "train.py"),
        Buffer.from("def departure(): ...\n"),
      );
      const states = (): readonly string[] => api().parts.status.states.map(({ root }) => root);
      assert.ok(vscode.workspace.updateWorkspaceFolders(2, 0, { uri: third }));
      await until("it is there", () => states().length === 3);
      await ready(api());
      await vscode.window.showTextDocument(vscode.Uri.joinPath(third, "train.py"));
      assert.ok((await found("departure")).some((path) => path.endsWith("train.py")));
      assert.ok(vscode.workspace.updateWorkspaceFolders(2, 1));
      await until("it is gone", () => states().length === 2);
      assert.ok(!(await found("departure")).some((path) => path.endsWith("train.py")));
    });
  });
