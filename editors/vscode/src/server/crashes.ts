/** A server that ended by itself: what tells it from one that says no, and how often it is started again. Pure. */

export const MOST = 10;
export const WITHIN_MS = 60_000;

/**
 * Whether an error has a code that the client's own library gives, and no server: a request could not be written, its
 * answer not be read, or there is no connection (`MessageWriteError`, `MessageReadError`, `PendingResponseRejected` and
 * `ConnectionInactive` of vscode-jsonrpc).
 */
export const isOfTheClient = (code: number): boolean => code >= -32_099 && code <= -32_096;

/** Ten times within a minute, and then no more. */
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
