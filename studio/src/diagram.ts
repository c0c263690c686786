// The Diagram panel: attractors over a parameter, filling while they are computed, computed anew for every view.

import type { App, Panel } from "./app";
import { Plane } from "./axes";
import { BranchLayer } from "./branches";
import { numberEntry, select } from "./controls";
import { h, label, shown, symbol } from "./dom";
import type { Message, SystemInfo, View as Array_ } from "./messages";
import { Picture } from "./picture";
import { type Colouring, type View, periodColour } from "./points";
import { type DiagramSession, type Seed, type Session, firstDiagram } from "./session";
import type { Theme } from "./theme";

const ALIKE = 1e-6;
const MOST_BRANCHES = 8; // as many as the server keeps
const MOST_STARTS = 4; // as many as the server follows, both ways
const KINDS = ["rest", "periodic", "chaotic", "unsettled", "stopped"];
const SETTLE = 180; // ms after the last zoom before the view is computed anew

export class DiagramPanel implements Panel {
  readonly name = "diagram";
  readonly title = "Diagram";
  readonly element: HTMLElement;
  readonly plane = new Plane();
  private bar = h("div", { class: "bar" });
  private note = h("div", { class: "note", role: "status" });
  private key_ = h("div", { class: "legend" });
  private picture = new Picture(this.plane, () => ({ palette: this.palette(), colouring: this.session.colour as Colouring, ink: this.plane.theme.ink }));
  private layer = new BranchLayer(this.plane);
  private views: View[] = [];
  private timer = 0;
  private stale = true;
  private known = "";
  private lanes: DiagramSession["lanes"] = null;
  private count = 0;
  private fitting = true;
  /** How large the quantity shown is at the starts. */
  private sizes = 0;
  private clickFollows = false;
  private periods = new Set<number>();
  private frame = 0;
  /** Branches of a session that are still to be followed, and the one that is being. */
  private waiting: Seed[] = [];
  private following: Seed | null = null;

  constructor(private app: App) {
    this.element = h("section", { class: "panel diagram", "aria-label": "Diagram" }, this.bar, this.plane.element, this.note, this.key_);
    this.plane.element.setAttribute("aria-label", "bifurcation diagram: drag to zoom, shift-drag to pan, 0 for the whole");
    this.plane.paint = () => this.picture.paint();
    this.plane.onView = () => this.zoomed();
    this.plane.onReset = () => this.whole();
    this.plane.onTyped = ({ x0, x1 }) => {
      Object.assign(this.session, { from: x0, to: x1, lanes: null });
      this.whole();
    };
    this.plane.onClick = (x, y) => this.click(x, y);
    const { link } = app;
    link.on("diagram", (content) => this.begin(content));
    link.on("diagram-points", (content, arrays) => this.take(content, arrays));
    link.on("diagram-raster", (content, arrays) => this.density(content, arrays[0] as Uint8Array));
    link.on("diagram-done", (content) => this.done(content));
    link.on("picked", (content) => this.picked(content));
    link.on("branch", (content, arrays) => this.branch(content, arrays));
    link.on("orbit", (content) => this.orbit(content));
  }

  private get session(): DiagramSession {
    return this.app.session.diagram!;
  }

  system(info: SystemInfo): void {
    this.app.session.diagram ??= firstDiagram(info);
    this.app.link.cancel("diagram"); // that of the system before
    this.app.busy("diagram", null);
    this.layer.branches = [];
    this.views = [];
    this.stale = true;
    this.picture.clear();
    this.note.textContent = "";
    this.makeBar(info);
  }

