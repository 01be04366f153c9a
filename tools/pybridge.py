"""TorchSharp.PyBridge on Bridge.Torch: state dictionaries that Python and C# write for each other, and damaged files.

    python tools/pybridge.py [--states N] [--damaged N] [--seed N]

A state dictionary is drawn: paths, types, shapes, elements. Python writes it, ``load_py`` or ``load_safetensors`` reads it into a C#
module, ``save_py`` or ``save_safetensors`` writes it, and Python reads it again; all bits have to be equal. Then files are damaged: each
has to be an exception with a message. Drawn again is what the damage left readable, and what nobody could see: TorchSharp.PyBridge takes a
safetensors header at its word, and .NET does not compare the checksums of an archive. TorchSharp.PyBridge.dll comes compiled from NuGet, as
its users have it. Nonzero where something differs.
"""

from __future__ import annotations

import argparse
import io
import json
import random
import shutil
import struct
import subprocess
import sys
import tempfile
import zipfile
from collections import Counter, OrderedDict
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final

import torch
from safetensors.torch import load_file, save_file

import bridge
import csharp_compiler

VERSION: Final = "1.4.4"
#: The packages whose assemblies lie beside a program that uses TorchSharp.PyBridge.
PACKAGES: Final = ("torchsharp.pybridge", "razorvine.pickle", "tqdmsharp")
SOURCE: Final = csharp_compiler.ROOT / "tests" / "torchsharp" / "process" / "pybridge" / "Drawn.cs"
_PROJECT: Final = f"""<Project Sdk="Microsoft.NET.Sdk">
  <PropertyGroup><TargetFramework>net10.0</TargetFramework></PropertyGroup>
  <ItemGroup><PackageReference Include="TorchSharp.PyBridge" Version="{VERSION}" /></ItemGroup>
</Project>
"""
FORMATS: Final = ("py", "safetensors")
#: Types that both formats have; then those that TorchSharp.PyBridge has in pickles only.
_COMMON: Final = (
    *(torch.float32, torch.float64, torch.float16, torch.bfloat16),
    *(torch.int64, torch.int32, torch.int16, torch.int8, torch.uint8, torch.bool),
)
_PICKLED: Final = (*_COMMON, torch.complex64, torch.complex128)
_WORDS: Final = (
    "weight",
    "bias",
    "fc",
    "conv1",
    "0",
    "11",
    "größe",
    "层",
    "a b",
    "running_mean",
    "x" * 90,
    "_",
    "W-0",
    "'\"",
)
State = dict[str, torch.Tensor]


class NoPackage(Exception):
    """TorchSharp.PyBridge is in none of NuGet's sources; the message is NuGet's."""


def package(sdk: Any, cache: Path) -> tuple[Path, ...]:
    """Return the assemblies of TorchSharp.PyBridge. What NuGet's cache lacks is restored once, into the checkout's build folder.

    Raises NoPackage.
    """
    kept = csharp_compiler.CACHE / f"pybridge-{VERSION}"

    def found() -> tuple[Path, ...] | None:
        each = [
            next(iter(sorted((root / name).glob("*/lib/*/*.dll"))), None) for name in PACKAGES for root in (kept, cache)
        ]
        pairs = [each[at] or each[at + 1] for at in range(0, len(each), 2)]
        return tuple(path for path in pairs if path is not None) if all(pairs) else None

    if (here := found()) is not None:
        return here
    with tempfile.TemporaryDirectory() as made:
        (Path(made) / "Restored.csproj").write_text(_PROJECT, encoding="utf-8")
        done = subprocess.run(
            [sdk.command, "restore", f"-p:RestorePackagesPath={kept}", f"-p:RestoreFallbackFolders={cache}"],
            cwd=made,
            env={name: value for name, value in sdk.environ.items() if name != "NUGET_PACKAGES"},
            capture_output=True,
            text=True,
            check=False,
        )
    if (here := found()) is None:
        raise NoPackage(
            f"NuGet restores no TorchSharp.PyBridge {VERSION}: {(done.stdout + done.stderr).strip()[-300:]}"
        )
    return here


def build(sdk: Any, cache: Path, folder: Path) -> Path:
    """Compile the module that reads and writes its state, beside TorchSharp.PyBridge, as in an app's folder. Raises NoPackage."""
    libraries = package(sdk, cache)
    references = (csharp_compiler.STORE / "TorchSharp.Reference" / "TorchSharp.dll", *libraries)
    sources = {SOURCE.name: SOURCE.read_text(encoding="utf-8")}
    made = csharp_compiler.compile_sources(sdk, csharp_compiler.Compilation("Filed", sources, references))
    for path in (made, *libraries):
        shutil.copy(path, folder)
    return folder / made.name


