import assert from "node:assert/strict";
import { parse } from "../../src/ask/filters";

describe("filters of a question", () => {
  it("are taken out of the words", () => {
    assert.deepEqual(parse("tax rate lang:python,go path:src/** kind:function"), {
      query: "tax rate",
      lang: ["python", "go"],
      path: ["src/**"],
      kind: ["function"],
    });
  });
});
