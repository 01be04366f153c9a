"""Names that differ: which of the C# model's modules and weights are which of the PyTorch model's."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import torch

from bridge.compare.errors import WeightsError
from bridge.output.sentences import near


@dataclass(frozen=True, slots=True)
class NameMap:
    """Pairs of dotted paths, PyTorch's and C#'s: of modules, with all below them, or of single weights.

    A ``*`` stands for one name, the same on both sides in order: ``layer.*.attention = layers.*.attn``. The longest that fits counts.
    """

    pairs: tuple[tuple[str, str], ...]

    def python_name(self, csharp: str) -> str:
        """PyTorch's path for one of C#'s; the same where no pair is about it."""
        parts = csharp.split(".")
        best: tuple[int, int, str] | None = None
        for python, pattern in self.pairs:
            wanted = pattern.split(".")
            if len(wanted) > len(parts):
                continue
            if not all(one in ("*", part) for one, part in zip(wanted, parts, strict=False)):
                continue
            stars = iter([part for one, part in zip(wanted, parts, strict=False) if one == "*"])
            made = [next(stars) if one == "*" else one for one in python.split(".")]
            rank = (len(wanted), -wanted.count("*"))
            if best is None or rank > best[:2]:
                best = (*rank, ".".join([*made, *parts[len(wanted) :]]))
        return csharp if best is None else best[2]

    def __str__(self) -> str:
        """In the format of a file."""
        return "\n".join(f"{python} = {csharp}" for python, csharp in self.pairs)


def read_map(path: Path) -> NameMap:
    """A file with a line ``PYTORCH = DOTNET`` for each pair; ``#`` begins a comment. Raises WeightsError."""
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise WeightsError(f"--map: {path} cannot be read: {error}") from error
    return NameMap(tuple(_pairs(text, path)))


def _pairs(text: str, path: Path) -> Iterator[tuple[str, str]]:
    seen: dict[str, int] = {}
    for number, line in enumerate(text.splitlines(), 1):
        plain = line.partition("#")[0].strip()
        if not plain:
            continue
        python, equals, csharp = (part.strip() for part in plain.partition("="))
        if not (equals and python and csharp) or python.count("*") != csharp.count("*"):
            raise WeightsError(
                f"--map: {path}, line {number}: '{plain}' is not a pair of names: write PYTORCH = DOTNET, with as many * on either side."
            )
        if csharp in seen:
            raise WeightsError(f"--map: {path}, line {number}: {csharp} is named in line {seen[csharp]} already.")
        seen[csharp] = number
        yield python, csharp


def check(names: NameMap, python: torch.nn.Module, dotnet: torch.nn.Module) -> None:
    """Raises WeightsError for a pair that is about nothing in one of the models."""
    for side, place, model in (("PyTorch", 0, python), ("C#", 1, dotnet)):
        paths = list(_paths(model))
        known = [path.split(".") for path in paths]
        for pair in names.pairs:
            wanted = pair[place].split(".")
            if not any(
                len(one) == len(wanted) and all(a in ("*", b) for a, b in zip(wanted, one, strict=True))
                for one in known
            ):
                raise WeightsError(f"--map: the {side} model has no {pair[place]}.{near(pair[place], paths)}")


def _paths(model: torch.nn.Module) -> Iterator[str]:
    yield from (path for path, _ in model.named_modules(remove_duplicate=False) if path)
    yield from model.state_dict()
    yield from (path for path, _ in model.named_buffers(remove_duplicate=False))


def found(python: torch.nn.Module, dotnet: torch.nn.Module) -> NameMap:
    """Pairs for what has other names, by order, class and shapes: child by child of modules that correspond, then what is left over of
    either tree, leaf by leaf."""
    pairs: list[tuple[str, str]] = []
    matched: tuple[set[torch.nn.Module], set[torch.nn.Module]] = ({python}, {dotnet})
    _children(python, dotnet, "", "", pairs, matched)
    left, right = (
        [(path, one) for path, one in model.named_modules() if one not in done and not one._modules]
        for model, done in zip((python, dotnet), matched, strict=True)
    )
    for path, one in left:
        other = next(
            (entry for entry in right if _alike(one, entry[1]) and type(one).__name__ == type(entry[1]).__name__), None
        )
        if other is not None:
            right.remove(other)
            pairs.append((path, other[0]))
    return NameMap(tuple(pairs))


def _children(
    python: torch.nn.Module,
    dotnet: torch.nn.Module,
    mine: str,
    theirs: str,
    pairs: list[tuple[str, str]],
    matched: tuple[set[torch.nn.Module], set[torch.nn.Module]],
) -> None:
    """The children of two modules that correspond: those of one name, then those alike, in order."""
    left, right = dict(python.named_children()), dict(dotnet.named_children())
    same = [name for name in left if name in right and _alike(left[name], right[name])]
    couples = [(name, name) for name in same]
    rest = [name for name in right if name not in same]
    for by_class in (True, False):
        for name in [name for name in left if name not in (one for one, _ in couples)]:
            for other in rest:
                fits = type(left[name]).__name__ == type(right[other]).__name__ or not (
                    by_class or not _shapes(left[name])
                )
                if fits and _alike(left[name], right[other]):
                    couples.append((name, other))
                    rest.remove(other)
                    break
    for name, other in sorted(couples, key=lambda couple: list(left).index(couple[0])):
        paths = [f"{path}.{one}" if path else one for path, one in ((mine, name), (theirs, other))]
        matched[0].add(left[name])
        matched[1].add(right[other])
        if NameMap(tuple(pairs)).python_name(paths[1]) != paths[0]:
            pairs.append((paths[0], paths[1]))
        _children(left[name], right[other], paths[0], paths[1], pairs, matched)
    pairs += _weights(python, dotnet, mine, theirs)


def _weights(python: torch.nn.Module, dotnet: torch.nn.Module, mine: str, theirs: str) -> Iterable[tuple[str, str]]:
    """Parameters and buffers of the two modules themselves, of other names and one shape, in order."""
    left, right = (_own(module) for module in (python, dotnet))
    rest = [name for name in right if name not in left]
    for name in [name for name in left if name not in right]:
        other = next((one for one in rest if right[one] == left[name]), None)
        if other is not None:
            rest.remove(other)
            yield f"{mine}.{name}" if mine else name, f"{theirs}.{other}" if theirs else other


def _own(module: torch.nn.Module) -> dict[str, torch.Size]:
    both: Mapping[str, torch.Tensor] = {
        **dict(module.named_parameters(recurse=False)),
        **dict(module.named_buffers(recurse=False)),
    }
    return {name: value.shape for name, value in both.items()}


def _shapes(module: torch.nn.Module) -> list[torch.Size]:
    return [value.shape for value in module.state_dict().values() if isinstance(value, torch.Tensor)]


def _alike(a: torch.nn.Module, b: torch.nn.Module) -> bool:
    """The same shapes in any order, as a class may declare its layers in another; a leaf is not like what has children."""
    return bool(a._modules) == bool(b._modules) and sorted(_shapes(a)) == sorted(_shapes(b))
