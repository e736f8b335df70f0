// The figures of a side. Each draws on a surface, so that what is shown can be exported.

import { flowLength, sampleIndex as at } from "./engine.js";
import { flowColour, short3, ticks } from "./surface.js";
import { queueAt } from "./side.js";

/** Shares that a root scale names. */
const SHARES = [0, 0.01, 0.05, 0.2, 0.5, 1];
const LEFT = 44;
const BOTTOM = 30;
const TOP = 12;
const RIGHT = 10;

/** Axes with grid and labels; returns the functions from values to pixels. */
function axes(surface, colours, [x0, x1], [y0, y1], [xName, yName], marks = null) {
  const width = surface.width - LEFT - RIGHT;
  const height = surface.height - TOP - BOTTOM;
  const x = (value) => LEFT + ((value - x0) / (x1 - x0 || 1)) * width;
  const y = (value) => TOP + height - ((value - y0) / (y1 - y0 || 1)) * height;
  const rows = marks?.map((one) => [Math.sqrt(one), one]).filter(([at]) => at <= y1) ?? ticks(y0, y1, 4).map((one) => [one, one]);
  for (const [value, label] of rows) {
    surface.line([LEFT, y(value), LEFT + width, y(value)], colours.grid, 1);
    surface.text(LEFT - 5, y(value) + 4, short3(label), colours.faint, "end");
  }
  for (const value of ticks(x0, x1, Math.max(2, Math.floor(width / 80)))) {
    surface.text(x(value), TOP + height + 14, short3(value), colours.faint, "middle");
  }
  surface.text(LEFT + width, surface.height - 3, xName, colours.faint, "end");
  surface.text(LEFT + 3, TOP - 1, yName, colours.faint);
  return { x, y };
}

/** Numbers of a column of the samples within the shown time. */
function shown(side) {
  const end = Math.max(side.now, 1);
  const start = Math.max(0, end - 20);
  return { start, end, rows: side.samples.filter((row) => row[at.time] >= start) };
}

/** The link: senders, the queue with its packets and its thresholds, the transmitter, the receivers. */
export function drawLink(surface, colours, side) {
  const { flows, packets } = side.frame;
  const count = flows.length / flowLength - 1;
  const { width, height } = surface;
  const rates = side.rates();
  const left = Math.min(width < 500 ? 130 : 300, width * 0.36);
  const middle = height / 2;
  drawSenders(surface, colours, { side, count, flows, rates, left, height });
  const from = left + 34;
  const to = width - (width < 500 ? 54 : 120);
  const queue = queueAt(side.about, side.about.link.name);
  const limit = /pkts/.test(queue?.limit ?? "") ? parseFloat(queue.limit) : Infinity;
  const room = limit <= 400 ? Math.max(limit, 10) : Math.min(Math.max(packets.length, 100), 400);
  const fit = (rows) => Math.min((to - from) / Math.ceil(room / rows), (height - 64) / rows, 22);
  const rows = [1, 2, 3, 4, 5, 6, 8].reduce((best, one) => (fit(one) > fit(best) ? one : best));
  const columns = Math.ceil(room / rows);
  const size = fit(rows);
  const top = middle - (rows * size) / 2;
  const [tail, bottom] = [to - columns * size, top + rows * size];
  surface.line([left + 8, middle, tail - 5, middle], colours.grid, 3);
  surface.rect(tail - 2, top - 3, columns * size + 4, rows * size + 6, "", colours.faint);
  for (let place = 0; place < Math.min(packets.length, columns * rows); place += 1) {
    const flow = Math.floor(packets[place] / 2);
    const x = to - (Math.floor(place / rows) + 1) * size;
    const y = top + (place % rows) * size;
    surface.rect(x + 0.5, y + 0.5, size - 1, size - 1, flow >= count ? colours.faint : flowColour(flow));
    if (packets[place] % 2 === 1) surface.rect(x + size / 4, y + size / 4, size / 2, size / 2, colours.mark);
  }
  drawThresholds(surface, colours, side, { to, top, bottom, place: (pkts) => (pkts / rows) * size, columns: columns * size });
  const { dropped, marked } = side.recently();
  const words = [`${short3(dropped)} drops/s`, ...(marked ? [`${short3(marked)} marks/s`] : [])].join(", ");
  surface.text(Math.max(tail - 8, left + 30), bottom + 30, `${dropped ? "✕ " : ""}${words}`, dropped ? colours.drop : colours.faint, "start", 12);
  const busy = packets.length > 0;
  surface.circle(to + 14, middle, 9, busy ? colours.accent : colours.grid);
  surface.line([to + 24, middle, width - 6, middle], busy ? colours.accent : colours.grid, 3);
  surface.line([width - 14, middle - 5, width - 6, middle, width - 14, middle + 5], busy ? colours.accent : colours.grid, 3);
  surface.text(width - 4, middle - 14, `${short3(side.about.link.rate_bps)}bit/s`, colours.text, "end", 11);
  surface.text(width - 4, middle + 22, `${short3(side.about.link.delay_ms)} ms`, colours.faint, "end", 11);
  if (width >= 500) surface.text(width - 4, middle + 36, "to receivers", colours.faint, "end", 11);
  const space = Number.isFinite(limit) ? ` of ${limit}` : "";
  surface.text(tail, top - 22, `queue: ${packets.length}${space} pkts`, colours.text, "start", 12);
}

