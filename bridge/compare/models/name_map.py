"""The map from the names of a C# model's modules and weights to PyTorch's names."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import torch

from bridge.compare.errors import WeightsError
from hook_contract.output.sentences import suggest


@dataclass(frozen=True, slots=True)
class NameMap:
    """Pairs of dotted paths: PyTorch's path and C#'s path.

    A path names a module with everything below it, or one weight. Each ``*`` matches one name, the same in both paths:
    ``layer.*.attention = layers.*.attn``. If several pairs match a C# path, the pair whose C# path has the most names applies; of several
    such pairs, the pair with the fewest ``*``.
    """

    pairs: tuple[tuple[str, str], ...]

    def python_name(self, csharp: str) -> str:
        """Return PyTorch's path for a C# path; the C# path itself if no pair matches."""
        parts = csharp.split(".")
        best: tuple[int, int, str] | None = None
        for python, pattern in self.pairs:
            wanted = pattern.split(".")
            if len(wanted) > len(parts):
                continue
            if not all(name in ("*", part) for name, part in zip(wanted, parts, strict=False)):
                continue
            stars = iter([part for name, part in zip(wanted, parts, strict=False) if name == "*"])
            names = [next(stars) if name == "*" else name for name in python.split(".")]
            rank = (len(wanted), -wanted.count("*"))
            if best is None or rank > best[:2]:
                best = (*rank, ".".join([*names, *parts[len(wanted) :]]))
        return csharp if best is None else best[2]

    def __str__(self) -> str:
        """Format the pairs as the lines of a file."""
        return "\n".join(f"{python} = {csharp}" for python, csharp in self.pairs)


def read_map(path: Path) -> NameMap:
    """Read a file with a line ``PYTORCH = DOTNET`` for each pair; ``#`` begins a comment. Raises WeightsError."""
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise WeightsError(f"--map: {path} cannot be read: {error}") from error
    return NameMap(tuple(_parse_pairs(text, path)))


def _parse_pairs(text: str, path: Path) -> Iterator[tuple[str, str]]:
    seen: dict[str, int] = {}
    for number, line in enumerate(text.splitlines(), 1):
        plain = line.partition("#")[0].strip()
        if not plain:
            continue
        python, equals, csharp = (part.strip() for part in plain.partition("="))
        if not (equals and python and csharp) or python.count("*") != csharp.count("*"):
            raise WeightsError(
                f"--map: {path}, line {number}: '{plain}' is not a pair of names: write PYTORCH = DOTNET, "
                "with the same number of * on both sides."
            )
        if csharp in seen:
            raise WeightsError(f"--map: {path}, line {number}: {csharp} is named in line {seen[csharp]} already.")
        seen[csharp] = number
        yield python, csharp


def check(names: NameMap, python: torch.nn.Module, dotnet: torch.nn.Module) -> None:
    """Raise WeightsError for a pair that matches nothing in one of the models."""
    for side, place, model in (("PyTorch", 0, python), ("C#", 1, dotnet)):
        paths = list(_paths(model))
        known = [path.split(".") for path in paths]
        for pair in names.pairs:
            wanted = pair[place].split(".")
            if not any(
                len(parts) == len(wanted) and all(a in ("*", b) for a, b in zip(wanted, parts, strict=True))
                for parts in known
            ):
                raise WeightsError(f"--map: the {side} model has no {pair[place]}.{suggest(pair[place], paths)}")


def _paths(model: torch.nn.Module) -> Iterator[str]:
    yield from (path for path, _ in model.named_modules(remove_duplicate=False) if path)
    yield from model.state_dict()
    yield from (path for path, _ in model.named_buffers(remove_duplicate=False))


