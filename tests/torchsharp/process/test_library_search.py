"""Which TorchSharp a model runs on: where it is looked for, and which of the assemblies of that name are taken."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
import torch

from bridge.clr.find import assemblies
from bridge.torchsharp.process import TorchSharpProcess
from bridge.torchsharp.process.library_search import (
    FOLDER,
    SYSTEM,
    LibraryFile,
    TorchSharpNotFound,
    candidates,
    choose_library,
    loader_path,
    native_libraries,
    python_libtorch,
    references,
    search,
)
from bridge.torchsharp.process.loader import make_process

from .conftest import put_link

pytestmark = pytest.mark.dotnet

#: TorchSharp's own library and the two of libtorch, by their names on this system.
OWN, CPU, WHOLE = {
    "win32": ("LibTorchSharp.dll", "torch_cpu.dll", "torch.dll"),
    "darwin": ("libLibTorchSharp.dylib", "libtorch_cpu.dylib", "libtorch.dylib"),
}.get(sys.platform, ("libLibTorchSharp.so", "libtorch_cpu.so", "libtorch.so"))
#: The variable by which the system finds libraries.
LOADER = {"win32": "PATH", "darwin": "DYLD_LIBRARY_PATH"}.get(sys.platform, "LD_LIBRARY_PATH")


def put(*folder: Path, name: str = "TorchSharp.dll") -> None:
    for place in folder:
        place.mkdir(parents=True, exist_ok=True)
        (place / name).write_bytes(b"")


def order(model: Path | None, asked: Path | None = None, version: str = "", **environ: str) -> list[tuple[str, Path]]:
    return list(candidates(model, asked, environ, version))


def test_the_order_is_what_was_asked_for_the_models_folder_and_the_cache(tmp_path: Path) -> None:
    cache, beside, set_, asked = (tmp_path / name for name in ("cache", "beside", "set", "asked"))
    old, new, framework = (
        cache / "torchsharp" / version / "lib" / folder
        for version, folder in (("0.102.6", "net6.0"), ("0.107.0", "net8.0"), ("0.107.0", "netstandard2.0"))
    )
    put(beside, set_, asked, old, new, framework, new.with_name("net472"))
    model = beside / "Models.dll"
    environ = {"NUGET_PACKAGES": str(cache)}
    in_cache = [("NuGet's cache", folder / "TorchSharp.dll") for folder in (new, old)]
    assert order(None, **environ) == in_cache
    assert order(None, version="0.102.6", **environ) == in_cache[::-1]
    assert order(model, **environ) == [("the model's folder", beside / "TorchSharp.dll"), *in_cache]
    environ["BRIDGE_TORCHSHARP"] = str(set_)
    assert order(model, **environ) == [("BRIDGE_TORCHSHARP", set_ / "TorchSharp.dll")]
    assert order(model, asked / "TorchSharp.dll", **environ) == [("requested", asked / "TorchSharp.dll")]
    assert order(model, cache / "torchsharp" / "0.107.0", **environ) == [("requested", new / "TorchSharp.dll")]


def test_a_preview_comes_before_its_release(tmp_path: Path) -> None:
    for version in ("0.107.1-preview", "0.107.1", "0.107.0"):
        put(tmp_path / "torchsharp" / version / "lib" / "net8.0")
    found = [file.parents[2].name for _, file in order(None, NUGET_PACKAGES=str(tmp_path))]
    assert found == ["0.107.1", "0.107.1-preview", "0.107.0"]


def test_what_is_asked_for_is_never_ignored(tmp_path: Path) -> None:
    with pytest.raises(TorchSharpNotFound, match=r"there is no TorchSharp.dll in .* \(BRIDGE_TORCHSHARP\)"):
        order(tmp_path / "Models.dll", BRIDGE_TORCHSHARP=str(tmp_path))
    with pytest.raises(TorchSharpNotFound, match="requested"):
        order(None, tmp_path / "none")


@pytest.fixture
def three(tmp_path: Path, torchsharp: Path, reference: Path) -> dict[str, Path]:
    """Return folders with an assembly named TorchSharp each."""
    facade = assemblies.folder()[0] / "TorchSharp.dll"
    found = {}
    for name, file in (("facade", facade), ("reference", reference), ("torchsharp", torchsharp)):
        put(tmp_path / name)
        shutil.copy(file, tmp_path / name / "TorchSharp.dll")
        found[name] = tmp_path / name
    return found


def test_one_that_cannot_run_is_passed_over(
    three: dict[str, Path], make_host: Callable[..., TorchSharpProcess], tmp_path: Path
) -> None:
    host = make_host()
    cache = tmp_path / "cache"
    shutil.copytree(three["torchsharp"], cache / "torchsharp" / "0.107.0" / "lib" / "net8.0")
    shutil.copytree(three["reference"], cache / "torchsharp" / "0.108.0" / "lib" / "net8.0")
    found = search(host, three["facade"] / "Models.dll", None, {"NUGET_PACKAGES": str(cache)})
    assert [(file.kind, file.runs) for file in found] == [("Facade", False), ("Reference", False), ("TorchSharp", True)]
    assert choose_library(found).place == "NuGet's cache"
    for name, words in (("facade", "runs in Python's process"), ("reference", "without code, to compile against")):
        found = search(host, None, three[name], {})
        with pytest.raises(TorchSharpNotFound, match=words):
            choose_library(found)
    with pytest.raises(TorchSharpNotFound, match="no TorchSharp was found to run the model on: .* the model's folder"):
        choose_library([], three["facade"] / "Models.dll")
    with pytest.raises(TorchSharpNotFound, match="no TorchSharp was found: ") as caught:
        choose_library([])
    assert "model" not in str(caught.value)


def test_what_cannot_run_is_refused_by_the_process_too(
    three: dict[str, Path], make_host: Callable[..., TorchSharpProcess]
) -> None:
    for name in ("facade", "reference"):
        with pytest.raises(RuntimeError, match="models cannot run on it in a process of its own"):
            make_host().ask("use_torchsharp", path=str(three[name] / "TorchSharp.dll"), libraries=[])


def test_a_libtorch_that_torchsharp_was_not_made_for_is_said(
    make_host: Callable[..., TorchSharpProcess], torchsharp: Path
) -> None:
    """TorchSharp says what it was made for, whatever is loaded: here its own libtorch, and Python's.

    Windows loads a library only if the others have all functions that it needs, and so no other libtorch than TorchSharp's.
    """
    version = torch.__version__.partition("+")[0]
    cases = [(native_libraries(torchsharp), "2.10.0.0"), ([str(python_libtorch())], f"{version} (made for 2.10.0.0)")]
    for libraries, said in cases[: 1 if sys.platform == "win32" else 2]:
        title = make_host().ask("use_torchsharp", path=str(torchsharp), libraries=libraries)["title"]
        assert title == f"TorchSharp 0.107.0, libtorch {said}, own process"


def test_what_a_model_refers_to_is_read_from_its_file(
    make_host: Callable[..., TorchSharpProcess], torchsharp_models: Path, bridge_torch_models: Path
) -> None:
    host = make_host()
    assert "TorchSharp" in references(host, torchsharp_models)
    assert "Bridge.Torch" in references(host, bridge_torch_models)
    assert "TorchSharp" not in references(host, bridge_torch_models)


def test_native_libraries_are_those_of_the_package(tmp_path: Path) -> None:
    """libtorch first: TorchSharp's own library is bound to the one that is there."""
    assembly = tmp_path / "torchsharp" / "0.107.0" / "lib" / "net8.0" / "TorchSharp.dll"
    put(assembly.parent)
    assert native_libraries(assembly) == []
    own = tmp_path / "torchsharp" / "0.107.0" / FOLDER
    put(own, name=OWN)
    ours = python_libtorch()
    assert ours is not None
    library = str(own / OWN)
    assert native_libraries(assembly) == [str(ours), str(ours.with_name(WHOLE)), library]
    libtorch = tmp_path / f"libtorch-cpu-{SYSTEM}" / "2.10.0.0" / FOLDER
    put(libtorch, name=CPU)
    assert native_libraries(assembly) == [str(libtorch / CPU), library]
    put(libtorch, name=WHOLE)
    assert native_libraries(assembly) == [str(libtorch / CPU), str(libtorch / WHOLE), library]
    put(assembly.parent, name=OWN)
    put(assembly.parent, name=CPU)
    beside = [str(assembly.parent / name) for name in (CPU, OWN)]
    assert native_libraries(assembly) == beside


