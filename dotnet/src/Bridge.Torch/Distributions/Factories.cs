#nullable disable annotations // As in TorchSharp.

namespace TorchSharp;

public static partial class torch
{
    /// <summary>Probability distributions. A number stands for a tensor of its type with no dimensions.</summary>
    /// <remarks>PyTorch: <see href="https://docs.pytorch.org/docs/stable/distributions.html">torch.distributions</see>.</remarks>
    public static partial class distributions
    {
        /// <summary>Returns a Bernoulli distribution of given probabilities or logits.</summary>
        /// <param name="probs">The probabilities of 1, of any shape; null if the logits are given.</param>
        /// <param name="logits">The log-odds of 1, of any shape; null if the probabilities are given.</param>
        /// <param name="generator">The source of random numbers; null for PyTorch's own.</param>
        /// <exception cref="ArgumentException">Both or neither of <c>probs</c> and <c>logits</c> are given.</exception>
        /// <remarks>
        /// PyTorch: <see href="https://docs.pytorch.org/docs/stable/distributions.html#torch.distributions.bernoulli.Bernoulli">
        /// torch.distributions.Bernoulli</see>.
        /// </remarks>
        public static Modules.Bernoulli Bernoulli(Tensor probs = null, Tensor logits = null, Generator generator = null) =>
            new(probs, logits, generator);

        /// <summary>Returns a Bernoulli distribution of given probabilities or logits.</summary>
        /// <param name="probs">The probability of 1; null if its log-odds are given.</param>
        /// <param name="logits">The log-odds of 1; null if its probability is given.</param>
        /// <param name="generator">The source of random numbers; null for PyTorch's own.</param>
        /// <exception cref="ArgumentException">Both or neither of <c>probs</c> and <c>logits</c> are given.</exception>
        public static Modules.Bernoulli Bernoulli(float? probs, float? logits, Generator generator = null) =>
            Scoped(() => new Modules.Bernoulli(Number(probs), Number(logits), generator));

        /// <summary>Returns a Bernoulli distribution of given probabilities or logits.</summary>
        /// <param name="probs">The probability of 1; null if its log-odds are given.</param>
        /// <param name="logits">The log-odds of 1; null if its probability is given.</param>
        /// <param name="generator">The source of random numbers; null for PyTorch's own.</param>
        /// <exception cref="ArgumentException">Both or neither of <c>probs</c> and <c>logits</c> are given.</exception>
        public static Modules.Bernoulli Bernoulli(double? probs, double? logits, Generator generator = null) =>
            Scoped(() => new Modules.Bernoulli(Number(probs), Number(logits), generator));

        /// <summary>Returns a beta distribution of two given concentrations.</summary>
        /// <param name="concentration1">The first concentration, alpha, positive, of any shape.</param>
        /// <param name="concentration0">The second concentration, beta, positive, which broadcasts with <c>concentration1</c>.</param>
        /// <param name="generator">The source of random numbers; null for PyTorch's own.</param>
        /// <remarks>
        /// PyTorch: <see href="https://docs.pytorch.org/docs/stable/distributions.html#torch.distributions.beta.Beta">
        /// torch.distributions.Beta</see>.
        /// </remarks>
        public static Modules.Beta Beta(Tensor concentration1, Tensor concentration0, Generator generator = null) =>
            new(concentration1, concentration0, generator);

        /// <summary>Returns a binomial distribution of given numbers of trials and probabilities or logits.</summary>
        /// <param name="total_count">The numbers of trials, of a shape that broadcasts with the probabilities'.</param>
        /// <param name="probs">The probabilities of success; null to compute them from the logits.</param>
        /// <param name="logits">The log-odds of success; null to compute them from the probabilities.</param>
        /// <param name="generator">The source of random numbers; null for PyTorch's own.</param>
        /// <exception cref="ArgumentException">Neither <c>probs</c> nor <c>logits</c> is given.</exception>
        /// <remarks>
        /// PyTorch: <see href="https://docs.pytorch.org/docs/stable/distributions.html#torch.distributions.binomial.Binomial">
        /// torch.distributions.Binomial</see>.
        /// </remarks>
        public static Modules.Binomial Binomial(Tensor total_count, Tensor probs = null, Tensor logits = null,
            Generator generator = null) =>
            new(total_count, probs, logits, generator);

        /// <summary>Returns a binomial distribution of given numbers of trials and probabilities or logits.</summary>
        /// <param name="total_count">The number of trials.</param>
        /// <param name="probs">The probability of success; null to compute it from the log-odds.</param>
        /// <param name="logits">The log-odds of success; null to compute them from the probability.</param>
        /// <param name="generator">The source of random numbers; null for PyTorch's own.</param>
        /// <exception cref="ArgumentException">Neither <c>probs</c> nor <c>logits</c> is given.</exception>
        public static Modules.Binomial Binomial(int total_count, float? probs, float? logits, Generator generator = null) =>
            Scoped(() => new Modules.Binomial(tensor(total_count), Number(probs), Number(logits), generator));

