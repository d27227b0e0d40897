/* Draws the API's schema. Swagger UI's own page starts it inline, which the site's policy refuses. */
"use strict";

const place = document.getElementById("api");
const dark = window.matchMedia("(prefers-color-scheme: dark)");

/* Swagger UI knows a dark look, and takes it from a class. */
function follow() {
  document.documentElement.classList.toggle("dark-mode", dark.matches);
}

follow();
dark.addEventListener("change", follow);

window.SwaggerUIBundle({
  url: place.dataset.schema,
  domNode: place,
  deepLinking: true,
  presets: [window.SwaggerUIBundle.presets.apis],
  layout: "BaseLayout",
  defaultModelsExpandDepth: 0,
  supportedSubmitMethods: ["get"],
  validatorUrl: null,
});
