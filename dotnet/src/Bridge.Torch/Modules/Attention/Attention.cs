using Bridge.Torch;
using TorchSharp.Modules;
using static TorchSharp.torch;

namespace Bridge.Torch
{
    /// <summary>PyTorch's <c>multi_head_attention_forward</c>, by the same operators, so that results are bitwise equal.</summary>
    internal static class Attention
    {
        /// <summary>
        /// Converts a bool mask to an additive mask: false becomes zero, true minus infinity. Returns null or a floating-point mask
        /// unchanged.
        /// </summary>
        /// <exception cref="ArgumentException">The mask is neither bool nor floating-point.</exception>
        internal static Tensor? ToAdditiveMask(Tensor? mask, ScalarType type, string name)
        {
            if (mask is null || mask.is_floating_point()) return mask;
            if (mask.dtype != ScalarType.Bool)
                throw new ArgumentException($"only bool and floating types of {name} are supported, it is {mask.dtype}.", name);
            return mask.zeros_like(type).masked_fill_(mask, double.NegativeInfinity);
        }

        /// <summary>Returns whether the mask is the causal mask of <paramref name="length"/> steps.</summary>
        internal static bool IsCausal(Tensor? mask, long length)
        {
            if (mask is null || mask.dim() != 2 || mask.size(0) != length || mask.size(1) != length) return false;
            using var scope = NewDisposeScope();
            using var off = no_grad();
            var causal = full([length, length], double.NegativeInfinity, mask.dtype, mask.device).triu(1);
            return mask.eq(causal).all().item<bool>();
        }

        internal static (Tensor Output, Tensor? Weights) Run(MultiheadAttention module, Tensor query, Tensor key, Tensor value,
            Tensor? padding, bool needWeights, Tensor? mask, bool causal, bool average)
        {
            padding = ToAdditiveMask(padding, query.dtype, "key_padding_mask");
            mask = ToAdditiveMask(mask, query.dtype, "attn_mask");
            var batched = query.dim() == 3;
            var keyIsValue = batched && Kernels.IsSame(key, value);
            var selfAttention = keyIsValue && Kernels.IsSame(query, key);
            if (!batched)
            {
                if (query.dim() != 2)
                    throw new ArgumentException(
                        $"MultiheadAttention takes a query of 2 or 3 dimensions, this one has shape [{string.Join(", ", query.Sizes)}].",
                        nameof(query));
                (query, key, value, padding) = (query.unsqueeze(1), key.unsqueeze(1), value.unsqueeze(1), padding?.unsqueeze(0));
            }

            var (steps, batch, size) = (query.size(0), query.size(1), query.size(2));
            var (heads, keys) = (module.Heads, key.size(0));
            if (size != module.Size)
                throw new ArgumentException($"MultiheadAttention was made for {module.Size} features, the query has {size}.",
                    nameof(query));
            var width = size / heads;
            if (causal && padding is null && !needWeights) mask = null;
            else if (padding is not null) causal = false;

            var (q, k, v) = ProjectInputs(module, query, key, value, selfAttention, keyIsValue);
            if (mask is { } given)
            {
                var expected = given.dim() == 2 ? (long[])[steps, keys] : [batch * heads, steps, keys];
                if (given.dim() is not (2 or 3) || !given.Sizes.AsSpan().SequenceEqual(expected))
                    throw new ArgumentException(
                        $"The shape of attn_mask is [{string.Join(", ", given.Sizes)}], it should be [{string.Join(", ", expected)}].",
                        nameof(mask));
                mask = given.dim() == 2 ? given.unsqueeze(0) : given;
            }

            if (module.BiasK is { } biasK && module.BiasV is { } biasV)
            {
                k = cat([k, biasK.repeat(1, batch, 1)]);
                v = cat([v, biasV.repeat(1, batch, 1)]);
                (mask, padding) = (PadMask(mask), PadMask(padding));
            }

            q = q.view(steps, batch * heads, width).transpose(0, 1);
            k = k.view(k.size(0), batch * heads, width).transpose(0, 1);
            v = v.view(v.size(0), batch * heads, width).transpose(0, 1);
            if (module.AddsZero)
            {
                k = cat([k, zeros([batch * heads, 1, width], k.dtype, k.device)], 1);
                v = cat([v, zeros([batch * heads, 1, width], v.dtype, v.device)], 1);
                (mask, padding) = (PadMask(mask), PadMask(padding));
            }

            keys = k.size(1);
            if (padding is not null)
            {
                padding = padding.view(batch, 1, 1, keys).expand(-1, heads, -1, -1).reshape(batch * heads, 1, keys);
                mask = mask is null ? padding : mask.add(padding);
            }

            var dropout = module.training ? module.Dropout : 0.0;
            return needWeights ? WithWeights(module, q, k, v, mask, dropout, average, batched, batch, steps, keys)
                : (WithoutWeights(module, q, k, v, mask, dropout, causal, batched, batch, steps, keys), null);
        }

