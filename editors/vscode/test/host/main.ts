/** The extension in a trusted window with one folder: what it shows is what the server says. One window for all of it. */

import * as vscode from "vscode";
import { agents } from "./agents";
import { asking } from "./asking";
import { api, assert, extension, failed, ready, runSuite, unset } from "./bench";
import { contributed } from "./contributed";
import { corpora } from "./corpora";
import { reading } from "./reading";
import { results } from "./results";
import { settings } from "./settings";
import { upkeep } from "./upkeep";

export const run = (): Promise<void> =>
  runSuite(() => {
    before(async () => {
      await ready(await extension());
    });
    afterEach(async () => {
      api().commands.asking?.hide();
      await unset();
      await vscode.commands.executeCommand("notifications.clearAll");
      await vscode.commands.executeCommand("workbench.action.revertAndCloseActiveEditor");
      await vscode.commands.executeCommand("workbench.action.closeAllEditors");
      assert.deepEqual(failed(), []);
    });
    asking();
    reading();
    results();
    upkeep();
    corpora();
    agents();
    contributed();
    settings(); // last: the index is opened again for most of them
  });
