// Bundles the extension, and with --tests what runs the tests. --production leaves out the source map and makes it small.
import { build } from "esbuild";

const has = (flag) => process.argv.includes(flag);
const production = has("--production");
const common = { bundle: true, platform: "node", target: "node20", format: "cjs", logLevel: "warning" };

await build({
  ...common,
  entryPoints: ["src/extension.ts"],
  outfile: "dist/extension.js",
  external: ["vscode"],
  minify: production,
  sourcemap: !production,
  legalComments: "none",
});

if (has("--tests")) {
  // the units know no editor: one that imports it does not build
  await build({
    ...common,
    entryPoints: ["test/unit/all.ts"],
    outfile: "out/unit.cjs",
    external: ["mocha"],
    sourcemap: "inline",
  });
  const host = ["main", "crashes", "untrusted", "roots", "finding", "latency"].map((name) => `test/host/${name}.ts`);
  await build({
    ...common,
    entryPoints: host,
    outdir: "out/host",
    outExtension: { ".js": ".cjs" },
    external: ["vscode", "mocha"],
    sourcemap: "inline",
  });
}
