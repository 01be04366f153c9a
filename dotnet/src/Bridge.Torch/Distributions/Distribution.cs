#nullable disable annotations // As in TorchSharp: overrides may be annotated or not without a compiler warning.

namespace TorchSharp;

public static partial class torch
{
    public static partial class distributions
    {
        /// <summary>A probability distribution, as in PyTorch's <c>torch.distributions</c>.</summary>
        /// <remarks>
        /// A distribution holds its own tensors: a scope that ends does not dispose them, and <see cref="Dispose()"/> leaves the caller's
        /// alive. A property that returns a parameter, such as a normal distribution's mean, returns the tensor that is held.
        /// PyTorch: <see href="https://docs.pytorch.org/docs/stable/distributions.html#torch.distributions.distribution.Distribution">
        /// torch.distributions.Distribution</see>.
        /// </remarks>
        public abstract partial class Distribution : IDisposable
        {
            /// <summary>Euler's constant, about 0.5772.</summary>
            protected const double euler_constant = 0.5772156649015329;

            /// <summary>The source of random numbers; null for PyTorch's own.</summary>
            protected Generator generator;

            /// <summary>Creates a distribution of given shapes, without parameters.</summary>
            /// <param name="generator">The source of random numbers; null for PyTorch's own.</param>
            /// <param name="batch_shape">The shape over which parameters differ; null for one distribution.</param>
            /// <param name="event_shape">The shape of one sample of one set of parameters; null for a single number.</param>
            public Distribution(Generator generator, long[] batch_shape = null, long[] event_shape = null)
            {
                this.generator = generator;
                _init(new Size(batch_shape ?? []), new Size(event_shape ?? []));
            }

            /// <summary>Creates a distribution of given shapes, without parameters.</summary>
            /// <param name="generator">The source of random numbers; null for PyTorch's own.</param>
            /// <param name="batch_shape">The shape over which parameters differ; empty for one distribution.</param>
            /// <param name="event_shape">The shape of one sample of one set of parameters; null for a single number.</param>
            public Distribution(Generator generator, Size batch_shape, Size? event_shape = null)
            {
                this.generator = generator;
                _init(batch_shape, event_shape);
            }

            /// <summary>Sets the shapes of the batch and of an event, usually from a derived class's constructor.</summary>
            /// <param name="batch_shape">The shape over which parameters differ; null for one distribution.</param>
            /// <param name="event_shape">The shape of one sample of one set of parameters; null for a single number.</param>
            protected void _init(Size? batch_shape = null, Size? event_shape = null) =>
                (this.batch_shape, this.event_shape) = (batch_shape ?? Size.Empty, event_shape ?? Size.Empty);

            /// <summary>Gets the shape over which parameters differ.</summary>
            public Size batch_shape { get; protected set; }

            /// <summary>Gets the shape of one sample of one set of parameters.</summary>
            public Size event_shape { get; protected set; }

            /// <summary>Gets the mean of each distribution of the batch.</summary>
            public abstract Tensor mean { get; }

            /// <summary>Gets the mode, the most likely value, of each distribution of the batch.</summary>
            /// <exception cref="NotImplementedException">The class has no mode.</exception>
            public virtual Tensor mode => throw Lacks(nameof(mode));

            /// <summary>Gets the variance of each distribution of the batch.</summary>
            public abstract Tensor variance { get; }

            /// <summary>Gets the standard deviation of each distribution of the batch: the square root of the variance.</summary>
            public virtual Tensor stddev => Scoped(() => variance.sqrt());

            /// <summary>Draws samples without recording a graph for gradients.</summary>
            /// <param name="sample_shape">The shape of samples to draw from each distribution; none for one sample.</param>
            /// <returns>The samples, of the sample shape followed by the batch's and the event's.</returns>
            public virtual Tensor sample(params long[] sample_shape)
            {
                using var off = no_grad();
                return rsample(sample_shape);
            }

            /// <summary>Draws samples without recording a graph for gradients.</summary>
            /// <param name="sample_shape">The shape of samples to draw from each distribution; empty for one sample.</param>
            /// <returns>The samples, of the sample shape followed by the batch's and the event's.</returns>
            public Tensor sample(Size sample_shape) => sample(sample_shape.Shape);

            /// <summary>Draws samples, with the parameters' gradients where the distribution can be reparametrized.</summary>
            /// <param name="sample_shape">The shape of samples to draw from each distribution; none for one sample.</param>
            /// <returns>The samples, of the sample shape followed by the batch's and the event's.</returns>
            public abstract Tensor rsample(params long[] sample_shape);

            /// <summary>Draws samples, with the parameters' gradients where the distribution can be reparametrized.</summary>
            /// <param name="sample_shape">The shape of samples to draw from each distribution; empty for one sample.</param>
            /// <returns>The samples, of the sample shape followed by the batch's and the event's.</returns>
            public Tensor rsample(Size sample_shape) => rsample(sample_shape.Shape);

