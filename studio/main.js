// The studio: keeps the state, the sides that run and the page in step.

import { Pairs, table } from "./compare.js";
import { file, load } from "./engine.js";
import { spoken } from "./figures.js";
import { copier, make } from "./controls.js";
import { press } from "./keys.js";
import { inputs, page as lessonPage } from "./lessons.js";
import { save, SidePage } from "./page.js";
import { page as paperPage } from "./papers.js";
import { isServed } from "./calls.js";
import * as served from "./served.js";
import { Side } from "./side.js";
import { asked, command, editsOf, fresh, fromHash, python, toHash, withEdit } from "./state.js";
import { palette } from "./surface.js";
import { Tour } from "./tour.js";

/** Milliseconds of a frame in which runs go on; the rest is for drawing. */
const BUDGET = 9;
/** Events between two looks at the clock. */
const SLICE = 4000;
const SPEEDS = [["0.01", "1/100"], ["0.1", "1/10"], ["0.5", "1/2"], ["1", "real time"], ["2", "2×"], ["5", "5×"], ["20", "20×"],
  ["max", "as fast as it goes"]];

/** The name of the tour among the lessons. */
const TOUR = "max_p";
/** The scenario that opens first. */
const FIRST = "droptail_vs_red";

const $ = (id) => document.getElementById(id);

class Studio {
  constructor(engine, library) {
    Object.assign(this, { engine, library, playing: false, last: 0, target: 0, drawn: 0, times: [], spokenAt: 0 });
    this.pages = { a: this.pageOf("a"), b: this.pageOf("b") };
    this.sides = {};
    this.fillChoices();
    this.listen();
    this.goTo(location.hash);
    requestAnimationFrame((now) => this.tick(now));
  }

  /** Shows the state of an address. Where it has a problem, the nearest state without it is shown, and the problem named. */
  goTo(hash) {
    const { state, problems } = fromHash(hash, FIRST);
    const { lesson } = state;
    const refused = (path, value, rule, remedy) => problems.push({ path, value, rule, remedy });
    if (this.textOf(state) === undefined) {
      refused("scenario", state.name, "is not a scenario of the studio", `choose one, or drop a file on the page; ${FIRST} is in view`);
      state.name = FIRST;
    }
    if (lesson && !this.hasLesson(lesson)) refused("lesson", lesson, "is not a lesson of the studio", "choose one");
    const before = this.sides.a ? this.state : fresh(FIRST);
    for (const one of [state, { ...state, link: "" }, before]) {
      this.state = one;
      if (this.apply()) break;
      if (one === state) problems.push(...this.refused);
    }
    this.teach(this.state === before ? before.lesson : lesson);
    this.remember();
    if (problems.length) this.refuse({ problems });
  }

  /** Whether a name is that of the tour, a paper or a lesson. */
  hasLesson(name) {
    const { lessons, papers } = this.library;
    return name === TOUR || lessons.some(({ kind }) => kind === name) || papers.some((paper) => name === `paper ${paper.name}`);
  }

  pageOf(letter) {
    return new SidePage(this.engine, letter, { change: (path, value) => this.change(letter, path, value), watch: (link) => this.restartWith({ link }) });
  }

  textOf(state) {
    if (state.text) return state.text;
    return this.library.scenarios[state.name]?.text;
  }

  /** Starts the sides of the state again and replays them to its time. Returns whether it could. */
  apply(before = null) {
    const letters = this.state.other ? ["a", "b"] : ["a"];
    const made = {};
    try {
      for (const letter of letters) made[letter] = new Side(this.engine, asked(this.state, letter, this.textOf(this.state)));
    } catch (error) {
      Object.values(made).forEach((side) => side.close());
      this.refuse(error);
      if (before) this.state = before;
      return false;
    }
    Object.values(this.sides).forEach((side) => side.close());
    this.sides = made;
    $("problems").replaceChildren();
    $("sides").className = letters.length === 2 ? "two" : "";
    const shown = letters.map((letter) => this.pages[letter].element);
    // What leaves the page, if only to come back, loses the focus.
    if (shown.length !== $("sides").children.length) $("sides").replaceChildren(...shown);
    for (const letter of letters) this.pages[letter].show(made[letter]);
    this.target = Math.min(this.state.time, this.duration);
    this.catchingUp = this.target > 0;
    this.pairs?.close();
    this.pairs = this.state.other ? new Pairs(this.engine, this.state, this.textOf(this.state), made.a.about.link.name) : null;
    $("pairs").hidden = !this.pairs;
    $("pairs-table").replaceChildren();
    $("time").max = String(this.duration);
    $("seed").value = String(this.state.seed);
    $("second").checked = Boolean(this.state.other);
    $("scenario").value = this.state.text ? "" : this.state.name;
    this.writeSame();
    this.remember();
    this.drawn = 0;
    this.tour?.follow();
    return true;
  }

