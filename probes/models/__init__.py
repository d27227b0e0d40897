from probes.models.probe import Probe
from probes.models.run import Attempt, Batch, Run, Trial, Verdict
from probes.models.version import Fixture, ProbeVersion, Rubric, Rule

__all__ = ["Attempt", "Batch", "Fixture", "Probe", "ProbeVersion", "Rubric", "Rule", "Run", "Trial", "Verdict"]