        private static (Tensor, Tensor?) WithWeights(MultiheadAttention module, Tensor q, Tensor k, Tensor v, Tensor? mask, double dropout,
            bool average, bool batched, long batch, long steps, long keys)
        {
            var scaled = q.mul(Math.Sqrt(1.0 / q.size(2)));
            var transposedKey = k.transpose(-2, -1);
            var weights = (mask is null ? scaled.bmm(transposedKey) : Kernels.Baddbmm(mask, scaled, transposedKey)).softmax(-1);
            if (dropout > 0) weights = nn.functional.dropout(weights, dropout);
            var output = ProjectOutput(module, weights.bmm(v).transpose(0, 1).reshape(steps * batch, module.Size), steps, batch);
            weights = weights.view(batch, module.Heads, steps, keys);
            if (average) weights = weights.mean([1]);
            return batched ? (output, weights) : (output.squeeze(1), weights.squeeze(0));
        }

        private static Tensor WithoutWeights(MultiheadAttention module, Tensor q, Tensor k, Tensor v, Tensor? mask, double dropout,
            bool causal, bool batched, long batch, long steps, long keys)
        {
            var (heads, width) = (module.Heads, q.size(2));
            if (mask is not null) mask = mask.size(0) == 1 && mask.dim() == 3 ? mask.unsqueeze(0) : mask.view(batch, heads, -1, keys);
            var output = nn.functional.scaled_dot_product_attention(q.view(batch, heads, steps, width), k.view(batch, heads, keys, width),
                v.view(batch, heads, keys, width), mask, dropout, causal);
            output = ProjectOutput(module, output.permute(2, 0, 1, 3).reshape(batch * steps, module.Size), steps, batch);
            return batched ? output : output.squeeze(1);
        }

        private static Tensor ProjectOutput(MultiheadAttention module, Tensor output, long steps, long batch)
        {
            output = nn.functional.linear(output, module.Out.weight, ParameterInitializers.ValueOrNull(module.Out.bias));
            return output.view(steps, batch, output.size(1));
        }

