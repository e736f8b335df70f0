// Runs in a browser for test_browser.py: digests of runs, states of the studio, lessons; posts what it sees.
import { load } from "./engine.js";
import { holds, value } from "./lessons.js";
import { asked, command, fromHash, python, toHash } from "./state.js";

// Changes of one control that may break the first check of a lesson.
const CHANGES = [["queue.kind", "droptail"], ["queue.kind", "codel"], ["queue.kind", "red"], ["dumbbell.rate", "2 Mbit/s"],
  ["dumbbell.rate", "40 Mbit/s"], ["flows.tcp.count", "1"], ["flows.tcp.count", "40"], ["flows.tcp.cc", "reno"],
  ["queue.limit", "15 pkts"]];

/** The first of these changes, values of other settings and counts of flows that brings the first check out of its range. */
function failing(lesson, summaries, changed) {
  const [check] = lesson.checks;
  const differences = Object.values(lesson.differences).filter(Boolean).flat();
  const more = check.of.filter(({ group }) => group).map(({ group }) => [`flows.${group}.count`, "40"]);
  return [...CHANGES, ...differences, ...more].find((change) => {
    let summary;
    try {
      summary = changed([change]);
    } catch {
      return false; // not a control of this lesson
    }
    const number = value(check, { ...summaries, [lesson.first]: summary }, "bottleneck");
    return Number.isFinite(number) && !holds(check, number);
  })?.join("=");
}

async function observe() {
  const engine = await load();
  const library = await (await fetch("library.json")).json();
  const edits = [["run.duration", "20 s"], ["run.warmup", "auto"]];
  const run = (input, step) => {
    const session = engine.open(input);
    for (let until = step; !session.frame().ended; until += step) session.advance(until, step / 3);
    return session.finish();
  };
  const digests = {};
  for (const [name, { text }] of Object.entries(library.scenarios)) digests[name] = run({ text, edits, seed: 1 }, 1.7).digest;
  const state = { name: "ecn", text: "", edits: [["run.duration", "20 s"], ["queue.max_p", "0.05"]], other: [["queue.kind", "codel"]],
    seed: 7, time: 3.25, link: "", lesson: "red" };
  const { state: again } = fromHash(toHash(state), "");
  const sides = Object.fromEntries(["a", "b"].map((side) => [side, { command: command(again, side), python: python(again, side),
    digest: run(asked(again, side, library.scenarios.ecn.text), 0.9).digest }]));
  const cases = {};
  for (const { name, text, edits: own } of await (await fetch("cases.json")).json()) {
    cases[name] = run({ text, edits: own, seed: 1 }, 0.8).digest;
  }
  const wanted = new URLSearchParams(location.search).get("lessons").split(",");
  const lessons = {};
  for (const lesson of library.lessons.filter(({ kind }) => wanted.includes(kind) || wanted.includes("all"))) {
    const summaries = Object.fromEntries(Object.entries(lesson.cells).map(([cell, text]) => [cell, run({ text, edits: [], seed: 1 }, 60).summary]));
    const checks = lesson.checks.map((check) => {
      const number = value(check, summaries, "bottleneck");
      return { label: check.label, value: number, holds: holds(check, number) };
    });
    lessons[lesson.kind] = { checks, failing: failing(lesson, summaries, (edits) => run({ text: lesson.cells[lesson.first], edits, seed: 1 }, 60).summary) };
  }
  return { digests, cases, same: JSON.stringify(again) === JSON.stringify(state), sides, lessons };
}

const answer = await observe().catch((error) => ({ error: String(error.stack) }));
await fetch("posted", { method: "POST", body: JSON.stringify(answer) });
