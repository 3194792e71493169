/** The extension in a trusted window with one folder: what it shows is what the server says. */

import * as os from "node:os";
import * as path from "node:path";
import * as vscode from "vscode";
import type { Row } from "../../src/corpora/listing";
import type { Api } from "../../src/extension";
import type { Node } from "../../src/results/model";
import { serverSettings } from "../../src/server/settings";
import { assert, extension, failed, file, openAt, ready, runSuite, shows, until } from "./bench";

export const run = (): Promise<void> =>
  runSuite(() => {
    let api: Api;
    before(async () => {
      api = await extension();
      await ready(api);
    });
    afterEach(async () => {
      api.commands.asking?.hide();
      await vscode.commands.executeCommand("workbench.action.revertAndCloseActiveEditor");
      await vscode.commands.executeCommand("workbench.action.closeAllEditors");
      assert.deepEqual(failed(), []);
    });

    describe("commands", () => {
      it("are all registered, and none is one that the server announces", async () => {
        const registered = await vscode.commands.getCommands(true);
        const own = Object.keys(api.commands.table());
        assert.deepEqual(
          own.filter((name) => !registered.includes(name)),
          [],
        );
        assert.deepEqual(
          own.filter((name) => api.parts.server.announced.commands.includes(name)),
          [],
        );
      });
    });

    describe("Ask Corpus", () => {
      it("lists places with citation, corpus, reason and excerpt, and jumps", async () => {
        await vscode.commands.executeCommand("gazetteer.ask");
        const asking = await until("the list is open", () => api.commands.asking);
        await asking.type("price of one article");
        await until("its answer", () => asking.answered === "price of one article");
        const [first] = asking.entries;
        assert.match(first?.label ?? "", /price_of/);
        assert.match(first?.description ?? "", /shop\/prices\.py:6 .*shop-\d+ .*lexical/);
        assert.match(first?.detail ?? "", /price/i);
        await asking.accept();
        const editor = await shows("shop/prices.py");
        assert.equal(editor.selection.active.line, 5);
        assert.deepEqual(api.parts.history.questions.slice(0, 1), ["price of one article"]);
      });

      it("cancels the last search and shows the answer to the last question only", async () => {
        await vscode.commands.executeCommand("gazetteer.ask");
        const asking = await until("the list is open", () => api.commands.asking);
        const overtaken = ["r", "re", "ref", "refu", "refun"].map((typed) => asking.type(typed));
        await asking.type("refund damaged");
        await Promise.all(overtaken);
        await until("its answer", () => asking.answered === "refund damaged");
        assert.match(asking.entries[0]?.label ?? "", /Refund of a damaged article/);
      });

      it("filters by language, path and kind, and says what a filter that makes no sense should be", async () => {
        await vscode.commands.executeCommand("gazetteer.ask");
        const asking = await until("the list is open", () => api.commands.asking);
        const paths = async (typed: string): Promise<readonly string[]> => {
          await asking.type(typed);
          await until("its answer", () => asking.answered === typed);
          return asking.entries.map(({ hit, label }) => hit?.path ?? label);
        };
        assert.deepEqual([...new Set(await paths("article lang:markdown"))], ["docs/returns.md"]);
        assert.deepEqual([...new Set(await paths("article path:shop/p*"))], ["shop/prices.py"]);
        assert.ok((await paths("article kind:class")).includes("shop/cart.py"));
        await asking.type("article kind:nonsense");
        await until("a sentence", () => asking.entries[0]?.label.includes("kind"));
      });

      it("sees what is typed into an open document and not saved", async () => {
        const editor = await openAt("shop/till.py");
        await editor.edit((edit) => {
          edit.insert(new vscode.Position(0, 0), "def voucher_for(customer):\n    return 'zanzibar'\n\n\n");
        });
        await vscode.commands.executeCommand("gazetteer.ask", "zanzibar");
        const asking = await until("the list is open", () => api.commands.asking);
        const entry = await until("the list has it", () => asking.entries[0]?.hit && asking.entries[0]);
        assert.match(entry.detail ?? "", /zanzibar/);
        assert.match(entry.description ?? "", /unsaved/);
        asking.hide();
      });

      it("previews the place of the current entry, and goes back when nothing is chosen", async () => {
        const editor = await openAt("shop/cart.py", "class Cart");
        await vscode.commands.executeCommand("gazetteer.ask", "fourteen days refunded");
        const asking = await until("the list is open", () => api.commands.asking);
        await until("the place is shown", () =>
          vscode.window.activeTextEditor?.document.uri.path.endsWith("returns.md"),
        );
        asking.hide();
        await until("the editor of before", () => vscode.window.activeTextEditor?.document === editor.document);
        await until("the preview is closed", () =>
          vscode.window.tabGroups.all.flatMap(({ tabs }) => tabs).every(({ label }) => label !== "returns.md"),
        );
      });

      it("opens to the side", async () => {
        await openAt("shop/cart.py");
        await vscode.commands.executeCommand("gazetteer.ask", "fourteen days refunded");
        await until("the list has it", () => api.commands.asking?.entries[0]?.hit);
        await vscode.commands.executeCommand("gazetteer.askedToSide");
        await shows("returns.md", vscode.ViewColumn.Two);
      });

      it("asks about the name at the cursor, and offers the questions of before", async () => {
        await openAt("shop/till.py", "receipt_for");
        await vscode.commands.executeCommand("gazetteer.askSelection");
        const entry = await until("the list has it", () => api.commands.asking?.entries[0]);
        assert.match(entry.label, /receipt_for/);
        await api.commands.asking?.accept();
        await vscode.commands.executeCommand("gazetteer.ask");
        await until("history", () => api.commands.asking?.entries.some(({ before }) => before === "receipt_for"));
        await vscode.commands.executeCommand("gazetteer.clearHistory");
        assert.deepEqual(api.parts.history.questions, []);
      });

      it("makes no icon of what a text says", async () => {
        await vscode.commands.executeCommand("gazetteer.ask", "trash");
        const entry = await until("the list has it", () => api.commands.asking?.entries.find(({ hit }) => hit));
        assert.match(entry.detail ?? "", /\\\$\(trash\)/);
      });
    });

    describe("hover, code actions, notes, maps", () => {
      it("shows the server's card with links that open at a line", async () => {
        await openAt("shop/till.py", "total()");
        const card = await until("a card", () => hover("shop/till.py", "total()"));
        assert.match(card, /total/);
        assert.match(card, /file:\/\/\/.*cart\.py#L\d+/);
        assert.doesNotMatch(card, /command:/);
      });

      it("offers actions; what they show is shown in the results view", async () => {
        const editor = await openAt("shop/till.py", "cart.total");
        const at = editor.selection.active;
        const actions = await vscode.commands.executeCommand<vscode.CodeAction[]>(
          "vscode.executeCodeActionProvider",
          editor.document.uri,
          new vscode.Range(at, at.translate(0, 10)),
        );
        const related = actions.find(({ title }) => title === "Show related code");
        assert.ok(related?.command, JSON.stringify(actions.map(({ title }) => title)));
        assert.equal(related.command.command, "gazetteer.view");
        await vscode.commands.executeCommand(related.command.command, ...(related.command.arguments as unknown[]));
        assert.equal(api.parts.results.current?.title, "Show related code");
      });

      it("copies what an action of the server gives", async () => {
        await vscode.commands.executeCommand("gazetteer.copy", { text: "evidence" });
        assert.equal(await vscode.env.clipboard.readText(), "evidence");
      });

      it("shows a note behind the line of the cursor when that is turned on", async () => {
        await vscode.commands.executeCommand("gazetteer.toggleNotes");
        await openAt("shop/till.py", "Cart)");
        const note = await until("a note", () => api.parts.notes.current);
        assert.match(note.text, /^class Cart/);
        await vscode.commands.executeCommand("gazetteer.toggleNotes");
        await until("no note", () => !api.parts.notes.current && !api.parts.notes.enabled);
      });

      it("makes and opens the orientation map", async () => {
        await vscode.commands.executeCommand("gazetteer.createMap");
        await shows(".knowledge/orientation.md");
        await vscode.commands.executeCommand("workbench.action.closeAllEditors");
        await vscode.commands.executeCommand("gazetteer.openMap");
        await shows(".knowledge/orientation.md");
      });

      it("shows what is related to the cursor, and who calls the name there", async () => {
        await openAt("shop/prices.py", "price_of");
        await vscode.commands.executeCommand("gazetteer.relatedHere");
        assert.match(api.parts.results.current?.title ?? "", /^related to line/);
        await openAt("shop/prices.py", "price_of");
        await vscode.commands.executeCommand("gazetteer.callersHere");
        assert.equal(api.parts.results.current?.title, "who calls price_of");
        assert.ok(api.parts.results.current.answer.hits.some(({ path }) => path === "shop/cart.py"));
      });

      it("shows lenses and hints where they are turned on; what a lens leads to is shown in the results view", async () => {
        const configuration = vscode.workspace.getConfiguration("gazetteer");
        const { document } = await openAt("shop/prices.py");
        const lenses = (): Thenable<vscode.CodeLens[]> =>
          vscode.commands.executeCommand("vscode.executeCodeLensProvider", document.uri, 10);
        assert.deepEqual(await lenses(), []);
        await configuration.update("codeLens.enable", true, vscode.ConfigurationTarget.Global);
        const found = await until("a lens", async () => (await lenses()).find(({ command }) => command?.title));
        assert.equal(found.command?.command, "gazetteer.view");
        await vscode.commands.executeCommand(found.command.command, ...(found.command.arguments as unknown[]));
        assert.ok(api.parts.results.current?.answer.hits.length);
        await configuration.update("codeLens.enable", undefined, vscode.ConfigurationTarget.Global);
      });

      it("gives the server every setting that is set, and none that is not", async () => {
        const configuration = vscode.workspace.getConfiguration("gazetteer");
        const set = { exclude: ["nothing/**"], "navigation.languages": ["lua"], maxFileBytes: 1_000_000 };
        const sent = Object.keys(serverSettings());
        for (const [key, value] of Object.entries(set)) {
          await configuration.update(key, value, vscode.ConfigurationTarget.Global);
        }
        await until("all are set", () => Object.entries(set).every(([key]) => key in serverSettings()));
        for (const key of Object.keys(set)) {
          await configuration.update(key, undefined, vscode.ConfigurationTarget.Global);
        }
        await until("none is set", () => Object.keys(serverSettings()).join() === sent.join());
        await ready(api);
      });

      it("asks for as many places as the setting says, and shows none while moving when that is turned off", async () => {
        const configuration = vscode.workspace.getConfiguration("gazetteer");
        await configuration.update("ask.limit", 1, vscode.ConfigurationTarget.Global);
        await configuration.update("ask.preview", false, vscode.ConfigurationTarget.Global);
        await vscode.commands.executeCommand("gazetteer.ask", "article");
        await until("one entry", () => api.commands.asking?.entries.length === 1);
        await new Promise((resolve) => setTimeout(resolve, 300)); // longer than a preview would take to come
        assert.equal(vscode.window.activeTextEditor, undefined);
        await configuration.update("ask.limit", undefined, vscode.ConfigurationTarget.Global);
        await configuration.update("ask.preview", undefined, vscode.ConfigurationTarget.Global);
      });

      it("traces messages when the setting says so", async () => {
        const { trace } = api.parts.logs;
        assert.equal(trace.logLevel, vscode.LogLevel.Info);
        const changed = new Promise<vscode.LogLevel>((resolve) => trace.onDidChangeLogLevel(resolve));
        const configuration = vscode.workspace.getConfiguration("gazetteer");
        await configuration.update("trace.server", "messages", vscode.ConfigurationTarget.Global);
        assert.equal(await changed, vscode.LogLevel.Trace);
        await configuration.update("trace.server", undefined, vscode.ConfigurationTarget.Global);
      });

      it("takes settings over while it runs", async () => {
        const configuration = vscode.workspace.getConfiguration("gazetteer");
        await configuration.update("hover.enable", false, vscode.ConfigurationTarget.Global);
        await openAt("shop/till.py", "Cart)");
        await until("no card", async () => (await hover("shop/till.py", "Cart)")) === "");
        await configuration.update("hover.enable", undefined, vscode.ConfigurationTarget.Global);
        await until("a card", () => hover("shop/till.py", "Cart)"));
      });
    });

    describe("results view", () => {
      const hitNode = (): Node => {
        const hit = api.parts.results.current?.answer.hits[0];
        assert.ok(hit);
        return { kind: "hit", hit };
      };
      const fill = async (question: string): Promise<void> => {
        await vscode.commands.executeCommand("gazetteer.ask", question);
        await until("the list has it", () => api.commands.asking?.entries[0]?.hit);
        await vscode.commands.executeCommand("gazetteer.askedToView");
        await until("the view has it", () => api.parts.results.current?.title === question);
      };

      it("groups by document, shows lines, and why", async () => {
        await fill("price of one article");
        const { results } = api.parts;
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
        const before = api.parts.results.getChildren(hitNode()).length;
        await vscode.commands.executeCommand("gazetteer.results.expand", hitNode());
        assert.ok(api.parts.results.getChildren(hitNode()).length > before);
        await vscode.commands.executeCommand("gazetteer.results.related", hitNode());
        assert.match(api.parts.results.current?.title ?? "", /^related to/);
        await vscode.commands.executeCommand("gazetteer.results.back");
        assert.equal(api.parts.results.current?.title, "price of one article");
        await vscode.commands.executeCommand("gazetteer.results.refresh");
        assert.equal(api.parts.results.current?.title, "price of one article");
        await vscode.commands.executeCommand("gazetteer.results.clear");
        assert.equal(api.parts.results.current, undefined);
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
    });

    describe("status, index, corpora", () => {
      it("says ready, and shows the state of the index", async () => {
        assert.equal(api.parts.status.shown?.text, "$(check) Gazetteer");
        await vscode.commands.executeCommand("gazetteer.syncIndex");
        await vscode.commands.executeCommand("gazetteer.rebuildIndex");
        await vscode.commands.executeCommand("gazetteer.showState");
        const { document } = await shows("State of the Index");
        assert.match(document.getText(), /^state +ready/m);
        await until("ready", () => api.parts.status.shown?.text === "$(check) Gazetteer");
      });

      it("offers a menu", async () => {
        const shown = vscode.commands.executeCommand("gazetteer.showMenu");
        await new Promise((resolve) => setTimeout(resolve, 200));
        await vscode.commands.executeCommand("workbench.action.closeQuickOpen");
        await shown;
      });

      it("says what the server cannot do", async () => {
        await vscode.commands.executeCommand("gazetteer.semanticIndex");
      });

      it("registers a folder, asks it when it is attached, and no more when it is detached", async () => {
        const ferry = vscode.Uri.file(path.join(os.tmpdir(), `ferry-${process.pid}`));
        await vscode.workspace.fs.createDirectory(ferry);
        const text = "# Ferry\n\nThe ferry to Zanzibar leaves the harbour at noon.\n";
        await vscode.workspace.fs.writeFile(vscode.Uri.joinPath(ferry, "timetable.md"), Buffer.from(text));
        await vscode.commands.executeCommand("gazetteer.corpora.add", ferry);
        const row = (): Row | undefined => api.parts.corpora.shown.find(({ path }) => path === ferry.fsPath);
        assert.equal(row()?.kind, "registered");
        const found = async (): Promise<readonly string[]> =>
          (await api.parts.questions.retrieve({ query: "ferry harbour" })).hits.map(({ corpus }) => corpus);
        assert.deepEqual(await found(), []);
        await vscode.commands.executeCommand("gazetteer.corpora.attach", row());
        assert.deepEqual(await until("an answer", async () => (await found()).length && (await found())), [
          row()?.name,
        ]);
        await vscode.commands.executeCommand("gazetteer.corpora.detach", row());
        assert.deepEqual(await found(), []);
        await vscode.workspace.fs.delete(ferry, { recursive: true });
      });

      it("lists the folder of the window as a corpus", async () => {
        await vscode.commands.executeCommand("gazetteer.corpora.refresh");
        const [own] = api.parts.corpora.shown;
        assert.equal(own?.kind, "own");
        assert.match(own.name, /^shop-\d+$/);
      });
    });

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
        assert.match(await invoke("gazetteer_expand", { locator, before: 3 }), /State: same[^]*# Returns/);
        assert.match(await invoke("gazetteer_symbols", { name: "price_of" }), /shop\/prices\.py § price_of/);
      });
    });
  });

async function hover(name: string, text: string): Promise<string> {
  const document = await vscode.workspace.openTextDocument(file(name));
  const position = document.positionAt(document.getText().indexOf(text));
  const hovers = await vscode.commands.executeCommand<vscode.Hover[]>(
    "vscode.executeHoverProvider",
    document.uri,
    position,
  );
  return hovers.flatMap(({ contents }) => contents.map((one) => (one as vscode.MarkdownString).value)).join("\n");
}
