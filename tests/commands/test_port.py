"""commands/port.py: the command, and what it says to those who use it wrongly."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
import torch
from click.testing import CliRunner, Result
from safetensors.torch import load_file

from bridge.cli import main
from bridge.port.verify import comparisons

NETS = '''
import torch
from torch import nn

class Net(nn.Module):
    """A net."""
    def __init__(self, width: int = 4) -> None:
        super().__init__()
        self.linear = nn.Linear(width, 2)
    def forward(self, x):
        return torch.relu(self.linear(x))

def net(width: int):
    return Net(width)

namespace = {"nn": nn}
exec("""
class Hidden(nn.Module):
    def forward(self, x):
        return x * 2
""", namespace)
Hidden = namespace["Hidden"]

class Compiled(nn.Module):
    forward = torch._C._nn.gelu

def scripted():
    return torch.jit.script(Net())

def compiled():
    return torch.compile(Net())

class Left(Net):
    def __init__(self):
        super().__init__()
        self.scale = 3
    def forward(self, x, mask=None, twice=False):
        y = torch.from_numpy(self.linear(x).detach().numpy()) * self.scale
        return 2 * y if twice else y

class Around(nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.left, self.last = nn.Linear(4, 4), Left(), nn.Linear(2, 3)
    def forward(self, x):
        return self.last(self.left(self.first(x), twice=True))
'''
NETS += """
class Rare(nn.Module):
    def forward(self, x):
        power = 1
        if x.max() > 1e3:
            power = 80
        return x * (3 ** power % 7)