def draw_tensor(rng: random.Random, types: tuple[torch.dtype, ...]) -> torch.Tensor:
    """Return a contiguous tensor of any bits, NaN and infinities among them."""
    dtype = rng.choice(types)
    shape = [rng.choice((0, 1, 1, 2, 3, 5, 8)) for _ in range(rng.choice((0, 1, 1, 2, 2, 3, 4, 6)))]
    if rng.random() < 0.03:
        shape = [rng.choice((255, 256, 70_000))]
    size = dtype.itemsize
    for length in shape:
        size *= length
    if dtype == torch.bool:
        return torch.tensor([rng.random() < 0.5 for _ in range(size)], dtype=dtype).reshape(shape)
    return torch.frombuffer(bytearray(rng.randbytes(size) or b"\0" * dtype.itemsize), dtype=dtype)[
        : size // dtype.itemsize
    ].reshape(shape)


def draw_state(rng: random.Random, form: str) -> State:
    """Return tensors by path; no path is a part of another's."""
    types = _PICKLED if form == "py" else _COMMON
    state: State = OrderedDict() if rng.random() < 0.7 else {}
    for _ in range(rng.choice((0, 1, 2, 3, 5, 8, 13, 40) if rng.random() < 0.2 else (1, 2, 3, 4))):
        path = ".".join(rng.choice(_WORDS) for _ in range(rng.choice((1, 1, 2, 3))))
        if not any(f"{path}.".startswith(f"{other}.") or f"{other}.".startswith(f"{path}.") for other in state):
            state[path] = draw_tensor(rng, types)
    return state


def write(state: State, form: str, path: Path, rng: random.Random) -> None:
    """Write a state as Python's users do; a pickle by any protocol, from memory that tensors share, with PyTorch's metadata."""
    if form == "safetensors":
        save_file(state, path, metadata={"format": "pt"} if rng.random() < 0.5 else None)
        return
    if isinstance(state, OrderedDict) and rng.random() < 0.5:
        state._metadata = OrderedDict({"": {"version": 1}})  # type: ignore[attr-defined]  # as Module.state_dict has it
    torch.save(state, path, pickle_protocol=rng.choice((2, 2, 2, 3, 4, 5)))


def read(form: str, path: Path) -> State:
    """Return what Python reads."""
    return dict(load_file(path) if form == "safetensors" else torch.load(path, weights_only=True))


def make(assembly: Path, state: State, rng: random.Random, **options: Any) -> Any:
    """Return the C# module whose paths, types and shapes are a state's. All elements are 0."""
    tensors = [torch.zeros_like(value) for value in state.values()]
    trained = [value.dtype.is_floating_point and rng.random() < 0.7 for value in tensors]
    return bridge.load(assembly, "Filed.Drawn", list(state), tensors, trained, **options)


def difference(found: State, expected: State) -> str | None:
    """Return what differs first, in words: paths, type, shape or bits; None where nothing does."""
    if found.keys() != expected.keys():
        return f"the paths {sorted(found.keys() ^ expected.keys())} are in one of the two"
    for path, value in expected.items():
        other = found[path]
        if (other.dtype, other.shape) != (value.dtype, value.shape):
            return f"{path} is {other.dtype} {tuple(other.shape)}, not {value.dtype} {tuple(value.shape)}"
        if bits(other) != bits(value):
            return f"{path} has other elements"
    return None


def bits(tensor: torch.Tensor) -> bytes:
    """Return the bytes of the elements."""
    flat = tensor.detach().contiguous().reshape(-1)
    return bytes(flat.view(torch.uint8).numpy()) if flat.numel() else b""


def exchange(assembly: Path, seed: int, folder: Path) -> str | None:
    """Let Python and C# exchange one drawn state; return what differs, in words."""
    rng = random.Random(seed)
    form = FORMATS[seed % 2]
    state = draw_state(rng, form)
    ours, theirs = folder / f"ours.{form}", folder / f"theirs.{form}"
    write(state, form, ours, rng)
    model = make(assembly, state, rng)
    told = model(f"load_{form}", str(ours), True)
    if told != "\n".join(sorted(state, key=lambda path: path.encode("utf-16-be"))):
        return f"the paths that were read are said to be {told!r}"
    if found := difference(model.state_dict(), state):
        return f"after load_{form}, {found}"
    model(f"save_{form}", str(theirs), True)
    found = difference(read(form, theirs), state)
    return found and f"after save_{form}, {found}"


# --- Damage ---------------------------------------------------------------------------------------------------------------


