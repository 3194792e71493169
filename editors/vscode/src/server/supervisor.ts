/**
 * Keeps one server for the window: finds it, starts it, starts it again when it ends by itself, and stops doing so when
 * that happens too often. Whoever asks waits here until there is a server, and asks again when it died meanwhile.
 */

import * as vscode from "vscode";
import { ResponseError } from "vscode-languageclient";
import type { FolderStatus } from "../protocol";
import { Connection, NOTHING, type Announced, type Ending } from "./connection";
import { Crashes, isOfTheClient, MOST } from "./crashes";
import type { Found, Missing } from "./discovery";
import { inSettings } from "./flags";
import type { Logs } from "./logs";

export type Phase = "idle" | "starting" | "running" | "missing" | "failed";

/** How the server is, with a sentence for people where it does not run. */
export interface ServerState {
  readonly phase: Phase;
  readonly message: string;
}

/** A request that got no answer, in one sentence. */
export class Failure extends Error {}

/** How often a question is asked again because the server died over it. */
const AGAIN = 2;

export class Supervisor implements vscode.Disposable {
  private readonly changed = new vscode.EventEmitter<ServerState>();
  private readonly folder = new vscode.EventEmitter<FolderStatus>();
  private readonly crashes = new Crashes(() => Date.now());
  private connection: Connection | undefined;
  private current: ServerState = { phase: "idle", message: "" };
  private found: Found | undefined;
  /** Changes of state come one after the other. */
  private turn: Promise<void> = Promise.resolve();

  readonly onDidChange = this.changed.event;
  readonly onFolderStatus = this.folder.event;

  /** `look` finds the server's program and says what is wrong with it. */
  constructor(
    private readonly logs: Logs,
    private readonly look: () => Promise<Found | Missing>,
  ) {}

  get state(): ServerState {
    return this.current;
  }

  get pid(): number | undefined {
    return this.connection?.pid;
  }

  /** Which program runs, and who named it. */
  get program(): Found | undefined {
    return this.found;
  }

  /** What the server that runs announces. */
  get announced(): Announced {
    return this.connection?.announced ?? NOTHING;
  }

  /** Look for the server and start it, unless it runs. */
  start(): Promise<void> {
    return this.next(async () => {
      if (this.connection === undefined) {
        await this.launch();
      }
    });
  }

  /** Stop the server, look for it afresh and start it. */
  restart(): Promise<void> {
    this.hurry();
    return this.next(() => this.anew());
  }

  /** Look for the server afresh, and start another one only when another one is found: what can be used has changed. */
  reconsider(): Promise<void> {
    return this.next(async () => {
      if (this.current.phase === "idle") {
        return;
      }
      const found = await this.look();
      const { phase, message } = this.current;
      const same =
        "reason" in found ? phase === "missing" && message === found.reason : found.command === this.found?.command;
      if (!same) {
        await this.anew(found);
      }
    });
  }

  stop(): Promise<void> {
    this.hurry();
    return this.next(async () => {
      await this.end();
      this.tell("idle");
    });
  }

  /**
   * Ask the server. Waits while it starts; asks again when it died over the question.
   *
   * Throws `vscode.CancellationError` when `token` says so, and else a `Failure` with one sentence.
   */
  async request<T>(method: string, params: object, token?: vscode.CancellationToken): Promise<T> {
    for (let attempt = 0; ; attempt++) {
      const connection = await this.running(token);
      try {
        // a token that is not there would be taken for a second parameter
        return await connection.client.sendRequest<T>(method, params, ...(token === undefined ? [] : [token]));
      } catch (error) {
        if (token?.isCancellationRequested) {
          throw new vscode.CancellationError();
        }
        if (attempt === AGAIN || !(await lost(connection, error))) {
          throw new Failure(sentence(error));
        }
        this.logs.log.info(`${method} is asked again, because the server ended before it had answered.`);
      }
    }
  }

  dispose(): void {
    void this.stop().finally(() => {
      this.changed.dispose();
      this.folder.dispose();
    });
  }

  // -- inside ----------------------------------------------------------------------------------------------------

  /** A server that is still starting is not waited for by who wants it gone. */
  private hurry(): void {
    if (this.current.phase === "starting") {
      this.connection?.kill();
    }
  }

