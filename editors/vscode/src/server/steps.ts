/** The commands of an installation, as they are shown and as they are run. Pure. */

import * as path from "node:path";
import { programs } from "./discovery";

/** One command: a program and its arguments. */
export type Command = readonly [string, ...string[]];

/** What an installation runs, in order. `wanted` is what pip is to install. */
export function commands(python: string, environment: string, wanted: string, windows: boolean): readonly Command[] {
  const inside = path.join(programs(environment, windows), "python");
  return [
    [python, "-m", "venv", environment],
    [inside, "-m", "pip", "install", "--disable-pip-version-check", "--upgrade", wanted],
  ];
}

/** A command as somebody would type it. */
export function typed(command: Command): string {
  return command.map((word) => (/^[\w./:=+@~-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`)).join(" ");
}
