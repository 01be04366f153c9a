"""Cases of factories, windows, generators and initial values: Operators/TorchFunctions/Torch.cs, Init.cs and Linalg.cs."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import torch
from operator_rows import FLOATS, ONE, Inputs, Row, joined, kind, one
from torch.nn import init

HALF_FREE = (torch.float32, torch.float64)


def nothing(draw: Any) -> Inputs:
    return [], [draw.integer(1, 9), draw.integer(1, 4), draw.random.choice([-1, 6, 7])]


def matrix(draw: Any) -> Inputs:
    return [draw.tensor(draw.integer(1, 5), draw.integer(1, 5))], []


def weight(draw: Any) -> Inputs:
    return [torch.zeros(*draw.shape(2, 4, empty=False), dtype=draw.dtype)], []


def chances(draw: Any) -> Inputs:
    return [draw.tensor(draw.integer(1, 3), draw.integer(2, 5)).nan_to_num(0.5, 1.0, 1.0).abs() + 0.01], [2]


def three(draw: Any) -> Inputs:
    shape = draw.shape()
    return [draw.tensor(*shape), draw.tensor(*shape), draw.tensor(*shape)], []


def batches(draw: Any) -> Inputs:
    batch, rows, middle, columns = (draw.integer(1, 3) for _ in range(4))
    return [
        draw.tensor(batch, rows, columns),
        draw.tensor(batch, rows, middle),
        draw.tensor(batch, middle, columns),
    ], []


def alike(draw: Any) -> Inputs:
    shape = draw.shape(2, 4)
    return [draw.tensor(*shape) for _ in range(3)], []


def tensors(draw: Any) -> Inputs:
    return [draw.tensor(draw.integer(1, 4), 3, 4), draw.tensor(4, 3, draw.integer(1, 4))], []


def signal(draw: Any) -> Inputs:
    return [
        torch.randn(draw.integer(1, 2), 40, generator=draw.generator, dtype=draw.dtype),
        torch.hann_window(8, dtype=draw.dtype),
    ], [draw.integer(0, 1)]


def equations(draw: Any) -> Inputs:
    made = torch.randn(5, 5, generator=draw.generator, dtype=draw.dtype)
    return [made[:, : draw.integer(2, 3)], made[:, 3:]], []


def parameters(draw: Any) -> Inputs:
    return [torch.randn(draw.integer(1, 3), 3, generator=draw.generator) for _ in range(2)], []


def _drawn(function: Callable[..., torch.Tensor], *arguments: Any, **given: Any) -> Callable[..., torch.Tensor]:
    """Draw twice with a new generator seeded with 7, since its state must advance."""

    def run(*inputs: torch.Tensor, n: Any, r: Any) -> torch.Tensor:
        generator = torch.Generator().manual_seed(7)
        return joined([function(*inputs, *arguments, generator=generator, **given) for _ in range(2)])

    return run


def _initial(function: Callable[..., torch.Tensor], *arguments: Any) -> Callable[..., torch.Tensor]:
    def run(a: torch.Tensor, n: Any, r: Any) -> torch.Tensor:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return function(a, *arguments)

    return run


def _spectrum(a: torch.Tensor, b: torch.Tensor, n: Any, r: Any) -> torch.Tensor:
    made = torch.stft(a, 8, 4, window=b, pad_mode="constant" if n[0] else "reflect", return_complex=True)
    return torch.view_as_real(made)


def _clipped(a: torch.Tensor, b: torch.Tensor, n: Any, r: Any) -> torch.Tensor:
    leaves = [torch.nn.Parameter(tensor.detach().clone()) for tensor in (a, b)]
    (leaves[0].square().sum() + leaves[1].square().sum()).backward()
    norm = torch.nn.utils.clip_grad_norm_(leaves, 0.5)
    torch.nn.utils.clip_grad_value_(leaves, 0.1)
    return joined([leaves[0].grad, leaves[1].grad, norm])


def _cast(n: Any, r: Any) -> torch.Tensor:
    return torch.tensor([1, 5, 0, 5, 0, 15])  # in TorchSharp's numbers of float16 and bfloat16


def _scaled(rate: float) -> Callable[..., torch.Tensor]:
    def run(a: torch.Tensor, b: torch.Tensor, n: Any, r: Any) -> torch.Tensor:
        scaler = torch.amp.GradScaler("cpu", 8, growth_interval=1)
        leaf = torch.nn.Parameter(a.detach().clone())
        optimizer = torch.optim.SGD([leaf], 0.5)
        scaler.scale(leaf.square().sum() * rate).backward()  # type: ignore[no-untyped-call]  # torch's is untyped
        scaler.step(optimizer)
        scaler.update()
        return joined([leaf.detach(), torch.tensor(scaler.get_scale())])

    return run


#: Their settings beside the length and whether they are periodic.
WINDOWS: dict[str, tuple[float, ...]] = {
    "hann_window.periodic": (),
    "blackman_window.periodic": (),
    "bartlett_window.periodic": (),
    "hamming_window.periodic_alpha_beta": (0.5, 0.25),
    "kaiser_window.beta": (7.0,),
}


def _window(name: str, shape: tuple[float, ...]) -> Row:
    code = f"{name}({', '.join(['n[0]', 'n[1] > 2', *(f'{value}f' for value in shape)])})"
    function = getattr(torch, name)
    return Row(code, lambda n, r: function(n[0], n[1] > 2, *shape), nothing, ONE, gradient=False)


ROWS: dict[str, Row] = {
    "torch aten::zeros #int": Row("zeros(1, 2, 0)", lambda n, r: torch.zeros(1, 2, 0), nothing, ONE, gradient=False),
    "torch aten::ones #span": Row("ones(new System.ReadOnlySpan<long>(n, 0, 2), Type(2))", lambda n, r: torch.ones(n[:2], dtype=kind(n[2])), nothing, ONE, gradient=False),
    "torch aten::rand.generator #own": Row("Joined(Twice(g => rand(2, 3, generator: g)))", _drawn(torch.rand, 2, 3), nothing, ONE, gradient=False),
    "torch aten::randn.generator #own": Row("Joined(Twice(g => randn([2, 3], generator: g)))", _drawn(torch.randn, 2, 3), nothing, ONE, gradient=False),
    "torch aten::randint.low_generator #own": Row("Joined(Twice(g => randint(-2, 9, new Size((2, 3)), generator: g)))", _drawn(torch.randint, -2, 9, (2, 3)), nothing, ONE, gradient=False),
    "torch aten::randint.low_generator #size": Row("randint(1, 5, 4)", lambda n, r: torch.randint(1, 5, (4,)), nothing, ONE, gradient=False),
    "torch aten::randperm.generator #own": Row("Joined(Twice(g => randperm(9, generator: g)))", _drawn(torch.randperm, 9), nothing, ONE, gradient=False),
    "torch aten::normal.float_float": Row("normal(0.5, 2.0, [n[0], n[1]], Type(2))", lambda n, r: torch.normal(0.5, 2.0, tuple(n[:2]), dtype=kind(n[2])), nothing, ONE, gradient=False),
    "torch aten::normal.float_float #own": Row("Joined(Twice(g => normal(0.5, 2.0, [2, 3], generator: g)))", _drawn(torch.normal, 0.5, 2.0, (2, 3)), nothing, ONE, gradient=False),
    "torch aten::normal.Tensor_Tensor": Row("normal(a, a.abs())", lambda a, n, r: torch.normal(a, a.abs()), chances, HALF_FREE),
    "torch aten::_sample_dirichlet": Row("_sample_dirichlet(a.detach())", lambda a, n, r: torch._sample_dirichlet(a.detach()), chances, HALF_FREE, gradient=False),
    "torch aten::_sample_dirichlet #own": Row("Joined(Twice(g => _sample_dirichlet(a.detach(), g)))", lambda a, n, r: _drawn(torch._sample_dirichlet)(a.detach(), n=n, r=r), chances, HALF_FREE, gradient=False),
    "torch aten::_standard_gamma": Row("_standard_gamma(a)", lambda a, n, r: torch._standard_gamma(a), chances, HALF_FREE),
    "torch aten::poisson": Row("poisson(a)", lambda a, n, r: torch.poisson(a), chances, HALF_FREE),
    "Tensor aten::multinomial #own": Row("Joined(Twice(g => multinomial(a, 2, generator: g)))", _drawn(torch.multinomial, 2), chances, HALF_FREE, gradient=False),
    "Tensor aten::bernoulli #own": Row("Joined(Twice(g => bernoulli(a.sigmoid(), g)))", lambda a, n, r: _drawn(torch.bernoulli)(a.sigmoid(), n=n, r=r), chances, HALF_FREE),
    "torch aten::logspace": Row("logspace(0, 2, n[0], 3, Type(2))", lambda n, r: torch.logspace(0, 2, n[0], 3, dtype=kind(n[2])), nothing, ONE, gradient=False),
    **{f"torch aten::{name}": _window(name.partition(".")[0], shape) for name, shape in WINDOWS.items()},
    "torch aten::stft.center": Row("stft(a, 8, 4, window: b, pad_mode: n[0] == 1 ? PaddingModes.Constant : PaddingModes.Reflect, return_complex: true).view_as_real()", _spectrum, signal, HALF_FREE),
    "torch aten::istft": Row("istft(stft(a, 8, 4, window: b, return_complex: true), 8, 4, window: b)", lambda a, b, n, r: torch.istft(torch.stft(a, 8, 4, window=b, return_complex=True), 8, 4, window=b), signal, HALF_FREE),
    "torch aten::complex": Row("complex(a, b).view_as_real()", lambda a, b, n, r: torch.view_as_real(torch.complex(a, b)), lambda d: ([t := d.tensor(*d.shape()), t + 1], []), HALF_FREE),
    "torch aten::hstack": Row("hstack(a, b, c)", lambda a, b, c, n, r: torch.hstack((a, b, c)), alike),
    "torch aten::hstack #span": Row("hstack(new System.ReadOnlySpan<Tensor>([a, b, c]))", lambda a, b, c, n, r: torch.hstack((a, b, c)), alike),
    "torch aten::vstack": Row("vstack([a, b, c])", lambda a, b, c, n, r: torch.vstack((a, b, c)), alike),
    "torch aten::dstack": Row("dstack(a, b, c)", lambda a, b, c, n, r: torch.dstack((a, b, c)), alike),
    "torch aten::column_stack": Row("column_stack([a, b, c])", lambda a, b, c, n, r: torch.column_stack((a, b, c)), alike),
    "torch aten::block_diag": Row("block_diag(a, a)", lambda a, n, r: torch.block_diag(a, a), matrix),
    "torch aten::tensordot": Row("tensordot(a, b, [2L, 1L], [0L, 1L])", lambda a, b, n, r: torch.tensordot(a, b, ([2, 1], [0, 1])), tensors, HALF_FREE),
    "torch aten::tensordot #count": Row("tensordot(a, b, 1)", lambda a, b, n, r: torch.tensordot(a, b, 1), tensors, HALF_FREE),
    "torch aten::baddbmm": Row("baddbmm(a, b, c, 2, 0.5f)", lambda a, b, c, n, r: torch.baddbmm(a, b, c, beta=2, alpha=0.5), batches, HALF_FREE),
    "torch aten::atan": Row("atan(a)", lambda a, n, r: torch.atan(a), one, FLOATS),
    "torch aten::addcdiv": Row("addcdiv(a, b, c, 0.5)", lambda a, b, c, n, r: torch.addcdiv(a, b, c, value=0.5), three, HALF_FREE),
    "torch aten::addcmul": Row("addcmul(a, b, c, 2)", lambda a, b, c, n, r: torch.addcmul(a, b, c, value=2), three, HALF_FREE),
    "torch bridge::synchronize": Row("Synchronized()", lambda n, r: torch.ones(1), nothing, ONE, gradient=False),
    "torch bridge::cudnn_is_available": Row("ones(cuda.is_cudnn_available() ? 2 : 1)", lambda n, r: torch.ones(1 + torch.backends.cudnn.is_available()), nothing, ONE, gradient=False),  # type: ignore[no-untyped-call]  # torch's is untyped
    "torch bridge::mps_is_available": Row("ones(mps_is_available() ? 1 : 2)", lambda n, r: torch.ones(2 - torch.backends.mps.is_available()), nothing, ONE, gradient=False),
    "torch bridge::initial_seed": Row("tensor(Generator.Default.manual_seed(n[0]).initial_seed())", lambda n, r: torch.manual_seed(n[0]) and torch.tensor(n[0]), nothing, ONE, gradient=False),
    "torch bridge::initial_seed #negative": Row("tensor(Generator.Default.manual_seed(-n[0] - 1).initial_seed())", lambda n, r: torch.manual_seed(-n[0] - 1) and torch.tensor(-n[0] - 1), nothing, ONE, gradient=False),
    "torch bridge::rng_state": Row("get_rng_state()", lambda n, r: torch.get_rng_state(), nothing, ONE, gradient=False),
    "torch bridge::set_rng_state": Row("Restored()", lambda n, r: torch.rand(3), nothing, ONE, gradient=False),
    "torch bridge::seeded": Row("new Generator((ulong)n[0]).get_state()", lambda n, r: torch.Generator().manual_seed(n[0]).get_state(), nothing, ONE, gradient=False),
    "torch bridge::seed_of": Row("tensor(new Generator(3).manual_seed(n[0]).initial_seed())", lambda n, r: torch.tensor(n[0]), nothing, ONE, gradient=False),
    "torch bridge::seed_of #negative": Row("tensor(new Generator(3).manual_seed(-n[0] - 1).initial_seed())", lambda n, r: torch.tensor(-n[0] - 1), nothing, ONE, gradient=False),
    "torch bridge::enter_inference_mode": Row("Inferred()", lambda n, r: torch.tensor([1, 0, 1, 0]), nothing, ONE, gradient=False),
    "torch bridge::leave_inference_mode": Row("Inferred()", lambda n, r: torch.tensor([1, 0, 1, 0]), nothing, ONE, gradient=False),
    "torch bridge::is_inference_mode": Row("Inferred()", lambda n, r: torch.tensor([1, 0, 1, 0]), nothing, ONE, gradient=False),
    "torch bridge::enter_autocast": Row("Cast()", _cast, nothing, ONE, gradient=False),
    "torch bridge::leave_autocast": Row("Cast()", _cast, nothing, ONE, gradient=False),
    "torch bridge::is_autocast_enabled": Row("Cast()", _cast, nothing, ONE, gradient=False),
    "torch bridge::autocast_dtype": Row("Cast()", _cast, nothing, ONE, gradient=False),
    "torch aten::_amp_foreach_non_finite_check_and_unscale_": Row("Scaled(a, 0.7)", _scaled(0.7), parameters, ONE, gradient=False),
    "torch aten::_amp_update_scale_": Row("Scaled(a, double.PositiveInfinity)", _scaled(float("inf")), parameters, ONE, gradient=False),
    # LAPACK's last bits depend on where the matrix lies in memory.
    "linalg aten::linalg_lstsq": Row("linalg.lstsq(a, b).Solution.round(3)", lambda a, b, n, r: torch.linalg.lstsq(a, b).solution.round(decimals=3), equations, HALF_FREE, gradient=False),
    "linalg aten::linalg_norm": Row("linalg.norm(a)", lambda a, n, r: torch.linalg.norm(a), matrix, FLOATS),
    "linalg aten::linalg_norm #dims": Row("linalg.norm(a, [1], true)", lambda a, n, r: torch.linalg.norm(a, dim=(1,), keepdim=True), matrix, FLOATS),
    "special aten::special_i0": Row("special.i0(a)", lambda a, n, r: torch.special.i0(a), one, HALF_FREE),
    "utils bridge::clip_grad_norm_": Row("Clipped(a, b)", _clipped, parameters, ONE, gradient=False),
    "utils bridge::clip_grad_value_": Row("Clipped(a, b)", _clipped, parameters, ONE, gradient=False),
    "init aten::fill_.Scalar": Row("init.constant_(a, 0.5)", _initial(init.constant_, 0.5), weight, FLOATS, gradient=False),
    "init aten::fill_.Scalar #dirac": Row("init.dirac_(a)", lambda a, n, r: init.dirac_(a), lambda d: ([torch.ones(d.integer(1, 3), d.integer(1, 3), *d.shape(1, 3, empty=False)[:3])], []), ONE, gradient=False),
    "init aten::fill_.Scalar #ones": Row("init.ones_(init.zeros_(a))", _initial(init.ones_), weight, FLOATS, gradient=False),
    "init aten::fill_.Scalar #eye": Row("init.eye_(a)", _initial(init.eye_), matrix, FLOATS, gradient=False),
    "init aten::uniform_": Row("init.uniform_(a, -1, 2)", _initial(init.uniform_, -1, 2), weight, FLOATS, gradient=False),
    "init aten::uniform_ #own": Row("Joined(Twice(g => init.uniform_(a, -1, 2, g).clone()))", lambda a, n, r: _drawn(lambda generator: init.uniform_(a, -1, 2, generator).clone())(n=n, r=r), weight, HALF_FREE, gradient=False),
    "init aten::uniform_ #kaiming": Row("init.kaiming_uniform_(a, 0.3, init.FanInOut.FanOut)", lambda a, n, r: init.kaiming_uniform_(a, 0.3, "fan_out"), weight, FLOATS, gradient=False),
    "init aten::uniform_ #xavier": Row("init.xavier_uniform_(a, init.calculate_gain(init.NonlinearityType.Tanh))", lambda a, n, r: init.xavier_uniform_(a, init.calculate_gain("tanh")), weight, FLOATS, gradient=False),
    "init aten::normal_": Row("init.normal_(a, 1, 2)", _initial(init.normal_, 1, 2), weight, FLOATS, gradient=False),
    "init aten::normal_ #kaiming": Row("init.kaiming_normal_(a, nonlinearity: init.NonlinearityType.ReLU)", lambda a, n, r: init.kaiming_normal_(a, nonlinearity="relu"), weight, FLOATS, gradient=False),
    "init aten::normal_ #xavier": Row("init.xavier_normal_(a, 0.7)", lambda a, n, r: init.xavier_normal_(a, 0.7), weight, FLOATS, gradient=False),
    "init aten::normal_ #sparse": Row("init.sparse_(a, 0.4)", _initial(init.sparse_, 0.4), matrix, HALF_FREE, gradient=False),
    "init aten::mul_.Scalar": Row("init.orthogonal_(a, 1.5)", _initial(init.orthogonal_, 1.5), weight, HALF_FREE, gradient=False),
    "init aten::linalg_qr": Row("init.orthogonal_(a)", _initial(init.orthogonal_), weight, HALF_FREE, gradient=False),
    "init bridge::trunc_normal_": Row("init.trunc_normal_(a, 0.1, 0.5, -1, 1)", _initial(init.trunc_normal_, 0.1, 0.5, -1, 1), weight, HALF_FREE, gradient=False),
    "init bridge::trunc_normal_ #own": Row("Joined(Twice(g => init.trunc_normal_(a, generator: g).clone()))", lambda a, n, r: _drawn(lambda generator: init.trunc_normal_(a, generator=generator).clone())(n=n, r=r), weight, HALF_FREE, gradient=False),
}  # fmt: skip
