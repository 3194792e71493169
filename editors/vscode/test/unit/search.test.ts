import assert from "node:assert/strict";
import { LiveSearch, type Outcome } from "../../src/ask/search";
import type { Answer, Question } from "../../src/protocol";

/** A server that answers when it is told to. */
class Server {
  readonly asked: { question: Question; cancelled: boolean; answer: () => void; fail: (error: Error) => void }[] = [];
  readonly shown: Outcome[] = [];
  busy = false;

  readonly search = new LiveSearch<object>({
    ask: (question) =>
      new Promise<Answer>((resolve, reject) => {
        const one = {
          question,
          cancelled: false,
          answer: () => {
            resolve({ hits: [] } as unknown as Answer);
          },
          fail: reject,
        };
        this.asked.push(one);
      }),
    source: () => {
      const at = this.asked.length;
      return {
        token: {},
        cancel: () => {
          const one = this.asked[at];
          if (one) {
            one.cancelled = true;
          }
        },
        dispose: () => undefined,
      };
    },
    show: (outcome) => this.shown.push(outcome),
    busy: (busy) => (this.busy = busy),
  });
}

describe("search while typing", () => {
  it("cancels the last question when there is a new one, and shows the last answer only", async () => {
    const server = new Server();
    const first = server.search.ask({ query: "a", typed: true });
    const second = server.search.ask({ query: "ab", typed: true });
    assert.deepEqual(
      server.asked.map(({ cancelled }) => cancelled),
      [true, false],
    );
    server.asked[1]?.answer();
    server.asked[0]?.answer(); // late
    await Promise.all([first, second]);
    assert.deepEqual(
      server.shown.map((one) => one.kind === "answer" && one.question.query),
      ["ab"],
    );
    assert.equal(server.busy, false);
  });

  it("asks nothing for a blank more, and asks again when a text that was given is typed", () => {
    const server = new Server();
    void server.search.ask({ query: "lang:c" });
    void server.search.ask({ query: "lang:c " });
    assert.equal(server.asked.length, 1);
    void server.search.ask({ query: "lang:c", typed: true });
    assert.equal(server.asked.length, 2);
  });

  it("is empty for no words, and forgets what was asked", async () => {
    const server = new Server();
    const overtaken = server.search.ask({ query: "a" });
    await server.search.ask({ query: "  " });
    assert.deepEqual(server.shown, [{ kind: "empty" }]);
    assert.equal(server.asked[0]?.cancelled, true);
    server.asked[0]?.answer();
    await overtaken;
    assert.equal(server.shown.length, 1);
  });

  it("says what went wrong, and nothing of what was overtaken", async () => {
    const server = new Server();
    const first = server.search.ask({ query: "a" });
    const second = server.search.ask({ query: "b" });
    server.asked[0]?.fail(new Error("cancelled"));
    server.asked[1]?.fail(new Error("kind does not fit"));
    await Promise.all([first, second]);
    assert.deepEqual(server.shown, [{ kind: "failure", message: "kind does not fit" }]);
  });

  it("asks again what failed", async () => {
    const server = new Server();
    const first = server.search.ask({ query: "a" });
    server.asked[0]?.fail(new Error("the server is not there"));
    await first;
    void server.search.ask({ query: "a" });
    assert.equal(server.asked.length, 2);
  });
});
