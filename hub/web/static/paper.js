// Pages that are made to be printed.

import { byId } from "./page.js";

byId("print").addEventListener("click", () => print());
