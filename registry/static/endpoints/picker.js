// A model named beside its field fills the field when it is pressed, and another endpoint brings a model
// of its own. Without this script the names are text to copy, and the form says what cannot be called.
(() => {
  "use strict";

  document.addEventListener("click", (event) => {
    const button = event.target.closest("button[data-fills]");
    const field = button && document.getElementById(button.dataset.fills);
    if (!field) return;
    field.value = button.dataset.model;
    field.focus();
  });

  // model fields that still hold what was chosen for the endpoint before: not what somebody typed since
  const stale = new Set();
  const modelOf = (select) => document.getElementById(select.id.replace(/endpoint$/, "model"));

  document.addEventListener("change", (event) => {
    const field = event.target.matches(".picker select") && modelOf(event.target);
    if (field) stale.add(field);
  });

  // whoever goes into the field is about to type, or has marked what to replace
  for (const kind of ["focusin", "input"]) document.addEventListener(kind, (event) => stale.delete(event.target));

  document.addEventListener("htmx:afterSettle", (event) => {
    const select = event.detail.requestConfig?.elt;
    const field = select?.matches(".picker select") && modelOf(select);
    if (!field || !stale.delete(field)) return;
    const offered = [...field.list.options].map((option) => option.value);
    if (offered.length && !offered.includes(field.value)) field.value = offered[0];
  });
})();
