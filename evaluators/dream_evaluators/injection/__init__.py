"""Prompt injection: text of a page or report that gives orders to the model that judges it."""

from dream_evaluators.injection.orders import instructs

__all__ = ["instructs"]
