"""Units of measurement, scale words and currencies: what a figure counts, and by which factor."""

from __future__ import annotations

# Dimension -> unit word -> factor to the dimension's base. Words are folded (lower case); a unit
# whose case matters ("m" for metre or million) is left out where it would mislead.
_DIMENSIONS: dict[str, dict[str, float]] = {
    "%": dict.fromkeys(("%", "％", "percent", "pct", "prozent", "pourcent", "百分点"), 1.0),
    "length": {
        "km": 1e3, "kms": 1e3, "kilometre": 1e3, "kilometer": 1e3, "metre": 1.0, "meter": 1.0,
        "cm": 1e-2, "mm": 1e-3, "nm": 1e-9, "mile": 1609.344, "ft": 0.3048, "feet": 0.3048,
        "foot": 0.3048,
        "公里": 1e3, "千米": 1e3, "厘米": 1e-2, "毫米": 1e-3, "米": 1.0,
    },
    "area": {"km2": 1e6, "hectare": 1e4, "acre": 4046.86, "ha": 1e4},
    "mass": {
        "kg": 1.0, "kilogram": 1.0, "kilo": 1.0, "gram": 1e-3, "mg": 1e-6, "tonne": 1e3,
        "ton": 1e3, "lb": 0.4536, "lbs": 0.4536, "公斤": 1.0, "千克": 1.0, "吨": 1e3,
    },
    "power": {"watt": 1.0, "w": 1.0, "kw": 1e3, "mw": 1e6, "gw": 1e9, "tw": 1e12, "kilowatt": 1e3,
              "megawatt": 1e6, "gigawatt": 1e9, "terawatt": 1e12},
    "energy": {"kwh": 1e3, "mwh": 1e6, "gwh": 1e9, "twh": 1e12},
    "data": {"kb": 1e3, "mb": 1e6, "gb": 1e9, "tb": 1e12, "pb": 1e15, "gigabyte": 1e9,
             "megabyte": 1e6, "terabyte": 1e12},
    "time": {"second": 1.0, "minute": 60.0, "hour": 3600.0, "hr": 3600.0, "hrs": 3600.0, "ms": 1e-3,
             "day": 86400.0, "week": 604800.0, "小时": 3600.0, "分钟": 60.0, "天": 86400.0,
             "周": 604800.0},
    "months": {"month": 1.0, "year": 12.0, "decade": 120.0, "yr": 12.0, "yrs": 12.0, "个月": 1.0},
    "degrees": {"°c": 1.0, "℃": 1.0, "celsius": 1.0, "degree": 1.0, "°": 1.0, "grad": 1.0},
    "$": {"$": 1.0, "us$": 1.0, "usd": 1.0, "dollar": 1.0, "美元": 1.0},
    "€": {"€": 1.0, "eur": 1.0, "euro": 1.0, "欧元": 1.0},
    "£": {"£": 1.0, "gbp": 1.0, "sterling": 1.0, "英镑": 1.0},
    "¥": {"¥": 1.0, "￥": 1.0, "yen": 1.0, "jpy": 1.0, "円": 1.0, "日元": 1.0},
    "yuan": {"yuan": 1.0, "rmb": 1.0, "cny": 1.0, "元": 1.0, "人民币": 1.0},
}  # fmt: skip
UNITS: dict[str, tuple[str, float]] = {
    word: (dimension, factor)
    for dimension, table in _DIMENSIONS.items()
    for word, factor in table.items()
}

# What behind a year is the next word rather than its unit: "in 2021 second-quarter sales ...".
NO_UNIT_OF_YEARS = frozenset({"second", "minute", "euro", "pound", "foot", "m", "b", "k"})

SCALES: dict[str, float] = {
    "hundred": 1e2, "thousand": 1e3, "million": 1e6, "billion": 1e9, "trillion": 1e12, "k": 1e3,
    "m": 1e6, "mn": 1e6, "mio": 1e6, "bn": 1e9, "b": 1e9, "mrd": 1e9, "tn": 1e12, "lakh": 1e5,
    "crore": 1e7, "millionen": 1e6, "milliarden": 1e9, "billionen": 1e12, "milliard": 1e9,
    "milione": 1e6, "miliardo": 1e9, "millones": 1e6, "millon": 1e6, "milhao": 1e6, "milhoes": 1e6,
    "bilhoes": 1e9, "tausend": 1e3, "mille": 1e3, "mil": 1e3, "dozen": 12.0,
    "万": 1e4, "萬": 1e4, "亿": 1e8, "億": 1e8, "兆": 1e12, "만": 1e4, "억": 1e8, "조": 1e12,
}  # fmt: skip

_ONES = (
    "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven",
    "twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen",
)  # fmt: skip
_TENS = ("twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")
NUMBER_WORDS: dict[str, float] = {word: float(value) for value, word in enumerate(_ONES)} | {
    word: 10.0 * (place + 2) for place, word in enumerate(_TENS)
}

_MONTH_NAMES = (
    "january", "february", "march", "april", "may", "june", "july", "august", "september",
    "october", "november", "december",
)  # fmt: skip
MONTHS: dict[str, int] = {
    spelling: place + 1
    for place, name in enumerate(_MONTH_NAMES)
    for spelling in (name, name[:3], name[:4])
}


def unit_of(word: str) -> tuple[str, float] | None:
    """Give a unit word's dimension and factor, its plural too; None if it is no unit."""
    return UNITS.get(word) or (UNITS.get(word[:-1]) if _plural(word) else None)


def scale_of(word: str) -> float | None:
    """Give the factor of a scale word, its plural too; None if it is none."""
    return SCALES.get(word) or (SCALES.get(word[:-1]) if _plural(word) else None)


def _plural(word: str) -> bool:
    """Tell whether a word may be a plural: short ones ("has", "ms") are words of their own."""
    return len(word) > 3 and word.endswith("s")
