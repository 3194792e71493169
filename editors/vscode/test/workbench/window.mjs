// What stands around, by keys: the status item and its menu, index, server and log, settings, the walkthrough.

import assert from "node:assert/strict";

export const WINDOW = {
  async "the status item, and its menu"(desk) {
    await desk.until("F6", () => desk.page.evaluate(inStatusBar), "the status bar");
    await desk.until("ArrowRight", () => desk.statusItem().locator(":focus").isVisible(), "the status item");
    await desk.press("Enter");
    await desk.row(/Restart Server/).waitFor();
    assert.doesNotMatch(await desk.hint(), /harbour/); // it was removed
    await desk.shot("menu");
    await desk.choose("Show State of the Index");
    await desk.text(/chunks/).waitFor();
    await desk.shot("state");
    await desk.press("Control+w");
    await desk.command("Gazetteer: Show Menu");
    await desk.choose(/Corpora/);
    await desk.inView("Corpora");
    await desk.view("Results");
    await desk.command("Gazetteer: Show Corpora");
    await desk.inView("Corpora");
  },

  async "the index is brought up to date, and made again"(desk) {
    await desk.command("Gazetteer: Sync Index");
    await desk.statusSays(/the index is up to date, generation \d+/);
    await desk.command("Gazetteer: Rebuild Index");
    await desk.statusSays(/everything was read again, generation \d+/);
  },

  async "the log, and a server that is started again"(desk) {
    await desk.command("Gazetteer: Show Logs");
    await desk.page.locator(".panel .output-view-content, .panel .monaco-editor").first().waitFor();
    await desk.shot("logs");
    await desk.command("View: Hide Panel");
    await Promise.all([desk.status(/starting/), desk.command("Gazetteer: Restart Server")]); // it may start at once
    await desk.status(/Gazetteer\s*$/);
  },

  async "what there is to do where no server is found"(desk) {
    await desk.command("Gazetteer: Install Server");
    await desk.dialog(/-m venv/).waitFor();
    await desk.shot("install");
    await desk.press("Escape");
    await desk.dialog(/-m venv/).waitFor({ state: "detached" });
    await desk.command("Gazetteer: Name the Server in the Settings");
    await desk.text(/The server's program, as an absolute path/).waitFor();
    await desk.press("Control+w");
  },

  async "the walkthrough: its steps, and what they lead to"(desk) {
    await desk.command("Gazetteer: Open Walkthrough");
    await desk.text(/Find the server/).waitFor();
    await desk.picture(/The menu of the status item/);
    await desk.done(/Find the server/); // by itself: there is one
    await desk.shot("walkthrough-server");
    await desk.tab(/^Ask a question/);
    await desk.picture(/The list of Ask Corpus/);
    await desk.shot("walkthrough-ask");
    await desk.tab(/^Ask Corpus$/);
    await desk.asking();
    await desk.leave();
    await desk.tab(/^Keep and follow/);
    await desk.picture(/The results view/);
    await desk.shot("walkthrough-keep");
    await desk.press("Control+w");
  },
};

function inStatusBar() {
  return Boolean(document.activeElement?.closest(".statusbar"));
}
