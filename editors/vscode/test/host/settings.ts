/** Each setting changes what it says that it changes, while the window is open. */

import * as fs from "node:fs";
import * as path from "node:path";
import * as vscode from "vscode";
import type { TraceChannel } from "../../src/server/logs";
import { serverSettings } from "../../src/server/settings";
import { api, assert, file, found, openAt, ready, scratch, set, unset, until, write } from "./bench";
import { hand, ROW, TOAST } from "./hand";
import { hover } from "./reading";
import { fillFolder, status } from "./upkeep";

/** Paths of what a question finds; none while the index is opened under other settings. */
async function findable(query: string): Promise<readonly string[]> {
  return await found(query).catch((error: unknown) => {
    assert.match(String(error), /ask again/);
    return [];
  });
}

const REFUND = "fourteen days refunded";

/** How many processes of the server read files now. */
function readers(): number {
  const { pid } = api().parts.server;
  const children = fs.readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim().split(" ").filter(Boolean);
  return children.filter((child) => commandLine(child).includes("derive_pool_child")).length;
}

function commandLine(pid: string): string {
  try {
    return fs.readFileSync(`/proc/${pid}/cmdline`, "utf8");
  } catch {
    return ""; // it has ended
  }
}

/** What is written to a channel from now on: the VS Code under test has no library to write channels with. */
function recorded(channel: TraceChannel): string[] {
  const written: string[] = [];
  const append = (line: string): void => void written.push(line);
  Object.defineProperty(channel, "channel", { value: { appendLine: append }, configurable: true });
  return written;
}

