using System.Globalization;
using Bridge.Torch;
using TorchSharp.Modules;
using static TorchSharp.torch;
using Reduction = TorchSharp.torch.nn.Reduction;

namespace TorchSharp
{
    /// <summary>The base class of losses of two tensors.</summary>
    public abstract class Loss<T1, T2, TResult> : nn.Module<T1, T2, TResult>
    {
        /// <summary>Creates the base of a loss of two tensors.</summary>
        /// <param name="reduction">How the losses of the elements are combined.</param>
        public Loss(Reduction reduction = Reduction.Mean) : base(nameof(Loss<,,>)) => (name, this.reduction) = (GetType().Name, reduction);

        /// <summary>Gets how the losses of the elements are combined, in a loss of two tensors.</summary>
        public Reduction reduction { get; }
    }

    /// <summary>The base class of losses of three tensors.</summary>
    public abstract class Loss<T1, T2, T3, TResult> : nn.Module<T1, T2, T3, TResult>
    {
        /// <summary>Creates the base of a loss of three tensors.</summary>
        /// <param name="reduction">How the losses of the elements are combined.</param>
        public Loss(Reduction reduction = Reduction.Mean) : base(nameof(Loss<,,,>)) => (name, this.reduction) = (GetType().Name, reduction);

        /// <summary>Gets how the losses of the elements are combined, in a loss of three tensors.</summary>
        public Reduction reduction { get; }
    }

    /// <summary>The base class of losses of four tensors.</summary>
    public abstract class Loss<T1, T2, T3, T4, TResult> : nn.Module<T1, T2, T3, T4, TResult>
    {
        /// <summary>Creates the base of a loss of four tensors.</summary>
        /// <param name="reduction">How the losses of the elements are combined.</param>
        public Loss(Reduction reduction = Reduction.Mean) : base(nameof(Loss<,,,,>)) =>
            (name, this.reduction) = (GetType().Name, reduction);

        /// <summary>Gets how the losses of the elements are combined, in a loss of four tensors.</summary>
        public Reduction reduction { get; }
    }

    /// <summary>The base class of losses of two tensors with a buffer <c>weight</c> for classes or elements.</summary>
    public abstract class WeightedLoss<T1, T2, TResult> : Loss<T1, T2, TResult>
    {
        private readonly Tensor? _weight;

        /// <summary>Creates the base of a loss of two tensors with weights.</summary>
        /// <param name="weight">The weights of classes or elements; null for none.</param>
        /// <param name="reduction">How the losses of the elements are combined.</param>
        public WeightedLoss(Tensor? weight = null, Reduction reduction = Reduction.Mean) : base(reduction)
        {
            if (weight is not null) register_buffer(nameof(weight), _weight = weight);
        }

        /// <summary>Gets the weights of classes or elements, in a loss of two tensors; null for none.</summary>
        public Tensor? weight => ParameterInitializers.ValueOrNull(_weight);
    }

    /// <summary>The base class of losses of three tensors with a buffer <c>weight</c> for classes or elements.</summary>
    public abstract class WeightedLoss<T1, T2, T3, TResult> : Loss<T1, T2, T3, TResult>
    {
        private readonly Tensor? _weight;

        /// <summary>Creates the base of a loss of three tensors with weights.</summary>
        /// <param name="weight">The weights of classes or elements; null for none.</param>
        /// <param name="reduction">How the losses of the elements are combined.</param>
        public WeightedLoss(Tensor? weight = null, Reduction reduction = Reduction.Mean) : base(reduction)
        {
            if (weight is not null) register_buffer(nameof(weight), _weight = weight);
        }

        /// <summary>Gets the weights of classes or elements, in a loss of three tensors; null for none.</summary>
        public Tensor? weight => ParameterInitializers.ValueOrNull(_weight);
    }

    /// <summary>The base class of losses of four tensors with a buffer <c>weight</c> for classes or elements.</summary>
    public abstract class WeightedLoss<T1, T2, T3, T4, TResult> : Loss<T1, T2, T3, T4, TResult>
    {
        private readonly Tensor? _weight;

        /// <summary>Creates the base of a loss of four tensors with weights.</summary>
        /// <param name="weight">The weights of classes or elements; null for none.</param>
        /// <param name="reduction">How the losses of the elements are combined.</param>
        public WeightedLoss(Tensor? weight = null, Reduction reduction = Reduction.Mean) : base(reduction)
        {
            if (weight is not null) register_buffer(nameof(weight), _weight = weight);
        }

