/**
 * Which server is run, and what is said where there is none: the setting, the Python environment that is selected, PATH, the
 * extension's own environment. One window that begins without any.
 */

import { execFileSync } from "node:child_process";
import * as fs from "node:fs";
import * as path from "node:path";
import * as vscode from "vscode";
import {
  api,
  assert,
  extension,
  failed,
  found,
  phase,
  ready,
  runSuite,
  scratch,
  select,
  set,
  unset,
  until,
  write,
} from "./bench";
import { BOX, DIALOG, hand, ROW, TOAST } from "./hand";

const SERVER = process.env.GAZETTEER_TEST_SERVER ?? "";

/** A program in an environment, which does what a line of shell says. */
async function program(name: string, line: string): Promise<vscode.Uri> {
  const environment = await scratch(name);
  const file = vscode.Uri.joinPath(environment, "bin/gazetteer");
  write(file, `#!/bin/sh\n${line}\n`);
  fs.chmodSync(file.fsPath, 0o755);
  return environment;
}

/** Something that pip can install, which brings the server under test as `gazetteer`. */
async function wheel(): Promise<string> {
  const folder = await scratch("wheel");
  const script = [
    "import sys, zipfile",
    "name, server = sys.argv[1:]",
    "info = 'gazetteer-0.1.0.dist-info'",
    "files = {",
    "  'gazetteer_stub.py': f'import os, sys\\ndef main():\\n    os.execv({server!r}, [{server!r}, *sys.argv[1:]])\\n',",
    "  f'{info}/METADATA': 'Metadata-Version: 2.1\\nName: gazetteer\\nVersion: 0.1.0\\n',",
    "  f'{info}/WHEEL': 'Wheel-Version: 1.0\\nGenerator: test\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n',",
    "  f'{info}/entry_points.txt': '[console_scripts]\\ngazetteer = gazetteer_stub:main\\n',",
    "}",
    "files[f'{info}/RECORD'] = ''.join(f'{one},,\\n' for one in [*files, f'{info}/RECORD'])",
    "with zipfile.ZipFile(name, 'w') as wheel:",
    "    for one, text in files.items(): wheel.writestr(one, text)",
  ].join("\n");
  const file = path.join(folder.fsPath, "gazetteer-0.1.0-py3-none-any.whl");
  execFileSync("python3", ["-c", script, file, SERVER]);
  return file;
}

const running = (): string => api().parts.server.program?.command ?? "";
const origin = (): string => api().parts.server.program?.from ?? "";

