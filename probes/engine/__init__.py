"""The engine: a bounded pool of calls. It knows neither rows nor providers."""

from probes.engine.pool import Landed, Pool

__all__ = ["Landed", "Pool"]
