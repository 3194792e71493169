// Ask Corpus, by keys: from the palette to a place, beside, filters, history, what is not saved, what is selected.
import assert from "node:assert/strict";

export const ASKING = {
  async "the extension is there, and the index is ready"(desk) {
    await desk.status(/Gazetteer\s*$/);
    await desk.shot("ready");
  },

  async "from the palette to a place"(desk) {
    await desk.command("Gazetteer: Ask Corpus");
    await desk.asking();
    await desk.shot("ask-empty");
    await desk.type("price of one article");
    await desk.answered();
    await desk.named("price_of").waitFor();
    await desk.editor("prices.py"); // what the list is on is shown behind it
    await desk.shot("ask");
    await desk.press("ArrowDown");
    await desk.editor("cart.py");
    await desk.shot("ask-moved");
    await desk.press("ArrowUp");
    await desk.editor("prices.py");
    await desk.press("Enter");
    await desk.inEditor("prices.py");
    await desk.atLine(6);
    await desk.shot("jumped");
  },

  async "what was shown meanwhile goes when nothing is chosen, and the editor has the keys"(desk) {
    await desk.ask("receipt with the total");
    await desk.editor("till.py");
    await desk.unasked("prices.py");
    await desk.atLine(6);
  },

  async "to the side"(desk) {
    await desk.ask("sum of all prices");
    await desk.editor("cart.py");
    await desk.press("Control+\\");
    await desk.groups(2);
    await desk.inEditor("cart.py");
    await desk.press("Control+w");
    await desk.groups(1);
    await desk.inEditor("prices.py");
  },

  async filters(desk) {
    await desk.ask("article path:docs/**");
    await desk.row(/docs\/returns\.md/).waitFor();
    assert.deepEqual(
      (await desk.rows()).filter((row) => !row.includes("docs/")),
      [],
    );
    await desk.press("Control+a");
    await desk.type("article kind:class lang:python");
    await desk.named("Cart").waitFor();
    await desk.previewed();
    await desk.shot("ask-filtered");
    await desk.unasked("prices.py");
  },

  async "questions of before"(desk) {
    await desk.ask();
    await desk.row(/sum of all prices/).waitFor();
    await desk.shot("ask-history");
    await desk.choose(/price of one article/);
    await desk.answered();
    await desk.named("price_of").waitFor();
    await desk.unasked("prices.py");
    await desk.command("Gazetteer: Clear the History of Questions");
    await desk.ask();
    assert.deepEqual(await desk.rows(), []);
    await desk.unasked("prices.py");
  },

  async "an edit that is not saved is found"(desk) {
    await desk.press("Control+End");
    await desk.type("\nVOUCHER_ZANZIBAR = 12");
    await desk.ask("zanzibar voucher");
    await desk.row(/unsaved/).waitFor();
    await desk.shot("ask-unsaved");
    await desk.unasked("prices.py");
  },

  async "what is at the cursor, from the menu of the editor and by its keys"(desk) {
    await desk.open("receipt", "shop/till.py");
    await desk.cursor(6, 5); // receipt_for
    await desk.menu("Ask Corpus About the Selection");
    await desk.asking();
    await desk.filled(/^receipt_for$/);
    await desk.answered();
    await desk.unasked("till.py");
    await desk.ask("", "Control+Alt+Shift+g");
    await desk.filled(/^receipt_for$/);
    await desk.answered();
    await desk.unasked("till.py");
  },
};
