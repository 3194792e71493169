// An extension as a .vsix, installed into an editor.
import fs from "node:fs";
import path from "node:path";
import { EXTENSION, run } from "./cache.mjs";

/** Pack the extension that lies in `folder`, and install it; returns its size in bytes. */
export function install(editor, folder = EXTENSION) {
  const vsix = path.join(editor.folder("package"), `${path.basename(folder)}.vsix`);
  const switches = ["--no-dependencies", "--no-rewrite-relative-links", "--allow-missing-repository", "--skip-license"];
  const vsce = path.join(EXTENSION, "node_modules/.bin/vsce");
  run(vsce, ["package", ...switches, "--out", vsix], { cwd: folder });
  run(process.execPath, [...editor.switches, "--install-extension", vsix], { env: editor.environment });
  return fs.statSync(vsix).size;
}
