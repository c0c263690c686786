// The stage: the bodies of one run, drawn frame by frame on a canvas.

import { fit, h } from "./dom";
import type { Shape } from "./messages";
import type { StageView } from "./session";
import type { Theme } from "./theme";

/** One run as the stage needs it. */
export interface Film {
  shapes: Shape[];
  contacts: string[];
  times: Float64Array;
  /** All numbers of all shapes, frame after frame. */
  values: Float32Array;
  /** The mode of every contact, frame after frame. */
  modes: Uint8Array;
  hits: Float64Array;
  hitContacts: Uint8Array;
}

export interface Grab {
  shape: number;
  weights: number[];
}

type View = { x: number; y: number; scale: number; followX: boolean; followY: boolean };

const FLASH = 0.12; // s of film that an impact is shown for: one frame would be missed by the eye
const TRAIL = 240; // frames
const MARGIN = 0.12;
const DOT = [2, 5.5]; // px: radius of a contact point, less where it would hide
const DOT_SHARE = 0.15; // of the smallest body

export class Stage {
  readonly canvas = h("canvas", { class: "stage", role: "img", "aria-label": "moving bodies" });
  film: Film | null = null;
  theme!: Theme;
  trails = true;
  speed = 1;
  onGrab: ((grab: Grab, x: number, y: number) => void) | null = null;
  private view: View = { x: 0, y: 0, scale: 100, followX: false, followY: false };
  private offsets: number[] = [];
  private stride = 0;
  private now = 0;
  private size = { width: 1, height: 1, ratio: 1 };
  /** The view was chosen by hand: new runs keep it. */
  private byHand = false;
  /** The largest side of the smallest body. */
  private smallest = Infinity;

  constructor() {
    let held: Grab | null = null;
    let hand: [number, number] | null = null;
    this.canvas.addEventListener("pointerdown", (event) => {
      const [x, y] = this.world(event);
      held = this.pick(x, y);
      hand = held ? null : [x, y];
      this.canvas.setPointerCapture(event.pointerId);
      event.preventDefault();
    });
    this.canvas.addEventListener("pointermove", (event) => {
      const [x, y] = this.world(event);
      if (held) this.onGrab?.(held, x, y);
      else if (hand) this.moveView(hand[0] - x, hand[1] - y);
      else this.canvas.style.cursor = this.onGrab && this.pick(x, y) ? "grab" : "default";
    });
    for (const end of ["pointerup", "pointercancel"]) this.canvas.addEventListener(end, () => (held = hand = null));
    this.canvas.addEventListener("wheel", (event) => this.wheel(event), { passive: false });
    this.canvas.addEventListener("dblclick", () => this.frameAnew());
    this.canvas.title = "drag a body to set its start; wheel: zoom, drag beside the bodies: move, double-click: all of it";
  }

  private moveView(dx: number, dy: number): void {
    this.byHand = true;
    this.view.x += dx;
    this.view.y += dy;
    this.draw(this.now);
  }

  /** The point under the pointer stays where it is, unless a body is followed. */
  private wheel(event: WheelEvent): void {
    event.preventDefault();
    if (!this.film) return;
    const [x, y] = this.world(event);
    const factor = Math.exp(-0.0015 * event.deltaY);
    this.view.scale *= factor;
    this.moveView((x - this.view.x) * (1 - 1 / factor), (y - this.view.y) * (1 - 1 / factor));
  }

  /** What was chosen by hand: the middle, and pixels a metre; null: nothing was. */
  chosen(): StageView | null {
    const { x, y, scale } = this.view;
    return this.byHand ? { x, y, scale } : null;
  }

  /** Show the same again; null: everything. */
  choose(chosen: StageView | null): void {
    if (!chosen) {
      this.frameAnew();
      return;
    }
    this.byHand = true;
    this.view = { ...chosen, followX: false, followY: false };
  }

  /** Everything in the picture, as at first. */
  frameAnew(): void {
    this.byHand = false;
    if (!this.film) return;
    this.frameAll();
    this.draw(this.now);
  }

