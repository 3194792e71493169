// Where the tests keep what they fetch: VS Code, a browser, a server. Outside of the repository, and made when missing.
import { execFileSync } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { STEP } from "./bounded.mjs";

export const EXTENSION = path.resolve(path.dirname(fileURLToPath(import.meta.url)), "../..");
export const REPOSITORY = path.resolve(EXTENSION, "../..");
export const CACHE =
  process.env.GAZETTEER_VSCODE_TEST_CACHE ||
  path.join(process.env.XDG_CACHE_HOME || path.join(os.homedir(), ".cache"), "gazetteer-vscode-tests");

/** The folder `name` of the cache, made by `make(folder)` when it is not there; a half-made one never counts. */
export function kept(name, make) {
  const folder = path.join(CACHE, name);
  if (!fs.existsSync(folder)) {
    fs.mkdirSync(CACHE, { recursive: true });
    const draft = fs.mkdtempSync(path.join(CACHE, "draft-"));
    try {
      make(draft);
      fs.renameSync(draft, folder);
    } catch (error) {
      fs.rmSync(draft, { recursive: true, force: true });
      if (!fs.existsSync(folder)) throw error;
    }
  }
  return folder;
}

/** Run a program; what it prints is shown only when it fails. One that does not end in time is ended, which is a failure. */
export function run(program, args, options = {}) {
  const bounded = { encoding: "utf8", stdio: ["ignore", "pipe", "pipe"], timeout: 2 * STEP, killSignal: "SIGKILL" };
  return execFileSync(program, args, { ...bounded, ...options });
}

/** The first program of these names on PATH. */
export function onPath(...names) {
  for (const name of names) {
    for (const folder of (process.env.PATH || "").split(path.delimiter)) {
      const file = path.join(folder, name);
      try {
        fs.accessSync(file, fs.constants.X_OK);
        return file;
      } catch {
        // not there
      }
    }
  }
  return undefined;
}
