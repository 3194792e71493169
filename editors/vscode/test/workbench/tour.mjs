// A first day: the packed extension in a clean VS Code finds the server of a fresh environment, indexes a tree with
// progress, answers, and jumps; and where there is no server, it installs one after asking. A picture of every step.
// GAZETTEER_TEST_TREE names the tree, GAZETTEER_TEST_QUESTION and GAZETTEER_TEST_ANSWER what is asked and which
// file must come.
import fs from "node:fs";
import path from "node:path";
import { EXTENSION, onPath, REPOSITORY, run } from "../editor/cache.mjs";
import { Editor } from "../editor/editor.mjs";
import { Desk } from "./desk.mjs";
import { install } from "../editor/packed.mjs";

const tree = process.env.GAZETTEER_TEST_TREE || REPOSITORY;
const question = process.env.GAZETTEER_TEST_QUESTION || "how is the root of a tree found";
const wanted = process.env.GAZETTEER_TEST_ANSWER || "roots.py";
const shots = process.env.GAZETTEER_TEST_SHOTS || path.join(EXTENSION, "out/tour");
fs.mkdirSync(shots, { recursive: true });

/** No server is named; one is to be found. */
const NOWHERE = { "gazetteer.server.path": "", "gazetteer.server.package": REPOSITORY };

async function answers(desk) {
  await desk.status(/Gazetteer\s*$/, 600_000);
  await desk.shot("ready");
  await desk.command("Gazetteer: Ask Corpus");
  await desk.asking();
  await desk.type(question);
  await desk.answered();
  await desk.previewed();
  await desk.shot("asked");
  await desk.press("ArrowDown");
  await desk.previewed();
  await desk.shot("moved");
  await desk.until("ArrowUp", () => desk.row(wanted).evaluate((row) => row.classList.contains("focused")), wanted);
  await desk.previewed();
  await desk.press("Enter");
  await desk.inEditor(wanted);
  await desk.shot("jumped");
}

/** The server lies in the environment that the editor was started in. */
async function environment() {
  const draft = fs.mkdtempSync(path.join(shots, "environment-"));
  run(onPath("python3"), ["-m", "venv", draft]);
  run(path.join(draft, "bin/python"), ["-m", "pip", "install", "--quiet", REPOSITORY]);
  const editor = await Editor.start({ machine: NOWHERE }, { VIRTUAL_ENV: draft });
  try {
    console.log(`packed: ${Math.round(install(editor) / 1024)} KB`);
    const desk = new Desk(await editor.page(tree), shots);
    await desk.begin();
    await desk.status(/indexing \d+ %/);
    await desk.shot("indexing");
    await answers(desk);
  } finally {
    await editor.close();
    fs.rmSync(draft, { recursive: true, force: true });
  }
}

/** There is no server anywhere. */
async function installation() {
  const editor = await Editor.start({ machine: NOWHERE });
  try {
    install(editor);
    const desk = new Desk(await editor.page(tree), shots, 10);
    await desk.begin();
    await desk.toast(/No Gazetteer server/).waitFor();
    await desk.shot("no-server");
    await desk.press("Control+Shift+a"); // the first choice of a notification
    await desk.dialog(/-m venv/).waitFor();
    await desk.shot("asks-first");
    await desk.tab(/^Install$/);
    await desk.toast(/Installing/).waitFor();
    await desk.shot("installing");
    await desk.status(/indexing|starting|Gazetteer\s*$/, 600_000);
    await answers(desk);
  } finally {
    await editor.close();
  }
}

await environment();
console.log("the server of a fresh environment: ok");
await installation();
console.log(`installed after asking: ok; pictures in ${shots}`);