/** RED's thresholds and its average, measured from the head of the queue. */
function drawThresholds(surface, colours, side, { to, top, bottom, place, columns }) {
  const law = side.law();
  if (!law || !side.countsPackets()) return;
  for (const [name, value] of [["min_th", law.low], ["max_th", law.high]]) {
    const x = to - place(value);
    if (place(value) > columns) continue;
    surface.line([x, top - 7, x, bottom + 7], colours.faint, 1.5, [4, 3]);
    surface.text(x, name === "min_th" ? bottom + 18 : top - 9, name, colours.faint, "middle", 10);
  }
  const average = side.last?.avg;
  if (average >= 0 && place(average) <= columns) {
    const x = to - place(average);
    surface.line([x, top - 5, x, bottom + 5], colours.average, 3);
  }
}

/** A row for each sender: its throughput as a bar, its window as a number. */
function drawSenders(surface, colours, { side, count, flows, rates, left, height }) {
  const drawn = Math.min(count, 100);
  const columns = drawn > 60 ? 4 : drawn > 24 ? 3 : drawn > 10 ? 2 : 1;
  const rows = Math.ceil(drawn / columns);
  const cell = Math.min((height - 32) / rows, 20);
  const most = Math.max(1, ...rates.slice(0, count));
  const single = columns === 1 && cell >= 12;
  const wordy = single && left > 200;
  const begin = wordy ? 74 : 16;
  const room = single ? left - begin - 40 : left / columns - 14;
  surface.text(4, 12, wordy ? `${count} senders` : `${count} flows`, colours.text, "start", 11);
  if (wordy) surface.text(begin, 12, "throughput", colours.faint, "start", 11);
  if (single) surface.text(left + 4, 12, "cwnd [seg.]", colours.faint, "end", 11);
  for (let flow = 0; flow < drawn; flow += 1) {
    const x = 6 + Math.floor(flow / rows) * (left / columns);
    const y = 20 + (flow % rows) * cell;
    surface.circle(x + 3, y + cell / 2, Math.min(4, cell / 2.4), flowColour(flow));
    if (wordy) surface.text(x + 12, y + cell * 0.72, side.about.flows[flow]?.name ?? "", colours.faint, "start", 11);
    const long = Math.max(0.5, ((rates[flow] ?? 0) / most) * room);
    surface.rect(single ? begin : x + 9, y + cell * 0.22, long, cell * 0.56, flowColour(flow));
    const window = flows[flow * flowLength];
    if (single && !Number.isNaN(window)) surface.text(left + 4, y + cell * 0.72, short3(window), colours.text, "end", 11);
  }
}

/** Queue over time, with the discipline's average. */
export function drawQueue(surface, colours, side) {
  const { start, end, rows } = shown(side);
  const pkts = side.countsPackets();
  const high = Math.max(10, ...rows.map((row) => row[at.queue])) * 1.08;
  const { x, y } = axes(surface, colours, [start, end], [0, high], ["time [s]", "queue [pkts]"]);
  const law = side.law();
  for (const [name, value] of law && pkts ? [["min_th", law.low], ["max_th", law.high]] : []) {
    if (value >= high) continue;
    surface.line([x(start), y(value), x(end), y(value)], colours.faint, 1, [4, 4]);
    surface.text(x(end) - 2, y(value) - 3, name, colours.faint, "end", 10);
  }
  surface.line(rows.flatMap((row) => [x(row[at.time]), y(row[at.queue])]), colours.queue, 1);
  if (!pkts || !rows.some((row) => row[at.avg] >= 0)) return;
  surface.line(rows.flatMap((row) => [x(row[at.time]), y(row[at.avg])]), colours.average, 2);
  const words = [["queue", colours.queue], ["average", colours.average]];
  words.forEach(([name, colour], place) => surface.text(surface.width - RIGHT - 56, TOP + 2 + 13 * place, `━ ${name}`, colour));
}

