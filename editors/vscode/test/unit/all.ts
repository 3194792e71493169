/** All units; each is a file beside this one. */

import "./search.test";
