// A person at the workbench: keys, what can be seen, pictures. Waits for what it wants to see, never for a time.
import path from "node:path";

const REST = 250; // for a picture only: animations of the workbench

export class Desk {
  /** Pictures go to the folder `shots`, numbered after `count`. */
  constructor(page, shots, count = 0) {
    this.page = page;
    this.shots = shots;
    this.count = count;
  }

  async begin() {
    await this.page.goto(this.page.address);
    await this.page.waitForSelector(".monaco-workbench .explorer-folders-view");
  }

  /** A picture of the window, numbered in order. */
  async shot(name) {
    await this.page.waitForTimeout(REST);
    const number = String(++this.count).padStart(2, "0");
    await this.page.screenshot({ path: path.join(this.shots, `${number}-${name}.png`) });
  }

  // -- keys ------------------------------------------------------------------------------------------------------

  press(keys) {
    return this.page.keyboard.press(keys);
  }

  type(text) {
    return this.page.keyboard.type(text);
  }

  /** Run a command from the palette. */
  async command(title) {
    await this.press("F1");
    await this.page.waitForSelector(".quick-input-widget input");
    await this.type(title);
    await this.row(new RegExp(escape(title))).waitFor();
    await this.press("Enter");
  }

  /** Open the list of Ask Corpus by its key. */
  async ask() {
    await this.press("Control+Alt+g");
    await this.asking();
  }

  /** Open it from the palette. */
  async askFromPalette() {
    await this.command("Gazetteer: Ask Corpus");
    await this.asking();
  }

  /** Wait for the list: what is typed earlier goes to where the keys went before. */
  async asking() {
    await this.page.locator(".quick-input-titlebar", { hasText: "Ask Corpus" }).waitFor();
  }

  /** Open a file of the explorer; its folder is shown. */
  async open(name) {
    await this.press("Control+Shift+e");
    await this.page.locator(".explorer-folders-view .monaco-list-row", { hasText: name }).dblclick();
    await this.editor(name);
  }

  /** Select the first occurrence of a text in the editor. */
  async find(text) {
    await this.page.locator(".editor-group-container .monaco-editor.focused").first().waitFor();
    await this.press("Control+Home");
    await this.press("Control+f");
    await this.page.waitForSelector(".find-widget.visible textarea");
    await this.type(text);
    await this.page.waitForSelector(".find-widget .matchesCount:has-text('1 of')");
    await this.press("Escape");
  }

  /** Show the hover card of a text. */
  async hoverAt(text) {
    await this.find(text);
    await this.press("ArrowLeft");
    await this.press("Control+k");
    await this.press("Control+i");
    await this.hover(/./).waitFor();
  }

  /** Close what is open over the window. */
  async calm() {
    await this.press("Escape");
    await this.press("Escape");
  }

  /** Leave the list that is open. */
  async leave() {
    await this.press("Escape");
    await this.page.locator(".quick-input-widget").waitFor({ state: "hidden" });
  }

  // -- what can be seen ------------------------------------------------------------------------------------------

  /** An entry of the list that is open. */
  row(text) {
    return this.page.locator(".quick-input-list .monaco-list-row", { hasText: text }).first();
  }

  /** A row of a view. */
  tree(text) {
    return this.page.locator(".customview-tree .monaco-list-row", { hasText: text }).first();
  }

  action(text) {
    return this.page.locator(".action-widget .monaco-list-row", { hasText: text }).first();
  }

  hover(text) {
    return this.page.locator(".monaco-hover:not(.hidden) .hover-contents", { hasText: text }).first();
  }

  text(text) {
    return this.page.getByText(text).first();
  }

  async note(text) {
    // a decoration is no text of the document
    const shown = ([source]) =>
      [...document.querySelectorAll(".view-line span")].some((span) =>
        new RegExp(source).test(getComputedStyle(span, "::after").content),
      );
    await this.page.waitForFunction(shown, [text.source]);
  }

  statusItem() {
    return this.page.locator("[id='gazetteer.gazetteer.gazetteer.status']");
  }

  /** Wait for the status item to say something. */
  async status(text, timeout = 60_000) {
    await this.statusItem().filter({ hasText: text }).waitFor({ timeout });
  }

  async statusSays(text) {
    await this.page.locator(".statusbar-item", { hasText: text }).first().waitFor();
  }

  /** Wait for a file to be in the active editor. */
  async editor(name) {
    await this.page.locator(".tab.active", { hasText: name }).first().waitFor();
  }

  /** Wait for a file to be shown behind the list. */
  async previewed(name) {
    await this.editor(name);
  }

  clipboard() {
    return this.page.evaluate("navigator.clipboard.readText()");
  }
}

function escape(text) {
  return text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
}