        /// <summary>Gets the weights of classes or elements, in a loss of four tensors; null for none.</summary>
        public Tensor? weight => ParameterInitializers.ValueOrNull(_weight);
    }
}

namespace TorchSharp.Modules
{
    /// <summary>The negative log-softmax of the input at the target class.</summary>
    /// <remarks>
    /// PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.nn.CrossEntropyLoss.html">CrossEntropyLoss</see>.
    /// </remarks>
    [Settings]
    public sealed partial class CrossEntropyLoss : WeightedLoss<Tensor, Tensor, Tensor>
    {
        /// <summary>Creates a cross entropy loss of logits, of shape (N, C, ...), that may smooth the targets.</summary>
        /// <param name="weight">The weight of each class, of shape (C); by default 1.</param>
        /// <param name="ignore_index">The class whose elements do not count; by default -100.</param>
        /// <param name="reduction">How the losses of the elements are combined.</param>
        /// <param name="label_smoothing">The part of the probability, between 0 and 1, that is spread over all classes.</param>
        public CrossEntropyLoss(Tensor? weight = null, long? ignore_index = null, Reduction reduction = Reduction.Mean,
            double label_smoothing = 0.0) : base(weight, reduction) =>
            (this.ignore_index, this.label_smoothing) = (ignore_index, label_smoothing);

        /// <inheritdoc/>
        public override Tensor forward(Tensor input, Tensor target) =>
            RunsInPython ? ForwardInPython((input, target))
                : nn.functional.cross_entropy(input, target, weight, ignore_index ?? -100, reduction, label_smoothing);
    }

    /// <summary>The negative log-probability of the target class; the input has log-probabilities.</summary>
    /// <remarks>PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.nn.NLLLoss.html">torch.nn.NLLLoss</see>.</remarks>
    public sealed class NLLLoss : WeightedLoss<Tensor, Tensor, Tensor>
    {
        /// <inheritdoc cref="torch.nn.NLLLoss(Tensor, Reduction)"/>
        public NLLLoss(Tensor? weight = null, Reduction reduction = Reduction.Mean) : base(weight, reduction) { }

        /// <inheritdoc/>
        public override Tensor forward(Tensor input, Tensor target) =>
            RunsInPython ? ForwardInPython((input, target)) : nn.functional.nll_loss(input, target, weight, reduction);
    }

    /// <summary>The binary cross entropy of probabilities.</summary>
    /// <remarks>PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.nn.BCELoss.html">torch.nn.BCELoss</see>.</remarks>
    public sealed class BCELoss : WeightedLoss<Tensor, Tensor, Tensor>
    {
        /// <inheritdoc cref="torch.nn.BCELoss(Tensor, Reduction)"/>
        public BCELoss(Tensor? weight = null, Reduction reduction = Reduction.Mean) : base(weight, reduction) { }

        /// <inheritdoc/>
        public override Tensor forward(Tensor input, Tensor target) =>
            RunsInPython ? ForwardInPython((input, target))
                : nn.functional.binary_cross_entropy(input, target, weight, reduction);
    }

    /// <summary>The binary cross entropy of logits.</summary>
    /// <remarks>
    /// PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.nn.BCEWithLogitsLoss.html">BCEWithLogitsLoss</see>.
    /// </remarks>
    public sealed class BCEWithLogitsLoss : WeightedLoss<Tensor, Tensor, Tensor>
    {
        [Utils.ComponentName(Name = "pos_weight")]
        private readonly Tensor? _positive;

        /// <inheritdoc cref="torch.nn.BCEWithLogitsLoss(Tensor, Reduction, Tensor)"/>
        public BCEWithLogitsLoss(Tensor? weight = null, Reduction reduction = Reduction.Mean, Tensor? pos_weights = null)
            : base(weight, reduction)
        {
            if (pos_weights is not null) register_buffer("pos_weight", _positive = pos_weights);
        }

        /// <summary>Gets the weight of each class in positive targets, which is broadcast; null for 1.</summary>
        public Tensor? pos_weights => ParameterInitializers.ValueOrNull(_positive);

        /// <inheritdoc/>
        public override Tensor forward(Tensor input, Tensor target) =>
            RunsInPython ? ForwardInPython((input, target))
                : nn.functional.binary_cross_entropy_with_logits(input, target, weight, reduction, pos_weights);
    }

