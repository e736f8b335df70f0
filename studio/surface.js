// Two surfaces with the same methods: a canvas to show a figure, and SVG text to export it.

/** Draws on a canvas in CSS pixels, sharp on any screen. */
export class CanvasSurface {
  constructor(canvas) {
    const scale = window.devicePixelRatio || 1;
    const { clientWidth: width, clientHeight: height } = canvas;
    if (canvas.width !== Math.round(width * scale) || canvas.height !== Math.round(height * scale)) {
      canvas.width = Math.round(width * scale);
      canvas.height = Math.round(height * scale);
    }
    this.pen = canvas.getContext("2d");
    this.pen.setTransform(scale, 0, 0, scale, 0, 0);
    this.pen.clearRect(0, 0, width, height);
    Object.assign(this, { width, height });
  }

  rect(x, y, width, height, fill, stroke = "") {
    if (fill) {
      this.pen.fillStyle = fill;
      this.pen.fillRect(x, y, width, height);
    }
    if (stroke) {
      this.pen.strokeStyle = stroke;
      this.pen.lineWidth = 1;
      this.pen.strokeRect(x, y, width, height);
    }
  }

  /** A line through points, given as x0, y0, x1, y1 and so on; NaN breaks it. */
  line(points, stroke, width = 1.5, dash = []) {
    const { pen } = this;
    pen.strokeStyle = stroke;
    pen.lineWidth = width;
    pen.lineJoin = "round";
    pen.setLineDash(dash);
    pen.beginPath();
    let broken = true;
    for (let i = 0; i < points.length; i += 2) {
      if (Number.isNaN(points[i + 1])) broken = true;
      else if (broken) {
        pen.moveTo(points[i], points[i + 1]);
        broken = false;
      } else pen.lineTo(points[i], points[i + 1]);
    }
    pen.stroke();
    pen.setLineDash([]);
  }

  circle(x, y, radius, fill) {
    this.pen.fillStyle = fill;
    this.pen.beginPath();
    this.pen.arc(x, y, radius, 0, 2 * Math.PI);
    this.pen.fill();
  }

  text(x, y, text, fill, anchor = "start", size = 11) {
    this.pen.font = `${size}px system-ui, sans-serif`;
    this.pen.textAlign = { start: "left", middle: "center", end: "right" }[anchor];
    this.pen.fillStyle = fill;
    this.pen.fillText(text, x, y);
  }
}

const escaped = (text) => String(text).replace(/[&<>"]/g, (letter) => `&#${letter.charCodeAt(0)};`);
const short = (value) => Number(value.toFixed(2));

/** Collects the same figure as SVG. */
export class SvgSurface {
  constructor(width, height) {
    Object.assign(this, { width, height, parts: [] });
  }

  rect(x, y, width, height, fill, stroke = "") {
    const paint = `fill="${fill || "none"}"${stroke ? ` stroke="${stroke}"` : ""}`;
    this.parts.push(`<rect x="${short(x)}" y="${short(y)}" width="${short(width)}" height="${short(height)}" ${paint}/>`);
  }

  line(points, stroke, width = 1.5, dash = []) {
    let path = "";
    let broken = true;
    for (let i = 0; i < points.length; i += 2) {
      if (Number.isNaN(points[i + 1])) broken = true;
      else {
        path += `${broken ? "M" : "L"}${short(points[i])} ${short(points[i + 1])}`;
        broken = false;
      }
    }
    const dashes = dash.length ? ` stroke-dasharray="${dash.join(" ")}"` : "";
    this.parts.push(`<path d="${path}" fill="none" stroke="${stroke}" stroke-width="${width}"${dashes}/>`);
  }

  circle(x, y, radius, fill) {
    this.parts.push(`<circle cx="${short(x)}" cy="${short(y)}" r="${radius}" fill="${fill}"/>`);
  }

  text(x, y, text, fill, anchor = "start", size = 11) {
    const where = `x="${short(x)}" y="${short(y)}" text-anchor="${anchor}" font-size="${size}"`;
    this.parts.push(`<text ${where} font-family="system-ui, sans-serif" fill="${fill}">${escaped(text)}</text>`);
  }

  /** The figure on a background. */
  toString(background) {
    const box = `viewBox="0 0 ${this.width} ${this.height}" width="${this.width}" height="${this.height}"`;
    const ground = `<rect width="100%" height="100%" fill="${background}"/>`;
    return `<svg xmlns="http://www.w3.org/2000/svg" ${box}>${ground}${this.parts.join("")}</svg>`;
  }
}

/** The colours of the page, light or dark, and of flows. */
export function palette() {
  const style = getComputedStyle(document.documentElement);
  const named = (name) => style.getPropertyValue(`--${name}`).trim();
  const names = ["ground", "panel", "text", "faint", "grid", "queue", "average", "drop", "mark", "accent"];
  return Object.fromEntries(names.map((name) => [name, named(name)]));
}

/** The colour of a flow: hues apart, readable in light and dark. */
export function flowColour(flow) {
  return `hsl(${Math.round((flow * 137.508) % 360)} 62% 52%)`;
}

/** Round values for an axis from `low` to `high`, about `count` of them. */
export function ticks(low, high, count = 4) {
  const span = high - low || 1;
  const power = 10 ** Math.floor(Math.log10(span / count));
  const step = [1, 2, 5, 10].map((factor) => factor * power).find((one) => span / one <= count) ?? 10 * power;
  const found = [];
  for (let value = Math.ceil(low / step) * step; value <= high + step * 1e-9; value += step) found.push(value);
  return found;
}

/** A number with three digits or so. */
export function short3(value) {
  if (!Number.isFinite(value)) return "–";
  const size = Math.abs(value);
  if (size >= 1e9) return `${Number((value / 1e9).toPrecision(3))} G`;
  if (size >= 1e6) return `${Number((value / 1e6).toPrecision(3))} M`;
  if (size >= 1e4) return `${Number((value / 1e3).toPrecision(3))} k`;
  return String(Number(value.toPrecision(3)));
}

/** A mean with its half-width, which has two digits, in the same decimals; the mean alone where there is none. */
export function withHalf(mean, half) {
  if (!Number.isFinite(half)) return short3(mean);
  if (half === 0) return `${short3(mean)} (all runs)`;
  const places = Math.max(0, 1 - Math.floor(Math.log10(half)));
  if (places > 6 || Math.abs(mean) >= 1e4) return `${short3(mean)} ± ${short3(half)}`;
  return `${mean.toFixed(places).replace("-", "−")} ± ${half.toFixed(places)}`;
}
