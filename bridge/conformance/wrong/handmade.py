"""Wrong runtimes made by hand: the mistakes that somebody who writes a dispatcher makes, each as a small change of the model's text.

Most change ``bridge/runtimes/model.py``; where a mistake belongs to the side of the modules (what ``Sequential`` does, what a shared child
is), its interpreter. Runtimes that lie about a run as a whole are in ``bridge.conformance.wrong.lying``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from bridge.conformance.wrong.scoring import INTERPRETER, MODEL

Change = tuple[str, str]


class NotThere(ValueError):
    """A change names a text that does not stand in the source exactly once; the message says which."""


@dataclass(frozen=True, slots=True)
class Wrong:
    """One mistake: what it is called, what it does, and the texts that it replaces, all of them in ``module``."""

    name: str
    about: str
    changes: tuple[Change, ...]
    module: str = MODEL

    def source(self, right: str) -> str:
        """The source with the mistake in it. Raises NotThere."""
        for old, new in self.changes:
            if (times := right.count(old)) != 1:
                raise NotThere(f"{self.name}: this stands {times} times in {self.module}, not once: {old!r}")
            right = right.replace(old, new)
        return right


def wrong_models(sources: Mapping[str, str]) -> Iterator[tuple[Wrong, Mapping[str, str]]]:
    """Each mistake with the source that it is in, by module name. Raises NotThere when a source was edited away from it."""
    for wrong in WRONGS:
        yield wrong, {wrong.module: wrong.source(sources[wrong.module])}


def _one(name: str, about: str, old: str, new: str, module: str = MODEL) -> Wrong:
    return Wrong(name, about, ((old, new),), module)


# The texts that several mistakes replace.

_SNAPSHOT = "return [item for owner in self.owners if full in (None, owner.full) for item in owner.hooks[kind].items()]"
_FOUND = _SNAPSHOT.replace("return", "found =")
_INIT = "self.module, self.args, self.kwargs, self.result = module, args, kwargs, None"
_FIRST_ARGS = (_INIT, f"{_INIT}\n        self.first = args")
_FORWARD = "self.result = forward(*self.args, **self.kwargs)"
_LEGACY = 'legacy = self.hooks("backward", False)'
_HOOK = "changed = hook(self.module, self.args, *extra, self.result)  # F-1, F-4"
_RESULT = "self.result = self.result if changed is None else changed  # F-2, F-3"
_PRE_RESULT = "self.args = changed if isinstance(changed, tuple) else (changed,)  # P-2"
_RECOVERED = 'if number in owner.marks["always_call"] and number not in self.ran:'
_BARE = "if not any(any(owner.hooks.values()) for owner in (EVERYWHERE, self)):"
_POP = "self.registry.pop(self.id, None)"
_ADDED = "registry[self.id] = hook  # O-1: the order of the dictionary is that of the hooks; G-8: twice is two"
_NUMBER = "self.id, self.registry = next(self.numbers), registry"
_FRONT = "registry.move_to_end(self.id, last=False)  # O-2, O-4"
_PHASES = "# H, G, O. Handles and registries.\n"
_GRAD_INPUT = "grad_input: Any = tuple(found.get(place) for place in range(len(self.args)))"
_NOT_IMPLEMENTED = "    def forward(self, *input: Any) -> Any:\n        raise NotImplementedError"
_ENTER = "    def __enter__(self) -> Handle:"

_LIVE = (
    _PHASES,
    _PHASES
    + '''
def live(owners, kind):
    seen = set()
    while (item := next((item for owner in owners for item in owner.hooks[kind].items() if item[0] not in seen), None)):
        seen.add(item[0])
        yield item
''',
)


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


_REGISTERING = (
    _one("prepend-ignored", "A prepended hook goes to the end.", _FRONT, "pass"),
    Wrong(
        "prepend-passes-globals",
        "A prepended hook runs before the global ones.",
        (
            (_PHASES, f"{_PHASES}FRONT = set()\n"),
            (_FRONT, f"{_FRONT}\n            FRONT.add(self.id)"),
            (_SNAPSHOT, f"{_FOUND}\n        return sorted(found, key=lambda item: item[0] not in FRONT)"),
        ),
    ),
    _one("prepend-for-globals", "Global forward hooks take prepend.", '"forward": {"with_kwargs", "always_call"}}', '"forward": {"prepend", "with_kwargs", "always_call"}}'),
    _one("always-call-for-pre-hooks", "Pre hooks take always_call.", '"pre": {"prepend", "with_kwargs"}', '"pre": {"prepend", "with_kwargs", "always_call"}'),
    _one(
        "same-callable-once",
        "Registering a callable again replaces its first registration.",
        _ADDED,
        f"for known in [key for key, item in registry.items() if item is hook]:\n            del registry[known]\n        {_ADDED}",
    ),
    _one("ids-by-registry", "Each registry counts its own ids.", _NUMBER, 'self.id, self.registry = next(vars(registry).setdefault("numbers", count())), registry'),
    _one("ids-descend", "Later ids are smaller.", "numbers = count()\n", "numbers = count(0, -1)\n"),
    _one("ids-used-again", "The id of a removed hook is given out again.", _NUMBER, "self.id, self.registry = next(key for key in count() if key not in registry), registry"),
    Wrong(
        "slot-used-again",
        "A new hook takes the place of the one that was removed.",
        (
            (_POP, f'vars(self.registry)["hole"] = [*self.registry, self.id].index(self.id)\n        {_POP}'),
            (_ADDED, f'{_ADDED}\n        for later in list(registry)[vars(registry).pop("hole", len(registry)) : -1]:\n            registry.move_to_end(later)'),
        ),
    ),
    _one("removes-the-last", "A handle removes whichever hook is last.", _POP, "self.registry and self.registry.popitem()"),
    _one("removes-all-of-a-callable", "A handle removes each registration of its callable.", _POP, "hook = self.registry.get(self.id)\n        for key in [key for key, item in self.registry.items() if item is hook]:\n            del self.registry[key]"),
    _one("remove-does-nothing", "A removed hook stays.", _POP, "pass"),
    _one("remove-twice-raises", "Removing a second time raises.", _POP, "self.registry.pop(self.id)"),
    _one("block-swallows", "Leaving a with block swallows its exception.", "self.remove()  # H-5", "self.remove()\n        return True"),
    _one("block-keeps", "Leaving a with block removes nothing.", "self.remove()  # H-5", "pass"),
    _one("copied-handle-removes-from-the-original", "The copy of a handle belongs to the registry of the original.", _ENTER, f"    def __deepcopy__(self, memo):\n        return self\n\n{_ENTER}"),
    _one("mixing-allowed", "Full and legacy backward hooks stand side by side.", 'if self.full is (kind == "legacy"):', "if False:"),
    _one("globals-of-a-thread", "Global hooks are those of the thread that registered them.", "EVERYWHERE = Hooked()", 'EVERYWHERE = type("Everywhere", (Hooked, threading.local), {})()'),
)  # fmt: skip

_CALLING = (
    _one("last-hook-dropped", "The last hook of each phase does not run.", _SNAPSHOT, f"{_SNAPSHOT}[:-1]"),
    _one("first-two-swapped", "The first two hooks of each phase change places.", _SNAPSHOT, f"{_FOUND}\n        return found[1::-1] + found[2:]"),
    _one("newest-first", "Hooks run in the opposite order.", _SNAPSHOT, f"{_SNAPSHOT}[::-1]"),
    _one("globals-after-own", "Global hooks run after the module's own.", "self.owners = (EVERYWHERE, module)", "self.owners = (module, EVERYWHERE)"),
    Wrong("live-pre-hooks", "A pre hook that is added while they run takes part.", (_LIVE, ('in self.hooks("pre"):', 'in live(self.owners, "pre"):'))),
    Wrong("live-forward-hooks", "A forward hook that is added while they run takes part.", (_LIVE, ('in self.hooks("forward"):', 'in live(self.owners, "forward"):'))),
    Wrong("forward-hooks-of-the-entry", "Forward hooks are taken when the call begins.", ((_LEGACY, f'{_LEGACY}\n        after = self.hooks("forward")'), ('in self.hooks("forward"):', "in after:"))),
    _one("no-fast-path", "A module that was bare at entry runs what its forward registered.", _BARE, "if False:"),
    _one("bare-in-spite-of-globals", "Global hooks alone do not make a call hooked.", _BARE, "if not any(self.hooks.values()):"),
    _one("bare-in-spite-of-forward-hooks", "Pre hooks alone make a call hooked.", _BARE, 'if not any(owner.hooks["pre"] for owner in (EVERYWHERE, self)):'),
    Wrong("pre-hooks-after-the-children", "A parent's pre hooks run after its children.", ((_LEGACY, f"{_LEGACY}\n        early = forward(*self.args, **self.kwargs)"), (_FORWARD, "self.result = early"))),
    _one("forward-looked-up-late", "A forward that a pre hook assigns counts in the same call.", "forward = self.forward  # C-2, C-4", "forward = lambda *args, **kwargs: self.forward(*args, **kwargs)"),
    _one("assigned-forward-ignored", "A forward that is assigned to the object never counts.", "forward = self.forward  # C-2, C-4", "forward = type(self).forward.__get__(self)"),
    _one("kwargs-lost-on-the-way", "forward gets no kwargs in a hooked call.", _FORWARD, "self.result = forward(*self.args)"),
    _one("kwargs-lost-to-hooks", "Forward hooks that ask for kwargs get none.", "extra = (self.kwargs,) if any(", "extra = ({},) if any("),
    _one("kwargs-for-all-hooks", "Every forward hook gets kwargs.", "*extra, self.result)", "self.kwargs, self.result)"),
    Wrong("forward-hook-sees-old-input", "Forward hooks see the arguments from before the pre hooks.", (_FIRST_ARGS, (_HOOK, "changed = hook(self.module, self.first, *extra, self.result)"))),
    Wrong("pre-hook-sees-old-input", "Each pre hook sees the first arguments.", (_FIRST_ARGS, ("elif (changed := hook(self.module, self.args)) is not None:", "elif (changed := hook(self.module, self.first)) is not None:"))),
    Wrong("forward-hook-sees-old-output", "Each forward hook sees what forward gave.", ((_FORWARD, f"self.raw = {_FORWARD}"), (_HOOK, "changed = hook(self.module, self.args, *extra, self.raw)"))),
    _one("pre-result-ignored", "What a pre hook returns is not used.", _PRE_RESULT, "pass"),
    _one("pre-list-is-a-tuple", "A list from a pre hook is taken apart.", _PRE_RESULT, "self.args = tuple(changed) if isinstance(changed, (tuple, list)) else (changed,)"),
    _one("one-tuple-is-a-value", "A tuple of one from a pre hook is one argument.", _PRE_RESULT, "self.args = changed if isinstance(changed, tuple) and len(changed) != 1 else (changed,)"),
    _one("empty-tuple-keeps", "An empty tuple from a pre hook keeps the arguments.", _PRE_RESULT, "self.args = self.args if changed == () else changed if isinstance(changed, tuple) else (changed,)"),
    _one("value-keeps-the-rest", "A value from a pre hook replaces the first argument alone.", _PRE_RESULT, "self.args = changed if isinstance(changed, tuple) else (changed, *self.args[1:])"),
    _one("pair-not-asked-for", "A pre hook with kwargs may return anything.", 'raise RuntimeError("forward pre-hook must return None or a tuple")  # P-3', "pass"),
    _one("none-replaces", "None from a forward hook replaces the output.", _RESULT, "self.result = changed"),
    _one("falsy-keeps", "An output that is false in Python keeps the old one.", _RESULT, "self.result = changed if changed or isinstance(changed, Tensor) else self.result"),
    _one("call-state-of-the-module", "A module has one state for all calls that are under way.", "call = Call(self, args, kwargs)", 'call = vars(self).setdefault("state", Call(self, args, kwargs))\n        call.__init__(self, args, kwargs)'),
)  # fmt: skip

_FAILING = (
    _one("exception-swallowed", "A call that failed returns what there is.", "call.recover()\n            raise", "call.recover()\n            return call.result"),
    _one("always-call-on-interrupt", "always_call hooks run on an Interrupt too.", "except Exception:  # A-4", "except BaseException:"),
    _one("always-call-twice", "A hook that ran, or failed, runs again in the recovery.", _RECOVERED, 'if number in owner.marks["always_call"]:'),
    Wrong("counted-after-it-ran", "A hook that fails counts as one that did not run.", (("self.ran.add(number)  # A-2\n            ", ""), (_HOOK, f"{_HOOK}\n            self.ran.add(number)"))),
    _one("always-call-of-all", "In the recovery every hook runs.", _RECOVERED, "if number not in self.ran:"),
    _one("own-recover-first", "In the recovery the module's own hooks come first.", 'in zip(("global module", "module"), self.owners, strict=True):', 'in (("module", self.module), ("global module", EVERYWHERE)):'),
    _one("globals-do-not-recover", "Only the module's own hooks are always called.", 'in zip(("global module", "module"), self.owners, strict=True):', 'in (("module", self.module),):'),
    _one("recovery-of-a-snapshot", "The recovery walks a copy of the hooks.", 'in owner.hooks["forward"].items():', 'in list(owner.hooks["forward"].items()):'),
    _one("recovery-without-results", "In the recovery each hook sees the same output.", "self.result = self.result if changed is None else changed  # A-5", "pass"),
    _one("recovery-gives-kwargs-to-globals", "In the recovery global hooks get kwargs too.", "own = owner is self.module and number in", "own = number in"),
    _one("silenced-without-a-warning", "What fails in the recovery is not told.", "warnings.warn(text, UserWarning, stacklevel=2)", "pass"),
    _one("recovery-replaces-the-exception", "What fails in the recovery replaces the exception.", "except Exception as error:  # A-6", "except () as error:"),
)  # fmt: skip

_GRADIENTS = (
    _one("live-backward-hooks", "Backward hooks are those of the backward, not of the call.", f"{_GRAD_INPUT}\n        for _, hook in self.full_hooks:", f'{_GRAD_INPUT}\n        for _, hook in self.hooks("backward", True):'),
    _one("grad-input-of-tensors", "grad_input has no places for what is no Tensor.", _GRAD_INPUT, "grad_input: Any = tuple(grads)"),
    _one("grad-input-ignored", "What a full backward hook returns is not used.", "grad_input = grad_input if changed is None else changed  # B-12", "pass"),
    _one("none-for-zeros", "A gradient that nobody gave is None.", "Tensor([0.0] * len(like.data), like.shape) if grad is None else grad", "grad"),
    Wrong(
        "grad-output-only-shown",
        "What a backward pre hook returns is shown to the next hooks and does not go on.",
        (("self.grad_output = tuple(found.get(place) for place in range(self.given))", "given = self.grad_output = tuple(found.get(place) for place in range(self.given))"), ("return tuple(self.grad_output[place] for", "return tuple(given[place] for")),
    ),
    Wrong(
        "full-hook-sees-the-first-grad-output",
        "Full backward hooks see grad_output from before the pre hooks.",
        (("self.grad_output = tuple(found.get(place) for place in range(self.given))", "given = self.grad_output = tuple(found.get(place) for place in range(self.given))"), ("return tuple(self.grad_output[place] for", "kept, self.grad_output = self.grad_output, given\n        return tuple(kept[place] for")),
    ),
    _one("early-hook-without-a-warning", "A full hook that fires without input gradients is not told.", 'warnings.warn("Full backward hook is firing when gradients are computed", UserWarning, stacklevel=2)  # B-9', "pass"),
    _one("legacy-before-its-module", "A legacy hook stands on the node before the module's last.", "node, module, args = first.grad_fn,", "node, module, args = first.grad_fn and (first.grad_fn.edges[0] or (None,))[0],"),
    _one("legacy-hooks-reversed", "Legacy hooks run newest first.", "for _, hook in hooks]  # L-4, L-9", "for _, hook in reversed(hooks)]"),
    _one("legacy-keeps-its-module", "A legacy hook keeps its module alive.", "weakref.ref(self.module), self.args", "(lambda kept=self.module: kept), self.args"),
    _one("tensor-hooks-reversed", "Tensor hooks run newest first.", "fire(hooks.values(), grads[index])", "fire(reversed(hooks.values()), grads[index])"),
    Wrong("tensor-hooks-see-the-first-gradient", "Each Tensor hook sees the gradient as it came.", (("for hook in list(hooks):  # T-7", "first = value\n    for hook in list(hooks):"), ("result = hook(value, *rest)", "result = hook(first, *rest)"))),
    _one(
        "retained-before-the-hooks",
        "retain_grad keeps the gradient from before the Tensor hooks.",
        "        for index, hooks in self.hooks:\n            grads[index] = fire(hooks.values(), grads[index])\n        for index, tensor in self.retained.items():",
        "        first = list(grads)\n        for index, hooks in self.hooks:\n            grads[index] = fire(hooks.values(), grads[index])\n        for index, tensor in self.retained.items():\n            if first[index] is not None:\n                tensor.grad = first[index] + (0 if tensor.grad is None else tensor.grad)\n        for index, tensor in ():",
    ),
    Wrong(
        "post-accumulate-too-early",
        "Post-accumulate hooks run before the gradient is added.",
        (("def accumulate(self, grads: Sequence[Any], *_: Any) -> list[Any]:", "def accumulate(self, grads: Sequence[Any], *_: Any) -> list[Any]:\n        fire(self.accumulated.values(), self)"), ("if fire(self.accumulated.values(), self) is not self:", "if False:")),
    ),
    _one("post-accumulate-sees-the-gradient", "A post-accumulate hook gets the gradient, not the Tensor.", "if fire(self.accumulated.values(), self) is not self:", "if fire(self.accumulated.values(), grads[0]) is not grads[0]:"),
    _one("grad-mode-stays-on", "Hooks of a backward run with grad mode on.", 'with grad_mode(step.get("create_graph", False)):', "with grad_mode(True):"),
    _one("grad-mode-of-all-threads", "no_grad holds for every thread.", "class Mode(threading.local):", "class Mode:"),
    _one("oldest-node-first", "A backward takes the node that was made first.", "heapq.heappush(ready, (-target.number,", "heapq.heappush(ready, (target.number,"),
    _one("leaves-last", "A leaf's gradient is added after all else.", "self.accumulator.number = math.inf", "self.accumulator.number = -math.inf"),
)  # fmt: skip

_MODULES = (
    Wrong("copy-shares-hooks", "A deep copy has the registries of the original.", (_copies("pass"),)),
    Wrong("copy-without-hooks", "A deep copy has no hooks.", (_copies("Hooked.__init__(result)"),)),
    _one("fires-on-forward", "Calling forward runs the hooks.", 'self.called(step, self.module(step.get("module", "")).forward)', 'self.called(step, self.module(step.get("module", "")))', INTERPRETER),
    _one("children-fire-on-forward", "A child's forward, called by its parent, runs the child's hooks.", 'return child.forward(*args) if self.node.get("by") == "forward" else child(*args)', "return child(*args)", INTERPRETER),
    _one("sequential-by-forward", "Sequential calls its children's forward.", "input = child(input)  # I-15", "input = child.forward(input)", INTERPRETER),
    _one("composite-opened", "A composite that reads its child's weights calls the child.", 'return x * child.part("weight") + child.part("bias")', "return child(x)", INTERPRETER),
    _one("shared-child-copied", "A child that is there twice is two modules.", 'return made[node["same"]]', 'return copy.deepcopy(made[node["same"]])', INTERPRETER),
    _one("functional-call-stays", "The parameters of a functional call stay.", "for parts, last, tensor in reversed(swapped):", "for parts, last, tensor in ():", INTERPRETER),
)  # fmt: skip

WRONGS: Final = (*_REGISTERING, *_CALLING, *_FAILING, *_GRADIENTS, *_MODULES)
