"""What the OpenAPI document says of every operation: how to sign in, and how errors look."""

from __future__ import annotations

import re
from inspect import getdoc
from typing import Any

from drf_spectacular.extensions import OpenApiAuthenticationExtension
from drf_spectacular.openapi import AutoSchema
from drf_spectacular.plumbing import ResolvedComponent
from rest_framework.viewsets import GenericViewSet

from registry.api.problems import CONTENT_TYPE

PROBLEM = {
    "type": "object",
    "required": ["type", "title", "status", "detail"],
    "properties": {
        "type": {"type": "string"},
        "title": {"type": "string"},
        "status": {"type": "integer"},
        "detail": {"type": "string", "description": "What went wrong and what to do."},
        "errors": {
            "type": "object",
            "description": "By parameter, what is wrong with it.",
            "additionalProperties": {"type": "array", "items": {"type": "string"}},
        },
    },
}
REFUSED = """What went wrong, as a problem (RFC 9457):

- 400: a parameter cannot be read; `errors` says which
- 401: the token does not work; `detail` says why
- 403: the token was made for something else
- 404: nothing is there, or nothing that you may see
- 406: something other than JSON was asked for
- 429: too many requests; the header `Retry-After` says how many seconds to wait
"""


class TokenScheme(OpenApiAuthenticationExtension):
    target_class = "registry.api.authentication.TokenAuthentication"
    name = "token"

    def get_security_definition(self, auto_schema: AutoSchema) -> dict[str, Any]:
        about = "A token made on your account's page. Public things need none."
        return {"type": "http", "scheme": "bearer", "bearerFormat": "prt_…", "description": about}


class Operations(AutoSchema):
    """Every operation also answers with problems, and a token is never required to read."""

    def get_auth(self) -> list[Any]:
        return [*super().get_auth(), {}]

    def get_description(self) -> str:  # type: ignore[override]
        """Of a list what the view says, of one row what its shape says."""
        if isinstance(self.view, GenericViewSet) and self.view.action == "retrieve":
            return getdoc(self.view.get_serializer_class()) or ""
        return str(super().get_description())

    def get_summary(self) -> str:
        return re.split(r"[.;:](?:\s|$)", self.get_description(), maxsplit=1)[0]

    def get_serializer_name(self, serializer: Any, direction: Any) -> str:
        """A shape's name without saying that it is one."""
        return str(super().get_serializer_name(serializer, direction)).removesuffix("Shape")

    def get_operation(self, *args: Any, **kwargs: Any) -> Any:
        operation = super().get_operation(*args, **kwargs)
        if operation:
            problem = ResolvedComponent("Problem", ResolvedComponent.SCHEMA, PROBLEM, "Problem")
            self.registry.register_on_missing(problem)
            content = {CONTENT_TYPE: {"schema": problem.ref}}
            operation["responses"]["4XX"] = {"description": REFUSED, "content": content}
        return operation