    /// <summary>The mean squared difference.</summary>
    /// <remarks>PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.nn.MSELoss.html">torch.nn.MSELoss</see>.</remarks>
    public sealed class MSELoss : Loss<Tensor, Tensor, Tensor>
    {
        /// <inheritdoc cref="torch.nn.MSELoss(Reduction)"/>
        public MSELoss(Reduction reduction = Reduction.Mean) : base(reduction) { }

        /// <inheritdoc/>
        public override Tensor forward(Tensor input, Tensor target) =>
            RunsInPython ? ForwardInPython((input, target)) : nn.functional.mse_loss(input, target, reduction);
    }

    /// <summary>The mean absolute difference.</summary>
    /// <remarks>PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.nn.L1Loss.html">torch.nn.L1Loss</see>.</remarks>
    public sealed class L1Loss : Loss<Tensor, Tensor, Tensor>
    {
        /// <inheritdoc cref="torch.nn.L1Loss(Reduction)"/>
        public L1Loss(Reduction reduction = Reduction.Mean) : base(reduction) { }

        /// <inheritdoc/>
        public override Tensor forward(Tensor input, Tensor target) =>
            RunsInPython ? ForwardInPython((input, target)) : nn.functional.l1_loss(input, target, reduction);
    }

    /// <summary>A loss that is quadratic for differences below <c>beta</c> and linear above.</summary>
    /// <remarks>
    /// PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.nn.SmoothL1Loss.html">SmoothL1Loss</see>.
    /// </remarks>
    [Settings]
    public sealed partial class SmoothL1Loss : Loss<Tensor, Tensor, Tensor>
    {
        /// <inheritdoc cref="torch.nn.SmoothL1Loss(Reduction, double)"/>
        public SmoothL1Loss(Reduction reduction = Reduction.Mean, double beta = 1.0) : base(reduction) => this.beta = beta;

        /// <inheritdoc/>
        public override Tensor forward(Tensor input, Tensor target) =>
            RunsInPython ? ForwardInPython((input, target)) : beta == 0 ? nn.functional.l1_loss(input, target, reduction)
                : nn.functional.smooth_l1_loss(input, target, reduction, beta);
    }

    /// <summary>A loss that is quadratic for differences below <c>delta</c> and linear above.</summary>
    /// <remarks>PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.nn.HuberLoss.html">HuberLoss</see>.</remarks>
    [Settings]
    public sealed partial class HuberLoss : Loss<Tensor, Tensor, Tensor>
    {
        /// <inheritdoc cref="torch.nn.HuberLoss(double, Reduction)"/>
        public HuberLoss(double delta = 1.0, Reduction reduction = Reduction.Mean) : base(reduction) => this.delta = delta;

        /// <inheritdoc/>
        public override Tensor forward(Tensor input, Tensor target) =>
            RunsInPython ? ForwardInPython((input, target)) : nn.functional.huber_loss(input, target, delta, reduction);
    }

    /// <summary>
    /// The Kullback-Leibler divergence of log-probabilities. If <c>log_target</c> is false, the target has probabilities.
    /// </summary>
    /// <remarks>PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.nn.KLDivLoss.html">KLDivLoss</see>.</remarks>
    [Settings]
    public sealed partial class KLDivLoss : Loss<Tensor, Tensor, Tensor>
    {
        /// <inheritdoc cref="torch.nn.KLDivLoss(bool, Reduction)"/>
        public KLDivLoss(bool log_target = true, Reduction reduction = Reduction.Mean) : base(reduction) => this.log_target = log_target;

        /// <inheritdoc/>
        public override Tensor forward(Tensor input, Tensor target) =>
            RunsInPython ? ForwardInPython((input, target)) : nn.functional.kl_div(input, target, log_target, reduction);
    }

    /// <summary>The negative log-likelihood of a Poisson distribution.</summary>
    /// <remarks>
    /// PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.nn.PoissonNLLLoss.html">PoissonNLLLoss</see>.
    /// </remarks>
    [Settings]
    public sealed partial class PoissonNLLLoss : Loss<Tensor, Tensor, Tensor>
    {
        /// <inheritdoc cref="torch.nn.PoissonNLLLoss(bool, bool, float, Reduction)"/>
        public PoissonNLLLoss(bool log_input = true, bool full = false, float eps = 1e-8f, Reduction reduction = Reduction.Mean)
            : base(reduction) =>
            (this.log_input, this.full, this.eps) = (log_input, full, eps);

