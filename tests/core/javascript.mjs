// Answers for literals, one JSON line each: {literal, texts} -> null where JavaScript refuses the literal,
// else for each text the matches of matchAll as [start, end] in UTF-16 units (the first 30).
import { createInterface } from "node:readline";

const evaluate = (literal) => {
  try {
    const found = (0, eval)(literal);
    return found instanceof RegExp ? found : null;
  } catch {
    return null;
  }
};

const matches = (pattern, text) => {
  const found = [];
  for (const match of text.matchAll(pattern)) {
    found.push([match.index, match.index + match[0].length]);
    if (found.length === 30) break;
  }
  return found;
};

for await (const line of createInterface({ input: process.stdin })) {
  const { literal, texts } = JSON.parse(line);
  const once = evaluate(literal);
  if (once === null) {
    process.stdout.write("null\n");
    continue;
  }
  const all = new RegExp(once.source, once.flags.includes("g") ? once.flags : once.flags + "g");
  const answers = texts.map((text) => matches(all, text));
  texts.forEach((text, i) => {
    once.lastIndex = 0;
    if (once.test(text) !== answers[i].length > 0) throw new Error("test and matchAll disagree: " + literal);
  });
  process.stdout.write(JSON.stringify(answers) + "\n");
}
