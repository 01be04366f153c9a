// What test_distributions.py calls; Rows.cs is made there.
#nullable disable
using System;
using System.Collections.Generic;
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
}

/// <summary>A sample of a distribution that a factory makes of numbers.</summary>
public sealed class Drawn : Module<Tensor, Tensor>
{
    private readonly string name;

    public Drawn(string name) : base(nameof(Drawn)) => this.name = name;

    public override Tensor forward(Tensor x)
    {
        manual_seed(5);
        return name switch
        {
            "normal" => Normal(1f, 2f).sample(3),
            "normal, double" => Normal(1.0).sample(3),
            "laplace" => Laplace(1f, 2f).sample(3),
            "laplace, double" => Laplace(1.0).sample(3),
            "bernoulli" => Bernoulli(0.25f, null).sample(6),
            "bernoulli, double" => Bernoulli(null, 0.5).sample(6),
            "binomial" => Binomial(9, 0.25f, null).sample(6),
            "binomial, double" => Binomial(9, null, 0.5).sample(6),
            "categorical" => Categorical(4).sample(6),
            "multinomial" => Multinomial(20, 4).sample(2),
            "negative binomial" => NegativeBinomial(9, 0.25f, null).sample(6),
            "negative binomial, double" => NegativeBinomial(9, null, 0.5).sample(6),
            "poisson" => Poisson(4f).sample(6),
            "poisson, double" => Poisson(4.0).sample(6),
            "logits of relaxed" => LogitRelaxedBernoulli(tensor(0.5f), 0.25f, null).sample(3),
            "logits of relaxed, double" => LogitRelaxedBernoulli(tensor(0.5), 0.25, null).sample(3),
            "relaxed bernoulli" => RelaxedBernoulli(tensor(0.5f), 0.25f, null).sample(3),
            _ => Generated(new Generator(9)),
        };
    }

    private static Tensor Generated(Generator generator) => cat(new[]
    {
        Normal(tensor(0f), tensor(1f), generator).sample(3),
        Beta(tensor(2f), tensor(1f), generator).sample(3),
        LogNormal(tensor(0f), tensor(1f), generator).sample(3),
    });
}

/// <summary>What distributions hold, dispose and refuse: each method returns "" or what was wrong.</summary>
public sealed class Facts : Module<Tensor, Tensor>
{
    public Facts() : base(nameof(Facts)) { }

    public override Tensor forward(Tensor x) => x;

    public string Lifetime(string row, Tensor x)
    {
        using var all = NewDisposeScope();
        Distribution made, expanded;
        using (NewDisposeScope())
        {
            made = Rows.Distribution(row, x);
            expanded = made.expand(new Size(new[] { 2L }.Concat(made.batch_shape)));
        }

        using (var scope = NewDisposeScope())
        {
            var sample = expanded.sample();
            if (scope.DisposablesCount != 1) return $"{scope.DisposablesCount} tensors of a sample";
            made.log_prob(sample);
            if (scope.DisposablesCount != 2) return $"{scope.DisposablesCount} tensors of a log_prob";
        }

        using (NewDisposeScope()) made.expand(made.batch_shape, expanded);
        made.Dispose();
        if (!Throws<InvalidOperationException>(() => made.sample())) return "disposed, and lives on";
        expanded.sample();
        if (!Throws<ArgumentException>(() => expanded.expand(expanded.batch_shape, new Another()))) return "another class is accepted";
        expanded.sample();
        expanded.Dispose();
        expanded.Dispose();
        return "";
    }

