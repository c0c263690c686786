// Axes around a plane that is zoomed and panned by hand: shared by the diagram, the basins and the Painlevé map.

import { numberEntry } from "./controls";
import { fit, h, tickLabels, ticks } from "./dom";
import type { View } from "./points";
import type { Theme } from "./theme";

export const EDGE = { left: 66, right: 14, top: 10, bottom: 40 };

type Point = { x: number; y: number };

/** Edges to a tenth of a pixel and no finer: numbers that a hand has chosen stay short in entries, files and scripts. */
function neat({ x0, x1, y0, y1 }: View, width: number, height: number): View {
  const round = (value: number, span: number, pixels: number) => {
    const decimals = Math.ceil(-Math.log10(span / pixels / 10));
    return Number.isFinite(decimals) ? Number(value.toFixed(Math.min(100, Math.max(0, decimals)))) : value;
  };
  const [across, up] = [x1 - x0, y1 - y0];
  return { x0: round(x0, across, width), x1: round(x1, across, width), y0: round(y0, up, height), y1: round(y1, up, height) };
}

export class Plane {
  readonly element = h("div", { class: "plane", tabindex: 0, role: "application" });
  /** Under the axes: what the panel draws itself (WebGL or an image). */
  readonly under = h("canvas", { class: "under" });
  private over = h("canvas", { class: "over" });
  theme!: Theme;
  view: View = { x0: 0, x1: 1, y0: 0, y1: 1 };
  xLabel = "";
  yLabel = "";
  /** Draws more over the data, in pixels. */
  decorate: ((c: CanvasRenderingContext2D, px: (x: number) => number, py: (y: number) => number) => void) | null = null;
  paint: (() => void) | null = null;
  onView: (() => void) | null = null;
  onClick: ((x: number, y: number, event: MouseEvent) => void) | null = null;
  onReset: (() => void) | null = null;
  /** A range was typed: the view that it asks for. */
  onTyped: ((view: View) => void) | null = null;
  private entries = new Map<keyof View, HTMLInputElement>();
  private box: { from: Point; to: Point } | null = null;
  private hand: Point | null = null;
  size = { width: 1, height: 1, ratio: 1 };

  constructor() {
    this.element.append(h("div", { class: "under-box" }, this.under), this.over);
    this.over.addEventListener("pointerdown", (event) => this.down(event));
    this.over.addEventListener("pointermove", (event) => this.move(event));
    this.over.addEventListener("pointerup", (event) => this.up(event));
    this.over.addEventListener("dblclick", () => this.onReset?.());
    this.over.addEventListener("wheel", (event) => this.wheel(event), { passive: false });
    this.element.addEventListener("keydown", (event) => this.key(event));
  }

  /** An entry for an edge of the view: it shows what the axes show, and a number typed into it moves that edge. */
  edgeEntry(edge: keyof View, name: string, text: string): HTMLElement {
    const field = numberEntry(name, text, this.view[edge], () => this.typed(edge));
    this.entries.set(edge, field.querySelector("input")!);
    return field;
  }

  /** A range that is empty waits for its other end to be typed. */
  private typed(edge: keyof View): void {
    const next = { ...this.view };
    for (const [name, entry] of this.entries) if (entry.value !== "") next[name] = Number(entry.value);
    const fits = next.x1 > next.x0 && next.y1 > next.y0;
    for (const entry of this.entries.values()) entry.setCustomValidity("");
    if (fits) {
      this.onTyped?.(next);
      return;
    }
    const entry = this.entries.get(edge)!;
    entry.setCustomValidity("from must be less than to");
    entry.reportValidity();
  }

  private fillEntries(): void {
    const entries = [...this.entries];
    if (entries.some(([, entry]) => !entry.validity.valid)) return;
    for (const [edge, entry] of entries) entry.value = String(this.view[edge]);
  }