  refuse(error) {
    this.refused = error.problems ?? [{ path: "", value: "", rule: error.message, remedy: "" }];
    $("problems").replaceChildren(...this.refused.map(({ path, value, rule, remedy }) => make("p", {},
      `${path}${value ? ` = ${value}` : ""}${path ? ": " : ""}${rule}${remedy ? `; ${remedy}` : ""}`)));
  }

  get duration() {
    return Math.max(...Object.values(this.sides).map((side) => side.duration));
  }

  get now() {
    return Math.min(...Object.values(this.sides).map((side) => side.now));
  }

  /** The time in view; while a change replays the run, the time that it replays to. */
  get moment() {
    return this.catchingUp ? this.target : this.now;
  }

  change(letter, path, value) {
    const before = structuredClone(this.state);
    this.state.time = this.moment;
    if (letter === "a") {
      // Side B keeps its own setting where it has one, and follows A elsewhere.
      this.state.edits = withEdit(this.state.edits, path, value);
    } else this.state.other = withEdit(this.state.other, path, value);
    if (!this.apply(before)) {
      const side = this.sides[letter];
      if (side) this.pages[letter].show(side);
    }
  }

  remember() {
    this.state.time = Math.min(this.target, this.duration);
    history.replaceState(null, "", `#${toHash(this.state)}`);
  }

  seek(time) {
    this.state.time = Math.max(0, Math.min(time, this.duration));
    if (this.state.time < this.now) Object.values(this.sides).forEach((side) => side.restart());
    this.target = this.state.time;
    this.catchingUp = true;
    this.drawn = 0;
    this.remember();
  }

  play(on) {
    if (on && this.now >= this.duration) this.seek(0);
    this.playing = on;
    $("play").textContent = on ? "Pause" : "▶ Play";
    if (!on) {
      this.target = this.now;
      this.remember();
      this.speak();
    }
  }

  stepBy(seconds) {
    this.play(false);
    this.seek(this.now + seconds);
  }

  /** A frame: runs go on, then what changed is drawn. */
  tick(now) {
    const passed = Math.min(100, now - this.last) / 1000;
    this.last = now;
    const started = performance.now();
    const speed = $("speed").value;
    if (this.playing && !this.catchingUp) this.target = speed === "max" ? this.duration : Math.min(this.duration, this.target + passed * Number(speed));
    const wasCatchingUp = this.catchingUp;
    const moved = this.advance(started + BUDGET);
    if (wasCatchingUp && !this.catchingUp && !this.playing) this.speak();
    if (this.playing && this.now >= this.duration) this.play(false);
    if (this.pairs?.work(started + BUDGET)) {
      $("pairs-table").replaceChildren(table(this.pairs));
    }
    if (moved || this.drawn < 2) this.draw(now);
    if (moved) this.count(performance.now() - started);
    requestAnimationFrame((next) => this.tick(next));
  }

  /** Advances the sides together until the target or the end of the budget; returns whether they moved. */
  advance(until) {
    const before = this.now;
    do {
      for (const side of Object.values(this.sides)) {
        const other = this.sides.a === side ? this.sides.b : this.sides.a;
        // No side runs ahead of the other by more than a part of a second.
        side.advance(other && !other.result ? Math.min(this.target, other.now + 0.25) : this.target, SLICE);
      }
    } while (this.now < this.target - 1e-9 && performance.now() < until && Object.values(this.sides).some((side) => !side.result));
    if (this.now >= this.target - 1e-9) this.catchingUp = false;
    // A pair that falls behind the clock continues from where it is.
    if (this.playing && !this.catchingUp && $("speed").value !== "max") this.target = Math.min(this.target, this.now + 0.5);
    return this.now !== before;
  }

  draw(now) {
    this.drawn += 1;
    const colours = palette();
    for (const letter of Object.keys(this.sides)) this.pages[letter].draw(colours);
    if (now - (this.written ?? 0) > 200 || !this.playing) {
      this.written = now;
      for (const letter of Object.keys(this.sides)) this.pages[letter].write();
      $("clock").textContent = `${this.now.toFixed(2)} of ${this.duration} s`;
      $("time").value = String(this.now);
      $("time").setAttribute("aria-valuetext", `${this.now.toFixed(1)} seconds`);
      this.writeDigests();
      this.tour?.look();
    }
  }

