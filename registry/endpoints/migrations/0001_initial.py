import django.core.validators
import django.db.models.deletion
import django.utils.timezone
from django.db import migrations, models


class Migration(migrations.Migration):
    initial = True

    dependencies = [
        ("teams", "0001_initial"),
    ]

    operations = [
        migrations.CreateModel(
            name="Endpoint",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("slug", models.SlugField(max_length=60)),
                ("name", models.CharField(max_length=100)),
                ("base_url", models.CharField(max_length=500, verbose_name="base URL")),
                ("practice", models.BooleanField(default=False, editable=False)),
                ("key_cipher", models.TextField(blank=True, editable=False)),
                ("key_last4", models.CharField(blank=True, editable=False, max_length=4)),
                ("key_set_at", models.DateTimeField(blank=True, editable=False, null=True)),
                (
                    "reasoning",
                    models.CharField(
                        choices=[("leave", "Leave alone"), ("off", "Off (chat_template_kwargs)")],
                        default="leave",
                        max_length=10,
                    ),
                ),
                ("inline_thinking", models.BooleanField(default=False)),
                (
                    "token_limit",
                    models.CharField(
                        choices=[
                            ("max_tokens", "max_tokens"),
                            ("max_completion_tokens", "max_completion_tokens"),
                        ],
                        default="max_tokens",
                        max_length=30,
                    ),
                ),
                ("send_temperature", models.BooleanField(default=True)),
                (
                    "system_role",
                    models.CharField(
                        choices=[("send", "Send as is"), ("fold", "Put in front of the user message")],
                        default="send",
                        max_length=10,
                    ),
                ),
                ("extra_body", models.JSONField(blank=True, default=dict)),
                (
                    "concurrency",
                    models.PositiveSmallIntegerField(
                        default=8,
                        validators=[
                            django.core.validators.MinValueValidator(1),
                            django.core.validators.MaxValueValidator(128),
                        ],
                    ),
                ),
                (
                    "requests_per_minute",
                    models.PositiveIntegerField(
                        blank=True, null=True, validators=[django.core.validators.MinValueValidator(1)]
                    ),
                ),
                (
                    "deadline_seconds",
                    models.PositiveIntegerField(
                        default=120,
                        validators=[
                            django.core.validators.MinValueValidator(1),
                            django.core.validators.MaxValueValidator(1800),
                        ],
                    ),
                ),
                ("models_offered", models.JSONField(blank=True, default=list, editable=False)),
                ("models_listed_at", models.DateTimeField(blank=True, editable=False, null=True)),
                ("not_before", models.DateTimeField(blank=True, editable=False, null=True)),
                ("created_at", models.DateTimeField(default=django.utils.timezone.now, editable=False)),
                ("closed_at", models.DateTimeField(blank=True, editable=False, null=True)),
                (
                    "team",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="endpoints", to="teams.team"
                    ),
                ),
            ],
            options={
                "ordering": ["-practice", "slug"],
                "constraints": [models.UniqueConstraint(fields=("team", "slug"), name="one_endpoint_a_slug")],
            },
        ),
    ]