  private makeBar(info: SystemInfo): void {
    if (!this.app.session.diagram) return;
    const s = this.session;
    const field = (text: string, element: HTMLElement) => h("label", { class: "field" }, h("span", {}, text), element);
    const anew = () => {
      s.lanes = null;
      this.whole();
    };
    const section = h("input", { type: "text", list: "sections", "data-entry": "section", size: 15, "aria-label": "section" });
    section.value = s.section;
    section.addEventListener("change", () => {
      s.section = section.value;
      anew();
    });
    const sections = h("datalist", { id: "sections" }, ...info.sections.map((text) => h("option", { value: text })));
    const quantities = [...info.coordinates, ...info.coordinates.map((name) => `d_${name}`), "return_time", "impacts"];
    const set = <K extends keyof DiagramSession>(key: K) => (value: DiagramSession[K]) => {
      s[key] = value;
      anew();
    };
    const click = select("a click", ["motion", "branch"], this.clickFollows ? "branch" : "motion", (value) => (this.clickFollows = value === "branch"));
    click.title = "what a click on a point does: show its motion, or follow the branch of orbits through it";
    const colour = select("colour", ["kind", "period", "lane"], s.colour, (value) => {
      s.colour = value;
      this.plane.draw();
      this.drawKey();
    });
    const count = 1 + (s.starts ??= []).length;
    const more = h("button", {
      "data-do": "add-start", disabled: count >= MOST_STARTS,
      title: "keep the present start of the knobs as one more, then choose another: bodies and starts can be set in Motion",
      onclick: () => {
        s.starts.push({ start: { ...this.app.session.start } });
        this.makeBar(info);
        anew();
      },
    }, "+");
    const one = h("button", {
      "data-do": "one-start", disabled: count === 1, title: "forget the kept starts",
      onclick: () => {
        s.starts = [];
        this.makeBar(info);
        anew();
      },
    }, "×");
    const starts = h("span", { class: "starts", "data-count": String(count) }, `${count} `, more, one);
    this.bar.replaceChildren(
      field("parameter", select("parameter", info.parameters.map((knob) => knob.name), s.parameter, (name) => {
        const knob = info.parameters.find((entry) => entry.name === name)!;
        Object.assign(s, { parameter: name, from: knob.low, to: knob.high });
        this.makeBar(info);
        anew();
      })),
      this.plane.edgeEntry("x0", "from", "from"), this.plane.edgeEntry("x1", "to", "to"),
      field("section", section), sections,
      field("shown", select("quantity", quantities, s.quantity, set("quantity"))),
      field("direction", select("direction", ["up", "down", "both"], s.direction, set("direction"))),
      field("starts", starts),
      numberEntry("transient", "transient", s.transient, set("transient"), "1"),
      numberEntry("keep", "kept", s.keep, set("keep"), "1"),
      field("colour", colour),
      field("a click gives", click),
      h("div", { class: "buttons" },
        h("button", { "data-do": "back", title: "the view before", onclick: () => this.back() }, "←"),
        h("button", { "data-do": "whole", title: "the whole range (0)", onclick: () => this.whole() }, "whole"),
        h("button", { "data-do": "stop", title: "stop computing", onclick: () => this.stop() }, "stop"),
      ),
    );
  }

  snapshot(session: Session): void {
    if (!session.diagram || !this.picture.cloud) return;
    const { x0, x1, y0, y1 } = this.plane.view;
    const zoomed = x0 > session.diagram.from || x1 < session.diagram.to;
    Object.assign(session.diagram, { from: x0, to: x1, low: y0, high: y1, values: this.count, lanes: zoomed ? this.lanes : null });
  }

  theme(theme: Theme): void {
    this.plane.theme = theme;
    this.drawKey();
    this.plane.draw();
  }

  redraw(): void {
    this.plane.draw();
  }

  activate(): void {
    this.plane.draw();
    if (!this.app.session.diagram) {
      this.note.textContent = "this system has no parameter to vary";
      return;
    }
    if (this.stale || this.knobs() !== this.known) this.whole(this.session.lanes !== null);
  }

  knob(done: boolean): void {
    if (done) this.whole();
  }

  /** What a diagram depends on besides its own bar and its start: a clicked motion changes only these two. */
  private knobs(): string {
    const { parameters, options } = this.app.session;
    return JSON.stringify([{ ...parameters, [this.session.parameter]: 0 }, options]);
  }

  /** The whole range of the knobs; the vertical range is fitted to what is found. */
  private whole(keepView = false): void {
    const s = this.session;
    this.views = [];
    this.layer.branches = [];
    this.following = null;
    this.waiting = this.stale ? [...(s.branches ?? [])] : []; // of a session that was opened
    s.branches = [...this.waiting];
    const known = s.low !== null && s.high !== null && keepView;
    this.fitting = !known;
    this.plane.view = { x0: s.from, x1: s.to, y0: known ? s.low! : this.plane.view.y0, y1: known ? s.high! : this.plane.view.y1 };
    this.plane.draw();
    this.compute(false);
  }

  /** The view was zoomed: what is there is stretched at once, and computed anew once the hand rests. */
  private zoomed(): void {
    if (this.fitting) this.views.push({ x0: this.session.from, x1: this.session.to, y0: this.plane.view.y0, y1: this.plane.view.y1 });
    this.fitting = false;
    clearTimeout(this.timer);
    this.timer = window.setTimeout(() => {
      this.views.push({ ...this.plane.view });
      this.compute(true);
    }, SETTLE);
  }

  private back(): void {
    this.views.pop();
    const view = this.views.at(-1);
    if (!view) {
      this.whole();
      return;
    }
    this.plane.setView({ ...view }, false);
    this.compute(false, view);
  }

  failed(): void {
    this.note.textContent = "";
  }

