"""The console for tables and colours: rich's, with the guarantees of ``bridge.commands.stdio``."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from typing import Any

from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment
from rich.text import Text

from bridge.commands import stdio
from bridge.output.sentences import HANG, wrapped


class Screen(Console):
    """Shows every text as :func:`stdio.visible` does, so that only rich's own styles reach the terminal."""

    def __init__(self, *, stderr: bool = False, quiet: bool = False) -> None:
        super().__init__(stderr=stderr, quiet=quiet, highlight=False)

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterable[Segment]:
        for segment in super().render(renderable, options):
            yield segment if segment.control else Segment(stdio.visible(segment.text), segment.style)

    def print(self, *objects: Any, **options: Any) -> None:
        """As rich's, but lines that are longer than the terminal (``soft_wrap``) are broken between words; raises ScreenError."""
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
            at = 0
            for place, piece in enumerate(wrapped(line.plain, self.width, hang=HANG).split("\n")):
                words = piece.lstrip(" ")
                start = line.plain.index(words, at)
                at = start + len(words)
                found.append("\n" * bool(place) + piece.removesuffix(words)).append(line[start:at])
        return found

    def on_broken_pipe(self) -> None:
        """Continues silently, where rich would end the process with exit code 1."""
        stdio.to_nowhere(self.stderr)
