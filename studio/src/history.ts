// Time histories: one uPlot chart a variable, mode shading behind it, a strip with the mode of every contact below.

import uPlot from "uplot";
import { fit, h, label, shortened, tickLabels } from "./dom";
import { MODE_NAMES, type Theme } from "./theme";

export interface HistoryData {
  times: Float64Array;
  /** One variable after the other. */
  states: Float64Array;
  variables: [string, string][];
  contacts: string[];
  intervals: [number, number, number][][];
  hits: Float64Array;
  hitContacts: Uint8Array;
  /** Variables that only events change, drawn as steps. */
  discrete: string[];
  /** When resets acted. */
  resets: Float64Array;
  span: [number, number];
}

const PRECEDENCE = [3, 4, 1, 2]; // STICK, PRESSED, SLIP+, SLIP-: the mode that constrains most
const AXIS = 58;
const RIGHT = 12;
const STRIP_SHARE = 0.35; // of the height, at most, for the strip of the contacts
const FEW_CONTACTS = 12; // more have no row unless they touch

export class History {
  readonly element = h("div", { class: "history" });
  theme!: Theme;
  chosen: string[] = [];
  onTime: ((time: number) => void) | null = null;
  /** The view was zoomed: samples of this span are wanted. */
  onZoom: ((from: number, to: number) => void) | null = null;
  private plots: uPlot[] = [];
  private strip = h("canvas", { class: "strip" });
  private stripBox = h("div", { class: "strip-box" }, this.strip);
  private marker = h("div", { class: "marker" });
  private data: HistoryData | null = null;
  private view: [number, number] = [0, 1];
  private syncing = false;
  private now = 0;
  private spans: [number, number, number][] = [];
  private stripRows: number[] = [];
  private rowHeight = 16;
  private builtHeight = 0;

  constructor() {
    // what stands above it may take another line: the legend of a new run
    new ResizeObserver(() => {
      const { height } = this.element.getBoundingClientRect();
      if (this.plots.length && height && Math.abs(height - this.builtHeight) > 1) this.build();
    }).observe(this.element);
  }

  /** ``wanted``: the part that is to be shown; else all, or what was with ``keepZoom``. */
  show(data: HistoryData, keepZoom: boolean, wanted: [number, number] | null = null): void {
    const whole = !keepZoom || !this.data || !this.zoomed();
    this.data = data;
    this.spans = dominant(data.intervals);
    if (whole) this.view = [...data.span];
    if (wanted && wanted[0] < data.span[1] && wanted[1] > data.span[0]) {
      this.view = [Math.max(wanted[0], data.span[0]), Math.min(wanted[1], data.span[1])];
    }
    const same = this.chosen.join() === this.plots.map((plot) => (plot as any).jounceName).join();
    if (!same || !this.plots.length || this.rows().join() !== this.stripRows.join()) this.build();
    else this.refresh();
  }

  /** The part that is shown; null: all. */
  shownSpan(): [number, number] | null {
    return this.zoomed() ? [...this.view] : null;
  }

  zoomed(): boolean {
    return !!this.data && (this.view[0] > this.data.span[0] || this.view[1] < this.data.span[1]);
  }

  /** Finer samples for the present view. */
  refine(times: Float64Array, states: Float64Array): void {
    if (!this.data) return;
    this.data = { ...this.data, times, states };
    this.refresh();
  }

  reset(): void {
    if (this.data) this.zoom(this.data.span[0], this.data.span[1]);
  }

  setTime(time: number): void {
    this.now = time;
    this.place();
  }

  /** The line of the present time; before a plot is laid out it has no place. */
  private place(): void {
    const time = this.now;
    const plot = this.plots[0];
    if (!plot) return;
    const x = plot.over.offsetLeft + plot.valToPos(time, "x");
    const inside = time >= this.view[0] && time <= this.view[1];
    this.marker.style.transform = `translateX(${x}px)`;
    this.marker.style.display = inside ? "block" : "none";
  }