  /** Take a new run; the view stays where it is while a hand is on the picture. */
  show(film: Film, keepView: boolean): void {
    this.film = film;
    this.offsets = [];
    this.stride = 0;
    for (const shape of film.shapes) {
      this.offsets.push(this.stride);
      this.stride += shape.width;
    }
    this.smallest = this.smallestBody();
    if (!keepView && !this.byHand) this.frameAll();
    this.draw(this.now);
  }

  private smallestBody(): number {
    let least = Infinity;
    this.film!.shapes.forEach((shape, s) => {
      if (!["Polygon", "Segment", "Circle"].includes(shape.kind) || shape.body === "ground") return;
      const corners = this.corners(s, 0);
      const side = (k: 0 | 1) => Math.max(...corners.map((p) => p[k] + p[2])) - Math.min(...corners.map((p) => p[k] - p[2]));
      least = Math.min(least, Math.max(side(0), side(1)));
    });
    return least;
  }

  /** Choose a view in which everything that moves is seen; a body that travels far is followed. */
  private frameAll(): void {
    const film = this.film!;
    let [x0, x1, y0, y1] = [Infinity, -Infinity, Infinity, -Infinity];
    let [wide, high, level] = [0, 0, false];
    const frames = film.times.length;
    for (let k = 0; k < frames; k++) {
      let [left, right, bottom, top] = [Infinity, -Infinity, Infinity, -Infinity];
      film.shapes.forEach((shape, s) => {
        if (shape.kind === "Ground") return;
        this.corners(s, k).forEach(([x, y, r]) => {
          [left, right] = [Math.min(left, x - r), Math.max(right, x + r)];
          [bottom, top] = [Math.min(bottom, y - r), Math.max(top, y + r)];
        });
      });
      [x0, x1, y0, y1] = [Math.min(x0, left), Math.max(x1, right), Math.min(y0, bottom), Math.max(y1, top)];
      wide = Math.max(wide, right - left);
      high = Math.max(high, top - bottom);
    }
    film.shapes.forEach((shape, s) => {
      if (shape.kind !== "Ground") return;
      for (let k = 0; k < frames; k += Math.max(1, Math.floor(frames / 100))) {
        const [xa, ya, xb, yb] = this.numbers(s, k);
        if (ya === yb) [y0, y1, level] = [Math.min(y0, ya), Math.max(y1, ya), true];
        if (xa === xb) [x0, x1] = [Math.min(x0, xa), Math.max(x1, xa)];
      }
    });
    if (!Number.isFinite(x0 + x1 + y0 + y1)) [x0, x1, y0, y1] = [-1, 1, -1, 1];
    this.size = fit(this.canvas);
    const { width, height } = this.size;
    // a body that travels many times its size is followed; up and down only where no floor would leave the picture
    const followY = !level && y1 - y0 > 6 * Math.max(high, wide);
    const tall = Math.max(followY ? 2 * high : y1 - y0, 1e-9);
    const followX = x1 - x0 > 2.5 * Math.max(wide, tall * (width / height));
    const span = Math.max(followX ? wide * 1.5 : x1 - x0, 1e-9);
    const scale = Math.min(width / (span * (1 + 2 * MARGIN)), height / (tall * (1 + 2 * MARGIN)));
    this.view = { x: (x0 + x1) / 2, y: (y0 + y1) / 2, scale, followX, followY };
  }

  private numbers(shape: number, frame: number): Float32Array {
    const first = frame * this.stride + this.offsets[shape];
    return this.film!.values.subarray(first, first + this.film!.shapes[shape].width);
  }

  /** Corners of a shape with a reach around each. */
  private corners(shape: number, frame: number): [number, number, number][] {
    const v = this.numbers(shape, frame);
    if (this.film!.shapes[shape].kind === "Circle") return [[v[0], v[1], v[2]]];
    const found: [number, number, number][] = [];
    for (let k = 0; k + 1 < v.length; k += 2) found.push([v[k], v[k + 1], 0]);
    return found;
  }

