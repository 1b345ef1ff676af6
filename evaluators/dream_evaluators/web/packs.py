"""Evidence packs: an evaluation's report, pages and answers in one file that replays anywhere.

A pack is a zip: `pack.json` (format, schema version, the hash of every other file), `reports/`,
`sources/<hash>.json` with its text in `sources/<hash>.txt`, and `answers.jsonl`. Packs come from
strangers: names, sizes and ratios are checked before anything is unpacked, hashes after.
"""

from __future__ import annotations

import io
import json
import re
import struct
import zipfile
import zlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Any

from dream_evaluators.errors import DreamError, PackInvalid
from dream_evaluators.hashing import canonical_json, content_id, text_id
from dream_evaluators.injection import ORDERS, instructs
from dream_evaluators.judge import PACK, packed_name
from dream_evaluators.ledger import Ledger
from dream_evaluators.ledger.reports import OpenedReport
from dream_evaluators.model.judgement import Answer, rung_of
from dream_evaluators.model.source import Source
from dream_evaluators.model.stored import adapter, as_plain, from_stored, to_stored
from dream_evaluators.prompts.answers import normalised

FORMAT = "dream-evidence-pack"
SCHEMA_VERSION = 1
MEBIBYTE = 1 << 20
MAX_FILE = 200 * MEBIBYTE  # of the zip itself
MAX_MEMBER = 40 * MEBIBYTE  # unpacked
MAX_TOTAL = 500 * MEBIBYTE  # unpacked, all members
MAX_MEMBERS = 20_000
# zlib cannot do better than 1,032 to 1; text hardly does better than 20 to 1.
MAX_RATIO = 200
SMALL = 4 * MEBIBYTE  # below this a high ratio harms nobody
UNZIPPING = (
    OSError,
    zipfile.BadZipFile,
    zipfile.LargeZipFile,
    zlib.error,
    NotImplementedError,
    RuntimeError,
    EOFError,
    ValueError,
)
UNREADABLE = (ValueError, TypeError, AttributeError, RecursionError)
JUDGE_NAME = re.compile(r"[a-z]{1,20}:[^\x00-\x1f\x7f-\x9f]{1,200}")
MOST_SAMPLES = 1_000
# The end of a zip: a signature, and behind it the number of files and the size of their directory.
END_RECORD, END_BYTES, END_REACH = b"PK\x05\x06", 22, 22 + 65_535
MAX_DIRECTORY = 8 * MEBIBYTE
MEMBER = re.compile(
    r"pack\.json|answers\.jsonl|(?:reports|sources)/[A-Za-z0-9_.-]{1,80}\.(?:json|txt)"
)
# A zip's oldest date: the same content always gives the same bytes.
EPOCH = (1980, 1, 1, 0, 0, 0)


@dataclass(frozen=True)
class Pack:
    """An evidence pack in memory."""

    id: str = ""  # hash over its files
    reports: Mapping[str, OpenedReport] = field(default_factory=dict)  # by report id
    sources: Mapping[str, Source] = field(default_factory=dict)  # by canonical address
    answers: Mapping[str, tuple[Answer, ...]] = field(default_factory=dict)  # by item


def read_pack(body: bytes, name: str = "the pack") -> Pack:
    """Read and verify a pack.

    Args:
        body: The file.
        name: What to call it in errors.

    Raises:
        PackInvalid: It is no pack, is unsafe to unpack, or its content does not match its hashes.
    """
    try:
        _check_size(body)
        with zipfile.ZipFile(io.BytesIO(body)) as archive:
            files = _files(archive)
    except PackInvalid as error:
        raise PackInvalid(f"{name}: {error}") from None
    except UNZIPPING as error:
        raise PackInvalid(f"{name}: not a readable evidence pack ({error})") from None
    try:
        return _pack(files)
    except PackInvalid as error:
        raise PackInvalid(f"{name}: {error}") from None
    except (DreamError, LookupError, *UNREADABLE) as error:
        raise PackInvalid(f"{name}: damaged ({error})") from None


