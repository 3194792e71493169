/** The corpora view: what is there, and adding, attaching, detaching and removing. */

import * as vscode from "vscode";
import type { Row } from "../../src/corpora/listing";
import { api, assert, scratch, until, write } from "./bench";
import { BOX, DIALOG, hand, ROW, TOAST } from "./hand";
import { fill } from "./results";

/** A folder of its own with one document about a ferry. */
async function harbour(): Promise<vscode.Uri> {
  const folder = await scratch("ferry");
  write(vscode.Uri.joinPath(folder, "timetable.md"), "# Ferry\n\nThe ferry to Zanzibar leaves the harbour at noon.\n");
  await vscode.workspace.fs.createDirectory(vscode.Uri.joinPath(folder, "quay"));
  return folder;
}

function rowOf({ fsPath }: vscode.Uri): Row | undefined {
  return api().parts.corpora.shown.find(({ path }) => path === fsPath);
}

/** Names of the corpora that an answer comes from. */
async function answering(): Promise<readonly string[]> {
  return (await api().parts.questions.retrieve({ query: "ferry harbour" })).hits.map(({ corpus }) => corpus);
}

export function corpora(): void {
  describe("corpora view", () => {
    let ferry: vscode.Uri;
    before(async () => {
      ferry = await harbour();
    });
    after(async () => {
      await vscode.workspace.fs.delete(ferry, { recursive: true });
    });

    it("lists the folder of the window", async () => {
      await vscode.commands.executeCommand("gazetteer.corpora.show");
      await vscode.commands.executeCommand("gazetteer.corpora.refresh");
      const [own] = api().parts.corpora.shown;
      assert.equal(own?.kind, "own");
      assert.match(own.name, /^shop-\d+$/);
      assert.match(await hand.read(".customview-tree .monaco-list-row", own.name), /ready/);
    });

    it("says that there is nothing to remove", async () => {
      await vscode.commands.executeCommand("gazetteer.corpora.remove");
      await hand.read(TOAST, "there is no such corpus; add a folder first");
    });

    it("registers a folder that is chosen", async () => {
      const added = vscode.commands.executeCommand("gazetteer.corpora.add");
      await hand.read(BOX);
      await hand.read(ROW, "\\.\\."); // by now the dialog has said where it begins, and will not say so again
      await hand.press("Control+a");
      await hand.type(`${ferry.fsPath}/`);
      await hand.read(ROW, "quay"); // it looks into that folder now
      await hand.press("Enter");
      await added;
      assert.equal(rowOf(ferry)?.kind, "registered");
    });

    it("asks a corpus when it is attached, and no more when it is detached", async () => {
      await vscode.commands.executeCommand("gazetteer.corpora.add", ferry);
      assert.equal(rowOf(ferry)?.kind, "registered");
      const name = rowOf(ferry)?.name;
      assert.deepEqual(await answering(), []);
      await vscode.commands.executeCommand("gazetteer.corpora.attach", rowOf(ferry));
      assert.equal(rowOf(ferry)?.kind, "attached");
      assert.deepEqual(await until("an answer", async () => (await answering()).length && (await answering())), [name]);
      await fill("the ferry or the price of an article");
      const groups = api().parts.results.getChildren();
      assert.ok(
        groups.some((node) => node.kind === "corpus" && node.name === name),
        "grouped by corpus",
      );
      await vscode.commands.executeCommand("gazetteer.corpora.detach", rowOf(ferry));
      assert.deepEqual(await answering(), []);
    });

    it("removes a corpus when that is confirmed, and not before; its files stay", async () => {
      const removed = vscode.commands.executeCommand("gazetteer.corpora.remove", rowOf(ferry));
      assert.match(await hand.read(DIALOG), /Remove the corpus .*Its index goes; its files stay as they are/s);
      await hand.click(`${DIALOG} .monaco-button`, "Cancel");
      await removed;
      assert.equal(rowOf(ferry)?.kind, "registered");
      const chosen = vscode.commands.executeCommand("gazetteer.corpora.remove");
      await hand.click(ROW, rowOf(ferry)?.name ?? "");
      await hand.click(`${DIALOG} .monaco-button`, "Remove");
      await chosen;
      assert.equal(rowOf(ferry), undefined);
      assert.ok((await vscode.workspace.fs.readDirectory(ferry)).length);
    });

    it("says of a corpus that its folder is gone", async () => {
      const gone = await scratch("gone");
      write(vscode.Uri.joinPath(gone, "a.md"), "# A\n");
      await vscode.commands.executeCommand("gazetteer.corpora.add", gone);
      await vscode.workspace.fs.delete(gone, { recursive: true });
      await vscode.commands.executeCommand("gazetteer.corpora.refresh");
      assert.match(rowOf(gone)?.detail ?? "", /its folder is gone/);
      const removed = vscode.commands.executeCommand("gazetteer.corpora.remove", rowOf(gone));
      await hand.click(`${DIALOG} .monaco-button`, "Remove");
      await removed;
      assert.equal(rowOf(gone), undefined);
    });
  });
}
