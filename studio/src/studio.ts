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

function render({ model, el }: { model: WidgetModel; el: HTMLElement }): App {
  adopt(el);
  return new App(model, el);
}

/** The page that `jounce studio` serves. The token leaves the address bar; from then on a cookie carries it. */
export function startPage(el: HTMLElement): void {
  const token = new URLSearchParams(location.search).get("token");
  const query = token ? `?token=${encodeURIComponent(token)}` : "";
  const app = render({ model: new SocketModel(`ws://${location.host}/socket${query}`), el });
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
