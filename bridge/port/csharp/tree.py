"""Nodes of C#: expressions, statements and declarations. The printer alone makes text of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Node:
    """A node of C#."""


# -- Types -----------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Type(Node):
    """A type by its name, with its type arguments; ``nullable`` is ``T?``."""

    name: str
    arguments: tuple[Type, ...] = ()
    nullable: bool = False


@dataclass(frozen=True, slots=True)
class ArrayType(Type):
    """``element[]``, the element being the only argument."""


@dataclass(frozen=True, slots=True)
class TupleType(Type):
    """``(A, B)``; ``names`` are the names of its items, or empty."""

    names: tuple[str, ...] = ()


#: A declaration whose type the compiler infers.
VAR = Type("var")


# -- Expressions -----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Expression(Node):
    """An expression of C#."""


@dataclass(frozen=True, slots=True)
class Literal(Expression):
    """null, a bool, an int, a double or a string; ``suffix`` is ``L`` or ``f``."""

    value: Any
    suffix: str = ""


@dataclass(frozen=True, slots=True)
class Name(Expression):
    """A name: a variable, a field, a class, ``this``."""

    name: str


@dataclass(frozen=True, slots=True)
class Default(Expression):
    """``default``: the default value of a type."""


@dataclass(frozen=True, slots=True)
class Member(Expression):
    """``value.name``; ``null_conditional`` is ``value?.name``."""

    value: Expression
    name: str
    null_conditional: bool = False


@dataclass(frozen=True, slots=True)
class Argument(Node):
    """An argument of a call, passed by name if ``name`` is not empty; ``direction`` is ``out``, ``ref`` or empty."""

    value: Expression
    name: str = ""
    direction: str = ""


@dataclass(frozen=True, slots=True)
class Call(Expression):
    """``function<T>(arguments)``."""

    function: Expression
    arguments: tuple[Argument, ...] = ()
    types: tuple[Type, ...] = ()


@dataclass(frozen=True, slots=True)
class New(Expression):
    """``new T(arguments) { initializer }``, or ``new long[] { 1, 2 }`` if ``type`` is an ArrayType.

    A pair (an index and a value) in the initializer is ``[key] = value``.
    """

    type: Type | None
    arguments: tuple[Argument, ...] = ()
    initializer: tuple[Expression | tuple[Expression, Expression], ...] | None = None


@dataclass(frozen=True, slots=True)
class Index(Expression):
    """``value[indices]``."""

    value: Expression
    indices: tuple[Argument, ...]


@dataclass(frozen=True, slots=True)
class FromEnd(Expression):
    """``^place``."""

    place: Expression


@dataclass(frozen=True, slots=True)
class Range(Expression):
    """``start..stop``."""

    start: Expression | None
    stop: Expression | None


@dataclass(frozen=True, slots=True)
class Unary(Expression):
    """``-x``, ``!x``, ``~x``, ``++x``; with ``postfix`` ``x!``, ``x++``."""

    operator: str
    operand: Expression
    postfix: bool = False


@dataclass(frozen=True, slots=True)
class Binary(Expression):
    """``left operator right``; the operators include ``??``, ``is``, ``is not`` and ``as``."""

    operator: str
    left: Expression
    right: Expression


@dataclass(frozen=True, slots=True)
class Conditional(Expression):
    """``test ? body : other``."""

    test: Expression
    body: Expression
    other: Expression


@dataclass(frozen=True, slots=True)
class Thrown(Expression):
    """``throw value`` in a branch of ``test ? body : other``."""

    value: Expression


@dataclass(frozen=True, slots=True)
class Cast(Expression):
    """``(type)value``."""

    type: Type
    value: Expression


@dataclass(frozen=True, slots=True)
class Tuple(Expression):
    """``(a, b)``."""

    items: tuple[Expression, ...]


@dataclass(frozen=True, slots=True)
class Spread(Expression):
    """``.. value`` within a collection."""

    value: Expression


@dataclass(frozen=True, slots=True)
class Collection(Expression):
    """``[a, b, .. c]``."""

    items: tuple[Expression, ...]


@dataclass(frozen=True, slots=True)
class Lambda(Expression):
    """``(a, b) => body``, with a block if the body consists of statements."""

    parameters: tuple[str, ...]
    body: Expression | tuple[Statement, ...]


@dataclass(frozen=True, slots=True)
class Interpolated(Expression):
    """``$"text {value:format}"``: strings and values, each value with its format or ``""``."""

    parts: tuple[str | tuple[Expression, str], ...]


@dataclass(frozen=True, slots=True)
class DeclarationPattern(Expression):
    """``Type name`` at the right of ``is``; with ``{ }`` as its type, it matches any value but null."""

    type: Type
    name: str


@dataclass(frozen=True, slots=True)
class Assigned(Expression):
    """``(target = value)`` as an expression; also ``target op= value``."""

    target: Expression
    value: Expression
    operator: str = "="


