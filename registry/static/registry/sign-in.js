// A sign-in link carries its code after the # sign, which never leaves the browser by itself.
// This moves it into the form, out of the address and the history, and sends it by POST.
(() => {
  "use strict";

  const form = document.getElementById("code-form");

  function take() {
    const code = window.location.hash.slice(1);
    if (!code.includes(".")) return;
    window.history.replaceState(null, "", window.location.pathname + window.location.search);
    form.elements.code.value = code;
    form.requestSubmit();
  }

  // a link pasted into a tab that shows this page already only changes the hash
  window.addEventListener("hashchange", take);
  take();
})();
