"""The runtime that a text names: a runtime of this package, an object of a module, or a command."""

from __future__ import annotations

import importlib
import re
import shlex
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Final

from hook_contract.output.sentences import suggest
from hook_contract.runtimes.command import CommandRuntime
from hook_contract.runtimes.errors import AdapterError, UnknownRuntimeError
from hook_contract.runtimes.runtime import Runtime

#: Seconds that a program may take in a process of its own.
LIMIT: Final = 20.0
#: The runtimes of this package, by name.
OWN: Final = {"model": "hook_contract.runtimes.model.programs:RUNTIME"}
#: The attributes and methods of a runtime (:class:`hook_contract.runtimes.runtime.Runtime`).
_PARTS: Final = ("name", "variants", "lacks", "devices", "version", "run")
_OBJECT: Final = re.compile(r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*:[A-Za-z_]\w*")


def find_runtime(text: str, limit: float = LIMIT, known: Iterable[str] = tuple(OWN)) -> Runtime:
    """Return the runtime that a text names.

    The text is one of

    - the name of a runtime of this package: ``model``;
    - ``package.module:OBJECT``, a :class:`~hook_contract.runtimes.runtime.Runtime`. It runs in a process of its own, so that neither a
      crash nor an endless loop ends the suite;
    - a command with its arguments, such as ``node runtime.js``, which answers requests in lines of JSON. A first word ``command`` is
      ignored: write it before a command of one word.

    A program may take ``limit`` seconds. ``known`` are the names in the message of UnknownRuntimeError, which is raised for any other text.
    Raises AdapterError if the process does not start.
    """
    if text in OWN:
        return load_object(OWN[text])
    if _OBJECT.fullmatch(text):
        return CommandRuntime([sys.executable, "-m", "hook_contract", "serve", text], text, limit)
    words = _split(text.removeprefix("command "))
    named = text.startswith("command ") or len(words) > 1
    if words and (named or "/" in words[0] or "\\" in words[0] or Path(words[0]).is_file()):
        return CommandRuntime(words, text, limit)
    raise UnknownRuntimeError(
        f"unknown runtime '{text}': write {', '.join(known)}, package.module:OBJECT, or a command such as 'node runtime.js'."
        f"{suggest(text, known)}"
    )


def _split(text: str) -> list[str]:
    try:
        return (
            [word.strip("\"'") for word in shlex.split(text, posix=False)]
            if sys.platform == "win32"
            else shlex.split(text)
        )
    except ValueError as error:
        raise UnknownRuntimeError(f"'{text}' is not a command: {error}") from None


def load_object(text: str) -> Runtime:
    """Import the runtime ``package.module:OBJECT``. Raises AdapterError with the cause, without the name, if there is none."""
    module, _, name = text.partition(":")
    try:
        found: Runtime = getattr(importlib.import_module(module), name)
    except Exception as error:
        raise AdapterError(f"cannot be imported: {type(error).__name__}: {error}") from error
    if isinstance(found, type):
        raise AdapterError(f"is a class, not an object: write RUNTIME = {name}() and name RUNTIME")
    lacking = [part for part in _PARTS if not hasattr(found, part)]
    if lacking:
        raise AdapterError(
            f"is not a runtime: it has no {' and no '.join(lacking)}. A runtime has {', '.join(_PARTS)}."
        )
    return found
