"""What a call costs by the prices that a team states. Without them nothing is guessed."""

from __future__ import annotations

from decimal import Decimal

from registry.endpoints.models import Endpoint

_MILLION = Decimal(1_000_000)


def cost(endpoint: Endpoint, prompt_tokens: int | None, completion_tokens: int | None) -> Decimal | None:
    """In the endpoint's currency; None without prices, or where the server counted no tokens."""
    prices = endpoint.price_prompt, endpoint.price_completion
    if prices[0] is None or prices[1] is None or prompt_tokens is None or completion_tokens is None:
        return None
    return (prices[0] * prompt_tokens + prices[1] * completion_tokens) / _MILLION


def cost_said(endpoint: Endpoint, prompt_tokens: int | None, completion_tokens: int | None) -> str:
    """`0.0012 USD`; "" where the cost is not known."""
    found = cost(endpoint, prompt_tokens, completion_tokens)
    return "" if found is None else money(found, endpoint.currency)


def money(amount: Decimal, currency: str) -> str:
    return f"{amount.normalize():f} {currency}"
