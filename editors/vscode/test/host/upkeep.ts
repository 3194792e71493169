/** The status item and its menu, the index, the log: what is said of them is so. */

import * as vscode from "vscode";
import type { IndexStatus } from "../../src/protocol";
import { api, assert, failed, file, found, ready, shows, until, write } from "./bench";
import { BOX, hand, ROW } from "./hand";

/** How the index is. */
export async function status(): Promise<IndexStatus> {
  return await api().parts.server.request("gazetteer/status", {});
}

/** Write so many small files below a folder of the workspace; returns how to take them away again. */
export async function fillFolder(count: number): Promise<() => Promise<void>> {
  for (let at = 0; at < count; at++) {
    write(file(`many/part${at}.py`), `def part_${at}():\n    """Number ${at} of many."""\n`);
  }
  await vscode.commands.executeCommand("gazetteer.syncIndex");
  return async () => {
    await vscode.workspace.fs.delete(file("many"), { recursive: true });
    await vscode.commands.executeCommand("gazetteer.syncIndex");
  };
}

/** The entries of the menu that is open. */
async function menu(): Promise<readonly string[]> {
  await hand.read(ROW, "Show Logs");
  return (await hand.labels(ROW)).split("\n");
}

/** Begin to read everything again, and stop that; false when all was read before the server heard of it. */
async function stopped(): Promise<boolean> {
  const { server } = api().parts;
  const source = new vscode.CancellationTokenSource();
  const listening = server.onFolderStatus(({ state }) => {
    if (state === "indexing") {
      source.cancel();
    }
  });
  try {
    await server.request("gazetteer/reindex", {}, source.token);
    return false;
  } catch (error) {
    assert.ok(error instanceof vscode.CancellationError, String(error));
    return true;
  } finally {
    listening.dispose();
  }
}

export function upkeep(): void {
  describe("status, menu, index, log", () => {
    const text = (): string => api().parts.status.shown?.text ?? "";

    it("takes in what another program wrote, and reads everything again", async () => {
      await until("ready", () => text() === "$(check) Gazetteer");
      const before = (await status()).generation;
      write(file("docs/ferry.md"), "# Ferry\n\nIt leaves the harbour at noon.\n");
      await vscode.commands.executeCommand("gazetteer.syncIndex");
      const synced = await status();
      assert.ok(synced.generation > before, `${synced.generation} > ${before}`);
      assert.deepEqual((await found("ferry harbour noon"))[0], "docs/ferry.md");
      await vscode.workspace.fs.delete(file("docs/ferry.md"));
      await vscode.commands.executeCommand("gazetteer.rebuildIndex");
      const rebuilt = await status();
      assert.ok(rebuilt.generation > synced.generation);
      assert.equal(rebuilt.documents, synced.documents - 1);
      await until("ready", () => text() === "$(check) Gazetteer");
    });

    it("shows the state of the index", async () => {
      await vscode.commands.executeCommand("gazetteer.showState");
      const { document } = await shows("State of the Index");
      assert.match(document.getText(), /^state +ready/m);
      assert.match(document.getText(), new RegExp(`^documents +${(await status()).documents} \\(python`, "m"));
    });

    it("says that it starts, how much is indexed, that it was stopped, and that it is ready", async () => {
      const clear = await fillFolder(300);
      const said: string[] = [];
      const { server } = api().parts;
      const note = (): void => void said.push(text());
      const listening = [server.onDidChange(note), server.onFolderStatus(note)];
      const pid = server.pid;
      const restarted = vscode.commands.executeCommand("gazetteer.restart");
      assert.ok((await found("price of one article")).length, "who asks meanwhile waits");
      await restarted;
      await ready(api());
      assert.notEqual(server.pid, pid);
      await vscode.commands.executeCommand("gazetteer.rebuildIndex");
      assert.ok(said.includes("$(loading~spin) Gazetteer: starting"), said.join());
      assert.ok(
        said.some((one) => /^\$\(sync~spin\) Gazetteer: indexing \d+ %$/.test(one)),
        said.join(),
      );
      await until("one is stopped before it is over", () => stopped());
      await until("it says that it was stopped", () => text() === "$(history) Gazetteer: stale");
      assert.match(api().parts.status.shown?.tooltip ?? "", /stopped/);
      for (const one of listening) {
        one.dispose();
      }
      await clear();
      await until("ready", () => text() === "$(check) Gazetteer");
    });

    it("offers a menu, and does what is chosen", async () => {
      const shown = vscode.commands.executeCommand("gazetteer.showMenu");
      const offered = await menu();
      const wanted = [
        "Ask Corpus",
        "Sync Index",
        "Rebuild Index",
        "Show State",
        "Corpora",
        "Restart",
        "Show Logs",
        "Walk",
      ];
      assert.equal(offered.length, wanted.length, offered.join());
      wanted.forEach((entry, at) => {
        assert.ok(offered[at]?.includes(entry), `${offered[at]}: ${entry}`);
      });
      await hand.type("Show State");
      await hand.press("Enter");
      await shown;
      await shows("State of the Index");
    });

    it("has no entry for a semantic index, which this server has not, and says so to who asks", async () => {
      await vscode.commands.executeCommand("workbench.action.showCommands");
      await hand.read(ROW);
      await hand.type("Gazetteer: Build Semantic Index");
      await until("no such command", async () => !(await hand.all(ROW)).includes("Build Semantic"));
      await hand.read(BOX);
      await vscode.commands.executeCommand("workbench.action.closeQuickOpen");
      await vscode.commands.executeCommand("gazetteer.semanticIndex");
      assert.match(failed().join(), /has no semantic index; nothing has to be built/);
    });

    it("shows its log", async () => {
      await vscode.commands.executeCommand("gazetteer.showLogs");
      await until("the log is shown", () =>
        vscode.window.visibleTextEditors.some(
          ({ document }) => document.uri.toString() === "output:gazetteer.gazetteer.Gazetteer",
        ),
      );
      await vscode.commands.executeCommand("workbench.action.closePanel");
    });
  });
}