  /** The frame at or before a time. */
  frameAt(time: number): number {
    const { times } = this.film!;
    const share = (time - times[0]) / Math.max(times[times.length - 1] - times[0], 1e-300);
    return Math.max(0, Math.min(times.length - 1, Math.round(share * (times.length - 1))));
  }

  private camera(frame: number): [number, number] {
    const { x, y, followX, followY } = this.view;
    if (!followX && !followY) return [x, y];
    let [sumX, sumY, count] = [0, 0, 0];
    this.film!.shapes.forEach((shape, s) => {
      if (shape.kind === "Ground" || shape.fixed) return;
      for (const [cornerX, cornerY] of this.corners(s, frame)) {
        sumX += cornerX;
        sumY += cornerY;
        count++;
      }
    });
    return [followX && count ? sumX / count : x, followY && count ? sumY / count : y];
  }

  private world(event: MouseEvent): [number, number] {
    const box = this.canvas.getBoundingClientRect();
    const [x, y] = this.film ? this.camera(this.frameAt(this.now)) : [0, 0];
    return [
      x + (event.clientX - box.left - box.width / 2) / this.view.scale,
      y - (event.clientY - box.top - box.height / 2) / this.view.scale,
    ];
  }

  /** The shape under a point, with the weights of its corners at that point. */
  private pick(x: number, y: number): Grab | null {
    if (!this.film) return null;
    const frame = this.frameAt(this.now);
    const near = 14 / this.view.scale;
    let best: Grab | null = null;
    let least = near;
    this.film.shapes.forEach((shape, s) => {
      const v = this.numbers(s, frame);
      if (shape.kind === "Segment" && shape.body !== "ground") {
        const [dx, dy] = [v[2] - v[0], v[3] - v[1]];
        const along = ((x - v[0]) * dx + (y - v[1]) * dy) / Math.max(dx * dx + dy * dy, 1e-300);
        const part = Math.max(0, Math.min(1, along));
        const far = Math.hypot(x - v[0] - part * dx, y - v[1] - part * dy);
        if (far < least) [least, best] = [far, { shape: s, weights: [1 - part, part] }];
      } else if (shape.kind === "Circle") {
        if (Math.hypot(x - v[0], y - v[1]) < Math.max(v[2], near)) best ??= { shape: s, weights: [1] };
      } else if (shape.kind === "Polygon") {
        const corners = this.corners(s, frame);
        if (inside(x, y, corners)) best ??= { shape: s, weights: corners.map(() => 1 / corners.length) };
      }
    });
    return best;
  }

  draw(time: number): void {
    this.now = time;
    if (!this.film) return;
    this.size = fit(this.canvas);
    const { width, height, ratio } = this.size;
    const c = this.canvas.getContext("2d")!;
    const frame = this.frameAt(time);
    const [cameraX, cameraY] = this.camera(frame);
    const { scale } = this.view;
    c.setTransform(ratio, 0, 0, ratio, 0, 0);
    c.fillStyle = this.theme.paper;
    c.fillRect(0, 0, width, height);
    const px = (x: number) => width / 2 + (x - cameraX) * scale;
    const py = (y: number) => height / 2 - (y - cameraY) * scale;
    const { shapes } = this.film;
    shapes.forEach((shape, s) => shape.kind === "Ground" && this.ground(c, this.numbers(s, frame), px, py));
    if (this.trails) shapes.forEach((shape, s) => this.trail(c, shape, s, frame, px, py));
    const bodies = [...new Set(shapes.map((shape) => shape.body).filter((name) => name && name !== "ground"))];
    shapes.forEach((shape, s) => {
      const index = shape.body ? bodies.indexOf(shape.body) : 0;
      const colour = shape.body === "ground" ? this.theme.faint : this.theme.lines[Math.max(index, 0) % 5];
      this.shape(c, shape, this.numbers(s, frame), colour, px, py);
    });
    shapes.forEach((shape, s) => shape.kind === "Point" && this.point(c, shape, s, frame, time, px, py));
    if (shapes.length) this.scaleBar(c, width, height);
    else this.nothing(c, width, height);
  }

