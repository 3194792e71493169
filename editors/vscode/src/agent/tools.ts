/**
 * Tools for the editor's agent mode: retrieve, expand, symbols. They only read; what they give is evidence within a budget,
 * marked as untrusted. There is no argument that goes around the planner or the checks of freshness.
 */

import * as vscode from "vscode";
import { plain } from "../ask/wording";
import { CHARACTERS, quote, type Passage } from "../evidence";
import type { Answer, Question } from "../protocol";
import type { Questions } from "../questions";

interface RetrieveInput {
  readonly query: string;
  readonly limit?: number;
  readonly path?: readonly string[];
  readonly lang?: readonly string[];
  readonly kind?: readonly string[];
}

interface ExpandInput {
  readonly locator: string;
  readonly before?: number;
  readonly after?: number;
}

interface SymbolsInput {
  readonly name: string;
  readonly limit?: number;
}

const MOST_HITS = 20;
const MOST_LINES = 200;
const DEFAULT_HITS = 6;
/** What the lines before and after the evidence may take of the budget. */
const NOTICES = 1_000;

/** Register the tools, where the editor has an agent mode. */
export function registerTools(questions: Questions): vscode.Disposable {
  const retrieve = tool<RetrieveInput>(
    ({ query }) => `Asking Gazetteer for “${query}”`,
    async ({ query, limit, path, lang, kind }, token) => {
      const filters = { ...(path && { path }), ...(lang && { lang }), ...(kind && { kind }) };
      return quoted(query, await ask(questions, { query, ...filters }, limit, token));
    },
  );
  const expand = tool<ExpandInput>(
    () => "Reading around a passage",
    async ({ locator, before = 0, after = 0 }, token) => {
      const around = { before: bounded(before, 0, MOST_LINES), after: bounded(after, 0, MOST_LINES) };
      const found = await questions.expand({ locator }, around, token);
      const head = said(`State: ${found.state}${found.reason ? `: ${found.reason}` : ""}`);
      return head + evidence(found.citation, found.state === "gone" ? [] : [found], head.length);
    },
  );
  const symbols = tool<SymbolsInput>(
    ({ name }) => `Looking for the definition of “${name}”`,
    async ({ name, limit }, token) =>
      quoted(name, await ask(questions, { query: name, via: ["exact", "structural"] }, limit, token)),
  );
  return vscode.Disposable.from(
    vscode.lm.registerTool("gazetteer_retrieve", retrieve),
    vscode.lm.registerTool("gazetteer_expand", expand),
    vscode.lm.registerTool("gazetteer_symbols", symbols),
  );
}

function ask(
  questions: Questions,
  question: Question,
  limit: number | undefined,
  token: vscode.CancellationToken,
): Promise<Answer> {
  const bound = bounded(limit ?? DEFAULT_HITS, 1, MOST_HITS);
  return questions.retrieve({ ...question, limit: bound, budget: { characters: CHARACTERS } }, token);
}

/** Evidence, and what the answer says about itself, within the budget of both. */
function quoted(about: string, { hits, receipt }: Answer): string {
  let notices = "";
  for (const notice of [...receipt.missing, ...receipt.notices].map((one) => said(`Notice: ${one}`))) {
    notices += notices.length + notice.length <= NOTICES ? notice : "";
  }
  return evidence(about, hits, notices.length) + notices;
}

function evidence(about: string, passages: readonly Passage[], taken: number): string {
  return quote(about, passages, { locators: true, characters: CHARACTERS - taken });
}

/** A sentence of ours with names of files in it: one line, of bounded length. */
function said(sentence: string): string {
  return `${plain(sentence).slice(0, 500)}\n`;
}

function bounded(value: number, least: number, most: number): number {
  return Math.min(most, Math.max(least, Math.trunc(value) || 0));
}

function tool<Input extends object>(
  saying: (input: Input) => string,
  act: (input: Input, token: vscode.CancellationToken) => Promise<string>,
): vscode.LanguageModelTool<Input> {
  return {
    prepareInvocation: ({ input }) => ({ invocationMessage: saying(input) }),
    invoke: async ({ input }, token) =>
      new vscode.LanguageModelToolResult([new vscode.LanguageModelTextPart(await act(input, token))]),
  };
}
