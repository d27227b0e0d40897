"""Small shapes that several answers share."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers


class TallyShape(serializers.Serializer[Any]):
    """How trials came out. Unscored ones count neither for nor against; `coverage` is how much is scored."""

    passed = serializers.IntegerField()
    failed = serializers.IntegerField()
    unscored = serializers.IntegerField()
    pending = serializers.IntegerField()
    cancelled = serializers.IntegerField()
    scored = serializers.IntegerField()
    total = serializers.IntegerField()
    coverage = serializers.FloatField(allow_null=True, help_text="scored / total, 0 to 1")
