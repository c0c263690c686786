// The page: header, knobs, panels. One session object holds everything that is on the screen.

import { ActionList } from "./actions";
import { BasinsPanel } from "./basins";
import { KnobRow, numberEntry, select } from "./controls";
import { DiagramPanel } from "./diagram";
import { h, symbol } from "./dom";
import { ImpactPanel } from "./impact";
import { Link, type WidgetModel } from "./link";
import type { Message, SystemInfo } from "./messages";
import { MotionPanel } from "./motion";
import { SessionPanel } from "./session_panel";
import { type Session, newSession } from "./session";
import { THEMES, type Theme, type ThemeName, preferred } from "./theme";

export interface Panel {
  readonly name: string;
  readonly title: string;
  readonly element: HTMLElement;
  system(info: SystemInfo): void;
  theme(theme: Theme): void;
  activate(): void;
  redraw(): void;
  /** Put the present view into a session that is about to be saved. */
  snapshot?(session: Session): void;
  /** What it asked for was refused. */
  failed?(): void;
  /** A knob was moved while this panel is shown. */
  knob?(done: boolean): void;
}

/** Computations that are shown in another panel than that of their name. */
const HOME: Record<string, string> = { branch: "diagram", pick: "diagram", painleve: "impact", film: "session", scripts: "session" };

export class App {
  readonly link: Link;
  readonly motion: MotionPanel;
  readonly panels: Panel[];
  session: Session = newSession("");
  info: SystemInfo | null = null;
  laws: string[] = [];
  theme: Theme;
  /** A film without a server. */
  offline = false;
  /** The panel shown before the present one. */
  before = "motion";
  private root = h("div", { class: "jounce" });
  private tabs = h("nav", { class: "tabs", role: "tablist" });
  private systems = h("select", { "aria-label": "system", class: "systems" });
  private brand = h("b", { class: "brand" }, "Jounce Studio");
  private about = h("p", { class: "about" });
  private knobs = h("div", { class: "knobs" });
  private errors = h("div", { class: "errors", role: "alert" });
  private bar = h("div", { class: "busy", role: "progressbar", "aria-label": "computing" });
  private state = h("span", { class: "link-state" });
  private running = new Map<string, number>();
  private rows = new Map<string, KnobRow>();
  private wanted: unknown = null;
  private actions = new ActionList(() => this.changed(true));

  constructor(model: WidgetModel, private host: HTMLElement) {
    this.link = new Link(model);
    this.theme = THEMES[preferred()];
    this.motion = new MotionPanel(this);
    this.panels = [this.motion, new DiagramPanel(this), new BasinsPanel(this), new ImpactPanel(this), new SessionPanel(this)];
    this.layout();
    this.link.on("hello", (content) => this.greet(content));
    this.link.on("session", (content) => this.open(content.session, false));
    this.link.on("system", (content) => this.opened(content as unknown as SystemInfo));
    this.link.on("error", (content) => this.showError(content));
    this.link.on("progress", (content) => this.busy(content.panel ?? "", content.fraction));
    model.on("connected", () => this.setLink(true));
    model.on("disconnected", (reason: string) => this.setLink(false, reason));
    model.on("refused", () => (this.state.textContent = "the studio was started anew: open the address it printed"));
  }

  symbol(name: string): string {
    return symbol(name);
  }

  private layout(): void {
    this.systems.addEventListener("change", () => this.open({ ...newSession(this.systems.value), theme: this.session.theme }, true));
    const themes = h("button", { class: "theme", title: "light, dark, high contrast", "aria-label": "change colours", onclick: () => this.nextTheme() }, "◐");
    for (const panel of this.panels) {
      const tab = h("button", { role: "tab", "data-tab": panel.name, onclick: () => this.choose(panel.name) }, panel.title);
      this.tabs.append(tab);
      panel.element.hidden = true;
    }
    this.root.append(
      h("header", {}, this.brand, this.systems, this.tabs, this.state, themes),
      h("aside", {}, this.about, this.knobs),
      h("div", { class: "panels" }, this.bar, this.errors, ...this.panels.map((panel) => panel.element)),
    );
    this.host.append(this.root);
    this.applyTheme();
    let timer = 0;
    new ResizeObserver(() => {
      clearTimeout(timer);
      timer = window.setTimeout(() => this.panel().redraw(), 60);
    }).observe(this.root);
    this.root.addEventListener("keydown", (event) => this.key(event));
    this.root.tabIndex = -1;
  }