        /// <summary>Returns a binomial distribution of given numbers of trials and probabilities or logits.</summary>
        /// <param name="total_count">The number of trials.</param>
        /// <param name="probs">The probability of success; null to compute it from the log-odds.</param>
        /// <param name="logits">The log-odds of success; null to compute them from the probability.</param>
        /// <param name="generator">The source of random numbers; null for PyTorch's own.</param>
        /// <exception cref="ArgumentException">Neither <c>probs</c> nor <c>logits</c> is given.</exception>
        public static Modules.Binomial Binomial(int total_count, double? probs, double? logits, Generator generator = null) =>
            Scoped(() => new Modules.Binomial(tensor(total_count), Number(probs), Number(logits), generator));

        /// <summary>Returns a categorical distribution of given weights or their logarithms, which it normalizes.</summary>
        /// <param name="probs">The weights of the categories, in the last dimension; null if logits are given.</param>
        /// <param name="logits">The logarithms of the weights; used only if <c>probs</c> is null.</param>
        /// <param name="generator">The source of random numbers; null for PyTorch's own.</param>
        /// <exception cref="ArgumentException">Neither <c>probs</c> nor <c>logits</c> is given, or they have no dimension.</exception>
        /// <remarks>
        /// PyTorch: <see href="https://docs.pytorch.org/docs/stable/distributions.html#torch.distributions.categorical.Categorical">
        /// torch.distributions.Categorical</see>.
        /// </remarks>
        public static Modules.Categorical Categorical(Tensor probs = null, Tensor logits = null, Generator generator = null) =>
            new(probs, logits, generator);

        /// <summary>Returns a categorical distribution of equally likely categories.</summary>
        /// <param name="categories">The number of categories.</param>
        /// <param name="generator">The source of random numbers; null for PyTorch's own.</param>
        public static Modules.Categorical Categorical(int categories, Generator generator = null) =>
            Scoped(() => new Modules.Categorical(ones(categories, float64), null, generator));

        /// <summary>Returns a Cauchy distribution of a given median and scale.</summary>
        /// <param name="loc">The median, of a shape that broadcasts with <c>scale</c>'s.</param>
        /// <param name="scale">The half width at half maximum of the density; positive.</param>
        /// <param name="generator">The source of random numbers; null for PyTorch's own.</param>
        /// <remarks>
        /// PyTorch: <see href="https://docs.pytorch.org/docs/stable/distributions.html#torch.distributions.cauchy.Cauchy">
        /// torch.distributions.Cauchy</see>.
        /// </remarks>
        public static Modules.Cauchy Cauchy(Tensor loc, Tensor scale, Generator generator = null) => new(loc, scale, generator);

        /// <summary>Returns a chi-squared distribution of given degrees of freedom.</summary>
        /// <param name="df">The degrees of freedom, positive, of any shape.</param>
        /// <param name="generator">The source of random numbers; null for PyTorch's own.</param>
        /// <remarks>
        /// PyTorch: <see href="https://docs.pytorch.org/docs/stable/distributions.html#torch.distributions.chi2.Chi2">
        /// torch.distributions.Chi2</see>.
        /// </remarks>
        public static Modules.Chi2 Chi2(Tensor df, Generator generator = null) => new(df, generator);

        /// <summary>Returns a Dirichlet distribution of given concentrations.</summary>
        /// <param name="concentration">The concentrations, positive; the last dimension holds those of one distribution.</param>
        /// <param name="generator">The source of random numbers; null for PyTorch's own.</param>
        /// <exception cref="ArgumentException"><paramref name="concentration"/> has no dimension.</exception>
        /// <remarks>
        /// PyTorch: <see href="https://docs.pytorch.org/docs/stable/distributions.html#torch.distributions.dirichlet.Dirichlet">
        /// torch.distributions.Dirichlet</see>.
        /// </remarks>
        public static Modules.Dirichlet Dirichlet(Tensor concentration, Generator generator = null) => new(concentration, generator);

        /// <summary>Returns an exponential distribution of a given rate.</summary>
        /// <param name="rate">The rate, the reciprocal of the mean, positive, of any shape.</param>
        /// <param name="generator">The source of random numbers; null for PyTorch's own.</param>
        /// <remarks>
        /// PyTorch: <see href="https://docs.pytorch.org/docs/stable/distributions.html#torch.distributions.exponential.Exponential">
        /// torch.distributions.Exponential</see>.
        /// </remarks>
        public static Modules.Exponential Exponential(Tensor rate, Generator generator = null) => new(rate, generator);

        /// <summary>Returns the distribution of the logarithms of a relaxed categorical distribution's samples.</summary>
        /// <param name="temperature">The temperature, positive, of a shape that broadcasts with the batch's.</param>
        /// <param name="probs">The weights of the categories, in the last dimension; null if logits are given.</param>
        /// <param name="logits">The logarithms of the weights; used only if <c>probs</c> is null.</param>
        /// <param name="generator">The source of random numbers; null for PyTorch's own.</param>
        /// <exception cref="ArgumentException">Neither <c>probs</c> nor <c>logits</c> is given, or they have no dimension.</exception>
        /// <remarks>
        /// PyTorch: <see href="https://docs.pytorch.org/docs/stable/_modules/torch/distributions/relaxed_categorical.html">
        /// torch.distributions.relaxed_categorical.ExpRelaxedCategorical</see>.
        /// </remarks>
        public static Modules.ExpRelaxedCategorical ExpRelaxedCategorical(Tensor temperature, Tensor probs = null,
            Tensor logits = null, Generator generator = null) =>
            new(temperature, probs, logits, generator);

