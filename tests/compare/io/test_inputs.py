"""bridge/compare/io/inputs.py: arrays and shapes as arguments. What goes wrong: tests/commands/test_bad_input.py."""

from __future__ import annotations

import re
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from bridge.compare.errors import InputsError
from bridge.compare.io.inputs import Inputs, from_files, from_shapes, parse_shape, split_arguments


class Model(torch.nn.Module):
    def forward(self, x: Any, mask: Any = None, *, scale: float = 2.0) -> Any:
        return x


class Spread(torch.nn.Module):
    def forward(self, *xs: Any, **rest: Any) -> Any:
        return xs


def test_files_give_positions_and_names(tmp_path: Path) -> None:
    np.save(tmp_path / "a.npy", np.arange(6, dtype=">i4").reshape(2, 3))
    np.savez(tmp_path / "b.npz", np.float64(1.5), mask=np.asfortranarray(np.ones((2, 2), bool)))
    found = from_files([tmp_path / "a.npy", tmp_path / "b.npz"])
    first, second = found.positional
    assert torch.equal(first, torch.arange(6, dtype=torch.int32).reshape(2, 3))
    assert torch.equal(second, torch.tensor(1.5, dtype=torch.float64))
    assert found.named["mask"].dtype == torch.bool
    assert str(found) == "int32[2, 3], float64[], mask=bool[2, 2]"


def test_the_same_seed_gives_the_same_inputs() -> None:
    shapes = [parse_shape("2,3"), parse_shape("4")]
    a, b, c = from_shapes(shapes, 1), from_shapes(shapes, 1), from_shapes(shapes, 2)
    assert [item.shape for item in a.positional] == [(2, 3), (4,)]
    assert all(torch.equal(x, y) for x, y in zip(a.positional, b.positional, strict=True))
    assert not torch.equal(a.positional[0], c.positional[0])


def test_ids_masks_and_other_dtypes() -> None:
    ids, mask, wide, small = from_shapes(
        [parse_shape(text) for text in ("64,8:int64<5", "64:bool", "2:float64", "3:uint8<256")], 0
    ).positional
    assert ids.dtype == torch.int64
    assert set(ids.flatten().tolist()) == {0, 1, 2, 3, 4}
    assert mask.dtype == torch.bool
    assert set(mask.tolist()) == {True, False}
    assert (wide.dtype, small.dtype) == (torch.float64, torch.uint8)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            "1,3,64,64:int64",
            "random integers need an upper bound: --shape '1,3,64,64:int64<N', for example '1,16:int64<30522'",
        ),
        ("ids=1,16:int", "an upper bound: --shape 'ids=1,16:int<N'"),
        (
            "1,16:int64<0",
            f"'<0' in '1,16:int64<0' is not an upper bound for int64: write a number from 1 to {2**63 - 1}.",
        ),
        ("1,16:uint8<257", "not an upper bound for uint8: write a number from 1 to 256."),
        ("1,16:int64<-3", "'<-3' in '1,16:int64<-3' is not an upper bound"),
        ("1,16:int64<", "'<' in '1,16:int64<' is not an upper bound"),
        ("1,16:float64<3", "'<3' in '1,16:float64<3' is for integers: a random float64 has no upper bound."),
        ("1,16:double64", "'double64' in '1,16:double64' is not a dtype"),
        ("1:uint4<3", "'uint4' in '1:uint4<3' is not a dtype"),
        ("1:int1<2", "'int1' in '1:int1<2' is not a dtype"),
        ("1:bits8<3", "'bits8' in '1:bits8<3' is not a dtype"),
        ("1,16:nn<3", "'nn' in '1,16:nn<3' is not a dtype"),
        ("1,16:", "'' in '1,16:' is not a dtype"),
        ("a:int64<3", "'a' is not a shape"),
    ],
)
def test_a_shape_that_is_none_is_said(text: str, said: str) -> None:
    with pytest.raises(InputsError, match=re.escape(said)):
        parse_shape(text)


