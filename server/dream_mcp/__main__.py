"""The command line; without arguments it serves stdio, which is what hosts call."""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Sequence

EXIT_FAILED = 2


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command.

    Returns:
        0 when all is well, 1 below a threshold, 2 when something could not be done.
    """
    # What a shell hands over, or a pipe cannot show, must not end in a traceback.
    given = sys.argv[1:] if argv is None else argv
    arguments = [word.encode("utf-8", "replace").decode("utf-8") for word in given]
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")
    from dream_evaluators.errors import DreamError  # noqa: PLC0415 - start-up

    try:
        if not arguments:
            return serve()
        from .commands import run  # noqa: PLC0415 - start-up

        return run(arguments, os.environ)
    except DreamError as error:
        print(f"dream-mcp: {error}", file=sys.stderr)  # noqa: T201 - the command line speaks
        return EXIT_FAILED
    except KeyboardInterrupt:
        print("dream-mcp: stopped; what was done is kept", file=sys.stderr)  # noqa: T201
        return 130
    except BrokenPipeError:
        # Whoever read our output has enough; Python would complain about it at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0


def serve() -> int:
    """Serve MCP over stdio until the client goes away."""
    from dream_evaluators.errors import first_error  # noqa: PLC0415 - start-up

    from .app import build  # noqa: PLC0415 - start-up
    from .settings import Settings  # noqa: PLC0415 - start-up

    settings = Settings.from_env(os.environ)
    try:
        build(settings, os.environ, guard_stdout=True).run()
    except BaseExceptionGroup as errors:
        raise first_error(errors) from None
    return 0


if __name__ == "__main__":
    sys.exit(main())