        private static (Tensor, Tensor, Tensor) ProjectInputs(MultiheadAttention module, Tensor query, Tensor key, Tensor value,
            bool selfAttention, bool keyIsValue)
        {
            var bias = module.InBias;
            if (module.InWeight is not { } weight)
            {
                var parts = bias?.chunk(3);
                return (nn.functional.linear(query, module.QWeight!, parts?[0]), nn.functional.linear(key, module.KWeight!, parts?[1]),
                    nn.functional.linear(value, module.VWeight!, parts?[2]));
            }

            var size = query.size(-1);
            if (selfAttention)
            {
                var all = nn.functional.linear(query, weight, bias).unflatten(-1, 3, size).unsqueeze(0).transpose(0, -2).squeeze(-2)
                    .contiguous();
                return (all.select(0, 0), all.select(0, 1), all.select(0, 2));
            }

            if (keyIsValue)
            {
                var weights = weight.split([size, size * 2]);
                var biases = bias?.split([size, size * 2]);
                var both = nn.functional.linear(key, weights[1], biases?[1]).unflatten(-1, 2, size).unsqueeze(0).transpose(0, -2)
                    .squeeze(-2).contiguous();
                return (nn.functional.linear(query, weights[0], biases?[0]), both.select(0, 0), both.select(0, 1));
            }

            var three = weight.chunk(3);
            var threeBiases = bias?.chunk(3);
            return (nn.functional.linear(query, three[0], threeBiases?[0]), nn.functional.linear(key, three[1], threeBiases?[1]),
                nn.functional.linear(value, three[2], threeBiases?[2]));
        }

        private static Tensor? PadMask(Tensor? mask) => mask is null ? null : nn.functional.Pad(mask, [0, 1], "constant");
    }
}

namespace TorchSharp.Modules
{
    /// <summary>Multi-head attention, which returns the output and the attention weights.</summary>
    /// <remarks>
    /// PyTorch:
    /// <see href="https://docs.pytorch.org/docs/stable/generated/torch.nn.MultiheadAttention.html">torch.nn.MultiheadAttention</see>.
    /// </remarks>
    public sealed class MultiheadAttention : nn.Module<Tensor, Tensor, Tensor, Tensor?, bool, Tensor?, Tuple<Tensor, Tensor>>
    {
        // TorchSharp's forward lacks the last two parameters, which PyTorch's has.
        private static readonly ForwardParameter[] All =
            [.. ForwardParameter.Of(typeof(MultiheadAttention)), new("average_attn_weights", true, true), new("is_causal", true, false)];

        // The extra arguments of a call, until forward takes them.
        [ThreadStatic]
        private static (MultiheadAttention Module, bool Average, bool Causal)? _given;

        private protected override bool IsNative => true;

        private readonly Parameter? _weight;
        private readonly Parameter? _q;
        private readonly Parameter? _k;
        private readonly Parameter? _v;
        private readonly Parameter? _bias;
        private readonly Parameter? _biasK;
        private readonly Parameter? _biasV;

        internal MultiheadAttention(long embedded_dim, long num_heads, double dropout, bool bias, bool add_bias_kv, bool add_zero_attn,
            long? kdim, long? vdim) : base(nameof(MultiheadAttention))
        {
            if (embedded_dim <= 0 || num_heads <= 0 || embedded_dim % num_heads != 0)
                throw new ArgumentException($"MultiheadAttention: {embedded_dim} features cannot be split into {num_heads} heads.");
            (Size, Heads, Dropout, AddsZero, KeySize, ValueSize) = (embedded_dim, num_heads, dropout, add_zero_attn, kdim, vdim);
            using var off = no_grad();
            // PyTorch draws the weights of the output projection first.
            Out = new(embedded_dim, embedded_dim, bias);
            if ((kdim ?? embedded_dim) == embedded_dim && (vdim ?? embedded_dim) == embedded_dim)
            {
                register_parameter("in_proj_weight", _weight = new Parameter(empty([3 * embedded_dim, embedded_dim])));
                ParameterInitializers.FillXavierUniform(_weight);
            }
            else
            {
                register_parameter("q_proj_weight", _q = new Parameter(empty([embedded_dim, embedded_dim])));
                register_parameter("k_proj_weight", _k = new Parameter(empty([embedded_dim, kdim ?? embedded_dim])));
                register_parameter("v_proj_weight", _v = new Parameter(empty([embedded_dim, vdim ?? embedded_dim])));
                foreach (var matrix in new[] { _q, _k, _v }) ParameterInitializers.FillXavierUniform(matrix);
            }

            if (bias)
            {
                register_parameter("in_proj_bias", _bias = new Parameter(zeros([3 * embedded_dim])));
                using var plain = Out.bias!.detach();
                plain.zero_();
            }

            if (add_bias_kv)
            {
                // xavier_normal_ on [1, 1, features]: fan in and fan out are the number of features.
                register_parameter("bias_k", _biasK = new Parameter(Draw()));
                register_parameter("bias_v", _biasV = new Parameter(Draw()));
            }

            register_module("out_proj", Out);

            Tensor Draw()
            {
                var made = empty([1, 1, embedded_dim]);
                return ParameterInitializers.SkipsDrawing ? made : made.normal_(0, Math.Sqrt(2.0 / (embedded_dim + embedded_dim)));
            }
        }

