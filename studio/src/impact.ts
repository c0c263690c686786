// The Impact panel: one impact under every law side by side, and the Painlevé map of the system.

import type { App, Panel } from "./app";
import { Plane } from "./axes";
import { KnobRow, select } from "./controls";
import { fit, h, label, shown } from "./dom";
import type { Knob, Message, SystemInfo } from "./messages";
import type { ImpactSession, MapSession, Session } from "./session";
import type { View } from "./points";
import type { Theme } from "./theme";

const KNOBS: Knob[] = [
  { name: "A", unit: "1/kg", text: "W_T·M⁻¹·W_T", value: 2.3, low: 0.1, high: 6 },
  { name: "B", unit: "1/kg", text: "W_T·M⁻¹·W_N: couples slip and approach", value: -0.7, low: -3, high: 3 },
  { name: "C", unit: "1/kg", text: "W_N·M⁻¹·W_N", value: 1.4, low: 0.1, high: 6 },
  { name: "v_t", unit: "m/s", text: "slip velocity before", value: 1, low: -3, high: 3 },
  { name: "v_n", unit: "m/s", text: "normal velocity before, negative: approaching", value: -1, low: -3, high: 0 },
  { name: "mu", unit: "", text: "friction", value: 0.9, low: 0, high: 2 },
  { name: "e", unit: "", text: "restitution", value: 0.5, low: 0, high: 1 },
];
const MOTIONS: Record<string, number> = { "slip+": 1, "slip-": 2, stick: 3 };
const MODES = ["not reachable", "flight", "sliding", "indeterminate", "inconsistent"];
const SHADES = ["#00000000", "#BFC5CB", "#62C4A3", "#F3C566", "#D55E00"];
const MARKS: Record<string, string> = { saddle: "✕", "stable node": "■", "unstable node": "●", degenerate: "◆" };

/** The first contact with friction over an angle and its rate, if there is one. */
function firstMap(info: SystemInfo): MapSession | null {
  const contact = info.contacts.find((_, k) => info.friction[k]);
  if (contact === undefined) return null;
  const angle = info.state.find((knob) => knob.unit === "rad") ?? info.state[0];
  const rate = info.state.find((knob) => knob.name === `d_${angle.name}`)!;
  const [{ low: xFrom, high: xTo }, { low: yFrom, high: yTo }] = [angle, rate];
  return { x: angle.name, y: rate.name, xFrom, xTo, yFrom, yTo, contact };
}

/** Whether a map is one of this system: the page may have shown another one before. */
function fits(map: MapSession, info: SystemInfo): boolean {
  const known = [map.x, map.y].every((name) => info.state.some((knob) => knob.name === name));
  return known && info.contacts.some((name, k) => name === map.contact && info.friction[k]);
}

function viewOf({ xFrom, xTo, yFrom, yTo }: MapSession): View {
  return { x0: xFrom, x1: xTo, y0: yFrom, y1: yTo };
}

export class ImpactPanel implements Panel {
  readonly name = "impact";
  readonly title = "Impact";
  readonly element: HTMLElement;
  private knobs = h("div", { class: "impact-knobs" });
  private pathKey = h("div", { class: "legend" });
  private grid = h("div", { class: "laws" });
  private map = new Plane();
  private mapTitle = h("h2", {});
  private mapBar = h("div", { class: "bar" });
  private mapNote = h("div", { class: "note" });
  private mapKey = h("div", { class: "legend" });
  private image: ({ bitmap: HTMLCanvasElement } & View) | null = null;
  private singular: { x: number; y: number; kind: string }[] = [];
  private look!: Theme;
  private laws: any[] = [];
  private stale = true;

