// VS Code as a server with its workbench for browsers, from the npm package code-server, without native builds.
import fs from "node:fs";
import path from "node:path";
import { kept, run } from "./cache.mjs";

const VERSION = "4.100.3"; // VS Code 1.100.3; the last one for Node 20
const NPM = ["--no-audit", "--no-fund", "--no-update-notifier", "--loglevel=error"];

/** The program to run with Node. */
export function vscode() {
  const folder = kept(`code-server-${VERSION}`, (draft) => {
    run("npm", ["pack", `code-server@${VERSION}`, "--silent"], { cwd: draft });
    run("tar", ["xzf", `code-server-${VERSION}.tgz`], { cwd: draft });
    fs.rmSync(path.join(draft, `code-server-${VERSION}.tgz`));
    const inner = path.join(draft, "package/lib/vscode");
    run("npm", ["install", "--omit=dev", "--ignore-scripts", ...NPM], { cwd: inner });
    fs.symlinkSync("node_modules", path.join(inner, "node_modules.asar"));
  });
  return path.join(folder, "package/lib/vscode/out/server-main.js");
}
