"""What the admin's pages share: rows that are only read, and lists that never count a whole table.

Every refusal is a page with status 403 that says why. Superusers see all rows; other members of
staff see those of the teams in which their role gives them `right`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from django.contrib import admin
from django.core.paginator import Paginator
from django.db.models import Model, QuerySet
from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.utils.functional import cached_property

from registry.teams import access

if TYPE_CHECKING:
    Admin = admin.ModelAdmin[Any]
    Inline = admin.TabularInline[Any, Any]
    Pages = Paginator[Any]
else:
    Admin, Inline, Pages = admin.ModelAdmin, admin.TabularInline, Paginator

MOST_LISTED = 10_000
SAFE = {"GET", "HEAD", "OPTIONS"}


class BoundedPaginator(Pages):
    """Counts no further than MOST_LISTED: to count millions of rows takes longer than to show fifty."""

    @cached_property
    def count(self) -> int:
        rows = cast("QuerySet[Any]", self.object_list)
        return rows.order_by()[:MOST_LISTED].count()

    @property
    def cut(self) -> int:
        """How many rows are listed if there may be more; else 0."""
        return MOST_LISTED if self.count == MOST_LISTED else 0


class NeverDeleted(Admin):
    """No row is deleted, alone or with others; who tries is told why."""

    why_kept = "These rows are kept for good."

    def has_delete_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False

    def delete_view(
        self, request: HttpRequest, object_id: str, extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        return self.refuse(request, self.why_kept)

    def changelist_view(
        self, request: HttpRequest, extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        if request.POST.get("action") == "delete_selected":
            return self.refuse(request, self.why_kept)
        return super().changelist_view(request, extra_context)

    def refuse(self, request: HttpRequest, why: str) -> HttpResponse:
        context = {**self.admin_site.each_context(request), "title": "Nothing was changed", "why": why}
        return TemplateResponse(request, "admin/refused.html", context, status=403)


class StaffPage(NeverDeleted):
    """A long table, shown to those of the staff who hold `right` in a row's team."""

    right = "see team results"
    team_path = "team"
    actions = None
    change_list_template = "admin/bounded_change_list.html"
    list_per_page = 50
    ordering = ("-pk",)
    paginator = BoundedPaginator
    show_facets = admin.ShowFacets.NEVER
    show_full_result_count = False
    sortable_by = ()

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        rows = super().get_queryset(request)
        return access.staff_rows(request.user, rows, self.right, self.team_path)

    def has_module_permission(self, request: HttpRequest) -> bool:
        return _holds(request, self.right)

    def has_view_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return _holds(request, self.right)

    def view_on_site(self, obj: Any) -> str | None:
        """The row's page on the site itself, if it has one."""
        return obj.get_absolute_url() if hasattr(obj, "get_absolute_url") else None


class ReadOnlyPage(StaffPage):
    """Rows are shown, and every way to add, change, copy or delete one is closed."""

    why_kept = "What is published or recorded is only read here."

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False

    def changeform_view(
        self,
        request: HttpRequest,
        object_id: str | None = None,
        form_url: str = "",
        extra_context: dict[str, Any] | None = None,
    ) -> HttpResponse:
        if object_id is None or request.method not in SAFE:
            return self.refuse(request, self.why_kept)
        return super().changeform_view(request, object_id, form_url, extra_context)

    def changelist_view(
        self, request: HttpRequest, extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        if request.method not in SAFE:
            return self.refuse(request, self.why_kept)
        return super().changelist_view(request, extra_context)


class ReadOnlyInline(Inline):
    """Rows of another table inside a page: shown, and never taken from what is posted.

    `joined` are the relations that are read along with the rows, so that no row costs a query.
    """

    extra = 0
    can_delete = False
    show_change_link = True
    joined: tuple[str, ...] = ()

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        rows = super().get_queryset(request)
        return rows.select_related(*self.joined) if self.joined else rows

    def has_view_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        """Whoever sees the page sees what is in it."""
        return True

    def has_add_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False


def _holds(request: HttpRequest, right: str) -> bool:
    """Whether the request's person holds `right` anywhere; a page asks this many times, the database once."""
    known: dict[str, bool] = request.__dict__.setdefault("_staff_rights", {})
    if right not in known:
        user = request.user
        known[right] = getattr(user, "is_superuser", False) or access.staff_teams(user, right).exists()
    return known[right]
