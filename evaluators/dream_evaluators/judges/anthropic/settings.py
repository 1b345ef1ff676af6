"""Settings of the anthropic rung, and the judge's name that follows from them."""

from __future__ import annotations

from dataclasses import dataclass, field
from urllib.parse import urlsplit

from dream_evaluators.errors import BadInput, JudgeUnavailable
from dream_evaluators.hashing import content_id

# Our choice: the middle of the current models in price and strength.
DEFAULT_MODEL = "claude-sonnet-5-5"
# Room for twenty verdicts and for the thinking before them, which counts towards it.
DEFAULT_TOKENS = 16_000
# Twice this is what the larger models can write; a cut answer is asked for once with double room.
MOST_TOKENS = 64_000
# How many questions a request holds at most (our choice).
MAX_QUESTIONS = 20
# How many estimated tokens of sources and questions: on 24 real pages the rules then cost a
# fifteenth of what is read, and a source that fills it has a request of its own.
REQUEST_TOKENS = 16_000
# From so many requests in a round on half the price may be worth a wait of up to a day (ours).
BATCH_FROM = 10
HASH_DIGITS = 8


@dataclass(frozen=True, kw_only=True)
class AnthropicSettings:
    """How the model is asked, and what asking may cost.

    Attributes:
        api_key: Sent to the endpoint; never shown, logged or stored.
        base_url: http(s) address of an endpoint that speaks the Messages API; "" is the SDK's own
            choice (ANTHROPIC_BASE_URL, else Anthropic's).
        model: As the endpoint names it.
        max_tokens: Room for one answer, 1 to 64,000.
        request_tokens: Sources and questions in one request, estimated; at least one source is.
        concurrency: Requests under way at once, at least 1.
        deadline_seconds: For one request with all its retries.
        max_usd: Cap in US dollars; 0 is none. Requests under way when it is reached still finish.
        max_calls: Cap on answered requests; 0 is none.
        batch_from: From so many requests in a round on they are handed in as a message batch, which
            costs half and takes up to a day; 0 is never.
        batch_seconds: How long to wait for message batches in one sitting.

    Raises:
        BadInput: A number is out of range, or the address is none.
        JudgeUnavailable: The key is missing or cannot be one.
    """

    api_key: str = field(repr=False)
    base_url: str = field(default="", repr=False)  # an address may hold a password
    model: str = DEFAULT_MODEL
    max_tokens: int = DEFAULT_TOKENS
    request_tokens: int = REQUEST_TOKENS
    concurrency: int = 8
    deadline_seconds: float = 300.0
    max_usd: float = 0.0
    max_calls: int = 0
    batch_from: int = 0
    batch_seconds: float = 300.0

    def __post_init__(self) -> None:
        # A header with anything else in it is refused deep in HTTP by an error that quotes it.
        if not self.api_key or not all("!" <= character <= "~" for character in self.api_key):
            raise JudgeUnavailable(
                "The judge 'anthropic' needs a key: set ANTHROPIC_API_KEY, without spaces or "
                "line breaks. The judges 'agent' and 'offline' need none."
            )
        if self.base_url and not _is_address(self.base_url):
            raise BadInput("The address of the Anthropic endpoint must be an http(s) URL.")
        if not self.model.strip():
            raise BadInput("The model must have a name; leave DREAM_MODEL unset for the default.")
        if not 1 <= self.max_tokens <= MOST_TOKENS:
            raise BadInput(f"max_tokens must lie between 1 and {MOST_TOKENS:,}.")
        if self.request_tokens < 1:
            raise BadInput("request_tokens must be positive.")
        if self.concurrency < 1 or not self.deadline_seconds > 0:
            raise BadInput("concurrency and deadline_seconds must be positive.")
        if self.max_calls < 0 or not 0 <= self.max_usd < float("inf"):
            raise BadInput("max_usd and max_calls must not be negative; 0 means no cap.")
        _check_batches(self.batch_from, self.batch_seconds)


def judge_name(settings: AnthropicSettings) -> str:
    """The name answers are recorded under: `anthropic:<model>:<hash of the parameters>`."""
    parameters = content_id(
        settings.base_url.rstrip("/"), settings.max_tokens, MAX_QUESTIONS, settings.request_tokens
    )
    return f"anthropic:{settings.model}:{parameters.removeprefix('b2:')[:HASH_DIGITS]}"


def _check_batches(least: int, seconds: float) -> None:
    if least < 0 or not 0 <= seconds < float("inf"):
        raise BadInput("batch_from and batch_seconds must not be negative; batch_from 0 is never.")


def _is_address(text: str) -> bool:
    try:
        parts = urlsplit(text)
        return parts.scheme in {"http", "https"} and bool(parts.hostname) and parts.port != 0
    except ValueError:
        return False
