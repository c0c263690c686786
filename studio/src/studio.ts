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

const KEPT = "jounce-studio-session";

/** The page that `jounce studio` serves. The token leaves the address bar; from then on a cookie carries it. */
export function startPage(el: HTMLElement): void {
  const token = new URLSearchParams(location.search).get("token");
  const query = token ? `?token=${encodeURIComponent(token)}` : "";
  adopt(el);
  const app = new App(new SocketModel(`ws://${location.host}/socket${query}`), el);
  const session = keptOverReload(app) ?? sessionOfLink(location.hash);
  if (session) app.want(session);
  (window as any).jounceStudio = app;
}

/** What was on the screen of this tab before it was loaded again; from now on it is kept for the next time. */
function keptOverReload(app: App): unknown {
  const kept = sessionStorage.getItem(KEPT);
  sessionStorage.removeItem(KEPT);
  window.addEventListener("pagehide", () => {
    if (app.info) sessionStorage.setItem(KEPT, JSON.stringify(app.snapshot()));
  });
  const [navigation] = performance.getEntriesByType("navigation") as PerformanceNavigationTiming[];
  return kept && navigation?.type === "reload" ? JSON.parse(kept) : null;
}

const film = document.getElementById("jounce-film");
if (film) {
  adopt(film);
  startFilm(film);
}

export default { render };
