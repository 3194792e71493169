/** In a workspace that is not trusted, nothing that lies in it decides what is run; asking works all the same. */

import * as fs from "node:fs/promises";
import * as vscode from "vscode";
import type { Api } from "../../src/extension";
import { assert, extension, file, ready, runSuite, until } from "./bench";

export const run = (): Promise<void> =>
  runSuite(() => {
    let api: Api;
    before(async () => {
      api = await extension();
      await ready(api);
    });

    it("is not trusted", () => {
      assert.equal(vscode.workspace.isTrusted, false);
    });

    it("answers", async () => {
      const { hits } = await api.parts.questions.retrieve({ query: "fourteen days refunded" });
      assert.equal(hits[0]?.path, "docs/returns.md");
    });

    it("takes no program and no folder of indexes from the workspace", async () => {
      await fs.mkdir(file(".vscode").fsPath, { recursive: true });
      const settings = {
        "gazetteer.server.path": "/bin/false",
        "gazetteer.dbPath": file("stolen").fsPath,
        "gazetteer.exclude": ["**"],
      };
      await fs.writeFile(file(".vscode/settings.json").fsPath, JSON.stringify(settings));
      const configuration = (): vscode.WorkspaceConfiguration => vscode.workspace.getConfiguration("gazetteer");
      await until(
        "the settings are read",
        () => configuration().inspect("exclude")?.workspaceValue !== undefined || configuration().inspect("exclude"),
      );
      await vscode.commands.executeCommand("gazetteer.restart");
      await ready(api);
      assert.notEqual(api.parts.server.program?.command, "/bin/false");
      const { hits } = await api.parts.questions.retrieve({ query: "fourteen days refunded" });
      assert.equal(hits[0]?.path, "docs/returns.md");
      await assert.rejects(fs.stat(file("stolen").fsPath));
    });

    it("installs nothing", async () => {
      await vscode.commands.executeCommand("gazetteer.installServer");
    });
  });
