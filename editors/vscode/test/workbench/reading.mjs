// What is shown while somebody reads, by keys: hover card and its links, code actions, callers, notes, the map.

export const READING = {
  async "a hover card, and a link of it that opens at its line"(desk) {
    await desk.open("receipt", "shop/till.py");
    await desk.cursor(8, 26); // total
    await desk.press("Control+k", "Control+i");
    await desk.hover(/cart\.py/).waitFor();
    await desk.shot("hover");
    await desk.press("Control+k", "Control+i"); // once more gives it the keys
    await desk.tab(/^shop\/cart\.py:12$/);
    await desk.inEditor("cart.py");
    await desk.atLine(12);
  },

  async "a code action at the cursor"(desk) {
    await desk.open("receipt", "shop/till.py");
    await desk.cursor(6, 5); // receipt_for
    await desk.actions(/Show related code/);
    await desk.shot("actions");
    await desk.until("ArrowDown", () => desk.action(/Show related code/).evaluate(focused), "the action");
    await desk.press("Enter");
    await desk.beside(/related/i);
    await desk.at(/^Cart.*lexical/);
  },

  async "related code and callers, from the menu of the editor"(desk) {
    await desk.open("price", "shop/prices.py");
    await desk.cursor(6, 5); // price_of
    await desk.menu("Show Callers of the Name at the Cursor");
    await desk.beside(/who calls price_of/);
    await desk.at(/^Cart.*graph/);
    await desk.open("price", "shop/prices.py");
    await desk.menu("Show Related Code");
    await desk.beside(/related to line 6/);
    await desk.at(/^Cart.*lexical/);
  },

  async "inline notes"(desk) {
    await desk.command("Gazetteer: Toggle Inline Notes");
    await desk.open("receipt", "shop/till.py");
    await desk.cursor(6, 23); // Cart
    await desk.note(/class Cart/);
    await desk.shot("notes");
    await desk.command("Gazetteer: Toggle Inline Notes");
    await desk.noNote();
  },

  async "the orientation map"(desk) {
    await desk.command("Gazetteer: Open the Orientation Map");
    await desk.toast(/There is no orientation map/).waitFor();
    await desk.press("Control+Shift+a"); // the first choice of a notification
    await desk.editor("orientation.md");
    await desk.shot("map");
    await desk.press("Control+w");
    await desk.command("Gazetteer: Create an Orientation Map");
    await desk.editor("orientation.md");
    await desk.press("Control+w");
  },
};

function focused(row) {
  return row.classList.contains("focused");
}
