// Numbers the lines of the probe file, and leads from a problem to the line it names.
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
  document.querySelectorAll(".field-document .errorlist li").forEach((problem) => {
    const [, words, line] = problem.textContent.match(/^(line (\d+))\b/) ?? [];
    if (!line) return;
    const button = document.createElement("button");
    button.type = "button";
    button.className = "go-to-line";
    button.textContent = words;
    button.addEventListener("click", () => goTo(Number(line)));
    problem.replaceChildren(button, problem.textContent.slice(words.length));
  });
  number();
})();
