import assert from "node:assert/strict";
import * as fs from "node:fs";
import * as path from "node:path";
import manifest from "../../package.json";
import words from "../../package.nls.json";
import rows from "../rows.json";

const ROOT = path.resolve(__dirname, "..");
const said: Readonly<Record<string, string>> = words;

function read(...names: string[]): string {
  return fs.readFileSync(path.join(ROOT, ...names), "utf8");
}

/** Every test of the suites in an editor: its title, and what it does. */
function tests(): ReadonlyMap<string, string> {
  const files = fs.readdirSync(path.join(ROOT, "test/host")).filter((name) => name.endsWith(".ts"));
  const found = files.flatMap((name) =>
    read("test/host", name)
      .split(/^ +it\($/m)
      .flatMap((one) => one.split(/^ +it\(/m)),
  );
  return new Map(found.map((text) => [/^\s*"((?:[^"\\]|\\.)*)"/.exec(text)?.[1] ?? "", text]));
}

/** All that `package.json` contributes, as `rows.json` names it. */
function contributed(): readonly string[] {
  const { commands, configuration, menus, views, viewsContainers, viewsWelcome, walkthroughs, languageModelTools } =
    manifest.contributes;
  return [
    ...commands.map(({ command }) => `command ${command}`),
    ...Object.keys(configuration.properties).map((key) => `setting ${key}`),
    ...viewsContainers.activitybar.map(({ id }) => `container ${id}`),
    ...views.gazetteer.map(({ id }) => `view ${id}`),
    ...viewsWelcome.map(({ view }) => `welcome ${view}`),
    ...Object.keys(menus).map((menu) => `menu ${menu}`),
    ...languageModelTools.map(({ name }) => `tool ${name}`),
    ...walkthroughs.flatMap(({ steps }) => steps.map(({ id }) => `step ${id}`)),
  ];
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

    it(`${command} has a title, a description, and does something`, () => {
      assert.equal(category, "Gazetteer");
      assert.ok(spoken(title));
      assert.ok(said[`command.${name}.description`], "no description");
      assert.ok(table.includes(`"${command}": `), "does nothing");
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
    it(`${id} has a name, a title, and words for when it is empty`, () => {
      assert.ok(spoken(name) && spoken(contextualTitle));
      assert.ok(spoken(manifest.contributes.viewsWelcome.find(({ view }) => view === id)?.contents ?? ""));
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
    it(`${tool.name} says what it is, and that its text is untrusted`, () => {
      assert.ok(spoken(tool.displayName) && spoken(tool.userDescription));
      assert.match(tool.modelDescription, /untrusted data/);
    });
  }
});

describe("every contribution", () => {
  it("has a row that says which test in an editor is about it", () => {
    assert.deepEqual(Object.keys(rows).sort(), [...contributed()].sort());
  });

  /** What the code of a test has in it that uses a command, a setting or a tool. */
  const USES: Readonly<Record<string, (name: string) => string>> = {
    command: (name) => `"${name}"`,
    setting: (name) => name.replace("gazetteer.", ""),
    tool: (name) => `"${name}"`,
  };

  // that these tests have passed, the runner of the suites says when all of them were run
  for (const [row, title] of Object.entries(rows)) {
    const [kind = "", name = ""] = row.split(/ (.*)/);
    it(`${row} is used by the test that the row names`, () => {
      const code = tests().get(title);
      assert.ok(code, `no test is called ${title}`);
      const use = USES[kind]?.(name) ?? "";
      assert.ok(code.includes(use), `${title} does not use ${use}`);
    });
  }

  it("that a step of the walkthrough leads to is a command of ours or of the editor", () => {
    const known = new Set(manifest.contributes.commands.map(({ command }) => command));
    const led = Object.values(said).flatMap((words) =>
      [...words.matchAll(/\(command:([\w.]+)\)/g)].map(([, one]) => one ?? ""),
    );
    assert.ok(led.length);
    const views = manifest.contributes.views.gazetteer.map(({ id }) => `${id}.focus`);
    assert.deepEqual(
      led.filter((command) => !known.has(command) && !views.includes(command)),
      [],
    );
  });
});