  /** Size of the part with data, in CSS pixels. */
  inner(): { width: number; height: number } {
    return {
      width: Math.max(16, this.size.width - EDGE.left - EDGE.right),
      height: Math.max(16, this.size.height - EDGE.top - EDGE.bottom),
    };
  }

  measure(): void {
    this.size = fit(this.over);
    const { width, height } = this.inner();
    const box = this.under.parentElement!;
    box.style.inset = `${EDGE.top}px ${EDGE.right}px ${EDGE.bottom}px ${EDGE.left}px`;
    const ratio = this.size.ratio;
    if (this.under.width !== Math.round(width * ratio) || this.under.height !== Math.round(height * ratio)) {
      this.under.width = Math.round(width * ratio);
      this.under.height = Math.round(height * ratio);
    }
  }

  toWorld(event: MouseEvent): Point {
    const box = this.over.getBoundingClientRect();
    const { width, height } = this.inner();
    const { x0, x1, y0, y1 } = this.view;
    return {
      x: x0 + ((event.clientX - box.left - EDGE.left) / width) * (x1 - x0),
      y: y1 - ((event.clientY - box.top - EDGE.top) / height) * (y1 - y0),
    };
  }

  private down(event: PointerEvent): void {
    const point = this.toWorld(event);
    this.over.setPointerCapture(event.pointerId);
    this.element.focus();
    if (event.shiftKey || event.button === 1) this.hand = point;
    else this.box = { from: point, to: point };
  }

  private move(event: PointerEvent): void {
    const point = this.toWorld(event);
    if (this.hand) this.shift(this.hand.x - point.x, this.hand.y - point.y, false);
    else if (this.box) {
      this.box.to = point;
      this.drawOver();
    }
  }

  private up(event: PointerEvent): void {
    const [box, hand] = [this.box, this.hand];
    this.box = this.hand = null;
    if (hand) {
      this.onView?.();
      return;
    }
    if (!box) return;
    const { width, height } = this.inner();
    const wide = (Math.abs(box.to.x - box.from.x) / (this.view.x1 - this.view.x0)) * width;
    const tall = (Math.abs(box.to.y - box.from.y) / (this.view.y1 - this.view.y0)) * height;
    if (wide < 4 && tall < 4) {
      this.drawOver();
      this.onClick?.(box.from.x, box.from.y, event);
      return;
    }
    const next = { ...this.view };
    if (wide >= 4) [next.x0, next.x1] = [Math.min(box.from.x, box.to.x), Math.max(box.from.x, box.to.x)];
    if (tall >= 4) [next.y0, next.y1] = [Math.min(box.from.y, box.to.y), Math.max(box.from.y, box.to.y)];
    this.handView(next, true);
  }

  private wheel(event: WheelEvent): void {
    event.preventDefault();
    this.scale(Math.exp(0.0015 * event.deltaY), this.toWorld(event), !event.shiftKey, !event.ctrlKey);
  }

  private scale(factor: number, about: Point, inX = true, inY = true): void {
    const { x0, x1, y0, y1 } = this.view;
    const [fx, fy] = [inX ? factor : 1, inY ? factor : 1];
    this.handView(
      {
        x0: about.x + (x0 - about.x) * fx, x1: about.x + (x1 - about.x) * fx,
        y0: about.y + (y0 - about.y) * fy, y1: about.y + (y1 - about.y) * fy,
      },
      true,
    );
  }

  private shift(dx: number, dy: number, tell: boolean): void {
    const { x0, x1, y0, y1 } = this.view;
    this.handView({ x0: x0 + dx, x1: x1 + dx, y0: y0 + dy, y1: y1 + dy }, tell);
  }

  private handView(view: View, tell: boolean): void {
    const { width, height } = this.inner();
    for (const entry of this.entries.values()) entry.setCustomValidity("");
    this.setView(neat(view, width, height), tell);
  }