/** The drop curve with the operating point moving on it. */
export function drawCurve(surface, colours, side) {
  const law = side.law();
  const last = side.last;
  const measured = [...side.curve].filter(([, [arrived]]) => arrived >= 5).sort(([a], [b]) => a - b);
  const far = measured.length ? measured.at(-1)[0] : 0;
  const right = Math.max(law ? law.high * (law.gentle ? 2 : 1.4) : 10, far * 1.05);
  const shares = measured.map(([, [arrived, hit]]) => hit / arrived);
  const top = Math.min(1, Math.max(law ? law.most * 2 : 0.02, ...shares, last?.probability || 0) * 1.15);
  const name = last && Number.isNaN(last.avg) ? "queue [pkts]" : `average queue [${side.countsPackets() ? "pkts" : "bytes"}]`;
  const { x, y: root } = axes(surface, colours, [0, right], [0, Math.sqrt(top)], [name, "share of arrivals dropped or marked (root scale)"], SHARES);
  const y = (share) => root(Math.sqrt(share));
  measured.forEach(([bin], index) => surface.circle(x(bin), y(Math.min(shares[index], top)), 2, colours.faint));
  if (law) {
    const { low, high, most, gentle } = law;
    surface.line([x(0), y(most), x(high), y(most)], colours.grid, 1, [4, 4]);
    surface.text(x(low) + 2, y(most) - 4, `max_p ${short3(most)}`, colours.faint, "start", 10);
    for (const [word, place] of [["min_th", low], ["max_th", high]]) {
      surface.line([x(place), y(0), x(place), y(top)], colours.grid, 1, [4, 4]);
      surface.text(x(place) + 3, TOP + 12, word, colours.faint, "start", 10);
    }
    const ramp = (from, to, p0, p1) => Array.from({ length: 41 }, (_, i) => [from + ((to - from) * i) / 40, p0 + ((p1 - p0) * i) / 40]).flat();
    const points = [0, 0, ...ramp(low, high, 0, most), ...(gentle ? ramp(high, 2 * high, most, 1) : [high, 1, right, 1])];
    const clipped = points.map((value, index) => (index % 2 ? y(Math.min(value, top)) : x(Math.min(value, right))));
    surface.line(clipped, colours.accent, 2);
  }
  if (!last) return;
  const trail = side.samples.slice(-40);
  const place = (row) => (Number.isNaN(row[at.avg]) ? row[at.queue] : row[at.avg]);
  const height = (row) => (Number.isNaN(row[at.probability]) ? lately(side) : row[at.probability]);
  surface.line(trail.flatMap((row) => [x(place(row)), y(Math.min(height(row), top))]), colours.average, 1);
  const row = side.samples.at(-1);
  surface.circle(x(Math.min(place(row), right)), y(Math.min(height(row), top)), 5, colours.drop);
}

/** The share of packets dropped or marked in the last samples. */
function lately(side) {
  let [arrived, hit] = [0, 0];
  for (const row of side.samples.slice(-50)) {
    arrived += row[at.arrived];
    hit += row[at.dropped] + row[at.marked];
  }
  return arrived ? hit / arrived : 0;
}

/** Congestion windows of the chosen flows. */
export function drawWindows(surface, colours, side, chosen) {
  const end = Math.max(side.now, 1);
  const start = Math.max(0, end - 20);
  const first = side.samples.findIndex((row) => row[at.time] >= start);
  const rows = first < 0 ? [] : side.samples.slice(first);
  const windows = first < 0 ? [] : side.windows.slice(first);
  const flows = chosen.filter((flow) => windows.some((row) => row[flow] >= 0));
  let high = 4;
  for (const row of windows) for (const flow of flows) if (row[flow] > high) high = row[flow];
  const rated = high > 1e4;
  const names = ["time [s]", rated ? "allowed rate [bit/s]" : "congestion window [segments]"];
  const { x, y } = axes(surface, colours, [start, end], [0, high * 1.08], names);
  for (const flow of flows) {
    surface.line(rows.flatMap((row, index) => [x(row[at.time]), y(windows[index][flow])]), flowColour(flow), 1.4);
  }
  if (!flows.length) surface.text(surface.width / 2, surface.height / 2, "no chosen flow has a window", colours.faint, "middle");
  nameFlows(surface, flows.map((flow) => [side.about.flows[flow].name, flowColour(flow)]));
}

