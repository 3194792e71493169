// A person at the workbench who has no mouse: keys, and pictures of what came of them. Waits for what is to be seen or to
// have the keys, never for a time. What was pressed and which commands were run is kept, to see what was left out.
import path from "node:path";
import { PATIENCE } from "../editor/bounded.mjs";
import { EDITOR, exactly, MARK, Sight, WIDGET } from "./sight.mjs";

const TITLE = `${WIDGET} .quick-input-title`;
/** How often a key is pressed on the way to something before it counts as not to be reached. */
const MOST = 60;

export class Desk extends Sight {
  /** Titles of what was run from a list, and from a menu; keys that were pressed. */
  ran = new Set();
  chosen = new Set();
  pressed = new Set();
  /** Parts of the window that are drawn too, by the name of the picture: a file and what of the window goes there. */
  pictures = {};

  /** Pictures go to the folder `shots`, numbered after `count`. */
  constructor(page, shots, count = 0) {
    super(page);
    this.shots = shots;
    this.count = count;
  }

  async begin() {
    await this.page.goto(this.page.address);
    await this.page.waitForSelector(".monaco-workbench .explorer-folders-view");
  }

  /** A picture of the window, numbered in order; what moves is shown where it comes to rest. */
  async shot(name) {
    await this.page.evaluate("document.fonts.ready.then(() => new Promise(requestAnimationFrame))");
    const number = String(++this.count).padStart(2, "0");
    await this.draw(path.join(this.shots, `${number}-${name}.png`));
    const { file, clip } = this.pictures[name] ?? {};
    if (file) await this.draw(file, clip);
  }

  draw(file, clip) {
    return this.page.screenshot({ path: file, clip, animations: "disabled" });
  }

  // -- keys ------------------------------------------------------------------------------------------------------

  async press(...keys) {
    for (const key of keys) {
      this.pressed.add(key);
      await this.page.keyboard.press(key);
    }
  }

  type(text) {
    return this.page.keyboard.type(text);
  }

  /** Press a key until something is seen. */
  async until(key, seen, what) {
    for (let count = 0; count < MOST; count++) {
      if (await seen()) return;
      await this.press(key);
      await this.page.evaluate("new Promise(requestAnimationFrame)");
    }
    throw new Error(`cannot be reached with ${key}: ${what}`);
  }

  /** Run a command of the palette, by its whole title. */
  async command(title) {
    this.before = await this.page.evaluate(tabs);
    await this.press("F1");
    await this.filled(/^>/);
    await this.page.keyboard.insertText(title);
    await this.choose(title);
  }

  /** Choose the entry of the list whose name this is, or, of a pattern, the first that has it. */
  async choose(name) {
    const row = typeof name === "string" ? this.named(name) : this.row(name);
    await row.waitFor();
    await this.until("ArrowDown", () => row.evaluate((element) => element.classList.contains("focused")), name);
    await this.press("Enter");
    if (typeof name === "string") this.ran.add(name.replace("Gazetteer: ", ""));
  }

  /** Open the menu of what has the keys, and choose an entry. */
  async menu(title) {
    this.before = await this.page.evaluate(tabs);
    await this.press("Shift+F10");
    const label = this.page.locator(".action-label", { hasText: exactly(title) });
    const entry = this.page.locator(".monaco-menu .action-item", { has: label }).first();
    await entry.waitFor();
    await this.until("ArrowDown", () => entry.evaluate((element) => element.matches(".focused")), title);
    await this.press("Enter");
    await entry.waitFor({ state: "detached" });
    this.chosen.add(title);
  }

  /** Go with Tab to something that has this text, and press Enter. */
  async tab(text, key = "Tab") {
    await this.until(key, () => this.page.evaluate(hasKeys, [text.source]), text);
    await this.press("Enter");
  }

  /** Open the list of Ask Corpus by its key, and ask. */
  async ask(question, keys = "Control+Alt+g") {
    this.before = await this.page.evaluate(tabs);
    await this.press(keys);
    await this.asking();
    if (question) {
      await this.type(question);
      await this.answered();
      await this.previewed();
    }
  }

  /** Wait for the list to have the keys: what is typed earlier goes to where they went before. */
  async asking() {
    await this.page.locator(TITLE, { hasText: "Ask Corpus" }).waitFor();
    await this.filled(/^/);
  }

