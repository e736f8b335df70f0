// The controls: the link, the traffic and every parameter of the discipline, made from the engine's catalogue.

import { pathsOf, queueAt, valueAt } from "./side.js";

/** An element with attributes and children. */
export function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (value === true) element.setAttribute(name, "");
    else if (value !== false && value !== null && value !== undefined) element.setAttribute(name, value);
  }
  element.append(...children);
  return element;
}

/** A button that copies a text and then tells for two seconds whether it did. */
export function copier(label, text, attributes = {}) {
  const button = make("button", { type: "button", "aria-live": "polite", ...attributes, onclick: async () => {
    const done = await Promise.resolve(navigator.clipboard?.writeText(text()) ?? Promise.reject()).then(() => true, () => false);
    button.textContent = done ? "Copied" : "Not copied: the browser forbids it";
    setTimeout(() => { button.textContent = label; }, 2000);
  } }, label);
  return button;
}

/** Text with `names` in code. */
export function worded(text) {
  return String(text).split("`").map((part, place) => (place % 2 ? make("code", {}, part) : part));
}

let serial = 0;

/** A labelled control; `control` receives the identifier that its label refers to. */
function labelled(name, help, control) {
  serial += 1;
  const id = `control-${serial}`;
  const element = control(id);
  const about = help ? make("small", { id: `${id}-help` }, ...worded(help)) : "";
  if (help) element.setAttribute("aria-describedby", `${id}-help`);
  return make("div", { class: "control" }, make("label", { for: id }, name), element, about);
}

const number = (text) => parseFloat(String(text));

/** Bits per second of a text such as "10 Mbit/s". */
function bits(text) {
  const factor = { k: 1e3, M: 1e6, G: 1e9 }[/([kMG])bit/.exec(text)?.[1]] ?? 1;
  return number(text) * factor;
}

/** Milliseconds of a text such as "20 ms". */
function millis(text) {
  const factor = { ns: 1e-6, us: 1e-3, "µs": 1e-3, ms: 1, s: 1e3 }[/[a-zµ]+/.exec(text)?.[0]] ?? 1;
  return number(text) * factor;
}

/** A slider on a log scale with its value in words. */
export function logSlider(name, { value, low, high, words, text, change }) {
  const scale = 200;
  const place = (one) => Math.round((scale * Math.log(one / low)) / Math.log(high / low));
  const back = (at) => Number((low * (high / low) ** (at / scale)).toPrecision(2));
  const output = make("output", {}, words(value));
  return labelled(name, "", (id) => {
    output.setAttribute("for", id);
    const input = make("input", {
      id, type: "range", min: 0, max: scale, value: place(Math.min(Math.max(value, low), high)),
      "aria-valuetext": words(value),
      oninput: () => {
        output.textContent = words(back(Number(input.value)));
        input.setAttribute("aria-valuetext", output.textContent);
      },
      onchange: () => change(text(back(Number(input.value)))),
    });
    return make("span", { class: "slider" }, input, output);
  });
}

/** A choice between names. */
function choice(name, help, { value, options, change }) {
  return labelled(name, help, (id) => make("select", { id, onchange: (event) => change(event.target.value) },
    ...options.map(([one, title]) => make("option", { value: one, selected: one === value }, title))));
}

/** A line of text that changes a value when it is entered. */
function line(name, help, { value, change }) {
  return labelled(name, help, (id) => make("input", {
    id, type: "text", value, spellcheck: "false", autocomplete: "off",
    onchange: (event) => change(event.target.value.trim()),
  }));
}

/** All controls of a side. `change(path, value)` is called with what the command line takes, `watch(name)` with the link to show. */
export function controlsOf(engine, about, { change, watch }) {
  const link = about.link.name;
  const paths = pathsOf(about, link);
  return make("div", { class: "controls" },
    group("Link", true, [...linkChoice(about, watch), ...linkControls(about, paths, change)]),
    group("Traffic", true, trafficControls(about, change)),
    group("Queue", true, queueControls(engine, about, paths.queue, change)));
}

function group(title, open, children) {
  return make("details", { open }, make("summary", {}, title), ...children);
}

/** The choice of the link in view, where a scenario has several. */
function linkChoice({ links, link }, watch) {
  if (links.length < 2) return [];
  return [choice("Link in view", "", { value: link.name, options: links.map((name) => [name, name]), change: watch })];
}

