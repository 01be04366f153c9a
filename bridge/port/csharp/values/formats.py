"""Text of values as Python writes it: f-strings, ``str``, ``%`` and ``str.format``."""

from __future__ import annotations

import re
from string import Formatter
from typing import Final

from bridge.port.csharp import tree
from bridge.port.csharp.building import call, is_plain, refused
from bridge.port.csharp.emission import Emission
from bridge.port.csharp.literals import as_double
from bridge.port.ir import nodes as ir
from bridge.port.ir import types
from bridge.port.ir.integers import may_be_int
from bridge.port.ir.types import BOOL, FLOAT, INT, SIZES, STR, TENSOR

_FORMAT: Final = re.compile(
    r"(?:(?P<fill>.)?(?P<align>[<>]))?(?P<zero>0)?(?P<width>\d+)?(?:\.(?P<digits>\d+))?(?P<kind>[dfsx%])?"
)
#: A conversion of the ``%`` operator.
_PERCENT: Final = re.compile(r"%(?:(?P<percent>%)|(?P<format>(?:-?\d+)?(?:\.\d+)?)(?P<kind>[dfsi]))")


def lower_format(emission: Emission, node: ir.Format) -> tree.Expression:
    """Return an f-string as an interpolated string."""
    parts: list[str | tuple[tree.Expression, str]] = []
    for part, form in zip(node.parts, node.formats, strict=True):
        if isinstance(part, ir.Literal) and part.type == STR and not form and not part.name:
            parts.append(part.value)
            continue
        made = _formatted(emission, part, form)
        parts += made.parts if isinstance(made, tree.Interpolated) else [(made, "")]
    if all(isinstance(one, str) for one in parts):
        return tree.Literal("".join(map(str, parts)))
    return tree.Interpolated(tuple(parts))


def text_of(emission: Emission, node: ir.Expression) -> tree.Expression:
    """Return ``str(value)``."""
    if node.type == STR:
        return emission.expression(node)
    if isinstance(node, ir.Literal) and isinstance(node.value, (bool, int, float)) and not node.name:
        return tree.Literal(str(node.value))
    return _helped(emission, node, "Str")


def representation_of(emission: Emission, node: ir.Expression) -> tree.Expression:
    """Return ``repr(value)``."""
    return _helped(emission, node, "Repr")


def _helped(emission: Emission, node: ir.Expression, name: str) -> tree.Expression:
    """Return the text of a value by a helper. Raises Untranslatable if values of the type have another text in C#."""
    if may_be_int(node, emission.integers):
        raise refused(node, f"the text of a {node.type} that may be or hold an int in Python, such as 3 and not 3.0")
    if node.type == SIZES and _is_shape(node):
        return tree.Interpolated(("torch.Size([", (_joined(emission, node), ""), "])"))
    if node.type != TENSOR and not _has_text(node.type):
        raise refused(node, f"the text of a {node.type}")
    return emission.helper(name, emission.expression(node))


def _is_shape(node: ir.Expression) -> bool:
    """Return whether an expression gives a ``torch.Size``, not a tuple of ints."""
    if isinstance(node, ir.Slice):
        return _is_shape(node.value)
    return (isinstance(node, ir.Property) and node.name == "shape") or isinstance(node, ir.TorchCall)


def _joined(emission: Emission, node: ir.Expression) -> tree.Expression:
    arguments = (tree.Literal(", "), emission.expression(node))
    return call(tree.Name("string"), "Join", *arguments)


def _has_text(found: types.Type) -> bool:
    if isinstance(found, types.OptionalOf):
        return _has_text(found.inner)
    if isinstance(found, types.TupleOf):
        return len(found.items) > 1 and not found.names and all(map(_has_text, found.items))
    if isinstance(found, types.ListOf):
        return _has_text(found.element)
    if isinstance(found, types.DictOf):
        return _has_text(found.key) and _has_text(found.value)
    return found in (INT, FLOAT, BOOL, STR, SIZES, types.NONE, types.DTYPE)


def _formatted(emission: Emission, node: ir.Expression, form: str) -> tree.Expression:
    """Return a value for an interpolated string, with the format ``form``."""
    if not form:
        plain = node.type in (INT, BOOL, STR, TENSOR, types.DEVICE)
        return emission.expression(node) if plain else text_of(emission, node)
    found = _FORMAT.fullmatch(form)
    if found is None or node.type not in (INT, FLOAT, STR):
        raise refused(node, f"a {node.type} with the format '{form}'")
    return _padded(emission, node, found)