  /** Wait for the list to show an answer. */
  async answered(text = /\d+ found/) {
    await this.page.locator(TITLE, { hasText: text }).waitFor();
  }

  /** Wait for the box of the list that is open to have the keys and to say something. */
  async filled(text) {
    const box = this.page.locator(`${WIDGET} input:focus`);
    await box.waitFor();
    await this.page.waitForFunction(
      ([selector, source]) => new RegExp(source).test(document.querySelector(selector)?.value ?? "\0"),
      [`${WIDGET} input:focus`, text.source],
    );
  }

  /** Leave the list that is open. */
  async leave() {
    await this.press("Escape");
    await this.page.locator(WIDGET).waitFor({ state: "hidden" });
  }

  /** Leave Ask Corpus without choosing, until everything is as it was: `file` in the editor, where one was. */
  async unasked(file) {
    if (await this.page.locator(TITLE, { hasText: /[1-9]\d* found/ }).isVisible()) await this.previewed();
    await this.leave();
    await this.page.waitForFunction(`(${tabs})().join() === ${JSON.stringify(this.before.join())}`);
    await this.page.locator(MARK).first().waitFor({ state: "detached" });
    if (file) await this.inEditor(file);
  }

  /** Open a file of the folder; the question is one that it answers. */
  async open(question, file) {
    await this.ask(`${question} path:${file}`);
    await this.press("Enter");
    await this.page.locator(WIDGET).waitFor({ state: "hidden" });
    await this.inEditor(path.basename(file));
  }

  /** Put the cursor there. */
  async cursor(line, column) {
    await this.press("Control+g");
    await this.filled(/^:/);
    await this.page.keyboard.insertText(`${line}:${column}`);
    await this.row(new RegExp(`line ${line} .*${column}\\.`)).waitFor();
    await this.press("Enter");
    await this.statusSays(new RegExp(`Ln ${line}, Col ${column}`));
    await this.page.locator(`${EDITOR}.focused`).first().waitFor();
  }

  /** Show the hover card of the name at the cursor. */
  async card(text = /./) {
    await this.press("Control+k", "Control+i");
    await this.hover(text).waitFor();
  }

  /**
   * Show the actions at the cursor. The editor asks for them by itself too, some time after the cursor has moved, and then
   * throws away what is under way without a sign: the key is pressed again.
   */
  async actions(text) {
    const seen = () => this.action(text).waitFor({ timeout: PATIENCE / 12 });
    const again = async () => {
      await this.press("Control+.");
      await seen();
    };
    await again().catch(again).catch(again);
  }

  /** Go to a row of the view that has the keys. */
  async to(text, key = "ArrowDown") {
    await this.tree(text).waitFor();
    await this.page.locator(".customview-tree .monaco-list:focus").waitFor();
    const there = () => this.tree(text).evaluate((row) => row.classList.contains("focused"));
    // while rows are drawn anew, more than one key may count before it is seen: then it is the other way
    const back = key === "ArrowDown" ? "ArrowUp" : "ArrowDown";
    const other = () => this.until(back, there, text);
    await this.until(key, there, text).catch(other);
  }

  /** Go to a view. */
  async view(name) {
    const pane = this.page.locator(`.pane:has(.pane-header[aria-label^="${name}"])`);
    if (await pane.locator(".monaco-list:focus").isVisible()) return;
    await this.command(`Gazetteer: Focus on ${name} View`);
    await pane.locator(".monaco-list-row").first().waitFor();
    // the editor gives no keys to a view that has no rows yet
    if (!(await pane.locator(".monaco-list:focus").isVisible())) await this.command(`Gazetteer: Focus on ${name} View`);
    await this.inView(name);
  }
}

/** The files that are open; runs in the page. */
function tabs() {
  return [...document.querySelectorAll(".tab")].map((tab) => `${tab.ariaLabel}${tab.matches(".active") ? "*" : ""}`);
}

/** Whether what has the keys, in a frame or not, has a text; runs in the page. */
function hasKeys([source]) {
  let at = document.activeElement;
  while (at?.shadowRoot?.activeElement) at = at.shadowRoot.activeElement;
  const said = [at?.textContent, at?.getAttribute("aria-label"), at?.getAttribute("title")];
  return said.some((one) => one && new RegExp(source).test(one.trim()) && one.length < 400);
}
