import django.db.models.deletion
import django.utils.timezone
import uuid
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    initial = True

    dependencies = [
        ("endpoints", "0001_initial"),
        ("teams", "0001_initial"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="Batch",
            fields=[
                (
                    "id",
                    models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False),
                ),
                ("title", models.CharField(max_length=300)),
                (
                    "visibility",
                    models.CharField(choices=[("public", "Public"), ("team", "Team only")], max_length=6),
                ),
                ("practice", models.BooleanField(default=False)),
                ("idempotency_key", models.CharField(max_length=100, null=True)),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("running", "running"),
                            ("finished", "finished"),
                            ("cancelled", "cancelled"),
                        ],
                        default="running",
                        max_length=10,
                    ),
                ),
                ("seq", models.PositiveBigIntegerField(default=0)),
                ("created_at", models.DateTimeField(default=django.utils.timezone.now)),
                ("cancelled_at", models.DateTimeField(null=True)),
                ("finished_at", models.DateTimeField(null=True)),
                (
                    "started_by",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="batches",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "team",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="batches", to="teams.team"
                    ),
                ),
            ],
            options={
                "verbose_name_plural": "batches",
                "ordering": ["-created_at", "-id"],
            },
        ),
        migrations.CreateModel(
            name="Attempt",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("number", models.PositiveSmallIntegerField()),
                ("seq", models.PositiveBigIntegerField()),
                (
                    "outcome",
                    models.CharField(
                        choices=[
                            ("answered", "answered"),
                            ("empty", "empty"),
                            ("truncated", "truncated"),
                            ("refused", "refused"),
                            ("filtered", "filtered"),
                            ("error", "error"),
                        ],
                        max_length=10,
                    ),
                ),
                (
                    "error",
                    models.CharField(blank=True, help_text="why it is unscored, as a code", max_length=40),
                ),
                (
                    "detail",
                    models.TextField(blank=True, help_text="what the server said, scrubbed and shortened"),
                ),
                ("status", models.PositiveSmallIntegerField(null=True)),
                ("output", models.TextField(blank=True)),
                (
                    "output_is",
                    models.CharField(
                        blank=True,
                        choices=[("text", "text"), ("refusal", "refusal"), ("nothing", "nothing")],
                        help_text="beside the finish, what the outcome was decided from",
                        max_length=8,
                    ),
                ),
                (
                    "repaired",
                    models.BooleanField(default=False, help_text="NUL or lone surrogates were replaced"),
                ),
                ("finish", models.CharField(blank=True, max_length=60)),
                ("served_model", models.CharField(blank=True, max_length=200)),
                ("endpoint_name", models.CharField(max_length=100)),
                ("prompt_tokens", models.PositiveIntegerField(null=True)),
                ("completion_tokens", models.PositiveIntegerField(null=True)),
                ("reasoning_tokens", models.PositiveIntegerField(null=True)),
                ("sent_messages", models.JSONField(help_text="captured at the transport", null=True)),
                ("sent_parameters", models.JSONField(default=dict)),
                ("sent_digest", models.CharField(blank=True, max_length=64)),
                ("late", models.BooleanField(default=False, help_text="arrived after its lease was lost")),
                ("may_be_billed", models.BooleanField(default=False)),
                ("milliseconds", models.PositiveIntegerField(default=0)),
                ("started_at", models.DateTimeField()),
                ("recorded_at", models.DateTimeField(default=django.utils.timezone.now)),
                ("passed", models.PositiveSmallIntegerField(null=True)),
                ("total", models.PositiveSmallIntegerField(null=True)),
                ("scored_with", models.CharField(blank=True, max_length=200)),
                (
                    "batch",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="attempts",
                        to="probes.batch",
                    ),
                ),
            ],
            options={
                "ordering": ["batch", "seq"],
            },
        ),
        migrations.CreateModel(
            name="Probe",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("slug", models.SlugField(max_length=80)),
                ("title", models.CharField(max_length=200)),
                ("category", models.CharField(max_length=80)),
                ("summary", models.TextField(blank=True)),
                (
                    "visibility",
                    models.CharField(
                        choices=[("public", "Public"), ("team", "Team only")], default="public", max_length=6
                    ),
                ),
                ("created_at", models.DateTimeField(default=django.utils.timezone.now)),
                (
                    "team",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="probes", to="teams.team"
                    ),
                ),
            ],
            options={
                "ordering": ["team__slug", "slug"],
            },
        ),
        migrations.CreateModel(
            name="ProbeVersion",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("number", models.PositiveIntegerField()),
                ("digest", models.CharField(max_length=64)),
                ("request_digest", models.CharField(max_length=64)),
                ("system", models.TextField(null=True)),
                ("user", models.TextField()),
                ("variables", models.JSONField(default=list)),
                ("parameters", models.JSONField(default=dict)),
                ("changelog", models.TextField(blank=True)),
                ("document", models.JSONField()),
                ("published_at", models.DateTimeField(default=django.utils.timezone.now)),
                (
                    "probe",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="versions",
                        to="probes.probe",
                    ),
                ),
                (
                    "published_by",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "ordering": ["probe", "-number"],
            },
        ),
        migrations.CreateModel(
            name="Fixture",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("position", models.PositiveSmallIntegerField()),
                ("label", models.CharField(max_length=200)),
                ("expect", models.CharField(choices=[("pass", "pass"), ("fail", "fail")], max_length=4)),
                ("fails", models.JSONField(null=True)),
                ("output", models.TextField()),
                (
                    "version",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="fixtures",
                        to="probes.probeversion",
                    ),
                ),
            ],
            options={
                "ordering": ["version", "position"],
            },
        ),
        migrations.CreateModel(
            name="Rubric",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("rubric_digest", models.CharField(max_length=64)),
                ("checks_digest", models.CharField(max_length=64)),
                ("prose", models.TextField()),
                ("criteria", models.JSONField(default=list)),
                (
                    "probe",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="rubrics", to="probes.probe"
                    ),
                ),
            ],
        ),
        migrations.AddField(
            model_name="probeversion",
            name="rubric",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.PROTECT, related_name="versions", to="probes.rubric"
            ),
        ),
        migrations.CreateModel(
            name="Rule",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("position", models.PositiveSmallIntegerField()),
                ("name", models.CharField(max_length=80)),
                ("check_data", models.JSONField()),
                ("why", models.TextField()),
                (
                    "rubric",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="rules", to="probes.rubric"
                    ),
                ),
            ],
            options={
                "ordering": ["rubric", "position"],
            },
        ),
        migrations.CreateModel(
            name="Run",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("position", models.PositiveSmallIntegerField()),
                ("endpoint_name", models.CharField(max_length=100)),
                ("model", models.CharField(max_length=200)),
                ("binding", models.JSONField(default=dict)),
                ("repeats", models.PositiveSmallIntegerField(default=1)),
                ("alters", models.JSONField(default=list)),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("running", "running"),
                            ("finished", "finished"),
                            ("cancelled", "cancelled"),
                        ],
                        default="running",
                        max_length=10,
                    ),
                ),
                ("finished_at", models.DateTimeField(null=True)),
                (
                    "batch",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="runs", to="probes.batch"
                    ),
                ),
                (
                    "endpoint",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="runs",
                        to="endpoints.endpoint",
                    ),
                ),
                (
                    "version",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="runs",
                        to="probes.probeversion",
                    ),
                ),
            ],
            options={
                "ordering": ["batch", "position"],
            },
        ),
        migrations.CreateModel(
            name="Trial",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("repeat", models.PositiveSmallIntegerField()),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("waiting", "waiting"),
                            ("leased", "calling"),
                            ("closed", "closed"),
                            ("cancelled", "cancelled"),
                        ],
                        default="waiting",
                        max_length=10,
                    ),
                ),
                ("due_at", models.DateTimeField()),
                ("lease_owner", models.CharField(blank=True, max_length=80)),
                ("lease_until", models.DateTimeField(null=True)),
                ("leased_at", models.DateTimeField(help_text="when the latest call began", null=True)),
                (
                    "lost",
                    models.PositiveSmallIntegerField(
                        default=0, help_text="leases that ran out with their worker"
                    ),
                ),
                (
                    "tries",
                    models.PositiveSmallIntegerField(
                        default=0, help_text="calls begun; committed before each call"
                    ),
                ),
                (
                    "doubled",
                    models.BooleanField(default=False, help_text="the next call has twice the token limit"),
                ),
                (
                    "seq",
                    models.PositiveBigIntegerField(
                        default=0, help_text="the batch's seq at this row's last change"
                    ),
                ),
                ("closed_at", models.DateTimeField(null=True)),
                (
                    "final",
                    models.OneToOneField(
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="closes",
                        to="probes.attempt",
                    ),
                ),
                (
                    "run",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="trials", to="probes.run"
                    ),
                ),
            ],
            options={
                "ordering": ["run", "repeat"],
            },
        ),
        migrations.AddField(
            model_name="attempt",
            name="trial",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.PROTECT, related_name="attempts", to="probes.trial"
            ),
        ),
        migrations.CreateModel(
            name="Verdict",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("position", models.PositiveSmallIntegerField()),
                ("ok", models.BooleanField()),
                ("actual", models.JSONField(null=True)),
                ("expected", models.JSONField(null=True)),
                ("unit", models.CharField(blank=True, max_length=60)),
                ("message", models.TextField()),
                ("spans", models.JSONField(default=list)),
                (
                    "attempt",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="verdicts",
                        to="probes.attempt",
                    ),
                ),
                (
                    "rule",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="verdicts", to="probes.rule"
                    ),
                ),
            ],
            options={
                "ordering": ["attempt", "position"],
            },
        ),
        migrations.AddIndex(
            model_name="batch",
            index=models.Index(fields=["-created_at"], name="batches_latest"),
        ),
        migrations.AddConstraint(
            model_name="batch",
            constraint=models.UniqueConstraint(fields=("team", "idempotency_key"), name="one_batch_a_key"),
        ),
        migrations.AddConstraint(
            model_name="batch",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("finished_at__isnull", True), ("state", "running")),
                    models.Q(models.Q(("state", "running"), _negated=True), ("finished_at__isnull", False)),
                    _connector="OR",
                ),
                name="finished_batches_say_when",
            ),
        ),
        migrations.AddConstraint(
            model_name="probe",
            constraint=models.UniqueConstraint(fields=("team", "slug"), name="one_probe_a_slug"),
        ),
        migrations.AddConstraint(
            model_name="fixture",
            constraint=models.UniqueConstraint(fields=("version", "position"), name="one_fixture_a_position"),
        ),
        migrations.AddConstraint(
            model_name="rubric",
            constraint=models.UniqueConstraint(fields=("probe", "rubric_digest"), name="one_rubric_a_digest"),
        ),
        migrations.AddConstraint(
            model_name="probeversion",
            constraint=models.UniqueConstraint(fields=("probe", "number"), name="one_version_a_number"),
        ),
        migrations.AddConstraint(
            model_name="probeversion",
            constraint=models.UniqueConstraint(fields=("probe", "digest"), name="one_version_a_digest"),
        ),
        migrations.AddConstraint(
            model_name="rule",
            constraint=models.UniqueConstraint(fields=("rubric", "position"), name="one_rule_a_position"),
        ),
        migrations.AddConstraint(
            model_name="rule",
            constraint=models.UniqueConstraint(fields=("rubric", "name"), name="one_rule_a_name"),
        ),
        migrations.AddIndex(
            model_name="run",
            index=models.Index(
                condition=models.Q(("state", "running")), fields=["batch"], name="runs_running"
            ),
        ),
        migrations.AddConstraint(
            model_name="run",
            constraint=models.UniqueConstraint(fields=("batch", "position"), name="one_run_a_position"),
        ),
        migrations.AddConstraint(
            model_name="run",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("finished_at__isnull", True), ("state", "running")),
                    models.Q(models.Q(("state", "running"), _negated=True), ("finished_at__isnull", False)),
                    _connector="OR",
                ),
                name="finished_runs_say_when",
            ),
        ),
        migrations.AddIndex(
            model_name="trial",
            index=models.Index(
                condition=models.Q(("state", "waiting")), fields=["due_at"], name="trials_due"
            ),
        ),
        migrations.AddIndex(
            model_name="trial",
            index=models.Index(
                condition=models.Q(("state", "leased")), fields=["lease_until"], name="trials_leased"
            ),
        ),
        migrations.AddConstraint(
            model_name="trial",
            constraint=models.UniqueConstraint(fields=("run", "repeat"), name="one_trial_a_repeat"),
        ),
        migrations.AddConstraint(
            model_name="trial",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("closed_at__isnull", True), ("state__in", ["waiting", "leased"])),
                    models.Q(("closed_at__isnull", False), ("state__in", ["closed", "cancelled"])),
                    _connector="OR",
                ),
                name="closed_trials_are_over",
            ),
        ),
        migrations.AddConstraint(
            model_name="trial",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("state", "closed"), _negated=True), ("final__isnull", False), _connector="OR"
                ),
                name="closed_trials_have_an_attempt",
            ),
        ),
        migrations.AddIndex(
            model_name="attempt",
            index=models.Index(fields=["started_at"], name="attempts_begun"),
        ),
        migrations.AddConstraint(
            model_name="attempt",
            constraint=models.UniqueConstraint(fields=("batch", "seq"), name="one_attempt_a_seq"),
        ),
        migrations.AddConstraint(
            model_name="attempt",
            constraint=models.UniqueConstraint(fields=("trial", "number", "late"), name="one_attempt_a_call"),
        ),
        migrations.AddConstraint(
            model_name="verdict",
            constraint=models.UniqueConstraint(fields=("attempt", "rule"), name="one_verdict_a_rule"),
        ),
    ]
