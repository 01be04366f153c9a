"""Nodes of the intermediate representation: a module's methods as typed statements and expressions, with Python's meaning.

Each node keeps its origin, the line of the original. No node holds source text. Each expression has its meaning in Python, also
if C# differs: ``Item(x, -1)`` is the last element, ``Binary("//", a, b)`` rounds down, ``Logical`` gives one of its values.
"""

from __future__ import annotations

import types
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from bridge.port.ir.types import BOOL, Type

#: The largest number of arguments that a module of TorchSharp takes.
MOST_ARGUMENTS: Final = 6


@dataclass(frozen=True, slots=True)
class Origin:
    """A line of the original: ``nets.py:57``."""

    file: str = ""
    line: int = 0

    def __str__(self) -> str:
        return f"{Path(self.file).name}:{self.line}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Node:
    """A statement or an expression."""

    origin: Origin = field(default=Origin(), compare=False, repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Expression(Node):
    """A node with a value of one type."""

    type: Type


# -- Values and names ------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Literal(Expression):
    """None, a bool, int, float, str, ``torch.dtype``, ``torch.device`` or ``...``; ``name`` is a constant with this value.

    The constant is of the class, or of a settings object: ``BertConfig.hidden_size``.
    """

    value: Any
    name: str = ""

    @property
    def of_settings(self) -> bool:
        """Return whether the constant is of a settings object."""
        return "." in self.name


@dataclass(frozen=True, slots=True)
class Local(Expression):
    """A variable or parameter that is read. ``name`` is the name in Python, which the naming pass replaces with the name in C#."""

    name: str


@dataclass(frozen=True, slots=True)
class Self(Expression):
    """The module itself."""


@dataclass(frozen=True, slots=True)
class Field(Expression):
    """An attribute of the module itself: a child, parameter, buffer or setting."""

    name: str


@dataclass(frozen=True, slots=True)
class Training(Expression):
    """``self.training``, or ``training`` of another module (``module``)."""

    module: Expression | None = None


# -- Parts of values -------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Property(Expression):
    """A property of a tensor (``shape``, ``dtype``, ``device``, ``T``, ``data``, …), or a public member of another module."""

    value: Expression
    name: str


@dataclass(frozen=True, slots=True)
class TupleItem(Expression):
    """An item of a tuple at a known index (``place``), from 0."""

    value: Expression
    place: int


@dataclass(frozen=True, slots=True)
class Item(Expression):
    """``value[index]`` of a list, a dictionary, sizes, a string or a list of modules; a negative index counts from the end."""

    value: Expression
    index: Expression


@dataclass(frozen=True, slots=True)
class Slice(Expression):
    """``value[start:stop:step]`` of a list, sizes, a string or a list of modules, clipped as in Python."""

    value: Expression
    start: Expression | None
    stop: Expression | None
    step: Expression | None = None


@dataclass(frozen=True, slots=True)
class Span(Node):
    """``start:stop:step`` within the index of a tensor."""

    start: Expression | None
    stop: Expression | None
    step: Expression | None = None


@dataclass(frozen=True, slots=True)
class TensorIndex(Expression):
    """``tensor[…]``; an index is an expression (int, tensor, list of ints, None for a new axis, a Literal of ``...``) or a Span."""

    value: Expression
    indices: tuple[Expression | Span, ...]


# -- Operators -------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Unary(Expression):
    """``-x``, ``+x`` or ``~x`` of numbers and tensors."""

    operator: str
    operand: Expression


@dataclass(frozen=True, slots=True)
class Binary(Expression):
    """``+ - * / // % ** @ & | ^ << >>`` of numbers, tensors, strings, lists, tuples and sizes.

    ``of_ints`` says that a tensor is an operand, which no run has shown to be of floats.
    """

    operator: str
    left: Expression
    right: Expression
    of_ints: bool = False


@dataclass(frozen=True, slots=True)
class Compare(Expression):
    """``< <= > >= == != is is-not in not-in`` of two values: a bool, or a tensor if an operand is a tensor.

    A chain ``a < b < c`` is a ``Logical`` of comparisons, with a ``Bind`` of ``b`` unless that is a name or a literal.
    """

    operator: str
    left: Expression
    right: Expression


@dataclass(frozen=True, slots=True)
class Truth(Expression):
    """``bool(value)`` by Python's rules for the value's type; its own type is bool."""

    value: Expression
    type: Type = field(default=BOOL, kw_only=True)


@dataclass(frozen=True, slots=True)
class Not(Expression):
    """``not value``; ``value`` is of type bool."""

    value: Expression
    type: Type = field(default=BOOL, kw_only=True)


@dataclass(frozen=True, slots=True)
class Logical(Expression):
    """``and`` or ``or``: the first value that decides, else the last. If all are bools, it is C#'s ``&&`` or ``||``."""

    operator: str
    values: tuple[Expression, ...]


@dataclass(frozen=True, slots=True)
class Conditional(Expression):
    """``body if test else other``; ``test`` is of type bool."""

    test: Expression
    body: Expression
    other: Expression


@dataclass(frozen=True, slots=True)
class UnsupportedValue(Expression):
    """A branch of a ``Conditional`` that no run took and that cannot be translated: C# throws NotSupportedException with the reason."""

    why: str


@dataclass(frozen=True, slots=True)
class Bind(Expression):
    """``(name := value)``: assigns and gives the value."""

    name: str
    value: Expression


@dataclass(frozen=True, slots=True)
class Convert(Expression):
    """A value, converted to another type: an int to float, a value to an optional type, an optional value to the type without None.

    ``proven`` says that a test before has shown that an optional value is not None, which C#'s flow analysis sees, too.
    """

    value: Expression
    proven: bool = False


# -- Calls -----------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Argument(Node):
    """An argument, with the name of the parameter in Python; ``positional`` unless the call gives it as a keyword argument."""

    name: str
    value: Expression
    positional: bool = True


@dataclass(frozen=True, slots=True)
class TorchCall(Expression):
    """A call of a function of PyTorch (``torch.cat``, ``F.relu``, ``torch.linalg.norm``), or of a tensor's method.

    ``function`` is PyTorch's object; ``receiver`` is the tensor of a method; ``parameters`` are PyTorch's names of the parameters,
    without the receiver. Any number of arguments for one parameter are one argument whose value is a ``TupleLiteral`` or of type
    sizes. ``rank`` is the number of dimensions that the first tensor had in every run, or -1 if it differed.
    """

    function: Any
    receiver: Expression | None
    arguments: tuple[Argument, ...]
    parameters: tuple[str, ...] = ()
    rank: int = -1


@dataclass(frozen=True, slots=True)
class ModuleCall(Expression):
    """A call of a module, which runs its hooks; ``module`` is of type ModuleOf or ModulesOf(Sequential).

    ``direct`` says that its forward is called, which runs no hooks.
    """

    module: Expression
    arguments: tuple[Argument, ...]
    direct: bool = False


@dataclass(frozen=True, slots=True)
class MethodCall(Expression):
    """A call of a method of the model's own source: of the module itself (``target`` is Self), or of another module."""

    target: Expression
    function: types.FunctionType
    arguments: tuple[Argument, ...]


@dataclass(frozen=True, slots=True)
class FunctionCall(Expression):
    """A call of a function of the model's source that is no method."""

    function: types.FunctionType
    arguments: tuple[Argument, ...]


@dataclass(frozen=True, slots=True)
class ValueCall(Expression):
    """A call of a function that is a value: a lambda, a nested function, a setting that is a function."""

    function: Expression
    arguments: tuple[Expression, ...]


@dataclass(frozen=True, slots=True)
class BuiltinCall(Expression):
    """A call of a function of Python or its standard library, by its name: ``len``, ``sorted``, ``math.sqrt``, ``warnings.warn``."""

    name: str
    arguments: tuple[Expression, ...]
    keywords: tuple[Argument, ...] = ()


@dataclass(frozen=True, slots=True)
class ContainerCall(Expression):
    """A call of a method of a list, dictionary, set, string or tuple: ``append``, ``pop``, ``items``, ``join``."""

    value: Expression
    name: str
    arguments: tuple[Expression, ...]
    keywords: tuple[Argument, ...] = ()


@dataclass(frozen=True, slots=True)
class Construct(Expression):
    """A new module or parameter: a layer of PyTorch's, a class of the model's own, or ``torch.nn.Parameter``.

    ``rank`` is the number of dimensions of the layer's input if TorchSharp's constructor depends on it, else 0.
    """

    kind: type
    arguments: tuple[Argument, ...]
    rank: int = 0


@dataclass(frozen=True, slots=True)
class Modules(Expression):
    """A new Sequential, ModuleList, ModuleDict, ParameterList or ParameterDict of modules or parameters, each with its name."""

    kind: type
    entries: tuple[tuple[str, Expression], ...]


@dataclass(frozen=True, slots=True)
class ModulesFrom(Expression):
    """A new collection, of a kind that ``Modules`` has, from a list of modules or parameters, or from a dictionary of them by name."""

    kind: type
    source: Expression


# -- Containers and functions that are values ------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Spread(Node):
    """``*value`` within a list, a tuple or the arguments of a call."""

    value: Expression


@dataclass(frozen=True, slots=True)
class ListLiteral(Expression):
    """``[a, b, *c]``."""

    items: tuple[Expression | Spread, ...]


@dataclass(frozen=True, slots=True)
class SetLiteral(Expression):
    """``{a, b}``."""

    items: tuple[Expression, ...]


@dataclass(frozen=True, slots=True)
class TupleLiteral(Expression):
    """``(a, b)``: of type TupleOf, or SIZES if all items are ints and the tuple may have any length."""

    items: tuple[Expression | Spread, ...]


@dataclass(frozen=True, slots=True)
class DictLiteral(Expression):
    """``{key: value}``."""

    entries: tuple[tuple[Expression, Expression], ...]


@dataclass(frozen=True, slots=True)
class Generator(Node):
    """``for target in source if condition`` of a comprehension."""

    target: Target
    source: Expression
    conditions: tuple[Expression, ...] = ()


@dataclass(frozen=True, slots=True)
class Comprehension(Expression):
    """A comprehension of a list, set or dictionary (with ``key``), or a generator expression, as its type says."""

    element: Expression
    generators: tuple[Generator, ...]
    key: Expression | None = None


@dataclass(frozen=True, slots=True)
class Lambda(Expression):
    """``lambda a, b: body``."""

    parameters: tuple[str, ...]
    body: Expression


@dataclass(frozen=True, slots=True)
class Format(Expression):
    """An f-string: strings, and values with a format (``.3f``)."""

    parts: tuple[Expression, ...]
    formats: tuple[str, ...]


# -- Targets ---------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class LocalTarget(Node):
    """A variable that is assigned; ``declares`` says that it is declared here, which the declaration pass finds."""

    name: str
    type: Type
    declares: bool = False


@dataclass(frozen=True, slots=True)
class TupleTarget(Node):
    """``a, (b, c), *rest``; ``star`` is the index of the item with the star, or -1."""

    items: tuple[Target, ...]
    star: int = -1


@dataclass(frozen=True, slots=True)
class PlaceTarget(Node):
    """A field, a property, an item, a slice or an index of a tensor that is assigned: ``self.x = …``, ``a[i] = …``."""

    place: Expression


Target = LocalTarget | TupleTarget | PlaceTarget


# -- Statements ------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Statement(Node):
    """A statement; ``comments`` stand above it in the original, ``remark`` beside it."""

    comments: tuple[str, ...] = field(default=(), compare=False)
    remark: str = field(default="", compare=False)


@dataclass(frozen=True, slots=True)
class Assign(Statement):
    """``target = value``."""

    target: Target
    value: Expression


@dataclass(frozen=True, slots=True)
class Declare(Statement):
    """A declaration, without a value, of a variable that inner blocks assign; ``settled`` says that all do, so that it needs no value."""

    name: str
    type: Type
    settled: bool = False


@dataclass(frozen=True, slots=True)
class Augment(Statement):
    """``target op= value``: in place for tensors and lists, else a new value."""

    target: Target
    operator: str
    value: Expression


@dataclass(frozen=True, slots=True)
class Evaluate(Statement):
    """An expression that is evaluated for its effect."""

    value: Expression


@dataclass(frozen=True, slots=True)
class If(Statement):
    """``if test: body``, with ``other`` after ``else``; ``test`` is of type bool."""

    test: Expression
    body: tuple[Statement, ...]
    other: tuple[Statement, ...] = ()


@dataclass(frozen=True, slots=True)
class For(Statement):
    """A loop over elements, with Python's meaning: the source is evaluated once, a list may grow, the target outlives the loop."""

    target: Target
    source: Expression
    body: tuple[Statement, ...]
    other: tuple[Statement, ...] = ()


@dataclass(frozen=True, slots=True)
class CountingLoop(Statement):
    """``for (name = start; name < stop; name += step)``: made by the loop pass from a range whose bounds the body does not change."""

    name: str
    start: Expression
    stop: Expression
    step: int
    body: tuple[Statement, ...]


@dataclass(frozen=True, slots=True)
class While(Statement):
    """``while test: body``, with ``other`` after ``else``; ``test`` is of type bool."""

    test: Expression
    body: tuple[Statement, ...]
    other: tuple[Statement, ...] = ()


@dataclass(frozen=True, slots=True)
class Break(Statement):
    """``break``."""


@dataclass(frozen=True, slots=True)
class Continue(Statement):
    """``continue``."""


@dataclass(frozen=True, slots=True)
class Return(Statement):
    """``return value``."""

    value: Expression | None


@dataclass(frozen=True, slots=True)
class Raise(Statement):
    """``raise kind(message)``; ``kind`` is Python's exception."""

    kind: str
    message: Expression | None


@dataclass(frozen=True, slots=True)
class Assert(Statement):
    """``assert test, message``."""

    test: Expression
    message: Expression | None = None


@dataclass(frozen=True, slots=True)
class GradientMode(Statement):
    """``with torch.no_grad():`` or a similar context; ``mode`` is the name of the context."""

    mode: str
    body: tuple[Statement, ...]


@dataclass(frozen=True, slots=True)
class NestedFunction(Statement):
    """``def`` within a method."""

    name: str
    parameters: tuple[Parameter, ...]
    result: Type
    body: tuple[Statement, ...]


@dataclass(frozen=True, slots=True)
class Unsupported(Statement):
    """A branch that no run took and that cannot be translated: C# throws NotSupportedException with the reason."""

    why: str


@dataclass(frozen=True, slots=True)
class RegisterBuffer(Statement):
    """``self.register_buffer(name, value, persistent)``."""

    name: str
    value: Expression
    persistent: bool = True


@dataclass(frozen=True, slots=True)
class ReplaceBuffer(Statement):
    """``self.buffer = value`` in a forward: the buffer gets the elements of a new tensor, which must have its shape and dtype."""

    place: Field
    value: Expression


@dataclass(frozen=True, slots=True)
class RegisterComponents(Statement):
    """The fields that are assigned so far become parts of the module: its children, parameters and buffers."""


@dataclass(frozen=True, slots=True)
class Tie(Statement):
    """``module.name = value``: a parameter of a module of the model's own becomes the parameter ``value`` of another module."""

    module: Expression
    name: str
    value: Expression


@dataclass(frozen=True, slots=True)
class Freeze(Statement):
    """Parameters that get no gradient: those in ``names``, and those below a module in ``paths``; all if both are empty."""

    names: tuple[str, ...] = ()
    paths: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Note(Statement):
    """A comment of the compiler's own: ``// bias is false in every instance``.

    In the place of a call that C# does not have, ``omits`` is the reason.
    """

    text: str
    omits: str = ""


# -- Functions -------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Parameter(Node):
    """A parameter; ``default`` is an expression, or None if it has no default; a ``spread`` parameter takes any number of values.

    ``named`` says that it is keyword-only in Python, ``needed`` that every call must give it although it has a default here.
    """

    name: str
    type: Type
    default: Expression | None = None
    spread: bool = False
    named: bool = False
    needed: bool = False


@dataclass(frozen=True, slots=True)
class Function(Node):
    """A method or function; ``result`` is NONE if it returns nothing.

    ``fixed`` are parameters that C# does not take, each with its index in Python. Their arguments are the defaults in every call;
    a parameter that nothing reads has no default here.
    """

    name: str
    parameters: tuple[Parameter, ...]
    result: Type
    body: tuple[Statement, ...]
    doc: str = ""
    fixed: tuple[tuple[int, Parameter], ...] = ()

    @property
    def order(self) -> tuple[Parameter, ...]:
        """Return the parameters that Python takes, in its order."""
        found = list(self.parameters)
        for place, one in self.fixed:
            found.insert(place, one)
        return tuple(found)


# -- Classes ---------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class FieldDefinition(Node):
    """A field of a class; ``shared`` says that another class reads it, ``tied`` that another class replaces the parameter that it holds.

    ``role`` is ``module``, ``parameter``, ``buffer``, ``setting``, ``constant`` with its value, or ``state``, which methods assign.
    ``settled`` says that the constructor itself always assigns it.
    """

    name: str
    type: Type
    role: str
    value: Expression | None = None
    settled: bool = True
    shared: bool = False
    tied: bool = False


@dataclass(frozen=True, slots=True)
class Method(Node):
    """A function of a class under the name that it has in C#; ``access`` is ``override``, ``internal`` or ``private``."""

    name: str
    function: Function
    access: str = "private"
    comments: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Class(Node):
    """A class of modules: its fields, the parameters and statements of its constructor, and its methods.

    Its constructor registers the components at one place.
    """

    name: str
    parameters: tuple[Parameter, ...]
    fields: tuple[FieldDefinition, ...]
    constructor: tuple[Statement, ...]
    methods: tuple[Method, ...]
    doc: str = ""