  build(): void {
    for (const plot of this.plots) plot.destroy();
    this.plots = [];
    this.element.replaceChildren();
    if (!this.data) return;
    const names = this.chosen.filter((name) => this.data!.variables.some(([known]) => known === name));
    const box = this.element.getBoundingClientRect();
    this.builtHeight = box.height;
    this.stripRows = this.rows();
    const count = this.stripRows.length;
    this.rowHeight = Math.max(3, Math.min(16, Math.floor((STRIP_SHARE * box.height) / Math.max(count, 1))));
    const stripHeight = count ? 10 + this.rowHeight * count : 0;
    // a discrete state has few values: half the height is enough for it
    const share = (name: string) => (this.data!.discrete.includes(name) ? 0.5 : 1);
    const unit = (box.height - stripHeight - 30) / Math.max(names.reduce((sum, name) => sum + share(name), 0), 1);
    names.forEach((name, k) => {
      const last = k === names.length - 1;
      const height = Math.max(44, Math.floor(unit * share(name)));
      const plot = this.makePlot(name, box.width, height + (last ? 26 : 0), last);
      (plot as any).jounceName = name;
      this.plots.push(plot);
    });
    this.stripBox.style.height = `${stripHeight}px`;
    this.stripBox.hidden = !count; // the strip of the system before
    this.element.append(this.stripBox, this.marker);
  }

  /** The contacts of the strip: of many, those that touch. */
  private rows(): number[] {
    const { contacts, intervals, hitContacts } = this.data!;
    const all = contacts.map((_, k) => k);
    if (all.length <= FEW_CONTACTS) return all;
    const hit = new Set(hitContacts);
    return all.filter((k) => hit.has(k) || intervals[k]?.length);
  }

  private makePlot(name: string, width: number, height: number, last: boolean): uPlot {
    const unit = this.data!.variables.find(([known]) => known === name)![1];
    const room = height - (last ? 42 : 16); // below the last one stands the axis of time
    const title = fitting(room / 7, label(name, unit), label(name, ""));
    const axis = { stroke: () => this.theme.ink, font: "11px system-ui", labelFont: "12px system-ui" };
    const grid = { stroke: () => this.theme.grid, width: 1 };
    const stepped = this.data!.discrete.includes(name);
    const paths = stepped ? uPlot.paths.stepped!({ align: 1 }) : smooth;
    const options: uPlot.Options = {
      width,
      height,
      legend: { show: false },
      padding: [6, RIGHT, 0, 0],
      cursor: { drag: { x: true, y: false, setScale: true }, points: { show: false }, y: false },
      scales: { x: { time: false, range: () => this.view }, y: { range: padded } },
      series: [{}, { stroke: () => this.theme.ink, width: 1.2, spanGaps: stepped, pxAlign: 0, points: { show: false }, paths }],
      axes: [
        { ...axis, grid, ticks: grid, show: true, size: last ? 34 : 8, values: last ? moments : () => [], label: last ? "t [s]" : undefined, labelSize: last ? 14 : 0, gap: 2 },
        { ...axis, grid, ticks: grid, size: AXIS, label: title, labelSize: 16, gap: 2, space: 28, values: levels },
      ],
      hooks: {
        drawClear: [(plot) => this.shade(plot)],
        draw: [() => last && (this.drawStrip(), this.place())],
        ready: [(plot) => this.listen(plot)],
        setSelect: [
          (plot) => {
            if (plot.select.width < 4) return;
            const [a, b] = [plot.select.left, plot.select.left + plot.select.width].map((x) => plot.posToVal(x, "x"));
            plot.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
            this.zoom(a, b);
          },
        ],
      },
    };
    return new uPlot(options, this.columns(name), this.element);
  }

  private listen(plot: uPlot): void {
    let down = 0;
    plot.over.addEventListener("pointerdown", (event) => (down = event.clientX));
    plot.over.addEventListener("click", (event) => {
      if (Math.abs(event.clientX - down) < 4) this.onTime?.(plot.posToVal(event.offsetX, "x"));
    });
    plot.over.addEventListener("dblclick", () => this.reset());
    plot.over.addEventListener("wheel", (event) => this.wheel(plot, event), { passive: false });
  }

