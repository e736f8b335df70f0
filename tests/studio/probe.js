// Uses the served page as a reader does, and posts what it sees.

const wait = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));
const $ = (selector) => document.querySelector(selector);

async function until(what, holds) {
  for (let turn = 0; turn < 600; turn += 1) {
    const value = holds();
    if (value) return value;
    await wait(100);
  }
  throw new Error(`${what}: not within a minute; ${$("#problems").textContent}`);
}

/** Elements that a screen reader cannot name, and labels that refer to nothing. */
function unnamed() {
  const named = (one) => one.getAttribute("aria-label") || one.getAttribute("aria-labelledby") || one.labels?.length || one.textContent.trim();
  const all = [...document.querySelectorAll("button, input, select, textarea, canvas, svg.chart, iframe, [role=img], a[href]")];
  const ids = [...document.querySelectorAll("[id]")].map((one) => one.id);
  const twice = ids.filter((id, at) => ids.indexOf(id) !== at);
  return [...all.filter((one) => !named(one)).map((one) => one.outerHTML.slice(0, 120)), ...twice.map((id) => `#${id} twice`)];
}

async function hundredFlows(studio) {
  studio.change("a", "flows.tcp.count", "100");
  await until("replay", () => !studio.catchingUp);
  studio.times.length = 0;
  studio.play(true);
  await until("frames", () => studio.times.length >= 120 || studio.now >= studio.duration);
  studio.play(false);
  const sorted = [...studio.times].sort((a, b) => a - b);
  return { flows: studio.sides.a.about.flows.length, frames: sorted.length, median: sorted[sorted.length >> 1], undisturbed: sorted[Math.floor(sorted.length / 10)] };
}

async function results() {
  $("#results-button").click();
  (await until("results", () => $("#results tbody button"))).click();
  const chart = await until("chart", () => $(".result svg.chart"));
  const key = (name) => chart.dispatchEvent(new KeyboardEvent("keydown", { key: name, bubbles: true }));
  key("ArrowRight");
  const said = $(".result .said").textContent;
  const lines = () => chart.querySelectorAll("g > g").length;
  const before = lines();
  $(".result .legend button").click();
  const hidden = lines();
  $(".result .legend button").click();
  const ticks = () => [...chart.querySelectorAll("text")].map((one) => one.textContent).join(" ");
  const whole = ticks();
  key("+");
  const enlarged = ticks();
  const head = $(".result th button");
  head.click();
  return { said, before, hidden, zoomed: whole !== enlarged, sorted: head.parentElement.getAttribute("aria-sort"), unnamed: unnamed() };
}

async function tour(studio) {
  $("#results-button").click();
  studio.teach("max_p");
  studio.seek(25);
  await until("tour", () => $(".tour .claim").textContent.startsWith("✓"));
  return $(".tour .claim").textContent;
}

async function observe() {
  const studio = await until("studio", () => globalThis.studio);
  studio.change("a", "queue.max_p", "0.2");
  studio.seek(2);
  studio.change("a", "queue.max_p", "0.1");
  studio.change("a", "flows.tcp.count", "4");
  await until("replay", () => !studio.catchingUp);
  const moment = studio.now;
  const names = unnamed();
  const frames = await hundredFlows(studio);
  const opened = await results();
  const toured = await tour(studio);
  const outside = performance.getEntriesByType("resource").map(({ name }) => name).filter((name) => !name.startsWith(location.origin));
  return { moment, unnamed: names, frames, opened, toured, outside, wide: document.documentElement.scrollWidth - innerWidth };
}

const answer = await observe().catch((error) => ({ error: String(error.stack) }));
await fetch("posted", { method: "POST", body: JSON.stringify(answer) });
