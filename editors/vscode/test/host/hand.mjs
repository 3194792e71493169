// A hand at the window under test. What runs inside of the extension host cannot press keys, nor see menus, dialogs and
// lists: it asks here, over HTTP on this machine, and a page of the browser does it. Here it learns too what to run.
import http from "node:http";
import path from "node:path";
import { within } from "../editor/bounded.mjs";
import { screen } from "../editor/screen.mjs";

/** What can be asked for. Texts are patterns; each act waits for what it is about, and gives what stands there. */
const ACTS = {
  async press(page, ...keys) {
    for (const key of keys) await page.keyboard.press(key);
  },

  async type(page, text) {
    await page.keyboard.insertText(text);
  },

  async click(page, selector, text, button = "left") {
    const found = seen(page, selector, text);
    const said = await found.innerText();
    await found.click({ button });
    return said;
  },

  async point(page, selector, text) {
    await seen(page, selector, text).hover();
  },

  async read(page, selector, text) {
    const found = seen(page, selector, text);
    await found.waitFor();
    return await found.innerText();
  },

  async all(page, selector) {
    return (await page.locator(selector).allInnerTexts()).join("\n");
  },

  /** What those say to people who hear the screen. */
  async labels(page, selector) {
    const said = await page.locator(selector).evaluateAll((all) => all.map((one) => one.getAttribute("aria-label")));
    return said.filter(Boolean).join("\n");
  },

  async gone(page, selector, text) {
    await seen(page, selector, text).waitFor({ state: "hidden" });
  },
};

function seen(page, selector, text = "") {
  return page.locator(selector, { hasText: new RegExp(text) }).first();
}

export class Hand {
  /** Pictures that were taken where something went wrong. */
  count = 0;

  static async start() {
    const hand = new Hand();
    hand.server = http.createServer((request, response) => void hand.answer(request, response));
    await new Promise((resolve) => hand.server.listen(0, "127.0.0.1", resolve));
    return hand;
  }

  get address() {
    return `http://127.0.0.1:${this.server.address().port}`;
  }

  /** Open a page and run a module in its window; resolves with what went wrong, "" when all was well. */
  async run(page, module, most) {
    this.page = page;
    this.module = module;
    const done = new Promise((resolve) => void (this.done = resolve));
    try {
      await page.goto(page.address);
      return await within(most, `all tests of ${path.basename(module)}`, done);
    } catch (error) {
      return `${error.message}\n${await this.screen()}`;
    }
  }

  async answer(request, response) {
    if (request.method === "GET") {
      response.end(this.module);
      return;
    }
    try {
      let body = "";
      for await (const part of request) body += part;
      const [act, ...given] = JSON.parse(body);
      if (act === "done") this.done(given[0]);
      response.end(act === "screen" ? await this.screen() : ((await ACTS[act]?.(this.page, ...given)) ?? ""));
    } catch (error) {
      response.writeHead(500).end(String(error));
    }
  }

  /** What is on the screen, in words; a picture of it too, where those are wanted. */
  async screen() {
    const shots = process.env.GAZETTEER_TEST_SHOTS;
    const file = path.join(shots ?? "", `hand-${++this.count}.png`);
    if (shots) await this.page.screenshot({ path: file }).catch((error) => console.log(`no picture: ${error.message}`));
    return await screen(this.page);
  }

  close() {
    this.server.closeAllConnections();
    this.server.close();
  }
}
