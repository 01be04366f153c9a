"""The reader of the contract's files."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, Final

from bridge.contract.clause import KINDS, RUNTIMES, Chapter, Clause, Contract
from bridge.contract.errors import ContractError

_HERE: Final = Path(__file__).parent
_VERSION: Final = re.compile(r"\d+\.\d+(\.\d+)?")
#: The required and the optional keys of contract.toml.
_CONTRACT: Final = frozenset({"version", "chapters", "prose"})
_TESTED: Final = frozenset({"tested"})
#: The required keys of a chapter's file.
_CHAPTER: Final = frozenset({"chapter", "title", "runtimes", "prose", "clause"})
#: The required and the optional keys of a clause.
_CLAUSE: Final = frozenset({"id", "kind", "since", "text"})
_OPTIONAL: Final = frozenset({"until", "runtimes", "note", "example", "reason"})


@cache
def load() -> Contract:
    """Return this package's contract. The files are read once."""
    return read(_HERE)


def read(folder: Path) -> Contract:
    """Read the contract of a folder: ``contract.toml``, and ``clauses/NAME.toml`` for each name in the key ``chapters``.

    Raises ContractError, with file and clause, for a file that is missing, unlisted or not TOML, and for a missing, unknown, invalid,
    duplicate or contradictory entry.
    """
    path = folder / "contract.toml"
    data = _parse(path)
    _keys(path, data, _CONTRACT, _TESTED)
    chapters = [_chapter(folder / "clauses" / f"{name}.toml") for name in _names(path, data["chapters"], "chapters")]
    stray = {file.name for file in (folder / "clauses").glob("*.toml")} - {f"{name}.toml" for name in data["chapters"]}
    if stray:
        raise ContractError(path, f"'chapters' does not list {', '.join(sorted(stray))}")
    letters = [chapter.letter for chapter in chapters]
    for letter in letters:
        if letters.count(letter) > 1:
            raise ContractError(path, f"two chapters have the letter '{letter}'")
    tested = _version(path, data, "tested") if "tested" in data else ""
    return Contract(_version(path, data, "version"), _prose(path, data), tuple(chapters), tested)


def _chapter(path: Path) -> Chapter:
    data = _parse(path)
    _keys(path, data, _CHAPTER)
    letter = _text(path, data, "chapter")
    runtimes = _runtimes(path, data["runtimes"], RUNTIMES)
    entries = data["clause"]
    if not isinstance(entries, list) or not all(isinstance(entry, dict) for entry in entries):
        raise ContractError(path, "'clause' must be an array of tables")
    clauses = tuple(_clause(path, entry, letter, runtimes) for entry in entries)
    seen: set[str] = set()
    for clause in clauses:
        if clause.id in seen:
            raise ContractError(path, "the id is used twice", clause.id)
        seen.add(clause.id)
    return Chapter(letter, _text(path, data, "title"), _prose(path, data), runtimes, clauses)


def _clause(path: Path, data: Mapping[str, Any], letter: str, defaults: tuple[str, ...]) -> Clause:
    id = _text(path, data, "id")
    _keys(path, data, _CLAUSE, _OPTIONAL, id)
    if re.fullmatch(rf"{re.escape(letter)}-[1-9][0-9]*[a-z]?", id) is None:
        raise ContractError(
            path, f"the id must be '{letter}-' and a number such as 1 or 1a, as this is chapter {letter}", id
        )
    kind = _text(path, data, "kind", id)
    if kind not in KINDS:
        raise ContractError(path, f"the kind '{kind}' is not one of {', '.join(KINDS)}", id)
    runtimes = _runtimes(path, data["runtimes"], defaults, id) if "runtimes" in data else defaults
    reason = _text(path, data, "reason", id) if "reason" in data else ""
    if (runtimes == defaults) != (not reason):
        raise ContractError(path, "it needs a 'reason' if, and only if, it leaves a runtime of its chapter out", id)
    note = _text(path, data, "note", id) if "note" in data else ""
    since = _version(path, data, "since", id)
    until = _version(path, data, "until", id) if "until" in data else None
    example = _text(path, data, "example", id) if "example" in data else ""
    clause = Clause(id, _text(path, data, "text", id), kind, since, runtimes, until, note, reason, example)
    if not clause.holds_for(since):
        raise ContractError(path, f"'until' is {until}, which is not later than 'since', {since}", id)
    return clause


def _parse(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise ContractError(path, "there is no such file") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ContractError(path, f"it is not valid TOML: {error}") from error


def _keys(
    path: Path, data: Mapping[str, Any], needed: frozenset[str], optional: frozenset[str] = frozenset(), id: str = ""
) -> None:
    if lacking := sorted(needed - data.keys()):
        raise ContractError(path, f"'{lacking[0]}' is missing", id)
    if unknown := sorted(data.keys() - needed - optional):
        raise ContractError(path, f"'{unknown[0]}' is unknown", id)


def _text(path: Path, data: Mapping[str, Any], key: str, id: str = "") -> str:
    """Return the text of ``key`` on one line. Line breaks in the file only wrap the text."""
    value = data.get(key)
    if not isinstance(value, str) or not value.strip():
        raise ContractError(path, f"'{key}' must be a non-empty string", id)
    return " ".join(value.split())


def _prose(path: Path, data: Mapping[str, Any]) -> str:
    _text(path, data, "prose")
    return str(data["prose"]).strip()


def _version(path: Path, data: Mapping[str, Any], key: str, id: str = "") -> str:
    value = _text(path, data, key, id)
    if _VERSION.fullmatch(value) is None:
        raise ContractError(path, f"'{key}' is '{value}', which is not a version such as 2.13", id)
    return value


def _names(path: Path, value: object, key: str, id: str = "") -> list[str]:
    if not isinstance(value, list) or not value or not all(isinstance(item, str) for item in value):
        raise ContractError(path, f"'{key}' must be a non-empty array of strings", id)
    if len(set(value)) < len(value):
        raise ContractError(path, f"'{key}' has duplicates", id)
    return value


def _runtimes(path: Path, value: object, allowed: Sequence[str], id: str = "") -> tuple[str, ...]:
    names = _names(path, value, "runtimes", id)
    for name in names:
        if name not in allowed:
            raise ContractError(path, f"the runtime '{name}' is not one of {', '.join(allowed)}", id)
    return tuple(name for name in allowed if name in names)
