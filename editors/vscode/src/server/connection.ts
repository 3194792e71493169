/**
 * One server process and the client that talks to it, from start to end. A connection is never used again: after a crash
 * there is a new one, so that nothing of a client that stopped half-way is left over. Who restarts is `supervisor`.
 */

import { spawn, type ChildProcess } from "node:child_process";
import {
  CloseAction,
  ErrorAction,
  LanguageClient,
  RevealOutputChannelOn,
  State,
  type FeatureState,
  type LanguageClientOptions,
  type StaticFeature,
} from "vscode-languageclient/node";
import type { ClientCapabilities } from "vscode-languageclient";
import { STATUS_CHANGED, type FolderStatus } from "../protocol";
import type { Logs } from "./logs";
import { SECTION, serverSettings } from "./settings";

/** What a server says of itself when it begins. */
export interface Announced {
  readonly version: string;
  readonly commands: readonly string[];
  /** It has vectors: `gazetteer/index` takes `semantic`. */
  readonly semantic: boolean;
}

export const NOTHING: Announced = { version: "", commands: [], semantic: false };

/** How long a server may take to end by itself, and its client to let go. */
const GRACE_MS = 2_000;

export interface Ending {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  /** Why it could not even be started. */
  readonly error?: Error;
}

export class Connection {
  readonly client: LanguageClient;
  /** Resolves as soon as the process is gone. */
  readonly gone: Promise<Ending>;
  /** Resolved once the process is gone and the client has let go of all that it registered. */
  readonly ended: Promise<Ending>;
  private readonly process: ChildProcess;

  constructor(command: string, logs: Logs, status: (status: FolderStatus) => void) {
    this.process = spawn(command, ["serve"], { stdio: "pipe", windowsHide: true });
    // a pipe that breaks is seen as the process ending, here and by the client
    this.process.stdin?.on("error", () => undefined);
    const child = this.process;
    this.client = new QuietClient(SECTION, "Gazetteer", () => Promise.resolve(child), options(logs));
    this.client.registerFeature(new OwnCapabilities());
    this.client.onNotification(STATUS_CHANGED, status);
    this.gone = new Promise((resolve) => {
      child.once("error", (error) => {
        resolve({ code: null, signal: null, error });
      });
      child.once("exit", (code, signal) => {
        resolve({ code, signal });
      });
    });
    this.ended = this.watch();
  }

  get pid(): number | undefined {
    return this.process.pid;
  }

  /** Whether requests can be sent. */
  get running(): boolean {
    return this.client.isRunning() && this.process.exitCode === null && this.process.signalCode === null;
  }

  /** Resolves when the server has answered `initialize`; rejects when it did not, or ended meanwhile. */
  async start(): Promise<void> {
    const gone = this.ended.then(() => {
      throw new Error("the server ended while it started");
    });
    await Promise.race([this.client.start(), gone]);
  }

  /** End the process now. */
  kill(): void {
    this.process.kill("SIGKILL");
  }

  /** The server's commands, version and abilities, once it runs. */
  get announced(): Announced {
    const result = this.client.initializeResult;
    const able = result?.capabilities.experimental as
      { readonly gazetteer?: { readonly semantic?: unknown } } | undefined;
    return {
      version: result?.serverInfo?.version ?? "",
      commands: result?.capabilities.executeCommandProvider?.commands ?? [],
      semantic: able?.gazetteer?.semantic === true,
    };
  }

  /** End the server: as the protocol says, and by force when that is not enough. */
  async close(): Promise<void> {
    await this.client.stop(GRACE_MS).catch(() => undefined);
    await Promise.race([this.ended, later(GRACE_MS)]);
    if (this.process.exitCode === null && this.process.signalCode === null) {
      this.kill();
      await this.ended;
    }
  }

  private async watch(): Promise<Ending> {
    const ending = await this.gone;
    await Promise.race([this.released(), later(GRACE_MS)]);
    await this.client.dispose().catch(() => undefined);
    return ending;
  }

  private async released(): Promise<void> {
    while (this.client.state === State.Starting || this.client.state === State.Running) {
      await new Promise<void>((resolve) => {
        const listening = this.client.onDidChangeState(() => {
          listening.dispose();
          resolve();
        });
      });
    }
  }
}

/** What goes wrong is logged; what people are to see of it, the supervisor says once. */
class QuietClient extends LanguageClient {
  override error(message: string, data?: unknown): void {
    super.error(message, data, false);
  }
}

/** Says what this client shows by itself. */
class OwnCapabilities implements StaticFeature {
  fillClientCapabilities(capabilities: ClientCapabilities): void {
    capabilities.experimental = {
      ...(capabilities.experimental as object | undefined),
      gazetteer: { view: true, clipboard: true, status: true },
    };
  }

  initialize(): void {
    // nothing to register
  }

  getState(): FeatureState {
    return { kind: "static" };
  }

  clear(): void {
    // nothing was registered
  }
}

function options(logs: Logs): LanguageClientOptions {
  return {
    documentSelector: [{ scheme: "file" }],
    outputChannel: logs.log,
    traceOutputChannel: logs.trace,
    revealOutputChannelOn: RevealOutputChannelOn.Never,
    initializationOptions: () => serverSettings(),
    initializationFailedHandler: () => false,
    // text of a tree is in hovers: shown, never run
    markdown: { isTrusted: false, supportHtml: false },
    errorHandler: {
      error: () => ({ action: ErrorAction.Continue, handled: true }),
      closed: () => ({ action: CloseAction.DoNotRestart, handled: true }),
    },
    middleware: {
      workspace: {
        configuration: (params) => params.items.map((item) => (item.section === SECTION ? serverSettings() : null)),
      },
    },
  };
}

function later(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}
