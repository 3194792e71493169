/** What the server says at a place in a document: hover, code actions, notes, and the map; and what asks about a place. */

import * as vscode from "vscode";
import { api, assert, file, openAt, set, shows, until } from "./bench";
import { hand, TOAST } from "./hand";

/** What the editor shows when it hovers over a text. */
export async function hover(name: string, text: string): Promise<string> {
  const document = await vscode.workspace.openTextDocument(file(name));
  const position = document.positionAt(document.getText().indexOf(text));
  const hovers = await vscode.commands.executeCommand<vscode.Hover[]>(
    "vscode.executeHoverProvider",
    document.uri,
    position,
  );
  return hovers.flatMap(({ contents }) => contents.map((one) => (one as vscode.MarkdownString).value)).join("\n");
}

/** The actions at the cursor, or on the text behind it. */
export async function actionsAt(editor: vscode.TextEditor, width = 0): Promise<readonly vscode.CodeAction[]> {
  const at = editor.selection.active;
  const range = new vscode.Range(at, at.translate(0, width));
  // resolved, as an editor does with the one that is chosen
  return await vscode.commands.executeCommand("vscode.executeCodeActionProvider", editor.document.uri, range, "", 20);
}

/** Do what an action says, as the editor does. */
async function apply({ edit, command }: vscode.CodeAction): Promise<void> {
  if (edit !== undefined) {
    assert.ok(await vscode.workspace.applyEdit(edit));
  }
  if (command !== undefined) {
    await vscode.commands.executeCommand(command.command, ...((command.arguments ?? []) as unknown[]));
  }
}

