// Two settings under common random numbers: pairs of whole runs in the background, their difference with an interval.

import { asked } from "./state.js";
import { withHalf } from "./surface.js";
import { make } from "./controls.js";

/** Events between two looks at the clock. */
const SLICE = 4000;

/** Upper 2.5 % points of Student's t for 1 to 30 degrees of freedom. */
const T = [12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.16, 2.145, 2.131,
  2.12, 2.11, 2.101, 2.093, 2.086, 2.08, 2.074, 2.069, 2.064, 2.06, 2.056, 2.052, 2.048, 2.045, 2.042];

/** The mean of numbers with the half-width of its 95 % interval. */
export function interval(numbers) {
  const n = numbers.length;
  const mean = numbers.reduce((sum, one) => sum + one, 0) / n;
  if (n < 2) return { mean, half: Infinity, n };
  const variance = numbers.reduce((sum, one) => sum + (one - mean) ** 2, 0) / (n - 1);
  const t = T[n - 2] ?? 1.96 + 2.5 / (n - 1);
  return { mean, half: t * Math.sqrt(variance / n), n };
}

/** Metrics of a summary: name, unit, whether more is better (0: neither), and the value. */
export const METRICS = [
  ["goodput", "Mbit/s", 1, (s) => sum(s.flows.map((f) => f.goodput_bytes)) * 8e-6 / window(s)],
  ["utilisation", "%", 1, (s, link) => 100 * s.links[link].busy_s / window(s)],
  ["queue", "pkts", -1, (s, link) => s.links[link].queue_pkts_mean],
  ["mean time in the queue", "ms", -1, (s, link) => s.links[link].sojourn_ms.mean],
  ["95 % of times in the queue", "ms", -1, (s, link) => s.links[link].sojourn_ms.p95],
  ["loss", "%", -1, (s, link) => 100 * dropped(s.links[link]) / Math.max(1, s.links[link].arrived_pkts)],
  ["marked", "%", 0, (s, link) => 100 * s.links[link].marked_pkts / Math.max(1, s.links[link].arrived_pkts)],
  ["Jain's index", "", 1, (s) => jain(s.flows.map((f) => f.goodput_bytes))],
];

const sum = (numbers) => numbers.reduce((total, one) => total + one, 0);
/** Seconds that a summary measures. */
export const window = (summary) => summary.simulated_s - summary.warmup_s;
/** Packets that a link dropped, for whatever reason. */
export const dropped = (link) => link.early_pkts + link.forced_pkts + link.overflow_pkts;

function jain(shares) {
  const squares = sum(shares.map((one) => one * one));
  return squares ? sum(shares) ** 2 / (shares.length * squares) : NaN;
}

/** Pairs of runs, a slice at a time. */
export class Pairs {
  constructor(engine, state, text, link) {
    Object.assign(this, { engine, state, text, link, pairs: [], pair: [], session: null, stopped: false });
  }

  /** Simulates until a moment of the clock; returns whether a pair was completed. */
  work(until) {
    while (!this.stopped && performance.now() < until) {
      if (!this.session) this.open();
      this.session.advance(1e9, 1e9, SLICE);
      if (this.session.frame().ended) return this.finish();
    }
    return false;
  }

  open() {
    const side = this.pair.length === 0 ? "a" : "b";
    const seed = this.state.seed + this.pairs.length;
    this.session = this.engine.open(asked(this.state, side, this.text, seed));
  }

  finish() {
    const { summary } = this.session.finish();
    this.session = null;
    this.pair.push(METRICS.map(([, , , of]) => of(summary, this.link)));
    if (this.pair.length < 2) return false;
    this.pairs.push(this.pair);
    this.pair = [];
    this.stopped = this.pairs.length >= 200;
    return true;
  }

  close() {
    this.stopped = true;
    this.session?.close();
  }

  /** The rows of the table: A, B and B − A. */
  rows() {
    return METRICS.map(([name, unit, better], index) => {
      const [a, b] = [0, 1].map((side) => interval(this.pairs.map((pair) => pair[side][index])));
      const difference = interval(this.pairs.map((pair) => pair[1][index] - pair[0][index]));
      return { name, unit, better, a, b, difference };
    });
  }
}

/** The table of differences. */
export function table(pairs) {
  const cell = ({ mean, half }) => withHalf(mean, half);
  const rows = pairs.rows().map(({ name, unit, better, a, b, difference }) => {
    const { mean, half } = difference;
    const clear = Math.abs(mean) > half;
    const verdict = !clear ? "no difference found" : better === 0 ? "differs" : mean * better > 0 ? "B is better" : "A is better";
    const kind = clear && better !== 0 ? (mean * better > 0 ? "better" : "worse") : "";
    return make("tr", {}, make("th", { scope: "row" }, `${name}${unit ? ` [${unit}]` : ""}`), make("td", {}, cell(a)),
      make("td", {}, cell(b)), make("td", {}, cell(difference)), make("td", { class: kind }, pairs.pairs.length < 3 ? "too few runs" : verdict));
  });
  const head = ["Metric", "A", "B", "B − A", "Verdict"].map((name) => make("th", { scope: "col" }, name));
  return make("table", {}, make("caption", {}, `${pairs.pairs.length} ${pairs.pairs.length === 1 ? "pair" : "pairs"} of whole runs with the same seeds; means with 95 % intervals`),
    make("thead", {}, make("tr", {}, ...head)), make("tbody", {}, ...rows));
}
