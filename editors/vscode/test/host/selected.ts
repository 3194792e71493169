/** The server of the Python environment that is selected is taken, without a setting. */

import * as fs from "node:fs";
import * as path from "node:path";
import { assert, extension, ready, runSuite } from "./bench";

export const run = (): Promise<void> =>
  runSuite(() => {
    it("runs the program of the selected environment", async () => {
      const api = await extension();
      await ready(api);
      const wanted = process.env.GAZETTEER_TEST_SERVER ?? "";
      const command = path.join(fs.realpathSync(path.dirname(wanted)), path.basename(wanted));
      assert.deepEqual(api.parts.server.program, { command, from: "environment" });
    });
  });