def test_found_is_data() -> None:
    assert choose_library(
        [
            LibraryFile(Path("a"), "here", "one", "Facade", False),
            LibraryFile(Path("b"), "there", "two", "TorchSharp", True),
        ]
    ).path == Path("b")


def test_the_libtorch_that_torchsharp_was_made_for_is_preferred_and_then_the_newest(tmp_path: Path) -> None:
    assembly = tmp_path / "torchsharp" / "0.106.0" / "lib" / "net8.0" / "TorchSharp.dll"
    put(assembly.parent)
    put(tmp_path / "torchsharp" / "0.106.0" / FOLDER, name=OWN)
    for version in ("2.7.1", "2.10.0", "2.5.1.0"):
        put(tmp_path / f"libtorch-cpu-{SYSTEM}" / version / FOLDER, name=CPU)
    assert Path(native_libraries(assembly)[0]).parents[3].name == "2.10.0"
    said = tmp_path / "torchsharp-cpu" / "0.106.0" / "torchsharp-cpu.nuspec"
    said.parent.mkdir(parents=True)
    said.write_text('<dependency id="libtorch-cpu" version="2.7.1" exclude="Build" />', encoding="utf-8")
    assert Path(native_libraries(assembly)[0]).parents[3].name == "2.7.1"


def cuda(cache: Path, torchsharp: Path) -> Path:
    """Create a cache as TorchSharp-cuda-linux 0.107.0 fills it, with libtorch in several packages, and return the assembly's path."""
    native = torchsharp.parent / FOLDER
    parts = {
        "torchsharp/0.107.0": [OWN],
        f"libtorch-cuda-12.8-{SYSTEM}-part1/2.10.0": [file.name for file in native.iterdir() if _is_part(file.name)],
        f"libtorch-cuda-12.8-{SYSTEM}-part2-primary/2.10.0": [CPU],
        f"libtorch-cuda-12.8-{SYSTEM}-part9/2.10.0": [WHOLE],
    }
    for package, names in parts.items():
        (cache / package / FOLDER).mkdir(parents=True)
        for name in names:
            put_link(cache / package / FOLDER / name, native / name)
    put(cache / f"libtorch-cuda-12.8-{SYSTEM}-part2-fragment1/2.10.0", name=f"{CPU}.fragment1")
    assembly = cache / "torchsharp" / "0.107.0" / "lib" / "net8.0" / "TorchSharp.dll"
    assembly.parent.mkdir(parents=True)
    put_link(assembly, torchsharp)
    return assembly


