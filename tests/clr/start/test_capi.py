"""bridge/clr/start/capi.py: where CPython and torch keep what .NET reads is probed; what is found nowhere is refused, never guessed."""

from __future__ import annotations

import ctypes
import re
import sys
from collections import OrderedDict
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import torch
from torch._subclasses.fake_tensor import FakeTensorMode

from bridge.clr import StartError
from bridge.clr.start import capi

INTEROP = Path(capi.__file__).parents[3] / "dotnet" / "src" / "Bridge.Interop"
WORD = ctypes.sizeof(ctypes.c_void_p)
Shift = Callable[[int], None]


@pytest.fixture
def shifted(monkeypatch: pytest.MonkeyPatch) -> Iterator[Shift]:
    """Yield a function that makes each field of an object appear so many bytes nearer to its beginning: ``shifted(8)``."""

    def shift(by: int) -> None:
        word = SimpleNamespace(from_address=lambda address: ctypes.c_int64.from_address(address + by))
        monkeypatch.setattr(capi, "ctypes", SimpleNamespace(c_int64=word))
        capi.count_offset.cache_clear()

    yield shift
    capi.count_offset.cache_clear()


@pytest.fixture
def anew() -> Iterator[None]:
    """Clear the caches of probes whose failure is no error, before and after the test."""
    found = (capi.class_version_offset, capi.call_slot, capi.wrapped_number)
    for probe in found:
        probe.cache_clear()
    yield
    for probe in found:
        probe.cache_clear()


def _word(item: object, offset: int) -> int:
    return ctypes.c_int64.from_address(id(item) + offset).value


def test_the_offsets_are_those_of_this_python_and_this_torch() -> None:
    """Read with objects that were not probed."""
    for item in (3.5, (), {1}, torch.nn.Linear(1, 1), type):
        assert _word(item, capi.type_offset()) == id(type(item))
    for tensor in (torch.ones(2, 3), torch.nn.Parameter(torch.ones(1)), torch.ones(1).as_subclass(torch.nn.Buffer)):
        assert _word(tensor, capi.impl_offset()) == tensor._cdata
    for number in (0, 1, 5, 1000):
        for kind in (dict, OrderedDict):
            assert _word(kind.fromkeys(range(number)), capi.count_offset()) == number


def test_the_order_of_an_ordered_dict_has_a_word() -> None:
    """What moves to an end is no write of the dictionary below."""
    hooks = torch.nn.Linear(1, 1)._forward_hooks
    hooks.update(dict.fromkeys(range(5), lambda *_: None))
    seen = [_word(hooks, capi.order_offset())]
    for change in (lambda: hooks.move_to_end(0), lambda: hooks.move_to_end(3, last=False), lambda: hooks.pop(1)):
        change()
        seen.append(_word(hooks, capi.order_offset()))
    assert len(set(seen)) == len(seen)
    tuple(hooks.items())
    assert _word(hooks, capi.order_offset()) == seen[-1]


def test_a_class_has_a_version_that_no_other_state_of_it_has() -> None:
    """Of a class that was not probed, with a change of a base; where none is found it is unknown, and C# asks."""

    class Base(torch.nn.Module):
        pass

    class Child(Base):
        pass

    def version() -> int:
        return ctypes.c_uint32.from_address(id(Child) + capi.class_version_offset()).value

    assert capi.class_version_offset() > 0
    seen = set()
    changes: tuple[Callable[[], object], ...] = (
        lambda: setattr(Child, "forward", print),
        lambda: setattr(Base, "_call_impl", print),
        lambda: delattr(Child, "forward"),
    )
    for change in changes:
        hasattr(Child, "forward")
        seen.add(version())
        hasattr(Child, "training")
        seen.add(version())
        change()
        assert version() == 0
    assert len(seen) == len(changes)


@pytest.mark.usefixtures("anew")
def test_an_unknown_version_of_a_class_is_0(monkeypatch: pytest.MonkeyPatch) -> None:
    """No word of the class changes with it."""
    word = ctypes.c_uint32(7)
    monkeypatch.setattr(capi, "ctypes", SimpleNamespace(c_uint32=SimpleNamespace(from_address=lambda _: word)))
    assert capi.class_version_offset() == 0


