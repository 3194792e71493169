/** The questions that were asked and led somewhere, the last one first. Pure: where they are kept is given. */

/** What the editor's state offers. */
export interface Store {
  get(key: string): unknown;
  update(key: string, value: unknown): PromiseLike<void>;
}

const KEY = "questions";
export const MOST = 50;

export class History {
  constructor(private readonly store: Store) {}

  get questions(): readonly string[] {
    const kept = this.store.get(KEY);
    return Array.isArray(kept) ? kept.filter((one) => typeof one === "string") : [];
  }

  async add(question: string): Promise<void> {
    const words = question.trim();
    if (words) {
      await this.store.update(KEY, [words, ...this.questions.filter((one) => one !== words)].slice(0, MOST));
    }
  }

  async clear(): Promise<void> {
    await this.store.update(KEY, undefined);
  }
}
