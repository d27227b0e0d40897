"""The form that publishes: one probe file, on top of what the probe said when the form was opened."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from django import forms
from django.forms.widgets import Script
from django.urls import reverse
from django.utils.html import format_html

from probes.admin.editing import Current, Stale, current, stale
from probes.core import Document, DocumentError
from probes.core.problems import Problem, line_of
from probes.core.yaml_source import MAX_BYTES
from probes.domain.publish import GateRefused, Publication, accepted, says_the_same
from probes.models import Probe
from registry.teams.models import Team

if TYPE_CHECKING:
    Base = forms.ModelForm[Probe]
else:
    Base = forms.ModelForm

STARTER = """\
format: probe/1
slug: three-words
title: Write three words
category: Instruction following
summary: What the probe finds out, in a sentence or two.
prompt:
  system: null
  user: Write exactly three words.
variables: []
parameters: {max_tokens: 200, temperature: 0}
rubric:
  prose: What a right output is, for a reader who may disagree.
  criteria: [The output has three words]
  rules:
    - name: three_words
      check: {kind: words, op: "==", n: 3, token: whitespace}
      why: The prompt says three.
fixtures:
  - {label: Correct, expect: pass, output: one two three}
  - {label: One word too many, expect: fail, fails: [three_words], output: one two three four}
changelog: Initial version.
"""
LOST_BASE = "This form does not say what it was opened on: copy your text, open the page again and paste it."
GATE = "Not published: the worked examples do not hold."


class ProbeFileForm(Base):
    """Cleaned, it holds a `read` document that the gate lets through, for `team`, on top of `now`.

    It writes nothing; the probe's row is locked, so that what was found here still holds on saving.
    """

    _base = forms.CharField(
        widget=forms.HiddenInput,
        max_length=40,
        error_messages={"required": LOST_BASE, "max_length": LOST_BASE},
    )
    document = forms.CharField(
        label="Probe file",
        required=False,  # the reader itself says what an empty file lacks, and on which line a NUL stands
        strip=False,
        help_text="Publishing a change of prompt, variables, parameters, rubric or fixtures makes the next "
        "version; a change of title, category or summary alone makes none. Say in `changelog` what is new. "
        "Comments are not kept: what is published is written anew, and so it stands here afterwards. "
        f"A file may have {MAX_BYTES:,} bytes.",
        widget=forms.Textarea(
            attrs={
                "rows": 36,
                "cols": 110,
                "class": "probe-file",
                "spellcheck": "false",
                "autocomplete": "off",
                "autocapitalize": "off",
                "wrap": "off",
                "data-literal": "",
                "data-most": MAX_BYTES,
            }
        ),
    )

    read: Document | None = None
    now: Current | None = None
    stale: Stale | None = None
    publication: Publication | None = None

    class Meta:
        model = Probe
        fields = ("team",)

    class Media:
        css = {"all": ["probes/admin.css"]}
        js = [Script("probes/probe-file.js", defer=True)]

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["document"].validators.clear()
        now = current(self.instance) if self.instance.pk and not self.is_bound else None
        self.initial.setdefault("document", now.text if now else STARTER)
        self.initial.setdefault("_base", now.base if now else "0")

    def clean_document(self) -> str:
        """A browser ends the lines of a text area as no file does."""
        return cast("str", self.cleaned_data["document"]).replace("\r\n", "\n")

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or self.cleaned_data
        text = cleaned.get("document", "")
        self.read = self._accepted(text)
        self.now = self._now(cleaned.get("team"))
        if self.now and text and "_base" in cleaned:
            self._refuse_stale(self.now, cleaned["_base"], text)
            self._refuse_an_older_version(self.now)
        return cleaned

    @property
    def team(self) -> Team:
        """Chosen when the probe is made, fixed afterwards."""
        return self.instance.team

    def _accepted(self, text: str) -> Document | None:
        """The document, or None and every problem as an error beside the text."""
        try:
            document = accepted(text)
        except DocumentError as error:
            more = [f"and {error.more:,} more"] if error.more else []
            self.add_error("document", [*map(str, error.problems), *more])
        except GateRefused as refused:
            self.add_error("document", [GATE, *map(str, refused.examination.problems)])
        else:
            return None if self._renames(document) else document
        return None

    def _renames(self, document: Document) -> bool:
        if self.instance.pk is None or document.slug == self.instance.slug:
            return False
        said = f"is {document.slug}, and this probe is {self.instance.slug} for good"
        hint = "write that, or add another probe"
        self.add_error("document", str(Problem(line_of(document.lines, ("slug",)), ("slug",), said, hint)))
        return True

    def _now(self, team: Team | None) -> Current | None:
        """The probe that is to be published, locked until the request ends; None if there is none yet."""
        probes = Probe.objects.select_related("team").select_for_update(of=("self",), no_key=True)
        if self.instance.pk:
            return current(probes.get(pk=self.instance.pk))
        existing = probes.filter(team=team, slug=self.read.slug).first() if team and self.read else None
        return current(existing) if existing else None

    def _refuse_stale(self, now: Current, base: str, text: str) -> None:
        known = now.base in (base, self.data.get("_rebase"))
        too_large = self.read is None and len(text) > MAX_BYTES  # to be compared with anything
        if known or too_large or (self.read and says_the_same(now.probe, self.read)):
            return
        if self.instance.pk is None:
            self.add_error("document", self._exists(now))
            return
        self.stale = stale(now, base, self.read.to_yaml() if self.read else text)
        self.add_error(None, self._overtaken(self.stale))

    def _exists(self, now: Current) -> str:
        page = reverse("admin:probes_probe_change", args=[now.probe.pk])
        words = (
            "{} is published already, at v{}: <a href='{}'>open it</a> to publish its next version, "
            "or choose another slug."
        )
        return format_html(words, now.probe, now.number, page)

    def _overtaken(self, stale: Stale) -> str:
        version = stale.now.version
        if version is None or version.number == stale.opened_on:
            return "Not published: the title, category or summary was edited while you had this form open."
        by = f" by {version.published_by}" if version.published_by else ""
        at = f"{version.published_at:%Y-%m-%d %H:%M} UTC"
        began = f"you began on v{stale.opened_on}"
        return f"Not published: v{version.number} was published{by} at {at}, and {began}."

    def _refuse_an_older_version(self, now: Current) -> None:
        """Content has one version: what an older one says is not published again as a newer."""
        if self.errors or self.read is None:
            return
        same = now.probe.versions.filter(digest=self.read.digest).first()
        if same and same.number != now.number:
            self.add_error(
                "document",
                f"Not published: this is exactly v{same.number}, where its runs are counted; v{now.number} "
                "is current. To go back to it, publish it with a change.",
            )