  private key(event: KeyboardEvent): void {
    const { x0, x1, y0, y1 } = this.view;
    const middle = { x: (x0 + x1) / 2, y: (y0 + y1) / 2 };
    const [dx, dy] = [0.1 * (x1 - x0), 0.1 * (y1 - y0)];
    const actions: Record<string, () => void> = {
      "+": () => this.scale(0.6, middle), "-": () => this.scale(1 / 0.6, middle), "0": () => this.onReset?.(),
      ArrowLeft: () => this.shift(-dx, 0, true), ArrowRight: () => this.shift(dx, 0, true),
      ArrowUp: () => this.shift(0, dy, true), ArrowDown: () => this.shift(0, -dy, true),
    };
    const action = actions[event.key];
    if (!action) return;
    action();
    event.preventDefault();
    event.stopPropagation();
  }

  setView(view: View, tell: boolean): void {
    if (!(view.x1 > view.x0) || !(view.y1 > view.y0)) return;
    this.view = view;
    this.draw();
    if (tell) this.onView?.();
  }

  draw(): void {
    if (!this.element.isConnected || !this.element.offsetParent) return;
    this.measure();
    this.fillEntries();
    this.paint?.();
    this.drawOver();
  }

  /** The axes and what lies over the data; the data under them stay as they are. */
  private drawOver(): void {
    const { width, height, ratio } = this.size;
    const c = this.over.getContext("2d")!;
    c.setTransform(ratio, 0, 0, ratio, 0, 0);
    c.clearRect(0, 0, width, height);
    const inner = this.inner();
    const { x0, x1, y0, y1 } = this.view;
    const px = (x: number) => EDGE.left + ((x - x0) / (x1 - x0)) * inner.width;
    const py = (y: number) => EDGE.top + ((y1 - y) / (y1 - y0)) * inner.height;
    c.strokeStyle = this.theme.ink;
    c.lineWidth = 1;
    c.strokeRect(EDGE.left, EDGE.top, inner.width, inner.height);
    c.fillStyle = this.theme.ink;
    c.font = "12px system-ui, sans-serif";
    this.drawTicks(c, px, py, inner);
    c.save();
    c.beginPath();
    c.rect(EDGE.left, EDGE.top, inner.width, inner.height);
    c.clip();
    this.decorate?.(c, px, py);
    if (this.box) {
      c.strokeStyle = this.theme.lines[0];
      c.setLineDash([4, 3]);
      const [left, top] = [px(this.box.from.x), py(this.box.from.y)];
      c.strokeRect(left, top, px(this.box.to.x) - left, py(this.box.to.y) - top);
    }
    c.restore();
  }

  private drawTicks(
    c: CanvasRenderingContext2D, px: (x: number) => number, py: (y: number) => number,
    inner: { width: number; height: number },
  ): void {
    const { x0, x1, y0, y1 } = this.view;
    const along = ticks(x0, x1, Math.max(4, inner.width / 90));
    const up = ticks(y0, y1, inner.height / 45);
    const bottom = EDGE.top + inner.height;
    c.textAlign = "center";
    c.textBaseline = "top";
    const labels = (values: number[]) => tickLabels(values, values[1] - values[0] || 1);
    const right = EDGE.left + inner.width + EDGE.right;
    labels(along).forEach((text, k) => {
      c.fillRect(px(along[k]) - 0.5, bottom, 1, 4);
      c.fillText(text, Math.min(px(along[k]), right - c.measureText(text).width / 2 - 1), bottom + 6);
    });
    c.fillText(this.xLabel, EDGE.left + inner.width / 2, bottom + 22);
    c.textAlign = "right";
    c.textBaseline = "middle";
    labels(up).forEach((text, k) => {
      c.fillRect(EDGE.left - 4, py(up[k]) - 0.5, 4, 1);
      c.fillText(text, EDGE.left - 7, py(up[k]));
    });
    c.save();
    c.translate(12, EDGE.top + inner.height / 2);
    c.rotate(-Math.PI / 2);
    c.textAlign = "center";
    c.fillText(this.yLabel, 0, 0);
    c.restore();
  }
}
