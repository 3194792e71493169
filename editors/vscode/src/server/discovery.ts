/**
 * Which server is run: the setting, then the selected Python environment, then PATH, then the extension's own environment.
 * What lies in a tree never decides what is run in a workspace that is not trusted. Pure: the file system is given.
 */

import * as path from "node:path";

export type Origin = "setting" | "environment" | "path" | "own";

export interface Found {
  readonly command: string;
  readonly from: Origin;
}

/** No server, and why: a sentence for people. */
export interface Missing {
  readonly reason: string;
}

export interface Sources {
  /** The setting `gazetteer.server.path`; "" when it is not set. */
  readonly setting: string;
  /** Folders that hold the programs of the selected Python environments, the likeliest first. */
  readonly environments: readonly string[];
  /** The folders of PATH. */
  readonly path: readonly string[];
  /** The folder of programs in the extension's own environment. */
  readonly own: string;
  /** The folders of the workspace. */
  readonly roots: readonly string[];
  readonly trusted: boolean;
  readonly windows: boolean;
  readonly isExecutable: (file: string) => boolean;
}

export const NOT_FOUND = "No Gazetteer server: it is neither in the selected Python environment nor on PATH.";

/** All programs that may be the server, the first choice first; where the setting names one, there is no other choice. */
export function candidates(sources: Sources): readonly Found[] | Missing {
  if (sources.setting) {
    return sources.isExecutable(sources.setting)
      ? [{ command: sources.setting, from: "setting" }]
      : { reason: `The setting gazetteer.server.path names ${sources.setting}, which cannot be run.` };
  }
  const folders: readonly (readonly [Origin, readonly string[]])[] = [
    ["environment", sources.environments],
    ["path", sources.path],
    ["own", [sources.own]],
  ];
  const found = new Map<string, Found>();
  for (const [from, named] of folders) {
    for (const folder of named) {
      const command = program(folder, sources);
      if (command !== undefined && !found.has(command)) {
        found.set(command, { command, from });
      }
    }
  }
  return found.size ? [...found.values()] : { reason: NOT_FOUND };
}

/**
 * The first program that `fault` finds nothing wrong with. One that is too old keeps nobody from one that fits; when none
 * does, the fault of the first choice is the reason.
 */
export async function choose(
  sources: Sources,
  fault: (command: string) => Promise<string | undefined>,
  skipped: (reason: string) => void,
): Promise<Found | Missing> {
  const offered = candidates(sources);
  if ("reason" in offered) {
    return offered;
  }
  let reason: string | undefined;
  for (const found of offered) {
    const wrong = await fault(found.command);
    if (wrong === undefined) {
      return found;
    }
    skipped(wrong);
    reason ??= wrong;
  }
  return { reason: reason ?? NOT_FOUND };
}

function program(folder: string, sources: Sources): string | undefined {
  // a relative folder would be one of whatever folder the editor was started in
  if (!path.isAbsolute(folder) || (!sources.trusted && sources.roots.some((root) => isInside(folder, root)))) {
    return undefined;
  }
  const file = path.join(folder, sources.windows ? "gazetteer.exe" : "gazetteer");
  return sources.isExecutable(file) ? file : undefined;
}

/** Whether `file` is `folder` or lies in it. */
export function isInside(file: string, folder: string): boolean {
  const relative = path.relative(folder, file);
  return relative === "" || (!relative.startsWith("..") && !path.isAbsolute(relative));
}

/** The folder of programs of a Python environment, or of the one that an interpreter lies in. */
export function programs(environment: string, windows: boolean): string {
  return path.join(environment, windows ? "Scripts" : "bin");
}
