"""The console for tables and colours: a console of rich, with the escaping of ``hook_contract.commands.terminal.stdio``."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from typing import Any

from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment
from rich.text import Text

from hook_contract.commands.terminal import stdio
from hook_contract.output.sentences import HANG, wrap_lines


class Screen(Console):
    """A console that escapes all text with :func:`stdio.escape_controls`, so that only rich's own styles reach the terminal."""

    def __init__(self, *, stderr: bool = False, quiet: bool = False) -> None:
        super().__init__(stderr=stderr, quiet=quiet, highlight=False)

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterable[Segment]:
        for segment in super().render(renderable, options):
            yield segment if segment.control else Segment(stdio.escape_controls(segment.text), segment.style)

    def print(self, *objects: Any, **options: Any) -> None:
        """Print as rich does, but on a terminal, break long lines between words if ``soft_wrap`` is true.

        Raises ScreenError if the stream cannot be written to; a closed pipe is ignored.
        """
        if options.get("soft_wrap") and self.is_terminal:
            objects = tuple(map(partial(self._wrapped, markup=options.get("markup")), objects))
        with stdio.writing(self.stderr):
            super().print(*objects, **options)

    def _wrapped(self, item: Any, markup: bool | None) -> Any:
        text = self.render_str(item, markup=markup, highlight=False) if isinstance(item, str) else item
        if not isinstance(text, Text):
            return item
        found = Text(style=text.style)
        for number, line in enumerate(text.split("\n", allow_blank=True)):
            found.append("\n" * bool(number))
            end = 0
            for index, piece in enumerate(wrap_lines(line.plain, self.width, hang=HANG).split("\n")):
                words = piece.lstrip(" ")
                start = line.plain.index(words, end)
                end = start + len(words)
                found.append("\n" * bool(index) + piece.removesuffix(words)).append(line[start:end])
        return found

    def on_broken_pipe(self) -> None:
        """Discard later output; rich would end the process with exit code 1."""
        stdio.discard(self.stderr)
