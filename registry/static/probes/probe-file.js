// Numbers the lines of the probe file, leads from what is said to the line it names, and stops a file that
// is too large before it is sent.
(() => {
  "use strict";
  const text = document.querySelector("textarea.probe-file");
  if (!text) return;

  const numbers = document.createElement("pre");
  numbers.className = "probe-file-lines";
  numbers.setAttribute("aria-hidden", "true");
  const frame = document.createElement("div");
  frame.className = "probe-file-frame";
  text.before(frame);
  frame.append(numbers, text);

  let shown = 0;
  const number = () => {
    const lines = text.value.split("\n").length;
    if (lines !== shown) numbers.textContent = Array.from({ length: lines }, (_, i) => i + 1).join("\n") + "\n\n";
    shown = lines;
    follow();
  };
  const follow = () => (numbers.scrollTop = text.scrollTop);
  text.addEventListener("input", number);
  text.addEventListener("scroll", follow);

  const goTo = (line) => {
    const lines = text.value.split("\n");
    const start = lines.slice(0, line - 1).reduce((sum, each) => sum + each.length + 1, 0);
    text.focus();
    text.setSelectionRange(start, start + (lines[line - 1] ?? "").length);
    text.scrollTop = Math.max(0, line - 4) * parseFloat(getComputedStyle(text).lineHeight);
  };
  document.querySelectorAll(".field-document .errorlist li, .messagelist li li").forEach((said) => {
    const [, words, line] = said.textContent.match(/^(line (\d+))\b/) ?? [];
    if (!line) return;
    const button = document.createElement("button");
    button.type = "button";
    button.className = "go-to-line";
    button.textContent = words;
    button.addEventListener("click", () => goTo(Number(line)));
    said.firstChild.textContent = said.firstChild.textContent.slice(words.length);
    said.prepend(button);
  });

  const most = Number(text.dataset.most);
  const tooLarge = document.createElement("p");
  tooLarge.className = "probe-file-too-large";
  tooLarge.id = "probe-file-too-large";
  tooLarge.setAttribute("role", "alert");
  frame.before(tooLarge);
  text.setAttribute("aria-describedby", `${text.getAttribute("aria-describedby") ?? ""} ${tooLarge.id}`.trim());
  const complain = (words) => {
    tooLarge.textContent = words;
    if (words) text.setAttribute("aria-invalid", "true");
  };
  text.addEventListener("input", () => {
    if (tooLarge.textContent && size() <= most) complain("");
  });
  const size = () => new TextEncoder().encode(text.value).length;
  text.form.addEventListener("submit", (event) => {
    const bytes = size();
    if (bytes <= most) return;
    event.preventDefault();
    const [has, may] = [bytes, most].map((each) => each.toLocaleString("en"));
    complain(`Not sent: the file has ${has} bytes and may have ${may} (shorten its texts or publish two probes)`);
    text.focus();
  });
  number();
})();
