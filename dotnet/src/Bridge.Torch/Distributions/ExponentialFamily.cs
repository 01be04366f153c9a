#nullable disable annotations

namespace TorchSharp;

public static partial class torch
{
    public static partial class distributions
    {
        /// <summary>A distribution of an exponential family; its entropy follows from the log normalizer's gradients.</summary>
        public abstract class ExponentialFamily : Distribution
        {
            protected ExponentialFamily(Generator generator) : base(generator) { }

            protected abstract IList<Tensor> NaturalParams { get; }

            protected virtual Tensor LogNormalizer(params Tensor[] parameters) =>
                throw new NotImplementedException($"{GetType().Name} has no log normalizer.");

            protected abstract Tensor MeanCarrierMeasure { get; }

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
