"""Write syllables.txt.gz from a copy of the CMU Pronouncing Dictionary's data.

    python derive_syllables.py path/to/cmudict.dict

A line of the result is `SMALLEST LARGEST word word …`: how many vowel sounds the listed pronunciations
of these words have. Words that hold anything but a-z and apostrophes are left out (a hyphenated word is
counted by its parts), and so are acronyms' full stops. A word without a vowel sound (hmm) counts as one.
Nothing imports this module; it is kept to show where the table came from.
"""

from __future__ import annotations

import gzip
import re
import sys
from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path

TARGET = Path(__file__).with_name("syllables.txt.gz")


def counts(lines: Iterable[str]) -> dict[str, set[int]]:
    """Every word with the number of vowel sounds in each of its pronunciations."""
    found: dict[str, set[int]] = defaultdict(set)
    for line in lines:
        word, *sounds = line.partition("#")[0].split()
        word = re.sub(r"\([0-9]+\)$", "", word)
        if re.fullmatch("[a-z']+", word):
            found[word].add(max(1, sum(sound[-1] in "012" for sound in sounds)))
    return found


def table(found: dict[str, set[int]]) -> str:
    """The text of syllables.txt.gz."""
    groups: dict[tuple[int, int], list[str]] = defaultdict(list)
    for word in sorted(found):
        groups[min(found[word]), max(found[word])].append(word)
    return "".join(f"{low} {high} {' '.join(words)}\n" for (low, high), words in sorted(groups.items()))


def main(source: str) -> None:
    with Path(source).open(encoding="utf-8") as lines:
        text = table(counts(lines))
    TARGET.write_bytes(gzip.compress(text.encode(), 9, mtime=0))


if __name__ == "__main__":
    main(sys.argv[1])
