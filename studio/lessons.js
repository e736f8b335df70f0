// Lessons: a published property, a prediction, the run that shows it, and the check.

import { dropped, window } from "./compare.js";
import { make } from "./controls.js";
import { short3 } from "./surface.js";

const mean = (numbers) => numbers.reduce((sum, one) => sum + one, 0) / numbers.length;

/** Quantities of a summary, by the names that lessons use; `group` is a group of flows or a class. */
const QUANTITIES = {
  average: (s, link) => s.links[link].avg_mean,
  "deviation of the queue": (s, link) => s.links[link].queue_pkts_sd,
  queue: (s, link) => s.links[link].queue_pkts_mean,
  "queueing delay": (s, link) => s.links[link].sojourn_ms.mean,
  utilisation: (s, link) => (800 * s.links[link].departed_bytes) / s.links[link].rate_bps / window(s),
  drops: (s, link) => lost(s.links[link], dropped(s.links[link])),
  "overflow drops": (s, link) => lost(s.links[link], s.links[link].overflow_pkts),
  loss: (s, link, group) => (group ? 100 * share(flows(s, group)) : lost(s.links[link], dropped(s.links[link]))),
  throughput: (s, _, group) => flows(s, group).reduce((sum, flow) => sum + flow.received_bytes, 0) * 8e-6 / window(s),
  "one-way delay": (s, _, group) => mean(flows(s, group).map((flow) => flow.delay_ms.mean)),
  "95 % of one-way delays": (s, _, group) => s.groups[group].delay_ms.p95,
};

/** A count of drops as a percentage of the arrivals of a link, as the tables of behaviour count them. */
const lost = (link, count) => (100 * count) / link.arrived_pkts;
const flows = (summary, group) => summary.flows.filter((flow) => flow.group === group);
const share = (some) => some.reduce((sum, flow) => sum + flow.dropped_pkts, 0) / some.reduce((sum, flow) => sum + flow.sent_pkts, 0);

/** The value of a check over the summaries of a lesson's cells; NaN if a queue has no such number (an average, say). */
export function value(check, summaries, link) {
  const of = ({ cell, group }) => QUANTITIES[check.quantity](summaries[cell], link, group) ?? NaN;
  const [first, second] = check.of.map(of);
  return second === undefined ? first : first / second;
}

/** A check in words, with its settings and groups of flows. */
export function words(check) {
  const both = (key) => [...new Set(check.of.map((one) => one[key]))].filter(Boolean);
  const [cells, groups] = [both("cell"), both("group")];
  const flows = groups.length === 2 ? ` of “${groups[0]}” over that of “${groups[1]}”` : groups.length ? ` of “${groups[0]}”` : "";
  const settings = cells.length === 2 ? `, setting “${cells[0]}” over “${cells[1]}”` : `, setting “${cells[0]}”`;
  return `${check.quantity}${flows}${settings}`;
}

/** Whether a value is in the range of a check. */
export function holds(check, found) {
  return found > (check.above ?? -Infinity) && found < (check.below ?? Infinity);
}

/** The range of a check in words. */
export function range({ above, below, unit }) {
  const end = unit ? ` ${unit}` : "";
  if (above === null) return `below ${below}${end}`;
  if (below === null) return `above ${above}${end}`;
  return `between ${above} and ${below}${end}`;
}

/** The predictions to choose from, the right one marked. */
export function choices(check) {
  const end = check.unit ? ` ${check.unit}` : "";
  const found = [{ words: range(check), right: true }];
  if (check.above !== null) found.push({ words: `at most ${check.above}${end}`, right: false });
  if (check.below !== null) found.push({ words: `at least ${check.below}${end}`, right: false });
  return found.sort((a, b) => a.words.localeCompare(b.words));
}

/** The names of a lesson's settings, the one that opens first; keys that are numbers would come in order of size. */
export function names({ first, cells }) {
  return [first, ...Object.keys(cells).filter((name) => name !== first)];
}

/** The inputs of a lesson's settings by name. */
export function inputs(lesson) {
  return Object.fromEntries(Object.entries(lesson.cells).map(([name, text]) => [name, { text, edits: [] }]));
}

/** Runs each input to its end, a slice at a time; `seen(name, done)` shows the progress. Returns the summaries by name. */
export async function run(engine, cells, seed, seen) {
  const summaries = {};
  for (const [name, cell] of Object.entries(cells)) {
    const input = { link: "", ...cell, seed };
    const session = engine.open(input);
    const { duration_s: duration } = engine.describe(input);
    while (!session.frame().ended) {
      session.advance(1e9, duration / 200, 60000);
      seen(name, session.now / duration);
      await new Promise((resolve) => setTimeout(resolve, 0));
    }
    summaries[name] = session.finish().summary;
  }
  return summaries;
}

