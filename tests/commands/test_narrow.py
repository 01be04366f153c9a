"""What the commands print on a terminal of 80 columns and of 60: no line is longer, no word is broken, and no number is cut."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result

from bridge.clr.call.surface import ClassSurface, Missing, Uncalled
from bridge.clr.find import assemblies
from bridge.commands import doctor
from bridge.port.verify import comparisons
from hook_contract.commands.terminal.console import Screen

ROOT = Path(__file__).parents[2]
#: The samples of this package against each other, where a convolution is run by forward() on one side.
_TRAP = ("--dotnet", "Mtcnn.dll:Mtcnn.TrapConv(false)", "--shape", "3,16,16")


@pytest.fixture(params=[60, 80])
def columns(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> int:
    """Set up a terminal of this width without colours and animations."""
    for name, value in {"COLUMNS": request.param, "LINES": 50, "TTY_COMPATIBLE": 1, "TERM": "dumb"}.items():
        monkeypatch.setenv(name, str(value))
    return int(request.param)


@pytest.fixture
def narrow(
    command: Callable[..., Result], columns: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Callable[..., list[str]]:
    """Return a function that runs a command in a folder with the samples, checks that its lines fit, and returns them."""
    shutil.copy(ROOT / "bridge" / "samples" / "lenet.py", tmp_path)
    for sample in assemblies.folder()[0].glob("[MV]*.dll"):
        shutil.copy(sample, tmp_path)
    monkeypatch.chdir(tmp_path)

    def run(*arguments: object) -> list[str]:
        done = command(*arguments)
        lines = [line.rstrip() for line in (done.stdout + done.stderr).splitlines()]
        # One word alone may be wider: a path can be copied.
        assert all(len(line) <= columns for line in lines if " " in line.strip()), done.output
        return lines

    return run


def _has(lines: list[str], words: str) -> bool:
    """Return whether the lines contain these words, possibly with line breaks between them."""
    return " ".join(words.split()) in " ".join(" ".join(lines).split())


@pytest.mark.dotnet
def test_compare(narrow: Callable[..., list[str]]) -> None:
    lines = narrow("compare", "--python", "bridge.samples.trap:TrapConv(true)", *_TRAP)
    assert _has(lines, "Different: 2 module calls in pytorch, 1 in dotnet; 1 structural difference.")
    assert _has(lines, "conv was run by forward(), not call(), in dotnet: its hooks never fired. Write conv.call(x).")


@pytest.mark.dotnet
def test_both_traces(narrow: Callable[..., list[str]]) -> None:
    """In two columns; what differs is shown whole, indented as its first line."""
    for name, called in (("a", "true"), ("b", "false")):
        narrow(
            "trace", "--dotnet", f"Mtcnn.dll:Mtcnn.TrapConv({called})", "--shape", "3,160,160", "-o", f"{name}.jsonl"
        )
    lines = narrow("diff", "a.jsonl", "b.jsonl")
    assert _has(lines, "C-3 lost: conv was run by forward(), not call(), in right: its hooks never fired.") or _has(
        lines, "conv was run by forward(), not call()"
    )
    assert any(line.startswith("  conv Conv2d") for line in lines)
    assert not any(line.startswith("16x") for line in lines)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--python", "lenet.py:LeNt", *_TRAP), "cannot run: lenet.py has no 'LeNt'. Did you mean LeNet?"),
        (("--python", "lenet.py:LeNet", *_TRAP[:2], "--shape", "1,16:int64"), "an upper bound: --shape '1,16:int64<N', for example"),
        (("--python", "lenet.py:LeNet", *_TRAP[:2]), "Error: the model needs inputs: use --shape 1,3,224,224 (random) or"),
    ],
)  # fmt: skip
def test_an_error(narrow: Callable[..., list[str]], arguments: tuple[str, ...], words: str) -> None:
    assert _has(narrow("compare", *arguments), words)


@pytest.mark.dotnet
def test_export(narrow: Callable[..., list[str]]) -> None:
    lenet = ("export", "Vision.dll:Vision.LeNet", "--shape", "1,1,28,28", "-o", "lenet.pt2", "--dynamic")
    assert _has(
        narrow(*lenet, "batch"), "Checked by PyTorch on 5 sets of inputs (batch 1, 2, 3, 4): largest difference 0."
    )
    assert _has(narrow(*lenet, "channel=1"), "cannot run: torch.export cannot trace module 'conv1'")


def test_conformance(narrow: Callable[..., list[str]], columns: int) -> None:
    """All numbers of the table are there, and each sign is beside its word."""
    lines = narrow("conformance", "--runtime", "pytorch", "--runtime", "model", "--filter", "O-*", "--filter", "H-1")
    table = "\n".join(lines[: lines.index("Clauses by state, and how many of their runs passed:")])
    assert len(re.findall(r"✓\d+ [^✓]*?\b(\d+)/\1\b", table)) == 4
    assert "…" not in table
    for sign in ("✓ pass", "✗ fail", "≠ diverges as listed", "· not applicable", "? untested"):
        assert any(sign in line for line in lines)


def test_fuzz(narrow: Callable[..., list[str]]) -> None:
    assert _has(narrow("fuzz", "--count", 1, "--runtime", "model"), "differences that the ledger explains")


def test_schema(narrow: Callable[..., list[str]]) -> None:
    assert _has(narrow("schema"), "whose libtorch is")


def test_port(narrow: Callable[..., list[str]], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(comparisons, "can_build", lambda: False)
    lines = narrow("port", "lenet.py:LeNet", "--shape", "1,1,28,28", "-o", "A_rather_long_name_of_a_project")
    assert _has(lines, "Neither built nor compared: there is no .NET SDK.")
    assert _has(lines, "nothing left to do.")


def test_an_assembly_that_lacks_something(columns: int, capsys: pytest.CaptureFixture[str]) -> None:
    """Below the constructors with the full name, and names of members are never broken."""
    member = "TorchSharp.torch.nn.functional.a_function_of_a_long_name(Tensor, Int64)"
    classes = (
        ClassSurface(
            "Mine.Models.Encoder",
            True,
            (Missing(member, "Mine.Models.Encoder"), Missing("type T", "Mine.B")),
            constructors=("Encoder(int width)", "Encoder(string a_name, string another_name, string a_third_name)"),
        ),
        ClassSurface(
            "Mine.Models.Decoder", True, (), uncalled=(Uncalled("Train", "type T"), Uncalled("Train", "type U"))
        ),
    )
    doctor.show(Screen(), classes)
    lines = capsys.readouterr().out.splitlines()
    assert all(len(line) <= columns for line in lines if " " in line.strip())
    assert lines[0] == "Mine.Models.Encoder(int width)"
    assert "  lacks type T, needed by Mine.B" in lines
    assert lines[-1] == "  runs; Train needs type T, type U"
    assert member.partition(" ")[0] in " ".join(lines).split()
