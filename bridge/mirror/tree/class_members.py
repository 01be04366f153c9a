"""The members of the Python class for a C# module class: fields, properties, documentation, ``extra_repr`` and ``forward``."""

from __future__ import annotations

import contextlib
import inspect
import keyword
from collections.abc import Callable, Sequence
from functools import cache
from inspect import Parameter, Signature
from pathlib import Path
from types import FunctionType
from typing import Any, Final
from xml.etree import ElementTree

import torch

from bridge.errors import BridgeError
from bridge.mirror.crossing import conversion

_TYPES: Final[dict[str, Any]] = {
    "Tensor": torch.Tensor,
    "bool": bool,
    "int": int,
    "float": float,
    "str": str,
    "None": None,
}


class Member(property):
    """A Python property for a field or property of the C# class; ``writable`` tells whether it can be set."""

    writable = False


def members(node: dict[str, Any], bases: tuple[type, ...], forward: Callable[..., Any]) -> dict[str, Any]:
    """Return the namespace of the Python class for a C# module class, from .NET's description of a module.

    If the module can be called and .NET describes the types of its ``forward``, the class gets a copy of ``forward``.
    """
    file, id, forward_file, forward_id = node["documented"] or (None, None, None, None)
    documentation = _documentation(file, id) or f"The .NET module {node['full']}."
    made: dict[str, Any] = {"__doc__": documentation + _constructors(node, file)}
    shown = []
    for name, _, writable, member, is_shown in node["members"]:
        # Attributes of the bases, such as ``training``, are not overridden.
        if not any(hasattr(base, name) for base in bases) and not name.startswith("_"):
            made[name] = _property(name, node["type"], writable, _documentation(file, member))
            shown += [name] if is_shown else []
    if shown and all(getattr(base, "extra_repr", None) is torch.nn.Module.extra_repr for base in bases):
        made["extra_repr"] = representation(shown)
    if node["callable"] and node["types"]:
        made["forward"] = _forward(
            forward, signature(node), _documentation(forward_file, forward_id), node["declarations"]
        )
    return made


def representation(names: Sequence[str]) -> Callable[[Any], str]:
    """Return a method ``extra_repr`` that shows the attributes ``names``, except those that are None."""

    def extra_repr(self: Any) -> str:
        # A forked child cannot ask .NET.
        with contextlib.suppress(BridgeError):
            values = ((name, getattr(self, name)) for name in names)
            return ", ".join(f"{name}={value!r}" for name, value in values if value is not None)
        return ""

    return extra_repr


def _constructors(node: dict[str, Any], file: str | None) -> str:
    """Return a paragraph with the constructors of a class, which :func:`bridge.load` calls; "" if there is none."""
    if not node["constructors"]:
        return ""
    name = Path(file).name if file else "Models.dll"
    listed = "".join(f"\n    {text}" for text in node["constructors"])
    return f'\n\nbridge.load("{name}", "{node["full"].replace("+", ".")}", …) calls a C# constructor:{listed}'


def _property(name: str, owner: str, writable: bool, documentation: str | None) -> Member:
    def get(mirror: Any) -> Any:
        link = mirror._link
        return link.runtime.exports.get_member(link.id, name)

    def set(mirror: Any, value: Any) -> None:
        if not writable:
            raise AttributeError(f"C# declares '{name}' of {owner} as read-only")
        link = mirror._link
        try:
            link.runtime.exports.set_member(link.id, name, value)
        except TypeError as error:
            conversion.add_parameter_name(error, owner, [(name, False)], (value,))
            raise

    def delete(mirror: Any) -> None:
        raise AttributeError(f"C# declares '{name}' of {owner}, so it cannot be deleted")

    made = Member(get, set, delete, documentation)
    made.writable, made.__doc__ = writable, documentation
    return made


def _forward(
    function: Callable[..., Any], signature: Signature | None, documentation: str | None, overloads: Sequence[str]
) -> Callable[..., Any]:
    """Return a copy of ``function`` with another signature and documentation."""
    assert isinstance(function, FunctionType)
    made = FunctionType(function.__code__, function.__globals__, "forward", function.__defaults__, function.__closure__)
    made.__kwdefaults__, made.__qualname__, made.__module__ = (
        function.__kwdefaults__,
        function.__qualname__,
        function.__module__,
    )
    listed = "".join(f"\n    {text}" for text in overloads)
    made.__doc__ = (documentation or inspect.cleandoc(function.__doc__ or "")) + (
        f"\n\nOverloads in C#:{listed}" if listed else ""
    )
    if signature is not None:
        made.__signature__ = signature  # type: ignore[attr-defined]  # inspect looks for it
    return made


