"""Probes in the admin: a probe is published by a form; everything published or run is only read."""

from probes.admin import probe, published, runs

__all__ = ["probe", "published", "runs"]
