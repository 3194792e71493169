// One VS Code with a clean profile and pages that look at it. Everything it writes goes with it.
import { spawn } from "node:child_process";
import fs from "node:fs";
import net from "node:net";
import os from "node:os";
import path from "node:path";
import { browser } from "./browser.mjs";
import { EXTENSION } from "./cache.mjs";
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
    await editor.start(settings);
    return editor;
  }

  constructor() {
    this.home = fs.mkdtempSync(path.join(os.tmpdir(), "gazetteer-vscode-"));
    this.out = this.folder("out") + "/report.txt";
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
      GAZETTEER_TEST_OUT: this.out,
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
    this.port = await freePort();
    this.log = fs.openSync(path.join(this.home, "server.log"), "w");
    const where = ["--host", "127.0.0.1", "--port", String(this.port), "--without-connection-token"];
    const stdio = ["ignore", this.log, this.log];
    this.process = spawn(process.execPath, [...this.switches, ...where], {
      env: this.environment,
      stdio,
      detached: true,
    });
    await this.answering();
    this.browser = await browser();
  }

  async answering() {
    for (let attempt = 0; attempt < 300; attempt++) {
      try {
        if ((await fetch(`http://127.0.0.1:${this.port}/version`)).ok) return;
      } catch {
        // not yet
      }
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    throw new Error(`VS Code did not start: ${this.tail()}`);
  }

  /** A page with a folder, or a `.code-workspace` file, open in it. `payload` are switches as on VS Code's command line. */
  async page(target, payload = []) {
    const context = await this.browser.newContext({
      viewport: { width: 1280, height: 800 },
      permissions: ["clipboard-read", "clipboard-write"],
    });
    const page = await context.newPage();
    page.setDefaultTimeout(20_000);
    const what = target.endsWith(".code-workspace") ? "workspace" : "folder";
    const query = new URLSearchParams({ [what]: target, payload: JSON.stringify(payload) });
    page.address = `http://127.0.0.1:${this.port}/?${query}`;
    return page;
  }

  /** Run a test module inside of the extension host; resolves with its report, and whether all was well. */
  async inHost(module, target, most = 240_000) {
    fs.rmSync(this.out, { force: true });
    const uri = (file) => `vscode-remote://127.0.0.1:${this.port}${file}`;
    const page = await this.page(target, [
      ["extensionDevelopmentPath", uri(EXTENSION)],
      ["extensionTestsPath", uri(module)],
    ]);
    const done = new Promise(
      (resolve) => void page.exposeFunction("codeAutomationExit", (code) => resolve(code === 0)),
    );
    await page.exposeFunction("codeAutomationLog", () => undefined);
    await page.goto(page.address);
    const late = new Promise((resolve) => setTimeout(() => resolve("late"), most).unref());
    const fine = await Promise.race([done, late]);
    const report = fs.existsSync(this.out) ? fs.readFileSync(this.out, "utf8") : `(no report)\n${this.tail()}`;
    if (fine !== true && process.env.GAZETTEER_TEST_SHOTS) {
      await page.screenshot({ path: path.join(process.env.GAZETTEER_TEST_SHOTS, "host-failed.png") });
    }
    await page.context().close();
    return { fine: fine === true, report };
  }

  tail() {
    return fs.readFileSync(path.join(this.home, "server.log"), "utf8").slice(-2_000);
  }

  async close() {
    await this.browser?.close();
    try {
      process.kill(-this.process.pid, "SIGTERM");
    } catch {
      // it has ended
    }
    await new Promise((resolve) => (this.process.exitCode === null ? this.process.once("exit", resolve) : resolve()));
    if (process.env.GAZETTEER_TEST_KEEP) console.log(`kept: ${this.home}`);
    else fs.rmSync(this.home, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
  }
}

function freePort() {
  return new Promise((resolve) => {
    const server = net.createServer().listen(0, "127.0.0.1", () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}