  /** Times of the last frames, for the foot of the page and for tests. */
  count(milliseconds) {
    this.times.push(milliseconds);
    if (this.times.length > 600) this.times.shift();
    if (this.times.length % 60 === 0) {
      const sorted = [...this.times].sort((a, b) => a - b);
      $("frames").textContent = `A frame takes ${sorted[sorted.length >> 1].toFixed(1)} ms, 95 % of them at most `
        + `${sorted[Math.floor(sorted.length * 0.95)].toFixed(1)} ms.`;
    }
  }

  speak() {
    $("spoken").textContent = Object.entries(this.sides).map(([letter, side]) => `${letter.toUpperCase()}: ${spoken(side)}`).join(" ");
  }

  writeSame() {
    const parts = Object.keys(this.sides).map((letter) => {
      const side = this.sides[letter];
      const code = (title, text) => [make("h3", {}, title, " ", copier("Copy", () => text, { class: "quiet" })), make("pre", { tabindex: "0" }, text)];
      return make("div", {}, make("h3", {}, `${letter.toUpperCase()}: digest `, make("code", { id: `digest-${letter}` }, "at the end of the run")),
        ...code("Command", command(this.state, letter)), ...code("Python", `import dropcurve\n${python(this.state, letter)}`),
        make("button", { type: "button", onclick: () => save("scenario.toml", side.about.toml, "application/toml") }, "Save the scenario"), " ",
        ...served.configuration(() => this.queueOf(letter)));
    });
    $("same-sides").replaceChildren(...parts, make("p", {}, "The address of this page holds the whole state: ",
      copier("Copy the address", () => {
        this.remember();
        return location.href;
      })));
  }

  queueOf(letter) {
    return { toml: this.sides[letter].about.toml, link: this.sides[letter].about.link.name };
  }

  writeDigests() {
    for (const [letter, side] of Object.entries(this.sides)) {
      const element = $(`digest-${letter}`);
      if (element) element.textContent = side.result ? side.result.digest : "at the end of the run";
    }
  }

  fillChoices() {
    const scenarios = Object.entries(this.library.scenarios);
    $("scenario").replaceChildren(make("option", { value: "" }, "a file of mine"),
      ...scenarios.map(([name, { title }]) => make("option", { value: name }, title)));
    const group = (label, rows) => make("optgroup", { label }, ...rows.map(([value, title]) => make("option", { value }, title)));
    $("lesson").replaceChildren(make("option", { value: "" }, "none"), group("Start here", [[TOUR, "What max_p of RED does"]]),
      group("Key figures of papers, live", this.library.papers.map(({ name, title }) => [`paper ${name}`, title])),
      ...[...new Set(this.library.lessons.map((one) => one.group))].map((label) => group(label,
        this.library.lessons.filter((one) => one.group === label).map(({ kind }) => [kind, kind]))));
    $("speed").replaceChildren(...SPEEDS.map(([value, title]) => make("option", { value, selected: value === "1" }, title)));
  }

  /** Shows a lesson, the tour, or none. */
  teach(kind) {
    this.tour = null;
    const lesson = this.library.lessons.find((one) => one.kind === kind);
    const paper = this.library.papers.find(({ name }) => kind === `paper ${name}`);
    this.state.lesson = lesson || paper || kind === TOUR ? kind : "";
    $("lesson").value = this.state.lesson;
    $("tour-button").hidden = Boolean(this.state.lesson);
    document.body.classList.toggle("touring", kind === TOUR);
    this.drawn = 0;
    const close = () => {
      this.teach("");
      this.remember();
    };
    if (kind === TOUR) {
      const open = () => this.restartWith({ ...fresh("droptail_vs_red"), time: 0, lesson: TOUR });
      this.tour = new Tour({ open, side: () => this.sides.a, change: (path, value) => this.change("a", path, value), close });
      return $("lesson-page").replaceChildren(this.tour.element);
    }
    if (paper) {
      const open = (input) => {
        const before = this.state;
        this.state = { ...fresh(""), ...input, lesson: kind };
        if (this.apply(before)) this.play(true);
      };
      return $("lesson-page").replaceChildren(paperPage(this.engine, paper, { open, close }));
    }
    if (!lesson) return $("lesson-page").replaceChildren();
    const { first } = lesson;
    let beside = null;
    const open = (name) => {
      const before = this.state;
      beside = name;
      this.state = { ...fresh(""), text: lesson.cells[first], lesson: kind, other: name ? lesson.differences[name] : null };
      if (this.apply(before)) this.play(true);
    };
    // The settings in view, in the places of those of the lesson; null while others are in view.
    const present = () => {
      if (this.state.text !== lesson.cells[first]) return null;
      const cell = (letter) => ({ text: this.state.text, edits: editsOf(this.state, letter) });
      return { ...inputs(lesson), [first]: cell("a"), ...(beside && this.state.other ? { [beside]: cell("b") } : {}) };
    };
    return $("lesson-page").replaceChildren(lessonPage(this.engine, lesson, { link: "bottleneck", open, close, present }));
  }

