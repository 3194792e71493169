import assert from "node:assert/strict";
import { Crashes, isOfTheClient, MOST, WITHIN_MS } from "../../src/server/crashes";
import { commands, typed } from "../../src/server/steps";
import { fault, parse } from "../../src/server/version";
import { state } from "../../src/report";

describe("a server that ends by itself", () => {
  it("is started again ten times within a minute, and not an eleventh time", () => {
    let now = 0;
    const crashes = new Crashes(() => now++);
    const allowed = Array.from({ length: MOST + 1 }, () => crashes.mayRestart());
    assert.deepEqual(allowed, [...Array.from({ length: MOST }, () => true), false]);
    now += WITHIN_MS;
    assert.ok(crashes.mayRestart());
  });

  it("counts from the beginning when somebody asked for it", () => {
    const crashes = new Crashes(() => 0);
    Array.from({ length: MOST + 1 }, () => crashes.mayRestart());
    crashes.forget();
    assert.ok(crashes.mayRestart());
  });
});

describe("a request that fails", () => {
  it("is asked again where no server has said anything: the pipe broke while it was written, as after a crash", () => {
    const [unwritten, unread, unanswered, unconnected] = [-32_099, -32_098, -32_097, -32_096];
    assert.ok([unwritten, unread, unanswered, unconnected].every(isOfTheClient));
  });

  it("is not, where the server has said no", () => {
    const [internal, invalid, failed, cancelled, unknown, own] = [-32_603, -32_602, -32_803, -32_800, -32_601, -32_001];
    assert.ok(![internal, invalid, failed, cancelled, unknown, own].some(isOfTheClient));
  });
});

describe("the version of a server", () => {
  it("is read from what it prints", () => {
    assert.equal(parse("gazetteer, version 0.1.0\n"), "0.1.0");
    assert.equal(parse("Python 3.11.2\n"), undefined);
  });

  it("has to fit, and a sentence says what to do when it does not", () => {
    assert.equal(fault("0.1.0", "g"), undefined);
    assert.equal(fault("0.1.12", "g"), undefined);
    assert.match(fault("0.0.9", "g") ?? "", /0\.0\.9; this extension needs 0\.1\.0 or newer.*pip install/);
    assert.match(fault("0.2.0", "g") ?? "", /newer than this extension knows.*Update the extension/);
    assert.match(fault(undefined, "/bin/true") ?? "", /\/bin\/true does not say its version/);
  });
});

describe("an installation", () => {
  it("shows the commands that it runs", () => {
    const steps = commands("python3", "/home/ann lee/environment", "gazetteer==0.1.0", false).map(typed);
    assert.deepEqual(steps, [
      "python3 -m venv '/home/ann lee/environment'",
      "'/home/ann lee/environment/bin/python' -m pip install --disable-pip-version-check --upgrade gazetteer==0.1.0",
    ]);
  });
});

describe("the state of an index", () => {
  it("leaves out what there is nothing to say of", () => {
    const text = state({
      root: "/tree",
      state: "ready",
      reason: "",
      generation: 3,
      documents: 4,
      chunks: 9,
      symbols: 5,
      languages: { python: 3, c: 1 },
      refused: [{ reason: "binary", count: 2 }],
      dbPath: "/cache",
      indexBytes: 1024 * 1024,
    });
    assert.match(text, /^state +ready$/m);
    assert.match(text, /^documents +4 \(python 3, c 1\)$/m);
    assert.match(text, /^left out +binary 2$/m);
    assert.doesNotMatch(text, /last error|partial/);
  });
});
