"""Who works on an evaluation: a process, named so that its death can be told on its own machine."""

from __future__ import annotations

import os
import platform
import secrets


def new_owner() -> str:
    """Name this process: machine, process id, and a token that no other start shares."""
    return f"{platform.node()}/{os.getpid()}/{secrets.token_hex(8)}"


def is_gone(owner: str) -> bool:
    """Whether the process of that name ran on this machine and has ended.

    False when it cannot be told: another machine, or a system where asking could harm (a signal 0
    is a real one on Windows). Its lease runs out by itself then.
    """
    machine, _, rest = owner.partition("/")
    number = rest.partition("/")[0]
    if os.name != "posix" or machine != platform.node() or not number.isdigit():
        return False
    try:
        os.kill(int(number), 0)
    except ProcessLookupError:
        return True
    except PermissionError:
        return False
    return False
