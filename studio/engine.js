// The engine: the simulator as WebAssembly, called with texts of JSON and read as frames of doubles.

const HEAD = 6;
const FLOW = 4;
const SAMPLE = ["time", "queue", "bytes", "avg", "probability", "arrived", "dropped", "marked", "departed",
  "departedBytes", "sojourn"];

/** A file of the page: packed into an offline page under this identifier, or in the same folder. */
export async function file(name, id) {
  const packed = document.getElementById(id);
  if (!packed) {
    const answer = await fetch(name);
    if (!answer.ok) throw new Error(`${name}: ${answer.status} ${answer.statusText}`);
    return answer;
  }
  const bytes = Uint8Array.from(atob(packed.textContent.trim()), (letter) => letter.charCodeAt(0));
  return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip")));
}

/** Loads the engine. */
export async function load() {
  const { instance } = await WebAssembly.instantiate(await (await file("engine.wasm", "engine")).arrayBuffer(), {});
  return new Engine(instance.exports);
}

/** The exported functions with their texts. */
export class Engine {
  constructor(exports) {
    this.exports = exports;
    exports.catalogue();
    Object.assign(this, this.answer());
  }

  write(input) {
    const bytes = new TextEncoder().encode(JSON.stringify(input));
    const at = this.exports.buffer(bytes.length);
    new Uint8Array(this.exports.memory.buffer, at, bytes.length).set(bytes);
  }

  answer() {
    const { memory, output, output_len: length } = this.exports;
    return JSON.parse(new TextDecoder().decode(new Uint8Array(memory.buffer, output(), length())));
  }

  /** What a scenario is: its flows, links and values, or `ok: false` with its problems. */
  describe(input) {
    this.write(input);
    this.exports.describe();
    return this.answer();
  }

  /** Opens a session. Throws a list of problems as `error.problems`. */
  open(input) {
    this.write(input);
    const number = this.exports.open();
    const answer = this.answer();
    if (number === 0) throw Object.assign(new Error("The scenario has problems."), answer);
    return new Session(this, number, answer.values);
  }
}

/** A running simulation. */
export class Session {
  constructor(engine, number, valueNames) {
    Object.assign(this, { engine, number, valueNames, now: 0 });
  }

  /** Simulates up to `until` seconds with samples `step` seconds apart, about `most` events at most. */
  advance(until, step, most = 4e9) {
    this.now = this.engine.exports.advance(this.number, until, step, most);
    return this.now;
  }

  /** The state, and the samples since the last call. */
  frame() {
    const { memory, frame, output, output_len: length } = this.engine.exports;
    frame(this.number);
    const bytes = memory.buffer.slice(output(), output() + length());
    const data = new Float64Array(bytes);
    const [now, ended, flows, packets, samples, values] = data;
    let at = HEAD;
    const next = (count) => data.subarray(at, (at += count));
    const result = { now, ended: ended === 1 };
    result.flows = next(flows * FLOW);
    result.packets = next(packets);
    result.samples = next(samples * SAMPLE.length);
    result.values = next(values);
    result.sojourns = next(this.engine.histogram.bins);
    return result;
  }

  /** Ends the run: its digest and its summary. */
  finish() {
    this.engine.exports.finish(this.number);
    return this.engine.answer();
  }

  close() {
    this.engine.exports.close(this.number);
  }
}

/** The place of a quantity in a sample. */
export const sampleIndex = Object.fromEntries(SAMPLE.map((name, index) => [name, index]));
export const sampleLength = SAMPLE.length;
export const flowLength = FLOW;
