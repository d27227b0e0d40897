// Gives the admin's searchable choices the names of their labels: the widget that stands for the select has none.
(() => {
  "use strict";
  const labelOf = (select) => select.labels?.[0]?.textContent.trim().replace(/:$/, "") ?? "";

  const name = (select) => {
    const stand = select.nextElementSibling?.querySelector(".select2-selection");
    if (!stand) return;
    stand.removeAttribute("aria-labelledby");
    stand.setAttribute("aria-label", labelOf(select));
    stand.querySelector(".select2-selection__rendered")?.setAttribute("aria-label", labelOf(select));
  };

  // What jQuery does once the page is ready it does in the order it was asked, so the widgets are there by then;
  // the page itself may be loaded before they are.
  window.django?.jQuery(() => {
    const selects = document.querySelectorAll("select.admin-autocomplete");
    selects.forEach(name);
    window.django.jQuery(selects).on("select2:open", ({ target }) => {
      document.querySelector(".select2-search__field")?.setAttribute("aria-label", `Search: ${labelOf(target)}`);
    });
  });
})();