export const run = (): Promise<void> =>
  runSuite(() => {
    before(extension);
    afterEach(async () => {
      await vscode.commands.executeCommand("notifications.clearAll");
      await vscode.commands.executeCommand("workbench.action.closeAllEditors");
      assert.deepEqual(failed(), []);
    });
    after(unset);

    it("says that there is none and what can be done", async () => {
      await phase(api(), "missing");
      assert.equal(api().parts.status.shown?.text, "$(warning) Gazetteer: no server");
      await assert.rejects(found("refund"), /No Gazetteer server/);
      assert.match(await hand.read(TOAST, "No Gazetteer server"), /Install….*Name It…/s);
      const shown = vscode.commands.executeCommand("gazetteer.showMenu");
      await hand.read(ROW, "Install the Server");
      assert.doesNotMatch(await hand.all(ROW), /Sync Index|Semantic/);
      await hand.type("Name the Server");
      await hand.press("Enter");
      await shown;
      await until("the settings", () => vscode.window.tabGroups.activeTabGroup.activeTab?.label === "Settings");
    });

    it("opens the setting that names the server", async () => {
      await vscode.commands.executeCommand("gazetteer.nameServer");
      await hand.read(".settings-editor .setting-item", "Server: Path");
      assert.equal(vscode.window.tabGroups.activeTabGroup.activeTab?.label, "Settings");
    });

    it("says why a program that is named cannot be taken", async () => {
      const old = await program("old", 'echo "gazetteer, version 0.0.9"');
      const reasons = {
        "/bin/true": /\/bin\/true does not say its version/,
        "/nowhere/gazetteer": /names \/nowhere\/gazetteer, which cannot be run/,
        [vscode.Uri.joinPath(old, "bin/gazetteer").fsPath]: /is version 0\.0\.9; this extension needs 0\.1\.0 or newer/,
      };
      for (const [named, reason] of Object.entries(reasons)) {
        await set({ "server.path": named });
        await until(named, () => reason.test(api().parts.server.state.message));
        assert.equal(api().parts.server.state.phase, "missing");
      }
    });

    it("takes the server that the setting names", async () => {
      await set({ "server.path": SERVER });
      await ready(api());
      assert.deepEqual([running(), origin()], [SERVER, "setting"]);
      await unset();
      await phase(api(), "missing");
    });

    it("installs nothing before somebody has seen the commands and said yes", async () => {
      const what = await wheel();
      await set({ "server.package": what });
      const asked = vscode.commands.executeCommand("gazetteer.installServer");
      const said = await hand.read(DIALOG);
      assert.match(said, /python3 -m venv \S+environment/);
      assert.ok(said.includes(`-m pip install --disable-pip-version-check --upgrade ${what}`), said);
      await hand.click(`${DIALOG} .monaco-button`, "Cancel");
      await asked;
      assert.equal(api().parts.server.state.phase, "missing");
      const copied = vscode.commands.executeCommand("gazetteer.installServer");
      await hand.click(`${DIALOG} .monaco-button`, "Copy Commands");
      await copied;
      assert.ok((await vscode.env.clipboard.readText()).includes(what));
      const [, environment = ""] = /-m venv (\S+)/.exec(said) ?? [];
      assert.ok(!fs.existsSync(environment), environment);
    });

    it("says what went wrong with an installation", async () => {
      const environment = path.join(api().parts.context.globalStorageUri.fsPath, "environment");
      write(vscode.Uri.file(environment), "in the way");
      const installed = vscode.commands.executeCommand("gazetteer.installServer");
      await hand.click(`${DIALOG} .monaco-button`, "^Install$");
      await installed;
      assert.match(await hand.read(TOAST, "not installed"), /python3 -m venv \S+ ended with code 1/);
      assert.equal(api().parts.server.state.phase, "missing");
      fs.rmSync(environment);
    });

    it("installs what the setting says into an environment of its own, and takes it", async () => {
      await set({ "server.package": await wheel() });
      const installed = vscode.commands.executeCommand("gazetteer.installServer");
      await hand.click(`${DIALOG} .monaco-button`, "^Install$");
      await installed;
      await ready(api());
      assert.equal(origin(), "own");
      assert.equal((await found("fourteen days refunded"))[0], "docs/returns.md");
    });

    it("takes the server of the Python environment that is selected, whenever another one is", async () => {
      const first = await program("first", `exec ${SERVER} "$@"`);
      const second = await program("second", `exec ${SERVER} "$@"`);
      const in_ = (environment: vscode.Uri): string => path.join(fs.realpathSync(environment.fsPath), "bin/gazetteer");
      await select(first);
      await until("the first", () => running() === in_(first));
      await ready(api());
      assert.equal(origin(), "environment");
      const { pid } = api().parts.server;
      await select(first);
      await select(second);
      await until("the second", () => running() === in_(second));
      await ready(api());
      assert.notEqual(api().parts.server.pid, pid);
      assert.equal((await found("fourteen days refunded"))[0], "docs/returns.md");
      await select(await scratch("empty"));
      await until("its own again", () => origin() === "own");
      await ready(api());
    });

    it("passes by a server in the environment that is too old for it", async () => {
      const { pid } = api().parts.server;
      await select(await program("old", 'echo "gazetteer, version 0.0.9"'));
      await api().parts.server.start(); // behind what was to be seen to before
      assert.deepEqual([origin(), api().parts.server.pid], ["own", pid]);
    });

    it("starts when an environment is selected that has one, where there was none", async () => {
      fs.rmSync(path.dirname(path.dirname(running())), { recursive: true });
      await select(await scratch("empty"));
      await phase(api(), "missing");
      await select(await program("third", `exec ${SERVER} "$@"`));
      await ready(api());
      assert.equal(origin(), "environment");
    });

    it("offers to build a semantic index where the server announces one, and builds it", async () => {
      await set({ "server.path": process.env.GAZETTEER_TEST_ANNOUNCING });
      await until("it announces one", () => api().parts.server.announced.semantic);
      await ready(api());
      const shown = vscode.commands.executeCommand("gazetteer.showMenu");
      await hand.read(ROW, "Build Semantic Index");
      await hand.type("Build Semantic");
      await hand.press("Enter");
      await shown;
      await hand.read(".statusbar-item", "the semantic index is up to date");
      await vscode.commands.executeCommand("workbench.action.showCommands");
      await hand.read(BOX);
      await hand.type("Gazetteer: Build Semantic Index");
      await hand.read(ROW, "Build Semantic Index");
      await vscode.commands.executeCommand("workbench.action.closeQuickOpen");
      await vscode.commands.executeCommand("gazetteer.semanticIndex");
    });
  });
