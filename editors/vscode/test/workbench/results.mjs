// The results view, by keys: through its rows, and all that can be done with one of them.
export const RESULTS = {
  async "an answer is kept in the results view, which has the keys"(desk) {
    await desk.ask("total of a cart");
    await desk.press("Control+l");
    await desk.beside(/total of a cart/);
    await desk.inView("Results");
    await desk.to(/receipt_for/);
    await desk.shot("results");
  },

  async "a citation and evidence are copied"(desk) {
    await desk.press("Control+c");
    await desk.clipboard(/^shop\/till\.py § receipt_for \(Line 6\)$/);
    await desk.press("Control+Shift+c");
    await desk.clipboard(/untrusted[^]*def receipt_for/i);
    await desk.menu("Copy Citation");
    await desk.clipboard(/^shop\/till\.py § receipt_for \(Line 6\)$/);
    await desk.menu("Copy Evidence");
    await desk.clipboard(/def receipt_for/);
  },

  async "more text, what is related, and back"(desk) {
    await desk.to(/^Cart/);
    await desk.press("ArrowRight");
    await desk.tree(/6 .*class Cart/).waitFor();
    await desk.press("Control+Shift+Space");
    await desk.tree(/1 .*about to buy/).waitFor();
    await desk.shot("results-expanded");
    await desk.press("F5");
    await desk.noRow(/about to buy/);
    await desk.to(/^Cart/);
    await desk.menu("Show More Around");
    await desk.tree(/1 .*about to buy/).waitFor();
    await desk.press("Control+Alt+r");
    await desk.beside(/related to shop\/cart\.py/);
    await desk.at(/^price_of/);
    await desk.press("Alt+ArrowLeft");
    await desk.beside(/total of a cart/);
    await desk.noRow(/about to buy/);
    await desk.to(/^Cart/);
    await desk.menu("Show Related");
    await desk.beside(/related to shop\/cart\.py/);
    await desk.at(/^price_of/);
    await desk.command("Gazetteer: Previous Results");
    await desk.beside(/total of a cart/);
  },

  async "a result is opened, and opened to the side"(desk) {
    await desk.view("Results");
    await desk.to(/^Cart/);
    await desk.press("Enter");
    await desk.editor("cart.py");
    await desk.atLine(6);
    await desk.view("Results");
    await desk.to(/receipt_for/, "ArrowUp");
    await desk.press("Control+Enter");
    await desk.groups(2);
    await desk.editor("till.py");
    await desk.press("Control+w");
    await desk.groups(1);
    await desk.view("Results");
    await desk.to(/^Cart/);
    await desk.menu("Open Result");
    await desk.inEditor("cart.py");
    await desk.view("Results");
    await desk.to(/^Cart/);
    await desk.menu("Open Result to the Side");
    await desk.groups(2);
    await desk.inEditor("cart.py");
    await desk.press("Control+w");
    await desk.groups(1);
  },

  async "a citation is inserted where the cursor is"(desk) {
    await desk.open("refund", "docs/returns.md");
    await desk.press("Control+End");
    await desk.view("Results");
    await desk.to(/receipt_for/, "ArrowUp");
    await desk.press("Control+i");
    await desk.inEditor("returns.md");
    await desk.text(/till\.py\s§\sreceipt_for\s\(Line\s6\)/).waitFor();
    await desk.press("Control+z");
    await desk.view("Results");
    await desk.to(/receipt_for/, "ArrowUp");
    await desk.menu("Insert Citation");
    await desk.inEditor("returns.md");
    await desk.text(/till\.py\s§\sreceipt_for\s\(Line\s6\)/).waitFor();
    await desk.press("Control+z");
  },

  async "why these results"(desk) {
    await desk.open("receipt", "shop/till.py");
    await desk.view("Results");
    await desk.to(/receipt_for/, "ArrowUp");
    await desk.press("ArrowRight");
    await desk.tree(/6 .*def receipt_for/).waitFor();
    await desk.press("End");
    await desk.to(/Why these results/, "ArrowUp");
    await desk.press("ArrowRight");
    await desk.tree(/Left out/).waitFor();
    for (let count = 0; count < 3; count++) await desk.command("Increase Current View Size");
    await desk.shot("results-why");
  },

  async "each command of a result is in the palette too, and says so when no result is chosen"(desk) {
    await desk.command("Gazetteer: Ask Again");
    await desk.beside(/total of a cart/);
    await desk.command("Gazetteer: Copy Citation");
    await desk.toast(/choose a result first/).waitFor();
    await desk.command("Notifications: Clear All Notifications");
    await desk.command("Gazetteer: Copy Evidence");
    await desk.clipboard(/receipt_for[^]*Cart/);
    await desk.command("Gazetteer: Clear Results");
    await desk.text(/Nothing has been asked yet/).waitFor();
  },
};