  private wheel(plot: uPlot, event: WheelEvent): void {
    event.preventDefault();
    const factor = Math.exp(0.0015 * event.deltaY);
    const centre = plot.posToVal(event.offsetX, "x");
    const [a, b] = this.view;
    this.zoom(centre + (a - centre) * factor, centre + (b - centre) * factor);
  }

  private zoom(from: number, to: number): void {
    if (this.syncing || !this.data) return;
    const [low, high] = this.data.span;
    this.view = [Math.max(low, from), Math.min(high, to)];
    if (!(this.view[1] > this.view[0])) this.view = [low, high];
    this.refresh();
    this.onZoom?.(this.view[0], this.view[1]);
  }

  private refresh(): void {
    if (!this.data) return;
    this.syncing = true;
    for (const plot of this.plots) plot.setData(this.columns((plot as any).jounceName), true);
    this.syncing = false;
  }

  /** Times and one variable, with null where the line breaks. */
  private columns(name: string): uPlot.AlignedData {
    const { times, states, variables } = this.data!;
    const row = variables.findIndex(([known]) => known === name);
    const values: (number | null)[] = new Array(times.length);
    for (let k = 0; k < times.length; k++) {
      const value = states[row * times.length + k];
      values[k] = Number.isNaN(value) ? null : value;
    }
    return [times, values] as uPlot.AlignedData;
  }

  private shade(plot: uPlot): void {
    const { ctx, bbox } = plot;
    ctx.save();
    ctx.beginPath();
    ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height);
    ctx.clip();
    for (const [a, b, mode] of this.spans) {
      if (b < this.view[0] || a > this.view[1]) continue;
      const [left, right] = [plot.valToPos(a, "x", true), plot.valToPos(b, "x", true)];
      ctx.fillStyle = this.theme.shades[mode];
      ctx.fillRect(left, bbox.top, Math.max(right - left, 1), bbox.height);
    }
    ctx.strokeStyle = this.theme.faint;
    ctx.setLineDash([2, 3]);
    ctx.beginPath();
    for (const t of this.data?.resets ?? []) {
      if (t < this.view[0] || t > this.view[1]) continue;
      const x = Math.round(plot.valToPos(t, "x", true)) + 0.5;
      ctx.moveTo(x, bbox.top);
      ctx.lineTo(x, bbox.top + bbox.height);
    }
    ctx.stroke();
    ctx.restore();
  }

  private drawStrip(): void {
    if (!this.data || !this.stripRows.length || !this.stripBox.isConnected) return;
    const { width, ratio } = fit(this.strip);
    const c = this.strip.getContext("2d")!;
    c.setTransform(ratio, 0, 0, ratio, 0, 0);
    c.clearRect(0, 0, this.strip.width, this.strip.height);
    const left = this.plots[0]?.over.offsetLeft ?? AXIS;
    const plotted = Math.max(width - left - RIGHT, 1);
    const [low, high] = this.view;
    const px = (t: number) => left + (plotted * (t - low)) / (high - low);
    const clamp = (x: number) => Math.max(left, Math.min(left + plotted, x));
    const thick = Math.max(this.rowHeight - 3, 2);
    this.stripRows.forEach((contact, row) => {
      const y = 4 + this.rowHeight * row;
      c.fillStyle = this.theme.shades[0];
      c.fillRect(left, y, plotted, thick);
      for (const [a, b, mode] of this.data!.intervals[contact] ?? []) {
        if (b < low || a > high) continue;
        c.fillStyle = this.theme.modes[mode];
        c.fillRect(clamp(px(a)), y, Math.max(clamp(px(b)) - clamp(px(a)), 1), thick);
      }
      c.fillStyle = this.theme.flash;
      this.data!.hits.forEach((t, k) => {
        if (this.data!.hitContacts[k] === contact && t >= low && t <= high) c.fillRect(px(t) - 0.6, y, 1.2, thick);
      });
      if (this.rowHeight < 9) return; // too low for a name
      c.fillStyle = this.theme.ink;
      c.font = `${Math.min(11, this.rowHeight)}px system-ui, sans-serif`;
      c.textAlign = "right";
      c.textBaseline = "middle";
      c.fillText(shortened(this.data!.contacts[contact], Math.floor((left - 5) / 6)), left - 5, y + thick / 2);
    });
  }

  /** What the colours mean, for those that occur; without friction a closed contact slips in no direction. */
  legend(friction: boolean[]): HTMLElement {
    const seen = new Set((this.data?.intervals ?? []).flat().map(([, , mode]) => mode));
    const items = [...seen].sort().map((mode) => {
      const box = h("i");
      box.style.background = this.theme.modes[mode];
      const plain = mode === 1 && !this.data!.intervals.some((spans, k) => friction[k] && spans.some((span) => span[2] === 1));
      return h("span", {}, box, plain ? "closed" : MODE_NAMES[mode]);
    });
    if (this.data?.hits.length) {
      const tick = h("i", { class: "tick" });
      tick.style.background = this.theme.flash;
      items.push(h("span", {}, tick, "impact"));
    }
    if (this.data?.resets.length) {
      const dots = h("i", { class: "dots" });
      dots.style.borderColor = this.theme.faint;
      items.push(h("span", {}, dots, "reset"));
    }
    return h("div", { class: "legend" }, ...items);
  }
}

