"""What every API view shares: reading lists and single rows, the root, the schema and its page."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from threading import Lock
from typing import Any, ClassVar

from csp.decorators import csp_update
from django.db.models import Model, QuerySet
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.utils.cache import patch_vary_headers
from django.views.decorators.http import require_safe
from drf_spectacular.generators import SchemaGenerator
from drf_spectacular.renderers import OpenApiJsonRenderer, OpenApiJsonRenderer2
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.reverse import reverse
from rest_framework.serializers import BaseSerializer
from rest_framework.views import APIView
from rest_framework.viewsets import GenericViewSet

from registry.api.filters import PAGING, check_parameters
from registry.teams import access
from registry.teams.access import Person


class Read(APIView):
    """A view that only reads, and refuses the parameters it does not state."""

    http_method_names = ["get", "head", "options"]

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        super().initial(request, *args, **kwargs)
        check_parameters(request, self.parameters())

    def parameters(self) -> Sequence[str]:
        """The query parameters that this request may have."""
        return ()

    def finalize_response(self, request: Request, response: Any, *args: Any, **kwargs: Any) -> Any:
        answer = super().finalize_response(request, response, *args, **kwargs)
        patch_vary_headers(answer, ["Accept", "Authorization", "Cookie"])
        return answer


class ReadRows(Read, GenericViewSet[Any]):
    """Lists and single rows of a table.

    A subclass gives the rows a person may see, and what is shown of a page of them: `present` is
    called once a page, so that what belongs to the rows is fetched together.
    """

    order: ClassVar[tuple[str, ...]]
    """See `registry.api.pagination.Order`."""
    lookups: ClassVar[Mapping[str, str]] = {"pk": "pk"}
    """Argument of the route to the row's lookup."""
    detail_serializer_class: type[BaseSerializer[Any]] | None = None
    filterset_class: Any = None

    @classmethod
    def many(cls) -> Callable[..., HttpResponseBase]:
        """The view of the list."""
        return cls.as_view({"get": "list"})

    @classmethod
    def one(cls) -> Callable[..., HttpResponseBase]:
        """The view of one row."""
        return cls.as_view({"get": "retrieve"})

    def rows(self, person: Person) -> QuerySet[Any]:
        raise NotImplementedError

    def present(self, rows: Sequence[Any]) -> Sequence[Any]:
        return rows

    def present_one(self, row: Any) -> Any:
        return self.present([row])[0]

    def parameters(self) -> Sequence[str]:
        if self.action != "list":
            return ()
        return (*PAGING, *(self.filterset_class.base_filters if self.filterset_class else ()))

    def get_queryset(self) -> QuerySet[Any]:
        return self.rows(self.request.user)

    def get_serializer_class(self) -> type[BaseSerializer[Any]]:
        detail = self.detail_serializer_class if self.action == "retrieve" else None
        return detail or super().get_serializer_class()

    def list(self, request: Request) -> Response:
        page = self.paginate_queryset(self.filter_queryset(self.get_queryset()))
        return self.get_paginated_response(self.get_serializer(self.present(page or []), many=True).data)

    def retrieve(self, request: Request, **named: Any) -> Response:
        wanted = {self.lookups[name]: value for name, value in named.items()}
        row: Model = access.get_or_404(self.get_queryset(), **wanted)
        return Response(self.get_serializer(self.present_one(row)).data)


ADDRESSES = {"type": "object", "additionalProperties": {"type": "string", "format": "uri"}}


class Root(Read):
    """The routes of this API."""

    routes: ClassVar[Mapping[str, str]] = {}
    """What each is called here, and the name of its route; given where the site is composed."""

    @extend_schema(operation_id="root", tags=["root"], responses={200: ADDRESSES})
    def get(self, request: Request) -> Response:
        return Response({name: reverse(route, request=request) for name, route in self.routes.items()})


class Schema(Read):
    """This API as an OpenAPI document. It is the same for everybody: no row is in it."""

    renderer_classes = [OpenApiJsonRenderer2, OpenApiJsonRenderer]

    @extend_schema(exclude=True)
    def get(self, request: Request) -> Response:
        return Response(document())


_generating = Lock()


def document() -> dict[str, Any]:
    """Made once: it follows from the code alone. One thread makes it: the generator's state is shared."""
    with _generating:
        return _generate()


@cache
def _generate() -> dict[str, Any]:
    found: dict[str, Any] = SchemaGenerator().get_schema(request=None, public=True)
    return found


@require_safe
@csp_update({"img-src": ["data:"]})  # the arrows in Swagger UI's style sheet
def docs(request: HttpRequest) -> HttpResponse:
    """The schema for people, shown by Swagger UI from this site's own files."""
    return render(request, "api/docs.html")
