"""torch.distributions in C#: numbers, gradients and samples are those of PyTorch's classes; so are transforms and constraints."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import distributions

import bridge

pytestmark = pytest.mark.dotnet

#: Distributions of a parameter ``x``, in words that are C# and, once ``: `` is ``=``, Python.
ROWS = {
    "normal": "Normal(x - 0.5, 2 * x)",
    "normal, no dimension": "Normal(T(0.5).sum(), T(2).sum())",
    "uniform": "Uniform(x, 3 * x)",
    "exponential": "Exponential(2 * x)",
    "bernoulli": "Bernoulli(x)",
    "bernoulli, logits": "Bernoulli(logits: 2 * x - 1)",
    "beta": "Beta(2 * x + 1, 3 - x)",
    "beta, below 1": "Beta(x / 4, x / 4)",
    "gamma": "Gamma(3 * x + 0.5, x + 1)",
    "chi2": "Chi2(4 * x)",
    "dirichlet": "Dirichlet(3 * x)",
    "dirichlet, below 1": "Dirichlet(x / 4)",
    "dirichlet, batch": "Dirichlet(torch.stack(L(x + 1, 2 * x)))",
    "categorical": "Categorical(x)",
    "categorical, batch": "Categorical(logits: torch.stack(L(x, 1 - x)))",
    "multinomial": "Multinomial(5, x)",
    "multinomial, batch": "Multinomial(7, logits: torch.stack(L(x, 1 - x)))",
    "binomial": "Binomial(T(6, 6, 6), x)",
    "binomial, logits": "Binomial(T(6, 4, 2), logits: x - 0.5)",
    "cauchy": "Cauchy(x, 2 * x)",
    "laplace": "Laplace(x, 2 * x)",
    "f": "FisherSnedecor(9 * x, 6 * x)",
    "geometric": "Geometric(x)",
    "geometric, logits": "Geometric(logits: x - 0.5)",
    "gumbel": "Gumbel(x, 2 * x)",
    "half cauchy": "HalfCauchy(x)",
    "half normal": "HalfNormal(x)",
    "independent": "Independent(Normal(x, 2 * x), 1)",
    "independent, batch": "Independent(Normal(torch.stack(L(x, x + 1)), torch.stack(L(x, x))), 1)",
    "kumaraswamy": "Kumaraswamy(3 * x, x + 1)",
    "log-normal": "LogNormal(x, x)",
    "negative binomial": "NegativeBinomial(T(3, 4, 5), x)",
    "negative binomial, logits": "NegativeBinomial(T(3, 4, 5), logits: x - 1)",
    "one-hot": "OneHotCategorical(x)",
    "one-hot, batch": "OneHotCategorical(logits: torch.stack(L(x, 1 - x)))",
    "pareto": "Pareto(x, 5 * x)",
    "poisson": "Poisson(4 * x)",
    "relaxed bernoulli": "RelaxedBernoulli(T(0.7).sum(), x)",
    "relaxed bernoulli, logits": "RelaxedBernoulli(T(0.7).sum(), logits: x)",
    "relaxed one-hot": "RelaxedOneHotCategorical(T(0.7).sum(), x)",
    "relaxed one-hot, logits": "RelaxedOneHotCategorical(T(0.7).sum(), logits: torch.stack(L(x, 1 - x)))",
    "weibull": "Weibull(x, 3 * x)",
    "vectors": "MultivariateNormal(x, covariance_matrix: torch.outer(x, x) + torch.eye(3))",
    "vectors, precision": "MultivariateNormal(x, precision_matrix: torch.outer(x, x) + torch.eye(3))",
    "vectors, factor": "MultivariateNormal(torch.stack(L(x, x + 1)), scale_tril: torch.outer(x, x).tril())",
    "transformed": "TransformedDistribution(Normal(x, 2 * x), L(ExpTransform(), AffineTransform(1, 2.5)))",
    "transformed, falling": "TransformedDistribution(Uniform(x, 2 * x), AffineTransform(T(1), T(-2)))",
    "transformed, vectors": "TransformedDistribution(Normal(x, 2 * x), ReshapeTransform(S(3), S(1, 3)))",
}
MEMBERS = (
    *(
        "batch_shape",
        "event_shape",
        "mean",
        "mode",
        "variance",
        "stddev",
        "entropy",
        "perplexity",
        "log_prob",
        "cdf",
        "icdf",
    ),
    *("support", "support unexpanded", "sample", "one sample", "rsample", "expand", "expand sample", "expand twice"),
)
TRANSFORMS = {
    "exp": "ExpTransform()",
    "log": "ExpTransform().inv",
    "power": "PowerTransform(T(2, 3, 0.5))",
    "sigmoid": "SigmoidTransform()",
    "softplus": "SoftplusTransform()",
    "softmax": "SoftmaxTransform()",
    "tanh": "TanhTransform()",
    "abs": "AbsTransform()",
    "affine": "AffineTransform(0.5, -2)",
    "affine, tensors": "AffineTransform(T(1, 2, 3), T(0.5, -1, 2))",
    "affine, vectors": "AffineTransform(T(1, 2, 3), T(0.5, -1, 2), 1)",
    "reshape": "ReshapeTransform(S(3), S(3, 1))",
    "independent": "IndependentTransform(ExpTransform(), 1)",
    "compose": "ComposeTransform(L(ExpTransform(), AffineTransform(1, 2), PowerTransform(T(0.5, 2, 1))))",
    "compose, vectors": "ComposeTransform(L(ExpTransform(), AffineTransform(T(1, 2, 3), T(1, 2, 3), 1), ReshapeTransform(S(3), S(1, 3))))",
    "compose, none": "ComposeTransform(L())",
}
TRANSFORM_MEMBERS = (
    *(
        "forward",
        "inverse",
        "log_abs_det_jacobian",
        "inverse log_abs_det_jacobian",
        "sign",
        "bijective",
        "domain",
        "codomain",
    ),
    *("event_dims", "forward_shape", "inverse_shape", "inverse twice"),
)
_MATRICES = [
    [[1, 0], [0, 1]],
    [[2, 1], [1, 3]],
    [[2, 0], [1, 3]],
    [[1, 2], [2, 1]],
    [[1, 0], [0.6, 0.8]],
    [[1, 1], [1, 1]],
    [[-1, 0], [2, 1]],
]
_NUMBERS = [-1.5, -1, 0, 0.5, 1, 2, 2.5, 3, 4, math.nan, math.inf]
_VECTORS = [[0, 1, 0], [0.5, 0.25, 0.25], [1, 2, 3], [-1, 1, 1], [1, 1, 0], [0, 0, 0], [0.5, 0, 0]]
CONSTRAINTS: dict[str, tuple[str, list[Any]]] = {
    "boolean": ("boolean", _NUMBERS),
    "one_hot": ("one_hot", _VECTORS),
    "nonnegative_integer": ("nonnegative_integer", _NUMBERS),
    "positive_integer": ("positive_integer", _NUMBERS),
    "integer_interval": ("integer_interval(0, 3)", _NUMBERS),
    "integer_less_than": ("_IntegerLessThan(2)", _NUMBERS),
    "real": ("real", _NUMBERS),
    "real_vector": ("real_vector", [*_VECTORS, [math.nan, 0, 0]]),
    "positive": ("positive", _NUMBERS),
    "nonnegative": ("nonnegative", _NUMBERS),
    "unit_interval": ("unit_interval", _NUMBERS),
    "greater_than": ("greater_than(0.5)", _NUMBERS),
    "greater_than_eq": ("greater_than_eq(0.5)", _NUMBERS),
    "less_than": ("less_than(2.5)", _NUMBERS),
    "interval": ("interval(-1.0, 2.5)", _NUMBERS),
    "half_open_interval": ("half_open_interval(-1.5, 2.5)", _NUMBERS),
    "simplex": ("simplex", _VECTORS),
    "multinomial": ("multinomial(3)", _VECTORS),
    "lower_triangular": ("lower_triangular", _MATRICES),
    "lower_cholesky": ("lower_cholesky", _MATRICES),
    "corr_cholesky": ("corr_cholesky", _MATRICES),
    "square": ("square", _MATRICES),
    "not square": ("square", _VECTORS),
    "symmetric": ("symmetric", _MATRICES),
    "symmetric, all": ("symmetric", _MATRICES[:2]),
    "positive_semidefinite": ("positive_semidefinite", [_MATRICES[0], _MATRICES[1], _MATRICES[3], _MATRICES[5]]),
    "positive_definite": ("positive_definite", [_MATRICES[0], _MATRICES[1], _MATRICES[3], _MATRICES[5]]),
    "independent": ("independent(positive, 1)", _VECTORS),
    "cat": ("cat(L(positive, real), 1, L(1, 2))", _VECTORS),
    "cat, one each": ("cat(L(positive, real, boolean), -1)", _VECTORS),
    "stack": ("stack(L(positive, real, boolean), 1)", _VECTORS),
}
#: What TorchSharp 0.107.0 printed for the C# of ``Drawn``: the type, and a sample with seed 5 or, at last, of a generator with seed 9.
DRAWN: dict[str, tuple[torch.dtype, list[float]]] = {
    "normal": (torch.float32, [0.026438474655151367, -0.20764315128326416, -0.11619246006011963]),
    "normal, double": (torch.float64, [0.5132192373275757, 0.3961784243583679, 0.4419037699699402]),
    "laplace": (torch.float32, [3.1605846881866455, -1.7548916339874268, 4.374143600463867]),
    "laplace, double": (torch.float64, [1.3341170308556436, 0.3451420033789778, 0.6737922373551558]),
    "bernoulli": (torch.float32, [0, 1, 0, 0, 0, 1]),
    "bernoulli, double": (torch.float64, [0, 1, 1, 1, 1, 0]),
    "binomial": (torch.float32, [2, 1, 5, 2, 1, 3]),
    "binomial, double": (torch.float64, [6, 4, 6, 7, 4, 6]),
    "categorical": (torch.int64, [2, 1, 1, 1, 1, 3]),
    "multinomial": (torch.float64, [3, 7, 4, 6, 4, 9, 4, 3]),
    "negative binomial": (torch.float32, [2, 2, 4, 4, 7, 2]),
    "negative binomial, double": (torch.float64, [15, 7, 12, 30, 19, 14]),
    "poisson": (torch.float32, [4, 6, 3, 5, 1, 3]),
    "poisson, double": (torch.float64, [4, 6, 3, 5, 1, 3]),
    "logits of relaxed": (torch.float32, [0.9776020646095276, -6.068808078765869, 2.369023323059082]),
    "logits of relaxed, double": (torch.float64, [-1.0289833560155361, -4.2916789224392415, -3.3407722740852774]),
    "relaxed bernoulli": (torch.float32, [0.7266321778297424, 0.0023085877764970064, 0.9144344925880432]),
    "generator": (
        torch.float32,
        [
            *(0.04472753778100014, 1.9112390279769897, -0.2310308963060379),
            *(0.8400171995162964, 0.9241408705711365, 0.2837706208229065),
            *(2.635594367980957, 0.08297128975391388, 0.3433225452899933),
        ],
    ),
}
#: The text of constraints in TorchSharp 0.107.0.
TEXTS = {
    "boolean": "_Boolean()",
    "integer_interval": "_IntegerInterval(lower_bound=0,upper_bound=3)",
    "interval": "_Interval(lower_bound=-1,upper_bound=2.5)",
    "nonnegative": "_GreaterThanEq(lower_bound=0)",
    "real_vector": "_IndependentConstraint()",
}
_SOURCE = """
using System;
using System.Collections.Generic;
using System.Linq;
using TorchSharp;
using TorchSharp.Modules;
using static TorchSharp.torch;
using static TorchSharp.torch.distributions;

