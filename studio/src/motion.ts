// The Motion panel: bodies, histories, events and energy of one run.

import type { App, Panel } from "./app";
import { clockText, h, shown } from "./dom";
import { Energy } from "./energy";
import { History } from "./history";
import type { Message, SystemInfo, View } from "./messages";
import type { Session } from "./session";
import { Stage } from "./stage";
import type { Theme } from "./theme";

const SPEEDS = [0.05, 0.1, 0.25, 0.5, 1, 2, 5, 10];
/** How long a film usually is (s): of motions that are much shorter or longer the speeds are other powers of ten. */
const FILM = 40;
/** Endings that ask for nothing. */
const GOOD = ["FINISHED", "AT_REST", "STOPPED"];
/** A number in few letters. */
const brief = (value: number | null) => (value && Math.abs(value) < 1e-3 ? value.toExponential(1) : shown(value, 3));
/** Before and after, where both are there and differ. */
const change = (before: string, after: string) => (before === after || !after ? before : `${before}→${after}`);
/** What a column holds, where its title does not say. */
const MEANINGS: Record<string, string> = {
  what: "the contact, the reset or the guard",
  "vₙ": "normal velocity before and after", "pₙ": "normal impulse", "pₜ": "tangential impulse",
};
/** Title of a column -> its text in a row of the table. */
const COLUMNS: Record<string, (table: Record<string, any[]>, row: number) => string> = {
  "t [s]": (table, k) => shown(table.t[k], 7),
  kind: (table, k) => table.kind[k] ?? "",
  what: (table, k) => table.contact[k] ?? table.reset?.[k] ?? table.guard?.[k] ?? "",
  mode: (table, k) => change(table.mode_before[k] ?? "", table.mode_after[k] ?? ""),
  "vₙ": (table, k) => (table.contact[k] ? change(brief(table.v_n_before[k]), brief(table.v_n_after[k])) : ""),
  "pₙ": (table, k) => (table.contact[k] ? brief(table.p_n[k]) : ""),
  "pₜ": (table, k) => (table.contact[k] ? brief(table.p_t[k]) : ""),
};

const counted = (events: number) => (events === 1 ? "1 event" : `${events} events`);

export class MotionPanel implements Panel {
  readonly name = "motion";
  readonly title = "Motion";
  readonly element: HTMLElement;
  readonly stage = new Stage();
  readonly history = new History();
  private energy = new Energy();
  private scrubber = h("input", { type: "range", min: 0, max: 10000, step: 1, class: "scrubber", "aria-label": "time" });
  private clock = h("output", { class: "clock" });
  private playButton = h("button", { class: "play", title: "play or pause (space)", onclick: () => this.play(!this.playing) });
  private status = h("div", { class: "status", role: "status" });
  private legend = h("div", {});
  private choice = h("div", { class: "choice", role: "group", "aria-label": "variables shown" });
  private table = h("tbody");
  private caption = h("caption");
  private speed = h("select", { "aria-label": "speed", title: "speed of the film" });
  private follower = h("input", { type: "checkbox", checked: true });
  private span: [number, number] = [0, 1];
  private time = 0;
  private playing = false;
  private last = 0;
  private dragging = false;
  private settling = false;
  private fresh = true;
  private offered = "";
  /** The part of the histories that an opened session shows. */
  private wanted: [number, number] | null = null;
  private detailsTimer = 0;

  constructor(private app: App) {
    this.speed.addEventListener("change", () => {
      this.stage.speed = this.app.session.speed = Number(this.speed.value);
    });
    this.scrubber.addEventListener("input", () => {
      this.play(false);
      this.setTime(this.span[0] + (Number(this.scrubber.value) / 10000) * (this.span[1] - this.span[0]));
    });
    this.follower.addEventListener("change", () => {
      this.stage.trails = this.app.session.trails = this.follower.checked;
      this.stage.draw(this.time);
    });
    const transport = h(
      "div", { class: "transport" }, this.playButton, this.scrubber, this.clock, this.speed,
      h("label", { class: "check" }, this.follower, "trails"),
    );
    const head = h("tr", {}, ...Object.keys(COLUMNS).map((name) => h("th", { scope: "col", title: MEANINGS[name] }, name)));
    const events = h(
      "div", { class: "events", tabindex: 0 },
      h("table", {}, this.caption, h("thead", {}, head), this.table),
    );
    this.element = h(
      "section", { class: "panel motion", "aria-label": "Motion" },
      h("div", { class: "stage-box" }, this.stage.canvas),
      transport,
      h("div", { class: "history-side" }, h("div", { class: "history-bar" }, this.choice, this.legend), this.history.element),
      this.status,
      h("div", { class: "books" }, events, this.energy.element),
    );
    this.stage.onGrab = (grab, x, y) => app.offline || this.drag(grab, x, y);
    this.stage.canvas.addEventListener("pointerup", () => this.endDrag());
    this.history.onTime = (time) => {
      this.play(false);
      this.setTime(time);
    };
    this.history.onZoom = (from, to) => app.link.ask("window", "window", { from, to });
    app.link.on("motion", (content, arrays) => this.receive(content, arrays));
    app.link.on("window", (_, [times, states]) => this.history.refine(times as Float64Array, states as Float64Array));
    app.link.on("details", (content, arrays) => this.details(content, arrays));
    this.play(false);
  }

