// A model named beside its field fills the field when it is pressed. Without this script it is text to copy.
(() => {
  "use strict";

  document.addEventListener("click", (event) => {
    const button = event.target.closest("button[data-fills]");
    const field = button && document.getElementById(button.dataset.fills);
    if (!field) return;
    field.value = button.dataset.model;
    field.focus();
  });
})();
