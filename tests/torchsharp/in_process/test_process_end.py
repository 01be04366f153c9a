"""What may end Python's process (issue 40, section 1): Python errors below TorchSharp's operators, and the end of the process itself."""

from __future__ import annotations

import re
import signal
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.support.fork_server import Run

pytestmark = pytest.mark.inprocess

#: What each program begins with. ``tell`` calls a function, checks that models still run, prints how the call ended, and exits with 7.
PRELUDE = """
import functools, gc, os, signal, sys, threading, warnings
warnings.simplefilter("ignore")
import torch
from torch import nn
from torch.utils.checkpoint import checkpoint
import bridge

def load(step="", name="Net"):
    return bridge.load(MODELS, f"Ends.{name}", *([step] if name == "Net" else []), runtime=RUNTIME)

def fails(*_, **__):
    raise ValueError("of Python")

def raises(error):
    def hook(*_):
        raise error
    return hook

def works():
    net, y = load(), torch.ones(2, 4, requires_grad=True)
    net.fc.register_forward_hook(lambda *_: None)
    net(y).sum().backward()
    assert y.grad is not None

def describe(error):
    return f"{type(error).__name__}: {(str(error).splitlines() or [''])[0]}"

def tell(function, *args):
    try:
        function(*args)
        said = "returned"
    except BaseException as error:
        said = describe(error) + (f" from {describe(error.__cause__)}" if error.__cause__ else "")
    works()
    print(said, file=sys.stderr)
    sys.exit(7)

class Fails(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2

    @staticmethod
    def backward(ctx, gradient):
        raise ValueError("of Python")

class Mode(torch.utils._python_dispatch.TorchDispatchMode):
    def __torch_dispatch__(self, function, types, args=(), kwargs=None):
        raise ValueError("of Python")

class Function(torch.overrides.TorchFunctionMode):
    def __torch_function__(self, function, types, args=(), kwargs=None):
        raise ValueError("of Python")

class Wrapped(torch.Tensor):
    @staticmethod
    def __new__(cls, value):
        return torch.Tensor._make_wrapper_subclass(cls, value.shape, dtype=value.dtype, requires_grad=True)

    @classmethod
    def __torch_dispatch__(cls, function, types, args=(), kwargs=None):
        raise ValueError("of Python")

x = torch.ones(2, 4, requires_grad=True)
"""


class Case(NamedTuple):
    """A program after PRELUDE, and how its process must end."""

    name: str
    program: str
    last: str
    code: int = 7


_EXTERNAL = "DotNetError: System.Runtime.InteropServices.ExternalException: "
_PURPOSE = "DotNetError: System.InvalidOperationException: on purpose"
_PYTHON = "ValueError: of Python"
_AGGREGATE = (
    "DotNetError: System.AggregateException: One or more errors occurred. (Python's ValueError is passing through C#; it is raised again "
    "where Python called .NET.) from ValueError: of Python"
)
_CANNOT = "RuntimeError: TorchSharp in this process cannot run"


def _why(mode: str) -> str:
    return (
        f"{_CANNOT} {mode}: an exception in Python code below an operator would end this process. "
        'Pass runtime="torchsharp" to bridge.load, or leave out runtime'
    )


_SAVED = _why("under saved_tensors_hooks, which torch.utils.checkpoint(use_reentrant=False) uses too")
_FUNC = _why("under a transform of torch.func such as vmap or grad")

