// Branches of orbits over a diagram: stable parts solid, unstable ones dashed, bifurcations marked.

import type { Plane } from "./axes";

export interface Branch {
  number: number;
  values: Float64Array;
  stable: Uint8Array;
  curves: Float64Array;
  rows: number;
  specials: { kind: string; value: number; y: number[]; text: string }[];
}

export class BranchLayer {
  branches: Branch[] = [];

  constructor(private plane: Plane) {
    plane.decorate = (c, px, py) => this.draw(c, px, py);
  }

  /** The orbit under the pointer. */
  near(x: number, y: number): { branch: number; index: number } | null {
    const { width, height } = this.plane.inner();
    const { x0, x1, y0, y1 } = this.plane.view;
    let found: { branch: number; index: number } | null = null;
    let least = 7;
    for (const branch of this.branches) {
      branch.values.forEach((value, k) => {
        for (let row = 0; row < branch.rows; row++) {
          const far = Math.hypot(((value - x) / (x1 - x0)) * width, ((branch.curves[row * branch.values.length + k] - y) / (y1 - y0)) * height);
          if (far < least) [least, found] = [far, { branch: branch.number, index: k }];
        }
      });
    }
    return found;
  }

  private draw(c: CanvasRenderingContext2D, px: (x: number) => number, py: (y: number) => number): void {
    const { theme } = this.plane;
    for (const branch of this.branches) {
      const count = branch.values.length;
      for (let row = 0; row < branch.rows; row++) {
        for (let k = 0; k + 1 < count; k++) {
          const [a, b] = [branch.curves[row * count + k], branch.curves[row * count + k + 1]];
          if (!Number.isFinite(a + b)) continue;
          c.beginPath();
          c.setLineDash(branch.stable[k] && branch.stable[k + 1] ? [] : [5, 4]);
          c.lineWidth = 2;
          c.strokeStyle = theme.flash;
          c.moveTo(px(branch.values[k]), py(a));
          c.lineTo(px(branch.values[k + 1]), py(b));
          c.stroke();
        }
      }
      c.setLineDash([]);
      for (const special of branch.specials) this.mark(c, special, px, py);
    }
  }

  private mark(
    c: CanvasRenderingContext2D, special: Branch["specials"][number], px: (x: number) => number,
    py: (y: number) => number,
  ): void {
    const { theme } = this.plane;
    c.fillStyle = theme.paper;
    c.strokeStyle = theme.ink;
    c.lineWidth = 1.8;
    special.y.forEach((y, k) => {
      const [x, v] = [px(special.value), py(y)];
      c.beginPath();
      if (special.kind.startsWith("period")) c.rect(x - 4.5, v - 4.5, 9, 9);
      else if (special.kind === "fold") c.arc(x, v, 5, 0, 2 * Math.PI);
      else {
        c.moveTo(x, v - 6);
        c.lineTo(x + 6, v + 5);
        c.lineTo(x - 6, v + 5);
        c.closePath();
      }
      c.fill();
      c.stroke();
      if (k > 0) return;
      c.font = "12px system-ui, sans-serif";
      c.textAlign = "left";
      c.textBaseline = "middle";
      c.lineWidth = 3;
      c.strokeStyle = theme.paper;
      c.strokeText(special.kind, x + 9, v - 9);
      c.fillStyle = theme.ink;
      c.fillText(special.kind, x + 9, v - 9);
      c.fillStyle = theme.paper;
      c.strokeStyle = theme.ink;
      c.lineWidth = 1.8;
    });
  }
}
