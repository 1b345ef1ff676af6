"""The errors a caller can meet, and the one signal that is not an error.

* DreamError                 something the caller can act on; the text says what to do
  x BadInput                 what was handed in cannot be used
    - ReportUnreadable       empty, binary, too large, missing, or in a format we cannot open
    - PathRefused            outside the allowed roots
    - PackInvalid            an evidence pack that is broken or not what it says
    - AnswerRejected         an answer to a work order that cannot be accepted
  x StoreError               the ledger cannot be used
    - StoreNewer             written by a newer version of dream-mcp
    - StoreUnwritable        cannot be created or written
  x JudgeUnavailable         the judge that was asked for cannot be had here
  x BudgetExhausted          a cap that the caller set was reached
  x AnswersDelayed           answers were ordered and are not there yet

`Pending` (in `judge`) stands outside this tree: a question that waits for its answer is no failure.
"""

from __future__ import annotations


class DreamError(Exception):
    """Base of every error whose text is meant for the caller."""


class BadInput(DreamError):
    """What was handed in cannot be used; the text says what to send instead."""


class ReportUnreadable(BadInput):
    """The report is empty, binary, too large, missing, or in a format that cannot be opened."""


class PathRefused(BadInput):
    """A path outside the allowed roots."""


class PackInvalid(BadInput):
    """An evidence pack that is broken, unsafe, or not what its manifest says."""


class AnswerRejected(BadInput):
    """An answer to a work order that cannot be accepted; the order stays open."""


class StoreError(DreamError):
    """The ledger cannot be used."""


class StoreNewer(StoreError):
    """The ledger was written by a newer version of dream-mcp."""


class StoreUnwritable(StoreError):
    """The ledger's file cannot be created or written."""


class JudgeUnavailable(DreamError):
    """The judge that was asked for cannot be had here; the text says what else can."""


class BudgetExhausted(DreamError):
    """A cap on money, calls or time that the caller set was reached."""


class AnswersDelayed(DreamError):
    """Answers were ordered and paid for, and come later; the text says how to fetch them."""


def first_error(group: BaseExceptionGroup[BaseException]) -> BaseException:
    """The first single error inside a task group's error, so that callers can name its type."""
    inner = group.exceptions[0]
    return first_error(inner) if isinstance(inner, BaseExceptionGroup) else inner
