"""Which of the forms that an address answers in the client takes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from django.http.request import MediaType
from rest_framework.exceptions import NotAcceptable
from rest_framework.negotiation import DefaultContentNegotiation
from rest_framework.renderers import BaseRenderer
from rest_framework.request import Request


class Negotiation(DefaultContentNegotiation):
    """REST framework's, which takes no notice of `q=0`: by that a client says what it will not have."""

    def select_renderer(
        self, request: Request, renderers: Iterable[BaseRenderer], format_suffix: str | None = None
    ) -> tuple[BaseRenderer, str]:
        given = [MediaType(token) for token in self.get_accept_list(request)]
        offered = list(renderers)
        taken = [each for each in offered if not _refused(str(each.media_type), given)]
        if not taken:
            raise NotAcceptable(available_renderers=offered)
        found: Any = super().select_renderer(request, taken, format_suffix)
        return found


def _refused(media_type: str, given: Sequence[MediaType]) -> bool:
    """What is said of a type itself counts more than what is said of all types."""
    matching = [each for each in given if MediaType(media_type).match(str(each))]
    return bool(matching) and max(matching, key=lambda each: each.specificity).quality == 0
