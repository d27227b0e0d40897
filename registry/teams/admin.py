"""People and teams in the admin. Nothing here is deleted: what people published stays theirs."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, cast

from allauth.account.adapter import get_adapter
from django import forms
from django.contrib import admin
from django.contrib.admin.utils import unquote
from django.contrib.auth.admin import UserAdmin
from django.contrib.auth.forms import UserChangeForm
from django.contrib.auth.models import Group
from django.core.exceptions import PermissionDenied
from django.db import IntegrityError, transaction
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect

from registry.accounts import domain as accounts
from registry.audit.domain import record
from registry.teams import access, domain, members
from registry.teams.models import Membership, Role, Team, User
from registry.web.admin import Admin, Inline, NeverDeleted

if TYPE_CHECKING:
    PersonFormBase = UserChangeForm[User]
    TeamFormBase = forms.ModelForm[Team]
else:
    PersonFormBase, TeamFormBase = UserChangeForm, forms.ModelForm

ADMINISTERS = ("is_active", "is_staff", "is_superuser")
"""What an administrator has to be, all at once."""
ONLY_ADMINISTRATOR = "{who} is the only administrator of this site. Make somebody else one first."
AT_ONCE = "Somebody saved the same address or name at this very moment. Look at what they did first."
OWNER_FIRST = "Make another member an owner first, or remove the others."

admin.site.unregister(Group)  # what a person may do is decided by their roles in teams


class MembershipInline(Inline):
    """The memberships there are. Who and where are fixed: a choice in every row would cost a query each."""

    model = Membership
    extra = max_num = 0
    fields = ["user", "team", "role", "joined_at"]
    readonly_fields = ["user", "team", "joined_at"]

    def get_queryset(self, request: HttpRequest) -> QuerySet[Membership]:
        return super().get_queryset(request).select_related("user", "team")


class NewMembershipInline(Inline):
    """Rows for memberships to be made."""

    model = Membership
    extra = 1
    verbose_name_plural = "new memberships"
    autocomplete_fields = ["user", "team"]
    fields = ["user", "team", "role"]

    def has_view_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False


class ManagesMembers(Admin):
    """Who is in a team is changed by the verbs that its own pages use: a last owner stays here too."""

    def changeform_view(self, request: HttpRequest, *given: Any, **named: Any) -> HttpResponse:
        try:
            return super().changeform_view(request, *given, **named)
        except IntegrityError:
            raise PermissionDenied(AT_ONCE) from None

    def put(self, request: HttpRequest, member: Membership) -> None:
        """Save what a form says of a new membership, or of one there is."""
        by, role = cast("User", request.user), Role(member.role)
        with refusals():
            if member.pk:
                members.change_role(by, member, role, access.require_of_staff)
            else:
                member.pk = members.add(by, member.team, member.user, role, access.require_of_staff).pk

    def end(self, request: HttpRequest, member: Membership) -> None:
        with refusals():
            members.remove(cast("User", request.user), member, access.require_of_staff)


@contextmanager
def refusals() -> Iterator[None]:
    """What a verb refuses is told on a page that says why; nothing of the form is saved."""
    try:
        yield
    except members.MembersRefused as refused:
        raise PermissionDenied(str(refused)) from None


class WithMemberships(NeverDeleted, ManagesMembers):
    def get_inlines(self, request: HttpRequest, obj: Any) -> Any:
        return [MembershipInline, NewMembershipInline] if obj else [NewMembershipInline]

    def save_formset(self, request: HttpRequest, form: Any, formset: Any, change: bool) -> None:
        for member in formset.save(commit=False):
            self.put(request, member)
        for member in formset.deleted_objects:
            self.end(request, member)
        formset.save_m2m()


class PersonForm(PersonFormBase):
    """Nobody is shut out on whom a team or the site depends, as nobody is who closes their own account."""

    def clean_name(self) -> str:
        try:
            return domain.clean_person_name(self.cleaned_data["name"])
        except domain.NameRefused as refused:
            raise forms.ValidationError(str(refused)) from None

    def clean(self) -> dict[str, Any] | None:
        cleaned = super().clean()
        stored = User.objects.get(pk=self.instance.pk)
        wanted = {name: self.cleaned_data.get(name, getattr(stored, name)) for name in ADMINISTERS}
        taken = [name for name in ADMINISTERS if not wanted[name]]
        if taken and accounts.is_only_administrator(stored):
            self.add_error(taken[0], ONLY_ADMINISTRATOR.format(who=stored))
        active = wanted["is_active"]
        if stored.is_active and not active and (names := ", ".join(accounts.teams_needing(stored))):
            self.add_error("is_active", f"{stored} is the last owner of {names}. {OWNER_FIRST}")
        return cleaned


@admin.register(User)
class PersonAdmin(WithMemberships, UserAdmin):
    form = PersonForm
    why_kept = (
        "What people published and started stays under their name. "
        "To shut an account, open it and take “Active” away."
    )
    list_display = ["email", "name", "is_active", "is_staff", "joined_at", "last_login"]
    list_filter = ["is_active", "is_staff", "is_superuser"]
    search_fields = ["email", "name"]
    ordering = ["email"]
    readonly_fields = ["joined_at", "last_login"]
    fieldsets = [
        (None, {"fields": ["email", "name", "password"]}),
        ("What they may do on the whole site", {"fields": list(ADMINISTERS)}),
        ("Dates", {"fields": ["joined_at", "last_login"]}),
    ]
    add_fieldsets = [
        (
            None,
            {"classes": ["wide"], "fields": ["email", "name", "usable_password", "password1", "password2"]},
        ),
    ]

    def user_change_password(
        self,
        request: HttpRequest,
        id: str,  # noqa: A002 - what the route names it
        form_url: str = "",
    ) -> HttpResponse:
        """Of somebody else, who is told. One's own is changed where the one before is asked for."""
        whose = self.get_object(request, unquote(id))
        if whose == request.user:
            return redirect("account_change_password")
        answer = super().user_change_password(request, id, form_url)
        if whose and whose.password != User.objects.get(pk=whose.pk).password:
            get_adapter().send_mail("account/email/password_by_staff", whose.email, {})
        return answer

    def save_model(self, request: HttpRequest, obj: User, form: Any, change: bool) -> None:
        super().save_model(request, obj, form, change)
        if change and "is_active" in form.changed_data:
            members.note_shut(cast("User", request.user), obj)
        if change and "email" in form.changed_data:
            accounts.change_address(obj, obj.email, before=form.initial["email"])


