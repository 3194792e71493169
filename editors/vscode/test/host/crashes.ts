/** A server that is killed comes back ten times within a minute, wherever it was; the eleventh time it does not. */

import type { ServerState } from "../../src/server/supervisor";
import * as vscode from "vscode";
import type { Api } from "../../src/extension";
import { assert, extension, openAt, phase, ready, runSuite, until } from "./bench";

export const run = (): Promise<void> =>
  runSuite(() => {
    let api: Api;
    before(async () => {
      api = await extension();
      await ready(api);
    });

    const kill = async (): Promise<void> => {
      const { server } = api.parts;
      const pid = await until("a process", () => server.pid);
      process.kill(pid, "SIGKILL");
      await until("another process", () => server.pid !== pid);
    };
    const ask = async (): Promise<number> =>
      (await api.parts.questions.retrieve({ query: "fourteen days refunded" })).hits.length;

    /** Where it is killed: each leaves the extension in the middle of something else. */
    const places: Readonly<Record<string, () => Promise<void>>> = {
      "at rest": kill,
      "over a question": async () => {
        const asked = ask();
        await kill();
        assert.ok(await asked);
      },
      "while it starts": async () => {
        await kill();
        await kill();
      },
      "over many questions": async () => {
        const asked = Array.from({ length: 20 }, ask);
        await kill();
        assert.ok((await Promise.all(asked)).every(Boolean));
      },
      "with an unsaved text": async () => {
        const editor = await openAt("shop/till.py");
        await editor.edit((edit) => {
          edit.insert(new vscode.Position(0, 0), "# quagga\n");
        });
        await kill();
        const { hits } = await api.parts.questions.retrieve({ query: "quagga" });
        assert.equal(hits[0]?.freshness, "overlay");
      },
      "over the list": async () => {
        await vscode.commands.executeCommand("gazetteer.ask", "fourteen days refunded");
        await until("the list has it", () => api.commands.asking?.entries[0]?.hit);
        await kill();
        await api.commands.asking?.type("price of one article");
        assert.ok(api.commands.asking?.entries[0]?.hit);
        api.commands.asking.hide();
      },
      "while it indexes": async () => {
        const indexed = api.parts.server.request("gazetteer/reindex", {});
        await kill();
        await indexed;
      },
      "over a hover": async () => {
        const { document } = await openAt("shop/cart.py", "price_of");
        const at = document.positionAt(document.getText().indexOf("price_of("));
        const hovered = vscode.commands.executeCommand("vscode.executeHoverProvider", document.uri, at);
        await kill();
        await hovered;
      },
      "after a change of settings": async () => {
        const configuration = vscode.workspace.getConfiguration("gazetteer");
        await configuration.update("exclude", ["nothing/**"], vscode.ConfigurationTarget.Global);
        await kill();
      },
    };

    it("comes back after being killed in ten places", async () => {
      for (const [name, act] of Object.entries(places)) {
        await act();
        await phase(api, "running").catch((error: unknown) => {
          throw new Error(`${name}: ${String(error)}`);
        });
        assert.ok(await ask(), name);
      }
    });

    it("stops at the eleventh with a message that says what to do, and starts again when asked", async () => {
      const told: ServerState[] = [];
      const listening = api.parts.server.onDidChange((state) => told.push(state));
      // each as soon as there is one: those of before may lie more than a minute back
      const killed = new Set<number>();
      await until("it stays down", () => {
        const { pid, state } = api.parts.server;
        if (pid !== undefined && !killed.has(pid)) {
          killed.add(pid);
          process.kill(pid, "SIGKILL");
        }
        return state.phase === "failed";
      });
      listening.dispose();
      assert.match(told.at(-1)?.message ?? "", /ended 11 times within a minute and is not started again.*restart it/);
      assert.equal(api.parts.status.shown?.severity, "error");
      await assert.rejects(ask(), /not started again/);
      await vscode.commands.executeCommand("gazetteer.restart");
      await phase(api, "running");
      assert.ok(await ask());
    });

    it("shows its log", async () => {
      await vscode.commands.executeCommand("gazetteer.showLogs");
    });
  });