BACKWARD = [
    Case("a tensor hook", 'x.register_hook(fails); tell(load("backward"), x)', _PYTHON),
    Case("a tensor hook of a parameter", 'm = load("backward"); m.fc.weight.register_hook(fails); tell(m, x)', _PYTHON),
    Case("a hook of a node", 'y = x * 2; y.grad_fn.register_hook(fails); tell(load("backward"), y)', _PYTHON),
    Case("a pre hook of a node", 'y = x * 2; y.grad_fn.register_prehook(fails); tell(load("backward"), y)', _PYTHON),
    Case(
        "a hook after accumulation", 'x.register_post_accumulate_grad_hook(fails); tell(load("backward"), x)', _PYTHON
    ),
    Case(
        "a hook of several tensors",
        'torch.autograd.graph.register_multi_grad_hook([x], fails); tell(load("backward"), x)',
        _PYTHON,
    ),
    Case("an autograd.Function", 'tell(load("backward"), Fails.apply(x))', _PYTHON),
    Case(
        "an unpack hook",
        """
with torch.autograd.graph.saved_tensors_hooks(lambda t: t, fails):
    y = x * x
tell(load("backward"), y)""",
        _PYTHON,
    ),
    Case(
        "an interrupt", 'x.register_hook(raises(KeyboardInterrupt())); tell(load("backward"), x)', "KeyboardInterrupt:"
    ),
    Case("an exit", 'x.register_hook(raises(SystemExit(3))); tell(load("backward"), x)', "SystemExit: 3"),
    Case(
        "a full backward hook of the root",
        """
m = load(); m.register_full_backward_hook(fails); tell(lambda: m(x).sum().backward())""",
        _PYTHON,
    ),
    Case(
        "a full backward hook of a child",
        'm = load("backward"); m.fc.register_full_backward_hook(fails); tell(m, x)',
        _PYTHON,
    ),
    Case(
        "a full backward pre hook",
        'm = load("backward"); m.fc.register_full_backward_pre_hook(fails); tell(m, x)',
        _PYTHON,
    ),
    Case("a backward hook", 'm = load("backward"); m.fc.register_backward_hook(fails); tell(m, x)', _PYTHON),
    Case(
        "a global backward hook",
        """
handle = nn.modules.module.register_module_full_backward_hook(fails)
m = load("backward")
def call():
    try: m(x)
    finally: handle.remove()
tell(call)""",
        _PYTHON,
    ),
    Case("autograd.backward", 'y = x * 1; y.register_hook(fails); tell(load("backward of many"), y)', _PYTHON),
    Case("autograd.grad", 'm = load("grad"); y = x * 1; y.register_hook(fails); tell(m, y)', _PYTHON),
    Case("a training step", 'x.register_hook(fails); tell(load("step"), x)', _PYTHON),
    Case(
        "a task of .NET",
        'x.register_hook(fails); tell(load("task"), x)',
        _AGGREGATE,
    ),
    Case("caught by C#", 'x.register_hook(fails); tell(load("caught"), x)', "returned"),
    Case(
        "an interrupt caught by C#",
        'x.register_hook(raises(KeyboardInterrupt())); tell(load("caught"), x)',
        "KeyboardInterrupt:",
    ),
    Case(
        "wrapped by C#",
        'x.register_hook(fails); tell(load("wrapped"), x)',
        "DotNetError: System.InvalidOperationException: wrapped from ValueError: of Python",
    ),
    Case("no error", 'm = load("backward"); m(x); assert x.grad is not None; tell(m, x)', "returned"),
    Case(
        "no error of autograd.backward",
        'm = load("backward of many"); m(x); assert x.grad.shape == (2, 4); tell(m, x)',
        "returned",
    ),
    Case("no error of autograd.grad", 'tell(load("grad"), x)', "returned"),
    Case("an unused input", 'm = load("unused"); tell(m, x)', "returned"),
    Case(
        "in a tensor hook of Python's backward",
        """
m = load("backward"); y = x * 1; z = torch.ones(2, 4, requires_grad=True)
y.register_hook(lambda _: torch.enable_grad()(m)(z) is None or None)
tell(lambda: y.sum().backward() or z.grad.sum())""",
        "returned",
    ),
    Case(
        "in a tensor hook of Python's backward, raising",
        """
m = load("backward"); y = x * 1; z = torch.ones(2, 4, requires_grad=True); z.register_hook(fails)
y.register_hook(lambda _: torch.enable_grad()(m)(z) is None or None)
tell(lambda: y.sum().backward())""",
        _PYTHON,
    ),
    Case(
        "without a graph",
        'tell(load("no graph"), x)',
        _EXTERNAL + "element 0 of tensors does not require grad and does not have a grad_fn",
    ),
    Case(
        "of several elements",
        'tell(load("not a scalar"), x)',
        _EXTERNAL + "grad can be implicitly created only for scalar outputs",
    ),
    Case(
        "twice",
        'y = (x * x).exp(); m = load("backward"); m(y); tell(m, y)',
        _EXTERNAL
        + "Trying to backward through the graph a second time (or directly access saved tensors after they have already "
        "been freed). Saved intermediate values of the graph are freed when you call .backward() or autograd.grad(). Specify "
        "retain_graph=True if you need to backward through the graph a second time or if you need to access saved tensors after "
        "calling backward.",
    ),
    Case(
        "anomaly mode",
        """
x.register_hook(fails)
with torch.autograd.detect_anomaly():
    tell(load("backward"), x)""",
        _PYTHON,
    ),
    Case("a function of C#, begun in Python", 'm = load("function"); tell(lambda: m(x).sum().backward())', _PURPOSE),
    Case("a function of C#, begun in C#", 'tell(load("function backward"), x)', _PURPOSE),
    Case(
        "begun in Python", "y = x * 1; y.register_hook(fails); m = load(); tell(lambda: m(y).sum().backward())", _PYTHON
    ),
    Case(
        "in a thread of Python",
        """
x.register_hook(fails)
m = load("backward")
said = []
def work():
    try: m(x)
    except ValueError as error: said.append(str(error))
threads = [threading.Thread(target=work) for _ in range(4)]
for t in threads: t.start()
for t in threads: t.join()
tell(lambda: fails() if said == ["of Python"] * 4 else None)""",
        _PYTHON,
    ),
    Case(
        "under no_grad",
        """
m = load("backward")
def call():
    with torch.no_grad(): m(x)
tell(call)""",
        _EXTERNAL + "element 0 of tensors does not require grad and does not have a grad_fn",
    ),
]

