// What the theme leaves out for readers with a keyboard or a screen reader.
function mend() {
  document.querySelector(".md-search")?.setAttribute("aria-label", "Search");
  for (const one of document.querySelectorAll(".md-typeset__scrollwrap, pre > code")) one.tabIndex = 0;
  for (const one of document.querySelectorAll(".md-code__nav:not([role])")) one.setAttribute("role", "none");
}
new MutationObserver(mend).observe(document.body, { childList: true, subtree: true });
mend();
