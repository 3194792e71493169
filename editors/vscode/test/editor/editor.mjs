// One VS Code with a clean profile and pages that look at it. Everything it writes goes with it.
import { spawn } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { PATIENCE, within } from "./bounded.mjs";
import { browser } from "./browser.mjs";
import { gazetteer } from "./gazetteer.mjs";
import { vscode } from "./vscode.mjs";

/** What a test does not want to meet. */
const CALM = {
  "workbench.startupEditor": "none",
  "telemetry.telemetryLevel": "off",
  "security.workspace.trust.enabled": false,
  "extensions.autoCheckUpdates": false,
  "extensions.autoUpdate": false,
  "workbench.enableExperiments": false,
  "workbench.tips.enabled": false,
  "git.enabled": false,
  "chat.commandCenter.enabled": false,
  "editor.hover.delay": 100,
  "files.autoSave": "off",
};

export class Editor {
  /** Start one. `environment` is laid over what the editor inherits. */
  static async start(settings = {}, environment = {}) {
    const editor = new Editor();
    Object.assign(editor.environment, environment);
    try {
      await editor.start(settings);
      return editor;
    } catch (error) {
      await editor.close(); // what has started already would stay
      throw error;
    }
  }

  constructor() {
    this.home = fs.mkdtempSync(path.join(os.tmpdir(), "gazetteer-vscode-"));
    this.log = "";
    this.extensions = this.folder("extensions");
    this.program = vscode();
    this.server = gazetteer();
    this.environment = {
      ...process.env,
      EXTENSIONS_GALLERY: "{}",
      HOME: this.home,
      XDG_CONFIG_HOME: this.folder("config"),
      XDG_DATA_HOME: this.folder("data"),
      XDG_CACHE_HOME: this.folder("cache"),
      GAZETTEER_TEST_SERVER: this.server,
    };
    delete this.environment.VIRTUAL_ENV;
  }

  /** A folder of this run. */
  folder(name) {
    const folder = path.join(this.home, name);
    fs.mkdirSync(folder, { recursive: true });
    return folder;
  }

  /** Set the user's settings and the machine's; pages that are opened later have them. */
  settings({ machine = {}, ...user } = {}) {
    const write = (folder, settings) => fs.writeFileSync(path.join(folder, "settings.json"), JSON.stringify(settings));
    write(this.folder("user/User"), { ...CALM, ...user });
    // a window of a server takes what belongs to a machine from here only
    const own = { "gazetteer.server.path": this.server, "gazetteer.dbPath": this.folder("index") };
    write(this.folder("user/Machine"), { ...own, ...machine });
  }

  get switches() {
    const folders = ["--user-data-dir", this.folder("user"), "--extensions-dir", this.extensions];
    return [
      this.program,
      "--accept-server-license-terms",
      "--server-data-dir",
      this.folder("server"),
      ...folders,
      "--telemetry-level",
      "off",
    ];
  }

  async start(settings) {
    this.settings(settings);
    const where = ["--host", "127.0.0.1", "--port", "0", "--without-connection-token"];
    this.process = spawn(process.execPath, [...this.switches, ...where], { env: this.environment, detached: true });
    this.port = await within(PATIENCE, "VS Code says where it listens", this.listening()).catch((error) => {
      throw new Error(`${error.message}; it said: ${this.tail()}`, { cause: error });
    });
    this.browser = await browser();
  }

  /** The port that it chose, as soon as it says so. */
  listening() {
    return new Promise((resolve, reject) => {
      const take = (text) => {
        this.log += text;
        const [, port] = /listening on (\d+)/.exec(this.log) ?? [];
        if (port) resolve(port);
      };
      this.process.stdout.setEncoding("utf8").on("data", take);
      this.process.stderr.setEncoding("utf8").on("data", take);
      this.process.once("exit", () => reject(new Error(`VS Code did not start: ${this.tail()}`)));
    });
  }

  /** A page with a folder, or a `.code-workspace` file, open in it. `payload` are switches as on VS Code's command line. */
  async page(target, payload = []) {
    const page = await within(PATIENCE, "the browser opens a page", this.blank());
    page.setDefaultTimeout(PATIENCE);
    const what = target.endsWith(".code-workspace") ? "workspace" : "folder";
    const query = new URLSearchParams({ [what]: target, payload: JSON.stringify(payload) });
    page.address = `http://127.0.0.1:${this.port}/?${query}`;
    return page;
  }

  async blank() {
    const context = await this.browser.newContext({
      viewport: { width: 1280, height: 800 },
      permissions: ["clipboard-read", "clipboard-write"],
    });
    return await context.newPage();
  }

  tail() {
    return this.log.slice(-2_000);
  }

  /** Send a signal to VS Code and all that it started. */
  signal(name) {
    try {
      process.kill(-this.process.pid, name);
    } catch {
      // it has ended
    }
  }

  /** Resolves when VS Code has ended. */
  async ended() {
    const { exitCode, signalCode } = this.process;
    if (exitCode === null && signalCode === null) await new Promise((resolve) => this.process.once("exit", resolve));
  }

  /** What does not go by itself is made to: whatever failed before is what is to be told. */
  async close() {
    const told = (error) => console.log(error.message);
    if (this.browser) await within(PATIENCE / 3, "the browser closes", this.browser.close()).catch(told);
    this.signal("SIGTERM");
    await within(PATIENCE / 3, "VS Code ends", this.ended()).catch(told);
    this.signal("SIGKILL");
    await this.ended();
    if (process.env.GAZETTEER_TEST_KEEP) console.log(`kept: ${this.home}`);
    else fs.rmSync(this.home, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
  }
}
