// Draws media/icon.png from media/icon.svg: `npm run icon`.
import fs from "node:fs";
import path from "node:path";
import { EXTENSION } from "../test/editor/cache.mjs";
import { browser } from "../test/editor/browser.mjs";

const drawing = await browser();
const page = await drawing.newPage({ viewport: { width: 256, height: 256 } });
await page.setContent(
  `<body style="margin:0">${fs.readFileSync(path.join(EXTENSION, "media/icon.svg"), "utf8")}</body>`,
);
await page.screenshot({ path: path.join(EXTENSION, "media/icon.png"), omitBackground: true });
await drawing.close();
