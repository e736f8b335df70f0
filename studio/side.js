// One side of the studio: a run with the history of what it showed.

import { flowLength, sampleIndex as at, sampleLength } from "./engine.js";

/** Samples that a history holds; older ones are thinned to half. */
const MOST = 4000;
/** Seconds over which shares are taken. */
const SHARE_WINDOW = 5;

/** A run with its history. */
export class Side {
  constructor(engine, input) {
    this.engine = engine;
    this.input = input;
    this.about = engine.describe(input);
    if (!this.about.ok) throw Object.assign(new Error("The scenario has problems."), this.about);
    this.about.duration_s = Number(this.about.duration_s.toPrecision(12));
    this.step = Math.min(0.02, this.about.duration_s / 1000);
    this.restart();
  }

  /** Back to the start: the same run again. */
  restart() {
    this.session?.close();
    this.session = this.engine.open(this.input);
    this.samples = [];
    this.windows = [];
    this.curve = new Map();
    this.thin = 1;
    this.skipped = 0;
    this.totals = { arrived: 0, dropped: 0, marked: 0, departed: 0, departedBytes: 0 };
    this.marks = [];
    this.result = null;
    this.take();
  }

  get now() {
    return this.session.now;
  }

  get duration() {
    return this.about.duration_s;
  }

  /** Advances to `until`; with a limit of events it may stop before. */
  advance(until, most) {
    if (this.result) return;
    this.session.advance(until, this.step, most);
    this.take();
  }

  take() {
    this.frame = this.session.frame();
    const { samples } = this.frame;
    for (let start = 0; start < samples.length; start += sampleLength) {
      this.record(samples.subarray(start, start + sampleLength));
    }
    if (samples.length) this.recordShares();
    if (this.frame.ended && !this.result) {
      const now = this.session.now;
      this.result = this.session.finish();
      this.session.now = now;
    }
  }

  record(row) {
    for (const name of Object.keys(this.totals)) this.totals[name] += row[at[name]];
    const x = Number.isNaN(row[at.avg]) ? row[at.queue] : row[at.avg];
    const bin = Math.round(x * 2) / 2;
    const seen = this.curve.get(bin) ?? [0, 0];
    seen[0] += row[at.arrived];
    seen[1] += row[at.dropped] + row[at.marked];
    this.curve.set(bin, seen);
    this.skipped += 1;
    if (this.skipped < this.thin) return;
    this.skipped = 0;
    this.samples.push(row.slice());
    this.windows.push(this.windowsNow());
    if (this.samples.length > MOST) {
      this.samples = this.samples.filter((_, index) => index % 2 === 0);
      this.windows = this.windows.filter((_, index) => index % 2 === 0);
      this.thin *= 2;
    }
  }

  windowsNow() {
    const { flows } = this.frame;
    const count = Math.min(flows.length / flowLength - 1, 12);
    return Float32Array.from({ length: count }, (_, flow) => flows[flow * flowLength]);
  }

  /** Remembers departed bytes, so that shares are those of the last seconds. */
  recordShares() {
    const { flows, now } = this.frame;
    const bytes = Float64Array.from({ length: flows.length / flowLength }, (_, flow) => flows[flow * flowLength + 1]);
    this.marks.push({ now, bytes });
    while (this.marks.length > 2 && this.marks[1].now < now - SHARE_WINDOW) this.marks.shift();
  }

  /** Bits per second of each flow over the last seconds. */
  rates() {
    const first = this.marks[0];
    const last = this.marks.at(-1);
    if (!last || last === first || last.now <= first.now) return [];
    return Array.from(last.bytes, (bytes, flow) => (8 * (bytes - first.bytes[flow])) / (last.now - first.now));
  }

  /** Whether the discipline counts packets; it counts bytes where its thresholds, or else its limit, are bytes. */
  countsPackets() {
    const queue = queueAt(this.about, this.about.link.name);
    return !/ B$|bytes/.test(String(queue?.min_th ?? queue?.limit ?? ""));
  }

  /** Drops and marks for each second, over about the last one. */
  recently() {
    let [dropped, marked] = [0, 0];
    const end = this.now;
    let start = end;
    for (let place = this.samples.length - 1; place >= 0; place -= 1) {
      const row = this.samples[place];
      if (row[at.time] < end - 1) break;
      dropped += row[at.dropped] * this.thin;
      marked += row[at.marked] * this.thin;
      start = row[at.time];
    }
    const seconds = Math.max(end - start, 0.2);
    return { dropped: dropped / seconds, marked: marked / seconds };
  }

  /** Means over the last seconds: of the queue, the average and the time in it, and the shares of lost packets and of the link in use. */
  lately(seconds) {
    const rows = this.samples.filter((row) => row[at.time] > this.now - seconds);
    const total = (name) => rows.reduce((sum, row) => sum + row[at[name]], 0);
    const mean = (name) => total(name) / Math.max(1, rows.length);
    return { queue: mean("queue"), average: mean("avg"), sojourn: mean("sojourn"), lost: total("dropped") / Math.max(1, total("arrived")),
      utilisation: (8 * this.thin * total("departedBytes")) / seconds / this.about.link.rate_bps, rows };
  }

  /** The last sample as an object. */
  get last() {
    const row = this.samples.at(-1);
    return row ? Object.fromEntries(Object.entries(at).map(([name, index]) => [name, row[index]])) : null;
  }

  /** The thresholds of a RED-type curve in the unit of its average; `null` for other disciplines. */
  law() {
    const place = queueAt(this.about, this.about.link.name);
    const automatic = this.about.automatic[this.about.link.name] ?? {};
    const value = (key) => {
      const found = automatic[key] ?? place?.[key];
      return typeof found === "string" ? parseFloat(found) : found;
    };
    const [low, high, most] = ["min_th", "max_th", "max_p"].map(value);
    if (![low, high, most].every(Number.isFinite) || !("red ared wtred feng fred_refined").split(" ").includes(place.kind)) {
      return null;
    }
    return { low, high, most, gentle: place.above_max === "gentle" };
  }

  /** The samples as CSV. */
  csv() {
    const names = Object.keys(at);
    const rows = this.samples.map((row) => Array.from(row, (value) => (Number.isNaN(value) ? "" : value)).join(","));
    return [names.join(","), ...rows].join("\n") + "\n";
  }

  close() {
    if (!this.result) this.session.close();
  }
}

/** Where the parts of a link are in a scenario: paths of its rate, delay and queue. */
export function pathsOf(about, link) {
  const { resolved } = about;
  const back = link.endsWith(".back");
  const name = back ? link.slice(0, -5) : link;
  if (resolved.dumbbell) {
    const wire = back ? "dumbbell.back" : "dumbbell";
    return { rate: `${wire}.rate`, delay: `${wire}.delay`, queue: back ? "back_queue" : "queue" };
  }
  if (resolved.chain) return { rate: "chain.rate", delay: "chain.delay", queue: back ? "back_queue" : "queue" };
  const table = `links.${name}${back ? ".back" : ""}`;
  return { rate: `${table}.rate`, delay: `${table}.delay`, queue: `${table}.queue` };
}

/** The value at a dotted path. */
export function valueAt(tree, path) {
  return path.split(".").reduce((here, key) => here?.[key], tree);
}

/** The table of a link's queue. */
export function queueAt(about, link) {
  return valueAt(about.resolved, pathsOf(about, link).queue);
}