        /// <summary>Throws, because a relaxed categorical distribution needs a dimension of categories.</summary>
        /// <param name="temperature">The temperature, positive.</param>
        /// <param name="probs">Not usable: a number has no dimension for the categories.</param>
        /// <param name="logits">Not usable, for the same reason.</param>
        /// <param name="generator">The source of random numbers; null for PyTorch's own.</param>
        /// <exception cref="ArgumentException">Always: a number has no dimension for the categories.</exception>
        public static Modules.ExpRelaxedCategorical ExpRelaxedCategorical(Tensor temperature, float? probs, float? logits,
            Generator generator = null) =>
            Scoped(() => new Modules.ExpRelaxedCategorical(temperature, Number(probs), Number(logits), generator));

        /// <summary>Throws, because a relaxed categorical distribution needs a dimension of categories.</summary>
        /// <param name="temperature">The temperature, positive.</param>
        /// <param name="probs">Not usable: a number has no dimension for the categories.</param>
        /// <param name="logits">Not usable, for the same reason.</param>
        /// <param name="generator">The source of random numbers; null for PyTorch's own.</param>
        /// <exception cref="ArgumentException">Always: a number has no dimension for the categories.</exception>
        public static Modules.ExpRelaxedCategorical ExpRelaxedCategorical(Tensor temperature, double? probs, double? logits,
            Generator generator = null) =>
            Scoped(() => new Modules.ExpRelaxedCategorical(temperature, Number(probs), Number(logits), generator));

        /// <summary>Returns a Fisher-Snedecor distribution of two given degrees of freedom.</summary>
        /// <param name="df1">The degrees of freedom of the numerator, positive, of any shape.</param>
        /// <param name="df2">The degrees of freedom of the denominator, positive, which broadcasts with <c>df1</c>.</param>
        /// <param name="generator">The source of random numbers; null for PyTorch's own.</param>
        /// <remarks>
        /// PyTorch: <see href="https://docs.pytorch.org/docs/stable/distributions.html#torch.distributions.fishersnedecor.FisherSnedecor">
        /// torch.distributions.FisherSnedecor</see>.
        /// </remarks>
        public static Modules.FisherSnedecor FisherSnedecor(Tensor df1, Tensor df2, Generator generator = null) =>
            new(df1, df2, generator);

        /// <summary>Returns a gamma distribution of a given shape parameter and rate.</summary>
        /// <param name="concentration">The shape parameter, also called alpha, positive, of any shape.</param>
        /// <param name="rate">The rate, also called beta, positive, which broadcasts with <c>concentration</c>.</param>
        /// <param name="generator">The source of random numbers; null for PyTorch's own.</param>
        /// <remarks>
        /// PyTorch: <see href="https://docs.pytorch.org/docs/stable/distributions.html#torch.distributions.gamma.Gamma">
        /// torch.distributions.Gamma</see>.
        /// </remarks>
        public static Modules.Gamma Gamma(Tensor concentration, Tensor rate, Generator generator = null) =>
            new(concentration, rate, generator);

        /// <summary>Returns a geometric distribution of given probabilities or logits.</summary>
        /// <param name="probs">The probabilities of success; null to compute them from the logits.</param>
        /// <param name="logits">The log-odds of success; null to compute them from the probabilities.</param>
        /// <param name="generator">The source of random numbers; null for PyTorch's own.</param>
        /// <exception cref="ArgumentException">Neither <c>probs</c> nor <c>logits</c> is given.</exception>
        /// <remarks>
        /// PyTorch: <see href="https://docs.pytorch.org/docs/stable/distributions.html#torch.distributions.geometric.Geometric">
        /// torch.distributions.Geometric</see>.
        /// </remarks>
        public static Modules.Geometric Geometric(Tensor probs = null, Tensor logits = null, Generator generator = null) =>
            new(probs, logits, generator);

        /// <summary>Returns a Gumbel distribution of a given location and scale.</summary>
        /// <param name="loc">The location, which is the mode, of a shape that broadcasts with <c>scale</c>'s.</param>
        /// <param name="scale">The scale, positive, of a shape that broadcasts with <c>loc</c>'s.</param>
        /// <param name="generator">The source of random numbers; null for PyTorch's own.</param>
        /// <remarks>
        /// PyTorch: <see href="https://docs.pytorch.org/docs/stable/distributions.html#torch.distributions.gumbel.Gumbel">
        /// torch.distributions.Gumbel</see>.
        /// </remarks>
        public static Modules.Gumbel Gumbel(Tensor loc, Tensor scale, Generator generator = null) => new(loc, scale, generator);

