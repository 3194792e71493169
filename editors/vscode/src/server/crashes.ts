/** How often a server that ended by itself is started again: ten times within a minute, and then no more. Pure. */

export const MOST = 10;
export const WITHIN_MS = 60_000;

export class Crashes {
  private times: number[] = [];

  /** `now` is the clock, in milliseconds. */
  constructor(private readonly now: () => number) {}

  /** Note one; false when the server is not to be started again. */
  mayRestart(): boolean {
    const now = this.now();
    this.times = [...this.times.filter((time) => now - time < WITHIN_MS), now];
    return this.times.length <= MOST;
  }

  /** Forget all: somebody asked for the server. */
  forget(): void {
    this.times = [];
  }
}
