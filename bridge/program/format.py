"""A hook program: a module tree and steps that any runtime can run, parsed and validated.

What the words mean is in ``docs/programs.md``; the format is ``contract/program.schema.json``.

Steps, nodes and values stay JSON. A class for each (some forty words, with their optional fields) would say the schema a second time:
C# reads the same JSON, the schema is what refuses a program, and a step is read once, by the method of its name.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Final

from bridge.program.errors import ProgramError
from bridge.program.validation import reason

#: A value, a step, a node or an event as JSON has it.
Json = Any

_CONTRACT: Final = Path(__file__).parents[1] / "contract"
_CORPUS: Final = _CONTRACT / "programs"


@dataclass(frozen=True, slots=True)
class Program:
    """One hook program.

    ``clauses`` are the ids that it proves, ``tree`` the root node, ``steps`` what is done, ``expect`` the trace that PyTorch leaves
    (None in a program that has not been accepted yet). ``identity`` asks for the identity classes of tensors in the trace. ``expect`` holds
    from PyTorch ``since`` on ("": from the first that its clauses are about), and no longer in ``until`` if that is not None.
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
        """The program as in its file."""
        found: dict[str, Json] = {"name": self.name, "clauses": list(self.clauses), "about": self.about}
        if self.identity:
            found["identity"] = True
        found |= {key: version for key in ("since", "until") if (version := getattr(self, key))}
        found |= {"tree": self.tree, "steps": list(self.steps)}
        if self.expect is not None:
            found["expect"] = list(self.expect)
        return found


def parse(data: Mapping[str, Json] | str | bytes, *, source: str = "the program", validate: bool = True) -> Program:
    """A program from JSON.

    ``source`` names it in messages. Without ``validate`` only what is needed to run it is looked at: for programs that a test
    validates. Raises ProgramError.
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
    """A program from a file. Raises ProgramError, and OSError when the file cannot be read."""
    return parse(path.read_bytes(), source=path.name, validate=validate)


def corpus() -> tuple[Program, ...]:
    """The contract's own programs, in the order of their chapters and names."""
    return tuple(load(path, validate=False) for path in corpus_files())


def corpus_files() -> list[Path]:
    """The files of :func:`corpus`, one per program, one folder per chapter."""
    return sorted(_CORPUS.rglob("*.json"))


def dumps(program: Program) -> str:
    """The program as text for a file: one step, one event a line."""

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
    """The nodes of a tree with their module paths, parents first; further places of a module are included."""
    yield path, tree
    for child in tree.get("children", ()):
        yield from nodes(child, f"{path}.{child['name']}" if path else child["name"])


def steps(items: Any) -> Iterator[Mapping[str, Json]]:
    """Steps, those within steps included, in order."""
    for step in items:
        yield step
        yield from steps(step.get("steps", ()))


def registrations(program: Program) -> Iterator[Mapping[str, Json]]:
    """Every registration in a program: by steps, by actions, by nodes of the kind ``register``."""

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
    """What a runtime must support to run a program.

    ``step:call``, ``node:leaf``, ``hook:pre``, ``action:add``, ``value:tuple``, ``option:always_call`` (of a registration),
    ``read:grad`` (by step or action), and the flags ``global``, ``kwargs`` (of a call), ``parameters``, ``identity``, ``threads`` (several
    at once).
    """
    found = {"identity"} if program.identity else set()

    def look(item: Json) -> None:
        if isinstance(item, list):
            for part in item:
                look(part)
        elif isinstance(item, Mapping):
            if len(item) == 1 and (form := next(iter(item))) in _FORMS:
                found.add(f"value:{form}")
            for part in item.values():
                look(part)

    look(program.tree)
    look(list(program.steps))
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
            found.add(f"action:{next(iter(action))}")
            found |= {f"read:{action['read']['what']}"} if "read" in action else set()
    return frozenset(found)


_FORMS: Final = frozenset({"plain", "text", "vector", "tuple", "list", "dict", "name"})


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
    paths: set[str] = set()
    library: set[str] = set()  # what begins so is a module that the library made, and not known here
    for path, node in nodes(program.tree):
        if path in paths:
            raise ProgramError(f"{source} ({program.name}): two modules have the path '{path}'")
        if "same" in node and node["same"] not in paths:
            raise ProgramError(
                f"{source} ({program.name}): '{path}' refers to the module at '{node['same']}', which is not defined before it"
            )
        paths.add(path)
        if "same" in node:
            paths |= {
                path + other.removeprefix(node["same"]) for other in paths if other.startswith(f"{node['same']}.")
            }
        library |= {f"{path}.".lstrip(".")} if node.get("kind") in ("attention", "encoder") else set()
    for registration in registrations(program):
        on = registration.get("on", "")
        if registration["kind"] in ("tensor", "accumulated"):
            if "on" not in registration:
                raise ProgramError(
                    f"{source} ({program.name}): hook '{registration['hook']}' needs a tensor's name in 'on'"
                )
        elif not on.startswith(("@", *library)) and on not in paths:
            raise ProgramError(
                f"{source} ({program.name}): hook '{registration['hook']}' is on '{on}', but there is no such module"
            )
    handles = {registration.get("handle", registration["hook"]) for registration in registrations(program)}
    handles |= {step["as"] for step in steps(program.steps) if step["do"] == "handle_copy"}
    for step in steps(program.steps):
        if "raises" in step:
            continue  # it may be about the error that this is
        module = step.get("module", "")
        if not module.startswith(("@", *library)) and module not in paths:
            raise ProgramError(
                f"{source} ({program.name}): '{step['do']}' is of '{module}', but there is no such module"
            )
        for handle in (*step.get("handles", ()), *([step["handle"]] if "handle" in step else [])):
            if handle not in handles:
                raise ProgramError(
                    f"{source} ({program.name}): '{step['do']}' is of '{handle}', but no registration defines that handle"
                )
