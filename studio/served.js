// What only the command line can do, when it serves the page: configurations of boxes, imports, results of this machine.

import { make } from "./controls.js";

const BOXES = [["linux", "Linux tc"], ["ios", "Cisco IOS"], ["junos", "Junos"], ["sonic", "SONiC"], ["openconfig", "OpenConfig"]];

/** Whether `dropcurve studio` serves the page. */
export function isServed() {
  return document.documentElement.dataset.served === "yes";
}

async function post(path, body) {
  const answer = await fetch(path, { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) });
  return answer.json();
}

/** A scenario from the configuration of a box: `toml`, or `error`. */
export function imported(text) {
  return post("api/import", { text });
}

/** Controls that show the configuration of a queue for a box. */
export function configuration(queue) {
  if (!isServed()) return [];
  const output = make("div", { "aria-live": "polite" });
  const box = make("select", { "aria-label": "Box" }, ...BOXES.map(([value, title]) => make("option", { value }, title)));
  const show = async () => {
    const found = await post("api/configuration", { ...queue(), box: box.value });
    const notes = (found.notes ?? []).map((note) => make("p", {}, note));
    output.replaceChildren(found.error ? make("p", { class: "worse" }, found.error) : make("pre", { tabindex: "0" }, found.text), ...notes);
  };
  return [make("label", {}, "Configuration for ", box), " ", make("button", { type: "button", onclick: show }, "Show"), output];
}

/** The list of results, where there are any. */
export function listen(button, panel, openText) {
  if (!isServed()) return;
  button.hidden = false;
  button.onclick = async () => {
    panel.hidden = !panel.hidden;
    if (panel.hidden) return;
    const { folder, results } = await (await fetch("api/results")).json();
    const rows = results.map((one) => make("tr", {}, make("th", { scope: "row" }, one.name), make("td", {}, one.kind), make("td", {}, one.title),
      make("td", {}, ...actions(one, openText))));
    const none = make("p", {}, `No results in ${folder}. Commands write them there: dropcurve compare droptail_vs_red --queue red --queue codel`);
    panel.replaceChildren(make("section", { "aria-label": "Results" }, make("h2", {}, `Results in ${folder}`),
      rows.length ? make("div", { class: "scroll" }, make("table", {}, make("tbody", {}, ...rows))) : none));
  };
}

function actions(one, openText) {
  const page = one.page ? [make("a", { href: `results/${encodeURIComponent(one.name)}/${one.page}`, target: "_blank", rel: "noopener" }, "Open its page")] : [];
  const runs = one.scenarios.map(({ label, toml }) => make("button", { type: "button", class: "quiet", onclick: () => openText(toml) }, `Run “${label}”`));
  return [...page, ...runs];
}