def _padded(emission: Emission, node: ir.Expression, found: re.Match[str]) -> tree.Expression:
    kind, digits, is_text = found["kind"], found["digits"], node.type == STR
    if (kind == "s") != is_text and kind is not None:
        raise refused(node, f"a {node.type} with the format '{found.group()}'")
    if (kind in ("d", "x") and node.type != INT) or (digits and (kind not in ("f", "%") or is_text)):
        raise refused(node, f"a {node.type} with the format '{found.group()}'")
    if kind in ("f", "%"):
        value = as_double(emission, node)
        count = tree.Literal(int(digits or 6))
        made: tree.Expression = emission.helper("Percent" if kind == "%" else "Fixed", value, count)
    elif kind == "x":
        made = emission.helper("Hexadecimal", emission.expression(node))
    elif node.type == INT and not found["width"]:
        return emission.expression(node)
    else:
        made = text_of(emission, node)
    if not found["width"]:
        return made
    width = tree.Literal(int(found["width"]))
    if found["zero"] and not found["align"]:
        if is_text:
            raise refused(node, f"a string with the format '{found.group()}'")
        return emission.helper("PadZeros", made, width)
    left = found["align"] == "<" or (is_text and not found["align"])
    fill = found["fill"] or ("0" if found["zero"] else " ")
    arguments = (width,) if fill == " " else (width, tree.Index(tree.Literal(fill), (tree.Argument(tree.Literal(0)),)))
    return call(made, "PadRight" if left else "PadLeft", *arguments)


# -- ``%`` and ``str.format`` ----------------------------------------------------------------------------------------------


def lower_percent(emission: Emission, node: ir.Binary) -> tree.Expression:
    """Return ``"…" % values``."""
    if not isinstance(node.left, ir.Literal):
        raise refused(node, "'%' of a string that is no literal")
    values: list[ir.Expression] = [node.right]
    if isinstance(node.right.type, types.TupleOf) or node.right.type == SIZES:
        if not isinstance(node.right, ir.TupleLiteral) or any(isinstance(one, ir.Spread) for one in node.right.items):
            raise refused(node, "'%' with a tuple that is no literal")
        values = [one for one in node.right.items if isinstance(one, ir.Expression)]
    parts: list[ir.Expression] = []
    formats: list[str] = []
    text, end = node.left.value, 0
    for found in _PERCENT.finditer(text):
        parts.append(_text(text[end : found.start()] + ("%" if found["percent"] else "")))
        formats.append("")
        end = found.end()
        if not found["percent"]:
            if not values:
                raise refused(node, f"'{text}' % with too few values")
            parts.append(_as_asked(node, values.pop(0), found["kind"]))
            formats.append(_form(found, parts[-1].type))
    if values or "%" in _PERCENT.sub("", text):
        raise refused(node, f"the format '{text}'")
    parts.append(_text(text[end:]))
    return lower_format(emission, ir.Format(tuple(parts), (*formats, ""), type=STR, origin=node.origin))


def _text(value: str) -> ir.Literal:
    return ir.Literal(value, type=STR)


def _as_asked(node: ir.Binary, value: ir.Expression, kind: str) -> ir.Expression:
    if kind in "di" and value.type == FLOAT:
        return ir.BuiltinCall("int", (value,), type=INT, origin=node.origin)
    if (kind in "di" and value.type != INT) or (kind == "f" and value.type not in (INT, FLOAT)):
        raise refused(node, f"a {value.type} as %{kind}")
    return value


def _form(found: re.Match[str], kind: types.Type) -> str:
    """Return the format of an f-string for a conversion of ``%``, which aligns strings to the right, not to the left."""
    form = found["format"]
    width = form.split(".")[0]
    if width.startswith("-"):
        form = "<" + form[1:]
    elif width and not width.startswith("0"):
        form = ">" + form
    suffix = "f" if found["kind"] == "f" else ""
    return f"{form}{suffix}" if form or suffix else ""


def lower_str_format(emission: Emission, node: ir.ContainerCall) -> tree.Expression:
    """Return ``"…".format(…)``."""
    if not isinstance(node.value, ir.Literal):
        raise refused(node, "the format of a string that is no literal")
    named = {one.name: one.value for one in node.keywords}
    parts: list[ir.Expression] = []
    formats: list[str] = []
    used: list[str] = []
    for text, field, form, conversion in Formatter().parse(node.value.value):
        if text:
            parts.append(_text(text))
            formats.append("")
        if field is None:
            continue
        name = field or str(len(used))
        used.append(name)
        value = named.get(name) if not name.isdigit() else (node.arguments[int(name) : int(name) + 1] or (None,))[0]
        if value is None or conversion not in (None, "s") or "{" in (form or ""):
            raise refused(node, f"the format '{node.value.value}'")
        parts.append(value)
        formats.append(form or "")
    in_order = used == [*map(str, range(len(node.arguments))), *named]
    if not in_order and not all(map(is_plain, (*node.arguments, *named.values()))):
        raise refused(node, "a format that takes computed values in another order")
    return lower_format(emission, ir.Format(tuple(parts), tuple(formats), type=STR, origin=node.origin))
