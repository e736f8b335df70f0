// A stored result: its sentences, a chart of any number over any setting, lines over time, and the table.

import { Chart, sortable } from "./chart.js";
import { make } from "./controls.js";

const titled = ({ title, unit }) => `${title}${unit ? ` [${unit}]` : ""}`;

/** Lines of a measure over a setting or another measure: one for each combination of the other settings. */
export function linesOf(result, measure, axis) {
  const over = result.settings.find(({ key }) => key === axis);
  const rows = result.rows.filter((row) => row[measure]);
  const point = (row, x) => ({ ...row[measure], x, y: row[measure].mean });
  if (!over) {
    const some = rows.filter((row) => row[axis]);
    const groups = groupsOf(result.settings.length > 1 ? result.settings.slice(1) : result.settings, some);
    const label = result.settings[0].key;
    return { names: null, lines: groups.map(([name, members]) => ({ name, joined: false,
      points: members.map((row) => ({ ...point(row, row[axis].mean), label: String(row[label]) })) })) };
  }
  const values = [...new Set(rows.map((row) => row[axis]))];
  const numeric = values.every((one) => typeof one === "number");
  if (numeric) values.sort((a, b) => a - b);
  const groups = groupsOf(result.settings.filter((one) => one !== over), rows);
  const lines = groups.map(([name, members]) => ({ name: name || titled(result.measures.find(({ key }) => key === measure)), joined: numeric,
    points: members.map((row) => point(row, numeric ? row[axis] : values.indexOf(row[axis]))).sort((a, b) => a.x - b.x) }));
  return { names: numeric ? null : values.map(String), lines };
}

/** Rows by the values of settings, with a name for each group. */
function groupsOf(settings, rows) {
  const groups = new Map();
  for (const row of rows) {
    const name = settings.map(({ key, title }) => (typeof row[key] === "number" ? `${title} ${row[key]}` : String(row[key]))).join(", ");
    groups.set(name, [...(groups.get(name) ?? []), row]);
  }
  return [...groups];
}

/** The page of a result. `extra` are elements after the sentences, `back` returns to where it was opened. */
export function view(result, { close, back = null, extra = [] }) {
  const chart = new Chart(result.title);
  const draw = () => {
    const [measure, axis] = [result.measures.find(({ key }) => key === what.value), over.value];
    const { lines, names } = linesOf(result, measure.key, axis);
    const name = [...result.settings, ...result.measures].find(({ key }) => key === axis);
    chart.set(lines, { axis: titled(name), unit: measure.unit, names, title: measure.title });
  };
  const what = make("select", { onchange: draw }, ...result.measures.map((one) => make("option", { value: one.key }, titled(one))));
  const choices = [...result.settings, ...result.measures];
  const over = make("select", { onchange: draw }, ...choices.map((one) => make("option", { value: one.key }, titled(one))));
  if (result.kind === "tune" && result.measures.length > 1) over.value = result.measures[1].key;
  const times = result.lines.map(({ title, unit, axis, lines }) => {
    const made = new Chart(title);
    made.set(lines.map(({ name, x, y }) => ({ name, points: x.map((at, number) => ({ x: at, y: y[number] })) })), { axis, unit });
    return made.element;
  });
  const section = make("section", { class: "result", "aria-labelledby": "result-title" },
    back ? make("button", { type: "button", class: "quiet", onclick: back }, "◀ All results") : "",
    make("h2", { id: "result-title", tabindex: "-1" }, `${result.name}: ${result.title}`),
    make("pre", { tabindex: "0" }, result.command),
    ...result.sentences.slice(0, 4).map((line) => make("p", { class: "claim" }, line)),
    result.sentences.length > 4 ? make("details", {}, make("summary", {}, `${result.sentences.length - 4} more sentences`),
      ...result.sentences.slice(4).map((line) => make("p", {}, line))) : "",
    ...extra);
  if (result.measures.length && result.rows.length) {
    section.append(make("p", { class: "choices" }, make("label", {}, "Show ", what), " ", make("label", {}, "over ", over)), chart.element);
    draw();
  }
  section.append(...times, sortable([...result.settings, ...result.measures], result.rows, "All numbers, with 95 % intervals; press a heading to sort"),
    make("button", { type: "button", class: "quiet", onclick: close }, "Close the result"));
  return section;
}