function linkControls(about, paths, change) {
  const rate = bits(valueAt(about.resolved, paths.rate) ?? about.link.rate_bps);
  const delay = millis(valueAt(about.resolved, paths.delay) ?? `${about.link.delay_ms} ms`);
  const limit = queueAt(about, about.link.name)?.limit;
  const unit = /[a-zA-Z]+/.exec(limit ?? "")?.[0] ?? "pkts";
  const found = [];
  if (rate > 0) {
    found.push(logSlider("Rate", {
      value: rate / 1e6, low: 0.1, high: 1000, words: (one) => `${one} Mbit/s`, text: (one) => `${one} Mbit/s`,
      change: (value) => change(paths.rate, value),
    }));
  }
  found.push(logSlider("Delay, one way", {
    value: Math.max(delay, 0.1), low: 0.1, high: 600, words: (one) => `${one} ms (adds ${Number((2 * one).toPrecision(3))} ms to the round trip)`,
    text: (one) => `${one} ms`, change: (value) => change(paths.delay, value),
  }));
  if (limit && limit !== "auto") {
    found.push(logSlider("Buffer", {
      value: number(limit), low: 1, high: unit === "pkts" ? 5000 : 1e7, words: (one) => `${one} ${unit}`,
      text: (one) => `${Math.max(1, Math.round(one))} ${unit}`, change: (value) => change(`${paths.queue}.limit`, value),
    }));
  }
  return found;
}

function trafficControls(about, change) {
  return Object.entries(about.resolved.flows ?? {}).flatMap(([name, flows]) => {
    const path = `flows.${name}`;
    const found = [logSlider(`Flows “${name}” (${flows.transport})`, {
      value: flows.count, low: 1, high: 400, words: (one) => String(Math.max(1, Math.round(one))),
      text: (one) => String(Math.max(1, Math.round(one))), change: (value) => change(`${path}.count`, value),
    })];
    if (typeof flows.ecn === "boolean") {
      found.push(labelled(`ECN of “${name}”`, "", (id) => make("input", {
        id, type: "checkbox", checked: flows.ecn, onchange: (event) => change(`${path}.ecn`, String(event.target.checked)),
      })));
    }
    if (typeof flows.cc === "string") {
      found.push(line(`Congestion control of “${name}”`, "reno, cubic, bbr, dctcp, prague …", {
        value: flows.cc, change: (value) => change(`${path}.cc`, value),
      }));
    }
    return found;
  });
}

function queueControls(engine, about, path, change) {
  const queue = queueAt(about, about.link.name);
  const kinds = engine.catalogue.disciplines;
  const entry = kinds.find((one) => one.kind === queue.kind);
  const automatic = about.automatic[about.link.name] ?? {};
  const set = (key) => (value) => change(`${path}.${key}`, value);
  const found = [choice("Discipline", entry.about, {
    value: queue.kind, options: kinds.map((one) => [one.kind, `${one.kind}: ${one.title}`]), change: set("kind"),
  })];
  if (entry.dialects.length && entry.preset_key) {
    found.push(choice("Dialect", entry.dialects.find((one) => one.name === queue[entry.preset_key])?.doc ?? "", {
      value: queue[entry.preset_key], options: entry.dialects.map((one) => [one.name, one.name]), change: set(entry.preset_key),
    }));
  }
  const fields = entry.fields.filter((field) => typeof queue[field.name] !== "object" && queue[field.name] !== undefined);
  const main = new Set(MAIN);
  const one = (field) => fieldControl(field, queue[field.name], automatic[field.name], set(field.name));
  found.push(...fields.filter((field) => main.has(field.name)).map(one));
  const rest = fields.filter((field) => !main.has(field.name) && field.name !== "limit");
  if (rest.length) found.push(group(`All ${rest.length} other parameters`, false, rest.map(one)));
  return found;
}

/** Parameters that a reader of the literature looks for first. */
const MAIN = ["min_th", "max_th", "max_p", "w_q", "above_max", "ecn", "target", "interval", "tupdate", "reference", "bandwidth"];

function fieldControl(field, value, automatic, change) {
  const help = `${field.doc}${automatic !== undefined && value === "auto" ? ` Here: ${automatic}.` : ""}`;
  if (typeof value === "boolean") {
    return labelled(field.name, help, (id) => make("input", {
      id, type: "checkbox", checked: value, onchange: (event) => change(String(event.target.checked)),
    }));
  }
  if (field.choices.length) {
    return choice(field.name, help, { value, options: field.choices.map((one) => [one.name, one.name]), change });
  }
  if (field.name === "max_p" && Number.isFinite(Number(value))) {
    return logSlider("max_p", {
      value: Number(value), low: 0.001, high: 1, words: (one) => String(one), text: (one) => String(one), change,
    });
  }
  return line(field.name, help, { value: String(value), change });
}