MODES = [
    Case(
        "a dispatch mode",
        """
m = load()
def call():
    with Mode(): m(x)
tell(call)""",
        _why("under the dispatch mode Mode"),
    ),
    Case(
        "a dispatch mode around a child",
        """
m = load()
def call():
    with Mode(): m.fc(x)
tell(call)""",
        _why("under the dispatch mode Mode"),
    ),
    Case(
        "a dispatch mode that a pre hook enters",
        """
m = load(); mode = Mode()
m.fc.register_forward_pre_hook(lambda *_: mode.__enter__() and None)
def call():
    try: m(x)
    finally: mode.__exit__(None, None, None)
tell(call)""",
        _why("under the dispatch mode Mode"),
    ),
    Case(
        "a dispatch mode that a forward hook enters",
        """
m = load("backward"); mode = Mode()
m.fc.register_forward_hook(lambda *_: mode.__enter__() and None)
def call():
    try: m(x)
    finally: mode.__exit__(None, None, None)
tell(call)""",
        _why("under the dispatch mode Mode"),
    ),
    Case(
        "a dispatch mode in a global pre hook",
        """
m = load(); mode = Mode()
handle = nn.modules.module.register_module_forward_pre_hook(lambda *_: mode.__enter__() and None)
def call():
    try: m(x)
    finally: mode.__exit__(None, None, None); handle.remove()
tell(call)""",
        _why("under the dispatch mode Mode"),
    ),
    Case(
        "a call nested in a hook under a mode",
        """
m, inner = load(), load()
def hook(*_):
    with Mode(): inner(x)
m.fc.register_forward_hook(hook)
tell(m, x)""",
        _why("under the dispatch mode Mode"),
    ),
    Case(
        "a hook that leaves its mode",
        """
from torch.utils.flop_counter import FlopCounterMode
m = load()
def hook(*_):
    with FlopCounterMode(display=False): torch.mm(x.detach(), x.detach().t())
m.fc.register_forward_hook(hook)
tell(m, x)""",
        "returned",
    ),
    Case(
        "a function mode",
        """
m = load()
def call():
    with Function(): m(x)
tell(call)""",
        "RuntimeError: TorchSharp in this process cannot run under the function mode Function: TorchSharp's operators would not call it. "
        "Leave out runtime in bridge.load",
    ),
    Case(
        "a fake tensor mode",
        """
from torch._subclasses.fake_tensor import FakeTensorMode
m = load()
def call():
    with FakeTensorMode(): m(x)
tell(call)""",
        _why("under the dispatch mode FakeTensorMode"),
    ),
    Case(
        "saved_tensors_hooks",
        """
m = load()
def call():
    with torch.autograd.graph.saved_tensors_hooks(fails, fails): m(x)
tell(call)""",
        _SAVED,
    ),
    Case(
        "saved_tensors_hooks that a hook enters",
        """
m = load(); hooks = torch.autograd.graph.saved_tensors_hooks(fails, fails)
m.fc.register_forward_pre_hook(lambda *_: hooks.__enter__())
def call():
    try: m(x)
    finally: hooks.__exit__()
tell(call)""",
        _SAVED,
    ),
    Case(
        "saved_tensors_hooks under no_grad",
        """
m = load()
def call():
    with torch.no_grad(), torch.autograd.graph.saved_tensors_hooks(fails, fails): m(x)
tell(call)""",
        _SAVED,
    ),
    Case(
        "save_on_cpu",
        """
m = load()
def call():
    with torch.autograd.graph.save_on_cpu(): m(x)
tell(call)""",
        _SAVED,
    ),
    Case(
        "a checkpoint that is not reentrant", "m = load(); tell(lambda: checkpoint(m, x, use_reentrant=False))", _SAVED
    ),
    Case(
        "a reentrant checkpoint",
        "m = load(); tell(lambda: checkpoint(m, x, use_reentrant=True).sum().backward())",
        "returned",
    ),
    Case(
        "a subclass with __torch_dispatch__",
        "m = load(); tell(m, Wrapped(x))",
        _why("on a Wrapped, whose operators are Python code"),
    ),
    Case(
        "a subclass from a pre hook",
        """
m = load(); m.fc.register_forward_pre_hook(lambda *_: (Wrapped(x),)); tell(m, x)""",
        _why("on a Wrapped, whose operators are Python code"),
    ),
    Case(
        "a subclass from a forward hook",
        """
m = load(); m.fc.register_forward_hook(lambda *_: Wrapped(x)); tell(m, x)""",
        _why("on a Wrapped, whose operators are Python code"),
    ),
    Case(
        "a subclass from a forward hook that C# uses",
        """
m = load("backward"); m.fc.register_forward_hook(lambda *_: Wrapped(x)); tell(m, x)""",
        _why("on a Wrapped, whose operators are Python code"),
    ),
    Case(
        "a subclass in a tuple",
        "m = load(); tell(m, (Wrapped(x),))",
        _why("on a Wrapped, whose operators are Python code"),
    ),
    Case(
        "a tensor on the device meta",
        """
m = load(); m(x); tell(m, torch.ones(2, 4, device="meta"))""",
        "DotNetNotImplementedError: System.NotSupportedException: TorchSharp in this process cannot run on a tensor of the device "
        "meta: an exception in the Python code of that device's operators would end this process.",
    ),
    Case(
        "a subclass without __torch_dispatch__",
        """
class Plain(torch.Tensor): pass
m = load(); tell(m, torch.ones(2, 4).as_subclass(Plain))""",
        "returned",
    ),
    Case("vmap", "m = load(); tell(lambda: torch.vmap(m)(torch.ones(3, 2, 4)))", _FUNC),
    Case("grad", "m = load(); tell(lambda: torch.func.grad(lambda y: m(y).sum())(torch.ones(2, 4)))", _FUNC),
    Case("jvp", "m = load(); tell(lambda: torch.func.jvp(m, (torch.ones(2, 4),), (torch.ones(2, 4),)))", _FUNC),
    Case(
        "forward-mode gradients",
        """
import torch.autograd.forward_ad as ad
m = load()
with ad.dual_level():
    tell(m, ad.make_dual(torch.ones(2, 4), torch.ones(2, 4)))""",
        "returned",
    ),
    Case("jit.trace", "m = load(); tell(lambda: torch.jit.trace(m, x))", _why("under torch.jit.trace")),
    Case(
        "torch.compile", 'm = load(); tell(lambda: torch.compile(m, backend="eager")(x).sum().backward())', "returned"
    ),
    Case(
        "torch.compile of a caller",
        """
m = load(); tell(lambda: torch.compile(lambda y: m(y * 2) + 1, backend="eager")(x).sum().backward())""",
        "returned",
    ),
    Case(
        "torch.compile with fullgraph",
        'm = load(); tell(lambda: torch.compile(m, backend="eager", fullgraph=True)(x))',
        "Unsupported: Skip inlining `torch.compiler.disable()`d function",
    ),
    Case(
        "compiled autograd",
        """
m = load("backward")
def call():
    with torch._dynamo.compiled_autograd._enable(torch.compile(backend="eager")): m(x)
tell(call)""",
        "returned",
    ),
    Case(
        "export",
        "m = load(); tell(lambda: torch.export.export(m, (torch.ones(2, 4),)))",
        _why("under the dispatch mode FakeTensorMode"),
    ),
    Case(
        "make_fx",
        """
from torch.fx.experimental.proxy_tensor import make_fx
m = load(); tell(lambda: make_fx(m)(torch.ones(2, 4)))""",
        _why("under the dispatch mode ProxyTorchDispatchMode"),
    ),
    Case("functionalize", "m = load(); tell(lambda: torch.func.functionalize(m)(torch.ones(2, 4)))", _FUNC),
    Case(
        "a default device",
        """
m = load()
def call():
    with torch.device("meta"): m(x)
tell(call)""",
        _why("with the default device meta, whose operators are Python code"),
    ),
    Case(
        "a kernel of Python",
        """
library = torch.library.Library("aten", "IMPL"); library.impl("addmm", fails, "CPU")
m = load()
def call():
    try: m(x)
    finally: library._destroy()
tell(call)""",
        _why("while torch.library replaces the CPU kernel of addmm"),
    ),
    Case(
        "a kernel of Python for gradients",
        """
library = torch.library.Library("aten", "IMPL"); library.impl("linear", fails, "AutogradCPU")
m = load()
def call():
    try: m(x)
    finally: library._destroy()
tell(call)""",
        _why("while torch.library replaces the AutogradCPU kernel of linear"),
    ),
    Case("inference_mode", "m = load(); \nwith torch.inference_mode(): m(x)\ntell(lambda: None)", "returned"),
    Case("the profiler", "m = load(); \nwith torch.profiler.profile(): m(x)\ntell(lambda: None)", "returned"),
    Case(
        "mutation of saved tensors",
        """
m = load()
def call():
    with torch.autograd.graph.allow_mutation_on_saved_tensors(): m(x)
tell(call)""",
        _why("under the dispatch mode _CloneArgBeforeMutateMode"),
    ),
]

