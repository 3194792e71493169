// The server that the tests talk to: the one that is named, else one of this repository in an environment of the cache.
import fs from "node:fs";
import path from "node:path";
import { CACHE, onPath, REPOSITORY, run } from "./cache.mjs";

/** Its program. */
export function gazetteer() {
  return process.env.GAZETTEER_TEST_SERVER || path.join(environment(), "bin/gazetteer");
}

function environment() {
  const folder = path.join(CACHE, "server-watch");
  const whole = path.join(folder, "whole"); // written last
  if (!fs.existsSync(whole)) {
    fs.rmSync(folder, { recursive: true, force: true });
    run(onPath("python3"), ["-m", "venv", folder]);
    // a link to the sources: what is tested is what lies here
    run(path.join(folder, "bin/python"), ["-m", "pip", "install", "--quiet", "-e", `${REPOSITORY}[watch]`]);
    fs.writeFileSync(whole, "");
  }
  return folder;
}