        /// <summary>Returns the distribution of absolute values of a Cauchy distribution around zero.</summary>
        /// <param name="scale">The scale of the Cauchy distribution, positive, of any shape.</param>
        /// <param name="generator">The source of random numbers; null for PyTorch's own.</param>
        /// <remarks>
        /// PyTorch: <see href="https://docs.pytorch.org/docs/stable/distributions.html#torch.distributions.half_cauchy.HalfCauchy">
        /// torch.distributions.HalfCauchy</see>.
        /// </remarks>
        public static Modules.HalfCauchy HalfCauchy(Tensor scale, Generator generator = null) => new(scale, generator);

        /// <summary>Returns the distribution of absolute values of a normal distribution around zero.</summary>
        /// <param name="scale">The standard deviation of the normal distribution, positive, of any shape.</param>
        /// <param name="generator">The source of random numbers; null for PyTorch's own.</param>
        /// <remarks>
        /// PyTorch: <see href="https://docs.pytorch.org/docs/stable/distributions.html#torch.distributions.half_normal.HalfNormal">
        /// torch.distributions.HalfNormal</see>.
        /// </remarks>
        public static Modules.HalfNormal HalfNormal(Tensor scale, Generator generator = null) => new(scale, generator);

        /// <summary>Returns a distribution that counts batch dimensions of another distribution as dimensions of an event.</summary>
        /// <param name="base_distribution">The other distribution, which is disposed with the result.</param>
        /// <param name="reinterpreted_batch_dims">The number of the last batch dimensions that count as event dimensions.</param>
        /// <param name="generator">Has no effect: the base distribution draws the samples.</param>
        /// <exception cref="ArgumentException">The other distribution has fewer batch dimensions.</exception>
        /// <remarks>
        /// PyTorch: <see href="https://docs.pytorch.org/docs/stable/distributions.html#torch.distributions.independent.Independent">
        /// torch.distributions.Independent</see>.
        /// </remarks>
        public static Modules.Independent Independent(Distribution base_distribution, int reinterpreted_batch_dims,
            Generator generator = null) =>
            new(base_distribution, reinterpreted_batch_dims, generator);

        /// <summary>Returns a Kumaraswamy distribution of two given concentrations.</summary>
        /// <param name="concentration1">The first concentration, a, positive, of any shape.</param>
        /// <param name="concentration0">The second concentration, b, positive, which broadcasts with <c>concentration1</c>.</param>
        /// <param name="generator">The source of random numbers; null for PyTorch's own.</param>
        /// <remarks>
        /// PyTorch: <see href="https://docs.pytorch.org/docs/stable/distributions.html#torch.distributions.kumaraswamy.Kumaraswamy">
        /// torch.distributions.Kumaraswamy</see>.
        /// </remarks>
        public static Modules.Kumaraswamy Kumaraswamy(Tensor concentration1, Tensor concentration0, Generator generator = null) =>
            new(concentration1, concentration0, generator);

        /// <summary>Returns a Laplace distribution of a given mean and scale.</summary>
        /// <param name="loc">The mean, of a shape that broadcasts with <c>scale</c>'s.</param>
        /// <param name="scale">The scale, positive, of a shape that broadcasts with <c>loc</c>'s.</param>
        /// <param name="generator">The source of random numbers; null for PyTorch's own.</param>
        /// <remarks>
        /// PyTorch: <see href="https://docs.pytorch.org/docs/stable/distributions.html#torch.distributions.laplace.Laplace">
        /// torch.distributions.Laplace</see>.
        /// </remarks>
        public static Modules.Laplace Laplace(Tensor loc, Tensor scale, Generator generator = null) => new(loc, scale, generator);

        /// <summary>Returns a Laplace distribution of a given mean and scale.</summary>
        /// <param name="loc">The mean.</param>
        /// <param name="scale">The scale, positive.</param>
        /// <param name="generator">The source of random numbers; null for PyTorch's own.</param>
        public static Modules.Laplace Laplace(float loc, float scale = 1, Generator generator = null) =>
            Scoped(() => new Modules.Laplace(tensor(loc), tensor(scale), generator));

        /// <summary>Returns a Laplace distribution of a given mean and scale.</summary>
        /// <param name="loc">The mean.</param>
        /// <param name="scale">The scale, positive.</param>
        /// <param name="generator">The source of random numbers; null for PyTorch's own.</param>
        public static Modules.Laplace Laplace(double loc, double scale = 1, Generator generator = null) =>
            Scoped(() => new Modules.Laplace(tensor(loc), tensor(scale), generator));

        /// <summary>Returns the distribution of the logits of a relaxed Bernoulli distribution's samples.</summary>
        /// <param name="temperature">The temperature, positive, of a shape that broadcasts with the batch's.</param>
        /// <param name="probs">The probabilities of 1, of any shape; null if the logits are given.</param>
        /// <param name="logits">The log-odds of 1, of any shape; null if the probabilities are given.</param>
        /// <param name="generator">The source of random numbers; null for PyTorch's own.</param>
        /// <exception cref="ArgumentException">Both or neither of <c>probs</c> and <c>logits</c> are given.</exception>
        /// <remarks>
        /// PyTorch:
        /// <see href="https://docs.pytorch.org/docs/stable/distributions.html#torch.distributions.relaxed_bernoulli.LogitRelaxedBernoulli">
        /// torch.distributions.relaxed_bernoulli.LogitRelaxedBernoulli</see>.
        /// </remarks>
        public static Modules.LogitRelaxedBernoulli LogitRelaxedBernoulli(Tensor temperature, Tensor probs = null,
            Tensor logits = null, Generator generator = null) =>
            new(temperature, probs, logits, generator);

