"""Results as files, one for each runtime and version, that are kept and compared (``contract/result.schema.json``).

A file depends only on the runtime, its version, the device, the contract and PyTorch's version, so that a change of the file is a change
of the runtime's behavior.
"""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Final

from hook_contract.conformance.errors import ResultsError
from hook_contract.conformance.judgement import PASS, Judgement, Outcome
from hook_contract.contract import Contract
from hook_contract.contract.versions import release
from hook_contract.output.files import output_errors, write_atomically
from hook_contract.program import Json
from hook_contract.program.validation import reason

FORMAT: Final = 1
_SCHEMA: Final = Path(__file__).parents[2] / "contract" / "result.schema.json"


@dataclass(frozen=True, slots=True)
class Result:
    """The result of a runtime in one version on one device.

    Attributes:
        pytorch: The version of PyTorch whose behavior was expected.
        clauses: For each clause, its ``state``, the numbers of runs ``passed`` and ``total``, and a ``reason`` for any state but ``pass``.
        programs: For each program, its runs: the ``variant`` (if it is not ""), the ``state`` and, if that is not ``pass``, the ``reason``,
            the ledger's ``row`` and the ``trace``.
    """

    runtime: str
    version: str
    device: str
    contract: str
    pytorch: str
    clauses: Mapping[str, Mapping[str, Json]]
    programs: Mapping[str, tuple[Mapping[str, Json], ...]]

    @property
    def short_version(self) -> str:
        """Return the first release number in the version, or the version itself if it has none."""
        try:
            return str(release(self.version))
        except ValueError:
            return self.version


def results_of(judgement: Judgement, contract: Contract) -> tuple[Result, ...]:
    """Return the results of a judgement, in the order of its runtimes and devices."""
    return tuple(
        Result(
            name,
            version,
            device,
            contract.version,
            judgement.pytorch,
            {
                cell.clause: {
                    "state": cell.state,
                    "passed": cell.passed,
                    "total": cell.total,
                    **_given(reason=cell.reason),
                }
                for cell in judgement.cells
                if (cell.runtime, cell.device) == (name, device)
            },
            _programs(item for item in judgement.outcomes if (item.ran.runtime, item.ran.device) == (name, device)),
        )
        for name, version in judgement.runs.versions.items()
        for device in judgement.runs.devices
    )


def _programs(outcomes: Iterable[Outcome]) -> dict[str, tuple[dict[str, Json], ...]]:
    found: dict[str, list[dict[str, Json]]] = defaultdict(list)
    for item in outcomes:
        run = {"state": item.state, **_given(variant=item.ran.variant)}
        if item.state != PASS:
            run |= _given(reason=item.reason, row=item.row)
        if item.difference is not None:
            run["trace"] = list(item.ran.events)
        found[item.ran.program.name].append(run)
    return {name: tuple(runs) for name, runs in found.items()}


def _given(**fields: str) -> dict[str, Json]:
    return {name: value for name, value in fields.items() if value}


def write_results(folder: Path, judgement: Judgement, contract: Contract) -> list[Path]:
    """Write ``NAME@VERSION.json`` for each runtime (``NAME@VERSION-DEVICE.json`` for other devices than ``cpu``), and return the paths.

    Raises OutputError.
    """
    written = []
    for result in results_of(judgement, contract):
        path = folder / _file_name(result)
        with output_errors(path):
            write_atomically(path, dumps(result))
        written.append(path)
    return written


def _file_name(result: Result) -> str:
    """Return the name of a result's file. Characters that a file's name cannot have everywhere become hyphens."""
    device = "" if result.device == "cpu" else f"-{result.device}"
    return re.sub(r"[^\w.+@-]+", "-", f"{result.runtime}@{result.short_version}{device}") + ".json"


def dumps(result: Result) -> str:
    """Return the text of a result's file, with a line for each clause and program."""

    def block(items: Mapping[str, Any]) -> str:
        lines = ",\n".join(
            f"    {json.dumps(name)}: {json.dumps(item, ensure_ascii=False)}" for name, item in items.items()
        )
        return f"{{\n{lines}\n  }}" if items else "{}"

    head = {
        "format": FORMAT,
        "runtime": result.runtime,
        "version": result.version,
        "device": result.device,
        "contract": result.contract,
        "pytorch": result.pytorch,
    }
    lines = [f"  {json.dumps(name)}: {json.dumps(value, ensure_ascii=False)}" for name, value in head.items()]
    programs = {name: "pass" if runs == ({"state": PASS},) else runs for name, runs in result.programs.items()}
    lines += [f'  "clauses": {block(result.clauses)}', f'  "programs": {block(programs)}']
    return "{\n" + ",\n".join(lines) + "\n}\n"


def read(path: Path) -> Result:
    """Read the file of a result. Raises ResultsError, and OSError if the file cannot be read."""
    import jsonschema

    try:
        data = json.loads(path.read_bytes())
    except (ValueError, RecursionError) as error:
        raise ResultsError(f"{path} is not JSON: {error}") from None
    fault = jsonschema.exceptions.best_match(_validator().iter_errors(data))
    if fault is not None:
        raise ResultsError(f"{path}: at {fault.json_path}: {reason(fault)}")
    programs = {name: ({"state": PASS},) if runs == PASS else tuple(runs) for name, runs in data["programs"].items()}
    fields = ("runtime", "version", "device", "contract", "pytorch", "clauses")
    return Result(**{name: data[name] for name in fields}, programs=programs)


def read_folder(folder: Path) -> list[Result]:
    """Read all results of a folder, by name and version. Raises ResultsError for a file that is not a result, or if there is none."""
    found = [read(path) for path in sorted(folder.glob("*.json"))]
    if not found:
        raise ResultsError(f"{folder} has no results: write some with --results {folder}.")
    return sorted(found, key=_order)


def _order(result: Result) -> tuple[str, str, Any, str]:
    try:
        number: Any = release(result.version).release
    except ValueError:
        number = ()
    return result.runtime, result.device, number, result.version


@cache
def _validator() -> Any:
    import jsonschema

    return jsonschema.Draft202012Validator(json.loads(_SCHEMA.read_bytes()))
