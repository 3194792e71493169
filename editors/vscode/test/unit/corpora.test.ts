import assert from "node:assert/strict";
import { rows } from "../../src/corpora/listing";

describe("the corpora", () => {
  it("are the window's own, then those of the registry by name, then what is broken", () => {
    const listing = {
      corpora: [
        { name: "so3", root: "/trees/so3", kind: "kernel", state: "ready", documents: 7 },
        { name: "docs", root: "/trees/docs", shared: true, autoindex: true, there: false },
        { name: "new", root: "/trees/new", index: "none", state: null },
      ],
      broken: [{ name: "bad", reason: "its path is no text" }],
    };
    const folders = [
      { root: "file:///tree", state: "ready", message: "" },
      { root: "file:///trees/so3", state: "ready", message: "", own: false },
    ] as const;
    const found = rows(folders, listing, ["so3"]);
    assert.deepEqual(
      found.map(({ kind, name, detail }) => [kind, name, detail]),
      [
        ["own", "tree", "ready"],
        ["registered", "docs", "shared · autoindex · its folder is gone · /trees/docs"],
        ["registered", "new", "not indexed yet · /trees/new"],
        ["attached", "so3", "attached · kernel · ready (7 documents) · /trees/so3"],
        ["broken", "bad", "its path is no text"],
      ],
    );
  });
});
