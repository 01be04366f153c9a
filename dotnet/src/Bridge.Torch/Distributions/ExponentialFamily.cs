#nullable disable annotations

namespace TorchSharp;

public static partial class torch
{
    public static partial class distributions
    {
        /// <summary>A distribution of an exponential family; its entropy follows from the log normalizer's gradients.</summary>
        /// <remarks>
        /// PyTorch: <see href="https://docs.pytorch.org/docs/stable/distributions.html#torch.distributions.exp_family.ExponentialFamily">
        /// torch.distributions.ExponentialFamily</see>.
        /// </remarks>
        public abstract class ExponentialFamily : Distribution
        {
            /// <summary>Creates a distribution of an exponential family, without parameters.</summary>
            /// <param name="generator">The source of random numbers; null for PyTorch's own.</param>
            protected ExponentialFamily(Generator generator) : base(generator) { }

            /// <summary>Gets the family's natural parameters, which <see cref="LogNormalizer"/> takes.</summary>
            protected abstract IList<Tensor> NaturalParams { get; }

            /// <summary>Computes the log normalizer, also called log-partition function, at natural parameters.</summary>
            /// <param name="parameters">The natural parameters, in the order of <see cref="NaturalParams"/>.</param>
            /// <returns>The log normalizer, of the batch's shape.</returns>
            /// <exception cref="NotImplementedException">The class has no log normalizer.</exception>
            protected virtual Tensor LogNormalizer(params Tensor[] parameters) =>
                throw new NotImplementedException($"{GetType().Name} has no log normalizer.");

            /// <summary>Gets the mean of the carrier measure's logarithm, which the entropy needs.</summary>
            protected abstract Tensor MeanCarrierMeasure { get; }

            /// <inheritdoc/>
            /// <exception cref="NotImplementedException">The class has no log normalizer or no mean carrier measure.</exception>
            public override Tensor entropy() => Scoped(() =>
            {
                using var on = enable_grad();
                var natural = NaturalParams.Select(parameter => parameter.detach().requires_grad_()).ToArray();
                var normalizer = LogNormalizer(natural);
                var gradients = autograd.grad([normalizer.sum()], natural, create_graph: true);
                var result = -MeanCarrierMeasure + normalizer;
                foreach (var (parameter, gradient) in natural.Zip(gradients))
                    result = result - (parameter * gradient).reshape([.. batch_shape, -1]).sum(-1);
                return result;
            });
        }
    }
}