  private key(event: KeyboardEvent): void {
    const target = event.target as HTMLElement;
    if (target.closest("input, select, textarea, button")) return;
    if (event.key === " ") this.motion.toggle();
    else if (event.key === "ArrowRight") this.motion.nudge(1);
    else if (event.key === "ArrowLeft") this.motion.nudge(-1);
    else return;
    event.preventDefault();
  }

  private nextTheme(): void {
    const names: ThemeName[] = ["light", "dark", "contrast"];
    const name = names[(names.indexOf(this.theme.name) + 1) % names.length];
    this.session.theme = name;
    this.setTheme(name);
  }

  setTheme(name: ThemeName): void {
    this.theme = THEMES[name];
    this.applyTheme();
  }

  private applyTheme(): void {
    this.root.dataset.theme = this.theme.name;
    for (const panel of this.panels) panel.theme(this.theme);
  }

  private setLink(on: boolean, reason = ""): void {
    this.state.textContent = on ? "" : reason || "the server does not answer; trying again";
    this.root.classList.toggle("offline", !on);
    if (on) return;
    this.link.reset();
    this.running.clear();
    this.showBusy();
  }

  private greet(content: Message): void {
    this.laws = content.laws;
    this.systems.replaceChildren(
      ...content.systems.map((entry: any) => h("option", { value: entry.name, title: entry.text }, entry.name)),
    );
    const wanted = this.wanted ?? content.session;
    this.wanted = null;
    if (this.session.system) this.open(this.session, false); // the server is back
    else if (wanted) this.restore(wanted);
    else this.open(newSession(content.first), true);
  }

  /** A session to show once the server has said hello. */
  want(session: unknown): void {
    this.wanted = session;
  }

  /** Show a session from a file or a link: the server checks it first. */
  restore(session: unknown): void {
    this.link.ask("session", "session", { session });
  }

  /** What is on the screen now. */
  snapshot(): Session {
    const session: Session = structuredClone(this.session);
    for (const panel of this.panels) panel.snapshot?.(session);
    return session;
  }

  /** Show a session; with ``usual`` the system's own time span. */
  open(session: Session, usual: boolean): void {
    this.session = session;
    if (session.theme) this.setTheme(session.theme);
    this.info = null;
    if (usual) this.session.t_end = NaN;
    this.errors.replaceChildren();
    this.session.on ??= [];
    this.link.ask("system", "open", { system: session.system, model: session.model });
    this.about.textContent = "";
    window.setTimeout(() => {
      if (!this.info) this.about.textContent = `compiling ${session.system}: the first system on a machine may take minutes, later ones seconds …`;
    }, 900);
  }

  private opened(info: SystemInfo): void {
    this.info = info;
    if (Number.isNaN(this.session.t_end)) this.session.t_end = info.t_end;
    this.session.system = info.name;
    this.session.model = info.model;
    if (![...this.systems.options].some((option) => option.value === info.name)) {
      this.systems.prepend(h("option", { value: info.name, title: info.description }, info.name)); // brought by a session
    }
    this.systems.value = info.name;
    if (this.offline) this.brand.textContent = info.name.replaceAll("_", " ");
    this.about.textContent = info.description;
    this.about.title = info.source;
    this.makeKnobs();
    for (const panel of this.panels) panel.system(info);
    this.choose(this.session.panel);
  }

