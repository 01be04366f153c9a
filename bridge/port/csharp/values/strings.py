"""Methods of strings."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from bridge.port.csharp import tree
from bridge.port.csharp.building import call, path, refused, static
from bridge.port.csharp.emission import Emission
from bridge.port.csharp.types import LONG
from bridge.port.csharp.values.containers import walked
from bridge.port.csharp.values.formats import lower_str_format
from bridge.port.ir import nodes as ir
from bridge.port.ir.types import STR
from hook_contract.output.sentences import plural

_ORDINAL: Final = path("StringComparison.Ordinal")


def lower_method(emission: Emission, node: ir.ContainerCall) -> tree.Expression:
    """Return a call of a method of a string."""
    if node.name == "format":
        return lower_str_format(emission, node)
    method = _METHODS.get((node.name, len(node.arguments)))
    if method is None or node.keywords:
        raise refused(node, f"a call of str.{node.name} with {plural(len(node.arguments), 'argument')}")
    return method(emission, node)


def _plain(name: str) -> Callable[[Emission, ir.ContainerCall], tree.Expression]:
    def lower(emission: Emission, node: ir.ContainerCall) -> tree.Expression:
        return call(emission.expression(node.value), name, *emission.expressions(node.arguments))

    return lower


def _ordinal(name: str) -> Callable[[Emission, ir.ContainerCall], tree.Expression]:
    """Return the lowering to a method with ordinal comparison, since by default it compares by the rules of the culture."""

    def lower(emission: Emission, node: ir.ContainerCall) -> tree.Expression:
        (given,) = node.arguments
        if given.type != STR:
            raise refused(node, f"a call of str.{node.name} with a {given.type}")
        return call(emission.expression(node.value), name, emission.expression(given), _ORDINAL)

    return lower


def _trimmed(name: str) -> Callable[[Emission, ir.ContainerCall], tree.Expression]:
    def lower(emission: Emission, node: ir.ContainerCall) -> tree.Expression:
        letters = call(emission.expression(node.arguments[0]), "ToCharArray")
        return call(emission.expression(node.value), name, letters)

    return lower


def _join(emission: Emission, node: ir.ContainerCall) -> tree.Expression:
    (parts,) = node.arguments
    return static("string.Join", emission.expression(node.value), walked(emission, parts))


def _split(emission: Emission, node: ir.ContainerCall) -> tree.Expression:
    made = call(emission.expression(node.value), "Split", *emission.expressions(node.arguments))
    return call(made, "ToList")


def _split_at_spaces(emission: Emission, node: ir.ContainerCall) -> tree.Expression:
    letters = tree.Cast(tree.ArrayType("[]", (tree.Type("char"),), nullable=True), tree.Literal(None))
    made = call(emission.expression(node.value), "Split", letters, path("StringSplitOptions.RemoveEmptyEntries"))
    return call(made, "ToList")


def _split_few(emission: Emission, node: ir.ContainerCall) -> tree.Expression:
    separator, most = node.arguments
    if not isinstance(most, ir.Literal) or most.value < 0:
        raise refused(node, "a split with a limit that is no literal")
    made = call(emission.expression(node.value), "Split", emission.expression(separator), tree.Literal(most.value + 1))
    return call(made, "ToList")


def _find(emission: Emission, node: ir.ContainerCall) -> tree.Expression:
    return tree.Cast(LONG, _ordinal("IndexOf")(emission, node))


_METHODS: Final[dict[tuple[str, int], Callable[[Emission, ir.ContainerCall], tree.Expression]]] = {
    ("lower", 0): _plain("ToLowerInvariant"),
    ("upper", 0): _plain("ToUpperInvariant"),
    ("strip", 0): _plain("Trim"),
    ("lstrip", 0): _plain("TrimStart"),
    ("rstrip", 0): _plain("TrimEnd"),
    ("strip", 1): _trimmed("Trim"),
    ("lstrip", 1): _trimmed("TrimStart"),
    ("rstrip", 1): _trimmed("TrimEnd"),
    ("replace", 2): _plain("Replace"),
    ("startswith", 1): _ordinal("StartsWith"),
    ("endswith", 1): _ordinal("EndsWith"),
    ("join", 1): _join,
    ("split", 0): _split_at_spaces,
    ("split", 1): _split,
    ("split", 2): _split_few,
    ("find", 1): _find,
}