  constructor(private app: App) {
    this.element = h(
      "section", { class: "panel impact", "aria-label": "Impact" },
      h("div", { class: "impact-side" }, h("h2", {}, "One impact"), this.knobs, this.pathKey,
        this.mapTitle, this.mapBar, this.map.element, this.mapKey, this.mapNote),
      this.grid,
    );
    app.link.on("impact", (content) => this.show(content));
    app.link.on("painleve", (content, arrays) => this.showMap(content, arrays[0] as Uint8Array));
    this.map.decorate = (c, px, py) => this.drawMap(c, px, py);
    this.map.onView = () => this.askMap();
    this.map.onReset = () => this.wholeMap();
    this.map.onTyped = ({ x0, x1, y0, y1 }) => {
      Object.assign(this.session.map!, { xFrom: x0, xTo: x1, yFrom: y0, yTo: y1 });
      this.wholeMap();
    };
  }

  private get session(): ImpactSession {
    return this.app.session.impact!;
  }

  system(info: SystemInfo): void {
    const chosen = this.app.session.impact;
    const numbers = Object.fromEntries(KNOBS.map((knob) => [knob.name, knob.value]));
    const map = chosen?.map && fits(chosen.map, info) ? chosen.map : firstMap(info);
    this.app.session.impact = { ...numbers, ...chosen, map } as ImpactSession;
    const rows = KNOBS.map((knob) => {
      const name = knob.name as Exclude<keyof ImpactSession, "map">;
      return new KnobRow({ ...knob }, this.session[name], (value) => {
        this.session[name] = value;
        this.ask();
      }).element;
    });
    for (const row of rows) {
      for (const input of row.querySelectorAll<HTMLElement>("[data-knob], [data-entry]")) {
        for (const key of ["knob", "entry"]) if (input.dataset[key]) input.dataset[key] = `impact-${input.dataset[key]}`;
      }
    }
    this.knobs.replaceChildren(...rows);
    this.stale = true;
    this.mapNote.textContent = "";
    this.makeMapBar(info);
  }

  snapshot(session: Session): void {
    if (!session.impact?.map || !this.image) return;
    const { x0, x1, y0, y1 } = this.map.view;
    Object.assign(session.impact.map, { xFrom: x0, xTo: x1, yFrom: y0, yTo: y1 });
  }

  private makeMapBar(info: SystemInfo): void {
    const s = this.session.map;
    this.image = null;
    this.singular = [];
    this.mapTitle.replaceChildren("Painlevé map of the system");
    this.mapBar.replaceChildren();
    this.mapKey.replaceChildren();
    this.map.element.hidden = !s;
    if (!s) return;
    const knob = (name: string) => info.state.find((entry) => entry.name === name)!;
    this.map.view = viewOf(s);
    this.map.xLabel = label(s.x, knob(s.x).unit);
    this.map.yLabel = label(s.y, knob(s.y).unit);
    const names = info.state.map((entry) => entry.name);
    const choose = (key: "x" | "y") => (name: string) => {
      const { low, high } = knob(name);
      Object.assign(s, { [key]: name, [`${key}From`]: low, [`${key}To`]: high });
      this.makeMapBar(info);
      this.wholeMap();
    };
    const contact = select("map contact", info.contacts.filter((_, k) => info.friction[k]), s.contact, (name) => {
      s.contact = name;
      this.askMap();
    });
    this.mapTitle.append(", contact ", contact);
    this.mapBar.replaceChildren(
      h("label", { class: "field" }, h("span", {}, "across"), select("map x", names, s.x, choose("x"))),
      this.map.edgeEntry("x0", "map-x0", "from"), this.map.edgeEntry("x1", "map-x1", "to"),
      h("label", { class: "field" }, h("span", {}, "up"), select("map y", names, s.y, choose("y"))),
      this.map.edgeEntry("y0", "map-y0", "from"), this.map.edgeEntry("y1", "map-y1", "to"),
    );
  }

  private wholeMap(): void {
    if (this.session.map) this.map.setView(viewOf(this.session.map), true);
  }

