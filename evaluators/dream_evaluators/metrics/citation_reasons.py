"""Why a citation score has no value, in words for a reader."""

from __future__ import annotations

from dream_evaluators.model.score import Reason

NOTES = {
    Reason.NO_CLAIMS: "The report makes no factual statement that could be cited.",
    Reason.NO_CITATIONS: "The report cites nothing at all: a structural zero, as in the paper.",
    Reason.CITATIONS_UNRESOLVABLE: "The report has citation markers, but none leads to an address. "
    "If they are a chat product's own, give its sources to open_report.",
    Reason.PENDING: "Questions wait for the judge.",
    Reason.JUDGE_FAILED: "The judge's answers could not be used.",
    Reason.SOURCE_UNREACHABLE: "None of the cited sources could be read here; that is no fault of "
    "the report.",
    Reason.PARTIAL_JUDGING: "The offline judge cannot decide enough to score; see the estimate, or "
    "have a model judge.",
}