            /// <summary>Computes the logarithm of the probability, or of the probability density, of values.</summary>
            /// <param name="value">The values, of a shape that broadcasts with the batch's followed by the event's.</param>
            /// <returns>The logarithms, without the dimensions of an event.</returns>
            public abstract Tensor log_prob(Tensor value);

            /// <summary>Computes the entropy of each distribution of the batch, in nats.</summary>
            /// <returns>The entropies, of the batch's shape.</returns>
            public abstract Tensor entropy();

            /// <summary>Returns a distribution with expanded parameters: a new one, or the given one, which is changed.</summary>
            /// <param name="batch_shape">The batch shape of the result.</param>
            /// <param name="instance">The distribution of the same class to change and return; null for a new one.</param>
            /// <exception cref="ArgumentException"><paramref name="instance"/> is of another class.</exception>
            public abstract Distribution expand(Size batch_shape, Distribution instance = null);

            /// <summary>Computes the cumulative distribution function: the probability of a sample that is at most a value.</summary>
            /// <param name="value">The values, of a shape that broadcasts with the batch's followed by the event's.</param>
            /// <returns>The probabilities.</returns>
            /// <exception cref="NotImplementedException">The class has no cumulative distribution function.</exception>
            public virtual Tensor cdf(Tensor value) => throw Lacks(nameof(cdf));

            /// <summary>Computes the inverse of the cumulative distribution function: the value for a probability.</summary>
            /// <param name="value">The probabilities, from 0 to 1, of a shape that broadcasts with the batch's.</param>
            /// <returns>The values, also called quantiles.</returns>
            /// <exception cref="NotImplementedException">The class has no inverse of the cumulative distribution function.</exception>
            public virtual Tensor icdf(Tensor value) => throw Lacks(nameof(icdf));

            /// <summary>Returns each value that a sample can have, along a new first dimension.</summary>
            /// <param name="expand">Whether to expand to the batch's shape; if not, its dimensions have size 1.</param>
            /// <exception cref="NotImplementedException">The class has too many values to list, or does not list them.</exception>
            public virtual Tensor enumerate_support(bool expand = true) => throw Lacks(nameof(enumerate_support));

            /// <summary>Computes the perplexity of each distribution of the batch: the exponential function of its entropy.</summary>
            /// <returns>The perplexities, of the batch's shape.</returns>
            public virtual Tensor perplexity() => Scoped(() => entropy().exp());

            /// <summary>Returns the shape of samples: the sample shape, the batch's and the event's.</summary>
            /// <param name="sample_shape">The sample shape.</param>
            protected long[] ExtendedShape(params long[] sample_shape) => [.. sample_shape, .. batch_shape, .. event_shape];

            /// <summary>Computes probabilities from logits.</summary>
            /// <param name="logits">The log-odds, or the unnormalized log probabilities of categories.</param>
            /// <param name="isBinary">Whether each element is a log-odds; if not, the last dimension holds categories.</param>
            /// <returns>The probabilities, of the same shape.</returns>
            protected Tensor LogitsToProbs(Tensor logits, bool isBinary = false) => isBinary ? logits.sigmoid() : logits.softmax(-1);

            /// <summary>Computes logits from probabilities, which are first clamped away from 0 and 1.</summary>
            /// <param name="probs">The probabilities.</param>
            /// <param name="isBinary">Whether to return log-odds rather than logarithms of the probabilities.</param>
            /// <returns>The logits, of the same shape.</returns>
            protected Tensor ProbsToLogits(Tensor probs, bool isBinary = false) => Scoped(() =>
            {
                var clamped = ClampProbs(probs);
                return isBinary ? clamped.log() - (-clamped).log1p() : clamped.log();
            });

            /// <summary>Returns probabilities clamped to [eps, 1 - eps], with the type's machine epsilon, so that none is 0 or 1.</summary>
            /// <param name="probs">The probabilities, of a floating-point type.</param>
            protected Tensor ClampProbs(Tensor probs)
            {
                var eps = finfo(probs.dtype).eps;
                return probs.clamp(eps, 1 - eps);
            }

            /// <summary>Returns max(x, 0), with the gradient 1/2 at zero.</summary>
            /// <param name="x">The numbers, of any shape.</param>
            protected Tensor ClampByZero(Tensor x) => Scoped(() => (x.clamp_min(0) + x - x.clamp_max(0)) / 2);

            /// <inheritdoc/>
            public void Dispose()
            {
                Dispose(true);
                GC.SuppressFinalize(this);
            }

            /// <summary>Disposes the tensors and the distributions that this distribution holds.</summary>
            /// <param name="disposing">Whether the method is called by <see cref="Dispose()"/>. If false, nothing is disposed.</param>
            protected virtual void Dispose(bool disposing)
            {
                if (disposing) DisposeOwn();
            }

            private NotImplementedException Lacks(string member) => new($"{GetType().Name} has no {member}.");
        }
    }
}
