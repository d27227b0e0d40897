from probes.models.probe import Probe, Visibility
from probes.models.run import Attempt, Batch, Outcome, Run, State, Trial, Verdict
from probes.models.version import Fixture, ProbeVersion, Rubric, Rule

__all__ = [
    "Attempt",
    "Batch",
    "Fixture",
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
