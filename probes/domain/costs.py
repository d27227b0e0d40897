"""What runs cost by the prices that their team states now. Without prices nothing is guessed."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal

from django.db.models import Count, Q, Sum

from probes.models import Batch, Outcome
from registry.endpoints.models import Endpoint
from registry.endpoints.prices import cost, money

_MADE = ~Q(outcome=Outcome.ERROR) | Q(may_be_billed=True)
_COUNTED = Q(prompt_tokens__isnull=False, completion_tokens__isnull=False)


@dataclass(frozen=True)
class Cost:
    """What one model took at one endpoint: tokens of the calls that were counted, and the amount."""

    model: str
    endpoint: str
    tokens: int
    counted: int
    calls: int
    amount: Decimal
    currency: str

    @property
    def said(self) -> str:
        """`0.0012 USD`."""
        return money(self.amount, self.currency)


def costs_of(batch: Batch) -> list[Cost]:
    """By model and endpoint. Every call that may have been billed counts, whatever came of it."""
    tokens = {
        "prompt": Sum("prompt_tokens", filter=_COUNTED, default=0),
        "completion": Sum("completion_tokens", filter=_COUNTED, default=0),
        "counted": Count("pk", filter=_COUNTED),
        "calls": Count("pk", filter=_MADE | _COUNTED),
    }
    lanes = batch.runs.order_by("position").values_list("endpoint", "model")
    priced = Endpoint.objects.exclude(price_prompt=None).exclude(price_completion=None)
    endpoints = priced.in_bulk({endpoint for endpoint, _ in lanes})
    rows = batch.attempts.filter(trial__run__endpoint__in=endpoints).order_by()
    counts = rows.values_list("trial__run__endpoint", "trial__run__model").annotate(**tokens)
    taken = {(endpoint, model): numbers for endpoint, model, *numbers in counts}
    return [
        _cost(endpoints[pk], model, *taken[pk, model])
        for pk, model in dict.fromkeys(lanes)
        if (pk, model) in taken
    ]


def _cost(endpoint: Endpoint, model: str, prompt: int, completion: int, counted: int, calls: int) -> Cost:
    amount = cost(endpoint, prompt, completion) or Decimal()
    return Cost(model, endpoint.name, prompt + completion, counted, calls, amount, endpoint.currency)


def together(costs: Sequence[Cost]) -> list[str]:
    """One sum for each currency; none where there is nothing to add up."""
    sums: dict[str, Decimal] = defaultdict(Decimal)
    for each in costs:
        sums[each.currency] += each.amount
    return [money(amount, currency) for currency, amount in sums.items()] if len(costs) > 1 else []
