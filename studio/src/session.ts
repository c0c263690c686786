// Everything on the screen as plain data: the file, the link, and what the server is asked.

import type { SystemInfo } from "./messages";
import type { ThemeName } from "./theme";

export interface DiagramSession {
  parameter: string;
  from: number;
  to: number;
  section: string;
  quantity: string;
  direction: string;
  transient: number;
  keep: number;
  values: number;
  colour: string;
  low: number | null;
  high: number | null;
  /** Starts that are followed beside the one of the knobs. */
  starts: { start: Record<string, number> }[];
  /** Where the lanes of a zoomed view begin; null: at the start of the knobs. */
  lanes: { direction: string; value: number; state: Record<string, number> }[] | null;
  /** Of the branches that lie over it. */
  branches: Seed[];
}

export interface BasinsSession {
  x: string;
  y: string;
  xFrom: number;
  xTo: number;
  yFrom: number;
  yTo: number;
  section: string;
  transient: number;
  size: number;
}

/** A periodic orbit by which a branch was found. */
export interface Seed {
  value: number;
  state: Record<string, number>;
  period: number;
}

/** A Painlevé map: one contact over two variables of the state. */
export interface MapSession {
  x: string;
  y: string;
  xFrom: number;
  xTo: number;
  yFrom: number;
  yTo: number;
  contact: string;
}

export interface ImpactSession {
  A: number;
  B: number;
  C: number;
  v_t: number;
  v_n: number;
  mu: number;
  e: number;
  /** null: no contact of the system has friction. */
  map: MapSession | null;
}

/** The middle of the stage, and pixels a metre. */
export interface StageView {
  x: number;
  y: number;
  scale: number;
}

export interface Session {
  jounce_studio: 1;
  system: string;
  parameters: Record<string, number>;
  start: Record<string, number>;
  t_start: number;
  t_end: number;
  options: { law?: string; tolerance?: number };
  /** The text of a model of one's own; null: a system that the studio knows by its name. */
  model: string | null;
  /** What events set in the motion: value is the text of an expression. */
  on: { event: string; name: string; value: string }[];
  panel: string;
  variables: string[];
  speed: number;
  trails: boolean;
  /** The colours that were chosen; null: those that the reader's machine asks for. */
  theme: ThemeName | null;
  /** What of the stage is seen; null: all that moves. */
  stage: StageView | null;
  /** The moment on the stage; null: the beginning. */
  time: number | null;
  /** The part of the time histories that is shown; null: all. */
  view: [number, number] | null;
  diagram: DiagramSession | null;
  basins: BasinsSession | null;
  impact: ImpactSession | null;
}

/** The diagram to begin with: over the frequency, if there is one. */
export function firstDiagram(info: SystemInfo): DiagramSession | null {
  const wanted = info.parameters.find((knob) => knob.name === "omega") ?? info.parameters[0];
  if (!wanted) return null;
  const value = wanted.value || 1;
  const [from, to] = [Number((0.75 * value).toPrecision(2)), Number((1.6 * value).toPrecision(2))].sort((a, b) => a - b);
  return {
    parameter: wanted.name, from, to, section: info.sections[0] ?? "", quantity: info.usual, direction: "up",
    transient: 300, keep: 60, values: 0, colour: "kind", low: null, high: null, starts: [], lanes: null, branches: [],
  };
}

export function newSession(system: string): Session {
  return {
    jounce_studio: 1, system, model: null, on: [], parameters: {}, start: {}, t_start: 0, t_end: 10, options: {}, panel: "motion",
    variables: [], speed: 1, trails: true, theme: null, stage: null, time: null, view: null, diagram: null, basins: null, impact: null,
  };
}

/** The session of a link's fragment, or null. The server checks it before anything is used. */
export function sessionOfLink(fragment: string): unknown {
  const text = /^#s=([A-Za-z0-9_-]+)$/.exec(fragment)?.[1];
  if (!text) return null;
  try {
    const bytes = Uint8Array.from(atob(text.replace(/-/g, "+").replace(/_/g, "/")), (letter) => letter.charCodeAt(0));
    return JSON.parse(new TextDecoder().decode(bytes));
  } catch {
    return null;
  }
}

export function linkOfSession(session: Session): string {
  const bytes = new TextEncoder().encode(JSON.stringify(session));
  const text = btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""));
  return "#s=" + text.replace(/\+/g, "-").replace(/\//g, "_").replace(/=+$/, "");
}
