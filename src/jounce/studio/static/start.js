import { startPage } from "./studio.js";

startPage(document.getElementById("studio"));
