/**
 * In a workspace that is not trusted, nothing that lies in it decides what is run; asking works all the same. The tree comes
 * with settings and an environment that want it otherwise, see `hostile` in `run.mjs`.
 */

import * as fs from "node:fs";
import * as vscode from "vscode";
import { api, assert, extension, file, found, ready, runSuite, select, until } from "./bench";
import { hand, TOAST } from "./hand";

export const run = (): Promise<void> =>
  runSuite(() => {
    before(async () => {
      await ready(await extension());
    });

    it("is not trusted, and answers", async () => {
      assert.equal(vscode.workspace.isTrusted, false);
      assert.equal((await found("fourteen days refunded"))[0], "docs/returns.md");
    });

    it("takes no program, no folder and nothing of what is indexed from the workspace, but what harms nobody", async () => {
      const settings = vscode.workspace.getConfiguration("gazetteer");
      assert.equal(settings.get("ask.limit"), 1, "the settings of the workspace were not read");
      assert.equal((await found("article")).length, 1);
      assert.deepEqual(settings.get("exclude"), []);
      assert.equal(settings.get("server.path"), process.env.GAZETTEER_TEST_SERVER);
      assert.ok(!fs.existsSync(file("stolen").fsPath));
    });

    it("runs nothing of an environment that lies in the workspace", async () => {
      await vscode.workspace.getConfiguration("gazetteer").update("server.path", "", vscode.ConfigurationTarget.Global);
      await until("another server, or none", () => api().parts.server.program?.from !== "setting");
      await select(file(".venv"));
      await api().parts.server.start(); // behind what was to be seen to before
      assert.notEqual(api().parts.server.program?.from, "environment");
      await vscode.workspace
        .getConfiguration("gazetteer")
        .update("server.path", process.env.GAZETTEER_TEST_SERVER, vscode.ConfigurationTarget.Global);
      await ready(api());
      assert.ok(!fs.existsSync(file("stolen").fsPath));
    });

    it("installs nothing", async () => {
      await vscode.commands.executeCommand("gazetteer.installServer");
      await hand.read(TOAST, "trust this workspace before anything is installed");
    });

    it("takes what a workspace may decide as soon as it is trusted, and no program even then", async () => {
      const granted = new Promise<void>((resolve) => vscode.workspace.onDidGrantWorkspaceTrust(resolve));
      await vscode.commands.executeCommand("workbench.trust.manage");
      await hand.click(".workspace-trust-editor .monaco-button", "^Trust$");
      await granted;
      await until("docs are excluded", async () => !(await found("fourteen days")).includes("docs/returns.md"));
      assert.equal(api().parts.server.program?.command, process.env.GAZETTEER_TEST_SERVER);
      assert.ok(!fs.existsSync(file("stolen").fsPath));
    });
  });
