"""Mistakes in the hooks of backward, of Tensors and of their gradients, and in what modules are (chapters B, L, T, Q, I, Z)."""

from __future__ import annotations

from typing import Final

from mutation.mistake import Insert, Replace, Wrong, one
from mutation.scoring import AUTOGRAD, INTERPRETER, NODES, WORLD

_RETURNED = "tuple(self.grad_output[place] for place, index in enumerate(self.outputs) if index is not None)"
_GRAD_INPUT = "grad_input: Any = tuple(None if index is None else grads[index] for index in self.inputs)"


def _copies(body: str) -> Insert:
    """Return the source of a deep copy of a module that equals the shallow copy, then ``body``."""
    method = f"""
def __deepcopy__(self, memo):
    import copy
    memo[id(self)] = result = copy.copy(self)
    result.parts = copy.deepcopy(self.parts, memo)
    {body}
    return result
"""
    return Insert(method, "Module")


GRADIENTS: Final = (
    one(
        "live-backward-hooks",
        "Backward hooks are those of the backward, not of the call.",
        _GRAD_INPUT,
        f'{_GRAD_INPUT}\nself.full_hooks = self.hooks("backward")',
    ),
    one(
        "grad-input-of-tensors",
        "grad_input has no places for what is not a Tensor.",
        _GRAD_INPUT,
        "grad_input: Any = tuple(grads)",
    ),
    one(
        "grad-input-ignored",
        "What a full backward hook returns is not used.",
        "grad_input = grad_input if changed is None else changed",
        "pass",
    ),
    one(
        "none-for-zeros",
        "A gradient that was not given is None.",
        "Tensor([0.0] * len(like.data), like.shape) if grad is None else grad",
        "grad",
    ),
    Wrong(
        "grad-output-only-shown",
        "What a backward pre hook returns is shown to the next hooks and does not go on.",
        (
            Replace(
                "self.grad_output = tuple(None if index is None else grads[index] for index in self.outputs)",
                "given = self.grad_output = tuple(None if index is None else grads[index] for index in self.outputs)",
            ),
            Replace("self.grad_output[place]", "given[place]"),
        ),
    ),
    Wrong(
        "full-hook-sees-the-first-grad-output",
        "Full backward hooks see grad_output from before the pre hooks.",
        (
            Replace(
                "self.grad_output = tuple(None if index is None else grads[index] for index in self.outputs)",
                "given = self.grad_output = tuple(None if index is None else grads[index] for index in self.outputs)",
            ),
            Replace(
                f"return {_RETURNED}",
                f"kept, self.grad_output = self.grad_output, given\nreturn {_RETURNED.replace('self.grad_output', 'kept')}",
            ),
        ),
    ),
    one(
        "early-hook-without-a-warning",
        "A full hook that fires without input gradients gives no warning.",
        'warnings.warn("Full backward hook is firing when gradients are computed", UserWarning, stacklevel=2)',
        "pass",
    ),
    one(
        "legacy-before-its-module",
        "A legacy hook is attached to the node before the module's last.",
        "first.grad_fn",
        "first.grad_fn and (first.grad_fn.edges[0] or (None,))[0]",
    ),
    one(
        "legacy-hooks-reversed",
        "Legacy hooks run newest first.",
        "[partial(weak, hook) for _, hook in hooks]",
        "[partial(weak, hook) for _, hook in reversed(hooks)]",
    ),
    one(
        "legacy-keeps-its-module",
        "A legacy hook keeps its module alive.",
        "weakref.ref(self.module)",
        "lambda kept=self.module: kept",
    ),
    one(
        "tensor-hooks-reversed",
        "Tensor hooks run newest first.",
        "fire(hooks.values(), grads[index])",
        "fire(reversed(hooks.values()), grads[index])",
        AUTOGRAD,
    ),
    Wrong(
        "tensor-hooks-see-the-first-gradient",
        "Each Tensor hook sees the gradient as it came.",
        (
            Replace("for hook in list(hooks):", "first = value\nfor hook in list(hooks):"),
            Replace("result = hook(value, *rest)", "result = hook(first, *rest)"),
        ),
        AUTOGRAD,
    ),
    Wrong(
        "retained-before-the-hooks",
        "retain_grad keeps the gradient from before the Tensor hooks.",
        (
            Replace("for index, hooks in self.hooks:", "first = list(grads)\nfor index, hooks in self.hooks:"),
            Replace("if grads[index] is not None:", "if first[index] is not None:"),
            Replace(
                "grads[index] + (0 if tensor.grad is None else tensor.grad)",
                "first[index] + (0 if tensor.grad is None else tensor.grad)",
            ),
        ),
        AUTOGRAD,
    ),
    Wrong(
        "post-accumulate-too-early",
        "Post-accumulate hooks run before the gradient is added.",
        (
            Replace("if fire(self.accumulated.values(), self) is not self:", "if False:"),
            Replace(
                "if grads[0] is not None and self.grad is not None and not GRAD.on:",
                "fire(self.accumulated.values(), self)\n"
                "if grads[0] is not None and self.grad is not None and not GRAD.on:",
            ),
        ),
        AUTOGRAD,
    ),
    one(
        "post-accumulate-sees-the-gradient",
        "A post-accumulate hook gets the gradient, not the Tensor.",
        "if fire(self.accumulated.values(), self) is not self:",
        "if fire(self.accumulated.values(), grads[0]) is not grads[0]:",
        AUTOGRAD,
    ),
    one(
        "grad-mode-stays-on",
        "Hooks of a backward run with grad mode on.",
        "with grad_mode(create_graph):",
        "with grad_mode(True):",
        AUTOGRAD,
    ),
    one(
        "grad-mode-of-all-threads",
        "no_grad holds for every thread.",
        "class Mode(threading.local):",
        "class Mode:",
        AUTOGRAD,
    ),
    one(
        "oldest-node-first",
        "A backward takes the node that was made first.",
        "(-target.number, next(order), target)",
        "(target.number, next(order), target)",
        AUTOGRAD,
    ),
    one(
        "leaves-last",
        "A leaf's gradient is added after all else.",
        "self.accumulator.number = math.inf",
        "self.accumulator.number = -math.inf",
        AUTOGRAD,
    ),
)

MODULES: Final = (
    Wrong("copy-shares-hooks", "A deep copy has the registries of the original.", (_copies("pass"),)),
    Wrong("copy-without-hooks", "A deep copy has no hooks.", (_copies("Hooked.__init__(result)"),)),
    one(
        "fires-on-forward",
        "Calling forward runs the hooks.",
        'self._calls(step, self.module(step.get("module", "")).forward)',
        'self._calls(step, self.module(step.get("module", "")))',
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
        "input = child(input)",
        "input = child.forward(input)",
        WORLD,
    ),
    one(
        "composite-opened",
        "A composite that reads its child's weights calls the child.",
        "return self.operand(x) * child.weight + child.bias",
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
        WORLD,
    ),
)
