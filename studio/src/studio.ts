// One ES module in the front-end form of anywidget, for the page and for notebooks.

import { App } from "./app";
import { startFilm } from "./film";
import { SocketModel, type WidgetModel } from "./link";
import { sessionOfLink } from "./session";
import plotStyle from "../node_modules/uplot/dist/uPlot.min.css";
import style from "./style.css";

function adopt(element: HTMLElement): void {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(plotStyle + style);
  const root = element.getRootNode();
  const owner = root instanceof ShadowRoot ? root : document;
  owner.adoptedStyleSheets = [...owner.adoptedStyleSheets, sheet];
}

/** The widget of a notebook: asks for the greeting that a WebSocket brings by itself. */
function render({ model, el }: { model: WidgetModel; el: HTMLElement }): void {
  adopt(el);
  el.classList.add("jounce-widget");
  new App(model, el);
  model.send({ type: "hello", id: 0 });
}

/** The page that `jounce studio` serves. The token leaves the address bar; from then on a cookie carries it. */
export function startPage(el: HTMLElement): void {
  const token = new URLSearchParams(location.search).get("token");
  const query = token ? `?token=${encodeURIComponent(token)}` : "";
  adopt(el);
  const app = new App(new SocketModel(`ws://${location.host}/socket${query}`), el);
  const session = sessionOfLink(location.hash);
  if (session) app.want(session);
  (window as any).jounceStudio = app;
}

const film = document.getElementById("jounce-film");
if (film) {
  adopt(film);
  startFilm(film);
}

export default { render };