  private stop(): void {
    this.app.link.cancel("diagram");
    this.app.link.cancel("branch");
    this.app.busy("diagram", null);
    this.app.busy("branch", null);
    this.note.textContent = `stopped after ${this.picture.points.toLocaleString("en")} points`;
  }

  /** Ask for the present view at the resolution of the screen. */
  private compute(zoom: boolean, view: View = this.plane.view): void {
    const s = this.session;
    this.plane.measure();
    const { width, height } = this.plane.inner();
    const { system, parameters, start, t_start, options } = this.app.session;
    const fixed = { ...parameters };
    delete fixed[s.parameter];
    this.stale = false;
    this.known = this.knobs();
    const range = this.fitting ? {} : { low: view.y0, high: view.y1 };
    this.app.clearError("diagram");
    this.note.textContent = "computing …";
    this.app.busy("diagram", 0);
    this.app.link.stream("diagram", "diagram", {
      system, parameters: fixed, start, starts: s.starts, t_start, options, parameter: s.parameter, from: view.x0, to: view.x1,
      section: s.section, quantity: s.quantity, direction: s.direction, transient: s.transient, keep: s.keep,
      values: (this.count = Math.min(4000, s.values || Math.round(width))), width: Math.round(width), height: Math.round(height), zoom,
      lanes: zoom ? null : s.lanes, y0: this.fitting ? 0 : (view.y0 + view.y1) / 2, ...range,
    });
  }

  private begin(content: Message): void {
    try {
      this.picture.begin(content.from, content.to, content.y0);
    } catch (error) {
      this.stop();
      this.app.showError({ type: "error", panel: "diagram", message: (error as Error).message });
      return;
    }
    this.periods.clear();
    this.plane.xLabel = label(content.parameter, content.parameter_unit);
    this.plane.yLabel = `${label(content.quantity, content.unit)} at ${content.section}`;
    this.lanes = content.lanes;
    this.sizes = content.size;
    this.drawKey();
    this.element.dataset.started = String(Number(this.element.dataset.started ?? 0) + 1);
    delete this.element.dataset.done;
  }

  private take(content: Message, [x, y, kind, period]: Array_[]): void {
    if (!this.picture.cloud) return;
    const coloured = !this.picture.density;
    this.picture.add(x as Float32Array, y as Float32Array, kind as Uint8Array, period as Uint8Array, content.lane);
    for (let k = 0; k < period.length; k++) this.periods.add(period[k]);
    if (!coloured) this.drawKey();
    this.app.busy("diagram", content.fraction);
    if (this.picture.blank) this.drawNow(0.05);
    else this.drawSoon();
  }

  /** Later points with the next picture of the browser: the server paces its messages, those of several lanes come together. */
  private drawSoon(): void {
    this.frame ||= requestAnimationFrame(() => {
      this.frame = 0;
      if (this.picture.behind) this.drawNow(0.15);
    });
  }

  /** What is new. The view grows with more room than it needs, so that most pictures only add points to the one before. */
  private drawNow(room: number): void {
    const { picture } = this;
    const [low, high] = picture.range;
    const { y0, y1 } = this.plane.view;
    if (this.fitting && low <= high && (picture.blank || low < y0 || high > y1)) this.fitHeight(low, high, room);
    else if (picture.blank) this.plane.draw();
    else picture.paintNew();
    this.countPicture();
  }

  /** How many pictures were shown: tests and benchmarks wait for the next. */
  private countPicture(): void {
    this.element.dataset.serial = String(Number(this.element.dataset.serial ?? 0) + 1);
  }

  private fitHeight(low: number, high: number, share: number): void {
    // values that agree to a millionth of the size of the starts are one: what tells them apart is rounding
    const room = high - low > ALIKE * this.sizes ? share * (high - low) : 0.1 * this.sizes || 0.5;
    const { x0, x1 } = this.plane.view;
    this.plane.setView({ x0, x1, y0: low - room, y1: high + room }, false);
  }

  private density(content: Message, bytes: Uint8Array): void {
    const { width, height, low, high, points } = content as any;
    const { from, to } = this.picture.cloud!;
    const { y0, y1 } = this.plane.view;
    const view = { x0: from, x1: to, y0: low, y1: high };
    const coloured = !this.picture.density;
    this.picture.setDensity(bytes, width, height, view, points);
    if (coloured) this.drawKey();
    this.app.busy("diagram", content.fraction);
    if (this.fitting && (low !== y0 || high !== y1)) this.plane.setView({ ...view }, false);
    else this.picture.paint();
    this.countPicture();
  }

