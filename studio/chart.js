// A chart of points with intervals: lines can be hidden, a stretch enlarged, and every point read with mouse or keyboard.

import { make } from "./controls.js";
import { save } from "./page.js";
import { flowColour, palette, short3, ticks, withHalf } from "./surface.js";

const [WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM] = [720, 330, 62, 16, 22, 46];
/** Pixels within which a point is taken for the one that is meant. */
const NEAR = 40;

/** An element of SVG. */
function svg(tag, attributes = {}, ...children) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children);
  return element;
}

const finite = (value) => value !== null && value !== undefined && Number.isFinite(value);

/** A mean with its interval in words: those of the command line where it gave some. */
const meanWords = ({ y, half, words }) => words ?? withHalf(y, half ?? NaN);

/** A value with its interval and its unit, `unit` where its words have none of their own. */
export function valueWords(point, unit) {
  const end = point.unit ?? unit;
  return `${meanWords(point)}${end ? ` ${end}` : ""}${point.n > 1 ? ` (95 % of ${point.n} runs)` : ""}`;
}

/** The ends of a point's interval, which may be narrower than the half-width where a measure has a least or largest value. */
const ends = ({ y, half, low, high }) => (finite(half) ? [low ?? y - half, high ?? y + half] : [y, y]);

/** A chart. `set` gives it its lines: name, points with x, y, half, n and, if known, low, high, words and their unit, whether they are joined, and a colour if any. */
export class Chart {
  constructor(title) {
    Object.assign(this, { title, lines: [], hidden: new Set(), view: null, chosen: null, name: title });
    this.drawing = svg("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, tabindex: "0", role: "img", class: "chart" });
    this.heading = make("h3", {}, title);
    this.legend = make("div", { class: "legend", role: "group", "aria-label": "Lines; press one to hide it" });
    this.said = make("output", { class: "said", "aria-live": "polite" }, "Point at a value, or press the arrow keys in the chart.");
    const button = (text, label, onclick) => make("button", { type: "button", "aria-label": `${label}: ${title}`, title: label, onclick }, text);
    const tools = make("span", {}, button("+", "Enlarge", () => this.zoom(0.6)), button("−", "Show more", () => this.zoom(1 / 0.6)),
      button("All", "Show all", () => this.reset()), button("SVG", "Save as SVG", () => this.export("SVG")),
      button("PNG", "Save as PNG", () => this.export("PNG")), button("CSV", "Save as CSV", () => this.export("CSV")));
    this.element = make("figure", { class: "wide" }, make("figcaption", {}, this.heading, tools), this.drawing, this.legend, this.said);
    this.listen();
  }

  /** Shows other lines. `names` are the texts of the places 0, 1, 2 … where the axis has no numbers. */
  set(lines, { axis, unit, names = null, title = this.title }) {
    Object.assign(this, { lines, axis, unit, names, view: null, chosen: null });
    this.title = title;
    this.heading.textContent = title;
    this.hidden = new Set([...this.hidden].filter((one) => lines.some(({ name }) => name === one)));
    this.writeLegend();
    this.draw();
  }

  colour(line) {
    return line.colour ?? flowColour(this.lines.indexOf(line) + 1);
  }

  get shown() {
    return this.lines.filter(({ name }) => !this.hidden.has(name));
  }

  writeLegend() {
    this.legend.replaceChildren(...this.lines.map((line) => {
      const swatch = make("span", { "aria-hidden": "true" }, line.joined === false ? "●" : "━");
      swatch.style.color = this.colour(line);
      return make("button", { type: "button", "aria-pressed": String(!this.hidden.has(line.name)), onclick: (event) => {
        if (!this.hidden.delete(line.name)) this.hidden.add(line.name);
        event.currentTarget.setAttribute("aria-pressed", String(!this.hidden.has(line.name)));
        this.draw();
      } }, swatch, ` ${line.name}`);
    }));
  }

  /** The range of the points that are shown, on both axes. */
  range() {
    const points = this.shown.flatMap(({ points: some }) => some).filter(({ y }) => finite(y));
    if (!points.length) return { x: [0, 1], y: [0, 1] };
    const least = (numbers) => numbers.reduce((a, b) => Math.min(a, b), Infinity);
    const most = (numbers) => numbers.reduce((a, b) => Math.max(a, b), -Infinity);
    const xs = points.map(({ x }) => x);
    const x = this.view ?? [least(xs), most(xs)];
    const inside = points.filter((one) => one.x >= x[0] && one.x <= x[1]);
    const some = inside.length ? inside : points;
    let low = least(some.map((one) => ends(one)[0]));
    let high = most(some.map((one) => ends(one)[1]));
    if (low > 0 && low < 0.4 * high) low = 0;
    if (low === high) [low, high] = [low - Math.abs(low || 1) / 10, high + Math.abs(high || 1) / 10];
    const pad = 0.05 * (high - low);
    const wide = this.names ? 0.5 : 0.02 * (x[1] - x[0] || 1);
    return { x: this.view ?? [x[0] - wide, x[1] + wide], y: [low === 0 ? 0 : low - pad, high + pad] };
  }

  draw() {
    const colours = palette();
    const { x: [x0, x1], y: [y0, y1] } = this.range();
    this.x = (value) => LEFT + ((value - x0) / (x1 - x0 || 1)) * (WIDTH - LEFT - RIGHT);
    this.y = (value) => HEIGHT - BOTTOM - ((value - y0) / (y1 - y0 || 1)) * (HEIGHT - TOP - BOTTOM);
    this.value = (pixel) => x0 + ((pixel - LEFT) / (WIDTH - LEFT - RIGHT)) * (x1 - x0);
    const text = (x, y, words, anchor) => svg("text", { x, y, fill: colours.faint, "text-anchor": anchor, "font-size": 13 }, words);
    const rows = ticks(y0, y1, 5).map((one) => [svg("line", { x1: LEFT, x2: WIDTH - RIGHT, y1: this.y(one), y2: this.y(one), stroke: colours.grid }),
      text(LEFT - 6, this.y(one) + 4, short3(one), "end")]);
    const columns = (this.names ? this.names.map((name, at) => [at, name]) : ticks(x0, x1, 7).map((one) => [one, short3(one)]))
      .filter(([at]) => at >= x0 && at <= x1);
    const most = Math.max(4, Math.floor(100 / Math.max(1, columns.length)));
    const labels = columns.map(([at, words]) => text(this.x(at), HEIGHT - BOTTOM + 18, words.length > most ? `${words.slice(0, most - 1)}…` : words, "middle"));
    const clip = svg("clipPath", { id: `clip-${this.serial ??= Math.random().toString(36).slice(2)}` },
      svg("rect", { x: LEFT, y: TOP - 6, width: WIDTH - LEFT - RIGHT, height: HEIGHT - TOP - BOTTOM + 12 }));
    const drawn = svg("g", { "clip-path": `url(#clip-${this.serial})` }, ...this.shown.map((line) => this.drawLine(line)));
    this.mark = svg("circle", { r: 7, fill: "none", stroke: colours.text, "stroke-width": 2, visibility: "hidden" });
    this.select = svg("rect", { y: TOP, height: HEIGHT - TOP - BOTTOM, fill: colours.accent, "fill-opacity": 0.2, visibility: "hidden" });
    this.drawing.replaceChildren(clip, ...rows.flat(), ...labels, text(WIDTH - RIGHT, HEIGHT - 6, this.axis, "end"),
      text(LEFT, TOP - 8, this.unit ? `[${this.unit}]` : "", "start"), drawn, this.select, this.mark);
    this.drawing.setAttribute("aria-label", `${this.title} over ${this.axis}: ${this.lines.map(({ name }) => name).join(", ")}`);
  }

  drawLine(line) {
    const colour = this.colour(line);
    const points = line.points.filter(({ y }) => finite(y));
    const group = svg("g", { stroke: colour, fill: colour });
    if (line.joined !== false && points.length > 1) {
      const path = points.map(({ x, y }, at) => `${at ? "L" : "M"}${this.x(x).toFixed(1)} ${this.y(y).toFixed(1)}`).join("");
      group.append(svg("path", { d: path, fill: "none", "stroke-width": 1.8, ...(line.dash ? { "stroke-dasharray": line.dash } : {}) }));
    }
    for (const point of points) {
      if (finite(point.half) && point.half > 0) {
        const [at, low, high] = [this.x(point.x), ...ends(point).map(this.y)];
        group.append(svg("path", { d: `M${at} ${low}V${high}M${at - 4} ${low}h8M${at - 4} ${high}h8`, fill: "none", "stroke-width": 1.3 }));
      }
    }
    if (points.length <= 200) {
      for (const { x, y } of points) {
        group.append(line.open ? svg("circle", { cx: this.x(x), cy: this.y(y), r: 4.5, fill: "none", "stroke-width": 2 })
          : svg("circle", { cx: this.x(x), cy: this.y(y), r: 3.5, stroke: "none" }));
      }
    }
    return group;
  }

  /** Points in the order in which the keys pass them. */
  get points() {
    const [low, high] = this.view ?? [-Infinity, Infinity];
    return this.shown.flatMap((line) => line.points.filter(({ x, y }) => finite(y) && x >= low && x <= high).map((point) => ({ line, point })));
  }

  choose(found) {
    this.chosen = found;
    if (!found) return;
    const { line, point } = found;
    const where = this.names ? this.names[point.x] : `${short3(point.x)}`;
    this.said.textContent = `${line.name}${point.label ? `, ${point.label}` : ""}, ${this.names ? where : `${this.axis} ${where}`}: ${valueWords(point, this.unit)}`;
    this.mark.setAttribute("cx", this.x(point.x));
    this.mark.setAttribute("cy", this.y(point.y));
    this.mark.setAttribute("visibility", "visible");
  }

  place(event) {
    const box = this.drawing.getBoundingClientRect();
    return [((event.clientX - box.left) / box.width) * WIDTH, ((event.clientY - box.top) / box.height) * HEIGHT];
  }

  listen() {
    const { drawing } = this;
    drawing.addEventListener("pointermove", (event) => {
      const [px, py] = this.place(event);
      if (this.from !== undefined) return this.stretch(px);
      const distance = ({ point }) => Math.hypot(this.x(point.x) - px, this.y(point.y) - py);
      const best = this.points.reduce((one, other) => (one && distance(one) <= distance(other) ? one : other), null);
      if (best && distance(best) < NEAR) this.choose(best);
    });
    drawing.addEventListener("pointerdown", (event) => {
      if (event.pointerType === "touch") return;
      [this.from] = this.place(event);
      drawing.setPointerCapture(event.pointerId);
    });
    drawing.addEventListener("pointerup", (event) => {
      if (this.from === undefined) return;
      const ends = [this.from, this.place(event)[0]].sort((a, b) => a - b);
      this.from = undefined;
      this.select.setAttribute("visibility", "hidden");
      if (ends[1] - ends[0] > 8) this.show(ends.map(this.value));
    });
    drawing.addEventListener("dblclick", () => this.reset());
    drawing.addEventListener("keydown", (event) => this.key(event));
  }

  stretch(to) {
    const [low, high] = [this.from, to].sort((a, b) => a - b);
    this.select.setAttribute("x", low);
    this.select.setAttribute("width", high - low);
    this.select.setAttribute("visibility", "visible");
  }

  key(event) {
    const { points } = this;
    const at = points.findIndex(({ point }) => point === this.chosen?.point);
    const go = (by) => this.choose(points[Math.min(points.length - 1, Math.max(0, at + by))]);
    const actions = { ArrowRight: () => go(1), ArrowLeft: () => go(-1), Home: () => this.choose(points[0]), End: () => this.choose(points.at(-1)),
      "+": () => this.zoom(0.6), "-": () => this.zoom(1 / 0.6), 0: () => this.reset() };
    if (!actions[event.key] || !points.length) return;
    event.preventDefault();
    event.stopPropagation();
    actions[event.key]();
  }

  show(view) {
    this.view = view;
    this.draw();
    this.choose(this.chosen);
  }

  /** Shows a shorter or longer stretch around the chosen point or the middle. */
  zoom(factor) {
    const [low, high] = this.range().x;
    const centre = this.chosen?.point.x ?? (low + high) / 2;
    this.show([centre - (centre - low) * factor, centre + (high - centre) * factor]);
  }

  reset() {
    this.show(null);
  }

  export(kind) {
    const file = this.title.replaceAll(/[^\w]+/g, "-");
    if (kind === "CSV") return save(`${file}.csv`, this.csv(), "text/csv");
    const copy = this.drawing.cloneNode(true);
    copy.setAttribute("xmlns", "http://www.w3.org/2000/svg");
    copy.setAttribute("width", WIDTH);
    copy.setAttribute("height", HEIGHT);
    copy.setAttribute("font-family", "system-ui, sans-serif");
    copy.insertBefore(svg("rect", { width: "100%", height: "100%", fill: palette().panel }), copy.firstChild);
    const text = copy.outerHTML;
    if (kind === "SVG") return save(`${file}.svg`, text, "image/svg+xml");
    const image = new Image();
    image.onload = () => {
      const canvas = make("canvas", { width: 2 * WIDTH, height: 2 * HEIGHT });
      canvas.getContext("2d").drawImage(image, 0, 0, 2 * WIDTH, 2 * HEIGHT);
      canvas.toBlob((blob) => save(`${file}.png`, blob));
    };
    image.src = `data:image/svg+xml;utf8,${encodeURIComponent(text)}`;
    return undefined;
  }

  /** The points of all lines as CSV. */
  csv() {
    const quoted = (text) => (/[",\n]/.test(text) ? `"${String(text).replaceAll('"', '""')}"` : text);
    const rows = this.lines.flatMap(({ name, points }) => points.map(({ x, y, half, n }) =>
      [name, this.names ? this.names[x] : x, y ?? "", half ?? "", n ?? ""].map(quoted).join(",")));
    return [`line,${quoted(this.axis)},${quoted(`${this.title}${this.unit ? ` [${this.unit}]` : ""}`)},half_width,n`, ...rows].join("\n") + "\n";
  }
}

/** A table whose columns sort it. A cell is a text, a number or `{ mean, half, words, unit }`; columns have a key, a title and a unit. */
export function sortable(columns, rows, caption) {
  const numeric = (cell) => (typeof cell === "object" && cell !== null ? cell.mean : cell);
  const words = (cell, unit) => {
    if (cell === null || cell === undefined) return "–";
    if (typeof cell === "object") return `${meanWords({ ...cell, y: cell.mean })}${cell.unit && cell.unit !== unit ? ` ${cell.unit}` : ""}`;
    return typeof cell === "number" ? String(Number(cell.toPrecision(6))) : String(cell);
  };
  let [by, up] = ["", true];
  const body = make("tbody", {});
  const fill = () => {
    const order = [...rows];
    if (by) {
      order.sort((a, b) => {
        const [one, other] = [numeric(a[by]), numeric(b[by])];
        if (one === null || one === undefined) return 1;
        if (other === null || other === undefined) return -1;
        const found = typeof one === "number" && typeof other === "number" ? one - other : String(one).localeCompare(String(other));
        return up ? found : -found;
      });
    }
    body.replaceChildren(...order.map((row) => make("tr", {}, ...columns.map(({ key, unit }, at) =>
      make(at === 0 ? "th" : "td", at === 0 ? { scope: "row" } : {}, words(row[key], unit))))));
  };
  const heads = columns.map(({ key, title, unit }) => {
    const head = make("th", { scope: "col", "aria-sort": "none" });
    head.append(make("button", { type: "button", class: "quiet", onclick: () => {
      [by, up] = [key, by === key ? !up : true];
      for (const other of heads) other.setAttribute("aria-sort", "none");
      head.setAttribute("aria-sort", up ? "ascending" : "descending");
      fill();
    } }, `${title}${unit ? ` [${unit}]` : ""}`));
    return head;
  });
  fill();
  return make("div", { class: "scroll", tabindex: "0", role: "group", "aria-label": caption }, make("table", {}, make("caption", {}, caption),
    make("thead", {}, make("tr", {}, ...heads)), body));
}
