/**
 * Searches as somebody types: the last question is cancelled when there is a new one, and an answer that comes late is not
 * shown. Pure: how to ask and how to cancel are given.
 */

import type { Answer, Question } from "../protocol";

/** What a token source of the editor offers. */
export interface Source<Token> {
  readonly token: Token;
  cancel(): void;
  dispose(): void;
}

export type Outcome =
  | { readonly kind: "empty" }
  | { readonly kind: "answer"; readonly question: Question; readonly answer: Answer }
  | { readonly kind: "failure"; readonly message: string };

export interface Search<Token> {
  readonly ask: (question: Question, token: Token) => Promise<Answer>;
  readonly source: () => Source<Token>;
  /** Called once for every question that was not overtaken. */
  readonly show: (outcome: Outcome) => void;
  readonly busy: (busy: boolean) => void;
}

export class LiveSearch<Token> {
  private last: Source<Token> | undefined;
  private asked: Question | undefined;

  constructor(private readonly search: Search<Token>) {}

  /** Ask the question that stands there now; resolves when its answer was shown or it was overtaken. */
  async ask(given: Question): Promise<void> {
    const question = { ...given, query: given.query.trim() };
    if (question.query === this.asked?.query && question.typed === this.asked.typed) {
      return; // a blank more asks nothing new
    }
    this.stop();
    this.asked = question;
    if (!question.query) {
      this.search.show({ kind: "empty" });
      return;
    }
    const source = this.search.source();
    this.last = source;
    this.search.busy(true);
    const outcome = await this.outcome(question, source);
    if (this.last === source) {
      this.last = undefined;
      if (outcome.kind === "failure") {
        this.asked = undefined; // the same may be asked again
      }
      this.search.busy(false);
      this.search.show(outcome);
    }
    source.dispose();
  }

  /** Cancel what is under way. */
  stop(): void {
    this.last?.cancel();
    this.last = undefined;
    this.asked = undefined;
    this.search.busy(false);
  }

  private async outcome(question: Question, source: Source<Token>): Promise<Outcome> {
    try {
      return { kind: "answer", question, answer: await this.search.ask(question, source.token) };
    } catch (error) {
      return { kind: "failure", message: error instanceof Error ? error.message : String(error) };
    }
  }
}
