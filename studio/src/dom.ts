// Small helpers for the page: elements, names as symbols, numbers as text.

type Child = Node | string | null | undefined;

/** An element with attributes and children; a key that starts with "on" is a listener. */
export function h<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Record<string, any> = {},
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  for (const [key, value] of Object.entries(attributes)) {
    if (key.startsWith("on")) element.addEventListener(key.slice(2), value);
    else if (value === true) element.setAttribute(key, "");
    else if (value !== false && value !== undefined && value !== null) element.setAttribute(key, String(value));
  }
  for (const child of children) if (child !== null && child !== undefined) element.append(child);
  return element;
}

const GREEK: Record<string, string> = {
  alpha: "α", beta: "β", gamma: "γ", delta: "δ", theta: "θ", phi: "φ", psi: "ψ", omega: "ω", mu: "μ", lambda: "λ",
  nu: "ν",
};

/** A Greek letter's name that is not part of a longer word. */
const GREEK_WORD = new RegExp(`(?<![A-Za-z])(${Object.keys(GREEK).join("|")})(?![A-Za-z])`, "g");

/** d_theta -> dθ/dt, omega -> ω, rod_theta -> rod_θ, as in the pictures of jounce.plot. */
export function symbol(name: string): string {
  if (name === "v_t" || name === "v_n") return name === "v_t" ? "vₜ" : "vₙ";
  if (name.startsWith("d_")) return `d${symbol(name.slice(2))}/dt`;
  return name.replace(GREEK_WORD, (word) => GREEK[word]);
}

const RAISED: Record<string, string> = { "-": "⁻", ".": "·", "0": "⁰", "1": "¹", "2": "²", "3": "³", "4": "⁴", "5": "⁵", "6": "⁶", "7": "⁷", "8": "⁸", "9": "⁹" };

/** m/s^2 -> m/s². */
export function unitText(unit: string): string {
  return unit.replace(/\^(-?[\d.]+)/g, (_, power: string) => [...power].map((digit) => RAISED[digit]).join(""));
}

export function label(name: string, unit: string): string {
  return unit ? `${symbol(name)} [${unitText(unit)}]` : symbol(name);
}

/** A number for reading: six digits at most, no needless zeros. */
export function shown(value: number | null | undefined, digits = 6): string {
  if (value === null || value === undefined || !Number.isFinite(value)) return "–";
  return String(Number(value.toPrecision(digits)));
}

/** A canvas that fills its parent at the resolution of the screen. */
export function fit(canvas: HTMLCanvasElement): { width: number; height: number; ratio: number } {
  const box = canvas.parentElement!.getBoundingClientRect();
  const ratio = window.devicePixelRatio || 1;
  const width = Math.max(1, Math.floor(box.width));
  const height = Math.max(1, Math.floor(box.height));
  if (canvas.width !== Math.round(width * ratio) || canvas.height !== Math.round(height * ratio)) {
    canvas.width = Math.round(width * ratio);
    canvas.height = Math.round(height * ratio);
    canvas.style.width = `${width}px`;
    canvas.style.height = `${height}px`;
  }
  return { width, height, ratio };
}

/** Round ticks that cover a span. */
export function ticks(low: number, high: number, count: number): number[] {
  const raw = (high - low) / Math.max(count, 1);
  if (!(raw > 0)) return [];
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = power * ([1, 2, 5, 10].find((factor) => factor * power >= raw) ?? 10);
  const found: number[] = [];
  for (let k = Math.ceil(low / step); k <= Math.floor(high / step + 1e-9); k++) found.push(k * step);
  return found;
}

/** Tick labels with as many digits as tell neighbours apart. */
export function tickLabel(value: number, step: number): string {
  const size = Math.abs(value);
  if (size < 1e-9 * step) return "0";
  if (size !== 0 && (size >= 1e6 || size < 1e-4)) {
    return value.toExponential(Math.max(0, Math.ceil(Math.log10(size / step) - 0.01)));
  }
  const digits = Math.max(0, Math.min(13, -Math.floor(Math.log10(step) + 1e-9)));
  const whole = Math.abs(step * 10 ** digits - Math.round(step * 10 ** digits)) < 1e-6; // 2.5 is a step, too
  return value.toFixed(whole ? digits : digits + 1);
}
