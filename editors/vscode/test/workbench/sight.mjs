// What a person sees at the workbench. Waits for what is to be seen, never for a time; presses nothing.
import { PATIENCE } from "../editor/bounded.mjs";

export const WIDGET = ".quick-input-widget";
export const EDITOR = ".editor-group-container.active .monaco-editor";
/** Where a place is shown while somebody moves through the list. */
export const MARK = `${EDITOR} .view-overlays [class*="TextEditorDecorationType"]`;

export class Sight {
  constructor(page) {
    this.page = page;
  }

  /** An entry of the list that is open. */
  row(text) {
    return this.page.locator(`${WIDGET} .monaco-list-row`, { hasText: text }).first();
  }

  /** The entry of that very name. */
  named(name) {
    const label = this.page.locator(".label-name", { hasText: exactly(name) });
    return this.page.locator(`${WIDGET} .monaco-list-row`, { has: label }).first();
  }

  /** What stands in the box of the list while nothing is typed. */
  hint() {
    return this.page.locator(`${WIDGET} input:focus`).getAttribute("placeholder");
  }

  rows() {
    return this.page.locator(`${WIDGET} .monaco-list-row`).allInnerTexts();
  }

  /** A row of a view. */
  tree(text) {
    return this.page.locator(".customview-tree .monaco-list-row", { hasText: text }).first();
  }

  /** Wait for the keys to be at a row of a view. */
  async at(text) {
    await this.page
      .locator(".customview-tree .monaco-list:focus .monaco-list-row.focused", { hasText: text })
      .waitFor();
  }

  /** Wait for a view to have the keys. */
  async inView(name) {
    await this.page.locator(`.pane:has(.pane-header[aria-label^="${name}"]) .monaco-list:focus`).waitFor();
  }

  /** What stands beside the title of a view. */
  async beside(text) {
    await this.page.locator(".pane-header .description", { hasText: text }).first().waitFor();
  }

  async noRow(text) {
    await this.tree(text).waitFor({ state: "detached" });
  }

  action(text) {
    return this.page.locator(".action-widget .monaco-list-row", { hasText: text }).first();
  }

  hover(text) {
    return this.page.locator(".monaco-hover:not(.hidden) .hover-contents", { hasText: text }).first();
  }

  toast(text) {
    return this.page.locator(".notification-toast", { hasText: text }).first();
  }

  dialog(text) {
    return this.page.locator(".monaco-dialog-box", { hasText: text }).first();
  }

  /** Wait for a picture that is described so. */
  async picture(alt) {
    const drawn = `[...document.images].some((one) => ${alt}.test(one.alt) && one.complete && one.naturalWidth)`;
    await this.page.waitForFunction(drawn);
  }

  /** Wait for a step of a walkthrough to be done. */
  async done(step) {
    const done = this.page.locator(".codicon-getting-started-step-checked");
    await this.page.locator(".getting-started-step", { hasText: step, has: done }).waitFor();
  }

  text(text) {
    return this.page.getByText(text).first();
  }

  /** Wait for a note behind a line. */
  async note(text) {
    await this.page.waitForFunction(`(${notes})().some((note) => ${text}.test(note))`);
  }

  async noNote() {
    await this.page.waitForFunction(`!(${notes})().length`);
  }

  statusItem() {
    return this.page.locator("[id='gazetteer.gazetteer.gazetteer.status']");
  }

  /** Wait for the status item to say something. */
  async status(text, timeout) {
    await this.said("[id='gazetteer.gazetteer.gazetteer.status']", text, timeout);
  }

  async statusSays(text) {
    await this.said(".statusbar-item", text);
  }

  /** Wait for something that may stand there for a moment only: every frame is looked at. */
  async said(selector, text, timeout = PATIENCE) {
    const says = ([selector, source, flags]) =>
      [...document.querySelectorAll(selector)].some((one) => new RegExp(source, flags).test(one.textContent));
    await this.page.waitForFunction(says, [selector, text.source, text.flags], { timeout }).catch((error) => {
      throw new Error(`${selector} never said ${text}`, { cause: error });
    });
  }

  /** Wait for the cursor to be in a line. */
  async atLine(line) {
    await this.statusSays(new RegExp(`Ln ${line},`));
  }

  /** Wait for a file to be in the active editor. */
  async editor(name) {
    await this.page.locator(`${EDITOR}[data-uri$="/${name}"]`).first().waitFor();
  }

  /** Wait for the editor with a file to have the keys. */
  async inEditor(name) {
    await this.page.locator(`${EDITOR}.focused[data-uri$="/${name}"]`).first().waitFor();
  }

  /** Wait for the place that the list is on to be in the editor. */
  async previewed() {
    const shown = ([list, editor]) => {
      const said = (part) => document.querySelector(`${list} .monaco-list-row.focused ${part}`)?.textContent ?? "";
      const [, file] = /([^\s/]+):\d+ /.exec(`${said(".label-name")} ${said(".label-description")} `) ?? [];
      return document.querySelector(editor)?.dataset.uri?.endsWith(`/${file}`);
    };
    await this.page.waitForFunction(shown, [WIDGET, EDITOR]);
    await this.page.locator(MARK).first().waitFor();
  }

  /** Wait for so many editors beside each other. */
  async groups(count) {
    await this.page.waitForFunction(
      ([wanted]) => document.querySelectorAll(".editor-group-container").length === wanted,
      [count],
    );
  }

  /** Wait for the clipboard to hold something; it holds a blank then. */
  async clipboard(text) {
    const read = "new Promise(requestAnimationFrame).then(() => navigator.clipboard.readText())";
    let held;
    for (const late = Date.now() + PATIENCE; !text.test((held = await this.page.evaluate(read)));) {
      if (Date.now() > late) throw new Error(`the clipboard holds ${JSON.stringify(held)}, not ${text}`);
    }
    await this.page.evaluate("navigator.clipboard.writeText(' ')");
    return held;
  }
}

export function exactly(title) {
  return new RegExp(`^\\s*${title.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")}\\s*$`);
}

/** What stands behind lines without being text of the document; runs in the page. */
function notes() {
  const after = (span) => getComputedStyle(span, "::after").content;
  return [...document.querySelectorAll(".view-line span")].map(after).filter((content) => /^"./.test(content));
}