/** Through every sample: uPlot's own paths round to whole pixels where samples are dense, which shows as stairs. */
export function smooth(plot: uPlot, series: number, first: number, last: number): uPlot.Series.Paths {
  const [times, values] = [plot.data[0], plot.data[series]];
  const path = new Path2D();
  let drawing = false;
  for (let k = first; k <= last; k++) {
    const value = values[k];
    if (value === null || value === undefined) {
      drawing = false;
      continue;
    }
    const [x, y] = [plot.valToPos(times[k], "x", true), plot.valToPos(value, "y", true)];
    if (drawing) path.lineTo(x, y);
    else path.moveTo(x, y);
    drawing = true;
  }
  return { stroke: path, fill: null, clip: null, flags: 1 } as uPlot.Series.Paths;
}

/** The first text of at most so many letters, or what fits of the last. */
function fitting(letters: number, ...texts: string[]): string {
  const last = texts[texts.length - 1];
  return texts.find((text) => text.length <= letters) ?? shortened(last, Math.max(Math.floor(letters), 3));
}

/** Labels of an axis, as those of the other pictures. */
export function levels(_: uPlot, splits: number[], __: number, ___: number, step: number): string[] {
  return tickLabels(splits, step);
}

/** Labels of an axis of time; the last is left out where it would be cut. */
export function moments(plot: uPlot, splits: number[], axis: number, space: number, step: number): string[] {
  const labels = levels(plot, splits, axis, space, step);
  const last = labels.length - 1;
  const half = 3.3 * (labels[last] ?? "").length; // of its width, in letters of 11 px
  const { min, max } = plot.scales.x;
  const room = RIGHT + ((max! - splits[last]) / (max! - min!)) * (plot.width - AXIS - RIGHT);
  return labels.map((text, k) => (k === last && half > room ? "" : text));
}

/** A little room above and below; a constant gets some, too. */
function padded(_: uPlot, low: number, high: number): [number, number] {
  const most = Math.max(Math.abs(low), Math.abs(high));
  if (!(most > 0)) return [-1, 1]; // zero, or no value at all
  const room = Math.max(0.06 * (high - low), 1e-3 * most);
  return [low - room, high + room];
}

/** Where contacts differ, the mode that constrains most: spans in drawing order. */
function dominant(intervals: [number, number, number][][]): [number, number, number][] {
  const all = intervals.flat();
  return [...PRECEDENCE].reverse().flatMap((mode) => all.filter((span) => span[2] === mode));
}
