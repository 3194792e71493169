/**
 * What the server says, as types. The shapes are the server's; this file only names what the extension reads of them.
 * Nothing here knows the editor.
 */

export interface Position {
  readonly line: number;
  readonly character: number;
}

export interface Range {
  readonly start: Position;
  readonly end: Position;
}

export type Freshness = "verified" | "overlay" | "stale" | "unverified";

export interface Score {
  readonly value: number;
  readonly kind: string;
}

export interface Signal {
  readonly via: string;
  readonly rank: number;
  readonly score: Score;
  readonly reason?: string;
}

/** A further place that a hit stands for. */
export interface Place {
  readonly path: string;
  readonly lines: readonly [number, number];
  readonly heading: string;
  readonly reason: string;
  readonly corpus?: string;
}

/** One piece of evidence. `highlights` count code points of `snippet`; `lines` are for people and count from 1. */
export interface Hit {
  readonly corpus: string;
  readonly path: string;
  readonly relpath: string;
  readonly uri: string;
  readonly range: Range;
  /** The line that the citation names. */
  readonly selectionRange: Range;
  readonly lines: readonly [number, number];
  readonly language: string;
  readonly kind: string;
  readonly heading: string;
  readonly label: string;
  readonly citation: string;
  readonly locator: string;
  readonly via: readonly string[];
  readonly signals: readonly Signal[];
  readonly score: Score;
  readonly snippet: string;
  readonly snippetLines: readonly [number, number];
  readonly text: string;
  readonly freshness: Freshness;
  readonly also?: readonly Place[];
  readonly highlights?: readonly (readonly [number, number])[];
}

export interface CorpusSnapshot {
  readonly corpus: string;
  readonly generation: number;
  readonly documents: number;
  readonly chunks: number;
  readonly overlays?: readonly { readonly path: string }[];
  readonly partial?: string;
}

export interface PlanStep {
  readonly strategy: string;
  readonly chosen: boolean;
  readonly rule: string;
  readonly reason: string;
  readonly found: number;
  readonly costMs: number;
}

export interface RouteStep {
  readonly corpus: string;
  readonly standing: string;
  readonly chosen: boolean;
  readonly rule: string;
  readonly reason: string;
  readonly found: number;
  readonly shown: number;
}

export interface Plan {
  readonly queryClass: string;
  readonly confidence: number;
  readonly terms: readonly string[];
  readonly steps: readonly PlanStep[];
  readonly gaps?: readonly string[];
  readonly routing?: readonly RouteStep[];
}

/** What an answer says about itself. */
export interface Receipt {
  readonly snapshot: { readonly id: string; readonly corpora: readonly CorpusSnapshot[] };
  readonly freshness: {
    readonly hashed: number;
    readonly refreshed: number;
    readonly sweepComplete: boolean;
    readonly sweepAgeMs: number;
    readonly staleExcluded: number;
  };
  readonly semantic: boolean;
  readonly semanticReason: string;
  readonly plan: Plan;
  readonly notices: readonly string[];
  readonly missing: readonly string[];
  readonly suppressed: Readonly<Record<string, number>>;
  readonly truncated: boolean;
  readonly elapsedMs: number;
}

export interface Answer {
  readonly hits: readonly Hit[];
  readonly receipt: Receipt;
}

/** What stands now where a locator points. */
export interface Expansion {
  readonly state: "same" | "moved" | "changed" | "gone";
  readonly reason: string;
  readonly uri: string;
  readonly range: Range;
  readonly lines: readonly [number, number];
  readonly textLines: readonly [number, number];
  readonly language: string;
  readonly citation: string;
  readonly locator: string;
  readonly freshness: Freshness;
  readonly text: string;
  readonly truncated: boolean;
}

/** A question with its filters. Fields that are not set are not sent: an older server refuses what it does not know. */
export interface Question {
  readonly query: string;
  /** A person typed it: the server reads filters such as `lang:python` out of it. Text of a tree restricts nothing. */
  readonly typed?: boolean;
  readonly limit?: number;
  readonly uri?: string;
  readonly root?: string;
  readonly path?: readonly string[];
  readonly lang?: readonly string[];
  readonly kind?: readonly string[];
  readonly via?: readonly string[];
  readonly budget?: { readonly characters?: number; readonly ms?: number };
  readonly corpora?: readonly string[] | "all";
  readonly with?: readonly string[];
  readonly without?: readonly string[];
}

export interface OrientationMap {
  readonly path: string;
  readonly uri: string;
  readonly origin: "tree" | "user" | null;
  readonly exists: boolean;
}

export type FolderState = "starting" | "indexing" | "ready" | "stale" | "error";

/** `gazetteer/didChangeStatus`: how the folder `root` (a URI) is now; `own`: it is one of the window's. */
export interface FolderStatus {
  readonly root: string;
  readonly corpus?: string;
  readonly own?: boolean;
  readonly state: FolderState;
  readonly message: string;
  readonly percent?: number;
  readonly remedy?: string;
}

/** `gazetteer/status`: how an index is, for people. */
export interface IndexStatus {
  readonly root: string;
  readonly state: string;
  readonly reason: string;
  readonly generation: number;
  readonly documents: number;
  readonly chunks: number;
  readonly symbols: number;
  readonly languages?: Readonly<Record<string, number>>;
  readonly refused?: readonly { readonly reason: string; readonly count: number }[];
  readonly partial?: string;
  readonly lastError?: string;
  readonly dbPath: string;
  readonly indexBytes: number;
}

/** The argument of the client command `gazetteer.view`: a request whose answer is to be shown. */
export interface View {
  readonly title: string;
  readonly method: string;
  readonly params: object;
}

export const STATUS_CHANGED = "gazetteer/didChangeStatus";
