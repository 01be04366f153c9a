"""The format of hook programs: parsing, validation, writing, and iteration over the parts of a program.

``docs/programs.md`` explains the format, ``contract/program.schema.json`` is the schema. Steps, nodes and values are not parsed into
classes: these would repeat the schema.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Final

from hook_contract.program.errors import ProgramError
from hook_contract.program.validation import reason

#: A value, a step, a node or an event in JSON.
Json = Any

#: The keys of values that are JSON objects, such as ``tuple`` in ``{"tuple": [1, 2]}``.
FORMS: Final = frozenset({"plain", "text", "vector", "tuple", "list", "dict", "name"})
_CONTRACT: Final = Path(__file__).parents[1] / "contract"
_CORPUS: Final = _CONTRACT / "programs"


@dataclass(frozen=True, slots=True)
class Program:
    """A hook program.

    Attributes:
        clauses: The ids of the contract's clauses that the program tests.
        about: A description.
        tree: The root node of the module tree.
        steps: The steps.
        identity: Whether the trace gives each tensor object a number.
        expect: PyTorch's trace, None if it is not recorded yet.
        since: The first version of PyTorch with this trace; "" if every version that has the clauses has this trace.
        until: The first version of PyTorch that no longer has this trace, None if there is none.
    """

    name: str
    clauses: tuple[str, ...]
    about: str
    tree: Mapping[str, Json]
    steps: tuple[Mapping[str, Json], ...]
    identity: bool = False
    expect: tuple[Mapping[str, Json], ...] | None = None
    since: str = ""
    until: str | None = None

    def to_json(self) -> dict[str, Json]:
        """Return the program as JSON, as in its file."""
        found: dict[str, Json] = {"name": self.name, "clauses": list(self.clauses), "about": self.about}
        if self.identity:
            found["identity"] = True
        found |= {key: version for key in ("since", "until") if (version := getattr(self, key))}
        found |= {"tree": self.tree, "steps": list(self.steps)}
        if self.expect is not None:
            found["expect"] = list(self.expect)
        return found


def parse(data: Mapping[str, Json] | str | bytes, *, source: str = "the program", validate: bool = True) -> Program:
    """Parse a program from JSON. Raises ProgramError.

    ``source`` names the program in messages. ``validate=False`` skips validation, for programs that are known to be valid.
    """
    if isinstance(data, (str, bytes)):
        try:
            data = json.loads(data)
        except (ValueError, RecursionError) as error:
            raise ProgramError(f"{source} is not JSON: {error}") from None
    if validate:
        _validate(data, source)
    assert isinstance(data, Mapping)
    expect = data.get("expect")
    program = Program(
        data["name"],
        tuple(data["clauses"]),
        data["about"],
        data["tree"],
        tuple(data["steps"]),
        bool(data.get("identity", False)),
        None if expect is None else tuple(expect),
        data.get("since", ""),
        data.get("until"),
    )
    if validate:
        _check_names(program, source)
    return program


def load(path: Path, *, validate: bool = True) -> Program:
    """Read a program from a file. Raises ProgramError and OSError."""
    return parse(path.read_bytes(), source=path.name, validate=validate)


def corpus() -> tuple[Program, ...]:
    """Return the programs that test the contract, ordered by chapter and name."""
    return tuple(load(path, validate=False) for path in corpus_files())


def corpus_files() -> list[Path]:
    """Return the files of :func:`corpus`, one per program, a folder per chapter."""
    return sorted(_CORPUS.rglob("*.json"))


def dumps(program: Program) -> str:
    """Return the text of a program's file, with a line for each step and event."""

    def block(items: list[Json], indent: str) -> str:
        return (
            "[\n" + ",\n".join(indent + "  " + json.dumps(item, ensure_ascii=False) for item in items) + f"\n{indent}]"
        )

    data = program.to_json()
    lines = []
    for key, value in data.items():
        text = block(value, "  ") if key in ("steps", "expect") and value else json.dumps(value, ensure_ascii=False)
        lines.append(f"  {json.dumps(key)}: {text}")
    return "{\n" + ",\n".join(lines) + "\n}\n"


def nodes(tree: Mapping[str, Json], path: str = "") -> Iterator[tuple[str, Mapping[str, Json]]]:
    """Yield the nodes of a tree with their module paths, parents first.

    A node with ``same`` is another path of a module. The module's children are yielded only below its first path.
    """
    yield path, tree
    for child in tree.get("children", ()):
        yield from nodes(child, f"{path}.{child['name']}" if path else child["name"])


def steps(items: Any) -> Iterator[Mapping[str, Json]]:
    """Yield all steps in order, including nested ones."""
    for step in items:
        yield step
        yield from steps(step.get("steps", ()))


def registrations(program: Program) -> Iterator[Mapping[str, Json]]:
    """Yield all registrations in a program: those of the steps, each followed by those in its actions, then those of the nodes."""

    def inner(registration: Mapping[str, Json]) -> Iterator[Mapping[str, Json]]:
        yield registration
        for action in registration.get("actions", ()):
            if "register" in action:
                yield from inner(action["register"])

    for step in steps(program.steps):
        if step["do"] == "register":
            yield from inner(step)
    for _, node in nodes(program.tree):
        if "register" in node:
            yield from inner(node["register"])