  theme(theme: Theme): void {
    this.look = this.map.theme = theme;
    const entry = (colour: string, text: string) => {
      const box = h("i");
      box.style.background = colour;
      return h("span", {}, box, text);
    };
    this.pathKey.replaceChildren(
      entry(theme.modes[1], "slip+"), entry(theme.modes[2], "slip−"), entry(theme.modes[3], "stick"),
      h("span", {}, "dotted: vₜ = 0"), h("span", {}, "dashed: vₙ = 0"), h("span", {}, "grey: friction cone"),
      h("span", {}, "path: solid in compression, broken in restitution"),
    );
    this.draw();
  }

  redraw(): void {
    this.draw();
  }

  activate(): void {
    if (this.stale) {
      this.stale = false;
      this.ask();
      this.askMap();
    } else this.draw();
  }

  knob(): void {
    this.askMap();
  }

  private ask(): void {
    this.app.link.ask("impact", "impact", Object.fromEntries(KNOBS.map((knob) => [knob.name, this.session[knob.name as keyof ImpactSession]])));
  }

  private askMap(): void {
    const map = this.session.map;
    if (!map) {
      this.mapNote.textContent = "No contact of this system has friction, so nothing jams: there is no map.";
      this.draw();
      return;
    }
    const { x0, x1, y0, y1 } = this.map.view;
    const { system, parameters, start, t_start } = this.app.session;
    this.app.link.ask("painleve", "painleve", { system, parameters, start, t_start, ...map, xFrom: x0, xTo: x1, yFrom: y0, yTo: y1, points: 160 });
  }

  private show(content: Message): void {
    this.app.clearError("impact");
    this.laws = content.laws;
    this.draw();
    this.element.dataset.laws = JSON.stringify(content.laws.map((row: any) => [row.law, row.v_t, row.v_n]));
    this.element.dataset.serial = String(Number(this.element.dataset.serial ?? 0) + 1);
  }

  private showMap(content: Message, modes: Uint8Array): void {
    this.app.clearError("painleve");
    const n = content.points as number;
    const bitmap = h("canvas", { width: n, height: n });
    const c = bitmap.getContext("2d")!;
    modes.forEach((mode, k) => {
      c.fillStyle = SHADES[mode];
      c.fillRect(Math.floor(k / n), n - 1 - (k % n), 1, 1);
    });
    this.image = { bitmap, ...viewOf(content as unknown as MapSession) };
    this.singular = content.singular;
    const seen = [...new Set(modes)].sort();
    this.mapKey.replaceChildren(...seen.filter(Boolean).map((mode) => {
      const box = h("i");
      box.style.background = SHADES[mode];
      return h("span", {}, box, MODES[mode]);
    }), ...[...new Set(this.singular.map((point) => point.kind))].map((kind) => h("span", {}, `${MARKS[kind] ?? "◆"} ${kind}`)));
    this.element.dataset.map = JSON.stringify(seen);
    if (this.singular.length) this.element.dataset.singular = JSON.stringify(this.singular);
    else delete this.element.dataset.singular;
    this.map.draw();
  }

  private drawMap(c: CanvasRenderingContext2D, px: (x: number) => number, py: (y: number) => number): void {
    if (!this.image) return;
    const { bitmap, x0, x1, y0, y1 } = this.image;
    c.imageSmoothingEnabled = false;
    c.drawImage(bitmap, px(x0), py(y1), px(x1) - px(x0), py(y0) - py(y1));
    c.font = "15px system-ui, sans-serif";
    c.textAlign = "center";
    c.textBaseline = "middle";
    c.fillStyle = "#000000";
    for (const point of this.singular) c.fillText(MARKS[point.kind] ?? "◆", px(point.x), py(point.y));
  }

