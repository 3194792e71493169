/** Which servers this extension can talk to. Pure. */

/** The least version of the server that this extension needs, and the first one that it does not know. */
export const LEAST = "0.1.0";
export const BEFORE = "0.2.0";

/** The version that `gazetteer --version` prints, such as `gazetteer, version 0.1.0`; undefined for anything else. */
export function parse(printed: string): string | undefined {
  return /^gazetteer, version (\d+(?:\.\d+)+\S*)\s*$/m.exec(printed)?.[1];
}

/** A sentence that says why a version does not fit; undefined when it does. */
export function fault(version: string | undefined, command: string): string | undefined {
  if (version === undefined) {
    return `${command} does not say its version as a Gazetteer server does. Name another with the setting gazetteer.server.path.`;
  }
  if (compare(version, LEAST) < 0) {
    return `${command} is version ${version}; this extension needs ${LEAST} or newer. Upgrade it with: pip install --upgrade gazetteer`;
  }
  if (compare(version, BEFORE) >= 0) {
    return `${command} is version ${version}, which is newer than this extension knows (before ${BEFORE}). Update the extension.`;
  }
  return undefined;
}

function compare(left: string, right: string): number {
  const [a, b] = [numbers(left), numbers(right)];
  for (let at = 0; at < Math.max(a.length, b.length); at++) {
    const difference = (a[at] ?? 0) - (b[at] ?? 0);
    if (difference !== 0) {
      return difference;
    }
  }
  return 0;
}

function numbers(version: string): number[] {
  return version.split(".").map((part) => Number.parseInt(part, 10) || 0);
}
