// The Basins panel: a plane of starts, coloured by where they lead; coarse first, finer where neighbours differ.

import type { App, Panel } from "./app";
import { Plane } from "./axes";
import { numberEntry, select } from "./controls";
import { h, label, shown, symbol } from "./dom";
import type { Knob, Message, SystemInfo, View as Array_ } from "./messages";
import type { View } from "./points";
import type { BasinsSession, Session } from "./session";
import type { Theme } from "./theme";

const SETTLE = 250; // ms after the last zoom before the plane is computed anew
const IMPOSSIBLE = 255;

const LISTED = 8; // attractors with an entry of their own below the plane

/** What a colour stands for; ``where``: a quantity, its mean and that rounded, by which it differs from others of the same text. */
interface Attractor {
  label: number;
  text: string;
  share: number;
  where: [string, number, number] | null;
}

function entryText({ text, share, where }: Attractor): string {
  const place = where ? `, ${symbol(where[0])} ≈ ${shown(where[2], 9)}` : "";
  return `${text}${place} (${(100 * share).toFixed(1)} %)`;
}

/** A plane to begin with: as the sliders; wider for a place that starts away from zero. */
function span(knob: Knob): [number, number] {
  if (knob.unit === "rad" || knob.name.startsWith("d_") || knob.value === 0) return [knob.low, knob.high];
  return [Math.min(0, knob.value), Math.max(10 * Math.abs(knob.value), knob.high)];
}

export class BasinsPanel implements Panel {
  readonly name = "basins";
  readonly title = "Basins";
  readonly element: HTMLElement;
  readonly plane = new Plane();
  private bar = h("div", { class: "bar" });
  private note = h("div", { class: "note", role: "status" });
  private key_ = h("div", { class: "legend" });
  private image = h("canvas");
  private imageView: View = { x0: 0, x1: 1, y0: 0, y1: 1 };
  private size = 0;
  private labels = new Uint8Array();
  private steps = new Uint8Array();
  private attractors: Attractor[] = [];
  private blocked = false;
  private timer = 0;
  private stale = true;

  constructor(private app: App) {
    this.element = h("section", { class: "panel basins", "aria-label": "Basins" }, this.bar, this.plane.element, this.note, this.key_);
    this.plane.element.setAttribute("aria-label", "plane of starts: drag to zoom, shift-drag to pan, 0 for the whole, click for the motion");
    this.plane.decorate = (c, px, py) => this.drawImage(c, px, py);
    this.plane.onView = () => this.zoomed();
    this.plane.onReset = () => this.whole();
    this.plane.onTyped = ({ x0, x1, y0, y1 }) => {
      Object.assign(this.session, { xFrom: x0, xTo: x1, yFrom: y0, yTo: y1 });
      this.whole();
    };
    this.plane.onClick = (x, y) => app.showMotion(null, 0, { ...this.start(), [this.session.x]: x, [this.session.y]: y }, app.session.t_start);
    app.link.on("basins", (content) => this.begin(content));
    app.link.on("basins-cells", (content, arrays) => this.take(content, arrays));
    app.link.on("basins-done", (content) => this.done(content));
  }

  private get session(): BasinsSession {
    return this.app.session.basins!;
  }

  /** The start of the knobs, complete. */
  private start(): Record<string, number> {
    const given = this.app.session.start;
    return Object.fromEntries(this.app.info!.state.map((knob) => [knob.name, given[knob.name] ?? knob.value]));
  }

  system(info: SystemInfo): void {
    const knobs = Object.fromEntries(info.state.map((knob) => [knob.name, knob]));
    if (!this.app.session.basins) {
      const x = info.usual;
      const y = `d_${x}`;
      const [across, up] = [span(knobs[x]), span(knobs[y])];
      this.app.session.basins = {
        x, y, xFrom: across[0], xTo: across[1], yFrom: up[0], yTo: up[1],
        section: info.sections[0] ?? "", transient: 300, size: 128,
      };
    }
    this.app.link.cancel("basins"); // that of the system before
    this.app.busy("basins", null);
    this.stale = true;
    this.size = 0;
    this.note.textContent = "";
    this.key_.replaceChildren();
    this.makeBar(info);
  }

