// Keeps what is said of the try-it box true of the text that is in it: pending while an answer is awaited,
// why none came, and when it is asked for again. What is announced changes only when it says something else.
// Without this script the button still checks; the answer is then a page.
(() => {
  "use strict";
  const box = document.getElementById("try");
  if (!box) return;
  const form = document.getElementById("try-form");
  const text = document.getElementById("try-output");
  const said = document.getElementById("try-said");
  const note = document.getElementById("try-note");
  const pending = document.getElementById("try-pending");
  const tried = document.getElementById("tried");
  const { most, farOver } = box.dataset;
  const OURS = 'hx-swap-oob="innerHTML:#try-said"'; // in every answer of the box's own view
  const AWAY = [502, 503, 504]; // said by what stands before the registry
  const WORDS = {
    away: "The registry cannot be reached, so nothing was checked. It is tried again by itself.",
    often: "Too many outputs in a short time. This one will be checked by itself.",
    failed: "Not checked: the registry failed on this output, and it is our fault. Press the button to try again.",
    refused: "This output could not be checked. Copy it, load the page again and paste it.",
  };
  const FIRST_WAIT = 2, LONGEST_WAIT = 60, OFTEN_WAIT = 30, TOLD_EVERY = 10; // seconds
  const OPENED = [".ws-toggle input", "checked"], UNFOLDED = ["details.output-long", "open"];
  let kept = [];
  let asked = null; // the text that an answer is awaited for
  let wait = FIRST_WAIT;
  let timer, again = false;

  const plain = (element) => element.textContent.replace(/\s+/g, " ").trim();

  const awaiting = (is) => {
    for (const part of [said, note, tried]) part.setAttribute("aria-busy", String(is));
    pending.hidden = !is;
  };

  const tell = (words) => {
    asked = null;
    tried.replaceChildren();
    note.replaceChildren();
    if (plain(said) !== words) {
      const line = document.createElement("span");
      line.className = "form-error";
      line.textContent = words;
      said.replaceChildren(line);
    }
    awaiting(false);
  };

  const check = () => form.requestSubmit();

  // the seconds stand beside what is announced, and change seldom
  const checkIn = (seconds) => {
    clearTimeout(timer);
    again = true;
    if (seconds <= 0) return check();
    note.textContent = `In ${seconds} s.`;
    const step = seconds % TOLD_EVERY || TOLD_EVERY;
    timer = setTimeout(() => checkIn(seconds - step), step * 1000);
  };

  const unreachable = () => {
    tell(WORDS.away);
    checkIn(wait);
    wait = Math.min(2 * wait, LONGEST_WAIT);
  };

  const tooOften = (seconds) => {
    checkIn(seconds > 0 ? seconds : OFTEN_WAIT);
  };

  const explain = (xhr) => {
    if (AWAY.includes(xhr.status)) return unreachable();
    if (xhr.status === 413) return tell(farOver);
    if (xhr.status === 429) {
      tell(WORDS.often);
      return tooOften(Number(xhr.getResponseHeader("Retry-After")));
    }
    tell(xhr.status >= 500 ? WORDS.failed : WORDS.refused);
  };

  const farTooLong = () => text.value.length > 2 * Number(most); // a character is at most two of a script's

  text.addEventListener("input", () => {
    clearTimeout(timer);
    again = false;
    if (farTooLong()) tell(farOver);
    else awaiting(true);
  });

  window.addEventListener("online", () => {
    if (again) check();
  });

  box.addEventListener("htmx:configRequest", (event) => {
    clearTimeout(timer);
    again = false;
    if (farTooLong()) {
      event.preventDefault();
      tell(farOver);
      return;
    }
    asked = text.value;
    awaiting(true);
  });

  box.addEventListener("htmx:beforeSwap", ({ detail }) => {
    detail.isError = false;
    detail.shouldSwap = text.value === asked && detail.serverResponse.includes(OURS);
    if (text.value !== asked) return; // typed on meanwhile: the next answer is under way
    if (detail.shouldSwap) wait = FIRST_WAIT;
    else explain(detail.xhr);
    kept = [OPENED, UNFOLDED].filter(([which, state]) => tried.querySelector(which)?.[state]);
  });

  box.addEventListener("htmx:oobBeforeSwap", ({ detail }) => {
    if (detail.target === said && plain(said) === plain(detail.fragment)) detail.shouldSwap = false;
  });

  box.addEventListener("htmx:afterSwap", ({ detail }) => {
    if (detail.target !== tried) return;
    asked = null;
    awaiting(false);
    if (detail.xhr.status === 429) tooOften(Number(detail.xhr.getResponseHeader("Retry-After")));
  });

  box.addEventListener("htmx:afterSettle", () => {
    for (const [which, state] of kept) {
      const found = tried.querySelector(which);
      if (found) found[state] = true;
    }
  });

  box.addEventListener("htmx:sendError", unreachable);
  box.addEventListener("htmx:timeout", unreachable);
})();
