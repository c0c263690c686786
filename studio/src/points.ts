// Many points at once: WebGL2, one draw call a cloud. Coordinates are relative to the cloud's own origin and the map to
// the screen is computed in double precision, so that deep zooms keep their digits.

export interface View {
  x0: number;
  x1: number;
  y0: number;
  y1: number;
}

/** Points of one stream: x as a share of [from, to], y relative to an origin. */
export class Cloud {
  count = 0;
  low = Infinity;
  high = -Infinity;
  readonly x: WebGLBuffer;
  readonly y: WebGLBuffer;
  readonly code: WebGLBuffer;

  constructor(
    private gl: WebGL2RenderingContext, readonly from: number, readonly to: number, readonly origin: number,
    readonly capacity: number,
  ) {
    const make = (bytes: number) => {
      const buffer = gl.createBuffer()!;
      gl.bindBuffer(gl.ARRAY_BUFFER, buffer);
      gl.bufferData(gl.ARRAY_BUFFER, bytes, gl.DYNAMIC_DRAW);
      return buffer;
    };
    [this.x, this.y, this.code] = [make(4 * capacity), make(4 * capacity), make(4 * capacity)];
  }

  add(x: Float32Array, y: Float32Array, kind: Uint8Array, period: Uint8Array, lane: number): void {
    const size = Math.min(x.length, this.capacity - this.count);
    const codes = new Uint8Array(4 * size);
    for (let k = 0; k < size; k++) {
      codes[4 * k] = kind[k];
      codes[4 * k + 1] = period[k];
      codes[4 * k + 2] = lane;
      if (y[k] < this.low) this.low = y[k];
      if (y[k] > this.high) this.high = y[k];
    }
    const { gl } = this;
    const put = (buffer: WebGLBuffer, data: ArrayBufferView, offset: number) => {
      gl.bindBuffer(gl.ARRAY_BUFFER, buffer);
      gl.bufferSubData(gl.ARRAY_BUFFER, offset, data);
    };
    put(this.x, x.subarray(0, size), 4 * this.count);
    put(this.y, y.subarray(0, size), 4 * this.count);
    put(this.code, codes, 4 * this.count);
    this.count += size;
  }

  free(): void {
    for (const buffer of [this.x, this.y, this.code]) this.gl.deleteBuffer(buffer);
  }
}

const OPACITY = 0.85; // so that many points on one place look denser than one
export type Colouring = "kind" | "period" | "lane";
const COLOURINGS: Colouring[] = ["kind", "period", "lane"];

const VERTEX = `#version 300 es
layout(location = 0) in float x;
layout(location = 1) in float y;
layout(location = 2) in vec4 code;
uniform vec4 map;
uniform int colouring;
uniform float size;
uniform vec3 palette[16];
out vec3 colour;
void main() {
  gl_Position = vec4(x * map.x + map.y, y * map.z + map.w, 0.0, 1.0);
  gl_PointSize = size;
  int kind = int(code.x * 255.0 + 0.5);
  int period = int(code.y * 255.0 + 0.5);
  int lane = int(code.z * 255.0 + 0.5);
  if (colouring == 0) colour = palette[min(kind, 4)];
  else if (colouring == 1) {
    int doublings = 0;
    int odd = max(period, 1);
    while (odd % 2 == 0) { odd /= 2; doublings++; }
    colour = palette[period == 0 ? 5 : 6 + (doublings + 3 * (odd / 2)) % 6];
  }
  else colour = palette[6 + lane % 6];
}`;

const FRAGMENT = `#version 300 es
precision mediump float;
in vec3 colour;
uniform float alpha;
out vec4 shade;
void main() { shade = vec4(colour * alpha, alpha); }`;

/** A density picture: counts of points as bytes from the top row on, in the colour of ink. */
const DENSITY_VERTEX = `#version 300 es
uniform vec4 box;
out vec2 place;
void main() {
  vec2 corner = vec2(gl_VertexID % 2, gl_VertexID / 2);
  place = vec2(corner.x, 1.0 - corner.y);
  gl_Position = vec4(mix(box.xy, box.zw, corner), 0.0, 1.0);
}`;

const DENSITY_FRAGMENT = `#version 300 es
precision mediump float;
in vec2 place;
uniform sampler2D density;
uniform vec3 ink;
out vec4 shade;
void main() {
  float alpha = texture(density, place).r;
  shade = vec4(ink * alpha, alpha);
}`;

export class Painter {
  readonly gl: WebGL2RenderingContext;
  private program: WebGLProgram;
  private densityProgram: WebGLProgram;
  private texture: WebGLTexture;

