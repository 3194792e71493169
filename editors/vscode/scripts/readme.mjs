// Writes the tables of commands, keys and settings in README.md from what package.json contributes: `npm run readme`.
import fs from "node:fs";
import path from "node:path";
import { EXTENSION } from "../test/editor/cache.mjs";

const read = (name) => fs.readFileSync(path.join(EXTENSION, name), "utf8");
const { contributes } = JSON.parse(read("package.json"));
const words = JSON.parse(read("package.nls.json"));
const said = (key) => words[key.slice(1, -1)];
const titles = Object.fromEntries(contributes.commands.map(({ command, title }) => [command, said(title)]));

const commands = contributes.commands.map(
  ({ command }) => `| ${titles[command]} | ${words[`${command.replace("gazetteer.", "command.")}.description`]} |`,
);
const keys = contributes.keybindings.map(({ command, key, mac = key, when = "" }) => {
  const where = when.includes("asking")
    ? "in the list"
    : when.includes("gazetteer.results")
      ? "in the results view"
      : when.includes("gazetteer.corpora")
        ? "in the corpora view"
        : "anywhere";
  return `| \`${key}\` | \`${mac}\` | ${titles[command]} | ${where} |`;
});
const settings = Object.entries(contributes.configuration.properties).map(
  ([key, { default: value, scope, markdownDescription }]) =>
    `| \`${key}\` | \`${JSON.stringify(value)}\` | ${scope} | ${said(markdownDescription)} |`,
);

const tables = {
  commands: ["| command (Gazetteer: …) | what it does |", "|---|---|", ...commands],
  keys: ["| key | on a Mac | command | where |", "|---|---|---|---|", ...new Set(keys)],
  settings: ["| setting | default | scope | what it decides |", "|---|---|---|---|", ...settings],
};
let text = read("README.md");
for (const [name, rows] of Object.entries(tables)) {
  const table = new RegExp(`(<!-- ${name} -->)[^]*?(<!-- end -->)`);
  text = text.replace(table, (_, start, end) => `${start}\n\n${rows.join("\n")}\n\n${end}`);
}
fs.writeFileSync(path.join(EXTENSION, "README.md"), text);
