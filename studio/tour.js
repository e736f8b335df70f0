// A guided tour: what RED's max_p does, in six steps, each with a task that the page checks during the run.

import { logSlider, make } from "./controls.js";
import { sampleIndex as at } from "./engine.js";
import { queueAt } from "./side.js";
import { short3 } from "./surface.js";

/** Seconds over which the tour measures. */
const SPAN = 10;

const maxP = (side) => Number(queueAt(side.about, side.about.link.name)?.max_p);
const flowsOf = (side) => side.about.resolved.flows.tcp?.count ?? 0;
const seconds = (side) => `${Math.max(0, side.now).toFixed(0)} s`;

/** What a side showed in the last seconds, in words. */
function words({ average, lost, utilisation }) {
  return `average queue ${short3(average)} pkts, ${short3(100 * lost)} % of packets dropped, link in use ${short3(100 * Math.min(1, utilisation))} %`;
}

/** Share of the last seconds in which the average was above max_th. */
function above(side) {
  const { rows } = side.lately(SPAN);
  const { high } = side.law();
  return rows.filter((row) => row[at.avg] > high).length / Math.max(1, rows.length);
}

/** The controls that a step repeats: name, path, range, present value, and what the value is as text. */
const SLIDERS = {
  max_p: { name: "max_p", path: "queue.max_p", low: 0.001, high: 1, value: maxP, text: String },
  flows: { name: "Long TCP flows", path: "flows.tcp.count", low: 1, high: 400, value: flowsOf, text: (one) => String(Math.max(1, Math.round(one))) },
};

/** Steps: what is said, a question with its answers (the right one first) or none, the controls of the task if it has some, and the check of the task: whether it is done, and words. */
const STEPS = [
  {
    title: "Watch a queue",
    text: "Eight file transfers and a call share a link of 10 Mbit/s. Packets that cannot be sent at once wait in the queue. RED drops some of them on "
      + "arrival, at random and before the queue is full, and the senders slow down. Press Play and let 20 seconds pass. (Speed 5× is fine.)",
    check: (side, notes) => {
      const done = side.now >= 20;
      if (done && !notes.before) notes.before = side.lately(SPAN);
      return [done, done ? `With max_p ${maxP(side)}: ${words(notes.before)}.` : `${seconds(side)} of 20 s.`];
    },
  },
  {
    title: "Read the drop curve",
    text: "RED follows the average queue (the orange line, and the orange bar in the link). Below min_th it drops nothing. Between min_th and max_th it drops "
      + "an arriving packet with a probability that rises from 0 to max_p; the red point in the figure “Drop curve” is where it is now.",
    question: "The average is half-way between min_th and max_th. How likely is a drop?",
    answers: ["half of max_p", "max_p", "every packet is dropped"],
    check: () => [true, "Half of max_p: the probability rises in a straight line. It looks bent in the figure, whose scale shows 0.01 and 1 "
      + "together. The measured points lie about twice as high, because RED spaces its drops evenly. Above max_th every arriving packet is dropped."],
  },
  {
    title: "Predict",
    text: "Next you make max_p ten times as large, with the same traffic.",
    question: "With max_p 0.2 in place of 0.02, the average queue will …",
    answers: ["fall", "stay the same", "rise"],
    check: () => [true, "The senders settle where the losses match what they send. A steeper line reaches that probability at a shorter average queue."],
  },
  {
    title: "Try it",
    text: "Move max_p to about 0.2, here or under “Queue”. The run is repeated from the start with the same random numbers up to the present moment, so that only max_p differs.",
    sliders: ["max_p"],
    check: (side, notes) => {
      const done = maxP(side) >= 0.15 && maxP(side) <= 0.3 && side.now >= 20;
      if (done) notes.after = side.lately(SPAN);
      const before = notes.before ? `Before: ${words(notes.before)}. ` : "";
      return [done, done ? `${before}With max_p ${maxP(side)}: ${words(notes.after)}. The queue is shorter, and the link is idle more often: that is the price.`
        : `max_p is ${maxP(side)}; ${seconds(side)}.`];
    },
  },
  {
    title: "More flows",
    text: "Set max_p back to 0.02, and the flows to about 32. Each flow now gets a quarter of the rate, so it has to lose more often.",
    sliders: ["max_p", "flows"],
    check: (side) => {
      const done = maxP(side) <= 0.03 && flowsOf(side) >= 28 && side.now >= 20;
      const share = side.law() ? above(side) : 0;
      return [done, done ? `The line cannot drop enough: the average was above max_th in ${short3(100 * share)} % of the last ${SPAN} s. There RED drops every `
        + "arrival: the flows lose together, and the point jumps up and down the step." : `max_p is ${maxP(side)}, ${flowsOf(side)} flows, ${seconds(side)}.`];
    },
  },
  {
    title: "Set it yourself",
    sliders: ["max_p"],
    text: "Keep the 32 flows. Choose max_p so that the average is above max_th in less than 2 % of the last 10 seconds, with the link in use for at least 90 %.",
    check: (side) => {
      if (!side.law() || flowsOf(side) < 28 || side.now < 20) return [false, `${flowsOf(side)} flows, ${seconds(side)}.`];
      const found = side.lately(SPAN);
      const done = above(side) < 0.02 && found.utilisation >= 0.9;
      return [done, `max_p ${maxP(side)}: above max_th in ${short3(100 * above(side))} % of the time; ${words(found)}.${done
        ? " Done. So max_p is how hard RED may push: too small for the load, and the queue grows to max_th; too large, and the link runs idle. "
        + "Adaptive RED (discipline ared) moves max_p by itself." : ""}`];
    },
  },
];

