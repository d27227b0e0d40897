"""Probes without a server: documents, checks and scores. Pure: no Django, network, clock or chance.

document = Document.parse(yaml_text)
finding = check({"kind": "words", "op": "==", "n": 10, "token": "whitespace"}).run(text)
result = score(document, Reply(text, finish="stop"))
"""

from probes.core.checks import CheckError, check
from probes.core.document import Document
from probes.core.finding import Finding, Span
from probes.core.fixtures import Examination, examine
from probes.core.problems import DocumentError, Problem
from probes.core.scoring import Reply, Result, TooLarge, Verdict, score, scored_with
from probes.core.template import BindingError, value_problem

__all__ = [
    "BindingError",
    "CheckError",
    "Document",
    "DocumentError",
    "Examination",
    "Finding",
    "Problem",
    "Reply",
    "Result",
    "Span",
    "TooLarge",
    "Verdict",
    "check",
    "examine",
    "score",
    "scored_with",
    "value_problem",
]