/** The page of a lesson: what is claimed, a prediction, the runs and the check. */
export function page(engine, lesson, { link, open, close, present }) {
  const check = lesson.checks[0];
  const answer = make("p", { role: "status" });
  const outcome = make("div", { class: "outcome", "aria-live": "polite" });
  let predicted = null;
  const options = choices(check).map((one, index) => make("label", { class: "option" }, make("input", {
    type: "radio", name: "prediction", value: index, onchange: () => { predicted = one; },
  }), one.words));
  const go = make("button", { type: "button", onclick: async () => {
    if (!predicted) {
      answer.textContent = "Choose a prediction first.";
      return;
    }
    go.disabled = true;
    const summaries = await run(engine, inputs(lesson), 1, (name, done) => {
      answer.textContent = `Running “${name}”: ${Math.round(100 * done)} %`;
    });
    const found = value(check, summaries, link);
    const right = predicted.right && holds(check, found);
    answer.textContent = right
      ? `Right: ${words(check)}, is ${short3(found)}${check.unit ? ` ${check.unit}` : ""}.`
      : `${words(check)}, is ${short3(found)}${check.unit ? ` ${check.unit}` : ""}; in the tables it is ${range(check)}.`;
    outcome.replaceChildren(results(lesson, summaries, link));
    go.disabled = false;
  } }, "Run and check");
  const task = make("p", { role: "status" });
  const again = make("button", { type: "button", onclick: async () => {
    const cells = present(lesson);
    if (!cells) {
      task.textContent = "Press See first, then move a control.";
      return;
    }
    again.disabled = true;
    const summaries = await run(engine, cells, 1, (name, done) => { task.textContent = `Running “${name}”: ${Math.round(100 * done)} %`; });
    const found = value(check, summaries, link);
    if (Number.isNaN(found)) {
      [task.textContent, task.className] = [`${words(check)}: no such number with these settings; make another change.`, ""];
      again.disabled = false;
      return;
    }
    const holding = holds(check, found);
    task.textContent = `${words(check)}, is ${short3(found)}${check.unit ? ` ${check.unit}` : ""}: ${holding
      ? "the claim still holds; move the control farther, or another one." : "the claim does not hold here. You have found its limit."}`;
    task.className = holding ? "" : "better";
    again.disabled = false;
  } }, "Check my settings");
  const others = names(lesson).slice(1).filter((name) => lesson.differences[name]);
  const beside = make("select", { "aria-label": "Setting on side B" }, ...others.map((name) => make("option", { value: name }, name)));
  const see = make("button", { type: "button", onclick: () => open(others.length ? beside.value : null) }, `See “${lesson.first}”${others.length ? " next to" : ""}`);
  return make("section", { class: "lesson", "aria-labelledby": "lesson-title" },
    make("h2", { id: "lesson-title", tabindex: "-1" }, `Lesson: ${lesson.kind}`),
    make("p", { class: "claim" }, `${lesson.claim[0].toUpperCase()}${lesson.claim.slice(1)} (${lesson.source}).`),
    make("p", {}, `The traffic: ${lesson.scenario}.`),
    make("ol", {},
      make("li", {}, make("fieldset", {}, make("legend", {}, `Predict: ${words(check)}, will be …`), ...options)),
      make("li", {}, go, " ", answer, outcome),
      make("li", {}, see, " ", others.length ? beside : "", " and watch how it comes about."),
      make("li", {}, "Task: move one control until the check no longer holds. ", again, task)),
    make("button", { type: "button", class: "quiet", onclick: close }, "Leave the lesson"));
}

function results(lesson, summaries, link) {
  const rows = lesson.checks.map((check) => {
    const found = value(check, summaries, link);
    const good = holds(check, found);
    return make("tr", {}, make("th", { scope: "row" }, words(check)), make("td", {}, `${short3(found)}${check.unit ? ` ${check.unit}` : ""}`),
      make("td", {}, range(check)), make("td", { class: good ? "better" : "worse" }, good ? "holds" : "does not hold with this seed"));
  });
  return make("table", {}, make("caption", {}, "One run of each setting with seed 1; docs/behaviour.md has means of ten"), make("tbody", {}, ...rows));
}