  /** A model without a drawing says so instead of an empty picture. */
  private nothing(c: CanvasRenderingContext2D, width: number, height: number): void {
    c.fillStyle = this.theme.faint;
    c.font = "13px system-ui, sans-serif";
    c.textAlign = "center";
    c.fillText("This model has no drawing:", width / 2, height / 2 - 9);
    c.fillText("Model(..., drawing=[...]) adds one.", width / 2, height / 2 + 9);
  }

  private ground(c: CanvasRenderingContext2D, v: Float32Array, px: (x: number) => number, py: (y: number) => number): void {
    const reach = 2 * (this.size.width + this.size.height);
    const [ax, ay] = [px(v[0]), py(v[1])];
    const length = Math.hypot(px(v[2]) - ax, py(v[3]) - ay);
    const [dx, dy] = [(px(v[2]) - ax) / length, (py(v[3]) - ay) / length];
    const along = (this.size.width / 2 - ax) * dx + (this.size.height / 2 - ay) * dy;
    const [mx, my] = [ax + along * dx, ay + along * dy];
    c.beginPath();
    c.moveTo(mx - reach * dx, my - reach * dy);
    c.lineTo(mx + reach * dx, my + reach * dy);
    // the free side lies on the left of the line; with y downwards on the screen the solid side is (-dy, dx)
    c.lineTo(mx + reach * (dx - dy), my + reach * (dy + dx));
    c.lineTo(mx + reach * (-dx - dy), my + reach * (-dy + dx));
    c.closePath();
    c.fillStyle = this.theme.solid;
    c.fill();
    c.beginPath();
    c.moveTo(mx - reach * dx, my - reach * dy);
    c.lineTo(mx + reach * dx, my + reach * dy);
    c.strokeStyle = this.theme.ink;
    c.lineWidth = 1.2;
    c.stroke();
  }

  private trail(
    c: CanvasRenderingContext2D, shape: Shape, s: number, frame: number, px: (x: number) => number,
    py: (y: number) => number,
  ): void {
    const wanted = shape.kind === "Circle" || (shape.kind === "Point" && !shape.fixed);
    if (!wanted) return;
    c.beginPath();
    for (let k = Math.max(0, frame - TRAIL); k <= frame; k++) {
      const v = this.numbers(s, k);
      c.lineTo(px(v[0]), py(v[1]));
    }
    c.strokeStyle = this.theme.faint;
    c.globalAlpha = 0.45;
    c.lineWidth = 1;
    c.stroke();
    c.globalAlpha = 1;
  }

  private shape(
    c: CanvasRenderingContext2D, shape: Shape, v: Float32Array, colour: string, px: (x: number) => number,
    py: (y: number) => number,
  ): void {
    c.strokeStyle = colour;
    c.lineCap = "round";
    c.lineJoin = "round";
    c.beginPath();
    switch (shape.kind) {
      case "Segment":
        c.lineWidth = shape.body === "ground" ? 1.4 : 6;
        c.moveTo(px(v[0]), py(v[1]));
        c.lineTo(px(v[2]), py(v[3]));
        c.stroke();
        return;
      case "Coil":
        this.coil(c, px(v[0]), py(v[1]), px(v[2]), py(v[3]));
        return;
      case "Polygon":
        for (let k = 0; k < v.length; k += 2) c.lineTo(px(v[k]), py(v[k + 1]));
        c.closePath();
        break;
      case "Circle":
        c.arc(px(v[0]), py(v[1]), Math.max(v[2] * this.view.scale, 0.5), 0, 2 * Math.PI);
        if (shape.turns) {
          c.moveTo(px(v[0]), py(v[1]));
          c.lineTo(px(v[0] + v[2] * Math.cos(v[3])), py(v[1] + v[2] * Math.sin(v[3])));
        }
        break;
      default:
        return;
    }
    if (shape.filled !== false) {
      c.fillStyle = colour;
      c.globalAlpha = 0.22;
      c.fill();
      c.globalAlpha = 1;
    }
    c.lineWidth = 2.2;
    c.stroke();
  }