def test_the_function_that_calls_an_object_is_found() -> None:
    """A class that has it in that place is called by its ``__call__``."""
    offset, function = capi.call_slot()

    class Silent:
        pass

    class Called(Silent):
        def __call__(self) -> int:
            return 3

    silent: Any = Silent()
    with pytest.raises(TypeError, match="not callable"):
        silent()
    ctypes.c_int64.from_address(id(Silent) + offset).value = function
    with pytest.raises(AttributeError, match="__call__"):
        silent()
    assert Called()() == 3


@pytest.mark.usefixtures("anew")
def test_an_unknown_place_of_that_function_is_0(monkeypatch: pytest.MonkeyPatch) -> None:
    """No word of a class comes and goes with ``__call__``."""
    word = ctypes.c_int64(7)
    monkeypatch.setattr(capi, "ctypes", SimpleNamespace(c_int64=SimpleNamespace(from_address=lambda _: word)))
    assert capi.call_slot() == (0, 0)


@pytest.mark.usefixtures("anew")
@pytest.mark.parametrize("mode", [torch.no_grad, torch.inference_mode, FakeTensorMode, partial(torch.device, "meta")])
def test_the_bit_of_a_number_is_found(mode: Callable[[], AbstractContextManager[object]]) -> None:
    """A float64 of no dimensions yields to a float32 once it has the bit, whatever was on when the bit was looked for."""
    with mode():
        offset, mask = capi.wrapped_number()
    assert mask.bit_count() == 1
    number, other = torch.tensor(7.0, dtype=torch.float64), torch.tensor(1.0)
    assert torch.result_type(number, other) == torch.float64
    ctypes.c_ubyte.from_address(number._cdata + offset).value |= mask
    assert torch.result_type(number, other) == torch.float32


@pytest.mark.usefixtures("anew")
@pytest.mark.parametrize("rest", [7, 0])
def test_an_unknown_bit_of_a_number_is_0(rest: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """No bit, or more than one, tells what is read first, which are the numbers, from the rest."""
    read: list[int] = []

    class Byte:
        def __mul__(self, size: int) -> object:
            read.append(7 if len(read) < 32 else rest)
            return SimpleNamespace(from_address=lambda _, bits=read[-1]: bytes([bits] * size))

    monkeypatch.setattr(capi, "ctypes", SimpleNamespace(c_ubyte=Byte()))
    assert capi.wrapped_number() == (0, 0)
    assert len(read) > 64


def test_libtorch_shows_whether_calls_are_followed() -> None:
    """Otherwise each call takes a microsecond more."""
    assert all(capi.mode_function_addresses().values())


def test_a_type_or_a_tensor_elsewhere_is_found_there(shifted: Shift) -> None:
    """14: were an offset hard-coded, it would not move with the layout."""
    here = capi.type_offset(), capi.impl_offset()
    shifted(WORD)
    assert capi.type_offset() == here[0] - WORD
    if here[1] - WORD >= object.__basicsize__:
        assert capi.impl_offset() == here[1] - WORD


@pytest.mark.parametrize(
    ("probe", "words"),
    [
        (capi.type_offset, f"Python {sys.version.split()[0]} has an unknown object layout"),
        (capi.impl_offset, f"torch {torch.__version__} has an unknown tensor layout"),
        (capi.count_offset, f"Python {sys.version.split()[0]} has an unknown dictionary layout"),
    ],
    ids=["type", "tensor", "dictionary"],
)
def test_an_unknown_layout_is_refused(shifted: Shift, probe: Callable[[], int], words: str) -> None:
    """Half a word off: no field is where one could be."""
    shifted(4)
    with pytest.raises(StartError, match=re.escape(words)):
        probe()


@pytest.mark.skipif(not INTEROP.is_dir(), reason="needs the C# sources")
def test_csharp_reads_memory_at_given_offsets_alone() -> None:
    """14: what is added to an address before memory is read there is a number that Python probed."""
    read = re.compile(
        r"\((?:IntPtr|nint|int|uint|long|ulong|byte)\s*\*+\)\s*\(?[\w.\[\]]+ \+ ([^;]*)|\bMarshal\.(Read\w+\([^;]*)"
    )
    found = [
        (path.name, "".join(added))
        for path in INTEROP.rglob("*.cs")
        for added in read.findall(path.read_text(encoding="utf-8"))
    ]
    assert len(found) >= 4
    assert [pair for pair in found if not pair[1].startswith("(nint)Imports.")] == []
