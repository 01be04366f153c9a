"""The reader of the contract's files."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any, Final

from hook_contract.contract.clause import LEVELS, Chapter, Clause, Contract
from hook_contract.contract.errors import ContractError

_HERE: Final = Path(__file__).parent
_VERSION: Final = re.compile(r"\d+\.\d+(\.\d+)?")
#: The required and the optional keys of contract.toml.
_CONTRACT: Final = frozenset({"version", "chapters", "prose"})
_TESTED: Final = frozenset({"tested"})
#: The required keys of a chapter's file.
_CHAPTER: Final = frozenset({"chapter", "title", "prose", "clause"})
#: The required and the optional keys of a clause.
_CLAUSE: Final = frozenset({"id", "level", "since", "text"})
_OPTIONAL: Final = frozenset({"until", "note", "example"})


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
    entries = data["clause"]
    if not isinstance(entries, list) or not all(isinstance(entry, dict) for entry in entries):
        raise ContractError(path, "'clause' must be an array of tables")
    clauses = tuple(_clause(path, entry, letter) for entry in entries)
    seen: set[str] = set()
    for clause in clauses:
        if clause.id in seen:
            raise ContractError(path, "the id is used twice", clause.id)
        seen.add(clause.id)
    return Chapter(letter, _text(path, data, "title"), _prose(path, data), clauses)


def _clause(path: Path, data: Mapping[str, Any], letter: str) -> Clause:
    id = _text(path, data, "id")
    _keys(path, data, _CLAUSE, _OPTIONAL, id)
    if re.fullmatch(rf"{re.escape(letter)}-[1-9][0-9]*[a-z]?", id) is None:
        raise ContractError(
            path, f"the id must be '{letter}-' and a number such as 1 or 1a, as this is chapter {letter}", id
        )
    level = _text(path, data, "level", id)
    if level not in LEVELS:
        raise ContractError(path, f"the level '{level}' is not one of {', '.join(LEVELS)}", id)
    note = _text(path, data, "note", id) if "note" in data else ""
    since = _version(path, data, "since", id)
    until = _version(path, data, "until", id) if "until" in data else None
    example = _text(path, data, "example", id) if "example" in data else ""
    clause = Clause(id, _text(path, data, "text", id), level, since, until, note, example)
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
