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
  { name: "main", target: shop },
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
  { name: "missing", target: shop, settings: { machine: { "gazetteer.server.path": "" } } },
  { name: "roots", target: workspace },
  {
    name: "selected",
    target: shop,
    settings: { machine: { "gazetteer.server.path": "" } },
    beside: path.join(EXTENSION, "test/host/python"),
  },
];

const LATENCY = { name: "latency", target: () => process.env.GAZETTEER_TEST_TREE || REPOSITORY };

const measured = process.argv.includes("--latency");
const wanted = process.argv.slice(2).filter((word) => !word.startsWith("--"));
const hand = await Hand.start();
const editor = await Editor.start({}, { GAZETTEER_TEST_HAND: hand.address });
let failed = 0;
try {
  for (const suite of measured ? [LATENCY] : SUITES.filter(({ name }) => !wanted.length || wanted.includes(name))) {
    editor.settings(suite.settings);
    if (suite.beside) install(editor, suite.beside);
    const began = performance.now();
    const target = suite.target(editor);
    let fine, report;
    // this VS Code has no watcher of files: a workspace file that it read too early stays empty for the whole window
    for (let attempt = 0; attempt < 5 && (!attempt || report.includes("opened without its folders")); attempt++) {
      const module = path.join(EXTENSION, `out/host/${suite.name}.cjs`);
      ({ fine, report } = await editor.inHost(module, target, { withPage: (page) => void (hand.page = page) }));
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
