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

/** At most so many letters of a name: its beginning and its end, by which long names differ. */
export function shortened(text: string, letters: number): string {
  if (text.length <= letters) return text;
  const tail = Math.max(Math.floor(0.5 * (letters - 1)), 1);
  return `${text.slice(0, Math.max(letters - 1 - tail, 1))}…${text.slice(-tail)}`;
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

/** Labels of an axis: as many digits as tell neighbours apart, and one power of ten for all of very large or small ones. */
export function tickLabels(values: number[], step: number): string[] {
  const most = values.reduce((largest, value) => Math.max(largest, Math.abs(value)), 0);
  const power = most >= 1e6 || most < 1e-3 ? Math.floor(Math.log10(most) + 1e-9) : 0;
  const [unit, suffix] = power ? [step / 10 ** power, `e${power}`] : [step, ""];
  const digits = Math.max(0, Math.min(13, -Math.floor(Math.log10(unit) + 1e-9)));
  const whole = Math.abs(unit * 10 ** digits - Math.round(unit * 10 ** digits)) < 1e-6; // 2.5 is a step, too
  const text = (value: number) => `${(value / 10 ** power).toFixed(whole ? digits : digits + 1)}${suffix}`;
  return values.map((value) => (Math.abs(value) < 1e-9 * step ? "0" : text(value)));
}

/** A moment of a span as a clock shows it: three decimals, and more where the span is short. */
export function clockText(time: number, span: number): string {
  const decimals = Math.max(3, Math.ceil(3 - Math.log10(span)));
  return decimals <= 5 ? time.toFixed(decimals) : tickLabels([time, span], span / 1000)[0];
}
