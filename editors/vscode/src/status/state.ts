/** What the status item says: one state for the window out of the server's and those of all folders. Pure. */

import type { FolderState, FolderStatus } from "../protocol";
import { inSettings } from "../server/flags";
import type { ServerState } from "../server/supervisor";

export type Severity = "none" | "warning" | "error";

export interface Shown {
  readonly text: string;
  readonly tooltip: string;
  readonly severity: Severity;
  /** For people who hear the screen. */
  readonly spoken: string;
}

/** Which folder's state is shown when there are several: the first of these. */
const ORDER: readonly FolderState[] = ["error", "indexing", "starting", "stale", "ready"];

const LOOKS: Readonly<Record<FolderState, { icon: string; word: string; severity: Severity }>> = {
  starting: { icon: "loading~spin", word: "starting", severity: "none" },
  indexing: { icon: "sync~spin", word: "indexing", severity: "none" },
  ready: { icon: "check", word: "ready", severity: "none" },
  stale: { icon: "history", word: "stale", severity: "warning" },
  error: { icon: "error", word: "error", severity: "error" },
};

/** Say how everything is; undefined when there is nothing to say. */
export function show(server: ServerState, folders: readonly FolderStatus[]): Shown | undefined {
  switch (server.phase) {
    case "idle":
      return undefined;
    case "missing":
      return said("warning", "no server", "warning", [server.message, "Select to install or name one."]);
    case "failed":
      return said("error", "stopped", "error", [server.message]);
    case "starting":
      return said("loading~spin", "starting", "none", [server.message]);
    case "running":
      return overall(folders);
  }
}

function overall(folders: readonly FolderStatus[]): Shown {
  const own = folders.filter(isOwn);
  const worst = ORDER.map((state) => own.find((folder) => folder.state === state)).find((one) => one !== undefined);
  if (worst === undefined) {
    return said("loading~spin", "starting", "none", ["Opening the index"]);
  }
  const { icon, word, severity } = LOOKS[worst.state];
  const percent = worst.percent === undefined ? word : `${word} ${worst.percent} %`;
  return said(icon, percent, severity, folders.map(line));
}

function said(icon: string, word: string, severity: Severity, lines: readonly string[]): Shown {
  const tooltip = [`Gazetteer: ${word}`, ...lines.filter(Boolean)].join("\n");
  const short = word === "ready" ? "Gazetteer" : `Gazetteer: ${word}`;
  return { text: `$(${icon}) ${short}`, tooltip, severity, spoken: tooltip.replace(/\n/g, ". ") };
}

/** One folder, as a line. */
export function line(folder: FolderStatus): string {
  const percent = folder.percent === undefined ? "" : ` ${folder.percent} %`;
  const message = sentence(folder);
  return `${nameOf(folder)}: ${LOOKS[folder.state].word}${percent}${message ? `. ${message}` : ""}`;
}

/** What a state says, and its remedy where it does not end with it already. */
export function sentence(folder: FolderStatus): string {
  const { message, remedy } = folder;
  const whole = !remedy || message.includes(remedy) ? message : `${message.replace(/[.;]\s*$/, "")}; ${remedy}`;
  return inSettings(whole);
}

/** What is to be said of a folder at once; of a corpus that is only asked too, the answer says what is the matter. */
export function alarm(folder: FolderStatus): string | undefined {
  return folder.state === "error" && isOwn(folder) ? sentence(folder) : undefined;
}

/** Whether it is a folder of the window, and not one that is only asked too. */
export function isOwn(folder: FolderStatus): boolean {
  return folder.own !== false;
}

export function nameOf(folder: FolderStatus): string {
  return folder.corpus ?? folderName(folder.root);
}

/** The last part of a folder's URI, as people read it. */
export function folderName(uri: string): string {
  const last = uri.replace(/\/+$/, "").split("/").at(-1) ?? uri;
  try {
    return decodeURIComponent(last);
  } catch {
    return last;
  }
}
