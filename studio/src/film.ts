// A film without a server: one HTML file holds the frames that the server would have sent.

import { App } from "./app";
import type { WidgetModel } from "./link";
import { unpack } from "./messages";

/** Answers requests from frames kept in the page: request -> the frames of its answer. */
class KeptFrames implements WidgetModel {
  private listener: ((content: unknown, buffers: DataView[]) => void) | null = null;

  constructor(private frames: Record<string, string[]>) {}

  get(): undefined {
    return undefined;
  }

  on(event: string, callback: (...values: any[]) => void): void {
    if (event === "msg:custom") this.listener = callback;
  }

  send(request: any): void {
    for (const frame of this.frames[request.type] ?? []) {
      const bytes = Uint8Array.from(atob(frame), (letter) => letter.charCodeAt(0));
      const { content, buffers } = unpack(bytes.buffer);
      const panel = request.type === "open" ? "system" : request.type;
      setTimeout(() => this.listener?.({ ...content, id: request.id, panel }, buffers));
    }
  }
}

export function startFilm(element: HTMLElement): void {
  const { session, frames } = JSON.parse(document.getElementById("jounce-frames")!.textContent!);
  const app = new App(new KeptFrames(frames), element);
  app.offline = true;
  element.firstElementChild!.classList.add("film");
  app.open(session, false);
  (window as any).jounceStudio = app;
}
