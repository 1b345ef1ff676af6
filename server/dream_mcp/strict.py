"""Tools as strict clients want them: flat closed schemas, unknown arguments refused by name."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Mapping
from typing import Any

from mcp.server.mcpserver import Context
from mcp.server.mcpserver.exceptions import ToolError
from mcp.server.mcpserver.tools import Tool
from mcp.types import ToolAnnotations
from pydantic import ValidationError

from dream_evaluators.errors import DreamError
from dream_evaluators.prompts.schema import inlined

# Above this a result is saved to a file by some hosts unless the tool says otherwise.
RESULT_CHARACTERS = 200_000


class StrictTool(Tool):
    """A tool whose schemas hold no references and whose errors tell the caller what to change."""

    @classmethod
    def of(
        cls,
        function: Callable[..., Any],
        *,
        title: str,
        description: str,
        reads_only: bool = True,
        open_world: bool = True,
        large: bool = False,
    ) -> StrictTool:
        """Register a function.

        Args:
            function: Its parameters become the input, its return annotation the output schema.
            title: For people.
            description: For models; the first sentence carries the keywords.
            reads_only: It changes nothing that a user would notice.
            open_world: It may ask the network.
            large: Its results may be long.
        """
        made: StrictTool = cls.from_function(  # type: ignore[assignment]
            function,
            title=title,
            description=description,
            annotations=ToolAnnotations(
                read_only_hint=reads_only,
                idempotent_hint=True,
                destructive_hint=False,
                open_world_hint=open_world,
            ),
            meta={"anthropic/maxResultSizeChars": RESULT_CHARACTERS} if large else None,
        )
        made.parameters = inlined(made.parameters)
        made.fn_metadata.output_schema = inlined(made.fn_metadata.output_schema or {})
        return made

    async def run(
        self, arguments: dict[str, Any], context: Context[Any, Any], convert_result: bool = False
    ) -> Any:
        """Run with checked arguments; what the caller can act on is said in plain words."""
        allowed = self.parameters["properties"]
        for name in arguments:
            if name not in allowed:
                raise ToolError(_unknown(self.name, name, list(allowed)))
        try:
            return await super().run(clean(arguments), context, convert_result)
        except ToolError as error:
            cause = error.__cause__
            if isinstance(cause, ValidationError):
                raise ToolError(_invalid(self.name, cause)) from None
            if isinstance(cause, DreamError):
                raise ToolError(str(cause)) from None
            raise


def clean(value: Any) -> Any:
    """Replace lone surrogates, which no store and no wire can carry, all the way down."""
    if isinstance(value, str):
        return value if value.isascii() else value.encode("utf-8", "replace").decode("utf-8")
    if isinstance(value, Mapping):
        return {clean(key): clean(part) for key, part in value.items()}
    return [clean(part) for part in value] if isinstance(value, list | tuple) else value


def _unknown(tool: str, name: str, allowed: list[str]) -> str:
    close = difflib.get_close_matches(name, allowed, n=1)
    hint = f" Did you mean {close[0]!r}?" if close else ""
    return f"{tool} has no argument {name[:60]!r}.{hint} It takes: {', '.join(allowed)}."


def _invalid(tool: str, error: ValidationError) -> str:
    problems = [
        f"{'.'.join(map(str, p['loc']))}: {p['msg']}"
        for p in error.errors(include_url=False, include_context=False, include_input=False)
    ]
    return f"{tool} cannot use these arguments. {'; '.join(problems[:5])}"