HOOKS = [
    Case(f"{what} on {place}, begun in {begun}", program, _PYTHON)
    for what, register in (
        ("a pre hook", "register_forward_pre_hook(fails)"),
        ("a pre hook with kwargs", "register_forward_pre_hook(fails, with_kwargs=True)"),
        ("a forward hook", "register_forward_hook(fails)"),
        ("a forward hook with always_call", "register_forward_hook(fails, always_call=True)"),
    )
    for place, begun, program in (
        ("the root", "Python", f"m = load(); m.{register}; tell(m, x)"),
        ("a child", "C#", f"m = load(); m.fc.{register}; tell(m, x)"),
        ("a child", "Python", f"m = load(); m.fc.{register}; tell(m.fc, x)"),
    )
] + [
    Case(
        "a global pre hook",
        """
m = load()
def call():
    handle = nn.modules.module.register_module_forward_pre_hook(fails)
    try: m(x)
    finally: handle.remove()
tell(call)""",
        _PYTHON,
    ),
    Case(
        "a global forward hook",
        """
m = load()
def call():
    handle = nn.modules.module.register_module_forward_hook(fails)
    try: m(x)
    finally: handle.remove()
tell(call)""",
        _PYTHON,
    ),
    Case(
        "an error that C# catches",
        'm = load(name="Catches"); m.fc.register_forward_hook(fails); tell(m, x)',
        "returned",
    ),
    Case(
        "an interrupt that C# catches",
        """
m = load(name="Catches"); m.fc.register_forward_hook(raises(KeyboardInterrupt())); tell(m, x)""",
        "KeyboardInterrupt:",
    ),
    Case(
        "an exit that C# catches",
        """
m = load(name="Catches"); m.fc.register_forward_hook(raises(SystemExit(3))); tell(m, x)""",
        "SystemExit: 3",
    ),
    Case(
        "an error on a thread of .NET",
        """
m = load("thread"); main = threading.main_thread()
m.fc.register_forward_hook(lambda *_: fails() if threading.current_thread() is not main else None)
tell(m, x)""",
        _AGGREGATE,
    ),
    Case(
        "a result of a wrong type",
        'm = load(); m.fc.register_forward_hook(lambda *_: "text"); tell(m, x)',
        "DotNetTypeError: System.InvalidCastException: string was given where C# declares Tensor (F-2: types in .NET are fixed).",
    ),
    Case(
        "a result of a wrong shape",
        "m = load(); m.fc.register_forward_pre_hook(lambda *_: (torch.ones(3, 3),)); tell(m, x)",
        _EXTERNAL + "mat1 and mat2 shapes cannot be multiplied (3x3 and 4x4)",
    ),
    Case(
        "a signal",
        """
m = load("wait"); calls = []
def hook(*_):
    calls.append(1)
    if len(calls) == 3: os.kill(os.getpid(), signal.SIGINT)
m.fc.register_forward_pre_hook(hook); tell(m, x)""",
        "KeyboardInterrupt:",
    ),
    Case(
        "a signal between hooks",
        """
m = load("wait"); calls = []
main = threading.main_thread().ident
m.fc.register_forward_pre_hook(lambda *_: calls.append(1))
def send():
    while len(calls) < 3: pass
    signal.pthread_kill(main, signal.SIGINT)
threading.Thread(target=send).start()
tell(m, x)""",
        "KeyboardInterrupt:",
    ),
    Case(
        "recursion",
        "m = load(); m.fc.register_forward_hook(lambda *_: m(x)); tell(m, x)",
        "RecursionError: maximum recursion depth exceeded",
    ),
    Case(
        "recursion without a limit",
        """
sys.setrecursionlimit(10**7); threading.stack_size(2**20)
m = load(); m.fc.register_forward_hook(lambda *_: m(x)); said = []
def work():
    try: m(x)
    except RecursionError as error: said.append(error)
t = threading.Thread(target=work); t.start(); t.join()
m.fc._forward_hooks.clear()
tell(lambda: fails() if isinstance(said[0], bridge.DotNetError) else None)""",
        _PYTHON,
    ),
    Case(
        "recursion on a thread",
        """
m = load(); m.fc.register_forward_hook(lambda *_: m(x)); said = []
def work():
    try: m(x)
    except RecursionError as error: said.append(error)
t = threading.Thread(target=work); t.start(); t.join()
tell(lambda: fails() if said else None)""",
        _PYTHON,
    ),
    Case(
        "a hook that removes itself",
        """
m = load(); handle = m.fc.register_forward_hook(lambda *_: handle.remove()); m(x); tell(m, x)""",
        "returned",
    ),
    Case(
        "a hook that deletes the model",
        """
m = load()
def hook(*_):
    global m
    del m; gc.collect()
m.fc.register_forward_hook(hook); tell(lambda: m(x))""",
        "returned",
    ),
]