        /// <inheritdoc/>
        public override Tensor forward(Tensor input, Tensor target) =>
            RunsInPython ? ForwardInPython((input, target))
                : Kernels.PoissonNllLoss(input, target, log_input, full, Losses.ToDouble(eps), (long)reduction);
    }

    /// <summary>The negative log-likelihood of a normal distribution whose variance is an argument.</summary>
    /// <remarks>
    /// PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.nn.GaussianNLLLoss.html">GaussianNLLLoss</see>.
    /// </remarks>
    [Settings]
    public sealed partial class GaussianNLLLoss : Loss<Tensor, Tensor, Tensor, Tensor>
    {
        /// <inheritdoc cref="torch.nn.GaussianNLLLoss(bool, float, Reduction)"/>
        public GaussianNLLLoss(bool full = false, float eps = 1e-8f, Reduction reduction = Reduction.Mean) : base(reduction) =>
            (this.full, this.eps) = (full, eps);

        /// <inheritdoc/>
        /// <exception cref="ArgumentException">The variance is negative, or its shape does not fit the input.</exception>
        public override Tensor forward(Tensor input, Tensor target, Tensor variance)
        {
            if (RunsInPython) return ForwardInPython((input, target, variance));
            using var scope = NewDisposeScope();
            var (shape, other) = (input.Sizes, variance.Sizes);
            if (!shape.AsSpan().SequenceEqual(other))
            {
                if (shape.AsSpan(..^1).SequenceEqual(other)) variance = variance.unsqueeze(-1);
                else if (shape.Length == other.Length && shape.AsSpan(..^1).SequenceEqual(other.AsSpan(..^1)) && other[^1] == 1) { }
                // As in TorchSharp: one variance per example, or one per element in any shape that begins with the batch size.
                else if (other.Length > 0 && other[0] == shape[0] && variance.numel() == shape[0])
                    variance = variance.reshape([shape[0], .. shape[1..].Select(_ => 1L)]);
                else if (other.Length > 0 && other[0] == shape[0] && variance.numel() == input.numel()) variance = variance.reshape(shape);
                else throw new ArgumentException(
                    $"The variance has shape [{string.Join(", ", other)}], the input [{string.Join(", ", shape)}].", nameof(variance));
            }

            if (variance.lt(0).any().item<bool>()) throw new ArgumentException("The variance has a negative element.", nameof(variance));
            variance = variance.clone();
            using (no_grad()) variance.clamp_(Losses.ToDouble(eps));
            var loss = variance.log().add(input.sub(target).pow(2).div(variance)).mul(0.5);
            if (full) loss = loss.add(0.5 * Math.Log(2 * Math.PI));
            return Losses.Reduce(loss, reduction).MoveToOuterDisposeScope();
        }
    }

    /// <summary>log(1 + exp(-target * input)).</summary>
    /// <remarks>
    /// PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.nn.SoftMarginLoss.html">SoftMarginLoss</see>.
    /// </remarks>
    public sealed class SoftMarginLoss : Loss<Tensor, Tensor, Tensor>
    {
        /// <inheritdoc cref="torch.nn.SoftMarginLoss(Reduction)"/>
        public SoftMarginLoss(Reduction reduction = Reduction.Mean) : base(reduction) { }

        /// <inheritdoc/>
        public override Tensor forward(Tensor input, Tensor target) =>
            RunsInPython ? ForwardInPython((input, target)) : nn.functional.soft_margin_loss(input, target, reduction);
    }

    /// <summary>input where the target is 1, max(0, margin - input) where the target is -1.</summary>
    /// <remarks>
    /// PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.nn.HingeEmbeddingLoss.html">HingeEmbeddingLoss</see>.
    /// </remarks>
    [Settings]
    public sealed partial class HingeEmbeddingLoss : Loss<Tensor, Tensor, Tensor>
    {
        /// <inheritdoc cref="torch.nn.HingeEmbeddingLoss(double, Reduction)"/>
        public HingeEmbeddingLoss(double margin = 0.0, Reduction reduction = Reduction.Mean) : base(reduction) => this.margin = margin;

        /// <inheritdoc/>
        public override Tensor forward(Tensor input, Tensor target) =>
            RunsInPython ? ForwardInPython((input, target)) : nn.functional.hinge_embedding_loss(input, target, margin, reduction);
    }

