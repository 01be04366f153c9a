"""The members of TorchSharp that may be written, and how arguments are laid over their parameters."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib import resources
from typing import Any, Final

import torch

_MISSING: Final = object()
#: The C# type of a function of one tensor.
FUNCTION: Final = "Func<Tensor, Tensor>"
#: Parameters that TorchSharp calls otherwise than PyTorch, by PyTorch's name.
_SYNONYMS: Final[dict[str, tuple[str, ...]]] = {
    "infeatures": ("inputsize",),
    "outfeatures": ("outputsize",),
    "bias": ("hasbias",),
    "embeddingdim": ("embeddingdims",),
    "embeddim": ("embeddeddim",),
    "dim": ("dims", "dimensions", "axis", "dimension"),
    "self": ("input", "tensor", "x"),
    "input": ("x", "self", "tensor"),
    "other": ("target", "right", "tensor2", "mat2"),
    "dropoutp": ("p",),
    "iscausal": ("iscasual",),
    "stride": ("strides",),
    "dtype": ("type",),
    "value": ("val",),
    "size": ("sizes", "outputsize", "shape"),
    "repeats": ("sizes",),
    "negativeslope": ("slope",),
}
_DTYPES: Final = {
    torch.float32: "float32", torch.float64: "float64", torch.float16: "float16", torch.bfloat16: "bfloat16",
    torch.int64: "int64", torch.int32: "int32", torch.int16: "int16", torch.int8: "int8", torch.uint8: "uint8",
    torch.bool: "@bool", torch.complex64: "complex64", torch.complex128: "complex128",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Text:
    """A piece of C# and its type; what has a higher ``level`` binds tighter (16: needs no brackets anywhere)."""

    code: str
    type: str
    level: int = 16

    def at(self, level: int) -> str:
        """The code, in brackets where it binds looser than ``level``."""
        return self.code if self.level >= level else f"({self.code})"


@dataclass(frozen=True, slots=True)
class Constant:
    """A value that is known: by its ``name``, a constant of the class, where it has one, else as the parameter's type wants it."""

    value: Any
    name: str = field(default="", compare=False)

    @property
    def named(self) -> Text | None:
        """Its name, as a piece of C#."""
        return Text(self.name, "long" if isinstance(self.value, int) else "double") if self.name else None


@dataclass(frozen=True, slots=True)
class Many:
    """A tuple or list of arguments, one by one."""

    items: tuple[Text | Constant | Many, ...]


@dataclass(frozen=True, slots=True)
class Keyed:
    """Arguments by name: what ``**kwargs`` holds."""

    items: Mapping[str, Text | Constant]


@dataclass(frozen=True, slots=True)
class Lambda:
    """A function of one tensor, as C#: ``x => F.relu(x)``."""

    code: str


Argument = Text | Constant | Many


@dataclass(frozen=True, slots=True)
class Parameter:
    """A parameter of a member; ``spread`` where its elements may stand one by one (``params``)."""

    type: str
    name: str
    default: Any = _MISSING
    spread: bool = False

    @property
    def required(self) -> bool:
        return self.default is _MISSING and not self.spread


@dataclass(frozen=True, slots=True)
class Member:
    """A method: who has it (``torch``, ``nn``, ``functional``, ``Tensor``, ``special``), and what it gives."""

    holder: str
    name: str
    result: str
    parameters: tuple[Parameter, ...]


def overloads(holder: str, name: str) -> tuple[Member, ...]:
    """The members of that name; none where TorchSharp lacks it."""
    return _table().get((holder, name), ())


@cache
def _table() -> dict[tuple[str, str], tuple[Member, ...]]:
    found: dict[tuple[str, str], list[Member]] = {}
    text = resources.files("bridge.port").joinpath("members.tsv").read_text(encoding="utf-8")
    for line in text.splitlines():
        holder, name, result, *parameters = line.split("\t")
        found.setdefault((holder, name), []).append(Member(holder, name, result, tuple(map(_parameter, parameters))))
    return {key: tuple(members) for key, members in found.items()}


def _parameter(text: str) -> Parameter:
    declared, _, default = text.partition(" = ")
    type_, _, name = declared.rpartition(" ")
    spread = type_.startswith("params ")
    return Parameter(type_.removeprefix("params "), name, json.loads(default) if default else _MISSING, spread)


def call(members: Sequence[Member], given: Mapping[str, Argument], order: Sequence[str]) -> tuple[str, Member] | None:
    """The arguments of a call in brackets, and the member that takes them; None where no overload does.

    ``given`` are arguments by PyTorch's names, ``order`` those that stood by position.
    """
    best: tuple[int, str, Member] | None = None
    for member in members:
        laid = _laid(member, given, order)
        if laid is not None and (best is None or laid[0] > best[0]):
            best = (*laid, member)
    return None if best is None else best[1:]


#: What PyTorch has a default for, and TorchSharp none.
_UNSAID: Final = {(name, "value"): "1" for name in ("addcmul", "addcmul_", "addcdiv", "addcdiv_")} | {
    (name, "alpha"): "1" for name in ("index_add", "index_add_")
}