class NamedForm(TeamFormBase):
    def clean_name(self) -> str:
        try:
            return domain.clean_name(self.cleaned_data["name"])
        except domain.TeamRefused as refused:
            raise forms.ValidationError(str(refused)) from None


@admin.register(Team)
class TeamAdmin(WithMemberships):
    form = NamedForm
    why_kept = "A team stays, with its probes and all that it ran."
    list_display = ["slug", "name", "created_at"]
    search_fields = ["slug", "name"]
    readonly_fields = ["created_at"]

    def get_readonly_fields(self, request: HttpRequest, obj: Team | None = None) -> list[str]:
        """A slug is part of permanent addresses: it is chosen once."""
        return ["created_at", "slug"] if obj else ["created_at"]

    def save_model(self, request: HttpRequest, obj: Team, form: Any, change: bool) -> None:
        by = cast("User", request.user)
        if change:
            domain.rename_team(by, obj, obj.name, access.require_of_staff)
        else:
            super().save_model(request, obj, form, change)
            record(obj, by, "team-created", obj.slug)


@admin.register(Membership)
class MembershipAdmin(ManagesMembers):
    list_display = ["user", "team", "role", "joined_at"]
    list_filter = ["role"]
    list_select_related = ["user", "team"]
    search_fields = ["user__email", "team__slug"]
    autocomplete_fields = ["user", "team"]

    def get_readonly_fields(self, request: HttpRequest, obj: Membership | None = None) -> list[str]:
        return ["joined_at", "user", "team"] if obj else ["joined_at"]

    def save_model(self, request: HttpRequest, obj: Membership, form: Any, change: bool) -> None:
        self.put(request, obj)

    def delete_model(self, request: HttpRequest, obj: Membership) -> None:
        self.end(request, obj)

    @transaction.atomic
    def delete_queryset(self, request: HttpRequest, queryset: QuerySet[Membership]) -> None:
        for member in queryset.select_related("team", "user"):
            self.end(request, member)
