// The extension as a .vsix, installed into an editor.
import fs from "node:fs";
import path from "node:path";
import { EXTENSION, run } from "../editor/cache.mjs";

/** Pack and install it; returns its size in bytes. */
export function install(editor) {
  const vsix = path.join(editor.folder("package"), "gazetteer.vsix");
  const switches = ["--no-dependencies", "--no-rewrite-relative-links", "--out", vsix];
  run("npx", ["vsce", "package", ...switches], { cwd: EXTENSION });
  run(process.execPath, [...editor.switches, "--install-extension", vsix], { env: editor.environment });
  return fs.statSync(vsix).size;
}
