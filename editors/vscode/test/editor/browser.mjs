// A headless browser: the one that is named or installed, else one out of an npm package, which needs no rights.
import { createRequire } from "node:module";
import path from "node:path";
import { chromium } from "playwright-core";
import { kept, onPath, run } from "./cache.mjs";

const PACKAGE = "@sparticuz/chromium";
const VERSION = "138.0.2"; // the last one for Node 20
const SWITCHES = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"];
const QUIET = ["--disable-background-networking", "--disable-component-update", "--disable-sync"];

/** A browser that runs; close it. */
export async function browser() {
  return await chromium.launch({ executablePath: await program(), args: [...SWITCHES, ...QUIET] });
}

async function program() {
  const found = process.env.GAZETTEER_TEST_BROWSER || onPath("chromium", "chromium-browser", "google-chrome");
  return found ?? (await packaged());
}

async function packaged() {
  const folder = kept(`chromium-${VERSION}`, (draft) => {
    run("npm", ["install", "--prefix", draft, "--no-audit", "--no-fund", "--loglevel=error", `${PACKAGE}@${VERSION}`]);
  });
  // the package brings the libraries that a bare machine lacks, and lays them out only where it believes to be at home
  process.env.AWS_LAMBDA_JS_RUNTIME ??= "nodejs20.x";
  const { default: packed } = await import(createRequire(path.join(folder, "/")).resolve(PACKAGE));
  return await packed.executablePath();
}
