import assert from "node:assert/strict";
import type { FolderStatus } from "../../src/protocol";
import { alarm, folderName, line, sentence, show } from "../../src/status/state";

const folder = (given: Partial<FolderStatus> = {}): FolderStatus => ({
  root: "file:///tree/so%203",
  state: "ready",
  message: "",
  ...given,
});
const running = { phase: "running", message: "" } as const;

describe("the status item", () => {
  it("tells the truth of each state", () => {
    const texts = [
      show(running, []),
      show(running, [folder({ state: "starting" })]),
      show(running, [folder({ state: "indexing", percent: 41 })]),
      show(running, [folder()]),
      show(running, [folder({ state: "stale" })]),
      show(running, [folder({ state: "error", message: "No room." })]),
      show({ phase: "starting", message: "" }, []),
      show({ phase: "missing", message: "None." }, []),
      show({ phase: "failed", message: "Ended." }, []),
    ].map((shown) => shown?.text);
    assert.deepEqual(texts, [
      "$(loading~spin) Gazetteer: starting",
      "$(loading~spin) Gazetteer: starting",
      "$(sync~spin) Gazetteer: indexing 41 %",
      "$(check) Gazetteer",
      "$(history) Gazetteer: stale",
      "$(error) Gazetteer: error",
      "$(loading~spin) Gazetteer: starting",
      "$(warning) Gazetteer: no server",
      "$(error) Gazetteer: stopped",
    ]);
    assert.equal(show({ phase: "idle", message: "" }, []), undefined);
  });

  it("shows the folder that is worst, and all in its tooltip", () => {
    const shown = show(running, [folder(), folder({ root: "file:///b", state: "indexing", percent: 3 })]);
    assert.match(shown?.text ?? "", /indexing 3 %/);
    assert.equal(shown?.tooltip, "Gazetteer: indexing 3 %\nso 3: ready\nb: indexing 3 %");
  });

  it("is not about corpora that are only asked too", () => {
    const shown = show(running, [folder(), folder({ corpus: "docs", own: false, state: "error", message: "Gone." })]);
    assert.equal(shown?.text, "$(check) Gazetteer");
    assert.match(shown.tooltip, /docs: error\. Gone\./);
  });

  it("tells at once of an error of a folder, and not of that of a corpus, which the answer tells", () => {
    const said = [{ own: true }, {}, { own: false }].map((of) =>
      alarm(folder({ ...of, state: "error", message: "Gone." })),
    );
    assert.deepEqual(said, ["Gone.", "Gone.", undefined]);
    assert.equal(alarm(folder({ state: "stale", message: "Stopped." })), undefined);
  });

  it("says a remedy once", () => {
    assert.equal(sentence(folder({ message: "No room.", remedy: "free some" })), "No room; free some");
    assert.equal(sentence(folder({ message: "No room; free some.", remedy: "free some" })), "No room; free some.");
    const message = "7 files are too many; raise the limit with --max-files 7, or --without some.";
    assert.equal(
      sentence(folder({ message })),
      "7 files are too many; raise the limit with the setting gazetteer.maxFiles 7, or --without some.",
    );
    assert.equal(line(folder({ state: "error", message: "No room." })), "so 3: error. No room.");
    assert.equal(folderName("file:///tree/%zz/"), "%zz");
  });
});
