/**
 * Questions on their way to the server: where they come from and which corpora they go to is added here, and nothing else
 * is made of them.
 */

import * as vscode from "vscode";
import { asking } from "./places";
import type { Answer, Expansion, Hit, OrientationMap, Position, Question } from "./protocol";
import type { Supervisor } from "./server/supervisor";
import { setting } from "./server/settings";

/** Corpora that questions of this session go to beside the workspace's own. */
export interface Attached {
  readonly names: readonly string[];
}

export const LIMIT = 20;

export class Questions {
  constructor(
    private readonly server: Supervisor,
    private readonly attached: Attached,
  ) {}

  retrieve(question: Question, token?: vscode.CancellationToken): Promise<Answer> {
    const names = this.attached.names;
    const asked = { ...from(question), ...(names.length ? { with: names } : {}), ...question };
    return this.server.request("gazetteer/retrieve", { limit: limit(asked), ...asked }, token);
  }

  /** What resembles a hit. */
  related(hit: Hit, token?: vscode.CancellationToken): Promise<Answer> {
    return this.server.request("gazetteer/related", { target: hit.locator, uri: hit.uri, limit: LIMIT }, token);
  }

  /** What resembles a place in a document. */
  relatedTo(uri: vscode.Uri, position: Position, token?: vscode.CancellationToken): Promise<Answer> {
    const { line, character } = position;
    const params = { uri: uri.toString(), position: { line, character }, limit: LIMIT };
    return this.server.request("gazetteer/related", params, token);
  }

  /** The live text of a hit with lines around it. */
  expand(
    { locator, uri }: { readonly locator: string; readonly uri?: string },
    around: { readonly before: number; readonly after: number },
    token?: vscode.CancellationToken,
  ): Promise<Expansion> {
    const where = uri === undefined ? asking() : { uri };
    return this.server.request("gazetteer/expand", { locator, ...where, ...around }, token);
  }

  /** The orientation map of this place; a new one where that is asked for. */
  map(create: boolean): Promise<OrientationMap> {
    return this.server.request("gazetteer/map", { ...asking(), create });
  }
}

/** How many places the folder that is asked wants to see. */
function limit({ uri, root }: Question): number {
  const where = uri ?? root;
  return setting("ask.limit", LIMIT, where === undefined ? undefined : vscode.Uri.parse(where));
}

/** A question that names its place keeps it. */
function from(question: Question): Pick<Question, "uri" | "root"> {
  return question.uri !== undefined || question.root !== undefined ? {} : asking();
}
