/** All units; each is a file beside this one. A unit knows nothing of the editor: one that imports it does not build. */

import "./contributions.test";
import "./corpora.test";
import "./discovery.test";
import "./evidence.test";
import "./gist.test";
import "./history.test";
import "./results.test";
import "./search.test";
import "./server.test";
import "./status.test";
import "./wording.test";