  system(info: SystemInfo): void {
    const names = [...info.state.map((knob) => knob.name), ...info.discrete];
    const coordinates = info.coordinates;
    const usual = coordinates.length === 1 ? [coordinates[0], `d_${coordinates[0]}`] : coordinates.slice(0, 3);
    const more = [...info.internal, ...info.discrete].slice(0, Math.max(1, 4 - usual.length));
    const wanted = this.app.session.variables.filter((name) => names.includes(name) || info.parameters.some((knob) => knob.name === name));
    this.history.chosen = wanted.length ? wanted : [...usual, ...more];
    this.app.session.variables = this.history.chosen;
    this.offered = "";
    this.stage.trails = this.follower.checked = this.app.session.trails;
    this.chooseSpeed(info.t_end);
    this.stage.choose(this.app.session.stage ?? null);
    this.time = this.app.session.time ?? this.app.session.t_start;
    this.wanted = this.app.session.view;
    this.fresh = true;
  }

  /** What is shown is the motion before the numbers that were refused. */
  failed(): void {
    this.element.classList.add("stale");
  }

  /** Speeds at which a motion of this length can be watched; that of the session, if it is one of them. */
  private chooseSpeed(length: number): void {
    const power = Math.round(Math.log10(length / FILM));
    const usual = Math.abs(power) <= 1 ? 1 : 10 ** power;
    const speeds = SPEEDS.map((factor) => Number((factor * usual).toPrecision(3)));
    if (!speeds.includes(this.app.session.speed)) this.app.session.speed = usual;
    this.speed.replaceChildren(...speeds.map((value) => h("option", { value }, `${usual === 1 ? value : value.toExponential()}×`)));
    this.stage.speed = this.app.session.speed;
    this.speed.value = String(this.stage.speed);
  }

  snapshot(session: Session): void {
    session.time = this.time;
    session.stage = this.stage.chosen();
    session.view = this.wanted ?? this.history.shownSpan();
  }

  /** Boxes for what the run has: an action makes a parameter one of them. */
  private offer(names: string[]): void {
    if (names.join() === this.offered) return;
    this.offered = names.join();
    this.choice.replaceChildren(
      ...names.map((name) => {
        const box = h("input", { type: "checkbox", "data-variable": name });
        box.checked = this.history.chosen.includes(name);
        box.addEventListener("change", () => {
          const next = names.filter((other) => (other === name ? box.checked : this.history.chosen.includes(other)));
          this.history.chosen = this.app.session.variables = next;
          this.history.build();
          this.history.setTime(this.time);
        });
        return h("label", { class: "check" }, box, this.app.symbol(name));
      }),
    );
  }

  theme(theme: Theme): void {
    this.stage.theme = this.history.theme = this.energy.theme = theme;
    this.redraw();
  }

  /** Draw everything anew, for another size or theme. */
  redraw(): void {
    if (!this.element.isConnected || this.element.hidden) return;
    this.history.build();
    this.history.setTime(this.time);
    this.energy.build();
    this.stage.draw(this.time);
    this.legend.replaceChildren(this.history.legend(this.app.info?.friction ?? []));
  }

  activate(): void {
    if (this.fresh) this.ask();
    else this.redraw();
  }

  /** What is shown is of other knobs. */
  stale(): void {
    this.fresh = true;
    this.time = this.app.session.t_start;
  }

  knob(done: boolean): void {
    this.ask(done);
  }

  /** Ask for the run; the newest wins. Once the hand rests the picture is framed anew. */
  ask(done = true): void {
    if (done) this.fresh = true;
    this.app.link.ask("motion", "motion", this.app.motionRequest());
  }

  private drag(grab: { shape: number; weights: number[] }, x: number, y: number): void {
    if (!this.dragging) {
      this.play(false);
      this.setTime(this.span[0]);
      this.dragging = true;
    }
    this.app.link.ask("motion", "drag", { ...this.app.motionRequest(), drag: { ...grab, target: [x, y] } });
  }

  /** The hand lets go: once the last answer to the drag is there, the picture is framed anew. */
  private endDrag(): void {
    if (!this.dragging) return;
    this.dragging = false;
    if (this.app.link.busy("motion")) this.settling = true;
    else this.ask();
  }

