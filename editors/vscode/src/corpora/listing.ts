/** The corpora as the view shows them: those of the window, those that are registered, and what is broken. Pure. */

import type { FolderStatus } from "../protocol";
import { folderName, sentence } from "../status/state";

/** One row of `gazetteer/corpus.list`. */
export interface Corpus {
  readonly name: string;
  readonly path: string;
  readonly kind?: string;
  readonly shared?: boolean;
  readonly standing?: string;
  readonly state?: string;
  readonly documents?: number;
  readonly exists?: boolean;
}

export interface Listing {
  readonly corpora: readonly Corpus[];
  readonly broken: readonly { readonly name: string; readonly reason: string }[];
  readonly notices?: readonly string[];
}

export const NOTHING: Listing = { corpora: [], broken: [] };

export interface Row {
  /** `own`: a folder of the window; `attached` and `registered`: of the registry; `broken`: cannot be used. */
  readonly kind: "own" | "attached" | "registered" | "broken";
  readonly name: string;
  readonly detail: string;
  readonly path: string;
}

/** All rows: the window's own first, then by name. */
export function rows(folders: readonly FolderStatus[], listing: Listing, attached: readonly string[]): readonly Row[] {
  const own = folders.map((folder): Row => ({
    kind: "own",
    name: folderName(folder.root),
    detail: [folder.state, sentence(folder)].filter(Boolean).join(": "),
    path: folder.root,
  }));
  const registered = listing.corpora.map((corpus): Row => ({
    kind: attached.includes(corpus.name) ? "attached" : "registered",
    name: corpus.name,
    detail: about(corpus, attached),
    path: corpus.path,
  }));
  const broken = listing.broken.map(({ name, reason }): Row => ({ kind: "broken", name, detail: reason, path: "" }));
  return [...own, ...sorted(registered), ...sorted(broken)];
}

function about(corpus: Corpus, attached: readonly string[]): string {
  return [
    attached.includes(corpus.name) ? "attached" : "",
    corpus.kind,
    corpus.shared ? "shared" : "",
    corpus.exists === false ? "its folder is gone" : corpus.state,
    corpus.path,
  ]
    .filter(Boolean)
    .join(" · ");
}

function sorted(found: readonly Row[]): readonly Row[] {
  return [...found].sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));
}