def _is_part(name: str) -> bool:
    """Return whether a library is one on which libtorch_cpu depends."""
    return name.startswith(("libc10.", "libgomp-", "libomp", "c10.", "uv.", "libiomp5"))


def test_a_libtorch_in_several_packages_is_found_as_a_whole(tmp_path: Path, torchsharp: Path) -> None:
    assembly = cuda(tmp_path, torchsharp)
    libraries = [Path(library) for library in native_libraries(assembly)]
    assert [library.name for library in libraries] == [CPU, WHOLE, OWN]
    packages = {library.parents[4].name.partition(f"{SYSTEM}-")[2] for library in libraries}
    assert packages == {"part2-primary", "part9", ""}
    with make_process(assembly) as host:
        host.start()
        assert host.title == "TorchSharp 0.107.0, libtorch 2.10.0.0, own process"


def test_only_a_libtorch_in_several_packages_is_looked_for_by_the_loader(tmp_path: Path, torchsharp: Path) -> None:
    assert loader_path(torchsharp) == {}
    assembly = cuda(tmp_path, torchsharp)
    said = loader_path(assembly, {LOADER: "/mine"})[LOADER].split(os.pathsep)
    assert [Path(folder).parents[3].name[-5:] for folder in said[:-1]] == ["part1", "imary", "part9"]
    assert said[-1] == "/mine"
    put(tmp_path / f"libtorch-cpu-{SYSTEM}" / "2.10.0" / FOLDER, name=CPU)
    assert loader_path(assembly) == {}
