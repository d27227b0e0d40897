"""Tags that every page uses: navigation, headings, times and the verdict as sign and word."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from html import escape

from django import template
from django.template import Context
from django.urls import NoReverseMatch, reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString, mark_safe

register = template.Library()

SIGNS: dict[str, tuple[str, str]] = {
    "pass": ("✓", "PASS"),
    "fail": ("✕", "FAIL"),
    "unscored": ("–", "UNSCORED"),
    "pending": ("◌", "pending"),
    "calling": ("◌", "calling"),
    "cancelled": ("⊘", "cancelled"),
}
"""A mark's sign and word; its colour is the class `v-<mark>`. Never one without the others."""


@register.simple_tag(takes_context=True)
def nav_link(context: Context, name: str, text: object) -> SafeString:
    """A link of the top bar, marked as current on the page it names and on those below it."""
    try:
        address = reverse(name)
    except NoReverseMatch:
        return format_html("{}", text)
    request = context.get("request")
    path = request.path if request else ""
    if path == address:
        return format_html('<a href="{}" aria-current="page">{}</a>', address, text)
    below = ' aria-current="true"' if address != "/" and path.startswith(address) else ""
    return format_html('<a href="{}"{}>{}</a>', address, SafeString(below), text)


@register.simple_tag
def section_heading(anchor: str, text: str, level: int = 2) -> SafeString:
    """A heading that links to itself: `#anchor`."""
    heading = '<h{0} id="{1}"><a class="anchor" href="#{1}">{2}</a></h{0}>'
    return format_html(heading, level, anchor, text)


@register.simple_tag
def verdict(mark: str | bool) -> SafeString:
    """`✕ FAIL` for a mark; True and False stand for pass and fail."""
    if isinstance(mark, bool):
        mark = "pass" if mark else "fail"
    sign, word = SIGNS[mark]
    shown = '<span class="verdict v-{}"><span class="sign" aria-hidden="true">{}</span> {}</span>'
    return format_html(shown, mark, sign, word)


_OF = re.compile(r"(?<![\d-])([\d-]{1,12} / [≠≤≥<>]?[\d-]{1,12})(?![\d-])")


@register.filter
def finding(message: str) -> SafeString:
    """The words of a finding, in which no line ends between the numbers of `11 / 10 words`."""
    parts = enumerate(map(escape, _OF.split(message)))
    html = "".join(f'<span class="together">{part}</span>' if at % 2 else part for at, part in parts)
    return mark_safe(html)  # noqa: S308 - all parts escaped


@register.simple_tag
def moment(when: datetime | None, *, day: bool = False) -> SafeString:
    """A time to the minute in UTC, or its day, exact to the second for machines; nothing for None."""
    if when is None:
        return SafeString("")
    when = when.astimezone(UTC)
    exact, shown = when.strftime("%Y-%m-%dT%H:%M:%SZ"), when.strftime("%Y-%m-%d %H:%M UTC")
    return format_html('<time datetime="{}">{}</time>', exact, shown[:10] if day else shown)


@register.filter
def counted(number: int, noun: str) -> str:
    """`3 runs`, `1 run`; the noun's own plural after a comma: `batch,batches`."""
    singular, _, plural = noun.partition(",")
    return f"{number:,} {singular if number == 1 else plural or singular + 's'}"


@register.filter
def sign(mark: str) -> str:
    """The sign alone of a mark, for where its word is said to screen readers beside it."""
    return SIGNS[mark][0]


@register.filter
def thousands(number: int) -> str:
    """`9,515`."""
    return f"{number:,}"
