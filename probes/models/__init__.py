from probes.models.moderation import Moderation
from probes.models.probe import Probe, Visibility
from probes.models.run import Attempt, Batch, Outcome, Run, State, Trial, Verdict
from probes.models.version import Fixture, ProbeVersion, Rubric, Rule

__all__ = [
    "Attempt",
    "Batch",
    "Fixture",
    "Moderation",
    "Outcome",
    "Probe",
    "ProbeVersion",
    "Rubric",
    "Rule",
    "Run",
    "State",
    "Trial",
    "Verdict",
    "Visibility",
]