@dataclass(frozen=True, slots=True)
class DeclaredTuple(Expression):
    """``var (a, (b, _))`` at the left of an assignment or of a foreach; ``items`` are names and nested tuples of names."""

    items: tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class DeclaredName(Expression):
    """``var name`` or ``Type name`` within a tuple that also assigns to existing variables, or after ``out``."""

    type: Type
    name: str


# -- Statements ------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Statement(Node):
    """A statement of C#."""


@dataclass(frozen=True, slots=True)
class Comment(Statement):
    """``// text``, with a comment line for each line of the text."""

    text: str


@dataclass(frozen=True, slots=True)
class Remarked(Statement):
    """A statement with a comment beside it."""

    statement: Statement
    remark: str


@dataclass(frozen=True, slots=True)
class Declare(Statement):
    """``type name = value;``."""

    type: Type
    name: str
    value: Expression | None = None
    modifier: str = ""


@dataclass(frozen=True, slots=True)
class Evaluate(Statement):
    """``value;``: a call or an assignment."""

    value: Expression


@dataclass(frozen=True, slots=True)
class Assign(Statement):
    """``target operator value;``, the operator being ``=``, ``+=`` and so on."""

    target: Expression
    value: Expression
    operator: str = "="


@dataclass(frozen=True, slots=True)
class Block(Statement):
    """``{ statements }``."""

    statements: tuple[Statement, ...]


@dataclass(frozen=True, slots=True)
class If(Statement):
    """``if (test) { } else { }``; an ``other`` that consists of a single If is ``else if``."""

    test: Expression
    body: tuple[Statement, ...]
    other: tuple[Statement, ...] = ()


@dataclass(frozen=True, slots=True)
class For(Statement):
    """``for (start; test; step) { }``."""

    start: Statement | None
    test: Expression | None
    step: Expression | None
    body: tuple[Statement, ...]


@dataclass(frozen=True, slots=True)
class ForEach(Statement):
    """``foreach (var target in source) { }``; the target is a name or a DeclaredTuple."""

    target: str | DeclaredTuple
    source: Expression
    body: tuple[Statement, ...]


@dataclass(frozen=True, slots=True)
class While(Statement):
    """``while (test) { }``."""

    test: Expression
    body: tuple[Statement, ...]


@dataclass(frozen=True, slots=True)
class Using(Statement):
    """``using (value) { }``, or ``using var name = value;`` where there is no body."""

    value: Expression
    body: tuple[Statement, ...] | None = None
    name: str = ""


@dataclass(frozen=True, slots=True)
class Return(Statement):
    """``return value;``."""

    value: Expression | None = None


@dataclass(frozen=True, slots=True)
class Throw(Statement):
    """``throw value;``."""

    value: Expression


@dataclass(frozen=True, slots=True)
class Keyword(Statement):
    """``break;``, ``continue;``, ``yield break;``."""

    word: str


# -- Declarations ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Parameter(Node):
    """``params type name = default``."""

    type: Type
    name: str
    default: Expression | None = None
    spread: bool = False


@dataclass(frozen=True, slots=True)
class Declaration(Node):
    """A member of a class, or a class; ``summary`` is its documentation in plain text, and ``comments`` follow it."""

    name: str
    modifiers: str = ""
    summary: str = ""
    comments: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class FieldDeclaration(Declaration):
    """``private readonly type name = value;``."""

    type: Type = VAR
    value: Expression | None = None


@dataclass(frozen=True, slots=True)
class PropertyDeclaration(Declaration):
    """``public type name { get; private set; }`` if ``setter`` is ``private``; without ``set`` if ``setter`` is empty."""

    type: Type = VAR
    setter: str = ""


@dataclass(frozen=True, slots=True)
class MethodDeclaration(Declaration):
    """``private result name(parameters) { }``."""

    result: Type = VAR
    parameters: tuple[Parameter, ...] = ()
    body: tuple[Statement, ...] = ()


@dataclass(frozen=True, slots=True)
class ConstructorDeclaration(Declaration):
    """``public name(parameters) : base(arguments) { }``."""

    parameters: tuple[Parameter, ...] = ()
    arguments: tuple[Expression, ...] = ()
    body: tuple[Statement, ...] = ()


@dataclass(frozen=True, slots=True)
class LocalFunction(Statement):
    """``result name(parameters) { }`` within a method."""

    name: str
    result: Type
    parameters: tuple[Parameter, ...]
    body: tuple[Statement, ...]


@dataclass(frozen=True, slots=True)
class ClassDeclaration(Declaration):
    """``public sealed class name : bases { members }``; no empty line stands between fields or between properties."""

    bases: tuple[Type, ...] = ()
    members: tuple[Declaration, ...] = ()


@dataclass(frozen=True, slots=True)
class File(Node):
    """A file: its usings (``static TorchSharp.torch``), the namespace, its classes."""

    usings: tuple[str, ...]
    namespace: str
    classes: tuple[ClassDeclaration, ...]
