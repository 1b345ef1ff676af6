"""What calls cost: tokens by kind, and dollars where the model's price is known."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import ceil
from typing import NamedTuple

# Writing to the five-minute cache costs a quarter more than plain input, on every model.
WRITE_FACTOR = 1.25
# What is handed in as a message batch costs half, on every model.
BATCH_FACTOR = 0.5
# Our estimate of a prompt's tokens can be too low (figures, code): a cap is kept with this margin.
ESTIMATE_MARGIN = 1.5
PER_MILLION = 1e-6


class Price(NamedTuple):
    """US dollars for a million tokens: plain input, output, and input read from the cache."""

    input: float
    output: float
    cached: float


_OPUS = Price(5, 25, 0.5)
_SONNET_4 = Price(3, 15, 0.3)
_HAIKU_4 = Price(1, 5, 0.1)
_TOP = Price(10, 50, 1)
_TOP_1 = Price(10, 50, 0.25)

# Anthropic's list prices as published in October 2026. A model that is not here has no price.
PRICES: dict[str, Price] = {
    "claude-haiku-5-5": Price(0.1, 0.5, 0.01),
    "claude-sonnet-5-5": Price(2, 10, 0.1),
    "claude-opus-5-5": Price(4, 20, 0.2),
    "claude-fable-5-1": _TOP_1,
    "claude-mythos-5-1": _TOP_1,
    "claude-fable-5": _TOP,
    "claude-mythos-5": _TOP,
    "claude-sonnet-5": Price(2, 10, 0.2),
    "claude-opus-5": _OPUS,
    "claude-opus-4-8": _OPUS,
    "claude-opus-4-7": _OPUS,
    "claude-opus-4-6": _OPUS,
    "claude-opus-4-5": _OPUS,
    "claude-opus-4-5-20251101": _OPUS,
    "claude-sonnet-4-6": _SONNET_4,
    "claude-sonnet-4-5": _SONNET_4,
    "claude-sonnet-4-5-20250929": _SONNET_4,
    "claude-haiku-4-5": _HAIKU_4,
    "claude-haiku-4-5-20251001": _HAIKU_4,
}
# Some models charge more for a whole request when its prompt is longer than so many tokens.
LONG_PROMPTS: dict[str, tuple[int, Price]] = {
    "claude-haiku-5-5": (100_000, Price(0.5, 2.5, 0.05)),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Spent:
    """What calls cost; sums by `+`.

    Attributes:
        calls: Answers received, whether usable or not.
        input_tokens: Everything the model read, from the cache or not.
        output_tokens: Everything it wrote, thinking included.
        cached_tokens: Of the input: read from the cache.
        written_tokens: Of the input: written to the cache.
        usd: Dollars; None when the price of any call is unknown.
    """

    calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    cached_tokens: int = 0
    written_tokens: int = 0
    usd: float | None = 0.0

    def __add__(self, other: Spent) -> Spent:
        """Sum two; unknown dollars stay unknown."""
        known = self.usd is not None and other.usd is not None
        return Spent(
            calls=self.calls + other.calls,
            input_tokens=self.input_tokens + other.input_tokens,
            output_tokens=self.output_tokens + other.output_tokens,
            cached_tokens=self.cached_tokens + other.cached_tokens,
            written_tokens=self.written_tokens + other.written_tokens,
            usd=(self.usd or 0.0) + (other.usd or 0.0) if known else None,
        )

    def batched(self) -> Spent:
        """The same by way of a message batch."""
        return self if self.usd is None else replace(self, usd=self.usd * BATCH_FACTOR)

    def share(self, answers: int) -> dict[str, float]:
        """The part of one of so many answers, so that sums over answers are what was spent."""
        parts = {
            "calls": self.calls / answers,
            "input_tokens": self.input_tokens / answers,
            "output_tokens": self.output_tokens / answers,
            "cached_tokens": self.cached_tokens / answers,
            "written_tokens": self.written_tokens / answers,
        }
        return parts if self.usd is None else {**parts, "usd": self.usd / answers}


def spent_on_call(model: str, *, plain: int, written: int, cached: int, output: int) -> Spent:
    """Account for one call.

    Args:
        model: As returned.
        plain: Input tokens that the cache had no part in.
        written: Input tokens written to the cache.
        cached: Input tokens read from the cache.
        output: Tokens written.
    """
    return Spent(
        calls=1,
        input_tokens=plain + written + cached,
        output_tokens=output,
        cached_tokens=cached,
        written_tokens=written,
        usd=_dollars(price_of(model, plain + written + cached), plain, written, cached, output),
    )


def most_batched_usd(model: str, prompt_tokens: int, max_tokens: int) -> float | None:
    """What one request of a message batch costs at most, in dollars; None without a price.

    Args:
        model: As asked for.
        prompt_tokens: Of all it reads, by our estimate.
        max_tokens: Room for the answer, all of which may be used.
    """
    prompt = ceil(prompt_tokens * ESTIMATE_MARGIN)
    price = price_of(model, prompt)
    full = _dollars(price, 0, prompt, 0, max_tokens)
    return None if full is None else full * BATCH_FACTOR


def price_of(model: str, prompt_tokens: int = 0) -> Price | None:
    """A model's price for a prompt of this length; None when it is unknown."""
    limit, long_price = LONG_PROMPTS.get(model, (0, None))
    return long_price if long_price and prompt_tokens > limit else PRICES.get(model)


def _dollars(
    price: Price | None, plain: int, written: int, cached: int, output: int
) -> float | None:
    if price is None:
        return None
    tokens = (plain + WRITE_FACTOR * written) * price.input
    return (tokens + cached * price.cached + output * price.output) * PER_MILLION
