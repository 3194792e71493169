/** The corpora as the view shows them: those of the window, those that are registered, and what is broken. Pure. */

import type { FolderStatus } from "../protocol";
import { isOwn, nameOf, sentence } from "../status/state";

/** One row of `gazetteer/corpus.list`. `state` is that of its folder where it is open, `index` what lies on disk. */
export interface Corpus {
  readonly name: string;
  readonly root: string;
  readonly kind?: string;
  readonly shared?: boolean;
  readonly autoindex?: boolean;
  readonly there?: boolean;
  readonly index?: string;
  readonly documents?: number;
  readonly state?: string | null;
  readonly own?: boolean;
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
  const own = folders.filter(isOwn).map((folder): Row => ({
    kind: "own",
    name: nameOf(folder),
    detail: [folder.state, sentence(folder)].filter(Boolean).join(": "),
    path: folder.root,
  }));
  const registered = listing.corpora.map((corpus): Row => ({
    kind: attached.includes(corpus.name) ? "attached" : "registered",
    name: corpus.name,
    detail: about(corpus, attached),
    path: corpus.root,
  }));
  const broken = listing.broken.map(({ name, reason }): Row => ({ kind: "broken", name, detail: reason, path: "" }));
  return [...own, ...sorted(registered), ...sorted(broken)];
}

function about(corpus: Corpus, attached: readonly string[]): string {
  return [
    attached.includes(corpus.name) ? "attached" : "",
    corpus.kind,
    corpus.shared ? "shared" : "",
    corpus.autoindex ? "autoindex" : "",
    stateOf(corpus),
    corpus.root,
  ]
    .filter(Boolean)
    .join(" · ");
}

function stateOf(corpus: Corpus): string {
  if (corpus.there === false) {
    return "its folder is gone";
  }
  const held = corpus.documents ? ` (${corpus.documents} ${corpus.documents === 1 ? "document" : "documents"})` : "";
  return `${corpus.state ?? (corpus.index === "none" ? "not indexed yet" : (corpus.index ?? ""))}${held}`;
}

function sorted(found: readonly Row[]): readonly Row[] {
  return [...found].sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));
}
