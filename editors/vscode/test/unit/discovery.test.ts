import assert from "node:assert/strict";
import {
  candidates,
  choose,
  isInside,
  NOT_FOUND,
  type Found,
  type Missing,
  type Sources,
} from "../../src/server/discovery";

const sources = (given: Partial<Sources>, ...programs: string[]): Sources => ({
  setting: "",
  environments: ["/env/bin"],
  path: ["/usr/bin"],
  own: "/own/bin",
  roots: ["/tree"],
  trusted: true,
  windows: false,
  isExecutable: (file) => programs.includes(file),
  ...given,
});

/** The first choice. */
function find(given: Sources): Found | Missing {
  const found = candidates(given);
  return "reason" in found ? found : (found[0] ?? { reason: "none" });
}

describe("discovery of the server", () => {
  const everywhere = ["/set/gazetteer", "/env/bin/gazetteer", "/usr/bin/gazetteer", "/own/bin/gazetteer"];

  it("takes the setting, then the environment, then PATH, then its own", () => {
    const order = [];
    const left = [...everywhere];
    for (let setting = "/set/gazetteer"; left.length; setting = "") {
      const found = find(sources({ setting }, ...left));
      assert.ok("command" in found);
      order.push(found.from);
      left.splice(left.indexOf(found.command), 1);
    }
    assert.deepEqual(order, ["setting", "environment", "path", "own"]);
  });

  it("runs nothing else when the setting names what cannot be run", () => {
    const found = find(sources({ setting: "/gone/gazetteer" }, ...everywhere));
    assert.match("reason" in found ? found.reason : "", /gazetteer\.server\.path names \/gone\/gazetteer/);
  });

  it("says when there is none", () => {
    assert.deepEqual(find(sources({})), { reason: NOT_FOUND });
  });

  it("takes nothing out of a workspace that is not trusted, and nothing from a relative folder ever", () => {
    const inside = { environments: ["/tree/.venv/bin"], path: [".", "bin", "/tree/bin"] };
    const programs = ["/tree/.venv/bin/gazetteer", "/tree/bin/gazetteer", "gazetteer", "bin/gazetteer"];
    assert.deepEqual(find(sources({ ...inside, trusted: false }, ...programs)), { reason: NOT_FOUND });
    assert.deepEqual(find(sources(inside, ...programs)), { command: "/tree/.venv/bin/gazetteer", from: "environment" });
  });

  it("passes by one that does not fit, and says why the first does not when none does", async () => {
    const skipped: string[] = [];
    const fits = (wanted: string) => (command: string) =>
      Promise.resolve(command === wanted ? undefined : `${command} is too old`);
    const given = sources({}, ...everywhere);
    const found = await choose(given, fits("/own/bin/gazetteer"), (reason) => skipped.push(reason));
    assert.deepEqual(found, { command: "/own/bin/gazetteer", from: "own" });
    assert.deepEqual(skipped, ["/env/bin/gazetteer is too old", "/usr/bin/gazetteer is too old"]);
    const none = await choose(given, fits("/other"), () => undefined);
    assert.deepEqual(none, { reason: "/env/bin/gazetteer is too old" });
  });

  it("passes by nothing that the setting names", async () => {
    const given = sources({ setting: "/set/gazetteer" }, ...everywhere);
    const old = (command: string): Promise<string | undefined> =>
      Promise.resolve(command === "/set/gazetteer" ? "too old" : undefined);
    assert.deepEqual(await choose(given, old, () => undefined), { reason: "too old" });
  });

  it("tells what lies in a folder", () => {
    assert.ok(isInside("/tree", "/tree") && isInside("/tree/a", "/tree"));
    assert.ok(!isInside("/tree2", "/tree") && !isInside("/", "/tree"));
  });
});