DOTNET = [
    Case("C# before its child", 'tell(load("before"), x)', _PURPOSE),
    Case("C# after its child", 'tell(load("after"), x)', _PURPOSE),
    Case("a hook of C#", 'tell(load("own hook"), x)', _PURPOSE),
    Case(
        "mul of wrong shapes",
        'tell(load("mul"), x)',
        _EXTERNAL + "The size of tensor a (3) must match the size of tensor b (5) at non-singleton dimension 1",
    ),
    Case(
        "matmul of wrong shapes",
        'tell(load("matmul"), x)',
        _EXTERNAL + "mat1 and mat2 shapes cannot be multiplied (2x3 and 2x3)",
    ),
    Case(
        "cummax of a wrong dimension",
        'tell(load("cummax"), x)',
        _EXTERNAL + "Dimension out of range (expected to be in range of [-2, 1], but got 7)",
    ),
    Case(
        "cummin of a wrong dimension",
        'tell(load("cummin"), x)',
        _EXTERNAL + "Dimension out of range (expected to be in range of [-2, 1], but got 7)",
    ),
    Case(
        "a number of threads set late",
        'tell(load("threads"), x)',
        _EXTERNAL
        + "Error: cannot set number of interop threads after parallel work has started or set_num_interop_threads called",
    ),
    Case("results of functions that replace TorchSharp's", 'tell(load("results"), x)', "returned"),
    Case(
        "wrong arguments",
        "tell(load(), torch.ones(3, 3))",
        _EXTERNAL + "mat1 and mat2 shapes cannot be multiplied (3x3 and 4x4)",
    ),
    Case(
        "modules that call each other without end",
        'tell(load("deep"), x)',
        "DotNetRecursionError: System.InsufficientExecutionStackException: Not enough stack to call TorchSharp.Modules.Linear: modules "
        "call each other endlessly, or are nested too deeply for this thread. Look for a forward or a hook that calls its own module, or "
        "run on a thread with a larger stack.",
    ),
    Case(
        "no tensor",
        "tell(load(), None)",
        "DotNetError: System.NullReferenceException: Object reference not set to an instance of an object.",
    ),
]

