// The state of the studio: a scenario, edits, a seed and a time. It is the address of the page, and a command.

/** An empty state for a shipped scenario. */
export function fresh(name) {
  return { name, text: "", edits: [], other: null, seed: 1, time: 0, link: "", lesson: "" };
}

/** The address of a state, after the `#`. */
export function toHash(state) {
  const parts = new URLSearchParams();
  if (state.text) parts.set("text", state.text);
  else parts.set("scenario", state.name);
  for (const [path, value] of state.edits) parts.append("set", `${path}=${value}`);
  if (state.other) for (const [path, value] of state.other) parts.append("other", `${path}=${value}`);
  if (state.other && state.other.length === 0) parts.append("other", "");
  parts.set("seed", String(state.seed));
  if (state.time > 0) parts.set("t", state.time.toFixed(3));
  if (state.link) parts.set("link", state.link);
  if (state.lesson) parts.set("lesson", state.lesson);
  return parts.toString();
}

/** The state of an address, and the problems of its parts; what it does not name is as in `fresh(name)`. */
export function fromHash(hash, name) {
  const parts = new URLSearchParams(hash.replace(/^#/, ""));
  const problems = [];
  const given = (key, usable, rule, remedy, otherwise) => {
    if (!parts.has(key)) return otherwise;
    if (usable(parts.get(key))) return parts.get(key);
    problems.push({ path: key, value: parts.get(key), rule, remedy });
    return otherwise;
  };
  const isSeed = (text) => text.trim() !== "" && Number.isSafeInteger(Number(text)) && Number(text) >= 0;
  const isTime = (text) => text.trim() !== "" && Number(text) >= 0 && Number.isFinite(Number(text));
  const state = fresh(parts.get("scenario") ?? name);
  state.text = parts.get("text") ?? "";
  for (const key of ["set", "other"]) {
    const wrong = parts.getAll(key).find((one) => !split(one) && (key === "set" || one !== ""));
    if (wrong !== undefined) problems.push({ path: key, value: wrong, rule: "is no edit", remedy: "write path=value" });
  }
  state.edits = parts.getAll("set").map(split).filter(Boolean);
  state.other = parts.has("other") ? parts.getAll("other").map(split).filter(Boolean) : null;
  state.seed = Number(given("seed", isSeed, "is no whole number from 0", "seed 1 is in view", "1"));
  state.time = Number(given("t", isTime, "is no time in seconds", "the run is at 0 s", "0"));
  state.link = parts.get("link") ?? "";
  state.lesson = parts.get("lesson") ?? "";
  return { state, problems };
}

/** `path=value` as a pair; `null` without a path. */
export function split(text) {
  const at = text.indexOf("=");
  return at > 0 ? [text.slice(0, at), text.slice(at + 1)] : null;
}

/** Edits with one more; a later edit of a path replaces the earlier one, and another kind drops the keys of the old. */
export function withEdit(edits, path, value) {
  let rest = edits.filter(([other]) => other !== path);
  const table = path.slice(0, path.lastIndexOf(".") + 1);
  if (/\.kind$/.test(path)) rest = rest.filter(([other]) => !other.startsWith(table));
  if (/\.dialect$/.test(path)) {
    rest = rest.filter(([other]) => !other.startsWith(table) || other === `${table}kind`);
  }
  return [...rest, [path, value]];
}

/** The edits of side "b": those of "a", then its own. */
export function editsOf(state, side) {
  if (side === "a" || !state.other) return state.edits;
  return state.other.reduce((edits, [path, value]) => withEdit(edits, path, value), state.edits);
}

/** What a side asks of the engine. */
export function asked(state, side, text, seed = state.seed) {
  return { text, edits: editsOf(state, side), seed, link: state.link };
}

const shellQuoted = (text) => (/^[\w./:=%+-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`);
const typed = (value) => {
  if (value === "true") return "True";
  if (value === "false") return "False";
  return /^\s*[+-]?(0|[1-9]\d*|(0|[1-9]\d*)?\.\d+)(e[+-]?\d+)?\s*$/i.test(value) ? value.trim() : JSON.stringify(value);
};

/** The command that prints the digest of a side. */
export function command(state, side) {
  const name = state.text ? "scenario.toml" : state.name;
  const sets = editsOf(state, side).map(([path, value]) => ` --set ${shellQuoted(`${path}=${value}`)}`);
  return `dropcurve run ${shellQuoted(name)}${sets.join("")} --seed ${state.seed} --digest`;
}

/** The Python call that returns the digest of a side. */
export function python(state, side) {
  const name = JSON.stringify(state.text ? "scenario.toml" : state.name);
  const edits = editsOf(state, side).map(([path, value]) => `(${JSON.stringify(path)}, ${typed(value)})`);
  const edited = edits.length ? `.edit([${edits.join(", ")}])` : "";
  return `dropcurve.Scenario.load(${name})${edited}.digest(seed=${state.seed})`;
}
