// What the server says, and how its binary buffers become typed arrays.

export type View = Float64Array | Float32Array | Int32Array | Uint8Array;

export interface Message {
  type: string;
  panel?: string;
  id?: number;
  seconds?: number;
  message?: string;
  buffers?: [string, number][];
  [key: string]: any;
}

export interface Knob {
  name: string;
  unit: string;
  text: string;
  value: number;
  low: number;
  high: number;
}

export interface Shape {
  kind: string;
  width: number;
  turns: boolean;
  body?: string | null;
  contact?: string | null;
  fixed?: boolean;
  filled?: boolean;
}

export interface SystemInfo {
  name: string;
  description: string;
  source: string;
  parameters: Knob[];
  state: Knob[];
  /** Discrete states, switches among them, and internal states. */
  discrete: string[];
  internal: string[];
  /** The text of a model of one's own: what sessions hold of it. */
  model: string | null;
  /** An own model that no text can hold. */
  unsaid: boolean;
  /** Events that an action may wait for. */
  happenings: string[];
  coordinates: string[];
  /** The coordinate to look at first. */
  usual: string;
  contacts: string[];
  friction: boolean[];
  joints: number;
  t_end: number;
  period: number | null;
  shapes: Shape[];
  sections: string[];
}

const SIZES: Record<string, number> = { Float64Array: 8, Float32Array: 4, Int32Array: 4, Uint8Array: 1 };

/** The buffers of one frame of the server: see protocol.py for the layout. */
export function unpack(frame: ArrayBuffer): { content: Message; buffers: DataView[] } {
  const length = new DataView(frame).getUint32(0, true);
  const content: Message = JSON.parse(new TextDecoder().decode(new Uint8Array(frame, 4, length)));
  let offset = 8 * Math.ceil((4 + length) / 8);
  const buffers: DataView[] = [];
  for (const [kind, size] of content.buffers ?? []) {
    const bytes = SIZES[kind] * size;
    buffers.push(new DataView(frame, offset, bytes));
    offset += 8 * Math.ceil(bytes / 8);
  }
  return { content, buffers };
}

/** Typed arrays over the buffers; a buffer that is not aligned (notebooks) is copied. */
export function views(content: Message, buffers: DataView[]): View[] {
  return (content.buffers ?? []).map(([kind, size], k) => {
    const data = buffers[k];
    const aligned = data.byteOffset % SIZES[kind] === 0;
    const buffer = aligned ? data.buffer : data.buffer.slice(data.byteOffset, data.byteOffset + data.byteLength);
    const offset = aligned ? data.byteOffset : 0;
    switch (kind) {
      case "Float64Array":
        return new Float64Array(buffer as ArrayBuffer, offset, size);
      case "Float32Array":
        return new Float32Array(buffer as ArrayBuffer, offset, size);
      case "Int32Array":
        return new Int32Array(buffer as ArrayBuffer, offset, size);
      default:
        return new Uint8Array(buffer as ArrayBuffer, offset, size);
    }
  });
}