        /// <summary>Returns the distribution of the logits of a relaxed Bernoulli distribution's samples.</summary>
        /// <param name="temperature">The temperature, positive.</param>
        /// <param name="probs">The probability of 1; null if its log-odds are given.</param>
        /// <param name="logits">The log-odds of 1; null if its probability is given.</param>
        /// <param name="generator">The source of random numbers; null for PyTorch's own.</param>
        /// <exception cref="ArgumentException">Both or neither of <c>probs</c> and <c>logits</c> are given.</exception>
        public static Modules.LogitRelaxedBernoulli LogitRelaxedBernoulli(Tensor temperature, float? probs, float? logits,
            Generator generator = null) =>
            Scoped(() => new Modules.LogitRelaxedBernoulli(temperature, Number(probs), Number(logits), generator));

        /// <summary>Returns the distribution of the logits of a relaxed Bernoulli distribution's samples.</summary>
        /// <param name="temperature">The temperature, positive.</param>
        /// <param name="probs">The probability of 1; null if its log-odds are given.</param>
        /// <param name="logits">The log-odds of 1; null if its probability is given.</param>
        /// <param name="generator">The source of random numbers; null for PyTorch's own.</param>
        /// <exception cref="ArgumentException">Both or neither of <c>probs</c> and <c>logits</c> are given.</exception>
        public static Modules.LogitRelaxedBernoulli LogitRelaxedBernoulli(Tensor temperature, double? probs, double? logits,
            Generator generator = null) =>
            Scoped(() => new Modules.LogitRelaxedBernoulli(temperature, Number(probs), Number(logits), generator));

        /// <summary>Returns a distribution whose logarithm is normal, of a given mean and standard deviation.</summary>
        /// <param name="loc">The mean of the logarithm, of a shape that broadcasts with <c>scale</c>'s.</param>
        /// <param name="scale">The standard deviation of the logarithm, positive, of a shape that broadcasts with <c>loc</c>'s.</param>
        /// <param name="generator">The source of random numbers; null for PyTorch's own.</param>
        /// <remarks>
        /// PyTorch: <see href="https://docs.pytorch.org/docs/stable/distributions.html#torch.distributions.log_normal.LogNormal">
        /// torch.distributions.LogNormal</see>.
        /// </remarks>
        public static Modules.LogNormal LogNormal(Tensor loc, Tensor scale, Generator generator = null) => new(loc, scale, generator);

        /// <summary>Returns a multinomial distribution of a given number of trials and weights or their logarithms.</summary>
        /// <param name="total_count">The number of trials.</param>
        /// <param name="probs">The weights of the categories, in the last dimension; null if logits are given.</param>
        /// <param name="logits">The logarithms of the weights; used only if <c>probs</c> is null.</param>
        /// <param name="generator">The source of random numbers; null for PyTorch's own.</param>
        /// <exception cref="ArgumentException">Neither <c>probs</c> nor <c>logits</c> is given, or they have no dimension.</exception>
        /// <remarks>
        /// PyTorch: <see href="https://docs.pytorch.org/docs/stable/distributions.html#torch.distributions.multinomial.Multinomial">
        /// torch.distributions.Multinomial</see>.
        /// </remarks>
        public static Modules.Multinomial Multinomial(int total_count, Tensor probs = null, Tensor logits = null,
            Generator generator = null) =>
            new(total_count, probs, logits, generator);

        /// <summary>Returns a multinomial distribution of a given number of trials and equally likely categories.</summary>
        /// <param name="total_count">The number of trials.</param>
        /// <param name="categories">The number of categories.</param>
        /// <param name="generator">The source of random numbers; null for PyTorch's own.</param>
        public static Modules.Multinomial Multinomial(int total_count, int categories, Generator generator = null) =>
            Scoped(() => new Modules.Multinomial(total_count, ones(categories, float64), null, generator));

        /// <summary>Returns a normal distribution of vectors, of a given mean and one of three matrices.</summary>
        /// <param name="loc">The mean; its last dimension holds the vector.</param>
        /// <param name="covariance_matrix">The covariance matrix, in the last two dimensions; null if another matrix is given.</param>
        /// <param name="precision_matrix">The inverse of the covariance matrix; null if another matrix is given.</param>
        /// <param name="scale_tril">The lower Cholesky factor of the covariance matrix; null if another matrix is given.</param>
        /// <param name="generator">The source of random numbers; null for PyTorch's own.</param>
        /// <exception cref="ArgumentException">Not exactly one matrix is given, or it or <c>loc</c> has too few dimensions.</exception>
        /// <remarks>
        /// PyTorch:
        /// <see href="https://docs.pytorch.org/docs/stable/distributions.html#torch.distributions.multivariate_normal.MultivariateNormal">
        /// torch.distributions.MultivariateNormal</see>.
        /// </remarks>
        public static Modules.MultivariateNormal MultivariateNormal(Tensor loc, Tensor covariance_matrix = null,
            Tensor precision_matrix = null, Tensor scale_tril = null, Generator generator = null) =>
            new(loc, covariance_matrix, precision_matrix, scale_tril, generator);