OTHERS = [
    Case(
        "models collected during finalizers",
        """
for _ in range(100):
    m = load("collect"); m.fc.register_forward_hook(lambda *_: None); m(x).sum().backward(); del m
gc.collect(); tell(lambda: None)""",
        "returned",
    ),
    Case(
        "models collected on threads",
        """
def work():
    for _ in range(20):
        m = load("collect"); m.fc.register_forward_hook(lambda *_: None); m(x.detach()).sum().backward(); del m
    gc.collect()
threads = [threading.Thread(target=work) for _ in range(4)]
for t in threads: t.start()
for t in threads: t.join()
tell(lambda: None)""",
        "returned",
    ),
    Case(
        "threads in one model",
        """
m = load("backward"); calls = []
m.fc.register_forward_hook(lambda *_: calls.append(1))
def work():
    for _ in range(200): m(x.detach().requires_grad_())
threads = [threading.Thread(target=work) for _ in range(4)]
for t in threads: t.start()
for t in threads: t.join()
assert len(calls) == 800
tell(lambda: None)""",
        "returned",
    ),
    Case(
        "a forked child",
        """
m = load(); m(x)
child = os.fork()
if child == 0:
    try: m(x)
    except BaseException as error: print(f"{type(error).__name__}: {error}", file=sys.stderr); os._exit(9)
    os._exit(1)
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), file=sys.stderr)""",
        "9",
        0,
    ),
    Case(
        "a fork that loads",
        """
m = load(); m(x)
child = os.fork()
if child == 0:
    try: load()
    except BaseException as error: print(f"{type(error).__name__}: {error}", file=sys.stderr); os._exit(9)
    os._exit(1)
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), file=sys.stderr)""",
        "9",
        0,
    ),
]

