"""tools/uncaught.py: the functions of TorchSharp's native library that let C++ exceptions out."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import uncaught
from bridge.torchsharp.process.library_search import own_library


@pytest.fixture(scope="session")
def library(torchsharp: Path) -> uncaught.Library:
    """Return TorchSharp's native library."""
    native = own_library(torchsharp)
    assert native is not None
    if native.suffix == ".dll":
        pytest.skip("the tool reads TorchSharp's library for Linux")
    return uncaught.Library(native)


@pytest.fixture(scope="session")
def found(library: uncaught.Library) -> dict[str, set[str]]:
    """Return the functions that let exceptions out."""
    return uncaught.escaping(library)


@pytest.mark.parametrize(
    ("caught", "passes"),
    [([], True), (["_ZTIN3c105ErrorE"], False), (["_ZTISt13runtime_error"], True), ([""], False)],
    ids=["cleanup", "c10::Error", "runtime_error", "catch all"],
)
def test_a_site_lets_out_what_it_does_not_catch(caught: list[str], passes: bool) -> None:
    function = uncaught.Function(0, 16, [uncaught.Site(4, 8, frozenset(caught))])
    assert function.catches(4) is not passes
    assert function.catches(12)  # between the sites is noexcept


def test_a_function_without_sites_lets_everything_out() -> None:
    assert not uncaught.Function(0, 16, []).catches(4)


@pytest.mark.parametrize("name", ["THSTensor_matmul", "THSTensor_cummax", "THSTensor_cummin", "THSAutograd_grad"])
def test_functions_without_a_handler_are_found(
    name: str, library: uncaught.Library, found: dict[str, set[str]]
) -> None:
    sites = library.functions[library.exported[name]].sites
    assert name in found
    assert not any(site.caught for site in sites)


@pytest.mark.parametrize("name", ["THSTensor_var_along_dimensions", "THSTensor_lp_pool2d", "THSTensor_meshgrid"])
def test_calls_outside_a_handler_are_found(name: str, library: uncaught.Library, found: dict[str, set[str]]) -> None:
    sites = library.functions[library.exported[name]].sites
    assert name in found
    assert any("_ZTIN3c105ErrorE" in site.caught for site in sites)


@pytest.mark.parametrize(
    "name", ["THSTensor_add", "THSTensor_mm", "THSTensor_dispose", "THSTensor_numel", "THSTensor_sum"]
)
def test_others_are_not(name: str, library: uncaught.Library, found: dict[str, set[str]]) -> None:
    assert name in library.exported
    assert name not in found


@pytest.mark.sdk
def test_the_data_and_the_page_are_what_the_library_gives(
    torchsharp: Path, library: uncaught.Library, found: dict[str, set[str]]
) -> None:
    reaching = uncaught.members(torchsharp, list(found))
    assert uncaught.facts(reaching) == json.loads(uncaught.FACTS.read_text(encoding="utf-8")), (
        "run python tools/uncaught.py"
    )
    assert uncaught.PAGE.read_text(encoding="utf-8").endswith(uncaught.table(library, found, reaching))
    assert {
        "torch.matmul",
        "torch.nn.LPPool2d",
        "torch.autograd.functional.jacobian",
    } <= reaching.keys()  # also not directly
