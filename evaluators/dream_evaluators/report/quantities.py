"""Quantities in claims: numbers with their scale and unit."""

from __future__ import annotations

import re
from dataclasses import dataclass

_SCALES = {
    "thousand": 1e3,
    "k": 1e3,
    "million": 1e6,
    "mn": 1e6,
    "m": 1e6,
    "billion": 1e9,
    "bn": 1e9,
    "b": 1e9,
    "trillion": 1e12,
    "tn": 1e12,
    "万": 1e4,
    "萬": 1e4,
    "亿": 1e8,
    "億": 1e8,
    "mio": 1e6,
    "mrd": 1e9,
}
QUANTITY = re.compile(
    r"(?P<currency>[$€£¥₹]|US\$|USD |EUR )?(?P<sign>[-−–](?=\d))?"
    r"(?P<number>\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?)(?![\d,.]*\d)"
    r"(?:\s?(?P<scale>thousand|million|billion|trillion|mio|mrd|bn|mn|tn|万|萬|亿|億|"
    r"[kKmMbB](?![A-Za-z])))?"
    r"(?:\s?(?P<unit>%|％|percent|per cent|percentage points?|pp))?",
)


@dataclass(frozen=True, slots=True)
class Quantity:
    """A number as written.

    `value` goes without its scale, `scale` is a factor, `unit` is "%", a currency or "".
    """

    value: float
    scale: float
    unit: str
    start: int
    end: int

    @property
    def total(self) -> float:
        """The value with its scale."""
        return self.value * self.scale

    @property
    def is_year(self) -> bool:
        """Whether it reads as a year: four digits from 1900 to 2099 without scale or unit."""
        return (
            not self.unit
            and self.scale == 1
            and self.value == int(self.value)
            and 1900 <= self.value < 2100
        )


def read_quantities(text: str) -> list[Quantity]:
    """Return the quantities of a text in order."""
    return [_quantity(found) for found in QUANTITY.finditer(text)]


def _quantity(found: re.Match[str]) -> Quantity:
    value = float(found.group("number").replace(",", ""))
    unit = found.group("unit") or found.group("currency") or ""
    return Quantity(
        value=-value if found.group("sign") else value,
        scale=_SCALES.get((found.group("scale") or "").lower(), 1.0),
        unit="%" if found.group("unit") else unit.strip(),
        start=found.start(),
        end=found.end(),
    )
