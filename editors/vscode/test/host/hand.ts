/** Asks the hand at this window; see `hand.mjs`. Texts are patterns. */

export const ROW = ".quick-input-widget .monaco-list-row";
export const BOX = ".quick-input-widget input";
export const DIALOG = ".monaco-dialog-box";
export const TOAST = ".notification-toast";
export const MENU = ".monaco-menu .action-item";
/** A row of a view of the extension. */
export const TREE = ".customview-tree .monaco-list-row";

async function act(name: string, ...given: readonly unknown[]): Promise<string> {
  const address = process.env.GAZETTEER_TEST_HAND ?? "";
  const answer = await fetch(address, { method: "POST", body: JSON.stringify([name, ...given]) });
  const said = await answer.text();
  if (!answer.ok) {
    throw new Error(`${name} ${JSON.stringify(given)}: ${said}`);
  }
  return said;
}

export const hand = {
  press: (...keys: readonly string[]): Promise<string> => act("press", ...keys),
  /** Type into what has the keys. */
  type: (text: string): Promise<string> => act("type", text),
  click: (selector: string, text: string, button: "left" | "right" = "left"): Promise<string> =>
    act("click", selector, text, button),
  point: (selector: string, text: string): Promise<string> => act("point", selector, text),
  /** What stands in the first that has such a text, as soon as there is one. */
  read: (selector: string, text = ""): Promise<string> => act("read", selector, text),
  /** What stands in all of them now. */
  all: (selector: string): Promise<string> => act("all", selector),
  labels: (selector: string): Promise<string> => act("labels", selector),
  /** Wait for none to be seen. */
  gone: (selector: string, text = ""): Promise<string> => act("gone", selector, text),
  /** What is on the screen now, in words. */
  screen: (): Promise<string> => act("screen"),
};
