// Pictures to be looked at: what is seen of the extension, in both themes of high contrast and in a narrow window.
// Words name which of them; pictures go to GAZETTEER_TEST_SHOTS, else to out/looks.
import fs from "node:fs";
import path from "node:path";
import { EXTENSION } from "../editor/cache.mjs";
import { Editor } from "../editor/editor.mjs";
import { install } from "../editor/packed.mjs";
import { shop } from "../host/shop.mjs";
import { Desk } from "./desk.mjs";

const shots = process.env.GAZETTEER_TEST_SHOTS || path.join(EXTENSION, "out/looks");
fs.mkdirSync(shots, { recursive: true });

const wanted = process.argv.slice(2);
const LOOKS = {
  dark: { theme: "Default High Contrast", width: 1280, height: 800 },
  light: { theme: "Default High Contrast Light", width: 1280, height: 800 },
  narrow: { theme: "Default Dark Modern", width: 640, height: 760 },
};

async function look(desk, name) {
  await desk.status(/Gazetteer\s*$/);
  await desk.ask("price of one article");
  await desk.shot(`${name}-ask`);
  await desk.press("Control+l");
  await desk.at(/price_of/);
  await desk.press("ArrowRight");
  await desk.tree(/8 .*return PRICES/).waitFor();
  await desk.press("End");
  await desk.to(/Why these results/, "ArrowUp");
  await desk.press("ArrowRight");
  await desk.to(/Plan:/);
  await desk.press("ArrowRight");
  await desk.tree(/✓.*found/).waitFor();
  await desk.shot(`${name}-results`);
  await desk.command("Gazetteer: Show Corpora");
  await desk.inView("Corpora");
  await desk.shot(`${name}-corpora`);
  await desk.open("receipt", "shop/till.py");
  await desk.cursor(8, 26);
  await desk.press("Control+k", "Control+i");
  await desk.hover(/cart\.py/).waitFor();
  await desk.shot(`${name}-hover`);
  await desk.press("Escape");
  await desk.command("Gazetteer: Show Menu");
  await desk.row(/Restart Server/).waitFor();
  await desk.shot(`${name}-menu`);
  await desk.leave();
  await desk.command("Gazetteer: Open Walkthrough");
  await desk.picture(/The menu of the status item/);
  await desk.shot(`${name}-walkthrough`);
}

const editor = await Editor.start();
try {
  install(editor);
  const folder = shop(editor);
  for (const [name, { theme, width, height }] of Object.entries(LOOKS).filter(
    ([name]) => !wanted.length || wanted.includes(name),
  )) {
    editor.settings({ "workbench.colorTheme": theme, "workbench.reduceMotion": "on" });
    const page = await editor.page(folder); // settings are read when a window opens
    await page.setViewportSize({ width, height });
    const desk = new Desk(page, shots);
    await desk.begin();
    await look(desk, name);
    await page.context().close();
  }
  console.log(`pictures in ${shots}`);
} finally {
  await editor.close();
}