def _truncated(data: bytes, rng: random.Random) -> bytes:
    return data[: rng.randrange(len(data))]


def _other(data: bytes, rng: random.Random) -> bytes:
    return rng.choice(
        (
            b"",
            b"PK\x03\x04",
            b"PK\x05\x06" + bytes(18),
            b"{}",
            b"\0" * 64,
            rng.randbytes(rng.randrange(1, 4000)),
            b"version https://git-lfs\n",
        )
    )


def _overwritten(data: bytes, rng: random.Random) -> bytes:
    """Replace some bytes that are no tensor's: of the archive's directory, of the pickle, or of the header."""
    changed, free = bytearray(data), [at for part in _parts(data) for at in part]
    for _ in range(rng.choice((1, 1, 2, 8))):
        changed[rng.choice(free)] = rng.randrange(256)
    return bytes(changed)


def _parts(data: bytes) -> list[range]:
    """Return the bytes of a file that are no tensor's elements."""
    if not data.startswith(b"PK"):
        return [range(8 + struct.unpack("<Q", data[:8])[0])]
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        begun, parts = 0, []
        for entry in archive.infolist():
            name, extra = struct.unpack_from("<HH", data, entry.header_offset + 26)
            begin = entry.header_offset + 30 + name + extra
            if "/data/" in entry.filename:
                parts.append(range(begun, begin))
                begun = begin + entry.file_size
        return [*parts, range(begun, len(data))]