def signature(node: dict[str, Any]) -> Signature | None:
    """Return the signature of ``forward`` from .NET's description, with ``...`` for defaults that Python cannot express.

    Returns None if Python cannot express the signature, for instance if a parameter's name is a Python keyword.
    """
    *types, result = map(_annotation, node["types"])
    if len(types) != len(node["arguments"]) or any(keyword.iskeyword(name) for name, *_ in node["arguments"]):
        return None
    kind = Parameter.POSITIONAL_OR_KEYWORD
    parameters = [Parameter("self", kind)]
    for (name, optional, *default), annotation in zip(node["arguments"], types, strict=True):
        given = (default[0] if default else ...) if optional else Parameter.empty
        parameters.append(Parameter(name, kind, default=given, annotation=annotation))
    return Signature(parameters, return_annotation=result)


def _annotation(text: Any) -> Any:
    if isinstance(text, str):
        return _TYPES.get(text, Any)
    kind, *inner = text
    if kind == "class":
        return _own_class(*inner)
    types = tuple(map(_annotation, inner))
    if kind == "optional":
        return types[0] | None if types[0] is not Any else Any
    if kind == "dict":
        return dict[str, types[0]]  # type: ignore[valid-type]  # the type is known at run time only
    return list[types[0]] if kind == "list" else tuple[types]  # type: ignore[valid-type]  # known at run time only


@cache
def _own_class(namespace: str, name: str) -> type:
    """Return a class that stands for a C# class in signatures."""
    made = type(name, (), {"__module__": namespace or "builtins", "__doc__": f"The C# class {name}."})
    made.__qualname__ = name
    return made


def _documentation(file: str | None, id: str | None) -> str | None:
    """Return the documentation of a member from the XML file next to its assembly; None if there is none.

    ``id`` is the member's id in the file, or, if it ends with ``(``, the beginning of a method's id.
    """
    if file is None or id is None:
        return None
    xml = Path(file).with_suffix(".xml")
    try:
        stat = xml.stat()
    except OSError:
        return None
    texts = _read(xml, stat.st_mtime_ns, stat.st_size)
    if not id.endswith("("):
        return texts.get(id)
    return next((text for name, text in texts.items() if name.startswith(id)), None)


@cache
def _read(file: Path, modified: int, size: int) -> dict[str, str]:
    """Return the documentation in an XML file by member id; {} if the file is damaged. ``modified`` and ``size`` are keys of the cache."""
    try:
        tree = ElementTree.parse(file)
    except (ElementTree.ParseError, OSError, UnicodeError):
        return {}
    return {member.get("name", ""): text for member in tree.iter("member") if (text := _docstring(member))}


def _docstring(member: ElementTree.Element) -> str:
    parts = [_text_of(found) for name in ("summary", "remarks") if (found := member.find(name)) is not None]
    arguments = [f"    {item.get('name')}: {_text_of(item)}" for item in member.findall("param") if _text_of(item)]
    if arguments:
        parts.append("\n".join(["Args:", *arguments]))
    if (result := member.find("returns")) is not None:
        parts.append(f"Returns:\n    {_text_of(result)}")
    exceptions = [f"    {_simple_name(item.get('cref', ''))}: {_text_of(item)}" for item in member.findall("exception")]
    if exceptions:
        parts.append("\n".join(["Raises:", *exceptions]))
    return "\n\n".join(part for part in parts if part)


def _text_of(element: ElementTree.Element) -> str:
    """Return the text of an element on one line. A reference (``<see cref=…/>``) becomes the name in it."""
    return " ".join("".join(_pieces(element)).split())


def _pieces(element: ElementTree.Element) -> Sequence[str]:
    pieces = [element.text or ""]
    for inner in element:
        named = inner.get("name") or inner.get("langword") or _simple_name(inner.get("cref") or "")
        pieces += [*(_pieces(inner) if len(inner) or inner.text else [named]), inner.tail or ""]
    return pieces


def _simple_name(cref: str) -> str:
    return cref.partition("(")[0].rpartition(".")[2].rpartition(":")[2]