        /// <summary>Returns a negative binomial distribution of given numbers of failures and probabilities or logits.</summary>
        /// <param name="total_count">The numbers of failures, of a shape that broadcasts with the probabilities'.</param>
        /// <param name="probs">The probabilities of success; null to compute them from the logits.</param>
        /// <param name="logits">The log-odds of success; null to compute them from the probabilities.</param>
        /// <param name="generator">The source of random numbers; null for PyTorch's own.</param>
        /// <exception cref="ArgumentException">Neither <c>probs</c> nor <c>logits</c> is given.</exception>
        /// <remarks>
        /// PyTorch:
        /// <see href="https://docs.pytorch.org/docs/stable/distributions.html#torch.distributions.negative_binomial.NegativeBinomial">
        /// torch.distributions.NegativeBinomial</see>.
        /// </remarks>
        public static Modules.NegativeBinomial NegativeBinomial(Tensor total_count, Tensor probs = null, Tensor logits = null,
            Generator generator = null) =>
            new(total_count, probs, logits, generator);

        /// <summary>Returns a negative binomial distribution of given numbers of failures and probabilities or logits.</summary>
        /// <param name="total_count">The number of failures.</param>
        /// <param name="probs">The probability of success; null to compute it from the log-odds.</param>
        /// <param name="logits">The log-odds of success; null to compute them from the probability.</param>
        /// <param name="generator">The source of random numbers; null for PyTorch's own.</param>
        /// <exception cref="ArgumentException">Neither <c>probs</c> nor <c>logits</c> is given.</exception>
        public static Modules.NegativeBinomial NegativeBinomial(int total_count, float? probs, float? logits,
            Generator generator = null) =>
            Scoped(() => new Modules.NegativeBinomial(tensor(total_count), Number(probs), Number(logits), generator));

        /// <summary>Returns a negative binomial distribution of given numbers of failures and probabilities or logits.</summary>
        /// <param name="total_count">The number of failures.</param>
        /// <param name="probs">The probability of success; null to compute it from the log-odds.</param>
        /// <param name="logits">The log-odds of success; null to compute them from the probability.</param>
        /// <param name="generator">The source of random numbers; null for PyTorch's own.</param>
        /// <exception cref="ArgumentException">Neither <c>probs</c> nor <c>logits</c> is given.</exception>
        public static Modules.NegativeBinomial NegativeBinomial(int total_count, double? probs, double? logits,
            Generator generator = null) =>
            Scoped(() => new Modules.NegativeBinomial(tensor(total_count), Number(probs), Number(logits), generator));

        /// <summary>Returns a normal distribution of a given mean and standard deviation.</summary>
        /// <param name="loc">The mean, of a shape that broadcasts with <c>scale</c>'s.</param>
        /// <param name="scale">The standard deviation, positive, of a shape that broadcasts with <c>loc</c>'s.</param>
        /// <param name="generator">The source of random numbers; null for PyTorch's own.</param>
        /// <remarks>
        /// PyTorch: <see href="https://docs.pytorch.org/docs/stable/distributions.html#torch.distributions.normal.Normal">
        /// torch.distributions.Normal</see>.
        /// </remarks>
        public static Modules.Normal Normal(Tensor loc, Tensor scale, Generator generator = null) => new(loc, scale, generator);

        /// <summary>Returns a normal distribution of a given mean and standard deviation.</summary>
        /// <param name="loc">The mean.</param>
        /// <param name="scale">The standard deviation, positive.</param>
        /// <param name="generator">The source of random numbers; null for PyTorch's own.</param>
        public static Modules.Normal Normal(float loc, float scale = 1, Generator generator = null) =>
            Scoped(() => new Modules.Normal(tensor(loc), tensor(scale), generator));

        /// <summary>Returns a normal distribution of a given mean and standard deviation.</summary>
        /// <param name="loc">The mean.</param>
        /// <param name="scale">The standard deviation, positive.</param>
        /// <param name="generator">The source of random numbers; null for PyTorch's own.</param>
        public static Modules.Normal Normal(double loc, double scale = 1, Generator generator = null) =>
            Scoped(() => new Modules.Normal(tensor(loc), tensor(scale), generator));

        /// <summary>Returns a one-hot categorical distribution of given weights or their logarithms, which it normalizes.</summary>
        /// <param name="probs">The weights of the categories, in the last dimension; null if logits are given.</param>
        /// <param name="logits">The logarithms of the weights; used only if <c>probs</c> is null.</param>
        /// <param name="generator">The source of random numbers; null for PyTorch's own.</param>
        /// <exception cref="ArgumentException">Neither <c>probs</c> nor <c>logits</c> is given, or they have no dimension.</exception>
        /// <remarks>
        /// PyTorch:
        /// <see href="https://docs.pytorch.org/docs/stable/distributions.html#torch.distributions.one_hot_categorical.OneHotCategorical">
        /// torch.distributions.OneHotCategorical</see>.
        /// </remarks>
        public static Modules.OneHotCategorical OneHotCategorical(Tensor probs = null, Tensor logits = null,
            Generator generator = null) =>
            new(probs, logits, generator);