  private coil(c: CanvasRenderingContext2D, x1: number, y1: number, x2: number, y2: number): void {
    const length = Math.max(Math.hypot(x2 - x1, y2 - y1), 1e-9);
    const [nx, ny] = [-(y2 - y1) / length, (x2 - x1) / length];
    const width = Math.min(9, 0.2 * length);
    c.moveTo(x1, y1);
    for (let k = 0; k <= 16; k++) {
      const along = 0.15 + (0.7 * k) / 16;
      const side = k === 0 || k === 16 ? 0 : k % 2 ? width : -width;
      c.lineTo(x1 + along * (x2 - x1) + side * nx, y1 + along * (y2 - y1) + side * ny);
    }
    c.lineTo(x2, y2);
    c.strokeStyle = this.theme.ink;
    c.lineWidth = 1.4;
    c.stroke();
  }

  private point(
    c: CanvasRenderingContext2D, shape: Shape, s: number, frame: number, time: number, px: (x: number) => number,
    py: (y: number) => number,
  ): void {
    const v = this.numbers(s, frame);
    const [x, y] = [px(v[0]), py(v[1])];
    if (shape.fixed) {
      c.beginPath();
      c.moveTo(x, y);
      c.lineTo(x - 8, y + 13);
      c.lineTo(x + 8, y + 13);
      c.closePath();
      c.fillStyle = this.theme.faint;
      c.fill();
    }
    const dot = Math.max(DOT[0], Math.min(DOT[1], DOT_SHARE * this.smallest * this.view.scale));
    const contact = shape.contact ? this.film!.contacts.indexOf(shape.contact) : -1;
    if (contact >= 0 && this.flashes(contact, time)) {
      c.beginPath();
      c.arc(x, y, 2.4 * dot, 0, 2 * Math.PI);
      c.strokeStyle = this.theme.flash;
      c.lineWidth = 0.7 * dot;
      c.stroke();
    }
    c.beginPath();
    c.arc(x, y, dot, 0, 2 * Math.PI);
    const mode = contact >= 0 ? this.film!.modes[frame * this.film!.contacts.length + contact] : -1;
    c.fillStyle = mode >= 0 ? this.theme.modes[mode] : this.theme.ink;
    c.fill();
    c.strokeStyle = this.theme.paper;
    c.lineWidth = Math.min(1.5, 0.3 * dot);
    c.stroke();
  }

  /** Whether a contact was hit in the last moments of film. */
  private flashes(contact: number, time: number): boolean {
    const { hits, hitContacts } = this.film!;
    let [low, high] = [0, hits.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (hits[middle] <= time) low = middle + 1;
      else high = middle;
    }
    for (let k = low - 1; k >= 0 && hits[k] >= time - FLASH * this.speed; k--) if (hitContacts[k] === contact) return true;
    return false;
  }

  private scaleBar(c: CanvasRenderingContext2D, width: number, height: number): void {
    const raw = 90 / this.view.scale;
    const power = 10 ** Math.floor(Math.log10(raw));
    const size = power * ([5, 2, 1].find((factor) => factor * power <= raw) ?? 1);
    const length = size * this.view.scale;
    c.strokeStyle = c.fillStyle = this.theme.ink;
    c.lineWidth = 2;
    c.beginPath();
    c.moveTo(width - 14 - length, height - 12);
    c.lineTo(width - 14, height - 12);
    c.stroke();
    c.font = "12px system-ui, sans-serif";
    c.textAlign = "right";
    c.fillText(`${Number(size.toPrecision(3))} m`, width - 14, height - 18);
  }
}

function inside(x: number, y: number, corners: [number, number, number][]): boolean {
  let odd = false;
  for (let k = 0, j = corners.length - 1; k < corners.length; j = k++) {
    const [[xk, yk], [xj, yj]] = [corners[k], corners[j]];
    if (yk > y !== yj > y && x < ((xj - xk) * (y - yk)) / (yj - yk) + xk) odd = !odd;
  }
  return odd;
}
