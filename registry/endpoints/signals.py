"""What those hear who call endpoints, and whom endpoints do not know."""

from __future__ import annotations

from django.dispatch import Signal

pause_changed = Signal()
"""An `endpoint` was paused or resumed, in the transaction that this is sent in."""
