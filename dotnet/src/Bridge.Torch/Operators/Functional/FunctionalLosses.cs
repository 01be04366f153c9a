using Bridge.Torch;
using TorchSharp.Modules;

namespace TorchSharp;

public static partial class torch
{
    public static partial class nn
    {
        /// <summary>The reductions of losses per element.</summary>
        public enum Reduction : long
        {
            /// <summary>No reduction: the result has a loss for each element.</summary>
            None = 0,

            /// <summary>The mean of the losses.</summary>
            Mean = 1,

            /// <summary>The sum of the losses.</summary>
            Sum = 2,
        }

        public partial class functional
        {
            [Aten("aten::binary_cross_entropy", "self=input, target, weight, reduction")]
            private static partial Tensor OfProbabilities(Tensor input, Tensor target, Tensor? weight, Reduction reduction);

            [Aten("aten::binary_cross_entropy_with_logits", "self=input, target, weight, pos_weight, reduction")]
            private static partial Tensor OfLogits(Tensor input, Tensor target, Tensor? weight, Tensor? pos_weight, Reduction reduction);

            /// <summary>Computes the cross entropy between the probabilities <paramref name="input"/> and target probabilities.</summary>
            /// <remarks>
            /// PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.nn.functional.binary_cross_entropy.html">
            /// torch.nn.functional.binary_cross_entropy</see>.
            /// </remarks>
            /// <param name="input">The probabilities, of any shape.</param>
            /// <param name="target">The target probabilities, of the same shape.</param>
            /// <param name="weight">The weight of each element, which is broadcast; by default 1.</param>
            /// <param name="reduction">How the losses of the elements are reduced.</param>
            /// <returns>The loss, a scalar or of the shape of the input.</returns>
            /// <exception cref="ArgumentException">The target has another shape.</exception>
            public static Tensor binary_cross_entropy(Tensor input, Tensor target, Tensor? weight = null,
                Reduction reduction = Reduction.Mean)
            {
                CheckTarget(input, target, nameof(binary_cross_entropy));
                using var weights = weight?.expand_as(target);
                return OfProbabilities(input, target, weights, reduction);
            }

            /// <summary>Computes the cross entropy between the sigmoid of logits and target probabilities.</summary>
            /// <remarks>
            /// PyTorch:
            /// <see href="https://docs.pytorch.org/docs/stable/generated/torch.nn.functional.binary_cross_entropy_with_logits.html">
            /// torch.nn.functional.binary_cross_entropy_with_logits</see>.
            /// </remarks>
            /// <param name="input">The logits, of any shape.</param>
            /// <param name="target">The target probabilities, of the shape of the logits.</param>
            /// <param name="weight">The weight of each element, which is broadcast; by default 1.</param>
            /// <param name="reduction">How the losses of the elements are reduced.</param>
            /// <param name="pos_weights">The weight of each class in positive targets, which is broadcast; by default 1.</param>
            /// <returns>The loss, a scalar or of the shape of the input.</returns>
            /// <exception cref="ArgumentException">The target has another shape.</exception>
            public static Tensor binary_cross_entropy_with_logits(Tensor input, Tensor target, Tensor? weight = null,
                Reduction reduction = Reduction.Mean, Tensor? pos_weights = null)
            {
                CheckTarget(input, target, nameof(binary_cross_entropy_with_logits));
                return OfLogits(input, target, weight, pos_weights, reduction);
            }

            // libtorch broadcasts one to the other; PyTorch refuses it in Python.
            private static void CheckTarget(Tensor input, Tensor target, string function)
            {
                if (!input.Sizes.SequenceEqual(target.Sizes))
                    throw new ArgumentException(
                        $"{function} takes a target of the shape of its input, [{string.Join(", ", input.Sizes)}], "
                        + $"not [{string.Join(", ", target.Sizes)}].");
            }

