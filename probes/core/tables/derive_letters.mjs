// Writes the two tables that complete the case and letter tables of this folder, from the Unicode
// version of the node that runs it: `node derive_letters.mjs` (node 20.20 has Unicode 17).
// letters_nfkd_u17.json  for each letter a-z but e: every character with that letter, in either case, after NFKD
// case_growing_u17.json  characters whose upper or lower case is longer than one character
import { writeFileSync } from "node:fs";

if (process.versions.unicode !== "17.0") throw new Error(`Unicode ${process.versions.unicode}, need 17.0`);

const letters = {};
const growing = { upper: [], lower: [] };
for (const letter of "abcdfghijklmnopqrstuvwxyz") letters[letter] = [];
for (let point = 0; point < 0x110000; point++) {
  if (point >= 0xd800 && point < 0xe000) continue;
  const text = String.fromCodePoint(point);
  for (const part of new Set(text.normalize("NFKD").replace(/[^A-Za-z]/g, "").toLowerCase())) {
    letters[part]?.push(point);
  }
  if ([...text.toUpperCase()].length > 1) growing.upper.push(point);
  if ([...text.toLowerCase()].length > 1) growing.lower.push(point);
}
const folder = new URL(".", import.meta.url);
writeFileSync(new URL("letters_nfkd_u17.json", folder), JSON.stringify(letters) + "\n");
writeFileSync(new URL("case_growing_u17.json", folder), JSON.stringify(growing) + "\n");
