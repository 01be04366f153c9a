"""Issue 43, section 1: no node of IR or of C# holds source text, in the trees of all models that the tests compile."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterator
from typing import Any, Final

import pytest
import torch

from bridge.compare.io.inputs import Inputs
from bridge.port import passes
from bridge.port.csharp import printer, tree
from bridge.port.forwards.constructors import constructors
from bridge.port.ir import nodes as ir
from bridge.port.observe.models.construction import construct
from bridge.port.porting import write
from tests.port.compiled import MODELS

_WORD: Final = r"[^\W\d]\w*"
#: A variable of Python's, until the naming pass with the version by which its types are told apart.
NAME: Final = rf"{_WORD}([#.]\w+)*"
#: Names of C#, with their namespaces; none where a name is left out.
PATH: Final = rf"({_WORD}(\.{_WORD})*)?"
ARITHMETIC: Final = {"+", "-", "*", "/", "//", "%", "**", "@", "&", "|", "^", "<<", ">>", "~"}
COMPARISONS: Final = {"<", "<=", ">", ">=", "==", "!="}
#: What a node may say in text: names by a pattern, operators and modifiers by a closed set. None: a value, or prose for people.
TEXTS: Final[dict[tuple[type, str], str | set[str] | None]] = {
    (ir.Literal, "value"): None,
    (ir.Literal, "name"): NAME + "|",
    **{
        (kind, "name"): NAME
        for kind in (
            ir.Local, ir.Field, ir.Property, ir.Bind, ir.Argument, ir.BuiltinCall, ir.ContainerCall, ir.LocalTarget, ir.Declare,
            ir.CountingLoop, ir.NestedFunction, ir.RegisterBuffer, ir.Parameter, ir.Function, ir.FieldDefinition, ir.Method,
            ir.Class, ir.Tie,
        )
    },
    (ir.TorchCall, "parameters"): NAME,
    (ir.Lambda, "parameters"): NAME,
    (ir.Modules, "entries"): r"\w+",
    (ir.Freeze, "names"): NAME,
    (ir.Freeze, "paths"): r"\w+(\.\w+)*\.?",
    (ir.Raise, "kind"): PATH,
    (ir.GradientMode, "mode"): PATH,
    (ir.Unary, "operator"): ARITHMETIC,
    (ir.Binary, "operator"): ARITHMETIC,
    (ir.Augment, "operator"): ARITHMETIC,
    (ir.Compare, "operator"): COMPARISONS | {"is", "is-not", "in", "not-in"},
    (ir.Logical, "operator"): {"and", "or"},
    (ir.Format, "formats"): r"(.?[<>=^])?[-+ ]?#?0?\d*[,_]?(\.\d+)?[a-zA-Z%]?",
    (ir.FieldDefinition, "role"): {"module", "parameter", "buffer", "setting", "constant", "state"},
    (ir.Method, "access"): {"override", "internal", "private"},
    **{(kind, "doc"): None for kind in (ir.Function, ir.Class)},
    (ir.Method, "comments"): None,
    (ir.Note, "text"): None,
    (ir.Note, "omits"): None,
    (ir.Unsupported, "why"): None,
    (ir.UnsupportedValue, "why"): None,
    (tree.Literal, "value"): None,
    (tree.Literal, "suffix"): {"", "L", "f"},
    (tree.Interpolated, "parts"): None,
    **{
        (kind, "name"): PATH
        for kind in (
            tree.Type, tree.TupleType, tree.Name, tree.Member, tree.Argument, tree.DeclarationPattern, tree.DeclaredName,
            tree.Declare, tree.Using, tree.Parameter, tree.FieldDeclaration, tree.PropertyDeclaration, tree.MethodDeclaration,
            tree.ConstructorDeclaration, tree.LocalFunction, tree.ClassDeclaration,
        )
    },
    (tree.ArrayType, "name"): PATH + r"(\[,*\])?",
    (tree.TupleType, "names"): PATH,
    (tree.Lambda, "parameters"): PATH,
    (tree.DeclaredTuple, "items"): PATH,
    (tree.ForEach, "target"): PATH,
    (tree.File, "namespace"): PATH,
    (tree.File, "usings"): rf"(static |{_WORD} = )?{PATH}",
    (tree.Argument, "direction"): {"", "out", "ref"},
    (tree.Unary, "operator"): {"-", "+", "!", "~", "++", "--"},
    (tree.Binary, "operator"): ARITHMETIC | COMPARISONS | {"&&", "||", "??", "is", "is not", "as"},
    (tree.Assigned, "operator"): {"=", "??="} | {f"{one}=" for one in ARITHMETIC},
    (tree.Assign, "operator"): {"=", "??="} | {f"{one}=" for one in ARITHMETIC},
    (tree.Declare, "modifier"): {"", "const", "using"},
    (tree.Keyword, "word"): {"break", "continue", "yield break"},
    (tree.PropertyDeclaration, "setter"): {"", "private", "internal"},
    (tree.Comment, "text"): None,
    (tree.Remarked, "remark"): None,
    **{
        (kind, name): allowed
        for kind in (
            tree.FieldDeclaration, tree.PropertyDeclaration, tree.MethodDeclaration, tree.ConstructorDeclaration, tree.ClassDeclaration,
        )
        for name, allowed in (
            ("modifiers", r"((public|internal|private|protected|static|sealed|override|readonly|const) ?)*"),
            ("summary", None),
            ("comments", None),
        )
    },
}  # fmt: skip
#: What every statement of IR may have beside its code.
BESIDE: Final = {"origin", "comments", "remark"}


def _strings(value: Any) -> Iterator[str]:
    """Yield the strings of a field that holds no node."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, (tuple, list)):
        for one in value:
            yield from _strings(one)