export function settings(): void {
  describe("settings", () => {
    afterEach(async () => {
      await unset();
      await until("all is as it was", async () => (await findable(REFUND))[0] === "docs/returns.md");
      await ready(api());
    });

    it("are given to the server where they are set, and not where they are not", async () => {
      const values = { exclude: ["nothing/**"], "navigation.languages": ["lua"], maxFileBytes: 1_000_000 };
      const sent = Object.keys(serverSettings());
      await set(values);
      await until("all are set", () => Object.keys(values).every((key) => key in serverSettings()));
      await unset();
      await until("none is set", () => Object.keys(serverSettings()).join() === sent.join());
    });

    it("ask.limit: so many places are shown; ask.preview: none is shown while moving when that is off", async () => {
      await set({ "ask.limit": 1, "ask.preview": false });
      await vscode.commands.executeCommand("gazetteer.ask", "article");
      await until("one entry", () => api().commands.asking?.entries.length === 1);
      await new Promise((resolve) => setTimeout(resolve, 300)); // longer than a preview would take to come
      assert.equal(vscode.window.activeTextEditor, undefined);
    });

    it("hover.enable: no card when it is off", async () => {
      await openAt("shop/till.py", "Cart)");
      await until("a card", () => hover("shop/till.py", "Cart)"));
      await set({ "hover.enable": false });
      await until("no card", async () => (await hover("shop/till.py", "Cart)")) === "");
    });

    it("trace.server: messages are written without what they say, or with it, or not at all", async () => {
      const { trace } = api().parts.logs;
      const written = recorded(trace);
      const ask = async (word: string): Promise<string> => {
        written.length = 0;
        await api().parts.questions.retrieve({ query: word });
        return written.join("\n");
      };
      assert.equal(await ask("quokka"), "");
      await set({ "trace.server": "messages" });
      assert.doesNotMatch(await until("messages", async () => await ask("quokka")), /quokka/);
      assert.match(written.join("\n"), /gazetteer\/retrieve/);
      await set({ "trace.server": "verbose" });
      await until("what they say", async () => (await ask("quokka")).includes("quokka"));
      await set({ "trace.server": "off" });
      await until("nothing", async () => (await ask("quokka")) === "");
    });

    it("exclude: paths that match are left out", async () => {
      await set({ exclude: ["docs/**"] });
      await until("it is left out", async () => !(await findable(REFUND)).includes("docs/returns.md"));
    });

    it("maxFileBytes: larger files are left out, and counted", async () => {
      await set({ maxFileBytes: 300 });
      await until("it is left out", async () => !(await findable("articles of a Cart")).includes("shop/cart.py"));
      const { refused } = await status();
      assert.ok((refused ?? []).length, JSON.stringify(refused));
    });

    it("maxFiles: a larger tree is refused with the setting that helps; allowPartial: a part of it is indexed", async () => {
      await set({ maxFiles: 2 });
      const { status: item } = api().parts;
      await until("it is refused", () => item.shown?.text === "$(error) Gazetteer: error");
      assert.match(item.shown?.tooltip ?? "", /the setting gazetteer\.maxFiles \d+/);
      await hand.read(TOAST, "raise the limit with the setting gazetteer\\.maxFiles");
      const shown = vscode.commands.executeCommand("gazetteer.showMenu");
      assert.match(await hand.labels(".quick-input-widget input"), /gazetteer\.maxFiles|/);
      await hand.read(ROW, "Restart Server");
      await vscode.commands.executeCommand("workbench.action.closeQuickOpen");
      await shown;
      await set({ allowPartial: true });
      await ready(api());
      const { receipt } = await api().parts.questions.retrieve({ query: "article" });
      assert.ok(
        receipt.snapshot.corpora.some(({ partial }) => partial),
        JSON.stringify(receipt.snapshot),
      );
    });

    it("dbPath: indexes are kept there", async () => {
      const folder = await scratch("indexes");
      await set({ dbPath: folder.fsPath });
      await until("it is there", async () => (await status()).dbPath.startsWith(folder.fsPath));
      assert.equal((await findable(REFUND))[0], "docs/returns.md");
      assert.ok(fs.readdirSync(folder.fsPath).length);
      await unset();
      await until("it is where it was", async () => !(await status()).dbPath.startsWith(folder.fsPath));
      await vscode.workspace.fs.delete(folder, { recursive: true });
    });

    it("corpusRoot: relative paths of the registry start there", async () => {
      const folder = await scratch("roots");
      write(vscode.Uri.joinPath(folder, "ferry/timetable.md"), "# Ferry\n");
      const registry = path.join(process.env.XDG_CONFIG_HOME ?? "", "gazetteer/projects.json");
      write(vscode.Uri.file(registry), JSON.stringify({ relative: { path: "ferry" } }));
      const at = async (): Promise<string | undefined> => {
        await vscode.commands.executeCommand("gazetteer.corpora.refresh");
        return api().parts.corpora.shown.find(({ name }) => name === "relative")?.path;
      };
      assert.equal(await at(), path.join(path.dirname(registry), "ferry"));
      await set({ corpusRoot: folder.fsPath });
      await until("it is there", async () => (await at()) === path.join(folder.fsPath, "ferry"));
      fs.rmSync(registry);
      await at();
      await vscode.workspace.fs.delete(folder, { recursive: true });
    });

    it("corpus: questions go to a registered corpus instead of the folder", async () => {
      const folder = await scratch("quay");
      const quay = vscode.Uri.joinPath(folder, "quay.md");
      write(quay, "# Quay\n\nWhere the ferry is refunded after fourteen days.\n");
      await vscode.commands.executeCommand("gazetteer.corpora.add", folder);
      const name = api().parts.corpora.shown.find((row) => row.path === folder.fsPath)?.name;
      await set({ corpus: name });
      await until("it answers alone", async () => (await findable(REFUND)).join() === quay.fsPath);
      await unset();
      await until("the folder answers", async () => (await findable(REFUND))[0] === "docs/returns.md");
      await api().parts.server.request("gazetteer/corpus.remove", { name });
      await vscode.workspace.fs.delete(folder, { recursive: true });
    });

    it("sweepReuseMs: a look at the tree is used for so long; watch: what changes is noticed meanwhile", async () => {
      // the editor watches nothing in this folder, see the settings of this suite
      const [ferry, train] = [file("unwatched/ferry.md"), file("unwatched/train.md")];
      const reused = (): Promise<boolean> =>
        until("a look is used again", async () => {
          const { receipt } = await api().parts.questions.retrieve({ query: REFUND });
          return receipt.freshness.sweepAgeMs > 1_500;
        });
      write(ferry, "# Ferry\n");
      await set({ sweepReuseMs: 60_000 });
      await reused();
      write(ferry, "# Ferry\n\nIt leaves the harbour at noon.\n");
      write(train, "# Train\n\nIt leaves the station at six.\n");
      assert.deepEqual(await findable("harbour noon"), []);
      await set({ sweepReuseMs: 0 });
      await until("it is looked at again", async () => (await findable("harbour noon")).length);
      await set({ sweepReuseMs: 60_000, watch: true });
      await reused();
      write(train, "# Depot\n\nCleaned every midnight.\n");
      await until("it is noticed", async () => (await findable("depot midnight")).includes("unwatched/train.md"));
      fs.rmSync(path.dirname(ferry.fsPath), { recursive: true });
    });

    it("workers: so many processes read a tree", async () => {
      const clear = await fillFolder(200);
      const most = async (workers: number): Promise<number> => {
        await set({ workers });
        await until("it is so", () => serverSettings().workers === workers);
        await ready(api());
        await until("those of before have ended", () => readers() === 0);
        let seen = 0;
        const rebuilt = { done: false };
        const asked = api()
          .parts.server.request("gazetteer/reindex", {})
          .finally(() => (rebuilt.done = true));
        while (!rebuilt.done) {
          seen = Math.max(seen, readers());
          await new Promise((resolve) => setTimeout(resolve, 5));
        }
        await asked;
        return seen;
      };
      for (const workers of [1, 3]) {
        // all that come may have gone between two looks; more than so many never come
        await until(`${workers} at once`, async () => {
          const seen = await most(workers);
          assert.ok(seen <= workers, `${seen} of ${workers}`);
          return seen === workers;
        });
      }
      await clear();
    });
  });
}