def match(python: torch.nn.Module, dotnet: torch.nn.Module) -> NameMap:
    """Pair, by order, class and shapes, the modules and weights that have different names in the two models.

    The children of corresponding modules are paired first, then the remaining modules without children.
    """
    matcher = _Matcher({python}, {dotnet})
    matcher.match(python, dotnet, "", "")
    left, right = (
        [(path, module) for path, module in model.named_modules() if module not in done and not module._modules]
        for model, done in ((python, matcher.python), (dotnet, matcher.dotnet))
    )
    for path, module in left:
        partner = next(
            (entry for entry in right if _have_same_class(module, entry[1]) and _have_same_shapes(module, entry[1])),
            None,
        )
        if partner is not None:
            right.remove(partner)
            matcher.pairs.append((path, partner[0]))
    return NameMap(tuple(matcher.pairs))


@dataclass(slots=True)
class _Matcher:
    """A matcher of two models.

    ``python`` are PyTorch's modules that have a partner, ``dotnet`` are C#'s. ``pairs`` are the pairs of paths for a :class:`NameMap`.
    """

    python: set[torch.nn.Module]
    dotnet: set[torch.nn.Module]
    pairs: list[tuple[str, str]] = field(default_factory=list)

    def match(self, python: torch.nn.Module, dotnet: torch.nn.Module, path: str, other_path: str) -> None:
        """Pair the children and the weights of two corresponding modules, and do the same for each pair of children."""
        left, right = dict(python.named_children()), dict(dotnet.named_children())
        for name, other in _pair_children(left, right):
            self.python.add(left[name])
            self.dotnet.add(right[other])
            child, other_child = join_path(path, name), join_path(other_path, other)
            if NameMap(tuple(self.pairs)).python_name(other_child) != child:
                self.pairs.append((child, other_child))
            self.match(left[name], right[other], child, other_child)
        for name, other in _pair_weights(python, dotnet):
            self.pairs.append((join_path(path, name), join_path(other_path, other)))


def _pair_children(left: Mapping[str, torch.nn.Module], right: Mapping[str, torch.nn.Module]) -> list[tuple[str, str]]:
    """Pair children whose weights have equal shapes.

    Children of equal names are paired first, then children of equal classes, then the rest, in each step in order. Children without
    weights are paired only if their names or classes are equal.
    """
    partners = {name: name for name in left if name in right and _have_same_shapes(left[name], right[name])}
    rest = [name for name in right if name not in partners]
    for by_class in (True, False):
        for name in [name for name in left if name not in partners]:
            for other in rest:
                by_shape = not by_class and bool(_all_shapes(left[name]))
                if (by_shape or _have_same_class(left[name], right[other])) and _have_same_shapes(
                    left[name], right[other]
                ):
                    partners[name] = other
                    rest.remove(other)
                    break
    return [(name, partners[name]) for name in left if name in partners]


def join_path(prefix: str, name: str) -> str:
    """Join two dotted paths, each of which may be empty."""
    return f"{prefix}.{name}" if prefix and name else prefix or name


def _have_same_class(a: torch.nn.Module, b: torch.nn.Module) -> bool:
    return type(a).__name__ == type(b).__name__


def _pair_weights(python: torch.nn.Module, dotnet: torch.nn.Module) -> Iterator[tuple[str, str]]:
    """Pair, in order, parameters and buffers that have different names and equal shapes in the two modules."""
    left, right = (_own_shapes(module) for module in (python, dotnet))
    rest = [name for name in right if name not in left]
    for name in [name for name in left if name not in right]:
        partner = next((other for other in rest if right[other] == left[name]), None)
        if partner is not None:
            rest.remove(partner)
            yield name, partner


def _own_shapes(module: torch.nn.Module) -> dict[str, torch.Size]:
    both: Mapping[str, torch.Tensor] = {
        **dict(module.named_parameters(recurse=False)),
        **dict(module.named_buffers(recurse=False)),
    }
    return {name: value.shape for name, value in both.items()}


def _all_shapes(module: torch.nn.Module) -> list[torch.Size]:
    return [value.shape for value in module.state_dict().values() if isinstance(value, torch.Tensor)]


def _have_same_shapes(a: torch.nn.Module, b: torch.nn.Module) -> bool:
    """Return whether two modules have weights of the same shapes, in any order, and both or neither of them have children."""
    return bool(a._modules) == bool(b._modules) and sorted(_all_shapes(a)) == sorted(_all_shapes(b))
