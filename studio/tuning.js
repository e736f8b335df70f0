// `tune` in the studio, where the command line serves it: a form, live progress, and the answer.

import { make } from "./controls.js";
import { get, post } from "./calls.js";
import { view } from "./results.js";

const QUEUES = ["red", "codel", "pie", "fq_codel", "droptail", "ared", "cobalt", "fq_pie", "wred", "choke"];
const GOALS = ["balanced", "voip", "gaming", "web", "bulk", "p95 delay < 15ms, max utilisation"];
/** The boxes that a configuration can be written for, each with its title. */
export const BOXES = [
  ["linux", "Linux tc"], ["sqm", "OpenWrt SQM"], ["ios", "Cisco IOS"], ["nxos", "Cisco NX-OS"], ["junos", "Junos"],
  ["sonic", "SONiC"], ["openconfig", "OpenConfig"], ["mikrotik", "MikroTik"], ["vyos", "VyOS"],
  ["dummynet", "FreeBSD dummynet"], ["altq", "FreeBSD, pfSense ALTQ"], ["openbsd", "OpenBSD"],
];
/** Milliseconds between two looks at a search. */
const EVERY = 500;

function field(name, help, input) {
  return make("div", { class: "control" }, make("label", { for: input.id }, name), input, make("small", {}, help));
}

const line = (id, value) => make("input", { id: `tune-${id}`, type: "text", value, spellcheck: "false", autocomplete: "off" });

/** The form and the place of the answer. `openText` runs a scenario, `close` leaves. */
export function page({ close }) {
  const inputs = { rate: line("rate", "20Mbit"), rtt: line("rtt", "20-60ms"), flows: line("flows", "2-20"), buffer: line("buffer", "500pkts"),
    goal: line("goal", "balanced"), runs: make("input", { id: "tune-runs", type: "number", min: "60", max: "5000", step: "1", value: "200" }) };
  inputs.goal.setAttribute("list", "tune-goals");
  const box = make("select", { id: "tune-box" }, ...[["", "no box"], ...BOXES].map(([value, title]) => make("option", { value }, title)));
  const queues = QUEUES.map((kind, at) => make("label", {}, make("input", { type: "checkbox", value: kind, checked: at < 5 }), kind));
  const problem = make("p", { class: "worse", role: "alert" });
  const live = make("div", {});
  const start = make("button", { type: "submit", class: "main" }, "Start");
  const form = make("form", { class: "tune-form", onsubmit: async (event) => {
    event.preventDefault();
    problem.textContent = "";
    const given = Object.fromEntries(["rate", "rtt", "flows", "buffer", "goal"].map((key) => [key, inputs[key].value]));
    const chosen = queues.map((one) => one.querySelector("input")).filter((one) => one.checked).map((one) => one.value);
    const found = await post("api/tune", { ...given, queues: chosen, box: box.value, runs: Number(inputs.runs.value) });
    if (found.error && found.running === undefined) problem.textContent = found.error;
    else follow(live, start, close);
  } },
  field("Rate", "such as 20Mbit, or a range 20-100Mbit", inputs.rate), field("Round-trip time", "without queueing: 40ms, or 20-60ms", inputs.rtt),
  field("Long TCP flows", "at the same time: 8, or 2-20", inputs.flows), field("Buffer", "500pkts, 1.5MB, or 50-300ms of the link", inputs.buffer),
  field("Goal", "a preset, or bounds and objectives", inputs.goal), make("datalist", { id: "tune-goals" }, ...GOALS.map((one) => make("option", { value: one }))),
  field("Runs", "of the search; more runs, a closer answer", inputs.runs), field("Configuration for", "the box that is to load the answer", box),
  make("fieldset", { class: "chosen" }, make("legend", {}, "Disciplines to choose from"), ...queues), start);
  get("api/tuning").then((found) => found.running && follow(live, start, close));
  return make("section", { "aria-labelledby": "tune-title" }, make("h2", { id: "tune-title", tabindex: "-1" }, "Find the right queue for a link"),
    make("p", {}, "The search runs on this machine, as dropcurve tune does, and stores its answer in the folder of results."), form, problem, live,
    make("button", { type: "button", class: "quiet", onclick: close }, "Close"));
}

/** Shows the progress of the search until it ends, then the answer. */
async function follow(live, start, close) {
  start.disabled = true;
  const bar = make("progress", { max: "1", value: "0", "aria-label": "Share of the runs that are made" });
  const [stage, best, log] = [make("p", { class: "claim", role: "status" }), make("p", {}), make("pre", { tabindex: "0", "aria-label": "Log of the search" })];
  const counted = make("span", {});
  const stop = make("button", { type: "button", onclick: () => post("api/stop", {}) }, "Stop");
  const command = make("code", {});
  live.replaceChildren(make("div", { class: "progress" }, bar, counted, stop), stage, best, log, make("p", {}, command));
  let found;
  do {
    found = await get("api/tuning");
    bar.value = found.share;
    counted.textContent = `${Math.round(100 * found.share)} %, ${found.runs} of about ${Math.max(found.total, found.runs)} runs, ${Math.round(found.seconds)} s`;
    if (stage.textContent !== found.stage) stage.textContent = found.stage;
    best.textContent = found.best ? `Best so far: ${found.best}${found.expected ? ` (${found.expected})` : ""}` : "";
    log.textContent = found.lines.slice(-8).join("\n");
    command.textContent = found.command;
    if (found.running) await new Promise((resolve) => setTimeout(resolve, EVERY));
  } while (found.running);
  start.disabled = false;
  stop.remove();
  if (found.error) return stage.replaceChildren(make("span", { class: "worse" }, found.error));
  const answer = await post("api/result", { name: found.answer });
  return live.append(view(answer, { close, extra: configuration(answer) }));
}

/** The configuration of an answer, if it has one. */
export function configuration(answer) {
  return answer.configuration ? [make("h3", {}, "Configuration to load"), make("pre", { tabindex: "0" }, answer.configuration)] : [];
}