  private draw(): void {
    if (!this.look || this.element.hidden) return;
    this.map.draw();
    const reach = { n: 0, t: 0 };
    for (const law of this.laws) for (const [t, n] of law.path ?? []) {
      reach.n = Math.max(reach.n, n);
      reach.t = Math.max(reach.t, Math.abs(t));
    }
    if (!reach.n && !reach.t) reach.n = 1; // nothing happens under any law
    this.grid.replaceChildren(...this.laws.map((law) => this.card(law)));
    this.laws.forEach((law, k) => law.path && this.path(this.grid.children[k].querySelector("canvas")!, law, reach));
  }

  private card(law: any): HTMLElement {
    const title = h("h3", {}, String(law.law).replaceAll("_", " "));
    if (law.error) return h("div", { class: "law" }, title, h("p", { class: "about" }, law.error));
    const text = `vₜ ${shown(law.v_t, 3)}, vₙ ${shown(law.v_n, 3)}, loss ${shown(law.energy_loss, 3)} J`;
    const gain = law.added_energy ? h("b", { class: "gain" }, " adds energy!") : null;
    return h("div", { class: "law", title: law.region_name }, title, h("div", { class: "law-box" }, h("canvas")), h("p", {}, text, gain), h("p", { class: "about" }, law.region_name));
  }

  /** The impulse plane: p_t across, p_n up; the friction cone and the lines on which slip and approach vanish. */
  private path(canvas: HTMLCanvasElement, law: any, reach: { n: number; t: number }): void {
    const { width, height, ratio } = fit(canvas);
    const c = canvas.getContext("2d")!;
    const theme = this.look;
    c.setTransform(ratio, 0, 0, ratio, 0, 0);
    c.clearRect(0, 0, width, height);
    const scale = Math.min((height - 22) / (1.12 * reach.n), (width - 16) / (2.5 * reach.t));
    const px = (t: number) => width / 2 + t * scale;
    const py = (n: number) => height - 14 - n * scale;
    const { A, B, C, v_t, v_n, mu } = law.inputs;
    const far = (2 * (width + height)) / scale;
    const line = (points: [number, number][], colour: string, dash: number[], thick: number) => {
      c.beginPath();
      points.forEach(([t, n]) => c.lineTo(px(t), py(n)));
      c.strokeStyle = colour;
      c.setLineDash(dash);
      c.lineWidth = thick;
      c.stroke();
      c.setLineDash([]);
    };
    c.beginPath();
    for (const [t, n] of [[0, 0], [mu * far, far], [-mu * far, far]]) c.lineTo(px(t), py(n));
    c.fillStyle = theme.grid;
    c.fill();
    // v_t + A p_t + B p_n = 0 and v_n + B p_t + C p_n = 0
    const zero = (a: number, b: number, v: number): [number, number][] =>
      Math.abs(a) > Math.abs(b) ? [[(-v - b * far) / a, far], [(-v + b * far) / a, -far]] : [[-far, (-v + a * far) / b], [far, (-v - a * far) / b]];
    line(zero(A, B, v_t), theme.modes[3], [2, 3], 1.2);
    line(zero(B, C, v_n), theme.faint, [6, 3], 1.2);
    line([[-far, 0], [far, 0]], theme.ink, [], 1);
    law.phases.forEach((phase: any, k: number) => {
      const colour = phase.motion in MOTIONS ? theme.modes[MOTIONS[phase.motion]] : theme.ink;
      const dash = phase.stage === "compression" || phase.stage === "impact" ? [] : [7, 3];
      line([law.path[k], law.path[k + 1]].map(([t, n]: number[]) => [t, n] as [number, number]), colour, dash, 3.5);
    });
    c.fillStyle = theme.ink;
    for (const [t, n] of law.path) {
      c.beginPath();
      c.arc(px(t), py(n), 3, 0, 2 * Math.PI);
      c.fill();
    }
    c.font = "11px system-ui, sans-serif";
    c.textAlign = "right";
    c.fillText("pₜ", width - 4, height - 3);
    c.textAlign = "left";
    c.fillText("pₙ", width / 2 + 4, 11);
  }
}
