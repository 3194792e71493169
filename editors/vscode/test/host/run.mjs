// Runs the suites inside of the real extension host: each in a window of its own, with its folder and its settings.
import fs from "node:fs";
import path from "node:path";
import { EXTENSION, REPOSITORY } from "../editor/cache.mjs";
import { Editor } from "../editor/editor.mjs";
import { install } from "../editor/packed.mjs";
import { Hand } from "./hand.mjs";
import { shop } from "./shop.mjs";

/**
 * `name` is the module below test/host; `settings` are the user's; `target` makes what is opened; `beside` is a further
 * extension, there from then on.
 */
const SUITES = [
  { name: "main", target: shop, settings: { "files.watcherExclude": { "**/unwatched/**": true } } },
  { name: "crashes", target: shop },
  {
    name: "untrusted",
    target: shop,
    settings: {
      "security.workspace.trust.enabled": true,
      "security.workspace.trust.startupPrompt": "never",
      "security.workspace.trust.banner": "never",
    },
  },
  { name: "roots", target: workspace },
  {
    name: "finding",
    target: shop,
    settings: { machine: { "gazetteer.server.path": "" } },
    beside: path.join(EXTENSION, "test/host/python"),
  },
];

const LATENCY = { name: "latency", target: () => process.env.GAZETTEER_TEST_TREE || REPOSITORY };

const measured = process.argv.includes("--latency");
const wanted = process.argv.slice(2).filter((word) => !word.startsWith("--"));
const hand = await Hand.start();
const out = path.join(EXTENSION, "out/host/report.txt");
const editor = await Editor.start(
  {},
  {
    GAZETTEER_TEST_HAND: hand.address,
    GAZETTEER_TEST_OUT: out,
    GAZETTEER_TEST_ANNOUNCING: path.join(EXTENSION, "test/host/announcing.mjs"),
  },
);
let failed = 0;
try {
  for (const folder of [EXTENSION, path.join(EXTENSION, "test/host/runner")]) install(editor, folder);
  for (const suite of measured ? [LATENCY] : SUITES.filter(({ name }) => !wanted.length || wanted.includes(name))) {
    editor.settings(suite.settings);
    if (suite.beside) install(editor, suite.beside);
    const began = performance.now();
    const target = suite.target(editor);
    let fine, report;
    // this VS Code has no watcher of files: a workspace file that it read too early stays empty for the whole window
    for (let attempt = 0; attempt < 5 && (!attempt || report.includes("opened without its folders")); attempt++) {
      ({ fine, report } = await inHost(path.join(EXTENSION, `out/host/${suite.name}.cjs`), target));
    }
    failed += fine ? 0 : 1;
    console.log(
      `${suite.name}: ${fine ? "ok" : "FAILED"}, ${((performance.now() - began) / 1000).toFixed(1)} s\n${report}`,
    );
  }
} finally {
  await editor.close();
  hand.close();
}
process.exitCode = failed ? 1 : 0;

/** Run a module in a window of its own, with its report. */
async function inHost(module, target) {
  fs.rmSync(out, { force: true });
  const page = await editor.page(target);
  const problem = await hand.run(page, module, 240_000);
  const written = fs.existsSync(out) ? fs.readFileSync(out, "utf8") : `(no report) ${problem}\n${editor.tail()}`;
  if (problem && process.env.GAZETTEER_TEST_SHOTS) {
    await page.screenshot({ path: path.join(process.env.GAZETTEER_TEST_SHOTS, "host-failed.png") });
  }
  await page.goto("about:blank"); // the window ends, and what runs for it
  await page.context().close();
  return { fine: problem === "", report: written };
}

/** Two folders in one window. */
function workspace(of) {
  const folders = [shop(of), of.folder("second")];
  fs.writeFileSync(
    path.join(folders[1], "ferry.py"),
    'def timetable():\n    """When the ferry leaves the harbour."""\n',
  );
  const file = path.join(of.folder("workspace"), "two.code-workspace");
  fs.writeFileSync(file, JSON.stringify({ folders: folders.map((folder) => ({ path: folder })) }));
  return file;
}
