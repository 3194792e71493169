// Runs the suites inside of the real extension host: each in a window of its own, with its folder and its settings.
import fs from "node:fs";
import path from "node:path";
import { PATIENCE, STEP, within } from "../editor/bounded.mjs";
import { EXTENSION, REPOSITORY } from "../editor/cache.mjs";
import { Editor } from "../editor/editor.mjs";
import { install } from "../editor/packed.mjs";
import { Hand } from "./hand.mjs";
import { shop } from "./shop.mjs";

/** `name` is the module below test/host; `settings` are the user's; `target` makes what is opened. */
const SUITES = [
  { name: "main", target: shop, settings: { "files.watcherExclude": { "**/unwatched/**": true } } },
  { name: "crashes", target: shop },
  { name: "roots", target: workspace },
  {
    name: "finding",
    target: shop,
    settings: { machine: { "gazetteer.server.path": "" } },
  },
  {
    name: "untrusted",
    target: hostile,
    settings: {
      "security.workspace.trust.enabled": true,
      "security.workspace.trust.startupPrompt": "never",
      "security.workspace.trust.banner": "never",
    },
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
const passed = new Set();
try {
  for (const folder of ["", "test/host/runner", "test/host/python"]) install(editor, path.join(EXTENSION, folder));
  for (const suite of measured ? [LATENCY] : SUITES.filter(({ name }) => !wanted.length || wanted.includes(name))) {
    editor.settings(suite.settings);
    const began = performance.now();
    const target = suite.target(editor);
    let fine, report;
    // this VS Code has no watcher of files: a workspace file that it read too early stays empty for the whole window
    for (let attempt = 0; attempt < 5 && (!attempt || report.includes("opened without its folders")); attempt++) {
      ({ fine, report } = await inHost(path.join(EXTENSION, `out/host/${suite.name}.cjs`), target));
    }
    failed += fine ? 0 : 1;
    for (const [, title] of report.matchAll(/^ {2}ok {3}(.*) \(\d+ ms\)$/gm)) passed.add(title);
    console.log(
      `${suite.name}: ${fine ? "ok" : "FAILED"}, ${((performance.now() - began) / 1000).toFixed(1)} s\n${report}`,
    );
  }
} finally {
  await editor.close();
  hand.close();
}
if (!measured && !wanted.length) {
  const rows = JSON.parse(fs.readFileSync(path.join(EXTENSION, "test/rows.json"), "utf8"));
  const untested = Object.entries(rows).filter(([, title]) => !passed.has(title));
  for (const [row, title] of untested) console.log(`${row}: no test has passed that is called ${title}`);
  console.log(`${Object.keys(rows).length} contributions, ${untested.length} without a test that has passed`);
  failed += untested.length;
}
process.exitCode = failed ? 1 : 0;

/** Run a module in a window of its own, with its report. */
async function inHost(module, target) {
  fs.rmSync(out, { force: true });
  const page = await editor.page(target);
  const problem = await hand.run(page, module, 2 * STEP);
  const written = fs.existsSync(out) ? fs.readFileSync(out, "utf8") : `(no report)\n${editor.tail()}\n`;
  // the window ends, and what runs for it
  await within(
    PATIENCE,
    "the window closes",
    page.goto("about:blank").then(() => page.context().close()),
  );
  return { fine: problem === "", report: problem ? `${written}${problem}\n` : written };
}

/** A tree that comes with settings, and with a program in an environment, that leave a trace when they are used. */
function hostile(of) {
  const root = shop(of);
  const stolen = path.join(root, "stolen");
  const settings = {
    "gazetteer.server.path": path.join(root, ".venv/bin/gazetteer"),
    "gazetteer.server.package": "/nowhere",
    "gazetteer.dbPath": stolen,
    "gazetteer.exclude": ["docs/**"],
    "gazetteer.ask.limit": 1,
  };
  fs.mkdirSync(path.join(root, ".vscode"));
  fs.writeFileSync(path.join(root, ".vscode/settings.json"), JSON.stringify(settings));
  fs.mkdirSync(path.join(root, ".venv/bin"), { recursive: true });
  fs.writeFileSync(path.join(root, ".venv/bin/gazetteer"), `#!/bin/sh\ntouch ${stolen}\n`, { mode: 0o755 });
  return root;
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
