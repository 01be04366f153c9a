"""The comparison of a PyTorch model with its C# port: one run of each, the differences, and their causes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import torch

from bridge.compare import setting_cause
from bridge.compare.alignment import dotnet_arguments, keyed_modules, reorder_values
from bridge.compare.errors import InputsError
from bridge.compare.findings import Finding
from bridge.compare.io.containers import KeyedOutputs, count, differences
from bridge.compare.io.inputs import Inputs
from bridge.compare.io.outputs import DefaultOutputs, Outputs
from bridge.compare.isolate.judge import judge_modules
from bridge.compare.isolate.phrasing.findings import phrase_findings
from bridge.compare.isolate.state_guard import preserve_state, set_buffers
from bridge.compare.models.renamed_model import RenamedModel
from bridge.compare.result import Comparison
from bridge.compare.run import ModelRaisedError, ModelRun, one_thread, run, runtime_name
from bridge.compare.run_comparison import compare_runs
from bridge.torchsharp.process.remote_module import RemoteModule
from bridge.trace.diff.allowed import Allowed
from hook_contract.output.sentences import suggest


def compare(
    python: torch.nn.Module,
    dotnet: torch.nn.Module,
    inputs: Inputs,
    *,
    train: bool = False,
    backward: bool = False,
    device: str = "cpu",
    rtol: float = 0.0,
    atol: float = 0.0,
    seed: int = 0,
    lockstep: bool | None = None,
    step: Callable[[str], None] = lambda _: None,
    outputs: Outputs | None = None,
    by_path: Sequence[tuple[str, float]] = (),
    exact: bool = False,
    any_structure: bool = False,
) -> Comparison:
    """Run both models, and compare structure, values, buffers and (with ``backward``) gradients.

    - ``python`` may also be the same C# model as ``dotnet``, on another runtime.
    - No weights are copied: :func:`bridge.compare.models.weights.share` does that.
    - ``step`` is called with the name of each step.
    - ``outputs`` chooses the results of the PyTorch model; by default, as many are compared as the .NET model returns
      (:mod:`bridge.compare.io.outputs`).
    - ``by_path`` has pairs of a module path and the ``atol`` for this path (:class:`bridge.trace.diff.allowed.Allowed`).
    - Differences of gradients within the rounding errors of sums (:mod:`bridge.compare.tolerance`) are ignored, unless ``exact``.
    - Results that are nested or keyed differently are a difference, unless ``any_structure`` (:mod:`bridge.compare.io.containers`).
    - If ``lockstep`` is true, each C# module also runs in isolation, on the inputs of its PyTorch counterpart. If ``lockstep`` is None,
      all modules run in isolation if something differs, else only those of :func:`bridge.compare.alignment.keyed_modules`. If
      ``lockstep`` is false, no module runs in isolation.

    If one model raises, the events before the exception are compared. Raises InputsError, and RunError if a model cannot run or both
    raise.
    """
    allowed = Allowed(rtol, atol, tuple(by_path))
    _check_paths(python, allowed)
    models = _Models(python, dotnet, allowed, train, backward, device, seed, exact, step)
    arguments = inputs.bind(python)
    left, right, chosen, by_key = models.run(arguments, outputs)
    step("comparing")
    compared = models.compare(left, right)
    structure: list[Finding] = []
    # Results of inner modules are compared by key only when the modules run in isolation.
    keyed = frozenset() if compared.differs else keyed_modules(left.trace, left.labels, python, dotnet)
    if lockstep or (lockstep is None and (compared.differs or keyed)):
        only = None if lockstep or compared.differs else keyed
        left, compared, structure = models.isolate(compared, left, right, arguments, only)
    causes = setting_cause.find_causes(compared, python, dotnet, lambda: models.compare_again(left, right))
    containers = differences(left.form, right.form, (left.runtime, right.runtime))
    structure[:0] = [Finding("structure", "", words) for words in containers]
    return replace(
        compared,
        modules=replace(compared.modules, causes=causes),
        found=(*compared.found, *chosen.findings(), *by_key.findings()),
        structure=() if compared.raised or any_structure else tuple(structure),
        csharp_paths=dotnet.csharp_paths if isinstance(dotnet, RenamedModel) else {},
    )


def _check_paths(python: torch.nn.Module, allowed: Allowed) -> None:
    """Raise InputsError for a tolerance whose path matches no module."""
    paths = [path for path, _ in python.named_modules()]
    if unused := allowed.unused(paths):
        raise InputsError(f"--atol: the PyTorch model has no module {unused[0]}.{suggest(unused[0], paths)}")


@dataclass(slots=True)
class _Models:
    """The two models, with the options of their runs and of the comparison."""

    python: torch.nn.Module
    dotnet: torch.nn.Module
    allowed: Allowed
    train: bool
    backward: bool
    device: str
    seed: int
    exact: bool
    step: Callable[[str], None]
    _dotnet_arguments: Mapping[str, Any] = field(default_factory=dict)
    #: Maps the name of each tensor argument of the .NET model to the name of the first PyTorch argument that is the same tensor.
    _names: Mapping[str, str] = field(default_factory=dict)

    def run(
        self, arguments: Mapping[str, Any], outputs: Outputs | None
    ) -> tuple[ModelRun, ModelRun, Outputs | DefaultOutputs, KeyedOutputs]:
        """Run both models; return their runs and the two objects that choose and order PyTorch's results.

        Raises InputsError, and RunError if a model cannot run or both raise.
        """
        theirs = dotnet_arguments(self.python, self.dotnet, arguments)
        self._names = {
            name: next(key for key, argument in arguments.items() if argument is value)
            for name, value in theirs.items()
            if isinstance(value, torch.Tensor)
        }
        self._dotnet_arguments = self._on_device(theirs)
        with one_thread():
            # .NET runs first, since the number of its results decides which of PyTorch's results are compared and differentiated.
            right, dotnet_error = self._run_dotnet()
            chosen = outputs or DefaultOutputs(len(right.result_names), count(right.form))
            by_key = KeyedOutputs(right.form, chosen, some=outputs is None)
            left, python_error = self._try("", self.python, self._on_device(arguments), by_key)
        if python_error is not None and dotnet_error is not None:
            raise python_error
        if isinstance(self.dotnet, RemoteModule) or isinstance(self.python, RemoteModule):
            # The arguments are not compared: TorchSharp's process receives copies, so it cannot change the originals.
            left, right = replace(left, arguments={}), replace(right, arguments={})
        return left, right, chosen, by_key

    def compare(self, left: ModelRun, right: ModelRun) -> Comparison:
        return compare_runs(
            self.python, self.dotnet, left, right, self.allowed, backward=self.backward, exact=self.exact
        )

    def isolate(
        self,
        compared: Comparison,
        left: ModelRun,
        right: ModelRun,
        arguments: Mapping[str, Any],
        only: frozenset[str] | None,
    ) -> tuple[ModelRun, Comparison, list[Finding]]:
        """Run each C# module in isolation, or only the modules at the paths ``only``.

        Return PyTorch's run with results in the order of C#'s keys, the comparison with the new findings, and the findings on structure.
        """
        names = (left.runtime, right.runtime)
        with one_thread():
            judged = judge_modules(
                self.python,
                self.dotnet,
                self._on_device(arguments),
                left.before,
                settings=compared.modules.settings,
                names=names,
                tolerances=self.allowed.at,
                seed=self.seed,
                backward=self.backward,
                only=only,
                step=self.step,
            )
        if judged.leaf_orders:
            left = reorder_values(left, judged.leaf_orders)
            compared = self.compare(left, right)
        phrased = phrase_findings(judged, names, compared.raised_in if right.raised else None)
        structure = [finding for finding in phrased if finding.kind == "structure"]
        rest = (finding for finding in phrased if finding.kind != "structure")
        return left, replace(compared, found=(*compared.found, *rest)), structure

    def compare_again(self, left: ModelRun, right: ModelRun) -> Comparison:
        """Run the .NET model again, with the buffers from before the run ``right``, and compare the new run with ``left``.

        Afterwards, both models have their previous state.
        """
        with preserve_state(self.python, self.dotnet), one_thread():
            set_buffers(self.dotnet, right.before)
            return self.compare(left, self._run_dotnet(f" with settings of {runtime_name(self.python)}")[0])

    def _run_dotnet(self, how: str = "") -> tuple[ModelRun, ModelRaisedError | None]:
        made, error = self._try(how, self.dotnet, self._dotnet_arguments, lambda result: result)
        return replace(made, arguments={self._names[name]: value for name, value in made.arguments.items()}), error

    def _try(
        self, how: str, model: torch.nn.Module, arguments: Mapping[str, Any], choose: Callable[[Any], Any]
    ) -> tuple[ModelRun, ModelRaisedError | None]:
        self.step(f"running {runtime_name(model)}{how}")
        options: dict[str, Any] = {"train": self.train, "backward": self.backward, "seed": self.seed}
        try:
            model.to(self.device)  # in place: a model's own ``to`` may return nothing
            return run(model, arguments, choose=choose, **options), None
        except ModelRaisedError as error:
            return error.run, error

    def _on_device(self, arguments: Mapping[str, Any]) -> dict[str, Any]:
        return {
            name: value.to(self.device) if isinstance(value, torch.Tensor) else value
            for name, value in arguments.items()
        }