def _plain(name: str) -> str:
    return name.lower().replace("_", "")


def _laid(member: Member, given: Mapping[str, Argument], order: Sequence[str]) -> tuple[int, str] | None:
    places: dict[int, Argument] = {}
    names = [_plain(one.name) for one in member.parameters]
    known = set(map(_plain, order))
    for name, argument in given.items():
        plain = _plain(name)
        at = next((names.index(one) for one in (plain, *_SYNONYMS.get(plain, ())) if one in names), None)
        # By its place, unless what stands there has the name of another of PyTorch's parameters.
        if at is None and name in order and order.index(name) < len(names) and names[order.index(name)] not in known:
            at = order.index(name)
        if at is None or at in places:
            return None
        places[at] = argument
    words: list[str] = []
    score, named = 0, False
    for at, parameter in enumerate(member.parameters):
        if at not in places:
            if (unsaid := _UNSAID.get((member.name, parameter.name))) is not None:
                words.append(unsaid)
                continue
            if parameter.required:
                return None
            named = named or not parameter.spread
            continue
        argument = places[at]
        if isinstance(argument, Constant) and parameter.default is not _MISSING and _equal(argument.value, parameter):
            named = True
            score += 2
            continue
        if parameter.spread and not named and isinstance(argument, (Many, Constant)):
            items = argument.items if isinstance(argument, Many) else _items(argument.value)
            spread = [fit(item, parameter.type.removesuffix("[]")) for item in items] if items is not None else [None]
            if None not in spread:
                words += [word for word in spread if word is not None]
                score += 3
                continue
        several = (
            isinstance(argument, Constant) and isinstance(argument.value, (tuple, list)) and len(argument.value) > 1
        )
        if several and parameter.type in ("long", "long?") and member.holder in ("torch", "Tensor", "special"):
            return None  # only a layer has one number for all dimensions
        word = fit(argument, parameter.type)
        if word is None or (member.name == "split" and parameter.type == "long[]" and _is_number(argument)):
            return None  # a number splits otherwise than a list of one
        score += 3 if not re.search(r"[\[(<]|^int\b", parameter.type) else 2
        named = named or (member.holder == "nn" and not parameter.required)
        words.append(f"{escaped(parameter.name)}: {word}" if named else word)
    return score, ", ".join(words)


def _is_number(argument: Argument) -> bool:
    if isinstance(argument, Constant):
        return isinstance(argument.value, int)
    return isinstance(argument, Text) and argument.type in ("long", "int")


def _items(value: Any) -> tuple[Constant, ...] | None:
    return tuple(map(Constant, value)) if isinstance(value, (tuple, list)) else None


def _equal(value: Any, parameter: Parameter) -> bool:
    default = parameter.default
    if isinstance(value, (tuple, list)):
        return bool(value) and all(one == default and type(one) is type(default) for one in value)
    if isinstance(value, bool) or isinstance(default, bool):
        return value is default
    if isinstance(value, str) and isinstance(default, str):
        return value.lower() == default.lower()
    return bool(value == default)


def escaped(name: str) -> str:
    """A name as it may be written: keywords with an @."""
    return f"@{name}" if name in KEYWORDS else name


KEYWORDS: Final = frozenset(
    [
        "abstract",
        "as",
        "base",
        "bool",
        "break",
        "byte",
        "case",
        "catch",
        "char",
        "checked",
        "class",
        "const",
        "continue",
        "decimal",
        "default",
        "delegate",
        "do",
        "double",
        "else",
        "enum",
        "event",
        "explicit",
        "extern",
        "false",
        "finally",
        "fixed",
        "float",
        "for",
        "foreach",
        "goto",
        "if",
        "implicit",
        "in",
        "int",
        "interface",
        "internal",
        "is",
        "lock",
        "long",
        "namespace",
        "new",
        "null",
        "object",
        "operator",
        "out",
        "override",
        "params",
        "private",
        "protected",
        "public",
        "readonly",
        "ref",
        "return",
        "sbyte",
        "sealed",
        "short",
        "sizeof",
        "stackalloc",
        "static",
        "string",
        "struct",
        "switch",
        "this",
        "throw",
        "true",
        "try",
        "typeof",
        "uint",
        "ulong",
        "unchecked",
        "unsafe",
        "ushort",
        "using",
        "virtual",
        "void",
        "volatile",
        "while",
    ]
)


def fit(argument: Argument, type_: str) -> str | None:
    """An argument as C# text for a parameter of that type; None where it does not fit."""
    if isinstance(argument, Text):
        return _fit_text(argument, type_)
    if isinstance(argument, Many):
        return _fit_many(argument, type_)
    if (named := argument.named) is not None and (word := _fit_text(named, type_)) is not None:
        return word
    return literal(argument.value, type_)


