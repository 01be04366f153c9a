"""Mistakes in registering hooks, in a call, and in a call that fails (chapters G, H, O, C, P, F, D, A)."""

from __future__ import annotations

from typing import Final

from mutation.mistake import Insert, Replace, Wrong, one
from mutation.scoring import HANDLE

# The code that several mistakes replace.

_SNAPSHOT = "return [item for owner in self.owners if full in (None, owner.full) for item in owner.hooks[kind].items()]"
_FOUND = _SNAPSHOT.replace("return", "found =")
_INIT = "self.module, self.args, self.kwargs = module, args, kwargs"
_FIRST_ARGS = Replace(_INIT, f"{_INIT}\nself.first = args")
_FORWARD = "self.result = forward(*self.args, **self.kwargs)"
_BEGIN = 'self.pre_hooks, self.full_hooks, legacy = map(self.hooks, ("backward_pre", "backward", "legacy"))'
_HOOK = "changed = hook(self.module, self.args, *extra, self.result)"
_RESULT = "self.result = self.result if changed is None else changed"
_PRE_RESULT = "self.args = changed if isinstance(changed, tuple) else (changed,)"
_SHOWN = "self.show(number, hook, self.owners)"
_RECOVERED = 'if number in owner.marks["always_call"] and number not in self.ran:'
_RECOVERING = "self.show(number, hook, (self.module,))"
_BARE = "if not any(any(owner.hooks.values()) for owner in (EVERYWHERE, self)):"
_HELD = "for held in (self.registry, *self.marks):"
_POP = "held.pop(self.id, None)"
_ADDED = "registry[self.id] = hook"
_NUMBER = "self.id, self.registry, self.marks = next(self.numbers), registry, marks"
_FRONT = "registry.move_to_end(self.id, last=False)"

_LIVE = Insert(
    """
def live(owners, kind):
    seen = set()
    while (item := next((item for owner in owners for item in owner.hooks[kind].items() if item[0] not in seen), None)):
        seen.add(item[0])
        yield item
"""
)


REGISTERING: Final = (
    one("prepend-ignored", "A prepended hook goes to the end.", _FRONT, "pass", HANDLE),
    Wrong(
        "prepend-passes-globals",
        "A prepended hook runs before the global ones.",
        (
            Insert("FRONT = set()"),
            Replace("return handle", "if options.get('prepend'):\n    FRONT.add(handle.id)\nreturn handle"),
            Replace(_SNAPSHOT, f"{_FOUND}\nreturn sorted(found, key=lambda item: item[0] not in FRONT)"),
        ),
    ),
    one(
        "prepend-for-globals",
        "Global forward hooks take prepend.",
        '{"forward": {"with_kwargs", "always_call"}}',
        '{"forward": {"prepend", "with_kwargs", "always_call"}}',
    ),
    one(
        "always-call-for-pre-hooks",
        "Pre hooks take always_call.",
        '{"prepend", "with_kwargs"}',
        '{"prepend", "with_kwargs", "always_call"}',
    ),
    one(
        "same-callable-once",
        "Registering a callable again replaces its first registration.",
        _ADDED,
        f"for known in [key for key, item in registry.items() if item is hook]:\n    del registry[known]\n{_ADDED}",
        HANDLE,
    ),
    one(
        "ids-by-registry",
        "Each registry counts its own ids.",
        _NUMBER,
        _NUMBER.replace("self.numbers", 'vars(registry).setdefault("numbers", count())'),
        HANDLE,
    ),
    one("ids-descend", "Later ids are smaller.", "numbers = count()", "numbers = count(0, -1)", HANDLE),
    one(
        "ids-used-again",
        "The id of a removed hook is given out again.",
        _NUMBER,
        _NUMBER.replace("self.numbers", "key for key in count() if key not in registry"),
        HANDLE,
    ),
    Wrong(
        "slot-used-again",
        "A new hook takes the place of the one that was removed.",
        (
            Replace(_HELD, f'vars(self.registry)["hole"] = [*self.registry, self.id].index(self.id)\n{_HELD}'),
            Replace(
                _ADDED,
                f"{_ADDED}\n"
                'for later in list(registry)[vars(registry).pop("hole", len(registry)) : -1]:\n'
                "    registry.move_to_end(later)",
            ),
        ),
        HANDLE,
    ),
    one(
        "removes-the-last",
        "A handle removes whichever hook is last.",
        _POP,
        "held and held.popitem()",
        HANDLE,
    ),
    one(
        "removes-all-of-a-callable",
        "A handle removes each registration of its callable.",
        _POP,
        "hook = held.get(self.id)\nfor key in [key for key, item in held.items() if item is hook]:\n    del held[key]",
        HANDLE,
    ),
    one("remove-does-nothing", "A removed hook stays.", _POP, "pass", HANDLE),
    one("remove-twice-raises", "Removing a second time raises.", _HELD, f"del self.registry[self.id]\n{_HELD}", HANDLE),
    one(
        "block-swallows",
        "Leaving a with block swallows its exception.",
        "self.remove()",
        "self.remove()\nreturn True",
        HANDLE,
    ),
    one("block-keeps", "Leaving a with block removes nothing.", "self.remove()", "pass", HANDLE),
    Wrong(
        "copied-handle-removes-from-the-original",
        "The copy of a handle belongs to the registry of the original.",
        (Insert("def __deepcopy__(self, memo):\n    return self", "Handle"),),
        HANDLE,
    ),
    one(
        "mixing-allowed",
        "Full and legacy backward hooks are allowed side by side.",
        "if self.full not in (None, full := FULL.get(kind, self.full)):",
        "full = FULL.get(kind, self.full)\nif False:",
    ),
    one(
        "globals-of-a-thread",
        "Global hooks are those of the thread that registered them.",
        "EVERYWHERE = Hooked()",
        'import threading\nEVERYWHERE = type("Everywhere", (Hooked, threading.local), {})()',
    ),
)

