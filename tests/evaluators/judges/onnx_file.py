"""A small real ONNX model for tests, written as the format says, without the package for it.

It looks each word up in a table of three numbers and adds them up over the words that are no
padding: real shapes, real arithmetic, and verdicts that a test can choose by its words.
"""

from __future__ import annotations

import json
import struct
from collections.abc import Mapping, Sequence
from pathlib import Path

FLOAT, INT64 = 1, 7
WORDS = ("[PAD]", "[UNK]", "indeed", "never", "perhaps")
# What each word adds to entailment, neutral and contradiction.
TABLE = ((0, 0, 0), (0, 0, 0), (9, 0, 0), (0, 0, 9), (0, 9, 0))


def _varint(value: int) -> bytes:
    out = b""
    while value > 0x7F:
        out += bytes([value & 0x7F | 0x80])
        value >>= 7
    return out + bytes([value])


def _number(field: int, value: int) -> bytes:
    return _varint(field << 3) + _varint(value)


def _bytes(field: int, value: bytes | str) -> bytes:
    raw = value.encode() if isinstance(value, str) else value
    return _varint(field << 3 | 2) + _varint(len(raw)) + raw


def _node(op: str, inputs: Sequence[str], output: str, **numbers: int) -> bytes:
    attributes = b"".join(
        _bytes(5, _bytes(1, name) + _number(3, value) + _number(20, 2))
        for name, value in numbers.items()
    )
    names = b"".join(_bytes(1, name) for name in inputs)
    return _bytes(1, names + _bytes(2, output) + _bytes(4, op) + attributes)


def _constant(name: str, kind: int, dims: Sequence[int], raw: bytes) -> bytes:
    shape = b"".join(_number(1, dim) for dim in dims)
    return _bytes(5, shape + _number(2, kind) + _bytes(8, name) + _bytes(9, raw))


def _value(field: int, name: str, kind: int, dims: Sequence[str | int]) -> bytes:
    shape = b"".join(
        _bytes(1, _number(1, dim) if isinstance(dim, int) else _bytes(2, dim)) for dim in dims
    )
    return _bytes(
        field, _bytes(1, name) + _bytes(2, _bytes(1, _number(1, kind) + _bytes(2, shape)))
    )


def onnx_bytes(third_input: str = "") -> bytes:
    """The model's file; with a third input it wants something nobody has."""
    table = [float(number) for row in TABLE for number in row]
    graph = (
        _node("Gather", ("table", "input_ids"), "looked_up")
        + _node("Cast", ("attention_mask",), "mask", to=FLOAT)
        + _node("Unsqueeze", ("mask", "last"), "wide_mask")
        + _node("Mul", ("looked_up", "wide_mask"), "kept")
        + _node("ReduceSum", ("kept", "words"), "logits", keepdims=0)
        + _bytes(2, "adds_up")
        + _constant("table", FLOAT, (len(TABLE), 3), struct.pack(f"<{len(table)}f", *table))
        + _constant("last", INT64, (1,), struct.pack("<q", 2))
        + _constant("words", INT64, (1,), struct.pack("<q", 1))
        + b"".join(
            _value(11, name, INT64, ("pairs", "tokens"))
            for name in ("input_ids", "attention_mask", third_input)
            if name
        )
        + _value(12, "logits", FLOAT, ("pairs", 3))
    )
    return _number(1, 8) + _bytes(7, graph) + _bytes(8, _number(2, 13))


def write_model(
    folder: Path, labels: Mapping[str, str] | None = None, third_input: str = ""
) -> Path:
    """Write the model with its tokenizer and configuration, as an export looks."""
    folder.mkdir(parents=True, exist_ok=True)
    names = {"0": "ENTAILMENT", "1": "NEUTRAL", "2": "CONTRADICTION"} if labels is None else labels
    tokenizer: dict[str, object] = {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": [],
        "normalizer": {"type": "Lowercase"},
        "pre_tokenizer": {"type": "Whitespace"},
        "post_processor": None,
        "decoder": None,
        "model": {
            "type": "WordLevel",
            "vocab": {word: at for at, word in enumerate(WORDS)},
            "unk_token": "[UNK]",
        },
    }
    (folder / "tokenizer.json").write_text(json.dumps(tokenizer), encoding="utf-8")
    (folder / "config.json").write_text(json.dumps({"id2label": names}), encoding="utf-8")
    model = folder / "model.onnx"
    model.write_bytes(onnx_bytes(third_input))
    return model
