// What package.json contributes and a run did not use, and whether it used a mouse.
import fs from "node:fs";
import path from "node:path";
import { EXTENSION } from "../editor/cache.mjs";

const read = (name) => JSON.parse(fs.readFileSync(path.join(EXTENSION, name), "utf8"));
const { commands, keybindings, menus } = read("package.json").contributes;
const words = read("package.nls.json");
const titles = Object.fromEntries(commands.map(({ command, title }) => [command, words[title.slice(1, -1)]]));

/** Menus that open where the keys are; what stands beside the title of a view is in the palette too. */
const AT_KEYS = ["editor/context", "explorer/context", "view/item/context"];
/** What the server that is tested does not offer is not in the palette. */
const NOT_OFFERED = ["gazetteer.semanticIndex"];

/** Commands, keys and entries of menus that a desk did not use. */
export function leftOut({ ran, chosen, pressed }) {
  const used = new Set(keybindings.filter(({ key }) => pressed.has(chord(key))).map(({ command }) => command));
  return [
    ...commands
      .filter(({ command }) => !used.has(command) && !ran.has(titles[command]) && !chosen.has(titles[command]))
      .map(({ command }) => command)
      .filter((command) => !NOT_OFFERED.includes(command)),
    ...keybindings.filter(({ key }) => !pressed.has(chord(key))).map(({ key }) => key),
    ...AT_KEYS.flatMap((menu) => menus[menu].map(({ command }) => [menu, titles[command]]))
      .filter(([, title]) => !chosen.has(title))
      .map(([menu, title]) => `${menu}: ${title}`),
  ];
}

/** A key as Playwright names it. */
function chord(key) {
  const names = { ctrl: "Control", alt: "Alt", shift: "Shift", left: "ArrowLeft" };
  return key
    .split("+")
    .map((part) => names[part] ?? (part.length > 1 ? part[0].toUpperCase() + part.slice(1) : part))
    .join("+");
}

/** What a mouse does in a page from now on. */
export async function mouse(page) {
  const clicks = [];
  await page.exposeFunction("usedMouse", (kind) => clicks.push(kind));
  await page.addInitScript(() => {
    for (const kind of ["pointerdown", "mousedown", "wheel"]) {
      globalThis.addEventListener(kind, ({ isTrusted }) => isTrusted && globalThis.usedMouse(kind), { capture: true });
    }
  });
  return clicks;
}
