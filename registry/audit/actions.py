"""What is noted in a team's audit log: each code, which is stored, and the words that pages show for it."""

from __future__ import annotations

ACTIONS: dict[str, str] = {
    "team-created": "created the team",
    "team-renamed": "renamed the team",
    "member-invited": "invited into the team",
    "invitation-revoked": "revoked an invitation",
    "member-added": "added a member",
    "member-joined": "joined the team",
    "member-role-changed": "changed a member’s role",
    "member-removed": "removed a member",
    "member-left": "left the team",
    "member-shut-out": "shut the account of a member",
    "member-let-back": "opened the account of a member again",
    "ownership-transferred": "transferred the ownership",
    "endpoint-added": "added an endpoint",
    "endpoint-changed": "changed an endpoint",
    "endpoint-key-replaced": "replaced an endpoint’s key",
    "endpoint-key-forgotten": "forgot an endpoint’s key",
    "endpoint-paused": "paused an endpoint",
    "endpoint-resumed": "resumed an endpoint",
    "endpoint-tested": "made a test call",
    "endpoint-listed": "asked an endpoint for its models",
    "endpoint-deleted": "deleted an endpoint",
    "probe-edited": "edited a probe without a new version",
    "version-published": "published a version",
    "batch-started": "started runs",
    "batch-cancelled": "cancelled runs",
    "batch-hidden": "hid runs",
    "batch-shown": "showed runs again",
    "output-redacted": "redacted an output",
    "token-made": "made an API token",
    "token-revoked": "revoked an API token",
}
"""In the past tense, after the name of whoever did it. A code that was stored once stays."""
