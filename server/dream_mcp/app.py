"""The server's state, and the server itself."""

from __future__ import annotations

import logging
import os
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import anyio
from mcp.server import MCPServer

from dream_evaluators.errors import DreamError, StoreUnwritable, first_error
from dream_evaluators.ledger import IN_MEMORY, Ledger
from dream_evaluators.ledger.evaluations import EvaluationStatus

from . import __version__
from .drive import Driver, Evaluation
from .files import Roots
from .resources import register as register_resources
from .rungs import Caps
from .settings import Settings
from .tools import TOOLS

if TYPE_CHECKING:
    from anyio.abc import TaskGroup

logger = logging.getLogger(__name__)
INSTRUCTIONS = """\
DREAM judges deep-research reports: which cited sentences do their sources really support, which \
links are dead, who stands behind the sources. Every number opens down to sentence, source, quote \
and judge.

Workflow: 1. open_report once (text, or a path below an allowed folder); it returns a report_id \
for all other tools. 2. audit_report for quick findings without any model (dead links, dangling \
markers, placeholder links, weak sources, uncited numbers): use it on your own draft before you \
hand it in, then again with previous_report_id. 3. evaluate_report for the full scorecard. With \
judge='agent' YOU are the judge: it returns work_orders; read each prompt, answer by its \
answer_schema, send with submit_answers until remaining.orders is 0. 4. get_evaluation with detail \
to open a number: findings, statements, sources, verdicts.

check_citation checks one claim against one page. score_domain_authority rates addresses. \
extract_claims lists statements with their citations. A score without a value says why; an \
unknown source is never called dead."""
HEARTBEAT_SECONDS = 10.0


@dataclass
class App:
    """What lives as long as the server: the driver, and the evaluations that run now."""

    driver: Driver
    roots: Roots
    group: TaskGroup
    running: dict[str, anyio.Event] = field(default_factory=dict)
    once_more: set[str] = field(default_factory=set)  # answers came while it was being folded

    async def work(
        self,
        evaluation: str,
        wait_seconds: float,
        beat: Callable[[float], Awaitable[None]],
        max_seconds: float = 0,
        caps: Caps | None = None,
        *,
        again: bool = False,
    ) -> Evaluation:
        """Let an evaluation run, wait for it as long as asked, and tell how it stands.

        Args:
            evaluation: Its id.
            wait_seconds: How long to wait; it runs on afterwards.
            beat: Called with the seconds waited, for progress notifications.
            max_seconds: How long it may run at all in this sitting; 0 for no limit.
            caps: What this sitting may cost; None for what was said before.
            again: Fold it once more although it is complete, since answers have come.
        """
        done = self.running.get(evaluation)
        if done is not None and again:
            self.once_more.add(evaluation)
        if done is None:
            done = self.running[evaluation] = anyio.Event()
            self.group.start_soon(self._run, evaluation, max_seconds, caps, again)
        waited = 0.0
        while waited < wait_seconds and not done.is_set():
            step = min(HEARTBEAT_SECONDS, wait_seconds - waited)
            with anyio.move_on_after(step):
                await done.wait()
                break
            waited += step
            await beat(waited)
        return await self.driver.get(evaluation)

    async def _run(
        self, evaluation: str, max_seconds: float, caps: Caps | None, again: bool
    ) -> None:
        status, message = EvaluationStatus.FAILED, ""
        try:
            with anyio.move_on_after(max_seconds or None) as limit:
                await self.driver.advance(evaluation, caps, again=again)
                while evaluation in self.once_more:
                    self.once_more.discard(evaluation)
                    await self.driver.advance(evaluation, caps, again=True)
            if limit.cancelled_caught:
                status = EvaluationStatus.BUDGET_EXHAUSTED
                message = f"max_seconds={max_seconds:g} is over; call again to go on."
        except DreamError as error:
            message = str(error)
        except Exception:  # one of two borders: a fault must not end the server
            logger.exception("evaluation %s failed", evaluation)
            message = "An internal fault; the log has the details. Call again to go on."
        finally:
            self.once_more.discard(evaluation)
            self.running.pop(evaluation).set()
        if message:
            await self._note(evaluation, status, message)

    async def _note(self, evaluation: str, status: EvaluationStatus, message: str) -> None:
        """Store how a run ended; a store that fails now must not end the server."""
        try:
            await self.driver.ledger.evaluations.update(evaluation, status, message)
        except DreamError as error:
            logger.warning(
                "evaluation %s: %s, and it could not be noted: %s", evaluation, message, error
            )


def open_driver(settings: Settings, env: Mapping[str, str]) -> Driver:
    """Open the store and make the driver.

    A default store that cannot be written (a read-only home) becomes one in memory, with a warning
    that says what is lost.

    Raises:
        StoreError: The store that was asked for by name cannot be used.
    """
    try:
        return Driver(Ledger.open(settings.store_path(env)), settings)
    except StoreUnwritable as error:
        if settings.store:
            raise
        logger.warning("%s", error)
        warning = (
            "The store in your data folder cannot be written: nothing will be kept after this "
            "process ends (evaluations, pages read, answers). Set DREAM_STORE to a file elsewhere."
        )
        return Driver(Ledger.open(IN_MEMORY), settings, warnings=[warning])


def _working_folder() -> tuple[Path, ...]:
    try:
        return (Path.cwd(),)
    except OSError:  # deleted under our feet
        return ()


def build(
    settings: Settings, env: Mapping[str, str] | None = None, *, guard_stdout: bool = False
) -> MCPServer[App]:
    """Make the server; nothing is opened before its lifespan begins.

    Args:
        settings: Of this process.
        env: The environment, for the folder of the default store.
        guard_stdout: Send every later print to stderr, for good: over stdio the protocol owns
            stdout, and text that a print leaves in its buffer would reach the wire at exit.
    """
    environment = os.environ if env is None else env

    @asynccontextmanager
    async def lifespan(_: MCPServer[App]) -> AsyncIterator[App]:
        if guard_stdout:  # not before: the transport has to find the real one
            sys.stdout = sys.stderr
        driver = open_driver(settings, environment)
        for warning in driver.warnings:
            logger.warning(warning)
        folders = settings.roots or _working_folder()
        try:
            async with anyio.create_task_group() as group:
                yield App(driver, Roots.of(folders, settings.home), group)
                group.cancel_scope.cancel()
        except BaseExceptionGroup as errors:
            raise first_error(errors) from errors
        finally:
            driver.ledger.close()

    server = MCPServer(
        "dream",
        title="DREAM: evaluation of deep-research reports",
        version=__version__,
        instructions=INSTRUCTIONS,
        lifespan=lifespan,
        tools=[make() for make in TOOLS],
        log_level="WARNING",
    )
    register_resources(server)
    return server
