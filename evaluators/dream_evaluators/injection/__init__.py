"""Prompt injection: text of a page or report that gives orders to the model that judges it."""

from dream_evaluators.injection.orders import ORDERS, instructs

__all__ = ["ORDERS", "instructs"]
