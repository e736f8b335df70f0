// Calls of the server that `dropcurve studio` is.

/** Whether `dropcurve studio` serves the page. */
export function isServed() {
  return document.documentElement.dataset.served === "yes";
}

/** Posts JSON; returns the answer, which has `error` where the call was refused. */
export async function post(path, body) {
  const answer = await fetch(path, { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) });
  if (!answer.ok) return { error: await answer.text() };
  return answer.json();
}

/** Reads JSON. */
export async function get(path) {
  return (await fetch(path)).json();
}