def _nodes(value: Any) -> Iterator[Any]:
    """Yield the nodes at and below a value: types of IR are none."""
    if isinstance(value, (ir.Node, tree.Node)):
        yield value
        for one in dataclasses.fields(value):
            yield from _nodes(getattr(value, one.name))
    elif isinstance(value, (tuple, list)):
        for one in value:
            yield from _nodes(one)


def texts(root: ir.Node | tree.Node) -> list[str]:
    """Return what nodes hold that may be source text."""
    found = []
    for node in _nodes(root):
        for one in dataclasses.fields(node):
            if isinstance(node, ir.Statement) and one.name in BESIDE:
                continue
            for text in _strings(getattr(node, one.name)):
                allowed = TEXTS.get((type(node), one.name), set())
                if allowed is None:
                    continue
                if text not in allowed if isinstance(allowed, set) else not re.fullmatch(allowed, text):
                    found.append(
                        f"{type(node).__module__.rpartition('.')[2]}.{type(node).__name__}.{one.name}: {text!r}"
                    )
    return found


@pytest.mark.parametrize("name", MODELS)
def test_no_node_holds_source_text(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every function is walked before and after the passes, and every file before it is printed."""
    factory, inputs = MODELS[name]
    walked: list[ir.Node | tree.Node] = []
    run, text = passes.run, printer.text

    def note_function(function: ir.Function, *taken: Any, chained: bool = False) -> ir.Function:
        made = run(function, *taken, chained=chained)
        walked.extend((function, made))
        return made

    def note_file(node: tree.Node) -> str:
        walked.append(node)
        return text(node)

    monkeypatch.setattr(passes, "run", note_function)
    monkeypatch.setattr(printer, "text", note_file)
    torch.manual_seed(0)
    model, given = construct(factory, constructors)
    write(model, given, Inputs(inputs).bind(model.eval()), "Ported")
    assert {type(one) for one in walked} >= {ir.Function, tree.File}
    assert sorted({fault for one in walked for fault in texts(one)}) == []


@pytest.mark.parametrize(
    "node",
    [
        tree.Name("x.sum()"),
        tree.Name("a + b"),
        tree.Binary("+ 1 +", tree.Name("a"), tree.Name("b")),
        tree.MethodDeclaration("f", modifiers="[Obsolete] public"),
        ir.Local("x[0]", type=ir.BOOL),
        ir.ContainerCall(ir.Self(type=ir.BOOL), "append(1)", (), type=ir.BOOL),
    ],
)
def test_source_text_is_found(node: ir.Node | tree.Node) -> None:
    assert len(texts(node)) == 1


def test_every_kind_of_node_that_may_hold_text_is_in_the_table() -> None:
    kinds = {
        (kind, one.name)
        for module in (ir, tree)
        for kind in vars(module).values()
        if isinstance(kind, type) and issubclass(kind, (ir.Node, tree.Node)) and not kind.__subclasses__()
        for one in dataclasses.fields(kind)
        if re.search(r"\bstr\b", str(one.type)) and not (issubclass(kind, ir.Statement) and one.name in BESIDE)
    }
    assert kinds - TEXTS.keys() == set()
