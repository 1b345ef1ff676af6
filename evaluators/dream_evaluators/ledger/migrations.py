"""The ledger's schema as an ordered list of named steps, each applied once.

One SQL text serves both engines: `{blob}` and `{real}` are filled from the engine's dialect table,
parameters are `:name`, and conflicts are settled by `on conflict`. A step that has been released
is never edited; a change is a new step.
"""

from __future__ import annotations

from typing import NamedTuple


class Migration(NamedTuple):
    """One step: its recorded name and the statements it runs in one transaction."""

    name: str
    statements: tuple[str, ...]


MIGRATIONS: tuple[Migration, ...] = (
    Migration(
        "0001_ledger",
        (
            "create table meta (key text primary key, value text not null)",
            # Texts by content: report texts and source texts, compressed; codec tells how.
            """create table body (
                hash text primary key, codec text not null, content {blob} not null)""",
            """create table item (
                space text not null, id text not null, kind text not null, prompt_id text not null,
                inputs text not null, answer_schema text not null, created_at text not null,
                primary key (space, id))""",
            """create table answer (
                space text not null, item text not null, judge text not null,
                sample integer not null, answer text not null, model text not null,
                usage text not null, asked_with text not null, answered_at text not null,
                position integer not null, seal text not null,
                primary key (space, item, judge, sample))""",
            """create table report (
                space text not null, id text not null, record text not null,
                created_at text not null, primary key (space, id))""",
            """create table source (
                space text not null, id text not null, canonical_url text not null,
                outcome text not null, record text not null, content_hash text not null,
                origin text not null, retrieved_at text not null, primary key (space, id))""",
            "create index source_by_url on source (space, canonical_url, retrieved_at)",
            "create index source_by_text on source (space, content_hash)",
            """create table evaluation (
                space text not null, id text not null, request_id text not null,
                generation integer not null, request text not null, status text not null,
                message text not null, scorecard text not null, created_at text not null,
                updated_at text not null, owner text not null, lease {real} not null,
                primary key (space, id))""",
            "create index evaluation_by_request on evaluation (space, request_id, generation)",
            # Which snapshot an evaluation read for an address: a resumed run reads the same.
            """create table reading (
                space text not null, evaluation text not null, canonical_url text not null,
                source text not null, primary key (space, evaluation, canonical_url))""",
            """create table imported (
                space text not null, kind text not null, name text not null, date text not null,
                worst {real} not null, best {real} not null, text text not null,
                added_at text not null, primary key (space, kind, name))""",
            # Short handles for open questions ("q7") and for the orders that carry them ("w2").
            """create table question (
                space text not null, evaluation text not null, number integer not null,
                item text not null, primary key (space, evaluation, number),
                unique (space, evaluation, item))""",
            """create table work_order (
                space text not null, evaluation text not null, number integer not null,
                questions text not null, primary key (space, evaluation, number))""",
        ),
    ),
    Migration(
        "0002_what_was_opened",
        (
            # A text may stand on pages with other trimmings: find the one that was meant.
            "alter table source add column view text not null default ''",
            "drop index source_by_text",
            "create index source_by_text on source (space, content_hash, view)",
            # The report as it was opened for the evaluation, and what its last sitting may cost.
            "alter table evaluation add column opened text not null default ''",
            "alter table evaluation add column caps text not null default ''",
        ),
    ),
    Migration(
        "0003_repeats",
        (
            # A question may be put several times on purpose; each putting has its own number.
            "alter table question rename to question_before",
            """create table question (
                space text not null, evaluation text not null, number integer not null,
                item text not null, sample integer not null,
                primary key (space, evaluation, number), unique (space, evaluation, item, sample))
            """,
            """insert into question (space, evaluation, number, item, sample)
                select space, evaluation, number, item, 0 from question_before""",
            "drop table question_before",
            # Requests handed to an endpoint for later: what is paid for must be fetched, whatever
            # becomes of the process that handed it in.
            """create table message_batch (
                space text not null, id text not null, judge text not null, requests text not null,
                created_at text not null, primary key (space, id))""",
        ),
    ),
)
