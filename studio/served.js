// What only the command line can do, when it serves the page: configurations of boxes, imports, results of this machine.

import { get, isServed, post } from "./calls.js";
import { make } from "./controls.js";
import { view } from "./results.js";
import { BOXES, configuration as loaded, page as tunePage } from "./tuning.js";

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

/** Shows the buttons of the results and of the search, where there is a server. */
export function listen({ results, tune, panel, openText }) {
  if (!isServed()) return;
  const close = () => {
    panel.hidden = true;
    panel.replaceChildren();
    for (const one of [results, tune]) one.setAttribute("aria-expanded", "false");
  };
  const toggle = (button, fill) => {
    button.hidden = false;
    button.setAttribute("aria-expanded", "false");
    button.onclick = async () => {
      const isOpen = button.getAttribute("aria-expanded") === "true";
      close();
      if (isOpen) return;
      button.setAttribute("aria-expanded", "true");
      panel.hidden = false;
      panel.replaceChildren(await fill());
      panel.querySelector("h2")?.focus();
    };
  };
  toggle(results, () => list(openText, panel, close));
  toggle(tune, () => tunePage({ close }));
}

/** The list of results. */
async function list(openText, panel, close) {
  const { folder, results } = await get("api/results");
  const open = async (one) => {
    const found = await post("api/result", { name: one.name });
    if (found.error) return panel.append(make("p", { class: "worse", role: "alert" }, found.error));
    panel.replaceChildren(view(found, { close, back, extra: loaded(found) }));
    return panel.querySelector("h2").focus();
  };
  const back = async () => {
    panel.replaceChildren(await list(openText, panel, close));
    panel.querySelector("h2").focus();
  };
  const rows = results.map((one) => make("tr", {}, make("th", { scope: "row" }, one.name), make("td", {}, one.kind), make("td", {}, one.title),
    make("td", {}, ...actions(one, open, openText))));
  const none = make("p", {}, `No results in ${folder}. Commands write them there: dropcurve compare droptail_vs_red --queue red --queue codel`);
  const heads = ["Folder", "Verb", "Title", "Open"].map((name) => make("th", { scope: "col" }, name));
  return make("section", { "aria-label": "Results" }, make("h2", { tabindex: "-1" }, `Results in ${folder}`),
    rows.length ? make("div", { class: "scroll", tabindex: "0", role: "group", "aria-label": "List of results" },
      make("table", {}, make("thead", {}, make("tr", {}, ...heads)), make("tbody", {}, ...rows))) : none);
}

function actions(one, open, openText) {
  const opened = one.opens ? [make("button", { type: "button", "aria-label": `Open ${one.name}`, onclick: () => open(one) }, "Open"), " "] : [];
  const page = one.page ? [make("a", { href: `results/${encodeURIComponent(one.name)}/${one.page}`, target: "_blank", rel: "noopener" }, "Its page")] : [];
  const runs = one.scenarios.map(({ label, toml }) => make("button", { type: "button", class: "quiet", onclick: () => openText(toml) }, `Run “${label}”`));
  return [...opened, ...page, ...runs];
}