  constructor(readonly canvas: HTMLCanvasElement) {
    const gl = canvas.getContext("webgl2", { antialias: false, preserveDrawingBuffer: true });
    if (!gl) throw new Error("this browser has no WebGL2, which the diagram needs");
    this.gl = gl;
    this.program = linked(gl, VERTEX, FRAGMENT);
    this.densityProgram = linked(gl, DENSITY_VERTEX, DENSITY_FRAGMENT);
    this.texture = gl.createTexture()!;
    gl.bindTexture(gl.TEXTURE_2D, this.texture);
    for (const filter of [gl.TEXTURE_MIN_FILTER, gl.TEXTURE_MAG_FILTER]) gl.texParameteri(gl.TEXTURE_2D, filter, gl.NEAREST);
    for (const edge of [gl.TEXTURE_WRAP_S, gl.TEXTURE_WRAP_T]) gl.texParameteri(gl.TEXTURE_2D, edge, gl.CLAMP_TO_EDGE);
    gl.pixelStorei(gl.UNPACK_ALIGNMENT, 1);
    gl.enable(gl.BLEND);
    gl.blendFunc(gl.ONE, gl.ONE_MINUS_SRC_ALPHA);
  }

  erase(): void {
    this.gl.viewport(0, 0, this.canvas.width, this.canvas.height);
    this.gl.clearColor(0, 0, 0, 0);
    this.gl.clear(this.gl.COLOR_BUFFER_BIT);
  }

  setDensity(bytes: Uint8Array, width: number, height: number): void {
    const { gl } = this;
    gl.texImage2D(gl.TEXTURE_2D, 0, gl.R8, width, height, 0, gl.RED, gl.UNSIGNED_BYTE, bytes);
  }

  /** The density picture, which covers ``from``, as it appears in ``view``. */
  drawDensity(from: View, view: View, ink: string): void {
    const { gl, densityProgram } = this;
    gl.useProgram(densityProgram);
    const across = (x: number) => (2 * (x - view.x0)) / (view.x1 - view.x0) - 1;
    const up = (y: number) => (2 * (y - view.y0)) / (view.y1 - view.y0) - 1;
    gl.uniform4f(gl.getUniformLocation(densityProgram, "box"), across(from.x0), up(from.y0), across(from.x1), up(from.y1));
    gl.uniform3fv(gl.getUniformLocation(densityProgram, "ink"), channels(ink));
    gl.drawArrays(gl.TRIANGLE_STRIP, 0, 4);
  }

  /** Draw the points of a cloud from ``first`` on over what is there: in the same view each point is drawn once. */
  drawPoints(cloud: Cloud, view: View, palette: string[], colouring: Colouring, size: number, first: number): void {
    const { gl, program } = this;
    gl.useProgram(program);
    const place = (name: string) => gl.getUniformLocation(program, name);
    gl.uniform1i(place("colouring"), COLOURINGS.indexOf(colouring));
    gl.uniform1f(place("size"), size);
    gl.uniform3fv(place("palette"), palette.flatMap(channels));
    const width = view.x1 - view.x0;
    const height = view.y1 - view.y0;
    gl.uniform4f(
      place("map"), (2 * (cloud.to - cloud.from)) / width, (2 * (cloud.from - view.x0)) / width - 1, 2 / height,
      (2 * (cloud.origin - view.y0)) / height - 1,
    );
    gl.uniform1f(place("alpha"), OPACITY);
    [cloud.x, cloud.y, cloud.code].forEach((buffer, index) => {
      gl.bindBuffer(gl.ARRAY_BUFFER, buffer);
      gl.enableVertexAttribArray(index);
      if (index < 2) gl.vertexAttribPointer(index, 1, gl.FLOAT, false, 0, 0);
      else gl.vertexAttribPointer(index, 4, gl.UNSIGNED_BYTE, true, 0, 0);
    });
    gl.drawArrays(gl.POINTS, first, Math.max(cloud.count - first, 0));
  }
}

function linked(gl: WebGL2RenderingContext, vertex: string, fragment: string): WebGLProgram {
  const compile = (kind: number, text: string) => {
    const shader = gl.createShader(kind)!;
    gl.shaderSource(shader, text);
    gl.compileShader(shader);
    if (!gl.getShaderParameter(shader, gl.COMPILE_STATUS)) throw new Error(gl.getShaderInfoLog(shader) ?? "shader");
    return shader;
  };
  const program = gl.createProgram()!;
  gl.attachShader(program, compile(gl.VERTEX_SHADER, vertex));
  gl.attachShader(program, compile(gl.FRAGMENT_SHADER, fragment));
  gl.linkProgram(program);
  return program;
}

/** Which of the six colours a period has: those of a cascade 1, 2, 4, ..., 32 and of 3, 6, 12 differ. As in the shader. */
export function periodColour(period: number): number {
  let [doublings, odd] = [0, Math.max(period, 1)];
  while (odd % 2 === 0) [odd, doublings] = [odd / 2, doublings + 1];
  return (doublings + 3 * Math.floor(odd / 2)) % 6;
}

export function channels(colour: string): [number, number, number] {
  const number = parseInt(colour.slice(1), 16);
  return [(number >> 16) / 255, ((number >> 8) & 255) / 255, (number & 255) / 255];
}
