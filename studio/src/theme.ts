// Colours that the canvases share with the style sheet: safe for colour-blind readers (the palette of Okabe and Ito).

export type ThemeName = "light" | "dark" | "contrast";

export interface Theme {
  name: ThemeName;
  paper: string;
  ink: string;
  faint: string;
  grid: string;
  solid: string;
  flash: string;
  lines: string[];
  /** By mode code: OPEN, SLIP+, SLIP-, STICK, PRESSED. */
  modes: string[];
  shades: string[];
}

const MODES = ["#999999", "#E69F00", "#56B4E9", "#009E73", "#CC79A7"];
const LINES = ["#0072B2", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#D55E00"];

export const THEMES: Record<ThemeName, Theme> = {
  light: {
    name: "light", paper: "#ffffff", ink: "#1f2328", faint: "#6a737d", grid: "rgba(0,0,0,0.08)", solid: "#dddddd",
    flash: "#D55E00", lines: LINES, modes: MODES,
    shades: ["#f3f3f3", "#FBE6B8", "#CFE8F8", "#B5E3D3", "#F0D9E6"],
  },
  dark: {
    name: "dark", paper: "#15181c", ink: "#e8eaed", faint: "#9aa4af", grid: "rgba(255,255,255,0.10)", solid: "#3a4048",
    flash: "#FF8A3D", lines: ["#5CB8F2", "#3CCB9E", "#E69AC4", "#F2B63C", "#8FD3FA", "#FF8A3D"], modes: MODES,
    shades: ["#22262b", "#5a4511", "#1f4560", "#0d4b3a", "#57304a"],
  },
  contrast: {
    name: "contrast", paper: "#000000", ink: "#ffffff", faint: "#ffffff", grid: "rgba(255,255,255,0.28)", solid: "#666666",
    flash: "#FFD400", lines: ["#6FD0FF", "#4DFFC3", "#FF9AD5", "#FFC400", "#B4E6FF", "#FF7A1A"],
    modes: ["#bbbbbb", "#FFB000", "#6FD0FF", "#00E5A0", "#FF8CCB"],
    shades: ["#222222", "#7a5a00", "#1d5f8a", "#00734f", "#8a3f6a"],
  },
};

export const MODE_NAMES = ["OPEN", "SLIP+", "SLIP-", "STICK", "PRESSED"];

/** The theme the reader's machine asks for. */
export function preferred(): ThemeName {
  if (window.matchMedia?.("(prefers-contrast: more)").matches) return "contrast";
  return window.matchMedia?.("(prefers-color-scheme: dark)").matches ? "dark" : "light";
}