/** Names of lines in their colours, in rows from the right end of the figure. */
function nameFlows(surface, names) {
  const wide = 6 * Math.max(0, ...names.map(([name]) => name.length)) + 18;
  const inRow = Math.max(1, Math.floor((surface.width - LEFT - RIGHT - 150) / wide));
  names.forEach(([name, colour], place) => {
    const left = Math.min(inRow, names.length - inRow * Math.floor(place / inRow)) - (place % inRow);
    surface.text(surface.width - RIGHT - left * wide, TOP + 10 + 13 * Math.floor(place / inRow), `━ ${name}`, colour, "start", 10);
  });
}

/** Histogram of sojourn times on a log scale. */
export function drawSojourns(surface, colours, side) {
  const { bins, first_ms: firstMs, per_decade: perDecade } = side.engine.histogram;
  const counts = side.frame.sojourns;
  const total = counts.reduce((sum, count) => sum + count, 0) || 1;
  const high = Math.max(0.02, ...Array.from(counts, (count) => count / total)) * 1.1;
  const decade = (bin) => Math.log10(firstMs) + bin / perDecade;
  const { x, y } = axes(surface, colours, [decade(-1), decade(bins - 14)], [0, high], ["", "share of packets"]);
  surface.rect(LEFT, surface.height - BOTTOM + 1, surface.width, BOTTOM, colours.panel);
  for (const [power, label] of [[-1, "0.1"], [0, "1"], [1, "10"], [2, "100"]]) {
    surface.text(x(power), surface.height - BOTTOM + 14, label, colours.faint, "middle");
  }
  surface.text(surface.width - RIGHT, surface.height - 3, "time in the queue [ms]", colours.faint, "end");
  counts.forEach((count, bin) => {
    if (!count || bin > bins - 14) return;
    const [from, to] = [x(decade(bin - 1)), x(decade(bin))];
    surface.rect(from + 0.5, y(count / total), to - from - 1, y(0) - y(count / total), colours.queue);
  });
}

/** Throughput of each flow as a share of the link. */
export function drawShares(surface, colours, side) {
  const rates = side.rates();
  const total = side.about.link.rate_bps || 1;
  const fair = total / Math.max(1, side.about.flows.length);
  const most = Math.max(fair * 1.2, ...rates, 1);
  const { x, y } = axes(surface, colours, [0, Math.max(1, rates.length)], [0, most / 1e6], ["flow", "throughput [Mbit/s]"]);
  rates.forEach((rate, flow) => {
    const wide = Math.max(1, x(1) - x(0) - (rates.length > 60 ? 0 : 1));
    const colour = flow >= side.about.flows.length ? colours.faint : flowColour(flow);
    surface.rect(x(flow), y(rate / 1e6), wide, y(0) - y(rate / 1e6), colour);
  });
  surface.line([x(0), y(fair / 1e6), x(rates.length || 1), y(fair / 1e6)], colours.text, 1, [3, 3]);
}

/** All figures: name, title, what a screen reader hears, and the function that draws. */
export const FIGURES = [
  ["link", "The link", drawLink],
  ["queue", "Queue: instantaneous and average", drawQueue],
  ["curve", "Drop curve and operating point", drawCurve],
  ["windows", "Congestion windows", drawWindows],
  ["sojourns", "Time in the queue", drawSojourns],
  ["shares", "Throughput of each flow, last 5 s", drawShares],
];

/** A sentence that says what the figures of a side show. */
export function spoken(side) {
  const { last, totals, now } = side;
  if (!last) return "Not started.";
  const average = Number.isNaN(last.avg) ? "" : `, average ${short3(last.avg)}`;
  const lost = totals.arrived ? (100 * totals.dropped) / totals.arrived : 0;
  return `At ${now.toFixed(1)} s: ${last.queue} packets in the queue${average}; ${short3(last.sojourn)} ms in the queue; `
    + `${short3(lost)} % of packets dropped, ${totals.marked} marked.`;
}