ENDS = [
    Case("after a backward of Python", "load()(x).sum().backward(); sys.exit(7)", ""),
    Case("after a backward of C#", 'load("backward")(x); sys.exit(7)', ""),
    Case("with hooks", "m = load(); m.fc.register_forward_hook(lambda *_: None); m(x); sys.exit(7)", ""),
    Case("with an error", "m = load(); m.fc.register_forward_hook(fails); m(x)", _PYTHON, 1),
    Case("with an error of C#", 'load("after")(x)', "System.InvalidOperationException: on purpose", 1),
    Case("by C#", 'load("exit")(x)', ""),
    Case("by a hook", "m = load(); m.fc.register_forward_hook(raises(SystemExit(7))); m(x)", ""),
    Case("by a tensor hook", 'x.register_hook(raises(SystemExit(7))); load("backward")(x)', ""),
    Case(
        "with a thread in C#",
        """
m = load("wait"); begun = threading.Event()
m.fc.register_forward_hook(lambda *_: begun.set())
threading.Thread(target=m, args=(x.detach(),), daemon=True).start(); begun.wait(); sys.exit(7)""",
        "",
    ),
    Case(
        "with a thread in backward",
        """
m = load("backward"); begun = threading.Event()
def work():
    while True: m(x.detach().requires_grad_()); begun.set()
threading.Thread(target=work, daemon=True).start(); begun.wait(); sys.exit(7)""",
        "",
    ),
    Case(
        "from a thread",
        """
m = load("backward")
t = threading.Thread(target=m, args=(x,)); t.start(); t.join(); sys.exit(7)""",
        "",
    ),
]

