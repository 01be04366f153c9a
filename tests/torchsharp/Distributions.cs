// What test_distributions.py calls; Rows.cs is made there.
#nullable disable
using System;
using System.Linq;
using TorchSharp;
using static TorchSharp.torch;
using static TorchSharp.torch.distributions;
using static TorchSharp.torch.nn;

namespace Distributions;

/// <summary>Computes one member of one row's distribution, whose parameters come from the input.</summary>
public sealed class Member : Module<Tensor, Tensor, Tensor>
{
    private readonly string row;
    private readonly string member;

    public Member(string row, string member) : base(nameof(Member)) => (this.row, this.member) = (row, member);

    public override Tensor forward(Tensor x, Tensor value) => Of(Rows.Distribution(row, x), member, value);

    public static Tensor Of(Distribution d, string member, Tensor value) => member switch
    {
        "batch_shape" => Sizes(d.batch_shape),
        "event_shape" => Sizes(d.event_shape),
        "mean" => d.mean,
        "mode" => d.mode,
        "variance" => d.variance,
        "stddev" => d.stddev,
        "entropy" => d.entropy(),
        "perplexity" => d.perplexity(),
        "log_prob" => d.log_prob(value),
        "cdf" => d.cdf(value),
        "icdf" => d.icdf(value),
        "support" => d.enumerate_support(),
        "support unexpanded" => d.enumerate_support(false),
        "sample" => d.sample(5, 2),
        "one sample" => d.sample(),
        "rsample" => d.rsample(4),
        "expand" => d.expand(new Size(new[] { 2L }.Concat(d.batch_shape))).log_prob(value),
        "expand sample" => d.expand(new Size(new[] { 2L }.Concat(d.batch_shape))).sample(3),
        "expand twice" => d.expand(new Size(d.batch_shape), d.expand(new Size(new[] { 2L }.Concat(d.batch_shape)))).log_prob(value),
        _ => throw new ArgumentException(member),
    };

    private static Tensor Sizes(Size size) => tensor(size.Shape);
}

/// <summary>A transform of the first input: its result, its value for a result, and the rest of what it says.</summary>
public sealed class Transformed : Module<Tensor, Tensor, Tensor>
{
    private readonly string row;
    private readonly string member;

    public Transformed(string row, string member) : base(nameof(Transformed)) => (this.row, this.member) = (row, member);

    public override Tensor forward(Tensor x, Tensor y)
    {
        var t = Rows.Transform(row);
        return member switch
        {
            "forward" => t.forward(x),
            "inverse" => t.inv.forward(y),
            "log_abs_det_jacobian" => new Opened(t).Jacobian(x, y),
            "inverse log_abs_det_jacobian" => new Opened(t.inv).Jacobian(y, x),
            "sign" => t.sign * ones(1),
            "bijective" => tensor(t.bijective),
            "domain" => t.domain.check(x),
            "codomain" => t.codomain.check(y),
            "event_dims" => tensor(new[] { t.domain.event_dim, t.codomain.event_dim }),
            "forward_shape" => tensor(t.forward_shape(x.shape)),
            "inverse_shape" => tensor(t.inverse_shape(y.shape)),
            "inverse twice" => t.inv.inv.forward(x),
            _ => throw new ArgumentException(member),
        };
    }

    /// <summary>Makes the protected method of a transform visible.</summary>
    private sealed class Opened : transforms.ComposeTransform
    {
        public Opened(transforms.Transform transform) : base(new[] { transform }) { }

        public Tensor Jacobian(Tensor x, Tensor y) => log_abs_det_jacobian(x, y);
    }
}

/// <summary>A constraint's check of the input.</summary>
public sealed class Checked : Module<Tensor, Tensor>
{
    private readonly string row;

    public Checked(string row) : base(nameof(Checked)) => this.row = row;

    public override Tensor forward(Tensor value) => Rows.Constraint(row).check(value);

    public static string Named(string row) => Rows.Constraint(row).ToString();
}

/// <summary>What a user derives: a distribution and a transform of his own.</summary>
public sealed class Own : Module<Tensor, Tensor>
{
    public Own() : base(nameof(Own)) { }

    public override Tensor forward(Tensor value) =>
        new TorchSharp.Modules.TransformedDistribution(new Halved(), new transforms.Transform[] { new Twice(), new transforms.ExpTransform() })
            .log_prob(value);

    private sealed class Halved : Distribution
    {
        public Halved() : base(null) { }

        public override Tensor mean => tensor(0.25);

        public override Tensor variance => tensor(1.0 / 48);

        public override Tensor rsample(params long[] sample_shape) => rand(ExtendedShape(sample_shape), generator: generator) / 2;

        public override Tensor log_prob(Tensor value) => full_like(value, Math.Log(2));

        public override Tensor entropy() => tensor(-Math.Log(2));

        public override Distribution expand(Size batch_shape, Distribution instance = null) => this;
    }

    private sealed class Twice : transforms.Transform
    {
        public override bool bijective => true;

        public override constraints.Constraint domain => constraints.real;

        public override constraints.Constraint codomain => constraints.real;

        protected override Tensor _call(Tensor x) => 2 * x;

        protected override Tensor _inverse(Tensor y) => y / 2;

        protected override Tensor log_abs_det_jacobian(Tensor x, Tensor y) => full_like(x, Math.Log(2));
    }
}
