/**
 * The server's sentences name options of its command line where a setting is meant; in an editor the setting is named. A
 * test holds the table against the server's own. Pure.
 */

export const SETTINGS: Readonly<Record<string, string>> = {
  "--db-path": "gazetteer.dbPath",
  "--max-files": "gazetteer.maxFiles",
  "--allow-partial": "gazetteer.allowPartial",
  "--exclude": "gazetteer.exclude",
};

/** A sentence of the server as it is said in an editor. */
export function inSettings(sentence: string): string {
  return sentence.replace(/--[a-z]+(?:-[a-z]+)*/g, (flag) => {
    const setting = SETTINGS[flag];
    return setting === undefined ? flag : `the setting ${setting}`;
  });
}
