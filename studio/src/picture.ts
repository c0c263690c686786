// The picture of a diagram that fills: new points are added to those on the screen, each drawn once; all of them are
// drawn again only when the view, the colours or the size change. Behind it, faint, the picture before.

import type { Plane } from "./axes";
import { h } from "./dom";
import { Cloud, type Colouring, Painter, type View } from "./points";

const CAPACITY = 300_000; // beyond it the server sends a density picture
const MANY = 60_000; // points, from which on dots are smaller
const REST = 300; // ms after the end, before the picture is copied
const GHOST = "0.25"; // opacity of the picture before

export class Picture {
  points = 0;
  cloud: Cloud | null = null;
  painter: Painter | null = null;
  /** What the density picture covers; null while points are drawn. */
  density: View | null = null;
  private drawn = 0;
  private size = 0;
  private ghost = h("canvas", { class: "ghost" });
  private ghostView: View | null = null;
  private copied: View | null = null;
  private copyTimer = 0;

  constructor(private plane: Plane, private look: () => { palette: string[]; colouring: Colouring; ink: string }) {
    plane.under.before(this.ghost);
    this.ghost.style.opacity = GHOST;
  }

  /** A new diagram begins: what is on the screen stays behind it until it is complete. */
  begin(from: number, to: number, origin: number): void {
    this.painter ??= new Painter(this.plane.under);
    clearTimeout(this.copyTimer);
    this.ghostView = this.copied;
    this.cloud?.free();
    this.cloud = new Cloud(this.painter.gl, from, to, origin, CAPACITY);
    this.density = null;
    this.points = this.drawn = 0;
  }

  /** Kept for the diagram that follows; while that begins, a copy would wait for all drawing to end. */
  private copy(): void {
    const { under, view } = this.plane;
    [this.ghost.width, this.ghost.height] = [under.width, under.height];
    this.ghost.getContext("2d")!.drawImage(under, 0, 0);
    this.copied = { ...view };
  }

  add(x: Float32Array, y: Float32Array, kind: Uint8Array, period: Uint8Array, lane: number): void {
    if (this.density) {  // fewer than were foreseen: the points that the density picture stood for come after all
      this.density = null;
      this.drawn = 0;
    }
    this.cloud!.add(x, y, kind, period, lane);
    this.points = this.cloud!.count;
  }

  setDensity(bytes: Uint8Array, width: number, height: number, view: View, points: number): void {
    this.painter!.setDensity(bytes, width, height);
    this.density = view;
    this.points = points;
  }

  /** Whether nothing of the new diagram is on the screen yet. */
  get blank(): boolean {
    return this.drawn === 0 && !this.density;
  }

  /** Whether points wait to be drawn. */
  get behind(): boolean {
    return !!this.cloud && !this.density && this.drawn < this.cloud.count;
  }

  /** The lowest and the highest point so far. */
  get range(): [number, number] {
    const { low, high, origin } = this.cloud!;
    return [low + origin, high + origin];
  }

  /** All of it. */
  paint(): void {
    if (!this.painter) return;
    this.placeGhost();
    this.painter.erase();
    this.drawn = 0;
    this.size = (this.points > MANY ? 1.3 : 2) * this.plane.size.ratio;
    if (this.density) this.painter.drawDensity(this.density, this.plane.view, this.look().ink);
    else this.paintNew();
  }

  /** The points that have come since, over those that are there. */
  paintNew(): void {
    const { cloud, painter } = this;
    if (!cloud || !painter) return;
    const { palette, colouring } = this.look();
    painter.drawPoints(cloud, this.plane.view, palette, colouring, this.size, this.drawn);
    this.drawn = cloud.count;
  }

  /** Complete: the picture before goes. */
  finish(): void {
    this.ghostView = null;
    this.placeGhost();
    this.copyTimer = window.setTimeout(() => this.copy(), REST);
  }

  /** Nothing is on the screen. */
  clear(): void {
    this.cloud?.free();
    this.cloud = this.density = null;
    this.points = this.drawn = 0;
    this.finish();
    clearTimeout(this.copyTimer);
    this.copied = null;
  }

  private placeGhost(): void {
    const { style } = this.ghost;
    const [from, view] = [this.ghostView, this.plane.view];
    style.display = from ? "block" : "none";
    if (!from) return;
    const [across, up] = [view.x1 - view.x0, view.y1 - view.y0];
    style.left = `${(100 * (from.x0 - view.x0)) / across}%`;
    style.top = `${(100 * (view.y1 - from.y1)) / up}%`;
    style.width = `${(100 * (from.x1 - from.x0)) / across}%`;
    style.height = `${(100 * (from.y1 - from.y0)) / up}%`;
  }
}