export function reading(): void {
  describe("hover, code actions, notes, maps", () => {
    it("shows the server's card with links that open at a line", async () => {
      await openAt("shop/till.py", "total()");
      const card = await until("a card", () => hover("shop/till.py", "total()"));
      assert.match(card, /total/);
      assert.match(card, /file:\/\/\/.*cart\.py#L\d+/);
      assert.doesNotMatch(card, /command:/);
    });

    it("opens the orientation map; where there is none it asks first, and makes one when that is wanted", async () => {
      const asked = vscode.commands.executeCommand("gazetteer.openMap");
      await hand.read(TOAST, "There is no orientation map");
      await vscode.commands.executeCommand("notifications.clearAll");
      await asked;
      await assert.rejects(async () => await vscode.workspace.fs.stat(file(".knowledge")));
      await vscode.commands.executeCommand("gazetteer.createMap");
      await shows(".knowledge/orientation.md");
      await vscode.commands.executeCommand("workbench.action.closeAllEditors");
      await vscode.commands.executeCommand("gazetteer.openMap");
      await shows(".knowledge/orientation.md");
    });

    /** What each action of the server does in this editor. */
    const done: Readonly<Record<string, () => unknown>> = {
      "Ask about 'price_of'": () => api().parts.results.current?.title === "Ask about 'price_of'",
      "Show related code": () => api().parts.results.current?.title === "Show related code",
      "Show callers of 'price_of'": () =>
        api().parts.results.current?.answer.hits.some(({ path }) => path === "shop/cart.py"),
      "Insert a citation of 'price_of'": () =>
        vscode.window.activeTextEditor?.document.getText().includes("shop/prices.py § price_of"),
      "Copy the evidence for 'price_of'": async () => (await vscode.env.clipboard.readText()).includes("BEGIN QUOTED"),
      "Open the orientation map": () => vscode.window.activeTextEditor?.document.uri.path.endsWith("orientation.md"),
    };
    it("offers actions, and each of them does what it says", async () => {
      const editor = await openAt("shop/cart.py", "price_of(");
      const titles = (await actionsAt(editor, 8)).map(({ title }) => title);
      assert.deepEqual([...titles].sort(), Object.keys(done).sort());
      for (const [title, happened] of Object.entries(done)) {
        const fresh = await openAt("shop/cart.py", "price_of(");
        const action = (await actionsAt(fresh, 8)).find((one) => one.title === title);
        assert.ok(action, title);
        await apply(action);
        await until(title, happened);
        await vscode.commands.executeCommand("workbench.action.revertAndCloseActiveEditor");
      }
    });

    it("offers no actions when that is turned off", async () => {
      const editor = await openAt("shop/till.py", "cart.total");
      assert.ok((await actionsAt(editor, 10)).length);
      await set({ "codeActions.enable": false });
      await until("none", async () => !(await actionsAt(editor, 10)).length);
    });

    it("shows a note behind the line of the cursor when that is turned on, and none before", async () => {
      await openAt("shop/till.py", "Cart)");
      assert.equal(api().parts.notes.enabled, false);
      await vscode.commands.executeCommand("gazetteer.toggleNotes");
      const note = await until("a note", () => api().parts.notes.current);
      assert.match(note.text, /^class Cart/);
      await vscode.commands.executeCommand("gazetteer.toggleNotes");
      await until("no note", () => !api().parts.notes.current && !api().parts.notes.enabled);
      await set({ "notes.enable": true });
      await until("a note again", () => api().parts.notes.current);
    });

    it("shows what is related to the cursor, and who calls the name there", async () => {
      await openAt("shop/prices.py", "price_of");
      await vscode.commands.executeCommand("gazetteer.relatedHere");
      assert.match(api().parts.results.current?.title ?? "", /^related to line/);
      await openAt("shop/prices.py", "price_of");
      await vscode.commands.executeCommand("gazetteer.callersHere");
      assert.equal(api().parts.results.current?.title, "who calls price_of");
      assert.ok(api().parts.results.current?.answer.hits.some(({ path }) => path === "shop/cart.py"));
    });

    it("says what is missing where no document is open", async () => {
      await vscode.commands.executeCommand("gazetteer.relatedHere");
      await hand.read(TOAST, "open a document and put the cursor where you mean");
      await vscode.commands.executeCommand("gazetteer.callersHere");
      await hand.read(TOAST, "put the cursor on a name");
    });

    it("shows lenses where they are turned on; what a lens leads to is shown in the results view", async () => {
      const { document } = await openAt("shop/prices.py");
      const lenses = (): Thenable<vscode.CodeLens[]> =>
        vscode.commands.executeCommand("vscode.executeCodeLensProvider", document.uri, 10);
      assert.deepEqual(await lenses(), []);
      await set({ "codeLens.enable": true });
      const found = await until("a lens", async () => (await lenses()).find(({ command }) => command?.title));
      assert.equal(found.command?.command, "gazetteer.view");
      await vscode.commands.executeCommand(found.command.command, ...(found.command.arguments as unknown[]));
      assert.ok(api().parts.results.current?.answer.hits.length);
    });

    it("shows hints of documentation behind lines where they are turned on", async () => {
      const { document } = await openAt("shop/cart.py");
      const all = new vscode.Range(0, 0, document.lineCount, 0);
      const hints = async (): Promise<readonly string[]> => {
        const shown = await vscode.commands.executeCommand<vscode.InlayHint[]>(
          "vscode.executeInlayHintProvider",
          document.uri,
          all,
        );
        return shown.map(({ label }) => (typeof label === "string" ? label : label.map(({ value }) => value).join("")));
      };
      assert.deepEqual(await hints(), []);
      await set({ "inlayHints.enable": true });
      await until("a hint", async () => (await hints()).some((label) => label.includes("price of one article")));
    });

    it("navigates in the languages that are named, and not where that is turned off", async () => {
      const { document, selection } = await openAt("shop/till.py", "Cart)");
      const found = async (): Promise<readonly string[]> => {
        const places = await vscode.commands.executeCommand<(vscode.Location | vscode.LocationLink)[]>(
          "vscode.executeDefinitionProvider",
          document.uri,
          selection.active,
        );
        return places.map((place) => ("uri" in place ? place.uri : place.targetUri).path);
      };
      assert.deepEqual(await found(), []);
      await set({ "navigation.languages": [document.languageId] });
      await until("a definition", async () => (await found()).some((path) => path.endsWith("shop/cart.py")));
      await set({ "navigation.enable": false });
      await until("none", async () => !(await found()).length);
    });
  });
}
