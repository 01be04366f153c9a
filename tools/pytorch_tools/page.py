"""docs/pytorch.md: a row for each check, a column for each model."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

from pytorch_tools.cases import CASES
from pytorch_tools.checks import CHECKS, Check
from pytorch_tools.running import Row

PAGE = Path(__file__).resolve().parents[2] / "docs" / "pytorch.md"
_HEAD = """# PyTorch's tools on C# models

Each tool runs on a C# model and on its PyTorch original, with the same weights, input and seed. The two results are compared element by
element and have to be equal; a row that allows the last bits to differ gives its tolerance.

`make pytorch-tools` installs the versions below from PyPI (`tools/pytorch_tools/requirements.txt`), runs the checks in
`tools/pytorch_tools` and writes this page. `make test-slow` runs the same checks and compares their outcomes with the page.

ResNet-18 and LeNet are those of `dotnet/samples/Vision`; the LSTM tagger and the GPT, whose output layer shares the weight of its
embedding, are in `tools/pytorch_tools/Text.cs`. torchvision's compiled operators do not load beside a PyTorch without CUDA, so their
names are registered before it is imported.

- **same**: the result of the original.
- **both refuse**: the tool refuses the original too, with the same error.
- **refused**: the tool needs a model's Python source, and the C# model says so in one sentence.
- **differs**: for the reason in the last column.
- **-**: the tool is not for such a model.

What C# calls is known by its operator, not by how it is written: `functional.relu(x)` and `x.relu()` are one, and so are `x + y` and
`x.add(y)`. A tool that replaces PyTorch's functions sees the method where there is one, and of the signs the sign. So ptflops with
`backend="pytorch"`, which counts `torch.nn.functional.relu` and `softmax` and `torch.Tensor.add` but no `torch.Tensor.relu` and no
`+`, misses these where a C# `forward` calls them itself, and gives less than for the original; calls of modules are counted. With
`backend="aten"` it counts the same on both.

"""
_CELL = re.compile(r"(?<!\\)\|")


def write(rows: Iterable[Row]) -> None:
    """Write the page; rows of checks that did not run are kept."""
    known = {(row.check, row.model): row for row in (*read(), *rows)}
    lines = [
        "| Tool | Version | What is run | " + " | ".join(CASES) + " | Check | Remark |",
        "| --- " * (5 + len(CASES)) + "|",
    ]
    lines += [_line(check, known) for check in sorted(CHECKS.values(), key=lambda each: _tool(each).lower())]
    PAGE.write_text(_HEAD + "\n".join(lines) + "\n", encoding="utf-8")


def read() -> list[Row]:
    """Return the rows of the page."""
    if not PAGE.exists():
        return []
    found = []
    for line in PAGE.read_text(encoding="utf-8").splitlines():
        cells = [cell.strip().replace("\\|", "|") for cell in _CELL.split(line)][1:-1]
        if len(cells) != 5 + len(CASES) or cells[0] in ("Tool", "---"):
            continue
        *_, check, remark = cells
        outcomes = zip(CASES, cells[3 : 3 + len(CASES)], strict=True)
        name = check.strip("`")
        found += [
            Row(name, model, cells[1], outcome, "" if outcome == "same" else remark)
            for model, outcome in outcomes
            if outcome != "-"
        ]
    return found


def described(check: Check) -> str:
    """Return the row's description of the run."""
    parts = [check.what]
    if check.ranks > 1:
        parts.append(f"{check.ranks} processes, gloo")
    if check.tolerance:
        parts.append(f"to {check.tolerance:g}")
    return "; ".join(parts)


def _tool(check: Check) -> str:
    return "PyTorch" if check.distribution == "torch" else check.distribution


def _line(check: Check, known: dict[tuple[str, str], Row]) -> str:
    rows = [known[check.name, model] for model in check.cases if (check.name, model) in known]
    cells = {row.model: row.outcome for row in rows}
    versions = sorted({row.version for row in rows if row.version})
    remarks = dict.fromkeys(row.text for row in rows if row.text and row.outcome != "same")
    if check.reason and any(row.outcome == "differs" for row in rows):
        remarks = {check.reason: None}
    fields = [
        _tool(check),
        ", ".join(versions),
        described(check),
        *(cells.get(model, "-") for model in CASES),
        f"`{check.name}`",
        " ".join(remarks),
    ]
    return "| " + " | ".join(field.replace("|", "\\|") for field in fields) + " |"