/** The tour. `open` starts its scenario, `side` returns side A, `change(path, value)` moves a control, `close` leaves it. */
export class Tour {
  constructor({ open, side, change, close }) {
    Object.assign(this, { side, change, at: 0, notes: {}, answered: new Set() });
    this.body = make("div", {});
    this.sliders = make("div", { class: "tour-sliders" });
    this.status = make("p", { class: "claim", role: "status" });
    this.next = make("button", { type: "button", class: "main", onclick: () => this.go(this.at + 1, true) }, "Next");
    this.back = make("button", { type: "button", onclick: () => this.go(this.at - 1, true) }, "Previous");
    this.element = make("section", { class: "lesson tour", "aria-labelledby": "lesson-title" }, this.body, this.sliders, this.status,
      make("p", {}, this.back, " ", this.next, " ", make("button", { type: "button", class: "quiet", onclick: close }, "Leave the tour")));
    open();
    this.go(0);
  }

  /** Shows a step; after a button that is then gone or disabled, the focus goes to its heading. */
  go(step, focus = false) {
    this.at = Math.max(0, Math.min(STEPS.length - 1, step));
    const { title, text, question, answers } = STEPS[this.at];
    const reply = make("p", { role: "status" });
    const options = (answers ?? []).map((words, place) => ({ words, right: place === 0 })).sort((a, b) => a.words.localeCompare(b.words))
      .map(({ words: option, right }) => make("label", { class: "option" }, make("input", { type: "radio", name: "tour", onchange: () => {
        reply.textContent = right ? "Right." : "Not quite: try another answer.";
        if (right) this.answered.add(this.at);
        this.look();
      } }), option));
    this.body.replaceChildren(make("h2", { id: "lesson-title", tabindex: "-1" }, `What max_p does, step ${this.at + 1} of ${STEPS.length}: ${title}`),
      make("p", {}, text), question ? make("fieldset", {}, make("legend", {}, question), ...options, reply) : "");
    this.back.disabled = this.at === 0;
    this.next.hidden = this.at === STEPS.length - 1;
    this.follow();
    this.look();
    if (focus) this.body.querySelector("h2").focus();
  }

  /** Makes the controls of the step again, with the present values; the focus stays. */
  follow() {
    const side = this.side();
    const names = side ? STEPS[this.at].sliders ?? [] : [];
    const focused = [...this.sliders.children].findIndex((one) => one.contains(document.activeElement));
    this.sliders.replaceChildren(...names.map((name) => {
      const { value, path, text, ...rest } = SLIDERS[name];
      return logSlider(rest.name, { ...rest, value: value(side), words: text, text, change: (found) => this.change(path, found) });
    }));
    if (focused >= 0) this.sliders.children[focused]?.querySelector("input").focus();
  }

  /** Checks the task of the step. */
  look() {
    const side = this.side();
    if (!side?.frame) return;
    const step = STEPS[this.at];
    const waits = step.question && !this.answered.has(this.at);
    const [done, words] = waits ? [false, "Choose an answer."] : step.check(side, this.notes);
    const text = `${done ? "✓ " : ""}${words}`;
    if (this.status.textContent !== text) this.status.textContent = text;
    this.status.classList.toggle("better", done);
    this.next.disabled = !done;
  }
}
