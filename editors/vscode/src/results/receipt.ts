/** The receipt of an answer in words: how it was found, who was asked, how fresh it is, what was left out. Pure. */

import { plain } from "../ask/wording";
import type { Answer, CorpusSnapshot, Plan, Receipt } from "../protocol";

/** A line, with lines below it. */
export interface Fact {
  readonly label: string;
  readonly detail?: string;
  readonly below?: readonly Fact[];
}

/** Why these results. */
export function why(answer: Answer): readonly Fact[] {
  const { receipt } = answer;
  const facts = [plan(receipt.plan), ...routing(receipt.plan), corpora(receipt), freshness(receipt), semantic(receipt)];
  return [
    ...facts,
    ...leftOut(receipt),
    ...said("Gaps", receipt.plan.gaps ?? []),
    ...said("Missing", receipt.missing),
    ...said("Notices", receipt.notices),
  ];
}

function plan({ queryClass, confidence, terms, steps }: Plan): Fact {
  return {
    label: `Plan: ${plain(queryClass)}`,
    detail: `confidence ${confidence.toFixed(2)}, terms ${plain(terms.join(" "))}`,
    below: steps.map((step) => ({
      label: `${step.chosen ? "✓" : "–"} ${plain(step.strategy)}`,
      detail: step.chosen
        ? `${step.found} found, ${step.costMs.toFixed(1)} ms: ${plain(step.reason)} [${plain(step.rule)}]`
        : `${plain(step.reason)} [${plain(step.rule)}]`,
    })),
  };
}

function routing({ routing = [] }: Plan): readonly Fact[] {
  return routing.length
    ? [
        {
          label: "Routing",
          below: routing.map((step) => ({
            label: `${step.chosen ? "✓" : "–"} ${plain(step.corpus)} (${plain(step.standing)})`,
            detail: `${step.chosen ? `${step.found} found, ${step.shown} shown: ` : ""}${plain(step.reason)} [${plain(step.rule)}]`,
          })),
        },
      ]
    : [];
}

function corpora({ snapshot }: Receipt): Fact {
  return { label: "Corpora", detail: `snapshot ${plain(snapshot.id)}`, below: snapshot.corpora.map(corpus) };
}

function corpus({ corpus, generation, documents, chunks, overlays = [], partial }: CorpusSnapshot): Fact {
  const unsaved = overlays.length ? `, ${overlays.length} open` : "";
  const part = partial ? `, partial: ${plain(partial)}` : "";
  return {
    label: plain(corpus),
    detail: `generation ${generation}, ${documents} documents, ${chunks} chunks${unsaved}${part}`,
  };
}

function freshness({ freshness, elapsedMs }: Receipt): Fact {
  const sweep = freshness.sweepComplete ? "the whole tree was looked at" : "the look at the tree is not finished";
  return {
    label: "Freshness",
    detail: `${freshness.hashed} files hashed, ${freshness.refreshed} refreshed; ${sweep} ${seconds(freshness.sweepAgeMs)} ago; ${Math.round(elapsedMs)} ms in all`,
  };
}

function semantic({ semantic, semanticReason }: Receipt): Fact {
  return { label: `Semantic search: ${semantic ? "used" : "not used"}`, detail: plain(semanticReason) };
}

function leftOut({ suppressed, freshness, truncated }: Receipt): readonly Fact[] {
  const below = Object.entries(suppressed)
    .filter(([, count]) => count)
    .map(([reason, count]) => ({ label: plain(reason), detail: String(count) }));
  if (freshness.staleExcluded) {
    below.push({ label: "stale", detail: String(freshness.staleExcluded) });
  }
  if (truncated) {
    below.push({ label: "cut at a bound of the answer", detail: "" });
  }
  return [{ label: "Left out", detail: below.length ? "" : "nothing", below }];
}

function said(label: string, lines: readonly string[]): readonly Fact[] {
  return lines.length ? [{ label, below: lines.map((line) => ({ label: plain(line) })) }] : [];
}

function seconds(milliseconds: number): string {
  return `${(milliseconds / 1000).toFixed(1)} s`;
}
