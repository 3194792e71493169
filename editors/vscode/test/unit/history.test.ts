import assert from "node:assert/strict";
import { History, MOST } from "../../src/ask/history";

function history(kept?: unknown): History {
  const state = new Map<string, unknown>([["questions", kept]]);
  return new History({
    get: (key) => state.get(key),
    update: async (key, value) => {
      await Promise.resolve(state.set(key, value));
    },
  });
}

describe("the history of questions", () => {
  it("has the last one first, each once, and not too many", async () => {
    const kept = history();
    for (const question of ["a", "b", " a ", "  ", ...Array.from({ length: MOST }, (_, at) => `q${at}`)]) {
      await kept.add(question);
    }
    assert.equal(kept.questions[0], `q${MOST - 1}`);
    assert.equal(kept.questions.length, MOST);
    await kept.add("q0");
    assert.equal(kept.questions.filter((one) => one === "q0").length, 1);
    await kept.clear();
    assert.deepEqual(kept.questions, []);
  });

  it("takes nothing else for questions", () => {
    assert.deepEqual(history({ no: "list" }).questions, []);
    assert.deepEqual(history([1, "a", null]).questions, ["a"]);
  });
});