namespace Distributions;

internal static class Rows
{{
    public static Distribution Distribution(string row, Tensor x) => row switch
    {{
{distributions}
        _ => throw new ArgumentException(row),
    }};

    public static transforms.Transform Transform(string row) => row switch
    {{
{transforms}
        _ => throw new ArgumentException(row),
    }};

    public static constraints.Constraint Constraint(string row) => row switch
    {{
{constraints}
        _ => throw new ArgumentException(row),
    }};

    private static Tensor T(params double[] values) => tensor(values, dtype: float32);

    private static long[] S(params long[] values) => values;

    private static E[] L<E>(params E[] values) => values;
}}
"""


def csharp() -> str:
    """Return the rows' code."""

    def distribution(code: str) -> str:
        return transform(code.replace("TransformedDistribution(", "new TransformedDistribution("))

    def transform(code: str) -> str:
        code = code.replace("L(ExpTransform", "L<transforms.Transform>(ExpTransform").replace(
            "L()", "L<transforms.Transform>()"
        )
        for name in ("Exp", "Power", "Sigmoid", "Softplus", "Softmax", "Tanh", "Abs", "Affine", "Reshape", "Compose"):
            code = code.replace(f"{name}Transform(", f"new transforms.{name}Transform(")
        return code.replace("IndependentTransform(", "new transforms.IndepdenentTransform(")

    def constraint(code: str) -> str:
        code = code.replace("L(positive", "L<constraints.Constraint>(positive").replace("L(1, 2)", "L(1L, 2L)")
        for name in ("positive", "real", "boolean"):
            code = code.replace(f"({name},", f"(constraints.{name},").replace(f" {name},", f" constraints.{name},")
            code = code.replace(f" {name})", f" constraints.{name})")
        return f"new constraints.{code}" if code.startswith("_") else f"constraints.{code}"

    def arms(rows: dict[str, str]) -> str:
        return "\n".join(f'        "{name}" => {code},' for name, code in rows.items())

    return _SOURCE.format(
        distributions=arms({name: distribution(code) for name, code in ROWS.items()}),
        transforms=arms({name: transform(code) for name, code in TRANSFORMS.items()}),
        constraints=arms({name: constraint(code) for name, (code, _) in CONSTRAINTS.items()}),
    )


