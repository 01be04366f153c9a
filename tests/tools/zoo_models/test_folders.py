"""zoo_models.folders: the models in files of others, by KernelBench's layout and by ParityBench's."""

from __future__ import annotations

import ast
from importlib import import_module
from pathlib import Path

import pytest
import torch

from zoo_models import folders
from zoo_models.folders import absent
from zoo_models.folders.kernelbench import KernelBench, smaller
from zoo_models.folders.paritybench import ParityBench

PROBLEM = """\
import torch

class Model(torch.nn.Module):
    def __init__(self, features, size):
        super().__init__()
        self.layer, self.size = torch.nn.Linear(features, size), 5000

    def forward(self, x):
        return self.layer(x)

batch_size = 128
features = 4 * 192
shape = (batch_size, features)

def get_inputs():
    return [torch.rand(shape)]

def get_init_inputs():
    return [features, 3]
"""
GENERATED = """\
import torch

TESTCASES = [
    # (nn.Module, init_args, forward_args, jit_compiles)
    (Net,
     lambda: ([], {}),
     lambda: ([torch.rand([4, 4])], {}),
     True),
    (Other,
     lambda: ([], {'a': config(b.c=4)}),
     lambda: ([], {}),
     False),
]

class Test_net(_paritybench_base):
    def test_000(self):
        self._check(*TESTCASES[0])
"""


@pytest.fixture
def problems(tmp_path: Path) -> Path:
    for name in ("10_Net", "9_Net", "9_Net-b"):
        (tmp_path / "level1").mkdir(exist_ok=True)
        (tmp_path / "level1" / f"{name}.py").write_text(PROBLEM, encoding="utf-8")
    (tmp_path / "other.py").write_text("import torch", encoding="utf-8")
    return tmp_path


@pytest.fixture
def generated(tmp_path: Path) -> Path:
    for name in ("a", "b", "c"):
        (tmp_path / f"test_{name}.py").write_text(GENERATED, encoding="utf-8")
    (tmp_path / "test_none.py").write_text("import torch", encoding="utf-8")
    return tmp_path


def test_problems_are_named_by_folder_and_file_and_sorted_by_number(problems: Path) -> None:
    source = folders.layout(problems)
    assert list(source.files()) == ["level1_9_Net", "level1_9_Net_b", "level1_10_Net"]


def test_a_problem_is_made_as_it_is_or_smaller(problems: Path) -> None:
    make, inputs = KernelBench(problems)("level1_9_Net")
    assert inputs.positional[0].shape == (128, 768)
    assert make()(inputs.positional[0]).shape == (128, 3)
    make, inputs = KernelBench(problems, 100)("level1_9_Net")
    assert inputs.positional[0].shape == (2, 96)
    assert make().size == 5000


@pytest.mark.parametrize(
    ("text", "limit", "expected"),
    [
        ("n = 1024 * 4", 1024, "n = 1024"),
        ("n, m = 2 ** 12, 768", 256, "n, m = (256, 192)"),
        ("n = [300, 2 * m, -400, 1.5, True]", 256, "n = [150, 2 * m, -200, 1.5, True]"),
        ("batch_size = 16", 1024, "batch_size = 2"),
        ("def get_inputs():\n    return f(100)", 64, "def get_inputs():\n    return f(50)"),
        ("def other():\n    return f(100)", 64, "def other():\n    return f(100)"),
    ],
)
def test_integers_of_assignments_and_inputs_are_halved(text: str, limit: int, expected: str) -> None:
    assert ast.unparse(smaller(ast.parse(text), limit)) == expected


def test_the_first_cases_of_generated_files_are_named_by_number(generated: Path) -> None:
    source = folders.layout(generated)
    assert list(source.files()) == ["test_a_000", "test_b_000", "test_c_000"]
    assert list(ParityBench(generated, 5).files())[:3] == ["test_a_000", "test_a_001", "test_b_000"]


def test_a_draw_repeats_and_begins_with_a_smaller_one(generated: Path) -> None:
    files = ParityBench(generated, 2).files()
    everything = folders.draw(files, 3, 1)
    assert sorted(everything) == sorted(files)
    assert folders.draw(files, 2, 1) == everything[:4]
    assert len({tuple(folders.draw(files, 3, seed)) for seed in range(20)}) > 1


def test_a_folder_of_neither_layout_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="no file with get_init_inputs"):
        folders.layout(tmp_path)


def test_an_absent_package_is_imported_and_stands_for_any_name() -> None:
    with pytest.raises(ModuleNotFoundError):
        import_module("bridge_absent_package.layers")
    absent.stand_in(("bridge_absent_package",))
    absent.stand_in(("torch",))
    layers = import_module("bridge_absent_package.layers")
    assert layers.Dense(4) is not None
    assert not hasattr(layers, "__path_of_nothing__")
    assert import_module("torch") is torch