  private done(content: Message): void {
    const { picture } = this;
    this.app.busy("diagram", null);
    picture.finish();
    const rate = content.points / Math.max(content.seconds ?? 1, 1e-9);
    this.note.replaceChildren(
      `${content.points.toLocaleString("en")} points at ${content.values} values, ${(content.seconds ?? 0).toFixed(2)} s `,
      h("span", { class: "cost" }, `${Math.round(rate).toLocaleString("en")} points/s · drag: zoom · shift-drag: pan · wheel · double-click: whole`),
    );
    const [low, high] = picture.range;
    if (this.fitting && !picture.density && low <= high) this.fitHeight(low, high, 0.05);
    else if (!picture.density) this.plane.draw(); // the last density picture is that of all points
    this.countPicture();
    [this.session.low, this.session.high] = [this.plane.view.y0, this.plane.view.y1];
    this.drawKey();
    if (!this.following) this.followNext();
    this.element.dataset.points = String(content.points);
    this.element.dataset.done = String(this.element.dataset.started);
  }

  /** Colours of kinds (5), of what does not repeat (1), and of periods or lanes (6). */
  private palette(): string[] {
    const { theme } = this.plane;
    const kinds = [theme.lines[1], theme.lines[0], theme.lines[5], theme.lines[2], "#999999"];
    return [...kinds, theme.ink, ...theme.lines, ...theme.lines.slice(0, 4)];
  }

  /** Lanes come start by start, each in one direction or both. */
  private laneName(direction: string, k: number): string {
    const both = this.session.direction === "both";
    return `start ${1 + (both ? Math.floor(k / 2) : k)} ${direction}`;
  }

  private drawKey(): void {
    if (!this.app.session.diagram || !this.plane.theme) return;
    const palette = this.palette();
    const entries: [string, string][] = this.picture.density
      ? [["density of points, logarithmic: beyond 300,000 points there are no colours", this.plane.theme.ink]]
      : this.session.colour === "kind" ? KINDS.map((name, k) => [name, palette[k]])
        : this.session.colour === "period"
          ? [...this.periods].sort((a, b) => a - b).slice(0, 9).map((period) => [period ? `period ${period}` : "no period", period ? palette[6 + periodColour(period)] : palette[5]])
          : (this.lanes ?? []).map((lane, k) => [this.laneName(lane.direction, k), palette[6 + (k % 6)]]);
    if (this.layer.branches.length) entries.push(["branch of orbits: solid where stable, dashed where not", this.plane.theme.flash]);
    this.key_.replaceChildren(
      ...entries.map(([text, colour]) => {
        const box = h("i");
        box.style.background = colour;
        return h("span", {}, box, text);
      }),
    );
  }

  // ------------------------------------------------------------------ clicks and branches

  private click(x: number, y: number): void {
    const near = this.layer.near(x, y);
    if (near) this.app.link.ask("pick", "orbit", near);
    else if (this.clickFollows) {
      this.waiting = [];
      this.following = null;
      this.note.textContent = "finding the orbit and following it …";
      this.app.link.stream("branch", "branch", { value: x, y });
    } else this.app.link.ask("pick", "pick", { value: x, y });
  }

  /** The next branch of a session; the newest request for one ends the one before. */
  private followNext(): void {
    this.following = this.waiting.shift() ?? null;
    if (this.following) this.app.link.stream("branch", "branch", { seed: this.following });
  }

  private picked(content: Message): void {
    this.app.showMotion(content.parameter, content.value, content.start, content.t);
  }

  private branch(content: Message, [values, stable, curves]: Array_[]): void {
    this.app.busy("branch", null);
    this.layer.branches.push({
      number: content.branch, values: values as Float64Array, stable: stable as Uint8Array,
      curves: curves as Float64Array, rows: content.curves, specials: content.specials,
    });
    if (this.layer.branches.length > MOST_BRANCHES) {
      this.layer.branches.shift(); // as the server forgets it
      this.session.branches.shift();
    }
    if (!this.following) this.session.branches.push(content.seed);
    const found = content.specials.map((special: any) => `${special.kind} at ${shown(special.value)}`).join(", ");
    this.note.textContent = `a branch of ${values.length} orbits: ${found || "no bifurcations"}. A click on it shows its orbit`;
    this.element.dataset.branches = String(this.layer.branches.length);
    this.plane.draw();
    this.drawKey();
    this.followNext();
  }

  private orbit(content: Message): void {
    const pairs = content.multipliers.map(([re, im]: number[]) => (im ? `${shown(re, 4)} ${im > 0 ? "+" : "−"} ${shown(Math.abs(im), 4)}i` : shown(re, 4)));
    const show = h("button", { class: "primary", "data-do": "show-orbit", onclick: () => this.picked(content) }, "show its motion");
    this.note.replaceChildren(
      `${symbol(content.parameter)} = ${shown(content.value, 8)}, period ${shown(content.period)} s, ${content.stable ? "stable" : "unstable"}, multipliers ${pairs.join(", ")} `, show,
    );
  }
}
