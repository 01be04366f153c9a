"""The pytest plugin: the option ``--bridge-runtime``, and the fixtures ``hook_trace`` and ``same_model``.

pytest imports this module at every start in an environment with the package, so its other imports happen at first use.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from importlib import import_module
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    import torch

    from bridge.conformance.judgement import Outcome
    from bridge.conformance.suite import Suite
    from bridge.program import Program
    from bridge.runtimes.recording import Values
    from bridge.runtimes.runtime import Runtime
    from bridge.trace import Trace


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


@pytest.hookimpl(tryfirst=True)  # before -k and -m choose
def pytest_collection_modifyitems(session: pytest.Session, config: pytest.Config, items: list[pytest.Item]) -> None:
    if names := config.getoption("--bridge-runtime"):
        items += Programs.from_parent(session, name="bridge", nodeid="bridge", names=names).collect()


class Programs(pytest.Collector):
    """The programs on the runtimes of ``--bridge-runtime``."""

    def __init__(self, *, names: list[str], **rest: Any) -> None:
        super().__init__(**rest)
        self._names = names

    def collect(self) -> Iterator[pytest.Item]:
        from bridge.conformance.errors import SelectionError
        from bridge.conformance.suite import prepare_suite
        from bridge.runtimes.runtime import RUNTIMES

        for name in self._names:
            if name not in RUNTIMES:
                raise pytest.UsageError(
                    f"--bridge-runtime: unknown runtime '{name}': choose from {', '.join(RUNTIMES)}"
                )
        try:
            made = prepare_suite(self._names, self.config.getoption("--bridge-filter"))
        except SelectionError as error:
            raise pytest.UsageError(f"--bridge-filter: {error}") from None
        devices = self.config.getoption("--bridge-device") or ["cpu"]
        for device in devices:
            if not any(device in runtime.devices for runtime in made.runtimes):
                raise pytest.UsageError(f"--bridge-device: {', '.join(self._names)} has no device {device} here")
        for runtime in made.runtimes:
            for device in devices:
                where = runtime.name if device == "cpu" else f"{runtime.name}-{device}"
                for program in made.selection.programs:
                    yield ProgramItem.from_parent(
                        self,
                        name=f"{program.name}[{where}]",
                        bench=made,
                        runtime=runtime,
                        program=program,
                        device=device,
                    )


class ProgramItem(pytest.Item):
    """A program on a runtime and device, in all variants, which are known only after the run."""

    def __init__(self, *, bench: Suite, runtime: Runtime, program: Program, device: str, **rest: Any) -> None:
        super().__init__(**rest)
        self._bench, self._runtime, self._program, self._device = bench, runtime, program, device
        self.add_marker("bridge")

    def runtest(self) -> None:
        from bridge.conformance.errors import ProgramFailedError
        from bridge.conformance.judgement import DIVERGES, FAIL, PASS

        found = list(self._bench.outcomes(self._runtime, self._program, self._device))
        states = {item.state for item in found}
        if FAIL in states:
            raise ProgramFailedError("\n\n".join(self._bench.describe(item) for item in found if item.state == FAIL))
        if DIVERGES in states:
            pytest.xfail("; ".join(dict.fromkeys(f"{item.row}: {item.reason}" for item in found if item.row)))
        if PASS not in states:
            pytest.skip("; ".join(dict.fromkeys(self._why(item) for item in found)))

    def _why(self, item: Outcome) -> str:
        """Return in one line why a run was skipped, with the difference if the version is untested."""
        if not item.unjudged:
            return item.reason
        from bridge.conformance.terminal import describe_outcome

        return " ".join(line.strip() for line in describe_outcome(item))

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        from bridge.conformance.errors import ProgramFailedError

        if isinstance(excinfo.value, ProgramFailedError):
            return str(excinfo.value)
        return super().repr_failure(excinfo, style)

    def reportinfo(self) -> tuple[Any, int | None, str]:
        return self.path, None, self.name


@pytest.fixture
def hook_trace() -> Callable[..., Trace]:
    """Return ``hook_trace(model, *inputs, **named)``, which calls a model and returns the trace of the calls in it.

    The model is PyTorch's or C#'s. ``values="digest"`` or ``"full"`` keeps the tensors' digests or elements in the trace.
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
    # By name: bridge.testing is a layer above this package.
    asserted: Callable[..., None] = import_module("bridge.testing").assert_same_model
    return asserted
