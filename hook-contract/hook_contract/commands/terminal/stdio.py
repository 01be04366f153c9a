"""The output of the commands: all text goes through this module or the console of ``hook_contract.commands.terminal.console``.

Module paths, exception messages and file names may come from untrusted models and trace files. Their control characters are escaped,
so that they cannot move the cursor, set the window title or hide text. Characters that the stream's encoding lacks are escaped, too. If
the reader of a pipe has ended, the command continues silently, and its exit code still tells the result. Any other failure to write raises
:class:`ScreenError`.
"""

from __future__ import annotations

import json
import os
import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final, TextIO

import click

from hook_contract.errors import HookContractError
from hook_contract.output.sentences import HANG, wrap_lines

#: Escapes of control characters (C0 as ``\x1b``, DEL and C1 as in JSON), and of characters that change the direction of text.
_ESCAPED: Final = {
    **{code: f"\\x{code:02x}" for code in range(0x20) if chr(code) not in "\n\t"},
    **{code: f"\\u{code:04x}" for code in (*range(0x7F, 0xA0), *range(0x202A, 0x202F), *range(0x2066, 0x206A))},
}


class ScreenError(HookContractError, RuntimeError):
    """stdout or stderr cannot be written to, for example because the disk is full."""


def escape_controls(text: str) -> str:
    """Escape the characters of ``text`` that change its direction, and its control characters (ESC as ``\\x1b``) except newlines and tabs.

    A JSON text stays valid: json.dumps has already escaped the characters below U+0020, and the other characters get escapes that JSON
    allows.
    """
    return text.translate(_ESCAPED)


def say(text: str, *, stderr: bool = False) -> None:
    """Print ``text`` after :func:`escape_controls`; on a terminal, break lines between words. Raises ScreenError."""
    width = columns(stderr)
    text = escape_controls(text)
    write(f"{text if width is None else wrap_lines(text, width, hang=HANG)}\n", stderr=stderr)


def write(text: str, *, stderr: bool = False) -> None:
    """Print ``text`` after :func:`escape_controls`, and add no line breaks, for output to be copied or parsed. Raises ScreenError."""
    with writing(stderr):
        click.echo(escape_controls(text), err=stderr, nl=False)


def say_json(text: str) -> None:
    """Print JSON on stdout, in ASCII unless the encoding of stdout is a Unicode one. Raises ScreenError."""
    if not (getattr(sys.stdout, "encoding", None) or "utf-8").lower().startswith("utf"):
        text = "".join(letter if letter.isascii() else json.dumps(letter)[1:-1] for letter in text)
    write(text)


def columns(stderr: bool) -> int | None:
    """Return the width of the terminal, or None for a pipe or a file, which programs read.

    ``TTY_COMPATIBLE=1`` declares that a pipe leads to a terminal, as in rich.
    """
    if not (_stream(stderr).isatty() or os.environ.get("TTY_COMPATIBLE") == "1"):
        return None
    return shutil.get_terminal_size().columns


def prepare() -> None:
    """Open closed standard streams on the null device, and let stdout and stderr escape characters that their encoding lacks.

    The next file or socket would otherwise get a closed stream's descriptor, and receive output of the model or of .NET.
    """
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)
    # These files stay open until the process ends.
    nowhere = Path(os.devnull)
    if sys.stdin is None:
        sys.stdin = nowhere.open(encoding="utf-8")
    if sys.stdout is None:
        sys.stdout = nowhere.open("w", encoding="utf-8")
    if sys.stderr is None:
        sys.stderr = nowhere.open("w", encoding="utf-8")
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")


def flush() -> None:
    """Flush stdout and stderr. Raises ScreenError once: after an error, the stream discards everything."""
    for stderr in (False, True):
        with writing(stderr):
            _stream(stderr).flush()


@contextmanager
def writing(stderr: bool) -> Iterator[None]:
    """Ignore a closed pipe in the block, and raise ScreenError if the stream cannot be written to for another reason."""
    try:
        yield
    except BrokenPipeError:
        discard(stderr)
    except OSError as error:
        discard(stderr)
        name = "stderr" if stderr else "stdout"
        raise ScreenError(f"{name} cannot be written to: {error.strerror or error}.") from error


def discard(stderr: bool) -> None:
    """Discard buffered and later output of the stream; otherwise, Python's flush at exit would fail."""
    with suppress(OSError):  # streams of tests have no descriptor
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, _stream(stderr).fileno())
        os.close(nowhere)


def _stream(stderr: bool) -> TextIO:
    return sys.stderr if stderr else sys.stdout