def test_arguments_stand_in_the_order_of_the_parameters() -> None:
    x = torch.ones(1)
    assert Inputs(named={"mask": x * 2, "x": x}).bind(Model()) == {"x": x, "mask": x * 2, "scale": 2.0}
    assert list(Inputs((x,)).bind(Model()).values()) == [x, None, 2.0]
    assert Inputs((x, x)).bind(Spread()) == {"xs[0]": x, "xs[1]": x}


def test_arguments_that_do_not_fit() -> None:
    with pytest.raises(
        InputsError, match=r"forward\(x, mask=None, \*, scale=2\.0\) of Model: missing .* 'x'\. Given: nothing"
    ):
        Inputs().bind(Model())


def test_arguments_that_are_taken_by_name_only_are_handed_over_so() -> None:
    x, mask = torch.ones(1), torch.zeros(1)
    bound = Inputs((x,), {"mask": mask}).bind(Spread())
    assert bound == {"xs[0]": x, "mask": mask}
    assert split_arguments(Spread(), bound) == ((x,), {"mask": mask})
    assert split_arguments(Model(), Inputs((x,), {"scale": 3.0}).bind(Model())) == ((x,), {"scale": 3.0})
    assert split_arguments(Model(), Inputs((x,), {"mask": mask}).bind(Model())) == ((x, mask), {})
    assert split_arguments(Model(), Inputs((x,)).bind(Model())) == ((x,), {})


def test_a_damaged_file_is_named(tmp_path: Path) -> None:
    """Whatever byte is wrong: NumPy, zipfile and zlib raise a dozen types."""
    np.save(tmp_path / "good.npy", np.arange(4.0))
    np.savez_compressed(tmp_path / "good.npz", x=np.arange(400.0))
    said: list[str] = []
    for name in ("good.npy", "good.npz"):
        content, bad = (tmp_path / name).read_bytes(), tmp_path / f"bad{name[4:]}"
        for position in range(len(content)):
            bad.write_bytes(content[:position] + bytes([content[position] ^ 0xFF]) + content[position + 1 :])
            try:
                from_files([bad])
            except InputsError as error:
                said.append(str(error))
    assert len(said) > 200
    assert all("bad.np" in words and "\n" not in words for words in said)
    with zipfile.ZipFile(bad, "w") as archive:
        archive.writestr("readme.txt", "no array")
    with pytest.raises(InputsError, match=r"bad\.npz: readme\.txt is not an array"):
        from_files([bad])


@pytest.mark.parametrize(
    ("text", "shown", "name", "ends"),
    [
        ("mask=1,16:bool", "mask=1,16:bool", "mask", {}),
        ("ids=1..4,16:int64<9", "ids=1,16:int64<9", "ids", {0: 4}),
        ("1..4,3,8..8", "1,3,8", "", {0: 4, 2: 8}),
        ("2:float64", "2:float64", "", {}),
    ],
)
def test_names_and_ranges_of_shapes(text: str, shown: str, name: str, ends: dict[int, int]) -> None:
    made = parse_shape(text)
    assert (str(made), made.name, made.ends) == (shown, name, ends)


@pytest.mark.parametrize("text", ["4..1,3", "1..,3", "..4", "1...4", "=1,2", "a b=1", "2=3"])
def test_names_and_ranges_that_are_none(text: str) -> None:
    with pytest.raises(InputsError, match="is not a shape|not the name of a parameter"):
        parse_shape(text)


def test_inputs_by_name() -> None:
    found = from_shapes([parse_shape("2,3"), parse_shape("mask=2:bool")], 0)
    assert str(found) == "float32[2, 3], mask=bool[2]"
    with pytest.raises(InputsError, match="two inputs have the same name"):
        from_shapes([parse_shape("x=2"), parse_shape("x=3")], 0)