def _check_size(body: bytes) -> None:
    """Check a zip's own count of its files before anything reads its directory."""
    if len(body) > MAX_FILE:
        raise PackInvalid(f"larger than {MAX_FILE // MEBIBYTE} MB")
    at = body.rfind(END_RECORD, max(0, len(body) - END_REACH))
    if at < 0 or len(body) < at + END_BYTES:
        return  # no zip: whoever opens it says so
    count, size = struct.unpack_from("<HI", body, at + 10)
    if count > MAX_MEMBERS or size > MAX_DIRECTORY:  # a zip64 file writes the largest numbers here
        raise PackInvalid(f"a pack of {count:,} files; {MAX_MEMBERS:,} are the limit")


def write_pack(
    reports: Iterable[OpenedReport], sources: Iterable[Source], answers: Iterable[Answer]
) -> bytes:
    """Make a pack. The same content gives the same bytes, whatever the order of its parts."""
    files: dict[str, str] = {}
    for report in reports:
        name = text_id(report.text).removeprefix("b2:")
        files[f"reports/{name}.txt"] = report.text
        files[f"reports/{name}.json"] = to_stored(replace(report, text=""))
    for source in sources:
        name = content_id(source.canonical_url).removeprefix("b2:")
        files[f"sources/{name}.json"] = to_stored(replace(source, text=""))
        if source.text:
            files[f"sources/{name}.txt"] = source.text
    # By item, and within an item as recorded: the first answer is the one that counts.
    lines = [canonical_json(as_plain(a)) for a in sorted(answers, key=lambda a: a.item)]
    files["answers.jsonl"] = "".join(f"{line}\n" for line in lines)
    manifest = {
        "format": FORMAT,
        "schema_version": SCHEMA_VERSION,
        "files": {name: text_id(text) for name, text in sorted(files.items())},
    }
    files["pack.json"] = json.dumps(manifest, indent=1, sort_keys=True) + "\n"
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in sorted(files.items()):
            info = zipfile.ZipInfo(name, EPOCH)
            info.compress_type = zipfile.ZIP_DEFLATED
            info.external_attr = 0o644 << 16
            archive.writestr(info, text.encode("utf-8", "surrogatepass"))
    return buffer.getvalue()


async def unpack_into(ledger: Ledger, evaluation: str, pack: Pack) -> None:
    """Give an evaluation everything a pack holds: its pages to read and its answers to replay.

    The answers are kept under the pack's name: they count in evaluations of this pack alone.
    """
    for key, source in pack.sources.items():
        await ledger.sources.pin(evaluation, key, await ledger.sources.add(source))
    answers = [
        replace(answer, judge=packed_name(pack.id, answer.judge))
        for group in pack.answers.values()
        for answer in group
    ]
    await ledger.answers.record(answers)


def _files(archive: zipfile.ZipFile) -> dict[str, str]:
    members = archive.infolist()
    if len(members) > MAX_MEMBERS:
        raise PackInvalid(f"a pack of {len(members):,} files; {MAX_MEMBERS:,} are the limit")
    if sum(member.file_size for member in members) > MAX_TOTAL:
        raise PackInvalid(f"unpacks to more than {MAX_TOTAL // MEBIBYTE} MB")
    files: dict[str, str] = {}
    for member in members:
        _check_member(member, files)
        with archive.open(member) as stream:
            # The directory's size may lie: never read beyond it.
            body = stream.read(member.file_size + 1)
        if len(body) != member.file_size:
            raise PackInvalid(f"{member.filename}: its size is not what the pack says")
        files[member.filename] = body.decode("utf-8", "surrogatepass")
    return files