def _rezipped(data: bytes, change: Callable[[dict[str, bytes]], None]) -> bytes:
    """Return an archive with other entries, its checksums right."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        entries = {name: archive.read(name) for name in archive.namelist()}
    change(entries)
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        for name, content in entries.items():
            archive.writestr(name, content)
    return stream.getvalue()


def _pickle_name(entries: dict[str, bytes]) -> str:
    return next(name for name in entries if name.endswith("data.pkl"))


def _without_an_entry(data: bytes, rng: random.Random) -> bytes:
    def change(entries: dict[str, bytes]) -> None:
        del entries[rng.choice([name for name in entries if "/data" in name])]

    return _rezipped(data, change)


def _with_a_short_entry(data: bytes, rng: random.Random) -> bytes:
    def change(entries: dict[str, bytes]) -> None:
        name = rng.choice([name for name in entries if "/data" in name and entries[name]])
        entries[name] = entries[name][: rng.randrange(len(entries[name]))]

    return _rezipped(data, change)


def _with_another_pickle(data: bytes, rng: random.Random) -> bytes:
    def change(entries: dict[str, bytes]) -> None:
        name = _pickle_name(entries)
        content = bytearray(entries[name])
        for _ in range(rng.choice((1, 2, 5))):
            at = rng.randrange(len(content))
            if rng.random() < 0.7:
                content[at] = rng.randrange(256)
            elif rng.random() < 0.5:
                del content[at : at + rng.randrange(1, 9)]
            else:
                content[at:at] = rng.randbytes(rng.randrange(1, 9))
        entries[name] = bytes(content)

    return _rezipped(data, change)


_HOSTILE: Final = (
    b"\x80\x02cos\nsystem\nX\x04\x00\x00\x00true\x85R.",
    b"\x80\x02]" + b"]a" * 9 + b".",
    b"(" * 200_000 + b".",
    b"\x80\x02" + b"]" * 100_000 + b"a" * 99_999 + b".",
    b"\x80\x02N.",
    b"\x80\x02}X\x01\x00\x00\x00aK\x01s.",
    b"\x80\x02X\xff\xff\xff\x7fa.",
    b"\x80\x04\x95\xff\xff\xff\xff\xff\xff\xff\x7f}.",
    b".",
    b"",
)


def _with_a_hostile_pickle(data: bytes, rng: random.Random) -> bytes:
    def change(entries: dict[str, bytes]) -> None:
        entries[_pickle_name(entries)] = rng.choice(_HOSTILE)

    return _rezipped(data, change)


def _with_another_header(data: bytes, rng: random.Random) -> bytes:
    """Return a safetensors file whose header says something else of one tensor, or is none."""
    length = struct.unpack("<Q", data[:8])[0]
    header = json.loads(data[8 : 8 + length])
    names = [name for name in header if name != "__metadata__"]
    if not names or rng.random() < 0.3:
        wrong = rng.choice((0, 1, length - 1, length + 1, 2**31 - 1, 2**31, 2**63, 2**64 - 1, rng.randrange(length)))
        return struct.pack("<Q", wrong) + data[8:]
    entry = header[rng.choice(names)]
    key, values = rng.choice(
        (
            ("dtype", ("F8_E4M3", "f32", "", None, 7, "F64", "I8", "U8")),
            ("shape", ([-1], [2**40, 2**40], [2**31], None, "3", [1.5], [entry["shape"]], [*entry["shape"], 2])),
            (
                "data_offsets",
                ([0], [], None, [5, 1], [-4, 0], [2**62, 2**62 + 4], [len(data), 2 * len(data)], "0,4", [0.5, 4]),
            ),
        )
    )
    entry[key] = rng.choice(values)
    if rng.random() < 0.2:
        del entry[key]
    text = json.dumps(header).encode()
    return struct.pack("<Q", len(text)) + text + data[8 + length :]


DAMAGE: Final[dict[str, tuple[Callable[[bytes, random.Random], bytes], ...]]] = {
    "py": (
        *(_truncated, _truncated, _other, _overwritten, _without_an_entry, _with_a_short_entry),
        *(_with_another_pickle, _with_another_pickle, _with_a_hostile_pickle),
    ),
    "safetensors": (_truncated, _other, _overwritten, _with_another_header, _with_another_header),
}


def damage(assembly: Path, seed: int, folder: Path) -> tuple[str, str]:
    """Let C# read one damaged file, and return what came of it, with words.

    ``error``: an exception, whose class the words begin with. ``read``: the damage left the file as Python reads it. ``unseen``: it was
    read otherwise. ``wrong``: the exception has no message, or the module has changed although the format is read as a whole.
    """
    rng = random.Random(seed)
    form = FORMATS[seed % 2]
    while not (state := draw_state(rng, form)) or not sum(value.numel() for value in state.values()):
        pass
    path = folder / f"damaged.{form}"
    write(state, form, path, rng)
    kind = rng.choice(DAMAGE[form])
    whole = path.read_bytes()
    path.write_bytes(kind(whole, rng))
    model = make(assembly, state, rng)
    before = {name: value.clone() for name, value in model.state_dict().items()}
    try:
        model(f"load_{form}", str(path), True)
    except Exception as error:
        # load_py reads each tensor into its place, so that those before the damage have been read.
        if form == "safetensors" and (found := difference(model.state_dict(), before)):
            return "wrong", f"{kind.__name__}: after {type(error).__name__}: {error}, {found}"
        if not str(error).strip():
            return "wrong", f"{kind.__name__}: {type(error).__name__} says nothing"
        return (
            "error",
            f"{getattr(error, 'dotnet_type', type(error).__name__)}: {kind.__name__} {str(error).splitlines()[0]}",
        )
    try:
        expected = read(form, path)
    except Exception as error:
        expected = state
        note = f", and Python refuses it: {type(error).__name__}: {str(error).splitlines()[0][:90]}"
    else:
        note = ", as Python reads it otherwise"
    if found := difference(model.state_dict(), expected):
        return "unseen", f"{kind.__name__}: {found}{note}"
    return "read", kind.__name__


def _seeds(first: int) -> Iterator[int]:
    while True:
        yield first
        first += 1


def main(arguments: list[str]) -> int:
    """Print what differed and how many did not; return 1 where something differed."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--states", type=int, default=2000)
    parser.add_argument("--damaged", type=int, default=500)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args(arguments)
    from sdk import NoSdk, Sdk

    wrong = 0
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        try:
            assembly = build(Sdk(), Path.home() / ".nuget" / "packages", folder)
        except (NoSdk, NoPackage) as error:
            raise SystemExit(str(error)) from None
        for seed in range(given.seed, given.seed + given.states):
            try:
                found = exchange(assembly, seed, folder)
            except Exception as error:
                found = f"{type(error).__name__}: {error}"
            if found:
                wrong += 1
                print(f"state {seed}: {found}", flush=True)
        print(f"{given.states} state dictionaries, {wrong} differ", flush=True)
        seen: Counter[str] = Counter()
        for seed in _seeds(given.seed):
            result, text = damage(assembly, seed, folder)
            seen[result] += 1
            if result in ("wrong", "unseen"):
                print(f"file {seed}: {text}", flush=True)
            elif result == "error":
                seen[f"  {text.partition(':')[0]}"] += 1
            if seen["error"] + seen["wrong"] >= given.damaged:
                break
    print(f"{seen['error'] + seen['wrong']} damaged files, {seen['wrong']} wrong")
    print(f"drawn again: {seen['read']} that were readable, {seen['unseen']} that were read otherwise")
    print("\n".join(f"{name}: {number}" for name, number in sorted(seen.items()) if name.startswith("  ")))
    return bool(wrong or seen["wrong"])


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