  private next(act: () => Promise<void>): Promise<void> {
    this.turn = this.turn.then(act, act);
    return this.turn;
  }

  /** Whoever asks from now on waits for the next server, and not for the one that is ending. */
  private async anew(known?: Found | Missing): Promise<void> {
    this.tell("starting", "Starting the server");
    await this.end();
    this.crashes.forget();
    await this.launch(known);
  }

  private async launch(known?: Found | Missing): Promise<void> {
    this.tell("starting", "Starting the server");
    const found = known ?? (await this.look());
    if ("reason" in found) {
      this.found = undefined;
      this.logs.log.warn(found.reason);
      this.tell("missing", found.reason);
      return;
    }
    this.found = found;
    this.logs.log.info(`The server is ${found.command} (${found.from}).`);
    await this.connect(found);
  }

  private async connect(found: Found): Promise<void> {
    const connection = new Connection(found.command, this.logs, (status) => {
      this.folder.fire(status);
    });
    this.connection = connection;
    void connection.ended.then((ending) => this.next(() => this.ended(connection, ending)));
    try {
      await connection.start();
      this.tell("running");
    } catch (error) {
      this.logs.log.error(`The server did not start: ${sentence(error)}`);
      void connection.close(); // and then it has ended
    }
  }

  private async end(): Promise<void> {
    const connection = this.connection;
    this.connection = undefined;
    await connection?.close();
  }

  /** A server ended by itself. */
  private async ended(connection: Connection, ending: Ending): Promise<void> {
    if (connection !== this.connection || this.found === undefined) {
      return;
    }
    this.connection = undefined;
    this.logs.log.warn(`The server ended (${how(ending)}).`);
    if (ending.error !== undefined || !this.crashes.mayRestart()) {
      const times = `ended ${MOST + 1} times within a minute`;
      const what = ending.error === undefined ? times : `cannot be run (${ending.error.message})`;
      this.tell("failed", `The Gazetteer server ${what} and is not started again. Read its log, then restart it.`);
      return;
    }
    this.tell("starting", "Starting the server again");
    await this.connect(this.found);
  }

  private tell(phase: Phase, message = ""): void {
    this.current = { phase, message };
    this.changed.fire(this.current);
  }

  /** The connection, as soon as one runs; a `Failure` when none will. */
  private async running(token?: vscode.CancellationToken): Promise<Connection> {
    for (;;) {
      if (token?.isCancellationRequested) {
        throw new vscode.CancellationError();
      }
      if (this.current.phase === "running" && this.connection !== undefined) {
        return this.connection;
      }
      if (this.current.phase !== "starting") {
        throw new Failure(this.current.message || "No folder is open; open one to ask about it.");
      }
      await this.change(token);
    }
  }

  private change(token?: vscode.CancellationToken): Promise<void> {
    return new Promise((resolve) => {
      const listening = [
        this.changed.event(() => {
          done();
        }),
        token?.onCancellationRequested(() => {
          done();
        }),
      ];
      const done = (): void => {
        for (const one of listening) {
          one?.dispose();
        }
        resolve();
      };
    });
  }
}

/** How long it may take until a process whose pipe is broken is seen to have ended. */
const SEEN_MS = 5_000;

/** Whether a request failed because its server has ended, and not because of what the server said. */
async function lost(connection: Connection, error: unknown): Promise<boolean> {
  if (error instanceof ResponseError && !isOfTheClient(error.code) && connection.running) {
    return false;
  }
  const late = new Promise<false>((resolve) => setTimeout(resolve, SEEN_MS, false));
  const gone = await Promise.race([connection.gone.then(() => true), late]);
  if (gone) {
    await connection.ended; // before that, it is still taken for the one that runs
  }
  return gone;
}

function how(ending: Ending): string {
  return ending.error?.message ?? (ending.signal !== null ? `signal ${ending.signal}` : `code ${ending.code ?? "?"}`);
}

/** What went wrong, as one line. */
export function sentence(error: unknown): string {
  const said = error instanceof ResponseError || error instanceof Error ? error.message : String(error);
  return inSettings(said.replace(/\s+/g, " ").trim());
}