def python(code: str, **names: Any) -> Any:
    """Return what a row's code makes in Python."""
    given = {
        "T": lambda *values: torch.tensor(values, dtype=torch.float32),
        "S": lambda *values: values,
        "L": lambda *values: list(values),
        "torch": torch,
    }
    return eval(code.replace(": ", "="), {**vars(distributions.transforms), **vars(distributions), **given, **names})


@pytest.fixture(scope="module", autouse=True)
def unchecked() -> Iterator[None]:
    """Let PyTorch compute, as TorchSharp does, also for a value outside of the support."""
    before = distributions.Distribution._validate_args
    distributions.Distribution.set_default_validate_args(False)
    yield
    distributions.Distribution.set_default_validate_args(before)


@pytest.fixture(scope="session")
def assembly(build_csharp: Callable[..., Path]) -> Path:
    source = Path(__file__).with_name("Distributions.cs").read_text(encoding="utf-8")
    return build_csharp({"Distributions.cs": source, "Rows.cs": csharp()}, "Distributions")


def expected(d: Any, member: str, value: torch.Tensor) -> torch.Tensor:
    """Return a member of a distribution of PyTorch."""
    wider = (2, *d.batch_shape)
    of: dict[str, Callable[[], Any]] = {
        "batch_shape": lambda: torch.tensor(d.batch_shape, dtype=torch.int64),
        "event_shape": lambda: torch.tensor(d.event_shape, dtype=torch.int64),
        "log_prob": lambda: d.log_prob(value),
        "cdf": lambda: d.cdf(value),
        "icdf": lambda: d.icdf(value),
        "entropy": d.entropy,
        "perplexity": d.perplexity,
        "support": d.enumerate_support,
        "support unexpanded": lambda: d.enumerate_support(False),
        "sample": lambda: d.sample((5, 2)),
        "one sample": d.sample,
        "rsample": lambda: d.rsample((4,)) if d.has_rsample else d.sample((4,)),
        "expand": lambda: d.expand(wider).log_prob(value),
        "expand sample": lambda: d.expand(wider).sample((3,)),
        "expand twice": lambda: d.log_prob(value),
    }
    found: torch.Tensor = of[member]() if member in of else getattr(d, member)
    return found