CALLING: Final = (
    one("last-hook-dropped", "The last hook of each phase does not run.", _SNAPSHOT, f"{_SNAPSHOT}[:-1]"),
    one(
        "first-two-swapped",
        "The first two hooks of each phase change places.",
        _SNAPSHOT,
        f"{_FOUND}\nreturn found[1::-1] + found[2:]",
    ),
    one("newest-first", "Hooks run in the opposite order.", _SNAPSHOT, f"{_SNAPSHOT}[::-1]"),
    one(
        "globals-after-own",
        "Global hooks run after the module's own.",
        "self.owners = (EVERYWHERE, module)",
        "self.owners = (module, EVERYWHERE)",
    ),
    Wrong(
        "live-pre-hooks",
        "A pre hook that is added while they run takes part.",
        (_LIVE, Replace('self.hooks("pre")', 'live(self.owners, "pre")')),
    ),
    Wrong(
        "live-forward-hooks",
        "A forward hook that is added while they run takes part.",
        (_LIVE, Replace('self.hooks("forward")', 'live(self.owners, "forward")')),
    ),
    Wrong(
        "forward-hooks-of-the-entry",
        "Forward hooks are taken when the call begins.",
        (Replace('self.hooks("forward")', "after"), Replace(_BEGIN, f'{_BEGIN}\nafter = self.hooks("forward")')),
    ),
    one("no-fast-path", "A module that was bare at entry runs what its forward registered.", _BARE, "if False:"),
    one(
        "bare-in-spite-of-globals",
        "Global hooks alone do not make a call hooked.",
        _BARE,
        "if not any(self.hooks.values()):",
    ),
    one(
        "bare-in-spite-of-forward-hooks",
        "Pre hooks alone make a call hooked.",
        _BARE,
        'if not any(owner.hooks["pre"] for owner in (EVERYWHERE, self)):',
    ),
    Wrong(
        "pre-hooks-after-the-children",
        "A parent's pre hooks run after its children.",
        (
            Replace(_BEGIN, f"{_BEGIN}\nearly = forward(*self.args, **self.kwargs)"),
            Replace(_FORWARD, "self.result = early"),
        ),
    ),
    one(
        "forward-looked-up-late",
        "A forward that a pre hook assigns counts in the same call.",
        "forward = self.forward",
        "forward = lambda *args, **kwargs: self.forward(*args, **kwargs)",
    ),
    one(
        "assigned-forward-ignored",
        "A forward that is assigned to the object never counts.",
        "forward = self.forward",
        "forward = type(self).forward.__get__(self)",
    ),
    one(
        "kwargs-lost-on-the-way",
        "forward gets no kwargs in a hooked call.",
        _FORWARD,
        "self.result = forward(*self.args)",
    ),
    one(
        "kwargs-lost-to-hooks",
        "Forward hooks that ask for kwargs get none.",
        "(self.kwargs,)",
        "({},)",
    ),
    one("kwargs-for-all-hooks", "Every forward hook gets kwargs.", _HOOK, _HOOK.replace("*extra", "self.kwargs")),
    Wrong(
        "forward-hook-sees-old-input",
        "Forward hooks see the arguments from before the pre hooks.",
        (_FIRST_ARGS, Replace(_HOOK, "changed = hook(self.module, self.first, *extra, self.result)")),
    ),
    Wrong(
        "pre-hook-sees-old-input",
        "Each pre hook sees the first arguments.",
        (
            _FIRST_ARGS,
            Replace("hook(self.module, self.args)", "hook(self.module, self.first)"),
        ),
    ),
    Wrong(
        "forward-hook-sees-old-output",
        "Each forward hook sees what forward gave.",
        (
            Replace(_FORWARD, f"self.raw = {_FORWARD}"),
            Replace(_HOOK, "changed = hook(self.module, self.args, *extra, self.raw)"),
        ),
    ),
    one("pre-result-ignored", "What a pre hook returns is not used.", _PRE_RESULT, "pass"),
    one(
        "pre-list-is-a-tuple",
        "A list from a pre hook is taken apart.",
        _PRE_RESULT,
        "self.args = tuple(changed) if isinstance(changed, (tuple, list)) else (changed,)",
    ),
    one(
        "one-tuple-is-a-value",
        "A tuple of one from a pre hook is one argument.",
        _PRE_RESULT,
        "self.args = changed if isinstance(changed, tuple) and len(changed) != 1 else (changed,)",
    ),
    one(
        "empty-tuple-keeps",
        "An empty tuple from a pre hook keeps the arguments.",
        _PRE_RESULT,
        "self.args = self.args if changed == () else changed if isinstance(changed, tuple) else (changed,)",
    ),
    one(
        "value-keeps-the-rest",
        "A value from a pre hook replaces the first argument alone.",
        _PRE_RESULT,
        "self.args = changed if isinstance(changed, tuple) else (changed, *self.args[1:])",
    ),
    one(
        "pair-not-asked-for",
        "A pre hook with kwargs may return anything.",
        'raise RuntimeError("forward pre-hook must return None or a tuple")',
        "pass",
    ),
    one("none-replaces", "None from a forward hook replaces the output.", _RESULT, "self.result = changed"),
    one(
        "falsy-keeps",
        "An output that is false in Python keeps the old one.",
        _RESULT,
        "self.result = changed if changed or isinstance(changed, Tensor) else self.result",
    ),
    one(
        "call-state-of-the-module",
        "A module has one state for all calls that are under way.",
        "return ModuleCall(self, args, kwargs).run(forward)",
        'call = vars(self).setdefault("state", ModuleCall(self, args, kwargs))\n'
        "call.__init__(self, args, kwargs)\n"
        "return call.run(forward)",
    ),
)

