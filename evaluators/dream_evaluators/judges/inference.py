"""A model of textual inference that a user brings: an ONNX file, checked by its hash, run locally.

It is never shipped and never fetched: `pip install 'dream-mcp[nli]'` adds what runs it, and the
user names a model whose licence suits them. The folder of the `.onnx` file holds `tokenizer.json`
and `config.json` beside it, as exports for this purpose do.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dream_evaluators.errors import BadInput

if TYPE_CHECKING:
    from onnxruntime import InferenceSession
    from tokenizers import Tokenizer

MAX_TOKENS = 512  # of premise and hypothesis together; the premise is cut
CHUNK = 1 << 20
DIGITS = 12
INSTALL = "DREAM_NLI needs more packages. Type: pip install 'dream-mcp[nli]'"
# What exports call their outputs, by a part of the name in lower case; the first that fits counts.
OUTPUTS = (
    ("contradict", "contradiction"),
    ("refute", "contradiction"),
    ("not_entail", "neutral"),
    ("not entail", "neutral"),
    ("unsupport", "neutral"),
    ("inconsistent", "neutral"),
    ("hallucinat", "neutral"),
    ("neutral", "neutral"),
    ("entail", "entailment"),
    ("support", "entailment"),
    ("consistent", "entailment"),
)


@dataclass(frozen=True, slots=True)
class Inference:
    """What follows from a premise for a hypothesis; the three add up to 1."""

    entailment: float
    neutral: float
    contradiction: float


@dataclass(frozen=True)
class ModelFile:
    """A model as a user names it.

    Attributes:
        path: The `.onnx` file.
        sha256: The hash it must have, in hexadecimal.
    """

    path: Path
    sha256: str

    @property
    def fingerprint(self) -> str:
        """Twelve hexadecimal digits for the model, its tokenizer and its configuration.

        Raises:
            BadInput: A file beside the model is missing.
        """
        parts = [
            self.sha256,
            *(_digest(self._beside(n)) for n in ("tokenizer.json", "config.json")),
        ]
        return hashlib.sha256("".join(parts).encode()).hexdigest()[:DIGITS]

    def load(self) -> InferenceModel:
        """Load it; takes as long as reading the file twice.

        Raises:
            BadInput: A package or a file is missing, or the file is not what its hash says, or
                cannot be run.
        """
        if _digest(self.path) != self.sha256:
            raise BadInput(
                f"DREAM_NLI: {self.path.name} does not have the hash of DREAM_NLI_SHA256. Either "
                "it is another file than you think, or the hash is of another version: compare "
                "with what its publisher says."
            )
        try:
            from onnxruntime import InferenceSession, SessionOptions  # noqa: PLC0415 - an extra
            from tokenizers import Tokenizer  # noqa: PLC0415 - an extra
        except ImportError:
            raise BadInput(INSTALL) from None
        columns = output_columns(_json(self._beside("config.json")))
        options = SessionOptions()
        options.log_severity_level = 4  # what it warns of would stand in the user's terminal
        tokenizer_file = self._beside("tokenizer.json")
        # The native code of both raises nothing narrower that can be named.
        try:
            session = InferenceSession(str(self.path), options, providers=["CPUExecutionProvider"])
            tokenizer = Tokenizer.from_file(str(tokenizer_file))
        except Exception as error:  # noqa: BLE001
            raise BadInput(f"DREAM_NLI: {self.path.name} cannot be loaded: {error}"[:500]) from None
        tokenizer.enable_truncation(MAX_TOKENS, strategy="only_first")
        tokenizer.enable_padding()
        return InferenceModel(session, tokenizer, columns)

    def _beside(self, name: str) -> Path:
        file = self.path.parent / name
        if not file.is_file():
            raise BadInput(
                f"DREAM_NLI: there is no {name} beside {self.path.name}. Put it there; it comes "
                "with the model."
            )
        return file


def output_columns(config: Mapping[str, Any]) -> tuple[str, ...]:
    """Read from a configuration what the columns of the model's output mean.

    Raises:
        BadInput: It does not say; which column is entailment must never be guessed.
    """
    names = config.get("id2label")
    columns: list[str] = []
    if isinstance(names, Mapping):
        ordered = sorted(names, key=lambda key: int(key) if str(key).isdigit() else -1)
        for key in ordered:
            label = str(names[key]).lower()
            columns.append(next((kind for part, kind in OUTPUTS if part in label), ""))
    if "entailment" not in columns or "" in columns:
        raise BadInput(
            "DREAM_NLI: config.json does not say what the model's outputs mean. Give it an "
            'id2label such as {"0": "entailment", "1": "neutral", "2": "contradiction"}.'
        )
    return tuple(columns)


class InferenceModel:
    """A loaded model. Runs on the processor; safe to share between threads."""

    def __init__(
        self, session: InferenceSession, tokenizer: Tokenizer, columns: Sequence[str]
    ) -> None:
        self._session = session
        self._tokenizer = tokenizer
        self._columns = columns
        self._inputs = [each.name for each in session.get_inputs()]

    def infer(self, premises: Sequence[str], hypothesis: str) -> list[Inference]:
        """Say for each premise what follows from it.

        Args:
            premises: Passages of a source; each is cut to what the model can read.
            hypothesis: The claim.

        Raises:
            BadInput: The model does not take or give what an inference model does.
        """
        if not premises:
            return []
        import numpy  # noqa: PLC0415 - comes with onnxruntime

        rows = self._tokenizer.encode_batch([(premise, hypothesis) for premise in premises])
        given = {
            "input_ids": [row.ids for row in rows],
            "attention_mask": [row.attention_mask for row in rows],
            "token_type_ids": [row.type_ids for row in rows],
        }
        if unknown := set(self._inputs) - set(given):
            raise BadInput(
                f"DREAM_NLI: the model wants {', '.join(sorted(unknown))}, which no sequence "
                "classifier for pairs of texts needs. Export it for sequence classification."
            )
        arrays = {name: numpy.array(given[name], dtype=numpy.int64) for name in self._inputs}
        logits = numpy.asarray(self._session.run(None, arrays)[0], dtype=float)
        if logits.shape != (len(premises), len(self._columns)):
            raise BadInput(
                f"DREAM_NLI: the model gives {logits.shape[1:]} numbers for a pair of texts, and "
                f"its config.json names {len(self._columns)} labels."
            )
        return [self._read(row) for row in logits.tolist()]

    def _read(self, logits: Sequence[float]) -> Inference:
        top = max(logits)
        weights = [math.exp(each - top) for each in logits]
        shares = dict.fromkeys(("entailment", "neutral", "contradiction"), 0.0)
        for column, weight in zip(self._columns, weights, strict=True):
            shares[column] += weight / sum(weights)
        return Inference(**shares)


def _digest(file: Path) -> str:
    found = hashlib.sha256()
    try:
        with file.open("rb") as opened:
            while chunk := opened.read(CHUNK):
                found.update(chunk)
    except OSError as error:
        raise BadInput(f"DREAM_NLI: {file.name} cannot be read ({error.strerror}).") from None
    return found.hexdigest()


def _json(file: Path) -> Mapping[str, Any]:
    try:
        read = json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        read = None
    if not isinstance(read, dict):
        raise BadInput(f"DREAM_NLI: {file.name} beside the model is no JSON object.")
    return read
