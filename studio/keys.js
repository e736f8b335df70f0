// The keys of the page.

const $ = (id) => document.getElementById(id);

/** The keys that a control in focus takes itself. */
function isTaken({ target, key }) {
  if (target.closest("input:not([type=checkbox]):not([type=range]), select, textarea, summary, pre")) return true;
  if (target.closest("input") && [" ", "ArrowLeft", "ArrowRight", "Home", "End"].includes(key)) return true;
  return Boolean(target.closest("button, a")) && key === " ";
}

function speed(by) {
  const { options, selectedIndex } = $("speed");
  $("speed").selectedIndex = Math.min(options.length - 1, Math.max(0, selectedIndex + by));
}

const click = (id) => () => $(id).click();
const ACTIONS = { ArrowLeft: click("back"), ArrowRight: click("forward"), Home: click("rewind"), End: click("end"), "+": () => speed(1),
  "=": () => speed(1), "-": () => speed(-1), b: click("second"), B: click("second") };

/** Acts on a key press, unless a control takes it; `play` plays or pauses. */
export function press(event, play) {
  const action = event.key === " " ? play : ACTIONS[event.key];
  if (!action || event.ctrlKey || event.metaKey || event.altKey || isTaken(event)) return;
  event.preventDefault();
  action();
}
