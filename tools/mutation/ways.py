"""Judge the wrong runtimes of :mod:`mutation.served` in processes of their own, as a user of hook-contract would run them."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor, as_completed
from typing import Final

from hook_contract.conformance.judgement import ERROR, FAIL
from hook_contract.conformance.suite import prepare, run_suite
from hook_contract.runtimes.command import CommandRuntime
from hook_contract.runtimes.errors import AdapterError
from hook_contract.runtimes.loading import find_runtime
from mutation.scoring import Verdict

#: The text for ``--runtime`` by way in.
WAYS: Final[Mapping[str, Callable[[str], str]]] = {
    "an object": lambda name: f"mutation.served:{name}",
    "a command": lambda name: f'"{sys.executable}" -m mutation.served {name}',
}
#: Seconds for a program.
_LIMIT: Final = 5.0


def verdicts_by(
    way: str, names: Iterable[str], jobs: int = 2, progress: Callable[[int], None] = lambda done: None
) -> Iterator[Verdict]:
    """Yield the verdict on each wrong runtime, in no order."""
    with ThreadPoolExecutor(jobs) as pool:
        running = [pool.submit(judge, name, way) for name in names]
        for done, future in enumerate(as_completed(running), 1):
            progress(done)
            yield future.result()


def judge(name: str, way: str) -> Verdict:
    """Judge a runtime by the entire corpus. It counts as caught if ``run`` would not exit with 0."""
    try:
        runtime = find_runtime(WAYS[way](name), _LIMIT)
    except AdapterError as error:
        return Verdict(name, "", f"refused: {error}")
    assert isinstance(runtime, CommandRuntime)
    devices = runtime.devices[-1:]  # the runtime that lies about devices has two
    try:
        found = run_suite(prepare([runtime]), devices)
    finally:
        runtime.close()
    if found.passed:
        return Verdict(name, None)
    states = Counter(item.state for item in found.outcomes)
    first = next((item.ran.program.name for item in found.outcomes if item.state == FAIL), "")
    return Verdict(
        name, first, f"{states[FAIL]} fail, {states[ERROR]} errors; {next(iter(found.problems), 'no problem')}"
    )
