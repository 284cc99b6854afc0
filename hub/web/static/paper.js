// Pages made for printing.

import { byId } from "./page.js";

byId("print").addEventListener("click", () => print());