def words(program: Program) -> frozenset[str]:
    """Return the words of a program. A runtime must support all these words to run the program.

    A word names a construct of the format, such as ``step:call``, ``node:leaf``, ``hook:pre``, ``action:add``, ``value:tuple``,
    ``option:always_call`` (of a registration) or ``read:grad`` (of a step or action). Other words are ``global`` (a global registration),
    ``kwargs`` (of a call), ``parameters`` (of a node), ``identity``, and ``threads`` (concurrent threads).
    """
    found = {"identity"} if program.identity else set()
    found |= _value_words([program.tree, *program.steps])
    for _, node in nodes(program.tree):
        found.add(f"node:{node.get('kind', 'same')}")
        found |= {"parameters"} if node.get("parameters") else set()
    for step in steps(program.steps):
        found.add(f"step:{step['do']}")
        found |= {"kwargs"} if step.get("kwargs") else set()
        found |= {"threads"} if step.get("count", 1) > 1 else set()
        found |= {f"read:{step['what']}"} if step["do"] == "read" else set()
    for registration in registrations(program):
        found.add(f"hook:{registration['kind']}")
        found |= {"global"} if registration.get("global") else set()
        for option in ("prepend", "with_kwargs", "always_call", "by"):
            found |= {f"option:{option}"} if registration.get(option) else set()
        for action in registration.get("actions", ()):
            found |= {f"action:{word}" for word in action if word != "message"}
            found |= {f"read:{action['read']['what']}"} if "read" in action else set()
    return frozenset(found)


def _value_words(item: Json) -> set[str]:
    """Return the words of the values in a part of a program, such as ``value:tuple``."""
    if isinstance(item, list):
        return set().union(*map(_value_words, item))
    if not isinstance(item, Mapping):
        return set()
    found = set().union(*map(_value_words, item.values()))
    if len(item) == 1 and (form := next(iter(item))) in FORMS:
        found.add(f"value:{form}")
    return found


@cache
def _validator() -> Any:
    import jsonschema

    return jsonschema.Draft202012Validator(json.loads((_CONTRACT / "program.schema.json").read_bytes()))


def _validate(data: Any, source: str) -> None:
    import jsonschema

    error = jsonschema.exceptions.best_match(_validator().iter_errors(data))
    if error is not None:
        name = data.get("name") if isinstance(data, Mapping) else None
        place = error.json_path.removeprefix("$").removeprefix(".") or "the top"
        raise ProgramError(f"{source}{f' ({name})' if isinstance(name, str) else ''}: at {place}: {reason(error)}")


def _check_names(program: Program, source: str) -> None:
    """Raise the errors of :func:`_module_paths`, and ProgramError for an undefined module or handle, or a tensor hook without ``on``."""
    prefix = f"{source} ({program.name})"
    paths, library = _module_paths(program, prefix)
    for registration in registrations(program):
        name, on = registration["hook"], registration.get("on", "")
        if registration["kind"] in ("tensor", "accumulated"):
            if "on" not in registration:
                raise ProgramError(f"{prefix}: hook '{name}' needs a tensor's name in 'on'")
        elif not on.startswith(("@", *library)) and on not in paths:
            raise ProgramError(f"{prefix}: hook '{name}' is on '{on}', but there is no such module")
    handles = {registration.get("handle", registration["hook"]) for registration in registrations(program)}
    handles |= {step["as"] for step in steps(program.steps) if step["do"] == "handle_copy"}
    for step in steps(program.steps):
        if "raises" in step:
            continue  # the unknown name may be the error that the step expects
        module = step.get("module", "")
        if not module.startswith(("@", *library)) and module not in paths:
            raise ProgramError(f"{prefix}: step '{step['do']}' has the module '{module}', but there is no such module")
        for handle in (*step.get("handles", ()), *([step["handle"]] if "handle" in step else [])):
            if handle not in handles:
                raise ProgramError(
                    f"{prefix}: step '{step['do']}' has the handle '{handle}', but no registration defines it"
                )


def _module_paths(program: Program, prefix: str) -> tuple[set[str], set[str]]:
    """Return a program's module paths, and the path prefixes of ``attention`` and ``encoder`` nodes, whose submodules PyTorch creates.

    Raises ProgramError for two modules with one path, and for a ``same`` that refers to no earlier path.
    """
    paths: set[str] = set()
    library: set[str] = set()
    for path, node in nodes(program.tree):
        if path in paths:
            raise ProgramError(f"{prefix}: two modules have the path '{path}'")
        same = node.get("same")
        if same is not None and same not in paths:
            raise ProgramError(f"{prefix}: '{path}' refers to the module at '{same}', which is not defined before it")
        paths.add(path)
        if same is not None:
            paths |= {path + other.removeprefix(same) for other in paths if other.startswith(f"{same}.")}
        elif node.get("kind") in ("attention", "encoder"):
            library.add(f"{path}.".lstrip("."))
    return paths, library