    /// <summary>max(0, -target * (input1 - input2) + margin).</summary>
    /// <remarks>
    /// PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.nn.MarginRankingLoss.html">MarginRankingLoss</see>.
    /// </remarks>
    [Settings]
    public sealed partial class MarginRankingLoss : Loss<Tensor, Tensor, Tensor, Tensor>
    {
        /// <inheritdoc cref="torch.nn.MarginRankingLoss(double, Reduction)"/>
        public MarginRankingLoss(double margin = 0.0, Reduction reduction = Reduction.Mean) : base(reduction) => this.margin = margin;

        /// <inheritdoc/>
        public override Tensor forward(Tensor input1, Tensor input2, Tensor target) =>
            RunsInPython ? ForwardInPython((input1, input2, target))
                : nn.functional.margin_ranking_loss(input1, input2, target, margin, reduction);
    }

    /// <summary>1 - cosine where the target is 1, max(0, cosine - margin) where the target is -1.</summary>
    /// <remarks>
    /// PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.nn.CosineEmbeddingLoss.html">CosineEmbeddingLoss</see>.
    /// </remarks>
    [Settings]
    public sealed partial class CosineEmbeddingLoss : Loss<Tensor, Tensor, Tensor, Tensor>
    {
        /// <inheritdoc cref="torch.nn.CosineEmbeddingLoss(double, Reduction)"/>
        public CosineEmbeddingLoss(double margin = 0.0, Reduction reduction = Reduction.Mean) : base(reduction) => this.margin = margin;

        /// <inheritdoc/>
        public override Tensor forward(Tensor input1, Tensor input2, Tensor target) =>
            RunsInPython ? ForwardInPython((input1, input2, target))
                : nn.functional.cosine_embedding_loss(input1, input2, target, margin, reduction);
    }

    /// <summary>The connectionist temporal classification loss of sequences without alignments.</summary>
    /// <remarks>PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.nn.CTCLoss.html">torch.nn.CTCLoss</see>.</remarks>
    [Settings]
    public sealed partial class CTCLoss : Loss<Tensor, Tensor, Tensor, Tensor, Tensor>
    {
        /// <inheritdoc cref="torch.nn.CTCLoss(long, bool, Reduction)"/>
        public CTCLoss(long blank = 0, bool zero_infinity = false, Reduction reduction = Reduction.Mean) : base(reduction) =>
            (this.blank, this.zero_infinity) = (blank, zero_infinity);

        /// <inheritdoc/>
        public override Tensor forward(Tensor log_probs, Tensor targets, Tensor input_lengths, Tensor target_lengths) =>
            RunsInPython ? ForwardInPython((log_probs, targets, input_lengths, target_lengths))
                : nn.functional.ctc_loss(log_probs, targets, input_lengths, target_lengths, blank, zero_infinity, reduction);
    }

    /// <summary>The hinge loss of several classes with several target classes.</summary>
    /// <remarks>
    /// PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.nn.MultiLabelMarginLoss.html">MultiLabelMarginLoss</see>.
    /// </remarks>
    public sealed class MultiLabelMarginLoss : Loss<Tensor, Tensor, Tensor>
    {
        /// <inheritdoc cref="torch.nn.MultiLabelMarginLoss(Reduction)"/>
        public MultiLabelMarginLoss(Reduction reduction = Reduction.Mean) : base(reduction) { }

        /// <inheritdoc/>
        public override Tensor forward(Tensor input, Tensor target) =>
            RunsInPython ? ForwardInPython((input, target)) : nn.functional.multi_label_margin_loss(input, target, reduction);
    }

    /// <summary>The binary cross entropy of logits, averaged over the classes.</summary>
    /// <remarks>
    /// PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.nn.MultiLabelSoftMarginLoss.html">
    /// MultiLabelSoftMarginLoss</see>.
    /// </remarks>
    public sealed class MultiLabelSoftMarginLoss : WeightedLoss<Tensor, Tensor, Tensor>
    {
        /// <inheritdoc cref="torch.nn.MultiLabelSoftMarginLoss(Tensor, Reduction)"/>
        public MultiLabelSoftMarginLoss(Tensor? weight = null, Reduction reduction = Reduction.Mean) : base(weight, reduction) { }

        /// <inheritdoc/>
        public override Tensor forward(Tensor input, Tensor target)
        {
            if (RunsInPython) return ForwardInPython((input, target));
            using var scope = NewDisposeScope();
            var right = target.mul(input.log_sigmoid());
            var wrong = (1 - target).mul(input.neg().log_sigmoid());
            var loss = right.add(wrong).neg();
            if (weight is { } weights) loss = loss.mul(weights);
            var classes = input.dim() - 1;
            loss = loss.sum([classes]).div(input.size((int)classes));
            return Losses.Reduce(loss, reduction).MoveToOuterDisposeScope();
        }
    }

