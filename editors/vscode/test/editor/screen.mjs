// What is on the screen, in words, for whoever reads why a run failed and cannot see its pictures.
import { PATIENCE, within } from "./bounded.mjs";

/** What is said of a window, and where in it that is. */
const PARTS = {
  dialog: ".monaco-dialog-box",
  message: ".notification-toast",
  list: ".quick-input-widget .quick-input-title, .quick-input-widget .monaco-list-row",
  menu: ".monaco-menu .action-item",
  hover: ".monaco-hover:not(.hidden) .hover-contents",
  tab: ".tab",
  "line of the editor": ".editor-group-container.active .view-line",
  view: ".pane-header",
  "row of a view": ".pane .monaco-list-row",
  status: ".statusbar-item",
};
/** So many of a kind are said, and so much of each. */
const MOST = { of: 12, long: 160 };

/** Some lines about a page; never fails, and never waits for long. */
export async function screen(page) {
  try {
    const said = await within(PATIENCE / 6, "the page answers", page.evaluate(describe, [PARTS, MOST]));
    return ["--- on the screen", ...said, "---"].join("\n");
  } catch (error) {
    return `--- the screen cannot be read: ${String(error.message).split("\n")[0]}`;
  }
}

/** Runs in the page. */
function describe([parts, most]) {
  const words = (element) => (element.innerText || element.ariaLabel || "").replace(/\s+/g, " ").trim();
  const one = (element) => words(element).slice(0, most.long);
  const said = Object.entries(parts).flatMap(([name, selector]) => {
    const all = [...document.querySelectorAll(selector)].filter(
      (element) => element.checkVisibility() && words(element),
    );
    const lines = all.slice(0, most.of).map((element) => {
      const marks = element.matches(".focused, .active") ? " *" : "";
      return `${name}${marks}: ${one(element)}`;
    });
    return all.length > most.of ? [...lines, `${name}: … ${all.length - most.of} more`] : lines;
  });
  const box = document.querySelector(".quick-input-widget input");
  if (box?.checkVisibility()) said.push(`typed: ${JSON.stringify(box.value)}`);
  const at = document.activeElement;
  said.push(`keys go to: ${at?.tagName} ${at?.className} ${JSON.stringify(at ? one(at) : "")}`.slice(0, 2 * most.long));
  return said;
}