        internal long Size { get; }

        internal long Heads { get; }

        internal double Dropout { get; }

        internal bool AddsZero { get; }

        internal long? KeySize { get; }

        internal long? ValueSize { get; }

        internal Parameter? InWeight => ParameterInitializers.ValueOrNull(_weight);

        internal Parameter? QWeight => ParameterInitializers.ValueOrNull(_q);

        internal Parameter? KWeight => ParameterInitializers.ValueOrNull(_k);

        internal Parameter? VWeight => ParameterInitializers.ValueOrNull(_v);

        internal Parameter? InBias => ParameterInitializers.ValueOrNull(_bias);

        internal Parameter? BiasK => ParameterInitializers.ValueOrNull(_biasK);

        internal Parameter? BiasV => ParameterInitializers.ValueOrNull(_biasV);

        internal NonDynamicallyQuantizableLinear Out { get; }

        internal override IReadOnlyList<ForwardParameter> Parameters => All;

        private protected override object?[] ExtraArgs =>
            _given is var (module, average, causal) && module == this ? [average, causal] : [true, false];

        private protected override void SetExtraArgs(object?[] extra) =>
            _given = (this, Tuples<bool>.Pack(extra[0]), Tuples<bool>.Pack(extra[1]));

        /// <summary>Computes the output and the attention weights of each query step, without the module's hooks.</summary>
        /// <param name="query">[steps, batch, features]; the batch dimension is optional.</param>
        /// <param name="key">[key steps, batch, features].</param>
        /// <param name="value">[key steps, batch, features].</param>
        /// <param name="key_padding_mask">[batch, key steps]: true, or minus infinity, for a key to ignore.</param>
        /// <param name="need_weights">Whether to return the weights.</param>
        /// <param name="attn_mask">
        /// [steps, key steps] or [batch * heads, steps, key steps]: true, or minus infinity, for a key that a query must not attend to.
        /// </param>
        /// <returns>
        /// The output, of the query's shape, and the weights, [batch, steps, key steps]; null if <paramref name="need_weights"/> is false.
        /// </returns>
        public override Tuple<Tensor, Tensor> forward(Tensor query, Tensor key, Tensor value, Tensor? key_padding_mask = null,
            bool need_weights = true, Tensor? attn_mask = null)
        {
            var (module, average, causal) = _given ?? default;
            _given = null;
            if (module != this) (average, causal) = (true, false);
            if (TreeRunsInPython) return ForwardInPython((query, key, value, key_padding_mask, need_weights, attn_mask), average, causal);
            using var scope = NewDisposeScope();
            var (output, weights) = Attention.Run(this, query, key, value, key_padding_mask, need_weights, attn_mask, causal, average);
            return Tuple.Create(output.MoveToOuterDisposeScope(), weights?.MoveToOuterDisposeScope()!);
        }