        /// <summary>Throws, because a one-hot categorical distribution needs a dimension of categories.</summary>
        /// <param name="probs">Not usable: a number has no dimension for the categories.</param>
        /// <param name="logits">Not usable, for the same reason.</param>
        /// <param name="generator">The source of random numbers; null for PyTorch's own.</param>
        /// <exception cref="ArgumentException">Always: a number has no dimension for the categories.</exception>
        public static Modules.OneHotCategorical OneHotCategorical(float? probs, float? logits, Generator generator = null) =>
            Scoped(() => new Modules.OneHotCategorical(Number(probs), Number(logits), generator));

        /// <summary>Throws, because a one-hot categorical distribution needs a dimension of categories.</summary>
        /// <param name="probs">Not usable: a number has no dimension for the categories.</param>
        /// <param name="logits">Not usable, for the same reason.</param>
        /// <param name="generator">The source of random numbers; null for PyTorch's own.</param>
        /// <exception cref="ArgumentException">Always: a number has no dimension for the categories.</exception>
        public static Modules.OneHotCategorical OneHotCategorical(double? probs, double? logits, Generator generator = null) =>
            Scoped(() => new Modules.OneHotCategorical(Number(probs), Number(logits), generator));

        /// <summary>Returns a Pareto distribution of a given scale and shape parameter.</summary>
        /// <param name="scale">The scale, which is the smallest value, positive, of any shape.</param>
        /// <param name="alpha">The shape parameter, positive, which broadcasts with <c>scale</c>.</param>
        /// <param name="generator">The source of random numbers; null for PyTorch's own.</param>
        /// <remarks>
        /// PyTorch: <see href="https://docs.pytorch.org/docs/stable/distributions.html#torch.distributions.pareto.Pareto">
        /// torch.distributions.Pareto</see>.
        /// </remarks>
        public static Modules.Pareto Pareto(Tensor scale, Tensor alpha, Generator generator = null) => new(scale, alpha, generator);

        /// <summary>Returns a Poisson distribution of a given rate.</summary>
        /// <param name="rate">The rate, which is also the mean, nonnegative, of any shape.</param>
        /// <param name="generator">The source of random numbers; null for PyTorch's own.</param>
        /// <remarks>
        /// PyTorch: <see href="https://docs.pytorch.org/docs/stable/distributions.html#torch.distributions.poisson.Poisson">
        /// torch.distributions.Poisson</see>.
        /// </remarks>
        public static Modules.Poisson Poisson(Tensor rate, Generator generator = null) => new(rate, generator);

        /// <summary>Returns a Poisson distribution of a given rate.</summary>
        /// <param name="rate">The rate, which is also the mean, nonnegative.</param>
        /// <param name="generator">The source of random numbers; null for PyTorch's own.</param>
        public static Modules.Poisson Poisson(float rate, Generator generator = null) =>
            Scoped(() => new Modules.Poisson(tensor(rate), generator));

        /// <summary>Returns a Poisson distribution of a given rate.</summary>
        /// <param name="rate">The rate, which is also the mean, nonnegative.</param>
        /// <param name="generator">The source of random numbers; null for PyTorch's own.</param>
        public static Modules.Poisson Poisson(double rate, Generator generator = null) =>
            Scoped(() => new Modules.Poisson(tensor(rate), generator));

        /// <summary>Returns a relaxed Bernoulli distribution of a given temperature and probabilities or logits.</summary>
        /// <param name="temperature">The temperature, positive, of a shape that broadcasts with the batch's.</param>
        /// <param name="probs">The probabilities of 1, of any shape; null if the logits are given.</param>
        /// <param name="logits">The log-odds of 1, of any shape; null if the probabilities are given.</param>
        /// <param name="generator">The source of random numbers; null for PyTorch's own.</param>
        /// <exception cref="ArgumentException">Both or neither of <c>probs</c> and <c>logits</c> are given.</exception>
        /// <remarks>
        /// PyTorch:
        /// <see href="https://docs.pytorch.org/docs/stable/distributions.html#torch.distributions.relaxed_bernoulli.RelaxedBernoulli">
        /// torch.distributions.RelaxedBernoulli</see>.
        /// </remarks>
        public static Modules.RelaxedBernoulli RelaxedBernoulli(Tensor temperature, Tensor probs = null, Tensor logits = null,
            Generator generator = null) =>
            new(temperature, probs, logits, generator);

