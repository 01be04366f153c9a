"""bridge/clr/start/pythonnet_import.py: pythonnet starts when it is first imported, in the .NET that runs, and not before."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable

import pytest

from bridge.clr.errors import StartError
from tests.interop.helpers import X, loaded, pnet, raised

pytestmark = [pytest.mark.dotnet, pytest.mark.subprocess]


def test_a_model_does_not_need_it() -> None:
    pnet()(X)
    assert not {"pythonnet", "clr", "clr_loader", "cffi", "System"} & set(sys.modules)


def _system() -> None:
    from System import Environment

    assert int(Environment.Version.Major) >= 8


def _clr() -> None:
    import clr

    clr.AddReference("System.Collections")
    from System.Collections.Generic import List

    numbers = List[int]()
    numbers.Add(7)
    assert numbers[0] == 7


def _pythonnet() -> None:
    import pythonnet

    assert pythonnet.get_runtime_info().kind == "CoreCLR"
    pythonnet.load("mono")  # has no effect, since a runtime is loaded
    _system()


@pytest.mark.parametrize("use", [_system, _clr, _pythonnet])
@pytest.mark.subprocess(stderr="")
def test_the_first_import_starts_it(use: Callable[[], None]) -> None:
    """It shares .NET, and our assemblies, with the models."""
    model = pnet()
    assert "pythonnet" not in sys.modules
    use()
    assert loaded("Bridge.Interop") == loaded("Bridge.Torch") == loaded("Python.Runtime") == 1
    model(X)


def test_an_import_before_the_start() -> None:
    """The user has imported pythonnet, but has not started it."""
    import pythonnet

    model = pnet()
    assert pythonnet.get_runtime_info().kind == "CoreCLR"
    _system()
    model(X)


def test_other_imports_are_left_alone() -> None:
    pnet()
    with pytest.raises(ModuleNotFoundError, match="No module named 'nothing_of_this_name'"):
        __import__("nothing_of_this_name")
    assert "pythonnet" not in sys.modules


@pytest.mark.skipif(not hasattr(os, "fork"), reason="the system cannot fork")
@pytest.mark.subprocess(stderr="")
def test_a_forked_child_is_refused() -> None:
    """.NET's other threads are not in the child: pythonnet's start would wait for them forever."""
    pnet()
    if (child := os.fork()) == 0:
        error = raised(_clr)
        os._exit(0 if isinstance(error, StartError) and "forked" in str(error) else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