FAILING: Final = (
    one(
        "exception-swallowed",
        "A call that failed returns what there is.",
        "self.recover()\nraise",
        "self.recover()\nreturn self.result",
    ),
    one(
        "always-call-on-interrupt",
        "always_call hooks run on an Interrupt too.",
        "except Exception:",
        "except BaseException:",
    ),
    one(
        "always-call-twice",
        "A hook that ran, or failed, runs again in the recovery.",
        _RECOVERED,
        'if number in owner.marks["always_call"]:',
    ),
    Wrong(
        "counted-after-it-ran",
        "A hook that fails counts as one that did not run.",
        (Replace(f"self.ran.add(number)\n{_SHOWN}", f"{_SHOWN}\nself.ran.add(number)"),),
    ),
    one("always-call-of-all", "In the recovery every hook runs.", _RECOVERED, "if number not in self.ran:"),
    one(
        "own-recover-first",
        "In the recovery the module's own hooks come first.",
        'zip(("global module", "module"), self.owners, strict=True)',
        '(("module", self.module), ("global module", EVERYWHERE))',
    ),
    one(
        "globals-do-not-recover",
        "Only the module's own hooks are always called.",
        'zip(("global module", "module"), self.owners, strict=True)',
        '(("module", self.module),)',
    ),
    one(
        "recovery-of-a-snapshot",
        "The recovery walks a copy of the hooks.",
        'for number, hook in owner.hooks["forward"].items():',
        'for number, hook in list(owner.hooks["forward"].items()):',
    ),
    one(
        "recovery-without-results",
        "In the recovery each hook sees the same output.",
        _RECOVERING,
        f"kept = self.result\n{_RECOVERING}\nself.result = kept",
    ),
    one(
        "recovery-gives-kwargs-to-globals",
        "In the recovery global hooks get kwargs too.",
        _RECOVERING,
        _SHOWN,
    ),
    one(
        "silenced-without-a-warning",
        "A failure in the recovery gives no warning.",
        "warnings.warn(text, UserWarning, stacklevel=2)",
        "pass",
    ),
    one(
        "recovery-replaces-the-exception",
        "What fails in the recovery replaces the exception.",
        "except Exception as error:",
        "except () as error:",
    ),
)
