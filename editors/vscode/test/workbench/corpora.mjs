// The corpora view, by keys: add a folder, attach, ask, detach, remove.
import fs from "node:fs";
import path from "node:path";

export const CORPORA = {
  async "a folder is added, from the palette"(desk, editor) {
    const folder = editor.folder("harbour");
    fs.writeFileSync(path.join(folder, "ferry.py"), 'def timetable():\n    """When the ferry leaves."""\n');
    fs.mkdirSync(path.join(folder, "quay"));
    await desk.command("Gazetteer: Add Folder as a Corpus");
    await desk.filled(/\/$/);
    await desk.named("..").waitFor(); // by now it has said where it begins, and will not say so again
    await desk.press("Control+a");
    await desk.page.keyboard.insertText(`${folder}/`);
    await desk.row(/^quay/).waitFor(); // the dialog looks into that folder now
    await desk.press("Enter");
    await desk.page.locator(".quick-input-widget").waitFor({ state: "hidden" });
    await desk.view("Corpora");
    await desk.tree(/^harbour/).waitFor();
    await desk.shot("corpora");
  },

  async "a folder is added, from the menu of the explorer"(desk) {
    await desk.command("Explorer: Focus on Folders View");
    await desk.page.locator(".explorer-folders-view .monaco-list:focus").waitFor();
    const docs = desk.page.locator(".explorer-folders-view .monaco-list-row.focused", { hasText: "docs" });
    await desk.until("ArrowUp", () => docs.isVisible(), "docs");
    await desk.menu("Add Folder as a Corpus");
    await desk.view("Corpora");
    await desk.tree(/^docs/).waitFor();
  },

  async "a corpus is attached, asked, and detached"(desk) {
    await desk.to(/^harbour/);
    await desk.menu("Attach Corpus for This Session");
    await desk.tree(/^harbour.*attached/).waitFor();
    await desk.shot("corpora-attached");
    await desk.ask("when does the ferry leave");
    await desk.named("timetable").waitFor();
    await desk.unasked();
    await desk.tree(/^harbour.*ready \(1 document\)/).waitFor();
    await desk.view("Corpora");
    await desk.to(/^harbour/);
    await desk.menu("Detach Corpus");
    await desk.noRow(/attached/);
    await desk.command("Gazetteer: Attach Corpus for This Session");
    await desk.choose("harbour");
    await desk.tree(/^harbour.*attached/).waitFor();
    await desk.command("Gazetteer: Detach Corpus");
    await desk.choose("harbour");
    await desk.noRow(/attached/);
  },

  async "a corpus is removed, when that is confirmed"(desk) {
    await desk.view("Corpora");
    await desk.to(/^harbour/);
    await desk.press("Delete");
    await desk.dialog(/Remove the corpus harbour/).waitFor();
    await desk.shot("corpora-remove");
    await desk.press("Escape");
    await desk.dialog(/Remove the corpus/).waitFor({ state: "detached" });
    await desk.tree(/^harbour/).waitFor();
    await desk.to(/^harbour/);
    await desk.menu("Remove Corpus");
    await desk.dialog(/Remove the corpus harbour/).waitFor();
    await desk.tab(/^Remove$/);
    await desk.noRow(/^harbour/);
    await desk.command("Gazetteer: Remove Corpus");
    await desk.choose("docs");
    await desk.dialog(/Remove the corpus docs/).waitFor();
    await desk.tab(/^Remove$/);
    await desk.noRow(/^docs/);
    await desk.command("Gazetteer: Refresh Corpora");
    await desk.view("Corpora");
    await desk.press("F5");
    await desk.tree(/ready/).waitFor();
  },
};