class Noise(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(100, 4)
        self.register_buffer("noise", torch.rand(100), persistent=False)
    def forward(self, x):
        return self.linear(x + self.noise)
"""
Port = Callable[..., Result]


@pytest.fixture
def port(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Port:
    """Run the command in a folder with nets_to_port.py."""
    (tmp_path / "nets_to_port.py").write_text(NETS, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.delitem(sys.modules, "nets_to_port", raising=False)
    return lambda *arguments: CliRunner().invoke(main, ["port", "--try-for", "0", *arguments])


@pytest.mark.sdk
def test_a_model_is_written_built_and_compared(port: Port) -> None:
    found = port("nets_to_port:Net", "--shape", "1,4", "-o", "Ported", "--train", "--backward")
    assert found.exit_code == 0, found.output
    first, *others, last, empty, run, test = found.output.splitlines()
    same = "Same: 2 equal module calls on each side, identical order, gradients of 3 tensors, largest difference 0."
    assert first == f"1x4: {same}"
    assert f"1x4, train mode: {same}" in others
    assert last == "Ported: 1 file, 20 lines of C# for 6 of Python, 1 of 1 method from source, nothing left to do."
    assert (empty, run, test) == ("", "Run it:  dotnet run --project Ported", "Test it: python -m pytest Ported")


@pytest.mark.sdk
def test_a_port_that_agrees_is_tried_with_other_inputs(port: Port) -> None:
    """What agrees with the given input and differs with others is shown, and is not the same: C# has no ints of more than 64 bits."""
    agrees = port("nets_to_port:Net", "--shape", "1,4", "-o", "Ported", "--try-for", "1")
    assert agrees.exit_code == 0, agrees.output
    assert re.search(r"^Tried \d+ other inputs \(\d+ in train mode\) in 1 s: same\.$", agrees.output, re.MULTILINE)
    assert "\nInitial values by one seed: 2 of 2 tensors equal.\n" in agrees.output
    differs = port("nets_to_port:Rare", "--shape", "1,4", "-o", "Rare", "--try-for", "60")
    assert differs.exit_code == 1, differs.output
    assert re.search(r"in \d+ s: differs\.\n  call with x = torch\.tensor\(\[\[", differs.output)


@pytest.mark.slow
@pytest.mark.sdk
def test_a_port_is_compared_on_torchsharp_itself_where_that_is_asked_for(port: Port, torchsharp: Path) -> None:
    found = port("nets_to_port:Net", "--shape", "1,4", "-o", "Ported", "--runtime", "torchsharp")
    assert found.exit_code == 0, found.output
    assert re.search(r"^1x4, on TorchSharp 0\.107\.0: Same: 2 equal module calls", found.output, re.MULTILINE)


@pytest.mark.slow
@pytest.mark.sdk
def test_a_project_on_our_package_is_built_and_compared_anywhere(port: Port) -> None:
    """The assemblies that run it take the package's place, which a machine may not have."""
    found = port("nets_to_port:Net", "--shape", "1,4", "-o", "Ported", "--runtime", "bridge")
    assert found.exit_code == 0, found.output
    assert '<PackageReference Include="Bridge.Torch"' in Path("Ported/Ported.csproj").read_text(encoding="utf-8")


@pytest.mark.sdk
def test_around_what_is_left_the_project_is_built_and_compared(port: Port) -> None:
    """Issue 16, 'Honest last': the rest builds and is compared around it; what is left is never the same (exit code 1)."""
    found = port("nets_to_port:Around", "--shape", "1,4", "-o", "Ported", "--train", "--backward")
    assert found.exit_code == 1
    built, *judged, left, own, around, last, _, first, _, _ = found.output.splitlines()
    assert first == "Write what is left to do in C#: Ported/PORT.md lists it."
    assert built == "Built, 1 place left to do. There, the original's methods ran, with the children in C#:"
    same = "Same: 5 equal module calls on each side, identical order, gradients of 7 tensors, largest difference 0."
    modes = ("1x4", "2x4", "1x4, train mode", "2x4, train mode")
    assert judged == [f"{shape}, 4 of 5 module calls in C#: {same}" for shape in modes]
    assert left.startswith("Left to do: Left.forward (nets_to_port.py:")
    assert own.startswith("Left.__init__ (nets_to_port.py:")
    assert around.startswith("Around.__init__ (nets_to_port.py:")
    assert last.endswith("1 of 2 methods from source, 2 of 2 constructors from instances, 1 method left to do.")
    assert "NotImplementedException" in Path("Ported/Left.cs").read_text(encoding="utf-8")


@pytest.mark.slow
@pytest.mark.sdk
def test_a_buffer_that_cannot_be_computed_is_a_place_left(port: Port) -> None:
    found = port("nets_to_port:Noise", "--shape", "1,100", "-o", "Ported")
    assert found.exit_code == 1
    built, *judged, left, own, last, _, _, _, _ = found.output.splitlines()
    assert built.startswith("Built, 1 place left to do.")
    same = "Same: 2 equal module calls on each side, identical order, largest difference 0."
    assert judged == [f"{shape}, 1 of 2 module calls in C#: {same}" for shape in ("1x100", "2x100")]
    assert "self.noise is a buffer that is not in the state_dict: no line that runs when the model is made" in left
    assert own.startswith("Noise.__init__ (nets_to_port.py:")
    assert last.endswith("0 of 1 method from source, 1 of 1 constructor from instances, 1 method left to do.")


def test_without_an_sdk_the_project_is_written_all_the_same(port: Port, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(comparisons, "can_build", lambda: False)
    found = port("nets_to_port:Net", "--shape", "1,4", "-o", "Ported")
    assert found.exit_code == 1
    assert "Neither built nor compared: there is no .NET SDK." in found.output
    assert Path("Ported/Ported.csproj").is_file()


def test_a_checkpoint_is_loaded_before_the_port_is_written(port: Port, monkeypatch: pytest.MonkeyPatch) -> None:
    """Issue 43, section 3: ``--weights FILE``."""
    monkeypatch.setattr(comparisons, "can_build", lambda: False)
    state = {"linear.weight": torch.full((2, 4), 3.0), "linear.bias": torch.zeros(2)}
    torch.save({"state_dict": state}, "last.ckpt")
    port("nets_to_port:Net", "--shape", "1,4", "-o", "Ported", "--weights", "last.ckpt")
    assert torch.equal(load_file("Ported/weights.safetensors")["linear.weight"], state["linear.weight"])
    wrong = port("nets_to_port:net(3)", "--shape", "1,3", "-o", "Other", "--weights", "last.ckpt")
    assert wrong.exit_code == 2
    assert "1 weight does not fit" in wrong.output
    assert not Path("Other").exists()


@pytest.mark.parametrize(
    ("model", "shape", "words"),
    [
        ("nets_to_port:net", "1,4", "Add the required arguments in parentheses: nets_to_port:net(width=…)."),
        ("nets_to_port:Net", "1,3", "the model cannot be run with x="),
        ("nets_to_port:Hidden", "1,4", "the source of Hidden.forward cannot be read"),
        ("nets_to_port:Compiled", "1,4", "the source of Compiled.forward cannot be read"),
        ("nets_to_port:scripted", "1,4", "give the model as it was before it was scripted or compiled"),
        ("nets_to_port:compiled", "1,4", "give the model as it was before it was scripted or compiled"),
        ("torch.nn:ReLU", "1,4", "ReLU is PyTorch's own class"),
        ("nets_to_port:Missing", "1,4", "Missing"),
    ],
)
def test_wrong_use_is_one_sentence_and_writes_nothing(port: Port, model: str, shape: str, words: str) -> None:
    found = port(model, "--shape", shape, "-o", "Ported")
    assert found.exit_code == 2
    assert words in found.output
    assert "Traceback" not in found.output
    assert not Path("Ported").exists()


def test_a_folder_with_something_in_it_is_left_alone(port: Port) -> None:
    Path("Ported").mkdir()
    Path("Ported/mine.txt").write_text("mine", encoding="utf-8")
    found = port("nets_to_port:Net", "--shape", "1,4", "-o", "Ported")
    assert found.exit_code == 2
    assert "Ported is not empty: name a new folder" in found.output
    assert [file.name for file in Path("Ported").iterdir()] == ["mine.txt"]
