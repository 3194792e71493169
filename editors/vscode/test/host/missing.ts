/** Without a server the window says so, offers a way, and starts it as soon as there is one. */

import * as vscode from "vscode";
import type { Api } from "../../src/extension";
import { assert, extension, phase, runSuite } from "./bench";

export const run = (): Promise<void> =>
  runSuite(() => {
    let api: Api;
    before(async () => {
      api = await extension();
    });

    it("says that there is none and what can be done", async () => {
      await phase(api, "missing");
      assert.equal(api.parts.status.shown?.text, "$(warning) Gazetteer: no server");
      await assert.rejects(api.parts.questions.retrieve({ query: "refund" }), /No Gazetteer server/);
    });

    it("says when a program is no server", async () => {
      const configuration = vscode.workspace.getConfiguration("gazetteer");
      await configuration.update("server.path", "/bin/true", vscode.ConfigurationTarget.Global);
      await vscode.commands.executeCommand("gazetteer.restart");
      await phase(api, "missing");
      assert.match(api.parts.server.state.message, /\/bin\/true does not say its version/);
    });

    it("opens the setting that names the server, and the walkthrough", async () => {
      await vscode.commands.executeCommand("gazetteer.nameServer");
      await vscode.commands.executeCommand("gazetteer.openWalkthrough");
    });

    it("starts when the setting names one", async () => {
      const configuration = vscode.workspace.getConfiguration("gazetteer");
      await configuration.update("server.path", process.env.GAZETTEER_TEST_SERVER, vscode.ConfigurationTarget.Global);
      await phase(api, "running");
    });
  });
