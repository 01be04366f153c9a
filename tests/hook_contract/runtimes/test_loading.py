"""hook_contract.runtimes.loading: which runtime a text names, and the message where it names none."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from hook_contract.runtimes.command import CommandRuntime
from hook_contract.runtimes.errors import AdapterError, UnknownRuntimeError
from hook_contract.runtimes.loading import OWN, find_runtime, load_object

_HINT = "package.module:OBJECT, or a command such as 'node runtime.js'."
_BROKEN = Path(__file__).parent / "snippets" / "broken.py"


def test_a_runtime_of_this_package_runs_in_this_process() -> None:
    assert find_runtime("model") is load_object(OWN["model"])


@pytest.mark.parametrize(
    "text", ["broken:GOOD", f'"{sys.executable}" "{_BROKEN}" GOOD', f'command "{sys.executable}" "{_BROKEN}" GOOD']
)
def test_what_a_runtime_says_of_itself(text: str) -> None:
    runtime = find_runtime(text)
    assert isinstance(runtime, CommandRuntime)
    assert (runtime.name, runtime.version(), runtime.variants) == ("broken", "Broken 1.0", ("",))
    assert (dict(runtime.lacks), runtime.devices) == ({}, ("cpu",))
    runtime.close()


@pytest.mark.parametrize(
    ("name", "lacks", "devices"), [("LACKING", {"node:leaf": "it has no leaves"}, ("cpu",)), ("DEVICES", {}, ("cuda",))]
)
def test_what_an_object_lacks_and_where_it_runs(name: str, lacks: dict[str, str], devices: tuple[str, ...]) -> None:
    runtime = find_runtime(f"broken:{name}")
    assert (runtime.lacks, runtime.devices) == (lacks, devices)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("modle", f"unknown runtime 'modle': write model, {_HINT} Did you mean model?"),
        ("", f"unknown runtime '': write model, {_HINT}"),
        ("adapter", f"unknown runtime 'adapter': write model, {_HINT}"),
        ("toy:", f"unknown runtime 'toy:': write model, {_HINT}"),
        ("command ", f"unknown runtime 'command ': write model, {_HINT}"),
        pytest.param(
            "node 'runtime.js",
            "'node 'runtime.js' is not a command: No closing quotation",
            marks=pytest.mark.skipif(sys.platform == "win32", reason="Windows has no single quotes"),
        ),
    ],
)
def test_what_is_no_runtime(text: str, message: str) -> None:
    with pytest.raises(UnknownRuntimeError) as caught:
        find_runtime(text)
    assert str(caught.value) == message


def test_the_known_names_are_those_of_the_caller() -> None:
    with pytest.raises(UnknownRuntimeError, match="write pytorch, model, package"):
        find_runtime("nothing", known=("pytorch", "model"))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("nowhere:RUNTIME", "cannot be imported: ModuleNotFoundError: No module named 'nowhere'"),
        ("raising:RUNTIME", "cannot be imported: ZeroDivisionError: division by zero"),
        ("broken:NOWHERE", "cannot be imported: AttributeError: module 'broken' has no attribute 'NOWHERE'"),
        ("broken:Broken", "is a class, not an object: write RUNTIME = Broken() and name RUNTIME"),
        (
            "broken:PARTLY",
            "is not a runtime: it has no lacks and no devices and no run. A runtime has name, variants, lacks, devices, version, run.",
        ),
        ("broken:WITHOUT_VERSION", "OSError: no such library (broken.py:102)"),
    ],
)
def test_what_is_no_runtime_in_an_object(text: str, message: str) -> None:
    with pytest.raises(AdapterError) as caught:
        find_runtime(text)
    assert str(caught.value) == f"{text}: {message}"


@pytest.mark.parametrize(
    ("name", "place"), [("MISNAMED", "name"), ("VARIANTLESS", "variants"), ("UNREASONED", "lacks['node:leaf']")]
)
def test_what_an_object_says_wrong_of_itself(name: str, place: str) -> None:
    with pytest.raises(AdapterError, match=f"^broken:{name}: the answer '.*' is not valid: at ") as caught:
        find_runtime(f"broken:{name}")
    assert f" is not valid: at {place}: " in str(caught.value)