  private makeBar(info: SystemInfo): void {
    const s = this.session;
    const names = info.state.map((knob) => knob.name);
    const field = (text: string, element: HTMLElement) => h("label", { class: "field" }, h("span", {}, text), element);
    const set = <K extends keyof BasinsSession>(key: K) => (value: BasinsSession[K]) => {
      s[key] = value;
      this.whole();
    };
    const axis = (key: "x" | "y") => (name: string) => {
      const knob = info.state.find((entry) => entry.name === name)!;
      Object.assign(s, { [key]: name, [`${key}From`]: span(knob)[0], [`${key}To`]: span(knob)[1] });
      this.makeBar(info);
      this.whole();
    };
    this.bar.replaceChildren(
      field("across", select("across", names, s.x, axis("x"))), this.plane.edgeEntry("x0", "xFrom", "from"),
      this.plane.edgeEntry("x1", "xTo", "to"),
      field("up", select("up", names, s.y, axis("y"))), this.plane.edgeEntry("y0", "yFrom", "from"),
      this.plane.edgeEntry("y1", "yTo", "to"),
      field("section", select("basin section", [...new Set([s.section, ...info.sections])], s.section, set("section"))),
      numberEntry("basin-transient", "transient", s.transient, set("transient"), "1"),
      field("cells", select("size", ["64", "128", "256", "512"], String(s.size), (value) => set("size")(Number(value)))),
      h("div", { class: "buttons" },
        h("button", { "data-do": "basins-whole", onclick: () => this.whole() }, "whole"),
        h("button", { "data-do": "basins-stop", onclick: () => this.stop() }, "stop")),
    );
  }

  snapshot(session: Session): void {
    if (!session.basins || !this.size) return;
    const { x0, x1, y0, y1 } = this.plane.view;
    Object.assign(session.basins, { xFrom: x0, xTo: x1, yFrom: y0, yTo: y1 });
  }

  theme(theme: Theme): void {
    this.plane.theme = theme;
    this.repaint();
    this.drawKey();
  }

  redraw(): void {
    this.plane.draw();
  }

  activate(): void {
    this.plane.draw();
    if (this.stale) this.whole();
  }

  knob(done: boolean): void {
    if (done) this.whole();
    else this.stale = true;
  }

  private whole(): void {
    const s = this.session;
    this.plane.view = { x0: s.xFrom, x1: s.xTo, y0: s.yFrom, y1: s.yTo };
    this.plane.draw();
    this.compute();
  }

  private zoomed(): void {
    clearTimeout(this.timer);
    this.timer = window.setTimeout(() => this.compute(), SETTLE);
  }

  failed(): void {
    this.note.textContent = "";
  }

  private stop(): void {
    this.app.link.cancel("basins");
    this.app.busy("basins", null);
    this.note.textContent = "stopped";
  }

  private compute(): void {
    this.stale = false;
    const s = this.session;
    const { x0, x1, y0, y1 } = this.plane.view;
    const { system, parameters, start, t_start, options } = this.app.session;
    this.app.clearError("basins");
    this.note.textContent = "computing …";
    this.app.busy("basins", 0);
    this.app.link.stream("basins", "basins", {
      system, parameters, start, t_start, options, x: s.x, y: s.y, xFrom: x0, xTo: x1, yFrom: y0, yTo: y1,
      section: s.section, transient: s.transient, size: s.size,
    });
  }

