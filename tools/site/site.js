// What the theme leaves out for readers with a keyboard or a screen reader.
function mend() {
  document.querySelector(".md-search")?.setAttribute("aria-label", "Search");
  for (const one of document.querySelectorAll(".md-typeset__scrollwrap, pre > code")) one.tabIndex = 0;
  // An option or a short name stays on one line: a browser would break it after a hyphen.
  for (const one of document.querySelectorAll(":is(p, li, td:first-child, p > a, li > a, td:first-child > a) > code:not(.whole)")) {
    if (one.textContent.length <= 24) one.classList.add("whole");
  }
  // What a column says in sentences needs width on a phone, or its rows fill the screen.
  for (const one of document.querySelectorAll(".md-typeset td:not(.sentence)")) {
    if (one.textContent.length > 60) one.classList.add("sentence");
  }
  for (const one of document.querySelectorAll(".md-code__nav:not([role])")) one.setAttribute("role", "none");
}
new MutationObserver(mend).observe(document.body, { childList: true, subtree: true });
mend();
