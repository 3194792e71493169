import assert from "node:assert/strict";
import * as fs from "node:fs";
import * as path from "node:path";
import manifest from "../../package.json";
import words from "../../package.nls.json";

const ROOT = path.resolve(__dirname, "..");
const said: Readonly<Record<string, string>> = words;

function read(...names: string[]): string {
  return fs.readFileSync(path.join(ROOT, ...names), "utf8");
}

/** All tests that run in an editor. */
function tests(): string {
  return ["host", "workbench"]
    .flatMap((folder) =>
      fs
        .readdirSync(path.join(ROOT, "test", folder))
        .filter((name) => /\.m?[tj]s$/.test(name))
        .map((name) => read("test", folder, name)),
    )
    .join("\n");
}

/** What `%key%` stands for. */
function spoken(key: string): string {
  const words = said[key.slice(1, -1)];
  assert.ok(key.startsWith("%") && words, `${key} stands for nothing`);
  return words;
}

describe("every command", () => {
  const table = read("src", "commands.ts");

  for (const { command, title, category } of manifest.contributes.commands) {
    const name = command.replace(/^gazetteer\./, "");

    it(`${command} has a title, a description, does something, and is tested`, () => {
      assert.equal(category, "Gazetteer");
      assert.ok(spoken(title));
      assert.ok(said[`command.${name}.description`], "no description");
      assert.ok(table.includes(`"${command}": `), "does nothing");
      assert.ok(tests().includes(`"${command}"`) || tests().includes(`Gazetteer: ${spoken(title)}`), "is not tested");
    });
  }

  it("that does something can be called by people, but for those that the server calls", () => {
    const listed = manifest.contributes.commands.map(({ command }) => command);
    const made = [...table.matchAll(/^ +"(gazetteer\.[\w.]+)": /gm)].map(([, name]) => name ?? "");
    assert.deepEqual(made.filter((name) => !listed.includes(name)).sort(), ["gazetteer.copy", "gazetteer.view"]);
  });

  it("in a menu or behind a key is one of them", () => {
    const listed = new Set(manifest.contributes.commands.map(({ command }) => command));
    const used = [...manifest.contributes.keybindings, ...Object.values(manifest.contributes.menus).flat()];
    assert.deepEqual(
      used.filter(({ command }) => !listed.has(command)),
      [],
    );
  });
});

describe("every setting", () => {
  for (const [key, setting] of Object.entries(manifest.contributes.configuration.properties)) {
    it(`${key} has a description, a default and a scope`, () => {
      assert.ok(spoken(setting.markdownDescription));
      assert.ok("default" in setting);
      assert.ok(["machine", "window", "resource"].includes(setting.scope));
    });
  }

  it("that decides what is run or where is written is out of reach of a workspace", () => {
    const { properties } = manifest.contributes.configuration;
    for (const key of ["gazetteer.server.path", "gazetteer.server.package", "gazetteer.dbPath"] as const) {
      assert.equal(properties[key].scope, "machine");
      assert.ok(manifest.capabilities.untrustedWorkspaces.restrictedConfigurations.includes(key));
    }
  });
});

describe("every view", () => {
  for (const { id, name, contextualTitle } of manifest.contributes.views.gazetteer) {
    it(`${id} has a name, a title, words for when it is empty, and is tested`, () => {
      assert.ok(spoken(name) && spoken(contextualTitle));
      assert.ok(spoken(manifest.contributes.viewsWelcome.find(({ view }) => view === id)?.contents ?? ""));
      assert.ok(tests().includes(id.replace("gazetteer.", "")));
    });
  }
});

describe("what is shown", () => {
  it("stands for something, and everything said is used", () => {
    const used = [...read("package.json").matchAll(/"%([\w.]+)%"/g)].map(([, key]) => key ?? "");
    assert.deepEqual(
      used.filter((key) => !said[key]),
      [],
    );
    const descriptions = manifest.contributes.commands.map(
      ({ command }) => command.replace("gazetteer.", "command.") + ".description",
    );
    const known = new Set([...used, ...descriptions]);
    assert.deepEqual(
      Object.keys(said).filter((key) => !known.has(key)),
      [],
    );
  });

  it("is there: icons and pictures", () => {
    const pictures = manifest.contributes.walkthroughs.flatMap(({ steps }) => steps.map(({ media }) => media.image));
    for (const name of [manifest.icon, manifest.contributes.viewsContainers.activitybar[0]?.icon ?? "", ...pictures]) {
      assert.ok(fs.statSync(path.join(ROOT, name)).size, name);
    }
  });

  it("is in the README: every command and every setting", () => {
    const readme = read("README.md");
    for (const { command, title } of manifest.contributes.commands) {
      const description = said[`${command.replace("gazetteer.", "command.")}.description`];
      assert.ok(readme.includes(`| ${spoken(title)} | ${description} |`), `${command}: run npm run readme`);
    }
    for (const [key, { markdownDescription }] of Object.entries(manifest.contributes.configuration.properties)) {
      assert.ok(
        readme.includes(`| \`${key}\` |`) && readme.includes(spoken(markdownDescription)),
        `${key}: run npm run readme`,
      );
    }
  });
});

describe("tools for agents", () => {
  for (const tool of manifest.contributes.languageModelTools) {
    it(`${tool.name} says what it is, that its text is untrusted, and is tested`, () => {
      assert.ok(spoken(tool.displayName) && spoken(tool.userDescription));
      assert.match(tool.modelDescription, /untrusted data/);
      assert.ok(tests().includes(`"${tool.name}"`));
    });
  }
});
