// A knob: name with unit, slider, exact entry. The entry may leave the slider's range, which is then wider as long.

import { h, shortened, shown, symbol, unitText } from "./dom";
import type { Knob } from "./messages";

let serial = 0;
const LETTERS = 15; // of a knob's name and unit, in their 100 pixels

/** A number as it is, without the last bit of rounding that makes 0.15000000000000002 of 0.15. */
function neat(value: number): string {
  const near = String(Number(value.toPrecision(15)));
  return near.length < 12 ? near : String(value);
}

export class KnobRow {
  readonly element: HTMLElement;
  private slider: HTMLInputElement;
  private entry: HTMLInputElement;
  private knob: Knob;

  constructor(private usual: Knob, value: number, change: (value: number, done: boolean) => void) {
    const knob = (this.knob = usual);
    const id = `knob-${serial++}`;
    this.slider = h("input", { type: "range", id, min: 0, max: 1000, step: 1, "data-knob": knob.name });
    this.entry = h("input", { type: "number", step: "any", "aria-label": `${knob.name}, exact value`, "data-entry": knob.name });
    const title = `${knob.text || knob.name}; default ${shown(knob.value)}${knob.unit ? " " + unitText(knob.unit) : ""}. Double-click: default`;
    const unit = knob.unit ? ` [${unitText(knob.unit)}]` : "";
    const name = h("label", { for: id, title }, shortened(symbol(knob.name), Math.max(LETTERS - unit.length, 6)) + unit);
    this.element = h("div", { class: "knob", title }, name, this.slider, this.entry);
    this.slider.addEventListener("input", () => {
      const part = Number(this.slider.value) / 1000;
      const value = Number((this.knob.low + part * (this.knob.high - this.knob.low)).toPrecision(5));
      this.entry.value = String(value);
      change(value, false);
    });
    this.slider.addEventListener("change", () => change(Number(this.entry.value), true));
    this.entry.addEventListener("change", () => {
      const value = Number(this.entry.value);
      if (this.entry.value === "" || !Number.isFinite(value)) return;
      this.set(value);
      change(value, true);
    });
    name.addEventListener("dblclick", () => {
      this.set(knob.value);
      change(knob.value, true);
    });
    this.set(value);
  }

  set(value: number): void {
    const { low, high } = this.usual;
    this.knob = { ...this.knob, low: Math.min(low, value), high: Math.max(high, value) };
    this.entry.value = neat(value);
    this.slider.value = String((1000 * (value - this.knob.low)) / (this.knob.high - this.knob.low));
    this.slider.setAttribute("aria-valuetext", shown(value));
  }
}

/** A choice among words. */
export function select(
  name: string, options: string[], value: string, change: (value: string) => void,
): HTMLSelectElement {
  const element = h("select", { "aria-label": name, "data-select": name, onchange: () => change(element.value) });
  for (const option of options) element.append(h("option", { value: option }, symbol(option)));
  element.value = value;
  return element;
}

/** A number with a name. */
export function numberEntry(
  name: string, text: string, value: number, change: (value: number) => void, step = "any",
): HTMLElement {
  const entry = h("input", { type: "number", step, "data-entry": name, "aria-label": text });
  entry.value = String(value);
  entry.addEventListener("change", () => {
    const given = Number(entry.value);
    if (entry.value !== "" && Number.isFinite(given)) change(given);
  });
  return h("label", { class: "field" }, h("span", {}, text), entry);
}
