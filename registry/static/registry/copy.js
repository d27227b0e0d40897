// Copies the text that a button names. Without script, or without a clipboard, the button stays away.
(() => {
  "use strict";
  if (!navigator.clipboard) return;

  const show = (root) => root.querySelectorAll("[data-copy]").forEach((button) => (button.hidden = false));

  document.addEventListener("click", async (event) => {
    const button = event.target.closest("[data-copy]");
    if (!button) return;
    const text = document.getElementById(button.dataset.copy).textContent;
    const words = (button.dataset.words ??= button.textContent);
    try {
      await navigator.clipboard.writeText(text);
      button.textContent = "Copied";
    } catch {
      button.textContent = "Could not copy: select the text instead";
    }
    setTimeout(() => (button.textContent = words), 2500);
  });
  document.addEventListener("htmx:afterSettle", (event) => show(event.target.parentElement || document));
  show(document);
})();
