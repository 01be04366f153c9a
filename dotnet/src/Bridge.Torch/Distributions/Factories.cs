#nullable disable annotations // As in TorchSharp.

namespace TorchSharp;

public static partial class torch
{
    /// <summary>Probability distributions. A number stands for a tensor of its type with no dimensions.</summary>
    public static partial class distributions
    {
        public static Modules.Bernoulli Bernoulli(Tensor probs = null, Tensor logits = null, Generator generator = null) =>
            new(probs, logits, generator);

        public static Modules.Bernoulli Bernoulli(float? probs, float? logits, Generator generator = null) =>
            Scoped(() => new Modules.Bernoulli(Number(probs), Number(logits), generator));

        public static Modules.Bernoulli Bernoulli(double? probs, double? logits, Generator generator = null) =>
            Scoped(() => new Modules.Bernoulli(Number(probs), Number(logits), generator));

        public static Modules.Beta Beta(Tensor concentration1, Tensor concentration0, Generator generator = null) =>
            new(concentration1, concentration0, generator);

        public static Modules.Binomial Binomial(Tensor total_count, Tensor probs = null, Tensor logits = null,
            Generator generator = null) =>
            new(total_count, probs, logits, generator);

        public static Modules.Binomial Binomial(int total_count, float? probs, float? logits, Generator generator = null) =>
            Scoped(() => new Modules.Binomial(tensor(total_count), Number(probs), Number(logits), generator));

        public static Modules.Binomial Binomial(int total_count, double? probs, double? logits, Generator generator = null) =>
            Scoped(() => new Modules.Binomial(tensor(total_count), Number(probs), Number(logits), generator));

        public static Modules.Categorical Categorical(Tensor probs = null, Tensor logits = null, Generator generator = null) =>
            new(probs, logits, generator);

        public static Modules.Categorical Categorical(int categories, Generator generator = null) =>
            Scoped(() => new Modules.Categorical(ones(categories, float64), null, generator));

        public static Modules.Cauchy Cauchy(Tensor loc, Tensor scale, Generator generator = null) => new(loc, scale, generator);

        public static Modules.Chi2 Chi2(Tensor df, Generator generator = null) => new(df, generator);

        public static Modules.Dirichlet Dirichlet(Tensor concentration, Generator generator = null) => new(concentration, generator);

        public static Modules.Exponential Exponential(Tensor rate, Generator generator = null) => new(rate, generator);

        public static Modules.ExpRelaxedCategorical ExpRelaxedCategorical(Tensor temperature, Tensor probs = null,
            Tensor logits = null, Generator generator = null) =>
            new(temperature, probs, logits, generator);

        public static Modules.ExpRelaxedCategorical ExpRelaxedCategorical(Tensor temperature, float? probs, float? logits,
            Generator generator = null) =>
            Scoped(() => new Modules.ExpRelaxedCategorical(temperature, Number(probs), Number(logits), generator));

        public static Modules.ExpRelaxedCategorical ExpRelaxedCategorical(Tensor temperature, double? probs, double? logits,
            Generator generator = null) =>
            Scoped(() => new Modules.ExpRelaxedCategorical(temperature, Number(probs), Number(logits), generator));

        public static Modules.FisherSnedecor FisherSnedecor(Tensor df1, Tensor df2, Generator generator = null) =>
            new(df1, df2, generator);

        public static Modules.Gamma Gamma(Tensor concentration, Tensor rate, Generator generator = null) =>
            new(concentration, rate, generator);

        public static Modules.Geometric Geometric(Tensor probs = null, Tensor logits = null, Generator generator = null) =>
            new(probs, logits, generator);

        public static Modules.Gumbel Gumbel(Tensor loc, Tensor scale, Generator generator = null) => new(loc, scale, generator);

        public static Modules.HalfCauchy HalfCauchy(Tensor scale, Generator generator = null) => new(scale, generator);

        public static Modules.HalfNormal HalfNormal(Tensor scale, Generator generator = null) => new(scale, generator);

        public static Modules.Independent Independent(Distribution base_distribution, int reinterpreted_batch_dims,
            Generator generator = null) =>
            new(base_distribution, reinterpreted_batch_dims, generator);

        public static Modules.Kumaraswamy Kumaraswamy(Tensor concentration1, Tensor concentration0, Generator generator = null) =>
            new(concentration1, concentration0, generator);

        public static Modules.Laplace Laplace(Tensor loc, Tensor scale, Generator generator = null) => new(loc, scale, generator);

        public static Modules.Laplace Laplace(float loc, float scale = 1, Generator generator = null) =>
            Scoped(() => new Modules.Laplace(tensor(loc), tensor(scale), generator));

        public static Modules.Laplace Laplace(double loc, double scale = 1, Generator generator = null) =>
            Scoped(() => new Modules.Laplace(tensor(loc), tensor(scale), generator));

        public static Modules.LogitRelaxedBernoulli LogitRelaxedBernoulli(Tensor temperature, Tensor probs = null,
            Tensor logits = null, Generator generator = null) =>
            new(temperature, probs, logits, generator);

        public static Modules.LogitRelaxedBernoulli LogitRelaxedBernoulli(Tensor temperature, float? probs, float? logits,
            Generator generator = null) =>
            Scoped(() => new Modules.LogitRelaxedBernoulli(temperature, Number(probs), Number(logits), generator));

