"""The pytest plugin: the options ``--bridge-runtime``, ``--bridge-device`` and ``--bridge-filter``, and two fixtures for models.

pytest imports this module at every start in an environment with the package, so slow modules are imported at first use.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from importlib import import_module
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    import torch

    from bridge.runtimes.recording import Values
    from bridge.trace import Trace
    from hook_contract.conformance.judgement import Outcome
    from hook_contract.conformance.suite import Suite
    from hook_contract.program import Program
    from hook_contract.runtimes.runtime import Runtime


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("bridge", "torchsharp-bridge: the hook contract")
    group.addoption(
        "--bridge-runtime",
        action="append",
        default=[],
        metavar="NAME",
        help="also run the contract's hook programs on this runtime, such as dotnet; repeatable",
    )
    group.addoption(
        "--bridge-device", action="append", default=[], metavar="NAME", help="the device, cpu by default; repeatable"
    )
    group.addoption(
        "--bridge-filter",
        action="append",
        default=[],
        metavar="CLAUSE|GLOB",
        help="only programs of this clause or name; repeatable",
    )


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "bridge: a hook program of the contract, on a runtime (--bridge-runtime)")


@pytest.hookimpl(tryfirst=True)  # before -k and -m deselect items
def pytest_collection_modifyitems(session: pytest.Session, config: pytest.Config, items: list[pytest.Item]) -> None:
    if names := config.getoption("--bridge-runtime"):
        items += Programs.from_parent(session, name="bridge", nodeid="bridge", names=names).collect()


class Programs(pytest.Collector):
    """The collector of the hook programs on the runtimes of ``--bridge-runtime``."""

    def __init__(self, *, names: list[str], **rest: Any) -> None:
        super().__init__(**rest)
        self._names = names

    def collect(self) -> Iterator[pytest.Item]:
        from bridge.conformance.choice import prepare_suite
        from hook_contract.conformance.errors import SelectionError
        from hook_contract.runtimes.errors import AdapterError, UnknownRuntimeError

        try:
            suite = prepare_suite(self._names, self.config.getoption("--bridge-filter"))
        except (AdapterError, UnknownRuntimeError) as error:
            raise pytest.UsageError(f"--bridge-runtime: {error}") from None
        except SelectionError as error:
            raise pytest.UsageError(f"--bridge-filter: {error}") from None
        devices = self.config.getoption("--bridge-device") or ["cpu"]
        for device in devices:
            if not any(device in runtime.devices for runtime in suite.runtimes):
                raise pytest.UsageError(f"--bridge-device: {', '.join(self._names)} has no device {device} here")
        for runtime in suite.runtimes:
            for device in devices:
                where = runtime.name if device == "cpu" else f"{runtime.name}-{device}"
                for program in suite.selection.programs:
                    yield ProgramItem.from_parent(
                        self,
                        name=f"{program.name}[{where}]",
                        suite=suite,
                        runtime=runtime,
                        program=program,
                        device=device,
                    )


class ProgramItem(pytest.Item):
    """A test of a program on a runtime and device, in all of the runtime's variants (ways to run a program)."""

    def __init__(self, *, suite: Suite, runtime: Runtime, program: Program, device: str, **rest: Any) -> None:
        super().__init__(**rest)
        self._suite, self._runtime, self._program, self._device = suite, runtime, program, device
        self.add_marker("bridge")

    def runtest(self) -> None:
        from hook_contract.conformance.errors import ProgramFailedError
        from hook_contract.conformance.judgement import DIVERGES, ERROR, FAIL, PASS

        found = list(self._suite.outcomes(self._runtime, self._program, self._device))
        states = {item.state for item in found}
        if states & {FAIL, ERROR}:
            failed = [item for item in found if item.state in (FAIL, ERROR)]
            raise ProgramFailedError("\n\n".join(self._suite.describe(item) for item in failed))
        if DIVERGES in states:
            pytest.xfail("; ".join(dict.fromkeys(f"{item.row}: {item.reason}" for item in found if item.row)))
        if PASS not in states:
            pytest.skip("; ".join(dict.fromkeys(self._skip_reason(item) for item in found)))

    def _skip_reason(self, item: Outcome) -> str:
        """Return why a run is skipped, in one line. For an unjudged run (:attr:`Outcome.unjudged`), the line has the first difference."""
        if not item.unjudged:
            return item.reason
        from hook_contract.conformance.terminal import describe_outcome

        return " ".join(line.strip() for line in describe_outcome(item))

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        from hook_contract.conformance.errors import ProgramFailedError

        if isinstance(excinfo.value, ProgramFailedError):
            return str(excinfo.value)
        return super().repr_failure(excinfo, style)

    def reportinfo(self) -> tuple[Any, int | None, str]:
        return self.path, None, self.name


@pytest.fixture
def hook_trace() -> Callable[..., Trace]:
    """Return ``hook_trace(model, *inputs, **named)``, which calls a PyTorch or C# model and returns the trace of its module calls.

    With ``values="digest"``, the trace has digests of the tensors' elements. With ``values="full"``, it has the elements too.
    """

    def recorded(model: torch.nn.Module, *inputs: Any, values: Values = "none", **named: Any) -> Trace:
        from bridge.runtimes import record

        with record(model, values=values) as recording:
            model(*inputs, **named)
        return recording.trace

    return recorded


@pytest.fixture
def same_model() -> Callable[..., None]:
    """Return :func:`bridge.testing.assert_same_model`: ``same_model(original, port, *inputs, **options)``."""
    # Imported by name, since bridge.testing is in a layer above this package.
    assert_same_model: Callable[..., None] = import_module("bridge.testing").assert_same_model
    return assert_same_model