@pytest.fixture(scope="module")
def facts(assembly: Path) -> Any:
    """Return the methods of Facts."""
    model: Any = bridge.load(assembly, "Distributions.Facts")
    return model.dotnet


def _x() -> torch.Tensor:
    return torch.tensor([0.4, 0.7, 0.9], requires_grad=True)


def value_for(d: Any, member: str) -> torch.Tensor:
    """Return what a member takes: samples, or probabilities."""
    if member == "icdf":
        return torch.tensor([[0.1, 0.5, 0.8], [0.25, 0.75, 0.95]])
    torch.default_generator.manual_seed(3)
    value: torch.Tensor = d.sample((2,)).detach()
    return value


@pytest.mark.parametrize("member", MEMBERS)
@pytest.mark.parametrize("row", ROWS)
def test_a_member_is_pytorchs(assembly: Path, row: str, member: str) -> None:
    x, y = _x(), _x()
    d = python(ROWS[row], x=x)
    value = value_for(d, member)
    model = bridge.load(assembly, "Distributions.Member", row, member)
    torch.default_generator.manual_seed(11)
    try:
        wanted = expected(d, member, value)
    except NotImplementedError:
        with pytest.raises(NotImplementedError):
            model(y, value)
        return
    torch.default_generator.manual_seed(11)
    found = model(y, value)
    tolerance = 1e-6 if "sample" in member else 1e-5
    torch.testing.assert_close(found, wanted, equal_nan=True, rtol=tolerance, atol=tolerance)
    if member == "rsample" and not d.has_rsample:
        return
    assert found.requires_grad == wanted.requires_grad
    if wanted.requires_grad and member != "cdf":  # some have no gradient
        for result in (wanted, found):
            torch.autograd.backward(result.nan_to_num().clamp(-10, 10).sum())
        torch.testing.assert_close(y.grad, x.grad, equal_nan=True, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("member", TRANSFORM_MEMBERS)
@pytest.mark.parametrize("row", TRANSFORMS)
def test_a_transform_is_pytorchs(assembly: Path, row: str, member: str) -> None:
    t = python(TRANSFORMS[row])
    x = torch.tensor([[0.5, 0.25, 1.5], [1, 2, 0.125]])
    y = t(x)
    of: dict[str, Callable[[], torch.Tensor]] = {
        "forward": lambda: t(x),
        "inverse": lambda: t.inv(y),
        "log_abs_det_jacobian": lambda: t.log_abs_det_jacobian(x, y),
        "inverse log_abs_det_jacobian": lambda: t.inv.log_abs_det_jacobian(y, x),
        "sign": lambda: t.sign * torch.ones(1),
        "bijective": lambda: torch.tensor(t.bijective),
        "domain": lambda: t.domain.check(x),
        "codomain": lambda: t.codomain.check(y),
        "event_dims": lambda: torch.tensor([t.domain.event_dim, t.codomain.event_dim], dtype=torch.int32),
        "forward_shape": lambda: torch.tensor(t.forward_shape(x.shape)),
        "inverse_shape": lambda: torch.tensor(t.inverse_shape(y.shape)),
        "inverse twice": lambda: t.inv.inv(x),
    }
    model = bridge.load(assembly, "Distributions.Transformed", row, member)
    try:
        wanted = of[member]()
    except NotImplementedError:
        with pytest.raises(NotImplementedError):
            model(x, y)
        return
    torch.testing.assert_close(model(x, y), wanted)


@pytest.mark.parametrize("row", CONSTRAINTS)
def test_a_constraint_is_pytorchs(assembly: Path, row: str) -> None:
    code, values = CONSTRAINTS[row]
    value = torch.tensor(values, dtype=torch.float32)
    wanted = eval(code, {**vars(distributions.constraints), "L": lambda *given: list(given)}).check(value)
    assert torch.equal(bridge.load(assembly, "Distributions.Checked", row)(value), wanted)


def test_distributions_and_transforms_of_a_user_are_called(assembly: Path) -> None:
    value = torch.tensor([1.5, 2.0])
    # The density is 2 on (0, 1/2): the logarithm of half of the result is uniform, and the result's is 1 / result.
    torch.testing.assert_close(bridge.load(assembly, "Distributions.Own")(value), -value.log())


@pytest.mark.parametrize("name", DRAWN)
def test_factories_of_numbers_draw_what_torchsharp_draws(assembly: Path, name: str) -> None:
    dtype, values = DRAWN[name]
    found = bridge.load(assembly, "Distributions.Drawn", name)(torch.ones(1))
    torch.testing.assert_close(found.flatten(), torch.tensor(values, dtype=dtype), rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize("row", ROWS)
def test_parameters_outlive_scopes_and_end_with_the_distribution(facts: Any, row: str) -> None:
    assert facts.Lifetime(row, _x().detach()) == ""


@pytest.mark.parametrize("fact", ["Owners", "Refused"])
def test_distributions_own_their_tensors_and_refuse_wrong_arguments(facts: Any, fact: str) -> None:
    assert getattr(facts, fact)() == ""


@pytest.mark.parametrize("row", TEXTS)
def test_a_constraints_text_is_torchsharps(facts: Any, row: str) -> None:
    assert facts.Text(row) == TEXTS[row]


def test_probabilities_that_a_sample_computed_have_a_graph(facts: Any) -> None:
    logits = torch.zeros(2, requires_grad=True)
    facts.Cached(logits).sum().backward()
    torch.testing.assert_close(logits.grad, torch.tensor([0.25, 0.25]))


def test_the_entropy_of_an_exponential_family_follows_from_its_normalizer(facts: Any) -> None:
    shape, rate = torch.tensor([3.0, 0.5]), torch.tensor([2.0, 4.0])
    found = facts.Entropy(shape, rate)
    gamma: Any = distributions.Gamma(shape, rate)
    torch.testing.assert_close(found, gamma.entropy())