        /// <summary>Calls the attention with its hooks.</summary>
        /// <param name="query">[steps, batch, features]; the batch dimension is optional.</param>
        /// <param name="key">[key steps, batch, key features].</param>
        /// <param name="value">[key steps, batch, value features].</param>
        /// <param name="key_padding_mask">[batch, key steps]: true, or minus infinity, for a key to ignore.</param>
        /// <param name="need_weights">Whether to return the weights.</param>
        /// <param name="attn_mask">
        /// [steps, key steps] or [batch * heads, steps, key steps]: true, or minus infinity, for a key that a query must not attend to.
        /// </param>
        /// <returns>
        /// The output, of the query's shape, and the weights, [batch, steps, key steps]; null if <paramref name="need_weights"/> is false.
        /// </returns>
        public new Tuple<Tensor, Tensor> call(Tensor query, Tensor key, Tensor value, Tensor? key_padding_mask = null,
            bool need_weights = true, Tensor? attn_mask = null) =>
            base.call(query, key, value, key_padding_mask, need_weights, attn_mask);

        /// <summary>Calls the module with <c>need_weights</c> false, as transformer layers do, and returns the output.</summary>
        /// <param name="query">See <see cref="forward"/>.</param>
        /// <param name="key">The key and the value.</param>
        /// <param name="padding">See <see cref="forward"/>.</param>
        /// <param name="mask">See <see cref="forward"/>.</param>
        /// <param name="causal">Whether the mask is causal.</param>
        internal Tensor Call(Tensor query, Tensor key, Tensor? padding, Tensor? mask, bool causal)
        {
            var before = _given;
            _given = (this, true, causal);
            try
            {
                return base.call(query, key, key, padding, false, mask).Item1;
            }
            finally
            {
                _given = before;
            }
        }
    }

    /// <summary>The output projection, named like PyTorch's class. Attention reads its parameters and never calls it.</summary>
    internal sealed class NonDynamicallyQuantizableLinear : BuiltIn
    {
        internal NonDynamicallyQuantizableLinear(long inputs, long outputs, bool hasBias) : base(nameof(NonDynamicallyQuantizableLinear))
        {
            (in_features, out_features) = (inputs, outputs);
            register_parameter(nameof(weight), weight = ParameterInitializers.Weight([outputs, inputs], inputs, null, null));
            if (hasBias) register_parameter(nameof(bias), bias = ParameterInitializers.Bias(outputs, inputs, null, null));
        }

        internal long in_features { get; }

        internal long out_features { get; }

        internal Parameter weight { get; }

        internal Parameter? bias { get; }

        private protected override Tensor Compute(Tensor input) =>
            nn.functional.linear(input, weight, ParameterInitializers.ValueOrNull(bias));
    }
}

namespace TorchSharp
{
    public static partial class torch
    {
        public static partial class nn
        {
            /// <summary>Creates multi-head attention.</summary>
            /// <remarks>
            /// PyTorch:
            /// <see href="https://docs.pytorch.org/docs/stable/generated/torch.nn.MultiheadAttention.html">
            /// torch.nn.MultiheadAttention</see>.
            /// </remarks>
            /// <param name="embedded_dim">The number of features of queries and of the output.</param>
            /// <param name="num_heads">The number of heads, which divides <paramref name="embedded_dim"/>.</param>
            /// <param name="dropout">The probability, from 0 to 1, of a dropped attention weight in training.</param>
            /// <param name="bias">Whether the projections of inputs and output have biases.</param>
            /// <param name="add_bias_kv">Whether a learned step is added to keys and values.</param>
            /// <param name="add_zero_attn">Whether a step of zeros is added to keys and values.</param>
            /// <param name="kdim">The number of features of keys; null for <paramref name="embedded_dim"/>.</param>
            /// <param name="vdim">The number of features of values; null for <paramref name="embedded_dim"/>.</param>
            /// <exception cref="ArgumentException">The features cannot be split into the heads.</exception>
            public static MultiheadAttention MultiheadAttention(long embedded_dim, long num_heads, double dropout = 0.0, bool bias = true,
                bool add_bias_kv = false, bool add_zero_attn = false, long? kdim = null, long? vdim = null) =>
                new(embedded_dim, num_heads, dropout, bias, add_bias_kv, add_zero_attn, kdim, vdim);
        }
    }
}
