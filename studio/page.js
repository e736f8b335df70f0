// What a side looks like on the page: its figures, numbers and controls.

import { drawWindows, FIGURES, spoken } from "./figures.js";
import { controlsOf, make } from "./controls.js";
import { CanvasSurface, flowColour, palette, short3, SvgSurface } from "./surface.js";

/** Saves a text or blob as a file. */
export function save(name, content, type) {
  const blob = content instanceof Blob ? content : new Blob([content], { type });
  const link = make("a", { href: URL.createObjectURL(blob), download: name });
  link.click();
  // A busy browser fetches the blob late.
  setTimeout(() => URL.revokeObjectURL(link.href), 60000);
}

/** A copy of a canvas with a colour behind it. */
function onGround(canvas, colour) {
  const copy = make("canvas", { width: canvas.width, height: canvas.height });
  const pen = copy.getContext("2d");
  pen.fillStyle = colour;
  pen.fillRect(0, 0, copy.width, copy.height);
  pen.drawImage(canvas, 0, 0);
  return copy;
}

/** The part of the page of one side. */
export class SidePage {
  constructor(engine, letter, { change, watch }) {
    Object.assign(this, { engine, letter, change, watch, chosen: new Set([0, 1, 2]), canvases: {} });
    this.title = make("h2", { id: `side-${letter}` });
    this.figures = make("div", { class: "figures" });
    this.numbers = make("dl", { class: "numbers" });
    this.controls = make("div", {});
    this.chooser = make("div", { class: "chosen", role: "group", "aria-label": "Flows whose windows are drawn" });
    this.element = make("section", { class: "side", "aria-labelledby": `side-${letter}` }, this.title, this.numbers,
      this.figures, this.controls);
    for (const [name, title] of FIGURES) this.addFigure(name, title);
  }

  addFigure(name, title) {
    const canvas = make("canvas", { role: "img", "aria-label": title });
    const download = (kind) => make("button", {
      type: "button", "aria-label": `Save “${title}” of ${this.letter.toUpperCase()} as ${kind}`, onclick: () => this.export(name, kind),
    }, kind);
    const kinds = ["SVG", "PNG", ...(name === "queue" ? ["CSV"] : [])].map(download);
    const caption = make("figcaption", {}, make("h3", {}, title), make("span", {}, ...kinds));
    this.figures.append(make("figure", { class: ["link", "shares"].includes(name) ? "wide" : "" }, caption, canvas, name === "windows" ? this.chooser : ""));
    this.canvases[name] = canvas;
  }

  /** Shows another side: its controls and flows are made again; an open group stays open. */
  show(side) {
    this.side = side;
    const open = new Set([...this.controls.querySelectorAll("details[open] > summary")].map((one) => one.textContent));
    const first = !this.controls.firstChild;
    const focused = this.controls.contains(document.activeElement)
      ? document.querySelector(`label[for="${document.activeElement.id}"]`)?.textContent : null;
    this.controls.replaceChildren(controlsOf(this.engine, side.about, this));
    if (!first) for (const one of this.controls.querySelectorAll("summary")) one.parentElement.open = open.has(one.textContent);
    const again = focused && [...this.controls.querySelectorAll("label")].find((one) => one.textContent === focused);
    if (again) document.getElementById(again.htmlFor)?.focus();
    const { kind, rate_bps: rate, name } = side.about.link;
    this.title.replaceChildren(`${this.letter.toUpperCase()}: ${kind} `, make("small", {}, `${side.about.title}, ${name} at ${short3(rate)}bit/s`));
    this.chooseFlows(Math.min(side.about.flows.length, 12));
  }

  chooseFlows(count) {
    this.chooser.replaceChildren(...Array.from({ length: count }, (_, flow) => {
      const box = make("input", {
        type: "checkbox", checked: this.chosen.has(flow),
        onchange: () => {
          if (box.checked) this.chosen.add(flow);
          else this.chosen.delete(flow);
        },
      });
      const swatch = make("span", { "aria-hidden": "true" }, "●");
      swatch.style.color = flowColour(flow);
      return make("label", {}, box, swatch, this.side.about.flows[flow].name);
    }));
  }

  surfaceOf(draw, surface, colours) {
    if (draw === drawWindows) draw(surface, colours, this.side, [...this.chosen]);
    else draw(surface, colours, this.side);
  }

  /** Draws the figures: those in view, or all. */
  draw(colours, { all = false } = {}) {
    for (const [name, , draw] of FIGURES) {
      const canvas = this.canvases[name];
      const { top, bottom } = canvas.getBoundingClientRect();
      if (!all && (bottom < 0 || top > window.innerHeight)) continue;
      this.surfaceOf(draw, new CanvasSurface(canvas), colours);
    }
  }

  /** Writes the numbers, and what a screen reader hears of the figures. */
  write() {
    const { side } = this;
    const { last, totals } = side;
    const rows = [
      ["Queue", last ? `${last.queue} pkts` : "–"],
      ["Average queue", last && !Number.isNaN(last.avg) ? `${short3(last.avg)} ${side.countsPackets() ? "pkts" : "bytes"}` : "–"],
      ["Time in the queue", last ? `${short3(last.sojourn)} ms` : "–"],
      ["Throughput, mean", side.now > 0 ? `${short3((8 * totals.departedBytes) / side.now)}bit/s` : "–"],
      ["Dropped", `${totals.dropped} pkts (${short3(totals.arrived ? (100 * totals.dropped) / totals.arrived : 0)}\u00a0%)`],
      ["Marked (ECN)", `${totals.marked} pkts`],
      ...side.session.valueNames.map((name, index) => [name, short3(side.frame.values[index])]).filter(([name]) => name !== "avg"),
    ];
    this.numbers.replaceChildren(...rows.map(([name, value]) => make("div", {}, make("dt", {}, name), make("dd", {}, value))));
    this.canvases.link.setAttribute("aria-label", `The link. ${spoken(side)}`);
  }

  /** Saves a figure or the data. */
  export(name, kind) {
    const [, , draw] = FIGURES.find(([other]) => other === name);
    const file = `${this.side.about.link.kind}-${name}`;
    if (kind === "CSV") save(`${file}.csv`, this.side.csv(), "text/csv");
    else if (kind === "PNG") {
      const colours = palette();
      this.surfaceOf(draw, new CanvasSurface(this.canvases[name]), colours);
      onGround(this.canvases[name], colours.panel).toBlob((blob) => save(`${file}.png`, blob));
    } else {
      const canvas = this.canvases[name];
      const surface = new SvgSurface(canvas.clientWidth, canvas.clientHeight);
      const colours = palette();
      this.surfaceOf(draw, surface, colours);
      save(`${file}.svg`, surface.toString(colours.panel), "image/svg+xml");
    }
  }
}
