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
        /// </remarks>
        public abstract partial class Distribution : IDisposable
        {
            /// <summary>Euler's constant.</summary>
            protected const double euler_constant = 0.5772156649015329;

            /// <summary>The random numbers' source; null for the default one.</summary>
            protected Generator generator;

            public Distribution(Generator generator, long[] batch_shape = null, long[] event_shape = null)
            {
                this.generator = generator;
                _init(new Size(batch_shape ?? []), new Size(event_shape ?? []));
            }

            public Distribution(Generator generator, Size batch_shape, Size? event_shape = null)
            {
                this.generator = generator;
                _init(batch_shape, event_shape);
            }

            protected void _init(Size? batch_shape = null, Size? event_shape = null) =>
                (this.batch_shape, this.event_shape) = (batch_shape ?? Size.Empty, event_shape ?? Size.Empty);

            /// <summary>Gets the shape over which parameters differ.</summary>
            public Size batch_shape { get; protected set; }

            /// <summary>Gets the shape of one sample of one set of parameters.</summary>
            public Size event_shape { get; protected set; }

            public abstract Tensor mean { get; }

            public virtual Tensor mode => throw Lacks(nameof(mode));

            public abstract Tensor variance { get; }

            public virtual Tensor stddev => Scoped(() => variance.sqrt());

            /// <summary>Draws samples without a graph.</summary>
            public virtual Tensor sample(params long[] sample_shape)
            {
                using var off = no_grad();
                return rsample(sample_shape);
            }

            public Tensor sample(Size sample_shape) => sample(sample_shape.Shape);

            /// <summary>Draws samples, with the parameters' gradients where the distribution can be reparametrized.</summary>
            public abstract Tensor rsample(params long[] sample_shape);

            public Tensor rsample(Size sample_shape) => rsample(sample_shape.Shape);

            public abstract Tensor log_prob(Tensor value);

            public abstract Tensor entropy();

            /// <summary>Returns a distribution with expanded parameters: a new one, or the given one, which is changed.</summary>
            public abstract Distribution expand(Size batch_shape, Distribution instance = null);

            public virtual Tensor cdf(Tensor value) => throw Lacks(nameof(cdf));

            public virtual Tensor icdf(Tensor value) => throw Lacks(nameof(icdf));

            public virtual Tensor enumerate_support(bool expand = true) => throw Lacks(nameof(enumerate_support));

            public virtual Tensor perplexity() => Scoped(() => entropy().exp());

            /// <summary>Returns the shape of samples: the sample shape, the batch's and the event's.</summary>
            protected long[] ExtendedShape(params long[] sample_shape) => [.. sample_shape, .. batch_shape, .. event_shape];

            protected Tensor LogitsToProbs(Tensor logits, bool isBinary = false) => isBinary ? logits.sigmoid() : logits.softmax(-1);

            protected Tensor ProbsToLogits(Tensor probs, bool isBinary = false) => Scoped(() =>
            {
                var clamped = ClampProbs(probs);
                return isBinary ? clamped.log() - (-clamped).log1p() : clamped.log();
            });

            /// <summary>Returns probabilities that are neither 0 nor 1.</summary>
            protected Tensor ClampProbs(Tensor probs)
            {
                var eps = finfo(probs.dtype).eps;
                return probs.clamp(eps, 1 - eps);
            }

            /// <summary>Returns max(x, 0), with the gradient 1/2 at zero.</summary>
            protected Tensor ClampByZero(Tensor x) => Scoped(() => (x.clamp_min(0) + x - x.clamp_max(0)) / 2);

            public void Dispose()
            {
                Dispose(true);
                GC.SuppressFinalize(this);
            }

            protected virtual void Dispose(bool disposing)
            {
                if (disposing) DisposeOwn();
            }

            private NotImplementedException Lacks(string member) => new($"{GetType().Name} has no {member}.");
        }
    }
}
