// Shows in place why an output was not checked, and keeps what the reader opened while verdicts come and go.
// Without this script the button still checks; the answer is then a page.
(() => {
  "use strict";
  const box = document.getElementById("try");
  if (!box) return;
  const said = document.getElementById("try-said");
  const tried = document.getElementById("tried");
  const IN_PLACE = [413, 429]; // too long, too often: the answer says what to do
  const OPENED = [".ws-toggle input", "checked"], UNFOLDED = ["details.output-long", "open"];
  let kept = [];

  const tell = (words) => {
    const line = document.createElement("span");
    line.className = "form-error";
    line.textContent = words;
    said.replaceChildren(line);
    tried.replaceChildren();
  };

  box.addEventListener("htmx:beforeSwap", ({ detail }) => {
    if (IN_PLACE.includes(detail.xhr.status)) {
      detail.shouldSwap = true;
      detail.isError = false;
    }
    kept = [OPENED, UNFOLDED].filter(([which, state]) => tried.querySelector(which)?.[state]);
  });
  box.addEventListener("htmx:afterSettle", () => {
    for (const [which, state] of kept) {
      const found = tried.querySelector(which);
      if (found) found[state] = true;
    }
  });
  box.addEventListener("htmx:responseError", () => {
    tell("This output could not be checked. Copy it, load the page again and paste it.");
  });
  box.addEventListener("htmx:sendError", () => {
    tell("The registry cannot be reached, so nothing was checked. Type on to try again.");
  });
})();