        public static Modules.LogitRelaxedBernoulli LogitRelaxedBernoulli(Tensor temperature, double? probs, double? logits,
            Generator generator = null) =>
            Scoped(() => new Modules.LogitRelaxedBernoulli(temperature, Number(probs), Number(logits), generator));

        public static Modules.LogNormal LogNormal(Tensor loc, Tensor scale, Generator generator = null) => new(loc, scale, generator);

        public static Modules.Multinomial Multinomial(int total_count, Tensor probs = null, Tensor logits = null,
            Generator generator = null) =>
            new(total_count, probs, logits, generator);

        public static Modules.Multinomial Multinomial(int total_count, int categories, Generator generator = null) =>
            Scoped(() => new Modules.Multinomial(total_count, ones(categories, float64), null, generator));

        public static Modules.MultivariateNormal MultivariateNormal(Tensor loc, Tensor covariance_matrix = null,
            Tensor precision_matrix = null, Tensor scale_tril = null, Generator generator = null) =>
            new(loc, covariance_matrix, precision_matrix, scale_tril, generator);

        public static Modules.NegativeBinomial NegativeBinomial(Tensor total_count, Tensor probs = null, Tensor logits = null,
            Generator generator = null) =>
            new(total_count, probs, logits, generator);

        public static Modules.NegativeBinomial NegativeBinomial(int total_count, float? probs, float? logits,
            Generator generator = null) =>
            Scoped(() => new Modules.NegativeBinomial(tensor(total_count), Number(probs), Number(logits), generator));

        public static Modules.NegativeBinomial NegativeBinomial(int total_count, double? probs, double? logits,
            Generator generator = null) =>
            Scoped(() => new Modules.NegativeBinomial(tensor(total_count), Number(probs), Number(logits), generator));

        public static Modules.Normal Normal(Tensor loc, Tensor scale, Generator generator = null) => new(loc, scale, generator);

        public static Modules.Normal Normal(float loc, float scale = 1, Generator generator = null) =>
            Scoped(() => new Modules.Normal(tensor(loc), tensor(scale), generator));

        public static Modules.Normal Normal(double loc, double scale = 1, Generator generator = null) =>
            Scoped(() => new Modules.Normal(tensor(loc), tensor(scale), generator));

        public static Modules.OneHotCategorical OneHotCategorical(Tensor probs = null, Tensor logits = null,
            Generator generator = null) =>
            new(probs, logits, generator);

        public static Modules.OneHotCategorical OneHotCategorical(float? probs, float? logits, Generator generator = null) =>
            Scoped(() => new Modules.OneHotCategorical(Number(probs), Number(logits), generator));

        public static Modules.OneHotCategorical OneHotCategorical(double? probs, double? logits, Generator generator = null) =>
            Scoped(() => new Modules.OneHotCategorical(Number(probs), Number(logits), generator));

        public static Modules.Pareto Pareto(Tensor scale, Tensor alpha, Generator generator = null) => new(scale, alpha, generator);

        public static Modules.Poisson Poisson(Tensor rate, Generator generator = null) => new(rate, generator);

        public static Modules.Poisson Poisson(float rate, Generator generator = null) =>
            Scoped(() => new Modules.Poisson(tensor(rate), generator));

        public static Modules.Poisson Poisson(double rate, Generator generator = null) =>
            Scoped(() => new Modules.Poisson(tensor(rate), generator));

        public static Modules.RelaxedBernoulli RelaxedBernoulli(Tensor temperature, Tensor probs = null, Tensor logits = null,
            Generator generator = null) =>
            new(temperature, probs, logits, generator);

        public static Modules.RelaxedBernoulli RelaxedBernoulli(Tensor temperature, float? probs, float? logits,
            Generator generator = null) =>
            Scoped(() => new Modules.RelaxedBernoulli(temperature, Number(probs), Number(logits), generator));

        public static Modules.RelaxedBernoulli RelaxedBernoulli(Tensor temperature, double? probs, double? logits,
            Generator generator = null) =>
            Scoped(() => new Modules.RelaxedBernoulli(temperature, Number(probs), Number(logits), generator));

        public static Modules.RelaxedOneHotCategorical RelaxedOneHotCategorical(Tensor temperature, Tensor probs = null,
            Tensor logits = null, Generator generator = null) =>
            new(temperature, probs, logits, generator);

        public static Modules.RelaxedOneHotCategorical RelaxedOneHotCategorical(Tensor temperature, float? probs, float? logits,
            Generator generator = null) =>
            Scoped(() => new Modules.RelaxedOneHotCategorical(temperature, Number(probs), Number(logits), generator));

        public static Modules.RelaxedOneHotCategorical RelaxedOneHotCategorical(Tensor temperature, double? probs, double? logits,
            Generator generator = null) =>
            Scoped(() => new Modules.RelaxedOneHotCategorical(temperature, Number(probs), Number(logits), generator));

        public static Modules.Uniform Uniform(Tensor low, Tensor high, Generator generator = null) => new(low, high, generator);

        public static Modules.Weibull Weibull(Tensor scale, Tensor concentration, Generator generator = null) =>
            new(scale, concentration, generator);

        private static Tensor Number(float? value) => value is { } given ? tensor(given) : null;

        private static Tensor Number(double? value) => value is { } given ? tensor(given) : null;

        /// <summary>Makes a distribution, which holds tensors of its own, and disposes the tensors that it was made of.</summary>
        private static T Scoped<T>(Func<T> make)
        {
            using var scope = NewDisposeScope();
            return make();
        }
    }
}
