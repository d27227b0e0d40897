"""Where tries are counted when several web processes share a database: Django's cache keeps them here."""

from __future__ import annotations

from django.db import models


class Count(models.Model):
    """The latest tries at one thing, as the cache writes them; worth nothing once it expired."""

    cache_key = models.CharField(max_length=255, primary_key=True)
    value = models.TextField()
    expires = models.DateTimeField(db_index=True)

    def __str__(self) -> str:
        return self.cache_key
