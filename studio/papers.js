// A key figure of a paper, run live: every setting with one seed after another, its points with intervals that tighten.

import { Chart } from "./chart.js";
import { interval, window } from "./compare.js";
import { make } from "./controls.js";
import { run } from "./lessons.js";
import { flowColour } from "./surface.js";

/** Most runs of a setting. */
const MOST = 10;

const sum = (numbers) => numbers.reduce((total, one) => total + one, 0);

/** A quantity of the papers, from the summary of a run. */
export function quantityOf({ kind, groups, factor }, summary, link) {
  const bytes = (group) => summary.flows.filter((flow) => flow.group === group).map((flow) => flow.goodput_bytes);
  const mean = (group) => sum(bytes(group)) / bytes(group).length;
  if (kind === "ratio") return mean(groups[0]) / mean(groups[1]);
  if (kind === "goodput") return (8 * factor * sum(groups.flatMap(bytes))) / window(summary);
  return (8 * factor * summary.links[link].departed_bytes) / window(summary);
}

/** The settings of a paper, as inputs of the engine. */
export function inputs(paper) {
  return Object.fromEntries(Object.entries(paper.cells).map(([name, { text, edits }]) => [name, { text: text ?? paper.base, edits: edits ?? [] }]));
}

/** The lines of the figure from the runs so far, with the paper's own numbers dashed. */
export function linesOf(paper, runs) {
  return paper.lines.flatMap(({ name, points, quantity, printed }, at) => {
    const measured = points.map(({ x, cell }) => {
      const values = (runs[cell] ?? []).map((summary) => quantityOf(quantity, summary, "bottleneck")).filter(Number.isFinite);
      if (!values.length) return { x, y: null };
      const { mean, half } = interval(values);
      return { x, y: mean, half: Number.isFinite(half) ? half : null, n: values.length, label: cell };
    });
    const line = { name, points: measured, joined: !paper.names, colour: flowColour(at + 1) };
    return printed ? [line, { name: `${name}, printed`, points: printed, dash: "5 4", open: true, colour: flowColour(at + 1) }] : [line];
  });
}

/** The page of a paper. `open(input)` shows a setting in the studio. */
export function page(engine, paper, { open, close }) {
  const chart = new Chart(paper.figure);
  const status = make("p", { role: "status" }, `${Object.keys(paper.cells).length} settings, each as the paper has it.`);
  const runs = {};
  let going = false;
  const draw = () => {
    const { view } = chart;
    chart.set(linesOf(paper, runs), { axis: paper.axis, unit: paper.unit, names: paper.names });
    if (view) chart.show(view);
  };
  const cells = inputs(paper);
  const go = make("button", { type: "button", class: "main", onclick: async () => {
    if (going) {
      going = false;
      return;
    }
    going = true;
    go.textContent = "Stop";
    for (let seed = 1; seed <= MOST && going; seed += 1) {
      for (const [name, input] of Object.entries(cells)) {
        if (!going || !go.isConnected) break;
        if ((runs[name]?.length ?? 0) >= seed) continue;
        const found = await run(engine, { [name]: input }, seed, (cell, done) => {
          status.textContent = `“${cell}”, run ${seed} of ${MOST}: ${Math.round(100 * done)} %`;
        });
        runs[name] = [...(runs[name] ?? []), found[name]];
        draw();
      }
    }
    going = false;
    const least = Math.min(...Object.keys(cells).map((name) => runs[name]?.length ?? 0));
    status.textContent = `${least} ${least === 1 ? "run" : "runs"} of every setting.`;
    go.textContent = least >= MOST ? "Done" : "Go on";
    go.disabled = least >= MOST;
  } }, "Run");
  const choice = make("select", { "aria-label": "Setting to watch" }, ...Object.keys(cells).map((name) => make("option", { value: name }, name)));
  draw();
  return make("section", { class: "lesson", "aria-labelledby": "lesson-title" },
    make("h2", { id: "lesson-title", tabindex: "-1" }, paper.title), make("p", { class: "claim" }, paper.question), make("p", {}, paper.source),
    make("p", {}, go, " ", status), chart.element,
    make("p", {}, make("button", { type: "button", onclick: () => open(cells[choice.value]) }, "Watch the setting"), " ", choice),
    make("button", { type: "button", class: "quiet", onclick: () => { going = false; close(); } }, "Leave the paper"));
}