def _fit_text(text: Text, type_: str) -> str | None:
    wanted, have = type_.removesuffix("?"), text.type.removesuffix("?").rpartition(".")[2]
    if have == wanted or (have, wanted) in _CONVERTED or wanted in ("Module<Tensor,Tensor>", "object"):
        return text.code
    if have == "long" and wanted == "long[]":
        return f"new long[] {{ {text.code} }}"
    if have == "long" and wanted == "int":
        return f"(int){text.at(15)}"
    if have == "List<Tensor>" and wanted in ("IList<Tensor>", "IEnumerable<Tensor>"):
        return text.code
    if have == "Tensor[]" and wanted in ("IList<Tensor>", "IEnumerable<Tensor>"):
        return text.code
    if have == "List<Tensor>" and wanted == "Tensor[]":
        return f"{text.at(16)}.ToArray()"
    if wanted == "long[]" and set(have.strip("()").split(", ")) == {"long"} and have.startswith("("):
        items = ", ".join(f"{text.at(16)}.Item{number + 1}" for number in range(have.count(",") + 1))
        return f"new long[] {{ {items} }}"
    if have == "List<long>" and wanted in ("long[]", "ReadOnlySpan<long>", "Size"):
        return f"{text.at(16)}.ToArray()"
    if have == "long[]" and wanted in ("ReadOnlySpan<long>", "Size"):
        return text.code
    if wanted.startswith("("):
        return f"({', '.join([text.code] * (wanted.count(',') + 1))})" if have == "long" else None
    return None


#: Conversions that C# makes by itself.
_CONVERTED: Final = frozenset(
    {("long", "double"), ("long", "Scalar"), ("double", "Scalar"), ("bool", "Scalar"), ("Parameter", "Tensor"),
     ("long", "Tensor"), ("double", "Tensor"), ("Size", "long[]")}
)  # fmt: skip


def _fit_many(many: Many, type_: str) -> str | None:
    wanted = type_.removesuffix("?")
    if wanted.startswith("(") and wanted.endswith(")"):
        types = [one.strip() for one in wanted[1:-1].split(",")]
        words = [fit(item, one) for item, one in zip(many.items, types, strict=False)]
        return f"({', '.join(map(str, words))})" if None not in words and len(types) == len(many.items) else None
    element = next((wanted.removesuffix(end) for end in ("[]",) if wanted.endswith(end)), None)
    if wanted in ("IList<Tensor>", "ReadOnlySpan<Tensor>"):
        return None  # the overload with an array
    if wanted == "IEnumerable<Tensor>":
        words = [fit(item, "Tensor") for item in many.items]
        return f"[{', '.join(map(str, words))}]" if None not in words else None
    if element is None:
        return None
    words = [fit(item, element) for item in many.items]
    if None in words:
        return None
    inner = ", ".join(map(str, words))
    return f"[{inner}]" if element == "Tensor" else f"new {element}[] {{ {inner} }}"


#: Enumerations whose members have the names that PyTorch gives as strings: ``"bilinear"`` is ``Bilinear``.
_ENUMS: Final = frozenset(
    {
        "InterpolationMode",
        "Reduction",
        "Padding",
        "PaddingModes",
        "UpsampleMode",
        "GridSampleMode",
        "GridSamplePaddingMode",
    }
)


def literal(value: Any, type_: str) -> str | None:
    """A known value as C# text of that type; None where it is no value of the type."""
    wanted = type_.removesuffix("?")
    if value is None:
        return "null" if type_ not in ("long", "int", "double", "bool") else None
    if isinstance(value, Lambda):
        return value.code if wanted == FUNCTION else None
    if isinstance(value, bool):
        return str(value).lower() if wanted in ("bool", "Scalar", "object") else None
    if isinstance(value, int):
        if wanted in ("long", "int", "Scalar", "Tensor", "double", "float", "object"):
            return str(value) if -(2**31) <= value < 2**31 else f"{value}L"
        if wanted == "long[]":
            return f"new long[] {{ {value} }}"
        return f"({', '.join([str(value)] * (wanted.count(',') + 1))})" if wanted.startswith("(long") else None
    if isinstance(value, float):
        if wanted == "float":
            return f"{number(value)}f"
        return number(value) if wanted in ("double", "Scalar", "Tensor", "object") else None
    if isinstance(value, str):
        if wanted == "RoundingMode":
            return f"RoundingMode.{value}"
        if wanted in _ENUMS:
            return f"{wanted}.{value.title().replace('-', '')}"
        return json.dumps(value, ensure_ascii=False) if wanted in ("string", "object") else None
    if isinstance(value, torch.dtype):
        return f"torch.{_DTYPES[value]}" if wanted == "ScalarType" and value in _DTYPES else None
    if isinstance(value, (tuple, list)):
        if value and all(isinstance(one, int) and one == value[0] for one in value) and wanted in ("long",):
            return literal(value[0], "long")
        return _fit_many(Many(tuple(map(Constant, value))), type_)
    return None


def number(value: float) -> str:
    """A double as C# writes it."""
    if math.isnan(value):
        return "double.NaN"
    if math.isinf(value):
        return "double.PositiveInfinity" if value > 0 else "double.NegativeInfinity"
    return repr(value)