  private makeKnobs(): void {
    const info = this.info!;
    this.rows.clear();
    const group = (title: string, store: "parameters" | "start", knobs: SystemInfo["parameters"]) => {
      const rows = knobs.map((knob) => {
        const row = new KnobRow(knob, this.session[store][knob.name] ?? knob.value, (value, done) => {
          this.session[store][knob.name] = value;
          this.changed(done);
        });
        this.rows.set(`${store}.${knob.name}`, row);
        return row.element;
      });
      return rows.length ? [h("h2", {}, title), ...rows] : [];
    };
    const span = numberEntry("t_end", "until t [s]", this.session.t_end, (value) => {
      this.session.t_end = value;
      this.changed(true);
    });
    const law = select("law", this.laws, this.session.options.law ?? "energetic", (value) => {
      this.session.options.law = value;
      this.changed(true);
    });
    this.knobs.replaceChildren(
      h("div", { class: "run-row" }, span, h("label", { class: "field" }, h("span", {}, "law of impact"), law)),
      ...group("Parameters", "parameters", info.parameters),
      ...group("Start", "start", info.state),
      this.actions.element,
    );
    this.actions.show(info, this.session);
  }

  /** A knob was moved. */
  private changed(done: boolean): void {
    if (this.session.panel !== "motion") this.motion.stale();
    this.panel().knob?.(done);
  }

  /** Put the knobs of the start where a dragged body is. */
  setStart(start: Record<string, number>): void {
    for (const knob of this.info!.state) {
      this.session.start[knob.name] = start[knob.name];
      this.rows.get(`start.${knob.name}`)?.set(start[knob.name]);
    }
  }

  setParameter(name: string, value: number): void {
    this.session.parameters[name] = value;
    this.rows.get(`parameters.${name}`)?.set(value);
  }

  /** A motion that was clicked: its parameter and start into the knobs, and onto the stage. */
  showMotion(parameter: string | null, value: number, start: Record<string, number>, t: number): void {
    const span = this.session.t_end - this.session.t_start;
    if (parameter) this.setParameter(parameter, value);
    this.session.t_start = t;
    this.session.t_end = t + span;
    this.setStart(start);
    this.motion.stale();
    this.choose("motion");
  }

  motionRequest(): object {
    const { system, parameters, start, t_start, t_end, options, on } = this.session;
    return { system, parameters, start, t_start, t_end, options, on };
  }

  panel(): Panel {
    return this.panels.find((panel) => panel.name === this.session.panel) ?? this.motion;
  }

  choose(name: string): void {
    if (this.session.panel !== name) this.before = this.session.panel;
    this.session.panel = this.panels.some((panel) => panel.name === name) ? name : "motion";
    for (const panel of this.panels) panel.element.hidden = panel.name !== this.session.panel;
    for (const tab of this.tabs.querySelectorAll<HTMLElement>("[data-tab]")) {
      tab.setAttribute("aria-selected", String(tab.dataset.tab === this.session.panel));
    }
    this.root.dataset.panel = this.session.panel;
    this.showBusy();
    for (const note of this.errors.querySelectorAll<HTMLElement>(".error")) {
      note.hidden = note.dataset.home !== name && this.panels.some((other) => other.name === note.dataset.home);
    }
    this.panel().activate();
  }

  /** How far a computation is; null: done. The bar is that of the panel shown. */
  busy(job: string, fraction: number | null): void {
    if (fraction === null) this.running.delete(job);
    else this.running.set(job, fraction);
    this.showBusy();
  }

  private showBusy(): void {
    const own = [...this.running].filter(([job]) => (HOME[job] ?? job) === this.session.panel);
    const least = Math.min(...own.map(([, fraction]) => fraction));
    this.bar.style.width = own.length ? `${Math.max(2, 100 * least)}%` : "0";
  }

  showError(content: Message): void {
    this.busy(content.panel ?? "", null);
    if (content.panel === "session" && !this.info) this.open(newSession(this.systems.value), true);
    const panel = content.panel ?? "";
    this.clearError(panel);
    const close = h("button", { "aria-label": "close", onclick: () => note.remove() }, "×");
    const home = HOME[panel] ?? panel;
    const elsewhere = home !== this.session.panel && this.panels.some((other) => other.name === home);
    const note = h("div", { class: "error", "data-panel": panel, "data-home": home, hidden: elsewhere }, h("span", {}, content.message ?? ""), close);
    this.errors.append(note);
    this.panels.find((other) => other.name === panel)?.failed?.();
  }

  clearError(panel: string): void {
    for (const note of this.errors.querySelectorAll<HTMLElement>(".error")) if (note.dataset.panel === panel) note.remove();
  }
}
