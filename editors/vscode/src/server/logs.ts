/** Where the extension writes: a log, and a trace of messages that is empty unless the setting asks for one. */

import * as vscode from "vscode";
import { SECTION, setting } from "./settings";

export class Logs implements vscode.Disposable {
  readonly log = vscode.window.createOutputChannel("Gazetteer", { log: true });
  readonly trace = new TraceChannel();

  show(): void {
    this.log.show();
  }

  dispose(): void {
    this.log.dispose();
    this.trace.dispose();
  }
}

/**
 * The channel of protocol messages. The client library traces when a channel's level says so; here the level follows the
 * setting `gazetteer.trace.server`, so that nobody has to find the level of a channel first.
 */
export class TraceChannel implements vscode.LogOutputChannel {
  readonly name = "Gazetteer Trace";
  private readonly changed = new vscode.EventEmitter<vscode.LogLevel>();
  private readonly watching = vscode.workspace.onDidChangeConfiguration((event) => {
    if (event.affectsConfiguration(`${SECTION}.trace.server`)) {
      this.changed.fire(this.logLevel);
    }
  });
  private made: vscode.OutputChannel | undefined;

  readonly onDidChangeLogLevel = this.changed.event;

  get logLevel(): vscode.LogLevel {
    return setting("trace.server", "off") === "off" ? vscode.LogLevel.Info : vscode.LogLevel.Trace;
  }

  private get channel(): vscode.OutputChannel {
    this.made ??= vscode.window.createOutputChannel(this.name);
    return this.made;
  }

  trace(message: string): void {
    if (this.logLevel === vscode.LogLevel.Trace) {
      this.channel.appendLine(message);
    }
  }

  debug = this.trace.bind(this);
  info = this.trace.bind(this);
  warn = this.trace.bind(this);

  error(error: string | Error): void {
    this.trace(String(error));
  }

  append(value: string): void {
    this.channel.append(value);
  }

  appendLine(value: string): void {
    this.channel.appendLine(value);
  }

  replace(value: string): void {
    this.channel.replace(value);
  }

  clear(): void {
    this.made?.clear();
  }

  show(): void {
    this.channel.show();
  }

  hide(): void {
    this.made?.hide();
  }

  dispose(): void {
    this.watching.dispose();
    this.changed.dispose();
    this.made?.dispose();
  }
}
