import django.db.models.deletion
import django.utils.timezone
from django.db import migrations, models


class Migration(migrations.Migration):
    initial = True

    dependencies = [
        ("endpoints", "0001_initial"),
        ("probes", "0001_initial"),
        ("teams", "0001_initial"),
    ]

    operations = [
        migrations.CreateModel(
            name="Ladder",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("slug", models.SlugField(max_length=80)),
                ("number", models.PositiveIntegerField()),
                ("title", models.CharField(max_length=200)),
                ("summary", models.TextField()),
                ("digest", models.CharField(max_length=64)),
                ("published_at", models.DateTimeField(default=django.utils.timezone.now)),
                (
                    "team",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="ladders", to="teams.team"
                    ),
                ),
            ],
            options={
                "ordering": ["team", "slug", "-number"],
            },
        ),
        migrations.CreateModel(
            name="Race",
            fields=[
                (
                    "batch",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.PROTECT,
                        primary_key=True,
                        related_name="race",
                        serialize=False,
                        to="probes.batch",
                    ),
                ),
                ("concept", models.CharField(max_length=200)),
                (
                    "ladder",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="races", to="ladder.ladder"
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="Climb",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("letter", models.CharField(max_length=1)),
                ("model", models.CharField(max_length=200)),
                (
                    "endpoint",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="climbs",
                        to="endpoints.endpoint",
                    ),
                ),
                (
                    "race",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="climbs", to="ladder.race"
                    ),
                ),
            ],
            options={
                "ordering": ["race", "letter"],
            },
        ),
        migrations.CreateModel(
            name="Rung",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("index", models.PositiveSmallIntegerField()),
                ("key", models.SlugField(max_length=40)),
                ("label", models.CharField(max_length=80)),
                ("constraint", models.CharField(max_length=200)),
                (
                    "ladder",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="rungs", to="ladder.ladder"
                    ),
                ),
                (
                    "version",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="rungs",
                        to="probes.probeversion",
                    ),
                ),
            ],
            options={
                "ordering": ["ladder", "index"],
            },
        ),
        migrations.CreateModel(
            name="Hold",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "climb",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="holds", to="ladder.climb"
                    ),
                ),
                (
                    "run",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.PROTECT, related_name="hold", to="probes.run"
                    ),
                ),
                (
                    "rung",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="holds", to="ladder.rung"
                    ),
                ),
            ],
            options={
                "ordering": ["climb", "rung"],
            },
        ),
        migrations.AddConstraint(
            model_name="ladder",
            constraint=models.UniqueConstraint(fields=("team", "slug", "number"), name="one_ladder_a_number"),
        ),
        migrations.AddConstraint(
            model_name="ladder",
            constraint=models.UniqueConstraint(fields=("team", "slug", "digest"), name="one_ladder_a_digest"),
        ),
        migrations.AddConstraint(
            model_name="climb",
            constraint=models.UniqueConstraint(fields=("race", "letter"), name="one_climb_a_letter"),
        ),
        migrations.AddConstraint(
            model_name="rung",
            constraint=models.UniqueConstraint(fields=("ladder", "index"), name="one_rung_an_index"),
        ),
        migrations.AddConstraint(
            model_name="rung",
            constraint=models.UniqueConstraint(fields=("ladder", "key"), name="one_rung_an_id"),
        ),
        migrations.AddConstraint(
            model_name="hold",
            constraint=models.UniqueConstraint(fields=("climb", "rung"), name="one_hold_a_rung"),
        ),
    ]
