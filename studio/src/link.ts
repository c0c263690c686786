// The link to the server: requests with numbers, answers by kind.
//
// Requests of a panel that answer with one message (a moved slider) are not piled up: while one is on its way only the
// newest of the others is kept. The server ends an older job of the same panel by itself.

import { type Message, type View, unpack, views } from "./messages";

/** The part of an anywidget model that is used. */
export interface WidgetModel {
  send(content: unknown, callbacks?: unknown, buffers?: ArrayBuffer[]): void;
  on(event: string, callback: (...values: any[]) => void): void;
  get(key: string): any;
}

export type Answer = (content: Message, arrays: View[]) => void;

export class Link {
  private next = 1;
  private waiting = new Map<string, { id: number; sent: number }>();
  private pending = new Map<string, [string, object]>();
  private answers = new Map<string, Answer>();
  private latest = new Map<string, number>();
  /** Milliseconds from the last request of a panel to its answer. */
  readonly delays = new Map<string, number>();

  constructor(private model: WidgetModel) {
    model.on("msg:custom", (content: Message, buffers: DataView[]) => this.receive(content, buffers));
  }

  on(kind: string, answer: Answer): void {
    this.answers.set(kind, answer);
  }

  /** Ask, or remember to ask once the panel's present request is answered. */
  ask(panel: string, kind: string, content: object): void {
    if (this.waiting.has(panel)) {
      this.pending.set(panel, [kind, content]);
      return;
    }
    this.waiting.set(panel, { id: this.next, sent: performance.now() });
    this.send(panel, kind, content);
  }

  /** Whether an answer is still to come. */
  busy(panel: string): boolean {
    return this.waiting.has(panel) || this.pending.has(panel);
  }

  /** Start a stream: the server ends the one before it. */
  stream(panel: string, kind: string, content: object): void {
    this.waiting.set(panel, { id: this.next, sent: performance.now() });
    this.send(panel, kind, content);
  }

  cancel(panel: string): void {
    this.model.send({ type: "cancel", panel, id: 0 });
    this.latest.delete(panel);
  }

  /** Forget what was on its way: the server is gone. */
  reset(): void {
    this.waiting.clear();
    this.pending.clear();
  }

  private send(panel: string, kind: string, content: object): void {
    const id = this.next++;
    this.latest.set(panel, id);
    this.model.send({ ...content, type: kind, id });
  }

  private receive(content: Message, buffers: DataView[]): void {
    const panel = content.panel ?? "";
    const waiting = this.waiting.get(panel);
    if (waiting && waiting.id === content.id && content.type !== "progress") {
      this.waiting.delete(panel);
      this.delays.set(panel, performance.now() - waiting.sent);
    }
    const stale = content.id !== undefined && content.id >= 0 && panel !== "" && content.id !== this.latest.get(panel);
    if (!stale) this.answers.get(content.type)?.(content, views(content, buffers));
    const following = this.pending.get(panel);
    if (following && !this.waiting.has(panel)) {
      this.pending.delete(panel);
      this.ask(panel, ...following);
    }
  }
}

/** A WebSocket in the form of an anywidget model; it connects again when the server comes back. */
export class SocketModel implements WidgetModel {
  private socket: WebSocket | null = null;
  private listeners = new Map<string, ((...values: any[]) => void)[]>();
  private pause = 250;

  constructor(private address: string) {
    this.connect();
  }

  on(event: string, callback: (...values: any[]) => void): void {
    this.listeners.set(event, [...(this.listeners.get(event) ?? []), callback]);
  }

  get(): undefined {
    return undefined;
  }

  send(content: unknown): void {
    if (this.socket?.readyState === WebSocket.OPEN) this.socket.send(JSON.stringify(content));
  }

  private tell(event: string, ...values: unknown[]): void {
    for (const callback of this.listeners.get(event) ?? []) callback(...values);
  }

  /** Why there is no connection: a server that is there but refuses has another token. */
  private async explain(): Promise<void> {
    try {
      const answer = await fetch(location.pathname, { cache: "no-store" });
      if (answer.status === 403) this.tell("refused");
    } catch {
      // nobody there: the page says so already
    }
  }

  private connect(): void {
    const socket = new WebSocket(this.address);
    socket.binaryType = "arraybuffer";
    let greeted = false; // a server that has no place opens the connection to say so
    socket.onmessage = (event) => {
      if (!greeted) this.tell("connected");
      greeted = true;
      this.pause = 250;
      const { content, buffers } = unpack(event.data);
      this.tell("msg:custom", content, buffers);
    };
    socket.onclose = ({ reason }) => {
      this.tell("disconnected", reason);
      void this.explain();
      setTimeout(() => this.connect(), this.pause);
      this.pause = Math.min(2 * this.pause, 4000);
    };
    this.socket = socket;
  }
}
