"""What the README shows is what happens."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

README = (Path(__file__).parents[1] / "README.md").read_text(encoding="utf-8")


def test_the_ten_lines_print_what_the_readme_says(dotnet: object, in_process: Callable[..., Any]) -> None:
    code = re.search(r"```python\n(.*?)```", README, re.DOTALL)
    shown = re.search(r"It prints\n\n```\n(.*?)```", README, re.DOTALL)
    assert code is not None
    assert shown is not None
    assert len([line for line in code[1].splitlines() if line]) == 10
    done = in_process(code[1])
    assert done.returncode == 0, done.stderr
    assert done.stdout == shown[1]


def test_every_make_target_that_it_names_is_there() -> None:
    makefile = (Path(__file__).parents[1] / "Makefile").read_text(encoding="utf-8")
    targets = set(re.findall(r"make (\w+)", README))
    assert {"demo", "test", "help"} <= targets
    for target in targets:
        assert re.search(rf"^{target}:", makefile, re.MULTILINE), target
