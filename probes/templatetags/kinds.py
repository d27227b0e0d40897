"""`{% kinds_help %}` and `{% marked_example example %}`: the kinds of check, as the core describes them."""

from __future__ import annotations

import re

from django import template
from django.utils.html import escape
from django.utils.safestring import SafeString, mark_safe

from probes.core.kinds import Shown, described
from probes.core.segments import numbered
from probes.core.view import View
from probes.templatetags.marks import marked

register = template.Library()


@register.filter
def coded(text: str) -> SafeString:
    """What stands between backticks as code."""
    return mark_safe(re.sub("`([^`]+)`", r"<code>\1</code>", escape(text)))  # noqa: S308 - escaped


@register.simple_tag
def marked_example(example: Shown) -> SafeString:
    """The output of an example with its marks; the verdict beside it says in words what they show."""
    return marked(View(example.output).text, numbered([example.finding.spans]))


@register.inclusion_tag("admin/probes/_kinds.html")
def kinds_help() -> dict[str, object]:
    """Every kind, folded, for whoever writes a probe file."""
    return {"kinds": described()}