  receive(content: Message, arrays: View[]): void {
    const [times, states, frameTimes, frames, modes, hits, hitContacts, resets] = arrays;
    const info = this.app.info!;
    if (content.system !== info.name) return;
    this.app.clearError("motion");
    this.app.busy("motion", null);
    this.span = [content.t_start, content.t_end];
    if (content.dragged) this.app.setStart(content.start);
    const keep = !this.fresh || content.dragged;
    const zoomed = keep || this.history.zoomed();
    const film = {
      shapes: info.shapes, contacts: info.contacts, times: frameTimes as Float64Array, values: frames as Float32Array,
      modes: modes as Uint8Array, hits: hits as Float64Array, hitContacts: hitContacts as Uint8Array,
    };
    this.offer(content.variables.map(([name]: [string, string]) => name).filter((name: string) => !name.startsWith("integral_of_") && !name.startsWith("d_integral_of_")));
    this.stage.show(film, keep);
    this.history.show(
      {
        times: times as Float64Array, states: states as Float64Array, variables: content.variables,
        contacts: info.contacts, intervals: content.intervals, hits: film.hits, hitContacts: film.hitContacts,
        discrete: content.discrete, resets: resets as Float64Array, span: this.span,
      },
      zoomed, this.wanted,
    );
    this.wanted = null;
    if (this.fresh) this.legend.replaceChildren(this.history.legend(this.app.info?.friction ?? []));
    if (this.history.zoomed()) this.history.onZoom?.(...this.history["view"]);
    this.element.classList.remove("stale");
    this.status.className = GOOD.includes(content.status.name) ? "status" : "status warn";
    const delay = this.app.link.delays.get("motion") ?? 0;
    this.status.replaceChildren(
      h("b", {}, content.status.name), h("span", { class: "message", title: content.status.message }, content.status.message),
      h("span", { class: "cost" }, `${counted(content.events)} · ${(1000 * (content.seconds ?? 0)).toFixed(0)} ms to compute · ${delay.toFixed(0)} ms in all`),
    );
    this.element.dataset.final = JSON.stringify(content.final);
    this.element.dataset.start = JSON.stringify(content.start);
    this.element.dataset.serial = String(Number(this.element.dataset.serial ?? 0) + 1);
    if (!content.dragged) this.fresh = false;
    if (this.settling && !this.app.link.busy("motion")) {
      this.settling = false;
      this.ask();
    }
    this.setTime(Math.max(this.span[0], Math.min(this.span[1], this.time)));
    clearTimeout(this.detailsTimer);
    this.detailsTimer = window.setTimeout(() => this.app.link.ask("details", "details", {}), 120);
  }

  details(content: Message, arrays: View[]): void {
    const table: Record<string, any[]> = content.table;
    const rows = (table.t ?? []).map((t: number, k: number) => {
      const cells = Object.values(COLUMNS).map((text) => h("td", {}, text(table, k)));
      return h("tr", { tabindex: 0, "data-t": t, class: `event-${table.kind[k]}` }, ...cells);
    });
    this.table.replaceChildren(...rows);
    const more = content.rows > rows.length ? `, the first ${rows.length} shown` : "";
    this.caption.textContent = `${counted(content.rows)}${more}; a click goes there`;
    this.table.onclick = (event) => this.jump(event.target as HTMLElement);
    this.table.onkeydown = (event) => event.key === "Enter" && this.jump(event.target as HTMLElement);
    this.energy.show(content.ledger, content.energy_unit, arrays as Float64Array[]);
    this.legend.replaceChildren(this.history.legend(this.app.info?.friction ?? []));
    this.element.dataset.details = String(this.element.dataset.serial);
  }

  private jump(target: HTMLElement): void {
    const row = target.closest<HTMLElement>("tr[data-t]");
    if (!row) return;
    this.play(false);
    this.setTime(Number(row.dataset.t));
  }

  play(on: boolean): void {
    this.playing = on;
    this.playButton.textContent = on ? "❚❚" : "▶";
    this.playButton.setAttribute("aria-label", on ? "pause" : "play");
    if (!on) return;
    if (this.time >= this.span[1]) this.time = this.span[0];
    this.last = performance.now();
    requestAnimationFrame((now) => this.tick(now));
  }

  toggle(): void {
    this.play(!this.playing);
  }

  /** Pictures forwards or backwards, fifty of a second at the chosen speed. */
  nudge(pictures: number): void {
    this.play(false);
    const step = 0.02 * pictures * this.stage.speed;
    this.setTime(Math.max(this.span[0], Math.min(this.span[1], this.time + step)));
  }

  private tick(now: number): void {
    if (!this.playing || !this.element.isConnected) return;
    const next = this.time + ((now - this.last) / 1000) * this.stage.speed;
    this.last = now;
    if (next >= this.span[1]) {
      this.setTime(this.span[1]);
      this.play(false);
      return;
    }
    this.setTime(next);
    requestAnimationFrame((later) => this.tick(later));
  }

  setTime(time: number): void {
    this.time = time;
    this.scrubber.value = String((10000 * (time - this.span[0])) / Math.max(this.span[1] - this.span[0], 1e-300));
    this.clock.textContent = `t = ${clockText(time, this.span[1] - this.span[0])} s`;
    this.stage.draw(time);
    this.history.setTime(time);
  }
}