  /** Opens the text of a file: a scenario, or with the command line behind it the configuration of a box. */
  async openText(text) {
    const { ok, problems } = this.engine.describe({ text, edits: [] });
    let scenario = text;
    if (!ok) {
      // Text that is no TOML names lines; only that can be the configuration of a box.
      const isScenario = !problems.some(({ path }) => path.startsWith("line "));
      const found = isServed() && !isScenario ? await served.imported(text) : {};
      const read = found.error ?? "configurations of boxes are read where dropcurve studio serves the page";
      if (!found.toml) return this.refuse({ problems: isScenario ? problems : [{ path: "", value: "", rule: read, remedy: "" }, ...problems] });
      scenario = found.toml;
    }
    this.teach("");
    return this.restartWith({ ...fresh(""), text: scenario });
  }

  listen() {
    $("play").onclick = () => this.play(!this.playing);
    $("rewind").onclick = () => { this.play(false); this.seek(0); };
    $("end").onclick = () => { this.play(false); this.seek(this.duration); };
    $("back").onclick = () => this.stepBy(-this.sides.a.step * 5);
    $("forward").onclick = () => this.stepBy(this.sides.a.step * 5);
    $("time").oninput = () => { this.play(false); this.seek(Number($("time").value)); };
    $("seed").onchange = () => this.restartWith({ seed: Math.max(0, Math.floor(Number($("seed").value) || 0)) });
    $("second").onchange = () => this.restartWith({ other: $("second").checked ? this.otherKind() : null });
    $("scenario").onchange = () => $("scenario").value && this.restartWith({ ...fresh($("scenario").value), seed: this.state.seed });
    $("lesson").onchange = () => { this.teach($("lesson").value); this.remember(); };
    $("tour-button").onclick = () => { this.teach(TOUR); this.remember(); $("lesson-title").focus(); };
    $("open-file").onclick = () => $("file").click();
    $("file").onchange = async () => { if ($("file").files[0]) await this.openText(await $("file").files[0].text()); };
    window.addEventListener("hashchange", () => this.goTo(location.hash));
    document.addEventListener("keydown", (event) => press(event, () => this.play(!this.playing)));
    document.addEventListener("dragover", (event) => { event.preventDefault(); document.body.classList.add("dropping"); });
    document.addEventListener("dragleave", () => document.body.classList.remove("dropping"));
    document.addEventListener("drop", async (event) => {
      event.preventDefault();
      document.body.classList.remove("dropping");
      const file = event.dataTransfer?.files[0];
      if (file) await this.openText(await file.text());
    });
    window.addEventListener("resize", () => { this.drawn = 0; });
    window.addEventListener("beforeprint", () => Object.keys(this.sides).forEach((letter) => this.pages[letter].draw(palette(), { all: true })));
    window.addEventListener("scroll", () => { this.drawn = 1; }, { passive: true });
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => { this.drawn = 0; });
    served.listen({ results: $("results-button"), tune: $("tune-button"), panel: $("results"), openText: (text) => this.openText(text) });
  }

  /** What side B starts with: tail drop against anything else, RED against tail drop. */
  otherKind() {
    const { kind } = this.sides.a.about.link;
    return [["queue.kind", kind === "droptail" ? "red" : "droptail"]];
  }

  restartWith(parts) {
    const before = this.state;
    this.state = { ...this.state, time: "name" in parts ? 0 : this.moment, ...parts };
    return this.apply(before);
  }
}

document.body.classList.toggle("embedded", window.top !== window);
try {
  const [engine, library] = await Promise.all([load(), file("library.json", "library").then((found) => found.json())]);
  globalThis.studio = new Studio(engine, library);
} catch (error) {
  $("problems").textContent = `The studio cannot start: ${error.message}`;
  throw error;
}