            /// <summary>Computes the mean over all classes of the cross entropy between the sigmoid of logits and target labels.</summary>
            /// <remarks>
            /// PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.nn.functional.multilabel_soft_margin_loss.html">
            /// torch.nn.functional.multilabel_soft_margin_loss</see>.
            /// </remarks>
            /// <param name="input">The logits, of shape (N, C).</param>
            /// <param name="target">The labels, 0 or 1, of shape (N, C).</param>
            /// <param name="weight">The weight of each class, of shape (C,); by default 1.</param>
            /// <param name="reduction">How the losses of the items are reduced.</param>
            /// <returns>The loss, a scalar or of shape (N,).</returns>
            public static Tensor multilabel_soft_margin_loss(Tensor input, Tensor target, Tensor? weight = null,
                Reduction reduction = Reduction.Mean) =>
                new MultiLabelSoftMarginLoss(weight, reduction).forward(input, target);

            /// <summary>Computes the negative log-likelihood of targets under normal distributions.</summary>
            /// <remarks>
            /// PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.nn.functional.gaussian_nll_loss.html">
            /// torch.nn.functional.gaussian_nll_loss</see>.
            /// </remarks>
            /// <param name="input">The means of the distributions, of any shape.</param>
            /// <param name="target">The targets, of the shape of the means.</param>
            /// <param name="variance">The variances, of the shape of the means, or with 1 for or without the last dimension.</param>
            /// <param name="full">Whether to add the constant term, log(2 * pi) / 2.</param>
            /// <param name="eps">The smallest variance.</param>
            /// <param name="reduction">How the losses of the elements are reduced.</param>
            /// <returns>The loss, a scalar or of the shape of the means.</returns>
            public static Tensor gaussian_nll_loss(Tensor input, Tensor target, Tensor variance, bool full = false, float eps = 1e-6f,
                Reduction reduction = Reduction.Mean) =>
                new GaussianNLLLoss(full, eps, reduction).forward(input, target, variance);

            /// <summary>
            /// Computes max(0, distance to the positive - distance to the negative + margin) of vectors, by a distance that is given.
            /// </summary>
            /// <remarks>
            /// PyTorch: <see
            /// href="https://docs.pytorch.org/docs/stable/generated/torch.nn.functional.triplet_margin_with_distance_loss.html">
            /// torch.nn.functional.triplet_margin_with_distance_loss</see>.
            /// </remarks>
            /// <param name="anchor">The vectors, of shape (N, D) or (D,).</param>
            /// <param name="positive">Vectors that should be near, of the same shape.</param>
            /// <param name="negative">Vectors that should be far, of the same shape.</param>
            /// <param name="distance">The distance; by default <c>pairwise_distance</c>.</param>
            /// <param name="margin">The distance by which the negative should be farther than the positive.</param>
            /// <param name="swap">Whether the distance from the positive to the negative counts, if it is smaller.</param>
            /// <param name="reduction">How the losses of the vectors are reduced.</param>
            /// <returns>The loss, a scalar or of shape (N,).</returns>
            public static Tensor triplet_margin_with_distance_loss(Tensor anchor, Tensor positive, Tensor negative,
                Func<Tensor, Tensor, Tensor>? distance = null, double margin = 1, bool swap = false,
                Reduction reduction = Reduction.Mean) =>
                new TripletMarginWithDistanceLoss(distance, margin, swap, reduction).forward(anchor, positive, negative);

            /// <summary>Divides each element of <paramref name="input"/> by a power of the squares in the channels next to it.</summary>
            /// <remarks>
            /// PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.nn.functional.local_response_norm.html">
            /// torch.nn.functional.local_response_norm</see>.
            /// </remarks>
            /// <param name="input">The input, of shape (N, C, *).</param>
            /// <param name="size">The number of channels whose squares are averaged.</param>
            /// <param name="alpha">The factor of the average.</param>
            /// <param name="beta">The exponent of the divisor.</param>
            /// <param name="k">The number that is added to the average.</param>
            /// <returns>The result, of the shape of the input.</returns>
            public static Tensor local_response_norm(Tensor input, long size, double alpha = 0.0001, double beta = 0.75, double k = 1) =>
                new LocalResponseNorm(size, alpha, beta, k).forward(input);
        }
    }
}
