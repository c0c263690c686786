// The energy ledger over time: where every joule came from and went.

import uPlot from "uplot";
import { h } from "./dom";
import { levels, moments, smooth } from "./history";
import type { Theme } from "./theme";

const TITLES: Record<string, string> = {
  kinetic: "kinetic", potential: "potential", elastic: "elastic", impact_loss: "lost in impacts",
  friction_loss: "lost to friction", applied_work: "applied work", surface_work: "work of surfaces",
  contact_loss: "lost in contacts", reset_work: "given by resets", residual: "residual",
};

export class Energy {
  readonly element = h("div", { class: "energy" });
  theme!: Theme;
  private plot: uPlot | null = null;
  private names: string[] = [];
  private unit = "";
  private arrays: Float64Array[] = [];

  /** The unit of energies is "" where the model's units do not say it. */
  show(names: string[], unit: string, arrays: Float64Array[]): void {
    this.names = names;
    this.unit = unit;
    this.arrays = arrays;
    this.build();
  }

  build(): void {
    this.plot?.destroy();
    this.plot = null;
    this.element.replaceChildren();
    if (!this.names.length) return;
    // columns that stay zero, but for rounding, say nothing; the residual always does
    const reach = (values: Float64Array) => values.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
    const largest = Math.max(...this.arrays.slice(1).map(reach));
    const kept = this.names.map((name, k) => [name, this.arrays[k + 1]] as const)
      .filter(([name, values]) => name === "residual" || reach(values) > 1e-9 * largest);
    const box = this.element.getBoundingClientRect();
    const grid = { stroke: () => this.theme.grid, width: 1 };
    const axis = { stroke: () => this.theme.ink, font: "11px system-ui", labelFont: "12px system-ui", grid, ticks: grid };
    const colour = (k: number) => (kept[k][0] === "residual" ? this.theme.ink : this.theme.lines[k % 6]);
    const legend = h("div", { class: "legend" });
    kept.forEach(([name, values], k) => {
      const box = h("i");
      box.style.background = colour(k);
      let worst = 0;
      if (name === "residual") for (const value of values) worst = Math.max(worst, Math.abs(value));
      const note = name === "residual" ? ` (at most ${[worst.toExponential(1), this.unit].join(" ").trim()})` : "";
      legend.append(h("span", {}, box, (TITLES[name] ?? name) + note));
    });
    this.element.append(legend);
    const height = Math.max(60, box.height - legend.getBoundingClientRect().height - 12);
    const data = [this.arrays[0], ...kept.map(([, values]) => values)] as unknown as uPlot.AlignedData;
    this.plot = new uPlot(
      {
        width: box.width - 14, height, legend: { show: false }, padding: [6, 12, 0, 0],
        cursor: { points: { show: false }, y: false, drag: { x: true, y: false } },
        scales: { x: { time: false } },
        series: [{}, ...kept.map((_, k) => ({ stroke: colour(k), width: 1.4, pxAlign: 0, points: { show: false }, paths: smooth }))],
        axes: [
          { ...axis, size: 32, label: "t [s]", labelSize: 13, gap: 2, values: moments },
          { ...axis, size: 58, label: this.unit ? `energy [${this.unit}]` : "energy", labelSize: 16, gap: 2, space: 26, values: levels },
        ],
      },
      data, this.element,
    );
  }
}
