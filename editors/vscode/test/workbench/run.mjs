// The packed extension in a clean VS Code, used by keys and mouse in a headless browser, with a picture of every step.
// Pictures go to GAZETTEER_TEST_SHOTS, else to out/shots; with --pictures, those of the README are taken again too.
import assert from "node:assert/strict";
import fs from "node:fs";
import path from "node:path";
import { EXTENSION } from "../editor/cache.mjs";
import { Editor } from "../editor/editor.mjs";
import { shop } from "../host/shop.mjs";
import { Desk } from "./desk.mjs";
import { install } from "../editor/packed.mjs";

const shots = process.env.GAZETTEER_TEST_SHOTS || path.join(EXTENSION, "out/shots");
fs.mkdirSync(shots, { recursive: true });

/** The pictures of the README and the walkthrough, by the step that takes them. */
const PICTURES = { menu: "server", ask: "ask", "results-why": "keep" };

/** What is done, in order; each step leaves the window as the next one finds it. */
const STEPS = {
  async "the extension is there, and the index is ready"(desk) {
    await desk.status(/Gazetteer\s*$/);
    await desk.shot("ready");
  },

  async "from the palette to a place"(desk) {
    await desk.askFromPalette();
    await desk.shot("ask-empty");
    await desk.type("price of one article");
    await desk.row(/price_of/).waitFor();
    await desk.previewed("prices.py");
    await desk.shot("ask");
    await desk.press("ArrowDown");
    await desk.shot("ask-moved");
    await desk.press("ArrowUp");
    await desk.press("Enter");
    await desk.editor("prices.py");
    await desk.shot("jumped");
  },

  async "an edit that is not saved is found"(desk) {
    await desk.press("Control+End");
    await desk.type('\ndef voucher_zanzibar():\n"""A voucher for the ferry."""');
    await desk.ask();
    await desk.type("zanzibar voucher");
    await desk.row(/unsaved/).waitFor();
    await desk.shot("ask-unsaved");
    await desk.leave();
  },

  async "the results view, by keys only"(desk) {
    await desk.ask();
    await desk.type("total of a cart");
    await desk.row(/cart\.py/).waitFor();
    await desk.press("Control+l");
    await desk.tree(/cart\.py/).waitFor();
    await desk.shot("results");
    await desk.press("ArrowDown");
    await desk.press("ArrowDown");
    await desk.press("ArrowRight");
    await desk.press("Control+c");
    await desk.statusSays(/citation is in the clipboard/);
    assert.match(await desk.clipboard(), /§ .* \(Line \d+\)/);
    await desk.shot("results-open");
    await desk.press("End");
    await desk.tree(/Why these results/).waitFor();
    await desk.press("ArrowRight");
    await desk.tree(/Left out/).waitFor();
    await desk.shot("results-why");
  },

  async "the menu of the status item"(desk) {
    await desk.statusItem().click();
    await desk.row(/Restart Server/).waitFor();
    await desk.shot("menu");
    await desk.leave();
  },

  async "hover, and a link that opens at its line"(desk) {
    await desk.open("till.py");
    await desk.hoverAt("total()");
    await desk.shot("hover");
    await desk
      .hover(/cart\.py/)
      .locator("a", { hasText: "cart.py" })
      .first()
      .click();
    await desk.editor("cart.py");
    await desk.shot("hover-followed");
  },

  async "code actions on a selection"(desk) {
    await desk.open("till.py");
    await desk.find("receipt_for");
    await desk.press("Control+.");
    await desk.action(/Show related code/).waitFor();
    await desk.shot("actions");
    await desk.press("Escape");
  },

  async "inline notes"(desk) {
    await desk.command("Gazetteer: Toggle Inline Notes");
    await desk.open("till.py");
    await desk.find("Cart)");
    await desk.press("ArrowLeft");
    await desk.note(/class Cart/);
    await desk.shot("notes");
    await desk.command("Gazetteer: Toggle Inline Notes");
  },

  async "the corpora view"(desk) {
    await desk.command("Gazetteer: Refresh Corpora");
    await desk.command("Gazetteer: Focus on Corpora View");
    await desk.tree(/ready/).waitFor();
    await desk.shot("corpora");
    await desk.command("Gazetteer: Remove Corpus");
    await desk.page.locator(".notification-toast", { hasText: "no such corpus" }).waitFor();
    await desk.page.locator(".notification-toast").first().press("Delete");
  },

  async "the walkthrough"(desk) {
    await desk.command("Gazetteer: Open Walkthrough");
    await desk.text(/Find the server/).waitFor();
    await desk.shot("walkthrough");
    await desk.press("Control+w");
  },

  async "high contrast"(desk) {
    editor.settings({ "workbench.colorTheme": "Default High Contrast" });
    await desk.begin(); // settings are read when a window opens
    await desk.page.waitForSelector(".monaco-workbench.hc-black");
    await desk.status(/Gazetteer\s*$/);
    await desk.ask();
    await desk.type("price of one article");
    await desk.row(/price_of/).waitFor();
    await desk.previewed("prices.py");
    await desk.shot("contrast-ask");
    await desk.press("Control+l");
    await desk.tree(/prices\.py/).waitFor();
    await desk.shot("contrast-results");
  },
};

const began = performance.now();
const editor = await Editor.start();
let failed = 0;
try {
  console.log(`packed: ${Math.round(install(editor) / 1024)} KB`);
  const desk = new Desk(await editor.page(shop(editor)), shots);
  await desk.begin();
  for (const [name, step] of Object.entries(STEPS)) {
    const start = performance.now();
    try {
      await step(desk);
      console.log(`  ok   ${name} (${Math.round(performance.now() - start)} ms)`);
    } catch (error) {
      failed++;
      console.log(`  FAIL ${name}\n${error.stack}`);
      await desk.shot("failed-" + failed);
      await desk.calm();
    }
  }
} finally {
  await editor.close();
}
console.log(
  `${failed ? `${failed} FAILED` : "ok"}, ${((performance.now() - began) / 1000).toFixed(1)} s, pictures in ${shots}`,
);
if (!failed && process.argv.includes("--pictures")) {
  for (const [shot, name] of Object.entries(PICTURES)) {
    const taken = fs.readdirSync(shots).find((file) => file.endsWith(`-${shot}.png`));
    fs.copyFileSync(path.join(shots, taken), path.join(EXTENSION, "media/walkthrough", `${name}.png`));
  }
}
process.exitCode = failed ? 1 : 0;