#: Faults of .NET that nothing of ours can prevent: C# that recurses without end and calls no module meanwhile.
FATAL = [Case("unbounded recursion of C#", 'load("bottomless")(x)', "", -signal.SIGABRT)]


@pytest.fixture(scope="session")
def models(torchsharp: Path, build_csharp: Callable[..., Path]) -> Path:
    """Compile Ends.cs against TorchSharp."""
    return build_csharp([Path(__file__).with_name("Ends.cs")], "InProcessEnds", against=[torchsharp])


@pytest.fixture
def run(models: Path, torchsharp: Path, forked: Callable[..., Run]) -> Callable[[Case], Run]:
    """Return a function that runs the program of a case in a process of its own."""
    names = f"MODELS, RUNTIME = {str(models)!r}, {f'torchsharp-in-process:{torchsharp.parent}'!r}\n"
    return lambda case: forked(names + PRELUDE + case.program)


def check(done: Run, case: Case) -> None:
    """Fail if the process hung, or did not end as the case says."""
    assert not done.timed_out, str(done)
    assert done.returncode == case.code, str(done)
    # Which module failed is tested by tests/mirror/test_errors.py.
    last = re.sub(r" in (the root module|module '[^']*')(?=: )", "", (done.stderr.strip().splitlines() or [""])[-1])
    # What Python was doing when it ran out of depth depends on the depth of its caller.
    last = re.sub(r"(?<=recursion depth exceeded) (while|in) .*", "", last)
    assert last == case.last, str(done)


def parametrize(cases: list[Case]) -> pytest.MarkDecorator:
    """Return a mark that gives a test each case, by its name."""
    return pytest.mark.parametrize("case", cases, ids=[case.name for case in cases])


@parametrize(BACKWARD)
def test_errors_below_a_backward_that_csharp_begins_are_raised(case: Case, run: Callable[[Case], Run]) -> None:
    check(run(case), case)


@parametrize(MODES)
def test_python_code_below_operators_is_refused_by_name(case: Case, run: Callable[[Case], Run]) -> None:
    check(run(case), case)


@parametrize(HOOKS)
def test_errors_of_hooks_are_raised(case: Case, run: Callable[[Case], Run]) -> None:
    check(run(case), case)


@parametrize(DOTNET)
def test_errors_of_csharp_are_raised(case: Case, run: Callable[[Case], Run]) -> None:
    check(run(case), case)


@parametrize(OTHERS)
def test_threads_collections_and_forks_do_not_end_the_process(case: Case, run: Callable[[Case], Run]) -> None:
    check(run(case), case)


@parametrize(ENDS)
@pytest.mark.parametrize("again", range(5))
def test_processes_end_by_themselves_with_their_own_code(again: int, case: Case, run: Callable[[Case], Run]) -> None:
    check(run(case), case)


@parametrize(FATAL)
def test_what_ends_any_program_of_dotnet_ends_python(case: Case, run: Callable[[Case], Run]) -> None:
    assert run(case).returncode == case.code