    /// <summary>The hinge loss of several classes with one target class.</summary>
    /// <remarks>
    /// PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.nn.MultiMarginLoss.html">MultiMarginLoss</see>.
    /// </remarks>
    [Settings]
    public sealed partial class MultiMarginLoss : WeightedLoss<Tensor, Tensor, Tensor>
    {
        /// <inheritdoc cref="torch.nn.MultiMarginLoss(int, double, Tensor, Reduction)"/>
        public MultiMarginLoss(int p = 1, double margin = 1.0, Tensor? weight = null, Reduction reduction = Reduction.Mean)
            : base(weight, reduction) =>
            (this.p, this.margin) = (p, margin);

        /// <inheritdoc/>
        public override Tensor forward(Tensor input, Tensor target) =>
            RunsInPython ? ForwardInPython((input, target)) : nn.functional.multi_margin_loss(input, target, p, margin, weight, reduction);
    }

    /// <summary>max(0, distance to the positive - distance to the negative + margin).</summary>
    /// <remarks>
    /// PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.nn.TripletMarginLoss.html">TripletMarginLoss</see>.
    /// </remarks>
    [Settings]
    public sealed partial class TripletMarginLoss : Loss<Tensor, Tensor, Tensor, Tensor>
    {
        private readonly double _eps;
        private readonly bool _swap;

        /// <inheritdoc cref="torch.nn.TripletMarginLoss(double, long, double, bool, Reduction)"/>
        public TripletMarginLoss(double margin = 1.0, long p = 2, double eps = 1e-06, bool swap = false,
            Reduction reduction = Reduction.Mean) : base(reduction) =>
            (this.margin, this.p, _eps, _swap) = (margin, p, eps, swap);

        /// <inheritdoc/>
        public override Tensor forward(Tensor anchor, Tensor positive, Tensor negative) =>
            RunsInPython ? ForwardInPython((anchor, positive, negative))
                : nn.functional.triplet_margin_loss(anchor, positive, negative, margin, p, _eps, _swap, reduction);
    }

    /// <summary>The triplet margin loss with any distance function.</summary>
    /// <remarks>
    /// PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.nn.TripletMarginWithDistanceLoss.html">
    /// TripletMarginWithDistanceLoss</see>.
    /// </remarks>
    [Settings]
    public sealed partial class TripletMarginWithDistanceLoss : Loss<Tensor, Tensor, Tensor, Tensor>
    {
        private readonly PairwiseDistance? _default;
        private readonly Func<Tensor, Tensor, Tensor>? _distance;
        private readonly bool _swap;

        /// <inheritdoc cref="torch.nn.TripletMarginWithDistanceLoss(Func{Tensor, Tensor, Tensor}, double, bool, Reduction)"/>
        public TripletMarginWithDistanceLoss(Func<Tensor, Tensor, Tensor>? distance = null, double margin = 1.0, bool swap = false,
            Reduction reduction = Reduction.Mean) : base(reduction)
        {
            (_distance, this.margin, _swap) = (distance, margin, swap);
            if (distance is null) register_module("distance_function", _default = nn.PairwiseDistance());
        }

        internal bool HasOwnDistance => _distance is not null;

        /// <inheritdoc/>
        public override Tensor forward(Tensor anchor, Tensor positive, Tensor negative)
        {
            if (RunsInPython) return ForwardInPython((anchor, positive, negative));
            using var scope = NewDisposeScope();
            var near = Distance(anchor, positive);
            var far = Distance(anchor, negative);
            if (_swap) far = far.minimum(Distance(positive, negative));
            return Losses.Reduce(near.add(margin).sub(far).clamp_min(0), reduction).MoveToOuterDisposeScope();
        }

        private Tensor Distance(Tensor first, Tensor second) =>
            _distance is null ? _default!.call(first, second) : _distance(first, second);
    }

    internal static class Losses
    {
        internal static Tensor Reduce(Tensor loss, Reduction reduction) => reduction switch
        {
            Reduction.Mean => loss.mean(),
            Reduction.Sum => loss.sum(),
            _ => loss,
        };

        /// <summary>Converts a float to the double with the same decimal digits: 1e-8 for 1e-8f.</summary>
        internal static double ToDouble(float value) =>
            double.Parse(value.ToString(CultureInfo.InvariantCulture), CultureInfo.InvariantCulture);
    }
}