def _check_member(member: zipfile.ZipInfo, seen: Mapping[str, str]) -> None:
    name = member.filename
    if not MEMBER.fullmatch(name):
        raise PackInvalid(f"{name[:80]!r}: no file of an evidence pack is called so")
    if name in seen:
        raise PackInvalid(f"{name}: stands twice in the pack")
    if member.flag_bits & 0x1:
        raise PackInvalid(f"{name}: is encrypted")
    if member.compress_type not in {zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED}:
        # The others unpack whole, however little is read.
        raise PackInvalid(f"{name}: is packed in another way than stored or deflated")
    if member.file_size > MAX_MEMBER:
        raise PackInvalid(f"{name}: larger than {MAX_MEMBER // MEBIBYTE} MB")
    if member.file_size > SMALL and member.file_size > MAX_RATIO * max(1, member.compress_size):
        raise PackInvalid(f"{name}: unpacks to {MAX_RATIO} times its size or more")


def _pack(files: Mapping[str, str]) -> Pack:
    if "pack.json" not in files:
        raise PackInvalid("no pack.json in it: this is not an evidence pack")
    manifest = json.loads(files["pack.json"])
    if manifest.get("format") != FORMAT:
        raise PackInvalid("its pack.json does not describe an evidence pack")
    if manifest["schema_version"] > SCHEMA_VERSION:
        raise PackInvalid("made by a newer dream-mcp; upgrade dream-mcp to read it")
    hashes: Mapping[str, str] = manifest["files"]
    for name in {*hashes, *files} - {"pack.json"}:
        if name not in files or text_id(files[name]) != hashes.get(name):
            raise PackInvalid(f"{name}: missing, added or changed since the pack was made")
    return Pack(
        id=content_id(dict(hashes)),
        reports=_reports(files),
        sources=_sources(files),
        answers=_answers(files.get("answers.jsonl", "")),
    )


def _reports(files: Mapping[str, str]) -> dict[str, OpenedReport]:
    reports = {}
    for name, text in _records(files, "reports/"):
        report = replace(from_stored(OpenedReport, text), text=files[f"{name}.txt"])
        reports[text_id(report.text)] = report
    return reports


def _sources(files: Mapping[str, str]) -> dict[str, Source]:
    sources = {}
    for name, record in _records(files, "sources/"):
        text = files.get(f"{name}.txt", "")
        source = replace(from_stored(Source, record), text=text)
        if source.content_hash != (text_id(text) if text else ""):
            raise PackInvalid(f"{name}: the text is not the one the source was read with")
        if any(not 0 <= b.start <= b.end <= len(text) for b in source.blocks):
            raise PackInvalid(f"{name}: a block lies outside the text")
        if any(before.end > after.start for before, after in pairwise(source.blocks)):
            raise PackInvalid(f"{name}: its blocks overlap")
        canonical_json(as_plain(source)).encode("utf-8")  # raises where it could not be stored
        sources[source.canonical_url] = _warned(source)
    return sources


def _warned(source: Source) -> Source:
    """Flag a text that gives orders, whatever whoever made the pack says of it."""
    if ORDERS in source.flags or not instructs(source.text):
        return source
    return replace(source, flags=(*source.flags, ORDERS))


def _records(files: Mapping[str, str], folder: str) -> Iterable[tuple[str, str]]:
    for name, text in sorted(files.items()):
        if name.startswith(folder) and name.endswith(".json"):
            yield name.removesuffix(".json"), text


def _storable(answer: Answer) -> bool:
    try:
        canonical_json(as_plain(answer)).encode("utf-8")
    except ValueError:  # a lone surrogate, or a number that is none
        return False
    return True


def _answers(lines: str) -> dict[str, tuple[Answer, ...]]:
    answers: dict[str, tuple[Answer, ...]] = {}
    for line in filter(None, lines.split("\n")):
        record: dict[str, Any] = json.loads(line)
        given = adapter(Answer).validate_python(record)
        answer = normalised(given)
        named = JUDGE_NAME.fullmatch(given.judge) and rung_of(given.judge) != PACK
        fits = answer is not None and given.sample in range(MOST_SAMPLES)
        if answer is None or not (fits and named and _storable(given)):
            raise PackInvalid(f"answers.jsonl: no judge answers like this: {line[:120]}")
        answers[answer.item] = (*answers.get(answer.item, ()), answer)
    return answers