    public string Owners()
    {
        using var scope = NewDisposeScope();
        Tensor loc = zeros(2), scale = ones(2);
        using var kept = Normal(loc, scale);
        Normal(loc, scale).Dispose();
        if (loc.IsInvalid) return "the caller's tensor is disposed";
        loc.Dispose();
        kept.sample();
        var normal = Normal(zeros(2), scale);
        Independent(normal, 1).Dispose();
        if (!Throws<InvalidOperationException>(() => normal.sample())) return "Independent leaves its base";
        normal = Normal(zeros(2), scale);
        new TorchSharp.Modules.TransformedDistribution(normal, new transforms.ExpTransform()).Dispose();
        return Throws<InvalidOperationException>(() => normal.sample()) ? "" : "TransformedDistribution leaves its base";
    }

    public string Refused()
    {
        using var scope = NewDisposeScope();
        var half = ones(2) / 2;
        var cases = new Action[]
        {
            () => Bernoulli(), () => Bernoulli(half, half), () => Categorical(probs: null), () => MultivariateNormal(zeros(2)),
            () => MultivariateNormal(zeros(2), eye(2), eye(2)), () => Independent(Normal(half, half), 2),
            () => new transforms.ReshapeTransform(new[] { 2L }, new[] { 3L }),
        };
        if (Categorical(half, zeros(3)).param_shape[0] != 2) return "logits beside probabilities";
        return string.Join(", ", Enumerable.Range(0, cases.Length).Where(index => !Throws<ArgumentException>(cases[index])));
    }

    public string Text(string row) => Rows.Constraint(row).ToString();

    /// <summary>Probabilities that a sample computed first have a graph nevertheless.</summary>
    public Tensor Cached(Tensor logits)
    {
        var made = Bernoulli(logits: logits);
        made.sample();
        return made.mean;
    }

    /// <summary>The entropy of a gamma distribution that has nothing but its natural parameters.</summary>
    public Tensor Entropy(Tensor shape, Tensor rate) => new Family(shape, rate).entropy();

    private static bool Throws<E>(Action action) where E : Exception
    {
        try
        {
            action();
            return false;
        }
        catch (E)
        {
            return true;
        }
    }

    private sealed class Family : TorchSharp.Modules.Gamma
    {
        private readonly Natural natural;

        public Family(Tensor shape, Tensor rate) : base(shape, rate) => natural = new Natural(shape, NaturalParams, LogNormalizer);

        public override Tensor entropy() => natural.entropy();
    }

    private sealed class Natural : ExponentialFamily
    {
        private readonly IList<Tensor> parameters;
        private readonly Func<Tensor[], Tensor> normalizer;

        public Natural(Tensor shape, IList<Tensor> parameters, Func<Tensor[], Tensor> normalizer) : base(null)
        {
            (this.parameters, this.normalizer) = (parameters, normalizer);
            batch_shape = new Size(shape.shape);
        }

        public override Tensor mean => throw new NotImplementedException();

        public override Tensor variance => throw new NotImplementedException();

        protected override IList<Tensor> NaturalParams => parameters;

        protected override Tensor MeanCarrierMeasure => tensor(0f);

        protected override Tensor LogNormalizer(params Tensor[] parameters) => normalizer(parameters);

        public override Tensor rsample(params long[] sample_shape) => throw new NotImplementedException();

        public override Tensor log_prob(Tensor value) => throw new NotImplementedException();

        public override Distribution expand(Size batch_shape, Distribution instance = null) => this;
    }

    private sealed class Another : Distribution
    {
        public Another() : base(null) { }

        public override Tensor mean => null;

        public override Tensor variance => null;

        public override Tensor rsample(params long[] sample_shape) => null;

        public override Tensor log_prob(Tensor value) => null;

        public override Tensor entropy() => null;

        public override Distribution expand(Size batch_shape, Distribution instance = null) => this;
    }
}

/// <summary>What a user derives: a distribution and a transform of his own.</summary>
public sealed class Own : Module<Tensor, Tensor>
{
    public Own() : base(nameof(Own)) { }

    public override Tensor forward(Tensor value) =>
        new TorchSharp.Modules.TransformedDistribution(
                new Halved(), new transforms.Transform[] { new Twice(), new transforms.ExpTransform() })
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
