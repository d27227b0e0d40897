"""Properties that a registry must have, looked up in its database: what `manage.py verify` prints."""

from probes.domain.verification.property import Look, Property, counted, holding

__all__ = ["Look", "Property", "counted", "holding"]
