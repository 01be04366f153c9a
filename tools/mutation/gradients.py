"""Mistakes in the hooks of backward, of Tensors and of their gradients, and in what modules are (chapters B, L, T, Q, I, Z)."""

from __future__ import annotations

from typing import Final

from mutation.mistake import Change, Wrong, one
from mutation.scoring import INTERPRETER, NODES

_GRAD_INPUT = "grad_input: Any = tuple(None if index is None else grads[index] for index in self.inputs)"
_NOT_IMPLEMENTED = "    def forward(self, *input: Any) -> Any:\n        raise NotImplementedError"


def _copies(body: str) -> Change:
    """A deep copy of a module that is the shallow one, then ``body``."""
    method = f"""    def __deepcopy__(self, memo):
        import copy
        memo[id(self)] = result = copy.copy(self)
        result.parts = copy.deepcopy(self.parts, memo)
        {body}
        return result

"""
    return _NOT_IMPLEMENTED, method + _NOT_IMPLEMENTED


GRADIENTS: Final = (
    one(
        "live-backward-hooks",
        "Backward hooks are those of the backward, not of the call.",
        f"{_GRAD_INPUT}\n        for _, hook in self.full_hooks:",
        f'{_GRAD_INPUT}\n        for _, hook in self.hooks("backward"):',
    ),
    one(
        "grad-input-of-tensors",
        "grad_input has no places for what is no Tensor.",
        _GRAD_INPUT,
        "grad_input: Any = tuple(grads)",
    ),
    one(
        "grad-input-ignored",
        "What a full backward hook returns is not used.",
        "grad_input = grad_input if changed is None else changed  # B-12",
        "pass",
    ),
    one(
        "none-for-zeros",
        "A gradient that nobody gave is None.",
        "Tensor([0.0] * len(like.data), like.shape) if grad is None else grad",
        "grad",
    ),
    Wrong(
        "grad-output-only-shown",
        "What a backward pre hook returns is shown to the next hooks and does not go on.",
        (
            (
                "self.grad_output = tuple(None if index is None else grads[index] for index in self.outputs)",
                "given = self.grad_output = tuple(None if index is None else grads[index] for index in self.outputs)",
            ),
            ("return tuple(self.grad_output[place] for", "return tuple(given[place] for"),
        ),
    ),
    Wrong(
        "full-hook-sees-the-first-grad-output",
        "Full backward hooks see grad_output from before the pre hooks.",
        (
            (
                "self.grad_output = tuple(None if index is None else grads[index] for index in self.outputs)",
                "given = self.grad_output = tuple(None if index is None else grads[index] for index in self.outputs)",
            ),
            (
                "return tuple(self.grad_output[place] for",
                "kept, self.grad_output = self.grad_output, given\n        return tuple(kept[place] for",
            ),
        ),
    ),
    one(
        "early-hook-without-a-warning",
        "A full hook that fires without input gradients is not told.",
        'warnings.warn("Full backward hook is firing when gradients are computed", UserWarning, stacklevel=2)  # B-9',
        "pass",
    ),
    one(
        "legacy-before-its-module",
        "A legacy hook stands on the node before the module's last.",
        "node, module, args = first.grad_fn,",
        "node, module, args = first.grad_fn and (first.grad_fn.edges[0] or (None,))[0],",
    ),
    one(
        "legacy-hooks-reversed",
        "Legacy hooks run newest first.",
        "for _, hook in hooks]  # L-4, L-9",
        "for _, hook in reversed(hooks)]",
    ),
    one(
        "legacy-keeps-its-module",
        "A legacy hook keeps its module alive.",
        "weakref.ref(self.module), self.args",
        "(lambda kept=self.module: kept), self.args",
    ),
    one(
        "tensor-hooks-reversed",
        "Tensor hooks run newest first.",
        "fire(hooks.values(), grads[index])",
        "fire(reversed(hooks.values()), grads[index])",
    ),
    Wrong(
        "tensor-hooks-see-the-first-gradient",
        "Each Tensor hook sees the gradient as it came.",
        (
            ("for hook in list(hooks):  # T-7", "first = value\n    for hook in list(hooks):"),
            ("result = hook(value, *rest)", "result = hook(first, *rest)"),
        ),
    ),
    Wrong(
        "retained-before-the-hooks",
        "retain_grad keeps the gradient from before the Tensor hooks.",
        (
            ("for index, hooks in self.hooks:", "first = list(grads)\n        for index, hooks in self.hooks:"),
            ("if grads[index] is not None:", "if first[index] is not None:"),
            ("tensor.grad = grads[index] +", "tensor.grad = first[index] +"),
        ),
    ),
    Wrong(
        "post-accumulate-too-early",
        "Post-accumulate hooks run before the gradient is added.",
        (
            (
                "def accumulate(self, grads: Sequence[Any], *_: Any) -> list[Any]:",
                "def accumulate(self, grads: Sequence[Any], *_: Any) -> list[Any]:\n        fire(self.accumulated.values(), self)",
            ),
            ("if fire(self.accumulated.values(), self) is not self:", "if False:"),
        ),
    ),
    one(
        "post-accumulate-sees-the-gradient",
        "A post-accumulate hook gets the gradient, not the Tensor.",
        "if fire(self.accumulated.values(), self) is not self:",
        "if fire(self.accumulated.values(), grads[0]) is not grads[0]:",
    ),
    one(
        "grad-mode-stays-on",
        "Hooks of a backward run with grad mode on.",
        'with grad_mode(step.get("create_graph", False)):',
        "with grad_mode(True):",
    ),
    one("grad-mode-of-all-threads", "no_grad holds for every thread.", "class Mode(threading.local):", "class Mode:"),
    one(
        "oldest-node-first",
        "A backward takes the node that was made first.",
        "heapq.heappush(ready, (-target.number,",
        "heapq.heappush(ready, (target.number,",
    ),
    one(
        "leaves-last",
        "A leaf's gradient is added after all else.",
        "self.accumulator.number = math.inf",
        "self.accumulator.number = -math.inf",
    ),
)

MODULES: Final = (
    Wrong("copy-shares-hooks", "A deep copy has the registries of the original.", (_copies("pass"),)),
    Wrong("copy-without-hooks", "A deep copy has no hooks.", (_copies("Hooked.__init__(result)"),)),
    one(
        "fires-on-forward",
        "Calling forward runs the hooks.",
        'self.called(step, self.module(step.get("module", "")).forward)',
        'self.called(step, self.module(step.get("module", "")))',
        INTERPRETER,
    ),
    one(
        "children-fire-on-forward",
        "A child's forward, called by its parent, runs the child's hooks.",
        'return child.forward(*args) if self.node.get("by") == "forward" else child(*args)',
        "return child(*args)",
        NODES,
    ),
    one(
        "sequential-by-forward",
        "Sequential calls its children's forward.",
        "input = child(input)  # I-15",
        "input = child.forward(input)",
        NODES,
    ),
    one(
        "composite-opened",
        "A composite that reads its child's weights calls the child.",
        'return operand(x) * child.part("weight") + child.part("bias")',
        "return child(x)",
        NODES,
    ),
    one(
        "shared-child-copied",
        "A child that is there twice is two modules.",
        'return made[node["same"]]',
        'import copy; return copy.deepcopy(made[node["same"]])',
        NODES,
    ),
    one(
        "functional-call-stays",
        "The parameters of a functional call stay.",
        "for parts, last, tensor in before:",
        "for parts, last, tensor in ():",
        INTERPRETER,
    ),
)
