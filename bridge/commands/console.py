"""The console for tables and colours: rich's, with the guarantees of ``bridge.commands.stdio``."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment

from bridge.commands import stdio


class Screen(Console):
    """Shows every text as :func:`stdio.visible` does, so that only rich's own styles reach the terminal."""

    def __init__(self, *, stderr: bool = False, quiet: bool = False) -> None:
        super().__init__(stderr=stderr, quiet=quiet, highlight=False)

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterable[Segment]:
        for segment in super().render(renderable, options):
            yield segment if segment.control else Segment(stdio.visible(segment.text), segment.style)

    def print(self, *objects: Any, **options: Any) -> None:
        """As rich's; raises ScreenError."""
        with stdio.writing(self.stderr):
            super().print(*objects, **options)

    def on_broken_pipe(self) -> None:
        """Continues silently, where rich would end the process with exit code 1."""
        stdio.to_nowhere(self.stderr)
