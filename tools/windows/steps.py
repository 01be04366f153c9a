"""The commands that ``make windows`` runs, in order, as a user types them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True)
class Step:
    """A command of Windows' Python in the checkout.

    Attributes:
        name: The row's name in the table.
        arguments: The arguments after ``python.exe``.
        code: The exit code that it has to return.
        printed: A text that its output has to contain.
        set_up: Whether Python itself runs it; the others are run by the environment that README's set-up makes.
    """

    name: str
    arguments: Sequence[str]
    code: int = 0
    printed: str = ""
    set_up: bool = False


_NET: Final = "bridge/samples/lenet.py:LeNet"
_PORT: Final = "bridge/_dotnet/Vision.dll:Vision.LeNet"
_SHAPE: Final = ("--shape", "1,1,28,28")


def _bridge(name: str, *arguments: str, code: int = 0, printed: str = "") -> Step:
    return Step(name, ("-m", "bridge", *arguments), code, printed)


STEPS: Final = (
    Step("set-up", ("tools/setup.py",), printed=".NET 8.0.4", set_up=True),
    _bridge("doctor", "doctor", printed="Ready"),
    _bridge("demo", "demo", printed="Same: 1 face"),
    _bridge("trace, PyTorch", "trace", "--python", _NET, *_SHAPE, "--values", "full", "-o", "python.jsonl"),
    _bridge("trace, .NET", "trace", "--dotnet", _PORT, *_SHAPE, "--values", "full", "-o", "dotnet.jsonl"),
    _bridge("diff", "diff", "python.jsonl", "dotnet.jsonl", printed="largest difference 0."),
    _bridge("compare", "compare", "--python", _NET, "--dotnet", _PORT, *_SHAPE, printed="Same"),
    _bridge("conformance", "conformance", printed="Conforms but for what ledgers list:"),
    _bridge("fuzz", "fuzz", "--count", "200", printed="traces compared, "),
    _bridge("export, ONNX", "export", _PORT, *_SHAPE, "--dynamic", "batch", "-o", "lenet.onnx"),
    _bridge("export, .pt2", "export", _PORT, *_SHAPE, "--dynamic", "batch", "-o", "lenet.pt2"),
)
#: All tests that need no SDK.
TESTS: Final = (
    "-m",
    "pytest",
    "-n",
    "3",
    "-q",
    "-m",
    "not slow and not inprocess and not sdk",
    "--junitxml",
    "tests.xml",
    "-o",
    "junit_family=xunit1",
)
