// A hand at the window under test. What runs inside of the extension host cannot press keys, nor see menus, dialogs and
// lists: it asks here, over HTTP on this machine, and a page of the browser does it.
import http from "node:http";

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

  async read(page, selector, text) {
    const found = seen(page, selector, text);
    await found.waitFor();
    return await found.innerText();
  },

  async all(page, selector) {
    return (await page.locator(selector).allInnerTexts()).join("\n");
  },

  async gone(page, selector, text) {
    await seen(page, selector, text).waitFor({ state: "hidden" });
  },
};

function seen(page, selector, text = "") {
  return page.locator(selector, { hasText: new RegExp(text) }).first();
}

export class Hand {
  /** The page that it is at; there is one window at a time. */
  page = undefined;

  static async start() {
    const hand = new Hand();
    hand.server = http.createServer((request, response) => void hand.answer(request, response));
    await new Promise((resolve) => hand.server.listen(0, "127.0.0.1", resolve));
    return hand;
  }

  get address() {
    return `http://127.0.0.1:${this.server.address().port}`;
  }

  async answer(request, response) {
    try {
      let body = "";
      for await (const part of request) body += part;
      const [act, ...given] = JSON.parse(body);
      response.end((await ACTS[act](this.page, ...given)) ?? "");
    } catch (error) {
      response.writeHead(500).end(String(error));
    }
  }

  close() {
    this.server.closeAllConnections();
    this.server.close();
  }
}