  private begin(content: Message): void {
    this.size = content.size;
    this.image.width = this.image.height = this.size;
    this.labels = new Uint8Array(this.size ** 2);
    this.steps = new Uint8Array(this.size ** 2);
    this.attractors = [];
    this.blocked = false;
    this.imageView = { ...this.plane.view };
    this.plane.xLabel = label(content.x, content.units[0]);
    this.plane.yLabel = label(content.y, content.units[1]);
    this.element.dataset.started = String(Number(this.element.dataset.started ?? 0) + 1);
    delete this.element.dataset.done;
  }

  private colour(label: number): string {
    const { theme } = this.plane;
    if (label === IMPOSSIBLE) return theme.solid;
    const palette = [...theme.lines, "#F0E442", "#882255", "#44AA99", "#DDCC77", "#332288", "#AA4499"];
    return palette[label % palette.length];
  }

  private take(content: Message, [cells, labels]: Array_[]): void {
    if (!this.size) return;
    const c = this.image.getContext("2d")!;
    for (let k = 0; k < cells.length; k++) {
      this.labels[cells[k]] = labels[k];
      this.steps[cells[k]] = content.step;
      this.block(c, cells[k], content.step, labels[k]);
      this.blocked ||= labels[k] === IMPOSSIBLE;
    }
    this.app.busy("basins", content.fraction);
    this.note.textContent = `computing … ${Math.floor(100 * content.fraction)} % of the starts`;
    if (content.attractors) {
      this.attractors = content.attractors;
      this.drawKey();
    }
    this.plane.draw();
    this.element.dataset.cells = String(Number(this.element.dataset.cells ?? 0) + cells.length);
  }

  private block(c: CanvasRenderingContext2D, cell: number, step: number, label: number): void {
    const [column, row] = [Math.floor(cell / this.size), cell % this.size];
    c.fillStyle = this.colour(label);
    c.fillRect(column, this.size - row - step, step, step);
  }

  /** All blocks anew in another theme, the coarse ones first. */
  private repaint(): void {
    const c = this.image.getContext("2d")!;
    for (let step = 16; step >= 1; step /= 2) {
      this.steps.forEach((own, cell) => own === step && this.block(c, cell, step, this.labels[cell]));
    }
    this.plane.draw();
  }

  private drawImage(c: CanvasRenderingContext2D, px: (x: number) => number, py: (y: number) => number): void {
    if (!this.size) return;
    const { x0, x1, y0, y1 } = this.imageView;
    // a cell stands for the start at its own place: half a cell reaches beyond the first and the last
    const [dx, dy] = [(x1 - x0) / (this.size - 1) / 2, (y1 - y0) / (this.size - 1) / 2];
    c.imageSmoothingEnabled = false;
    c.drawImage(this.image, px(x0 - dx), py(y1 + dy), px(x1 + dx) - px(x0 - dx), py(y0 - dy) - py(y1 + dy));
  }

  private done(content: Message): void {
    this.app.busy("basins", null);
    this.attractors = content.attractors;
    const saved = 1 - content.computed / content.cells;
    this.note.replaceChildren(
      `${content.attractors.length} attractor${content.attractors.length === 1 ? "" : "s"}, ${content.cells.toLocaleString("en")} starts, ${(content.seconds ?? 0).toFixed(2)} s`,
      h("span", { class: "cost" }, `${(100 * saved).toFixed(0)} % taken from neighbours · drag: zoom · click: the motion`),
    );
    this.drawKey();
    this.element.dataset.done = String(this.element.dataset.started);
    this.element.dataset.attractors = JSON.stringify(content.attractors);
  }

  private drawKey(): void {
    if (!this.plane.theme) return;
    const entries = this.attractors.slice(0, LISTED).map((row): [string, string] => [entryText(row), this.colour(row.label)]);
    if (this.blocked) entries.push(["inside a surface", this.colour(IMPOSSIBLE)]);
    const more = this.attractors.length - LISTED;
    this.key_.replaceChildren(
      ...entries.map(([text, colour]) => {
        const box = h("i");
        box.style.background = colour;
        return h("span", {}, box, text);
      }),
      more > 0 ? `and ${more} more` : "",
    );
  }
}
