"""Text of C#: lines, indentation, comments and documentation."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import pairwise
from typing import Any, Final

from bridge.port.csharp import tree
from bridge.port.csharp.names import escaped
from bridge.port.csharp.words import INDENT, Words, fitting, indented, type_text

#: The greatest length of a line.
COLUMNS: Final = 140


def text(node: tree.Node) -> str:
    """Return any node as text; only the text of a file ends with a line break."""
    if isinstance(node, tree.File):
        return _file(node)
    if isinstance(node, tree.Declaration):
        return _declaration(node, COLUMNS)
    if isinstance(node, tree.Type):
        return type_text(node)
    if isinstance(node, tree.Expression):
        return fitting(lambda words: words.text(node), _nested, COLUMNS, [node])
    if isinstance(node, tree.Statement):
        return _statement(node, COLUMNS)
    if isinstance(node, tree.Argument):
        return Words(_nested).arguments(node.value, [node])
    if isinstance(node, tree.Parameter):
        return _parameter(Words(_nested), node)
    raise TypeError(type(node).__name__)


# -- Statements ------------------------------------------------------------------------------------------------------------


def _statement(node: tree.Statement, columns: int) -> str:
    return _STATEMENTS[type(node)](node, columns)


def _line(render: Callable[[Words], str], columns: int, *roots: Any) -> str:
    return fitting(render, _nested, columns, roots)


def _nested(statements: Sequence[tree.Statement]) -> str:
    return _block(statements, COLUMNS - 2 * len(INDENT))


def _block(statements: Sequence[tree.Statement], columns: int) -> str:
    inner = indented(_sequence(statements, columns - len(INDENT)))
    return f"{{\n{inner}\n}}" if statements else "{\n}"


def _sequence(statements: Sequence[tree.Statement], columns: int) -> str:
    """Return statements one below the other, with an empty line around a local function."""
    texts = [_statement(one, columns) for one in statements]
    gaps = [
        "\n\n" if _is_function(one) or (_is_function(other) and not isinstance(one, tree.Comment)) else "\n"
        for one, other in pairwise(statements)
    ]
    return "".join(text + gap for text, gap in zip(texts, [*gaps, ""], strict=False))


def _is_function(node: tree.Statement) -> bool:
    return isinstance(node, tree.LocalFunction)


def _comment(node: tree.Comment, columns: int) -> str:
    return "\n".join(f"// {line}".rstrip() for line in node.text.split("\n"))


def _remarked(node: tree.Remarked, columns: int) -> str:
    made = _statement(node.statement, columns)
    remark = " ".join(node.remark.split())
    beside = f"{made} // {remark}"
    return beside if "\n" not in made and len(beside) <= columns else f"// {remark}\n{made}"


def _declare(node: tree.Declare, columns: int) -> str:
    modifier = f"{node.modifier} " if node.modifier else ""
    head = f"{modifier}{type_text(node.type)} {escaped(node.name)}"
    value = node.value
    return f"{head};" if value is None else _line(lambda words: f"{head} = {words.text(value)};", columns, value)


def _evaluate(node: tree.Evaluate, columns: int) -> str:
    return _line(lambda words: f"{words.text(node.value)};", columns, node.value)


def _assign(node: tree.Assign, columns: int) -> str:
    return _line(
        lambda words: f"{words.text(node.target)} {node.operator} {words.text(node.value)};",
        columns,
        node.target,
        node.value,
    )


def _braces(node: tree.Block, columns: int) -> str:
    return _block(node.statements, columns)


def _if(node: tree.If, columns: int) -> str:
    made = _line(lambda words: f"if ({words.text(node.test)})", columns, node.test) + "\n" + _block(node.body, columns)
    if not node.other:
        return made
    if len(node.other) == 1 and isinstance(node.other[0], tree.If):
        return f"{made}\nelse {_if(node.other[0], columns - len('else '))}"
    return f"{made}\nelse\n{_block(node.other, columns)}"


def _for(node: tree.For, columns: int) -> str:
    start = "" if node.start is None else _statement(node.start, columns).removesuffix(";")

    def head(words: Words) -> str:
        test, step = ("" if one is None else f" {words.text(one)}" for one in (node.test, node.step))
        return f"for ({start};{test};{step})"

    return _line(head, columns, node.test, node.step) + "\n" + _block(node.body, columns)


def _for_each(node: tree.ForEach, columns: int) -> str:
    target = node.target

    def head(words: Words) -> str:
        named = f"var {escaped(target)}" if isinstance(target, str) else words.text(target)
        return f"foreach ({named} in {words.text(node.source)})"

    return _line(head, columns, node.source) + "\n" + _block(node.body, columns)


def _while(node: tree.While, columns: int) -> str:
    return (
        _line(lambda words: f"while ({words.text(node.test)})", columns, node.test) + "\n" + _block(node.body, columns)
    )


def _using(node: tree.Using, columns: int) -> str:
    name = f"var {escaped(node.name)} = " if node.name else ""
    if node.body is None:
        return _line(lambda words: f"using {name or 'var _ = '}{words.text(node.value)};", columns, node.value)
    head = _line(lambda words: f"using ({name}{words.text(node.value)})", columns, node.value)
    if len(node.body) == 1 and isinstance(node.body[0], tree.Using) and node.body[0].body is not None:
        return f"{head}\n{_using(node.body[0], columns)}"
    return f"{head}\n{_block(node.body, columns)}"


def _return(node: tree.Return, columns: int) -> str:
    value = node.value
    return "return;" if value is None else _line(lambda words: f"return {words.text(value)};", columns, value)


def _throw(node: tree.Throw, columns: int) -> str:
    return _line(lambda words: f"throw {words.text(node.value)};", columns, node.value)


def _keyword(node: tree.Keyword, columns: int) -> str:
    return f"{node.word};"


def _local_function(node: tree.LocalFunction, columns: int) -> str:
    head = f"{type_text(node.result)} {escaped(node.name)}"
    return f"{_header(head, node.parameters, columns)}\n{_block(node.body, columns)}"


_STATEMENTS: Final[dict[type[tree.Statement], Callable[[Any, int], str]]] = {
    tree.Comment: _comment,
    tree.Remarked: _remarked,
    tree.Declare: _declare,
    tree.Evaluate: _evaluate,
    tree.Assign: _assign,
    tree.Block: _braces,
    tree.If: _if,
    tree.For: _for,
    tree.ForEach: _for_each,
    tree.While: _while,
    tree.Using: _using,
    tree.Return: _return,
    tree.Throw: _throw,
    tree.Keyword: _keyword,
    tree.LocalFunction: _local_function,
}


# -- Declarations ----------------------------------------------------------------------------------------------------------


def _parameter(words: Words, node: tree.Parameter) -> str:
    spread = "params " if node.spread else ""
    default = "" if node.default is None else f" = {words.text(node.default)}"
    return f"{spread}{type_text(node.type)} {escaped(node.name)}{default}"


def _header(head: str, parameters: Sequence[tree.Parameter], columns: int) -> str:
    # An expression that stands for the list of parameters, since only expressions are broken into lines.
    holder = tree.Tuple(())

    def render(words: Words) -> str:
        return f"{head}({words.listed(holder, [_parameter(words, one) for one in parameters])})"

    return fitting(render, _nested, columns, [holder])


def _declaration(node: tree.Declaration, columns: int) -> str:
    above = [*_summary(node.summary, columns), *(f"// {line}" for one in node.comments for line in one.split("\n"))]
    return "\n".join([*above, _DECLARATIONS[type(node)](node, columns)])


def _summary(text: str, columns: int) -> Iterator[str]:
    """Yield the lines of a summary in XML: one line if it fits, else several, and none for an empty text."""
    plain = " ".join(text.split()).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    line = f"/// <summary>{plain}</summary>"
    if plain and len(line) <= columns:
        yield line
    elif plain:
        yield "/// <summary>"
        yield from (
            f"/// {part}" for part in textwrap.wrap(plain, columns - 4, break_long_words=False, break_on_hyphens=False)
        )
        yield "/// </summary>"


def _declared(node: tree.Declaration, *words: str) -> str:
    return " ".join(filter(None, [node.modifiers, *words, escaped(node.name)]))


def _field(node: tree.FieldDeclaration, columns: int) -> str:
    head, value = _declared(node, type_text(node.type)), node.value
    return f"{head};" if value is None else _line(lambda words: f"{head} = {words.text(value)};", columns, value)


def _property(node: tree.PropertyDeclaration, columns: int) -> str:
    setter = f"{node.setter} set; " if node.setter else ""
    return f"{_declared(node, type_text(node.type))} {{ get; {setter}}}"


def _method(node: tree.MethodDeclaration, columns: int) -> str:
    return f"{_header(_declared(node, type_text(node.result)), node.parameters, columns)}\n{_block(node.body, columns)}"


def _constructor(node: tree.ConstructorDeclaration, columns: int) -> str:
    head = _header(_declared(node), node.parameters, columns)
    if node.arguments:
        holder = tree.Tuple(node.arguments)
        head += "\n" + indented(_line(lambda words: f": base{words.text(holder)}", columns - len(INDENT), holder))
    return f"{head}\n{_block(node.body, columns)}"


def _class(node: tree.ClassDeclaration, columns: int) -> str:
    bases = f" : {', '.join(map(type_text, node.bases))}" if node.bases else ""
    inner = indented(_members(node.members, columns - len(INDENT)))
    return (
        f"{_declared(node, 'class')}{bases}\n{{\n{inner}\n}}"
        if node.members
        else f"{_declared(node, 'class')}{bases}\n{{\n}}"
    )


def _members(members: Sequence[tree.Declaration], columns: int) -> str:
    """Return the text of members, separated by empty lines except between constants, between other fields, and between properties."""
    gaps = ["\n" if _kind(one) == _kind(other) != () else "\n\n" for one, other in pairwise(members)]
    texts = (_declaration(one, columns) for one in members)
    return "".join(text + gap for text, gap in zip(texts, [*gaps, ""], strict=False))


def _kind(node: tree.Declaration) -> tuple[Any, ...]:
    is_plain = isinstance(node, (tree.FieldDeclaration, tree.PropertyDeclaration))
    return (type(node), "const" in node.modifiers.split()) if is_plain else ()


def _file(node: tree.File) -> str:
    usings = "\n".join(f"using {one};" for one in node.usings)
    namespace = f"namespace {node.namespace};" if node.namespace else ""
    return "\n\n".join(_filled([usings, namespace, *(_declaration(one, COLUMNS) for one in node.classes)])) + "\n"


def _filled(texts: Iterable[str]) -> Iterator[str]:
    return (one for one in texts if one)


_DECLARATIONS: Final[dict[type[tree.Declaration], Callable[[Any, int], str]]] = {
    tree.FieldDeclaration: _field,
    tree.PropertyDeclaration: _property,
    tree.MethodDeclaration: _method,
    tree.ConstructorDeclaration: _constructor,
    tree.ClassDeclaration: _class,
}