        /// <summary>Returns a relaxed Bernoulli distribution of a given temperature and probabilities or logits.</summary>
        /// <param name="temperature">The temperature, positive.</param>
        /// <param name="probs">The probability of 1; null if its log-odds are given.</param>
        /// <param name="logits">The log-odds of 1; null if its probability is given.</param>
        /// <param name="generator">The source of random numbers; null for PyTorch's own.</param>
        /// <exception cref="ArgumentException">Both or neither of <c>probs</c> and <c>logits</c> are given.</exception>
        public static Modules.RelaxedBernoulli RelaxedBernoulli(Tensor temperature, float? probs, float? logits,
            Generator generator = null) =>
            Scoped(() => new Modules.RelaxedBernoulli(temperature, Number(probs), Number(logits), generator));

        /// <summary>Returns a relaxed Bernoulli distribution of a given temperature and probabilities or logits.</summary>
        /// <param name="temperature">The temperature, positive.</param>
        /// <param name="probs">The probability of 1; null if its log-odds are given.</param>
        /// <param name="logits">The log-odds of 1; null if its probability is given.</param>
        /// <param name="generator">The source of random numbers; null for PyTorch's own.</param>
        /// <exception cref="ArgumentException">Both or neither of <c>probs</c> and <c>logits</c> are given.</exception>
        public static Modules.RelaxedBernoulli RelaxedBernoulli(Tensor temperature, double? probs, double? logits,
            Generator generator = null) =>
            Scoped(() => new Modules.RelaxedBernoulli(temperature, Number(probs), Number(logits), generator));

        /// <summary>Returns a relaxed one-hot categorical distribution of a given temperature and weights or their logarithms.</summary>
        /// <param name="temperature">The temperature, positive, of a shape that broadcasts with the batch's.</param>
        /// <param name="probs">The weights of the categories, in the last dimension; null if logits are given.</param>
        /// <param name="logits">The logarithms of the weights; used only if <c>probs</c> is null.</param>
        /// <param name="generator">The source of random numbers; null for PyTorch's own.</param>
        /// <exception cref="ArgumentException">Neither <c>probs</c> nor <c>logits</c> is given, or they have no dimension.</exception>
        /// <remarks>
        /// PyTorch: <see
        /// href="https://docs.pytorch.org/docs/stable/distributions.html#torch.distributions.relaxed_categorical.RelaxedOneHotCategorical">
        /// torch.distributions.RelaxedOneHotCategorical</see>.
        /// </remarks>
        public static Modules.RelaxedOneHotCategorical RelaxedOneHotCategorical(Tensor temperature, Tensor probs = null,
            Tensor logits = null, Generator generator = null) =>
            new(temperature, probs, logits, generator);

        /// <summary>Throws, because a relaxed one-hot categorical distribution needs categories in a dimension.</summary>
        /// <param name="temperature">The temperature, positive.</param>
        /// <param name="probs">Not usable: a number has no dimension for the categories.</param>
        /// <param name="logits">Not usable, for the same reason.</param>
        /// <param name="generator">The source of random numbers; null for PyTorch's own.</param>
        /// <exception cref="ArgumentException">Always: a number has no dimension for the categories.</exception>
        public static Modules.RelaxedOneHotCategorical RelaxedOneHotCategorical(Tensor temperature, float? probs, float? logits,
            Generator generator = null) =>
            Scoped(() => new Modules.RelaxedOneHotCategorical(temperature, Number(probs), Number(logits), generator));

        /// <summary>Throws, because a relaxed one-hot categorical distribution needs categories in a dimension.</summary>
        /// <param name="temperature">The temperature, positive.</param>
        /// <param name="probs">Not usable: a number has no dimension for the categories.</param>
        /// <param name="logits">Not usable, for the same reason.</param>
        /// <param name="generator">The source of random numbers; null for PyTorch's own.</param>
        /// <exception cref="ArgumentException">Always: a number has no dimension for the categories.</exception>
        public static Modules.RelaxedOneHotCategorical RelaxedOneHotCategorical(Tensor temperature, double? probs, double? logits,
            Generator generator = null) =>
            Scoped(() => new Modules.RelaxedOneHotCategorical(temperature, Number(probs), Number(logits), generator));

        /// <summary>Returns a uniform distribution between two given bounds.</summary>
        /// <param name="low">The lower bound, which is included, of any shape.</param>
        /// <param name="high">The upper bound, which is not included, of a shape that broadcasts with <c>low</c>'s.</param>
        /// <param name="generator">The source of random numbers; null for PyTorch's own.</param>
        /// <remarks>
        /// PyTorch: <see href="https://docs.pytorch.org/docs/stable/distributions.html#torch.distributions.uniform.Uniform">
        /// torch.distributions.Uniform</see>.
        /// </remarks>
        public static Modules.Uniform Uniform(Tensor low, Tensor high, Generator generator = null) => new(low, high, generator);

        /// <summary>Returns a Weibull distribution of a given scale and shape parameter.</summary>
        /// <param name="scale">The scale, positive, of any shape.</param>
        /// <param name="concentration">The shape parameter, positive, which broadcasts with <c>scale</c>.</param>
        /// <param name="generator">The source of random numbers; null for PyTorch's own.</param>
        /// <remarks>
        /// PyTorch: <see href="https://docs.pytorch.org/docs/stable/distributions.html#torch.distributions.weibull.Weibull">
        /// torch.distributions.Weibull</see>.
        /// </remarks>
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
