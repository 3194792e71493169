// The packed extension in a clean VS Code, used by keys alone in a headless browser, with a picture of every step; in the
// end, every command, key and menu entry that package.json contributes was used, and no mouse was.
// Pictures go to GAZETTEER_TEST_SHOTS, else to out/shots; with --pictures, those of the README are taken again too.
import assert from "node:assert/strict";
import fs from "node:fs";
import path from "node:path";
import { STEP, within } from "../editor/bounded.mjs";
import { EXTENSION } from "../editor/cache.mjs";
import { Editor } from "../editor/editor.mjs";
import { install } from "../editor/packed.mjs";
import { screen } from "../editor/screen.mjs";
import { shop } from "../host/shop.mjs";
import { ASKING } from "./asking.mjs";
import { CORPORA } from "./corpora.mjs";
import { Desk } from "./desk.mjs";
import { leftOut, mouse } from "./leftout.mjs";
import { READING } from "./reading.mjs";
import { RESULTS } from "./results.mjs";
import { WINDOW } from "./window.mjs";

const shots = process.env.GAZETTEER_TEST_SHOTS || path.join(EXTENSION, "out/shots");
fs.mkdirSync(shots, { recursive: true });
for (const name of fs.readdirSync(shots).filter((name) => name.endsWith(".png"))) fs.rmSync(path.join(shots, name));

/** The pictures of the README and the walkthrough: the step that takes each, and what of the window is in it. */
const PICTURES = {
  ask: { name: "ask", clip: { x: 0, y: 0, width: 1280, height: 480 } },
  "results-why": { name: "keep", clip: { x: 0, y: 35, width: 1000, height: 520 } },
  menu: { name: "server", clip: { x: 0, y: 0, width: 1280, height: 300 } },
};

/** What is done, in order; each step leaves the window as the next one finds it. */
const STEPS = {
  "the workbench is there": (desk) => desk.begin(),
  ...ASKING,
  ...RESULTS,
  ...CORPORA,
  ...READING,
  ...WINDOW,
};

/** What moves takes the keys when it has come to rest, from what was opened meanwhile. */
const STILL = { "workbench.reduceMotion": "on" };

const seconds = (since) => `${((performance.now() - since) / 1000).toFixed(1)} s`;
const began = performance.now();
const editor = await Editor.start(STILL);
try {
  console.log(`packed: ${Math.round(install(editor) / 1024)} KB, ${seconds(began)}`);
  const page = await editor.page(shop(editor));
  const clicks = await mouse(page);
  const desk = new Desk(page, shots);
  if (process.argv.includes("--pictures")) {
    for (const [shot, { name, clip }] of Object.entries(PICTURES)) {
      desk.pictures[shot] = { file: path.join(EXTENSION, "media/walkthrough", `${name}.png`), clip };
    }
  }
  for (const [name, step] of Object.entries(STEPS)) {
    const start = performance.now();
    try {
      await within(STEP, "all of this step", step(desk, editor));
      assert.deepEqual(clicks, [], "a mouse was used");
      console.log(`  ok   ${name} (${seconds(start)})`);
    } catch (error) {
      console.log(`  FAIL ${name}: ${error.message}\n${await screen(page)}`);
      await within(STEP, "a picture", desk.shot("failed")).catch((problem) => console.log(problem.message));
      throw new Error(`${name}: ${error.message}; pictures of all steps are in ${shots}`, { cause: error });
    }
  }
  assert.deepEqual(leftOut(desk), [], "not used by any step");
  console.log(`workbench: ok, ${seconds(began)}, pictures in ${shots}`);
} finally {
  await editor.close();
}
