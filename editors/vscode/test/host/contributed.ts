/** What `package.json` contributes is where it says: palette, menus, views and walkthrough, as the editor shows them. */

import * as fs from "node:fs";
import * as path from "node:path";
import * as vscode from "vscode";
import manifest from "../../package.json";
import words from "../../package.nls.json";
import { api, assert, openAt, scratch, until, write } from "./bench";
import { hand, MENU, ROW, TREE } from "./hand";
import { fill } from "./results";

type Menus = Readonly<
  Record<string, readonly { readonly command: string; readonly when?: string; readonly group?: string }[]>
>;

const MENUS: Menus = manifest.contributes.menus;

/** What `%key%` stands for. */
function spoken(key: string): string {
  return (words as Readonly<Record<string, string>>)[key.slice(1, -1)] ?? key;
}

/** The title of a command. */
function titleOf(wanted: string): string {
  const found = manifest.contributes.commands.find(({ command }) => command === wanted);
  assert.ok(found, wanted);
  return spoken(found.title);
}

/** Titles of a menu, of the rows that `fits` lets through. */
function titles(menu: string, fits: (when: string, group: string) => boolean = () => true): readonly string[] {
  const rows = MENUS[menu] ?? [];
  return rows.filter(({ when = "", group = "" }) => fits(when, group)).map(({ command }) => titleOf(command));
}

/** Open the menu of something, and read it. */
async function context(selector: string, text: string): Promise<readonly string[]> {
  await hand.click(selector, text, "right");
  await hand.read(MENU);
  return (await hand.all(MENU)).split("\n").map((one) => one.trim());
}

/** Choose an entry of the menu that is open: it takes no click for its first moment. */
async function choose(title: string): Promise<void> {
  await hand.point(MENU, `^\\s*${title}`);
  await hand.press("Enter");
}

function has(shown: readonly string[], wanted: readonly string[]): void {
  assert.deepEqual(
    wanted.filter((title) => !shown.some((one) => one.startsWith(title))),
    [],
    shown.join(", "),
  );
}

export function contributed(): void {
  describe("palette, menus, views, walkthrough", () => {
    it("has every command in the palette, but those of the list and what the server cannot do", async () => {
      await fill("price of one article");
      await fill("total of a cart");
      await openAt("shop/till.py");
      await vscode.commands.executeCommand("workbench.action.showCommands");
      await hand.read(ROW);
      await hand.type("Gazetteer: ");
      const titled = manifest.contributes.commands.map(({ title }) => spoken(title));
      const hidden = titles("commandPalette");
      const left = new Set(titled.filter((title) => !hidden.includes(title)));
      await until(
        () => `these are seen: ${[...left].join()}`,
        async () => {
          for (const row of (await hand.labels(ROW)).split("\n")) {
            const title = row.split(",")[0]?.replace("Gazetteer: ", "") ?? "";
            assert.ok(!hidden.includes(title), title);
            left.delete(title);
          }
          await hand.press("ArrowDown", "ArrowDown", "ArrowDown"); // behind the last comes the first
          return left.size === 0;
        },
      );
      await vscode.commands.executeCommand("workbench.action.closeQuickOpen");
    });

    it("has a menu in the editor", async () => {
      await openAt("shop/till.py", "receipt_for");
      const shown = await context(".view-line span[class*=mtk]", "receipt_for");
      has(shown, titles("editor/context"));
      await choose("Ask Corpus About the Selection");
      await until("the list is open", () => api().commands.asking?.entries[0]?.label.includes("receipt_for"));
    });

    it("has a menu on a folder of the explorer", async () => {
      await vscode.commands.executeCommand("workbench.view.explorer");
      const shown = await context(".explorer-folders-view .monaco-list-row", "^docs$");
      has(shown, titles("explorer/context"));
      await hand.press("Escape");
    });

    it("has buttons and a menu above each view", async () => {
      await fill("price of one article");
      await fill("total of a cart");
      for (const [view, name] of [
        ["gazetteer.results", "Results"],
        ["gazetteer.corpora", "Corpora"],
      ] as const) {
        await vscode.commands.executeCommand(`${view}.focus`);
        const header = `.pane-header[aria-label^="${name}"]`;
        const buttons = (await hand.labels(`${header} .action-label`)).split("\n");
        has(
          buttons,
          titles("view/title", (when, group) => when.includes(view) && group.startsWith("navigation")),
        );
      }
      await hand.click(".pane-header[aria-label^='Corpora'] .codicon-toolbar-more", "");
      await hand.read(MENU);
      has(
        (await hand.all(MENU)).split("\n").map((one) => one.trim()),
        titles("view/title", (_, group) => !group.startsWith("navigation")),
      );
      await hand.press("Escape");
    });

    it("has a menu on every row of the results", async () => {
      await fill("price of one article");
      const shown = await context(TREE, "price_of");
      has(
        shown,
        titles("view/item/context", (when, group) => when.includes("results") && !group.startsWith("inline")),
      );
      await choose("Copy Citation");
      await until("it is copied", async () => (await vscode.env.clipboard.readText()).includes("price_of (Line 6)"));
    });

    it("has a menu on every row of the corpora", async () => {
      const folder = await scratch("pier");
      write(vscode.Uri.joinPath(folder, "a.md"), "# Pier\n");
      await vscode.commands.executeCommand("gazetteer.corpora.add", folder);
      await vscode.commands.executeCommand("gazetteer.corpora.focus");
      const row = folder.path.split("/").at(-1) ?? "";
      has(await context(TREE, row), ["Attach Corpus for This Session", "Remove Corpus"]);
      await choose("Attach Corpus");
      await hand.read(TREE, "attached");
      has(await context(TREE, row), ["Detach Corpus", "Remove Corpus"]);
      await choose("Remove Corpus");
      await hand.click(".monaco-dialog-box .monaco-button", "Remove");
      await hand.gone(TREE, row);
      await vscode.workspace.fs.delete(folder, { recursive: true });
    });

    it("has a container with its views in the activity bar", async () => {
      await vscode.commands.executeCommand("workbench.view.explorer");
      const [container] = manifest.contributes.viewsContainers.activitybar;
      await hand.click(`.activitybar .action-label[aria-label^="${spoken(container?.title ?? "")}"]`, "");
      for (const { name } of manifest.contributes.views.gazetteer) {
        await hand.read(".pane-header", `^${spoken(name)}`);
      }
    });

    it("comes as a small package without what only its developers need", () => {
      const root = api().parts.context.extensionPath;
      const all = fs.readdirSync(root, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
      const files = all.map(({ parentPath, name }) => path.relative(root, path.join(parentPath, name)));
      const pictures = manifest.contributes.walkthroughs.flatMap(({ steps }) => steps.map(({ media }) => media.image));
      const texts = ["package.json", "package.nls.json", "readme.md", "changelog.md", "LICENSE.txt"];
      const icons = ["media/icon.png", "media/gazetteer.svg"];
      const wanted = ["dist/extension.js", ...texts, ...icons, ...pictures];
      assert.deepEqual(files.filter((name) => name !== ".vsixmanifest").sort(), wanted.sort());
      assert.ok(fs.statSync(path.join(root, "dist/extension.js")).size < 600_000);
    });

    it("has a walkthrough of three steps", async () => {
      await vscode.commands.executeCommand("gazetteer.openWalkthrough");
      const [walkthrough] = manifest.contributes.walkthroughs;
      for (const { title } of walkthrough?.steps ?? []) {
        await hand.read(".getting-started-step", spoken(title));
      }
      await hand.read(".getting-started-category", spoken(walkthrough?.title ?? ""));
    });
  });
}
