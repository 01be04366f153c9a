using Bridge.Torch;
using TorchSharp.Modules;
using static TorchSharp.torch;

namespace Bridge.Torch
{
    internal static class TransformerLayers
    {
        internal static Tensor Activate(Tensor input, nn.Activations activation) =>
            activation == nn.Activations.GELU ? nn.functional.gelu(input) : input.relu();

        /// <summary>Creates a copy of a layer without drawing random values.</summary>
        internal static T Copy<T>(T layer, Func<T> make) where T : nn.Module
        {
            ParameterInitializers.SkipsDrawing = true;
            try
            {
                var copy = make();
                var own = layer.state_dict();
                var dtype = own.Values.First().dtype;
                copy._to(own.Values.First().device, dtype, false);
                copy.load_state_dict(own);
                copy.train(layer.training);
                return copy;
            }
            finally
            {
                ParameterInitializers.SkipsDrawing = false;
            }
        }

        internal static long Steps(Tensor sequence) => sequence.size(0);
    }
}

namespace TorchSharp.Modules
{
    /// <summary>
    /// A self-attention block and a feed-forward block of two linear layers. Each block's output is added to its input, and the sum is
    /// normalized.
    /// </summary>
    /// <remarks>
    /// PyTorch:
    /// <see href="https://docs.pytorch.org/docs/stable/generated/torch.nn.TransformerEncoderLayer.html">
    /// torch.nn.TransformerEncoderLayer</see>.
    /// </remarks>
    public sealed class TransformerEncoderLayer
        : nn.Module<Tensor, Tensor>, nn.IModule<Tensor, Tensor, Tensor>, nn.IModule<Tensor, Tensor, Tensor, Tensor>
    {
        private protected override bool IsNative => true;

        // TorchSharp's forward lacks the parameters after the first, which PyTorch's has.
        private static readonly ForwardParameter[] All =
            [.. ForwardParameter.Of(typeof(TransformerEncoderLayer)), new("src_mask", true, null), new("src_key_padding_mask", true, null),
                new("is_causal", true, false)];

        // The extra arguments of a call, until forward takes them.
        [ThreadStatic]
        private static (TransformerEncoderLayer Layer, Tensor? Mask, Tensor? Padding, bool Causal)? _given;

        private readonly (long, long, long, double, nn.Activations) _settings;
        private readonly MultiheadAttention _attention;
        private readonly Linear _first;
        private readonly Linear _second;
        private readonly LayerNorm[] _norms;
        private readonly Dropout[] _dropouts;

        internal TransformerEncoderLayer(long d_model, long nhead, long dim_feedforward, double dropout, nn.Activations activation)
            : base(nameof(TransformerEncoderLayer))
        {
            _settings = (d_model, nhead, dim_feedforward, dropout, activation);
            _dropouts = [nn.Dropout(dropout), nn.Dropout(dropout), nn.Dropout(dropout)];
            register_module("self_attn", _attention = nn.MultiheadAttention(d_model, nhead, dropout));
            register_module("linear1", _first = nn.Linear(d_model, dim_feedforward));
            register_module("dropout", _dropouts[0]);
            register_module("linear2", _second = nn.Linear(dim_feedforward, d_model));
            _norms = [nn.LayerNorm(d_model), nn.LayerNorm(d_model)];
            for (var i = 0; i < 2; i++) register_module($"norm{i + 1}", _norms[i]);
            for (var i = 1; i < 3; i++) register_module($"dropout{i}", _dropouts[i]);
        }

        internal (long, long, long, double, nn.Activations) Settings => _settings;

        internal TransformerEncoderLayer Copy() =>
            TransformerLayers.Copy(this, () => new(_settings.Item1, _settings.Item2, _settings.Item3, _settings.Item4, _settings.Item5));

        internal long Size => _settings.Item1;

        internal override IReadOnlyList<ForwardParameter> Parameters => All;

        private protected override object?[] ExtraArgs =>
            _given is var (layer, mask, padding, causal) && layer == this ? [mask, padding, causal] : [null, null, false];

        private protected override void SetExtraArgs(object?[] extra) =>
            _given = (this, Tuples<Tensor?>.Pack(extra[0]), Tuples<Tensor?>.Pack(extra[1]), Tuples<bool>.Pack(extra[2]));

        /// <summary>Computes the result of the encoder layer, without hooks.</summary>
        /// <param name="src">The sequences, [steps, batch, features]; the batch dimension is optional.</param>
        /// <returns>The result, of the same shape.</returns>
        public override Tensor forward(Tensor src)
        {
            var (layer, mask, padding, causal) = _given ?? default;
            _given = null;
            if (layer != this) (mask, padding, causal) = (null, null, false);
            if (TreeRunsInPython) return ForwardInPython(src, mask, padding, causal);
            using var scope = NewDisposeScope();
            var attended = _attention.Call(src, src, padding, mask, causal);
            src = _norms[0].call(src.add(_dropouts[1].call(attended)));
            var inner = _second.call(_dropouts[0].call(TransformerLayers.Activate(_first.call(src), _settings.Item5)));
            return _norms[1].call(src.add(_dropouts[2].call(inner))).MoveToOuterDisposeScope();
        }

        /// <summary>Calls the encoder layer with a mask and a padding mask, each of which may be null.</summary>
        /// <param name="src">[steps, batch, features]; the batch dimension is optional.</param>
        /// <param name="src_mask">[steps, steps], as <c>attn_mask</c> of <see cref="MultiheadAttention.forward"/>.</param>
        /// <param name="src_key_padding_mask">[batch, steps]: true, or minus infinity, for a step to ignore.</param>
        /// <returns>The result, of the shape of <paramref name="src"/>.</returns>
        public Tensor call(Tensor src, Tensor? src_mask, Tensor? src_key_padding_mask) => Call(src, src_mask, src_key_padding_mask, false);

        /// <summary>Calls the encoder layer with a mask, which may be null.</summary>
        /// <param name="src">The sequences, [steps, batch, features]; the batch dimension is optional.</param>
        /// <param name="src_mask">[steps, steps], as <c>attn_mask</c> of <see cref="MultiheadAttention.forward"/>.</param>
        /// <returns>The result, of the shape of <paramref name="src"/>.</returns>
        public Tensor call(Tensor src, Tensor? src_mask) => Call(src, src_mask, null, false);

        internal Tensor Call(Tensor src, Tensor? mask, Tensor? padding, bool causal)
        {
            var before = _given;
            _given = (this, mask, padding, causal);
            try
            {
                return call(src);
            }
            finally
            {
                _given = before;
            }
        }
    }

    /// <summary>A sequence of copies of an encoder layer.</summary>
    /// <remarks>
    /// PyTorch:
    /// <see href="https://docs.pytorch.org/docs/stable/generated/torch.nn.TransformerEncoder.html">torch.nn.TransformerEncoder</see>.
    /// </remarks>
    public sealed class TransformerEncoder : nn.Module<Tensor, Tensor?, Tensor?, Tensor>, nn.IModule<Tensor, Tensor, Tensor>,
        nn.IModule<Tensor, Tensor>
    {
        private protected override bool IsNative => true;

        /// <summary>The activations of a layer, as in <see cref="nn.Activations"/>.</summary>
        public enum Activations
        {
            /// <summary>The rectified linear unit, max(x, 0).</summary>
            ReLU = 0,

            /// <summary>The Gaussian error linear unit.</summary>
            GELU = 1,
        }

        private readonly ModuleList<TransformerEncoderLayer> _layers;
        private readonly LayerNorm? _norm;

        internal (long, long, long, double, nn.Activations) Settings { get; }

        internal long Count { get; }

        internal TransformerEncoder(TransformerEncoderLayer layer, long num_layers, LayerNorm? norm = null)
            : base(nameof(TransformerEncoder))
        {
            (Settings, Count) = (layer.Settings, num_layers);
            _layers = new(Enumerable.Range(0, checked((int)num_layers)).Select(_ => layer.Copy()).ToArray());
            register_module("layers", _layers);
            if (norm is not null) register_module("norm", _norm = norm);
        }

        /// <summary>Computes the result of all encoder layers in turn, without the encoder's hooks.</summary>
        /// <param name="src">The sequences, [steps, batch, features]; the batch dimension is optional.</param>
        /// <param name="src_mask">[steps, steps], as <c>attn_mask</c> of <see cref="MultiheadAttention.forward"/>; null for none.</param>
        /// <param name="src_key_padding_mask">[batch, steps]: true, or minus infinity, for a step to ignore; null for none.</param>
        /// <returns>The result, of the shape of <paramref name="src"/>.</returns>
        public override Tensor forward(Tensor src, Tensor? src_mask = null, Tensor? src_key_padding_mask = null)
        {
            if (TreeRunsInPython) return ForwardInPython((src, src_mask, src_key_padding_mask));
            using var scope = NewDisposeScope();
            var padding = Attention.ToAdditiveMask(src_key_padding_mask, src.dtype, nameof(src_key_padding_mask));
            var mask = Attention.ToAdditiveMask(src_mask, src.dtype, nameof(src_mask));
            var causal = Attention.IsCausal(mask, TransformerLayers.Steps(src));
            foreach (var layer in _layers) src = layer.Call(src, mask, padding, causal);
            return (_norm is null ? _layers.Count == 0 ? src.alias() : src : _norm.call(src)).MoveToOuterDisposeScope();
        }

        /// <summary>Calls the encoder with a mask, which may be null, and without a padding mask.</summary>
        /// <param name="src">The sequences, [steps, batch, features]; the batch dimension is optional.</param>
        /// <param name="src_mask">[steps, steps], as <c>attn_mask</c> of <see cref="MultiheadAttention.forward"/>.</param>
        /// <returns>The result, of the shape of <paramref name="src"/>.</returns>
        public Tensor call(Tensor src, Tensor? src_mask) => base.call(src, src_mask, null);

        /// <summary>Calls the encoder without masks.</summary>
        /// <param name="src">The sequences, [steps, batch, features]; the batch dimension is optional.</param>
        /// <returns>The result, of the same shape.</returns>
        public Tensor call(Tensor src) => base.call(src, null, null);
    }

    /// <summary>
    /// A self-attention block, a block of attention to the encoder's result, and a feed-forward block of two linear layers. Each block's
    /// output is added to its input, and the sum is normalized.
    /// </summary>
    /// <remarks>
    /// PyTorch:
    /// <see href="https://docs.pytorch.org/docs/stable/generated/torch.nn.TransformerDecoderLayer.html">
    /// torch.nn.TransformerDecoderLayer</see>.
    /// </remarks>
    public sealed class TransformerDecoderLayer
        : nn.Module<Tensor, Tensor, Tensor?, Tensor?, Tensor?, Tensor?, Tensor>, nn.IModule<Tensor, Tensor, Tensor>
    {
        private protected override bool IsNative => true;

        private static readonly ForwardParameter[] All =
            [.. ForwardParameter.Of(typeof(TransformerDecoderLayer)), new("tgt_is_causal", true, false),
                new("memory_is_causal", true, false)];

        // The extra arguments of a call, until forward takes them.
        [ThreadStatic]
        private static (TransformerDecoderLayer Layer, bool Causal, bool MemoryCausal)? _given;

        private readonly (long, long, long, double, nn.Activations) _settings;
        private readonly MultiheadAttention _attention;
        private readonly MultiheadAttention _cross;
        private readonly Linear _first;
        private readonly Linear _second;
        private readonly LayerNorm[] _norms;
        private readonly Dropout[] _dropouts;

        internal TransformerDecoderLayer(long d_model, long nhead, long dim_feedforward, double dropout, nn.Activations activation)
            : base(nameof(TransformerDecoderLayer))
        {
            _settings = (d_model, nhead, dim_feedforward, dropout, activation);
            _dropouts = [nn.Dropout(dropout), nn.Dropout(dropout), nn.Dropout(dropout), nn.Dropout(dropout)];
            register_module("self_attn", _attention = nn.MultiheadAttention(d_model, nhead, dropout));
            register_module("multihead_attn", _cross = nn.MultiheadAttention(d_model, nhead, dropout));
            register_module("linear1", _first = nn.Linear(d_model, dim_feedforward));
            register_module("dropout", _dropouts[0]);
            register_module("linear2", _second = nn.Linear(dim_feedforward, d_model));
            _norms = [nn.LayerNorm(d_model), nn.LayerNorm(d_model), nn.LayerNorm(d_model)];
            for (var i = 0; i < 3; i++) register_module($"norm{i + 1}", _norms[i]);
            for (var i = 1; i < 4; i++) register_module($"dropout{i}", _dropouts[i]);
        }

        internal (long, long, long, double, nn.Activations) Settings => _settings;

        internal TransformerDecoderLayer Copy() =>
            TransformerLayers.Copy(this, () => new(_settings.Item1, _settings.Item2, _settings.Item3, _settings.Item4, _settings.Item5));

        internal override IReadOnlyList<ForwardParameter> Parameters => All;

        private protected override object?[] ExtraArgs =>
            _given is var (layer, causal, memoryCausal) && layer == this ? [causal, memoryCausal] : [false, false];

        private protected override void SetExtraArgs(object?[] extra) =>
            _given = (this, Tuples<bool>.Pack(extra[0]), Tuples<bool>.Pack(extra[1]));

        /// <summary>Computes the result of the decoder layer, without hooks.</summary>
        /// <param name="tgt">The target sequences, [steps, batch, features]; the batch dimension is optional.</param>
        /// <param name="memory">The encoder's result, [memory steps, batch, features].</param>
        /// <param name="tgt_mask">[steps, steps], as <c>attn_mask</c> of <see cref="MultiheadAttention.forward"/>; null for none.</param>
        /// <param name="memory_mask">[steps, memory steps], for the attention to <paramref name="memory"/>; null for none.</param>
        /// <param name="tgt_key_padding_mask">[batch, steps]: true, or minus infinity, for a target step to ignore; null for none.</param>
        /// <param name="memory_key_padding_mask">
        /// [batch, memory steps]: true, or minus infinity, for a memory step to ignore; null for none.
        /// </param>
        /// <returns>The result, of the shape of <paramref name="tgt"/>.</returns>
        public override Tensor forward(Tensor tgt, Tensor memory, Tensor? tgt_mask = null, Tensor? memory_mask = null,
            Tensor? tgt_key_padding_mask = null, Tensor? memory_key_padding_mask = null)
        {
            var (layer, causal, memoryCausal) = _given ?? default;
            _given = null;
            if (layer != this) (causal, memoryCausal) = (false, false);
            if (TreeRunsInPython)
                return ForwardInPython((tgt, memory, tgt_mask, memory_mask, tgt_key_padding_mask, memory_key_padding_mask), causal,
                    memoryCausal);
            using var scope = NewDisposeScope();
            tgt = _norms[0].call(tgt.add(_dropouts[1].call(_attention.Call(tgt, tgt, tgt_key_padding_mask, tgt_mask, causal))));
            tgt = _norms[1].call(tgt.add(_dropouts[2].call(_cross.Call(tgt, memory, memory_key_padding_mask, memory_mask, memoryCausal))));
            var inner = _second.call(_dropouts[0].call(TransformerLayers.Activate(_first.call(tgt), _settings.Item5)));
            return _norms[2].call(tgt.add(_dropouts[3].call(inner))).MoveToOuterDisposeScope();
        }

        /// <summary>Calls the decoder layer with masks, each of which may be null.</summary>
        /// <param name="tgt">The target sequences, [steps, batch, features]; the batch dimension is optional.</param>
        /// <param name="memory">The encoder's result, [memory steps, batch, features].</param>
        /// <param name="tgt_mask">[steps, steps], as <c>attn_mask</c> of <see cref="MultiheadAttention.forward"/>.</param>
        /// <param name="memory_mask">[steps, memory steps], for the attention to <paramref name="memory"/>.</param>
        /// <param name="tgt_key_padding_mask">[batch, steps]: true, or minus infinity, for a target step to ignore.</param>
        /// <param name="memory_key_padding_mask">[batch, memory steps]: true, or minus infinity, for a memory step to ignore.</param>
        /// <returns>The result, of the shape of <paramref name="tgt"/>.</returns>
        public new Tensor call(Tensor tgt, Tensor memory, Tensor? tgt_mask, Tensor? memory_mask = null, Tensor? tgt_key_padding_mask = null,
            Tensor? memory_key_padding_mask = null) =>
            base.call(tgt, memory, tgt_mask, memory_mask, tgt_key_padding_mask, memory_key_padding_mask);

        /// <summary>Calls the decoder layer without masks.</summary>
        /// <param name="tgt">The target sequences, [steps, batch, features]; the batch dimension is optional.</param>
        /// <param name="memory">The encoder's result, [memory steps, batch, features].</param>
        /// <returns>The result, of the shape of <paramref name="tgt"/>.</returns>
        public Tensor call(Tensor tgt, Tensor memory) => base.call(tgt, memory, null, null, null, null);

        internal Tensor Call(Tensor tgt, Tensor memory, Tensor? mask, Tensor? memoryMask, Tensor? padding, Tensor? memoryPadding,
            bool causal)
        {
            var before = _given;
            _given = (this, causal, false);
            try
            {
                return base.call(tgt, memory, mask, memoryMask, padding, memoryPadding);
            }
            finally
            {
                _given = before;
            }
        }
    }

    /// <summary>A sequence of copies of a decoder layer.</summary>
    /// <remarks>
    /// PyTorch:
    /// <see href="https://docs.pytorch.org/docs/stable/generated/torch.nn.TransformerDecoder.html">torch.nn.TransformerDecoder</see>.
    /// </remarks>
    public sealed class TransformerDecoder : nn.Module<Tensor, Tensor, Tensor?, Tensor?, Tensor?, Tensor?, Tensor>
    {
        private protected override bool IsNative => true;

        private readonly ModuleList<TransformerDecoderLayer> _layers;
        private readonly LayerNorm? _norm;

        internal (long, long, long, double, nn.Activations) Settings { get; }

        internal long Count { get; }

        internal TransformerDecoder(TransformerDecoderLayer layer, long num_layers, LayerNorm? norm = null)
            : base(nameof(TransformerDecoder))
        {
            (Settings, Count) = (layer.Settings, num_layers);
            _layers = new(Enumerable.Range(0, checked((int)num_layers)).Select(_ => layer.Copy()).ToArray());
            register_module("layers", _layers);
            if (norm is not null) register_module("norm", _norm = norm);
        }

        /// <summary>Computes the result of all decoder layers in turn, without the decoder's hooks.</summary>
        /// <param name="tgt">The target sequences, [steps, batch, features]; the batch dimension is optional.</param>
        /// <param name="memory">The encoder's result, [memory steps, batch, features].</param>
        /// <param name="tgt_mask">[steps, steps], as <c>attn_mask</c> of <see cref="MultiheadAttention.forward"/>; null for none.</param>
        /// <param name="memory_mask">[steps, memory steps], for the attention to <paramref name="memory"/>; null for none.</param>
        /// <param name="tgt_key_padding_mask">[batch, steps]: true, or minus infinity, for a target step to ignore; null for none.</param>
        /// <param name="memory_key_padding_mask">
        /// [batch, memory steps]: true, or minus infinity, for a memory step to ignore; null for none.
        /// </param>
        /// <returns>The result, of the shape of <paramref name="tgt"/>.</returns>
        public override Tensor forward(Tensor tgt, Tensor memory, Tensor? tgt_mask = null, Tensor? memory_mask = null,
            Tensor? tgt_key_padding_mask = null, Tensor? memory_key_padding_mask = null)
        {
            if (TreeRunsInPython)
                return ForwardInPython((tgt, memory, tgt_mask, memory_mask, tgt_key_padding_mask, memory_key_padding_mask));
            using var scope = NewDisposeScope();
            var causal = Attention.IsCausal(tgt_mask, TransformerLayers.Steps(tgt));
            foreach (var layer in _layers)
                tgt = layer.Call(tgt, memory, tgt_mask, memory_mask, tgt_key_padding_mask, memory_key_padding_mask, causal);
            return (_norm is null ? _layers.Count == 0 ? tgt.alias() : tgt : _norm.call(tgt)).MoveToOuterDisposeScope();
        }

        /// <summary>Calls the decoder with masks, each of which may be null.</summary>
        /// <param name="tgt">The target sequences, [steps, batch, features]; the batch dimension is optional.</param>
        /// <param name="memory">The encoder's result, [memory steps, batch, features].</param>
        /// <param name="tgt_mask">[steps, steps], as <c>attn_mask</c> of <see cref="MultiheadAttention.forward"/>.</param>
        /// <param name="memory_mask">[steps, memory steps], for the attention to <paramref name="memory"/>.</param>
        /// <param name="tgt_key_padding_mask">[batch, steps]: true, or minus infinity, for a target step to ignore.</param>
        /// <param name="memory_key_padding_mask">[batch, memory steps]: true, or minus infinity, for a memory step to ignore.</param>
        /// <returns>The result, of the shape of <paramref name="tgt"/>.</returns>
        public new Tensor call(Tensor tgt, Tensor memory, Tensor? tgt_mask, Tensor? memory_mask = null, Tensor? tgt_key_padding_mask = null,
            Tensor? memory_key_padding_mask = null) =>
            base.call(tgt, memory, tgt_mask, memory_mask, tgt_key_padding_mask, memory_key_padding_mask);

        /// <summary>Calls the decoder without masks.</summary>
        /// <param name="tgt">The target sequences, [steps, batch, features]; the batch dimension is optional.</param>
        /// <param name="memory">The encoder's result, [memory steps, batch, features].</param>
        /// <returns>The result, of the shape of <paramref name="tgt"/>.</returns>
        public Tensor call(Tensor tgt, Tensor memory) => base.call(tgt, memory, null, null, null, null);
    }

    /// <summary>A transformer encoder, and a decoder that attends to the encoder's result.</summary>
    /// <remarks>
    /// PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.nn.Transformer.html">torch.nn.Transformer</see>.
    /// </remarks>
    public sealed class Transformer : nn.Module<Tensor, Tensor, Tensor>
    {
        private protected override bool IsNative => true;

        // TorchSharp's forward lacks the parameters after the first two, which PyTorch's has.
        private static readonly ForwardParameter[] All =
        [
            .. ForwardParameter.Of(typeof(Transformer)),
            .. new[] { "src_mask", "tgt_mask", "memory_mask", "src_key_padding_mask", "tgt_key_padding_mask",
                "memory_key_padding_mask" }.Select(name => new ForwardParameter(name, true, null)),
        ];

        // The extra arguments of a call, until forward takes them.
        [ThreadStatic]
        private static (Transformer Module, Tensor?[] Masks)? _given;

        private readonly TransformerEncoder _encoder;

        internal (long, long, long, long, long, double, nn.Activations) Settings { get; }
        private readonly TransformerDecoder _decoder;

        internal Transformer(long d_model, long nhead, long num_encoder_layers, long num_decoder_layers, long dim_feedforward,
            double dropout, nn.Activations activation) : base(nameof(Transformer))
        {
            Settings = (d_model, nhead, num_encoder_layers, num_decoder_layers, dim_feedforward, dropout, activation);
            register_module("encoder", _encoder = new(new(d_model, nhead, dim_feedforward, dropout, activation), num_encoder_layers,
                nn.LayerNorm(d_model)));
            register_module("decoder", _decoder = new(new(d_model, nhead, dim_feedforward, dropout, activation), num_decoder_layers,
                nn.LayerNorm(d_model)));
            foreach (var parameter in parameters())
                if (parameter.dim() > 1) ParameterInitializers.FillXavierUniform(parameter);
        }

        internal override IReadOnlyList<ForwardParameter> Parameters => All;

        private protected override object?[] ExtraArgs => _given is var (module, masks) && module == this ? masks : new object?[6];

        private protected override void SetExtraArgs(object?[] extra) => _given = (this, extra.Select(Tuples<Tensor?>.Pack).ToArray());

        /// <summary>Computes the decoder's result for the encoder's result, without the transformer's hooks.</summary>
        /// <param name="src">The sequences for the encoder, [steps, batch, features]; the batch dimension is optional.</param>
        /// <param name="tgt">The sequences for the decoder, [target steps, batch, features].</param>
        /// <returns>The result, of the shape of <paramref name="tgt"/>.</returns>
        public override Tensor forward(Tensor src, Tensor tgt)
        {
            var (module, masks) = _given ?? default;
            _given = null;
            if (module != this) masks = new Tensor?[6];
            if (TreeRunsInPython) return ForwardInPython((src, tgt), [.. masks]);
            using var scope = NewDisposeScope();
            var memory = _encoder.call(src, masks[0], masks[3]);
            return _decoder.call(tgt, memory, masks[1], masks[2], masks[4], masks[5]).MoveToOuterDisposeScope();
        }

        /// <summary>Calls the module with masks. A typed C# hook gets only the two sequences, a Python hook all arguments.</summary>
        /// <param name="src">The sequences for the encoder, [steps, batch, features]; the batch dimension is optional.</param>
        /// <param name="tgt">The sequences for the decoder, [target steps, batch, features].</param>
        /// <param name="src_mask">[steps, steps], as <c>attn_mask</c> of <see cref="MultiheadAttention.forward"/>.</param>
        /// <param name="tgt_mask">[target steps, target steps]; null for none.</param>
        /// <param name="memory_mask">[target steps, steps], for the decoder's attention to the encoder's result; null for none.</param>
        /// <param name="src_key_padding_mask">
        /// [batch, steps]: true, or minus infinity, for a step that the encoder ignores; null for none.
        /// </param>
        /// <param name="tgt_key_padding_mask">
        /// [batch, target steps]: true, or minus infinity, for a target step to ignore; null for none.
        /// </param>
        /// <param name="memory_key_padding_mask">
        /// [batch, steps]: true, or minus infinity, for a step that the decoder ignores; null for none.
        /// </param>
        /// <returns>The result, of the shape of <paramref name="tgt"/>.</returns>
        public Tensor call(Tensor src, Tensor tgt, Tensor src_mask, Tensor? tgt_mask = null, Tensor? memory_mask = null,
            Tensor? src_key_padding_mask = null, Tensor? tgt_key_padding_mask = null, Tensor? memory_key_padding_mask = null)
        {
            var before = _given;
            _given = (this, [src_mask, tgt_mask, memory_mask, src_key_padding_mask, tgt_key_padding_mask, memory_key_padding_mask]);
            try
            {
                return call(src, tgt);
            }
            finally
            {
                _given = before;
            }
        }
    }
}

namespace TorchSharp
{
    public static partial class torch
    {
        public static partial class nn
        {
            /// <summary>Creates one layer of a transformer encoder.</summary>
            /// <remarks>
            /// PyTorch:
            /// <see href="https://docs.pytorch.org/docs/stable/generated/torch.nn.TransformerEncoderLayer.html">
            /// torch.nn.TransformerEncoderLayer</see>.
            /// </remarks>
            /// <param name="d_model">The number of features.</param>
            /// <param name="nhead">The number of attention heads, which divides <paramref name="d_model"/>.</param>
            /// <param name="dim_feedforward">The number of features between the two linear layers.</param>
            /// <param name="dropout">The probability, from 0 to 1, of a dropped element in training.</param>
            /// <param name="activation">The activation between the two linear layers.</param>
            public static TransformerEncoderLayer TransformerEncoderLayer(long d_model = 512, long nhead = 8, long dim_feedforward = 2048,
                double dropout = 0.1, Activations activation = Activations.ReLU) =>
                new(d_model, nhead, dim_feedforward, dropout, activation);

            /// <summary>Creates a transformer encoder of copies of a layer.</summary>
            /// <remarks>
            /// PyTorch:
            /// <see href="https://docs.pytorch.org/docs/stable/generated/torch.nn.TransformerEncoder.html">
            /// torch.nn.TransformerEncoder</see>.
            /// </remarks>
            /// <param name="encoder_layer">The layer, which the encoder does not contain.</param>
            /// <param name="num_layers">The number of copies.</param>
            public static TransformerEncoder TransformerEncoder(TransformerEncoderLayer encoder_layer, long num_layers) =>
                new(encoder_layer, num_layers);

            /// <summary>Creates one layer of a transformer decoder.</summary>
            /// <remarks>
            /// PyTorch:
            /// <see href="https://docs.pytorch.org/docs/stable/generated/torch.nn.TransformerDecoderLayer.html">
            /// torch.nn.TransformerDecoderLayer</see>.
            /// </remarks>
            /// <param name="d_model">The number of features.</param>
            /// <param name="nhead">The number of attention heads, which divides <paramref name="d_model"/>.</param>
            /// <param name="dim_feedforward">The number of features between the two linear layers.</param>
            /// <param name="dropout">The probability, from 0 to 1, of a dropped element in training.</param>
            /// <param name="activation">The activation between the two linear layers.</param>
            public static TransformerDecoderLayer TransformerDecoderLayer(long d_model = 512, long nhead = 8, long dim_feedforward = 2048,
                double dropout = 0.1, Activations activation = Activations.ReLU) =>
                new(d_model, nhead, dim_feedforward, dropout, activation);

            /// <summary>Creates a transformer decoder of copies of a layer.</summary>
            /// <remarks>
            /// PyTorch:
            /// <see href="https://docs.pytorch.org/docs/stable/generated/torch.nn.TransformerDecoder.html">
            /// torch.nn.TransformerDecoder</see>.
            /// </remarks>
            /// <param name="decoder_layer">The layer, which the decoder does not contain.</param>
            /// <param name="num_layers">The number of copies.</param>
            public static TransformerDecoder TransformerDecoder(TransformerDecoderLayer decoder_layer, long num_layers) =>
                new(decoder_layer, num_layers);

            /// <summary>Creates a transformer with an encoder and a decoder.</summary>
            /// <remarks>
            /// PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.nn.Transformer.html">torch.nn.Transformer</see>.
            /// </remarks>
            /// <param name="d_model">The number of features.</param>
            /// <param name="nhead">The number of attention heads, which divides <paramref name="d_model"/>.</param>
            /// <param name="num_encoder_layers">The number of layers of the encoder.</param>
            /// <param name="num_decoder_layers">The number of layers of the decoder.</param>
            /// <param name="dim_feedforward">The number of features between the two linear layers of a layer.</param>
            /// <param name="dropout">The probability, from 0 to 1, of a dropped element in training.</param>
            /// <param name="activation">The activation between the two linear layers of a layer.</param>
            public static Transformer Transformer(long d_model = 512, long nhead = 8, long num_encoder_layers = 6,
                long num_decoder_layers = 6, long dim_feedforward = 2048, double dropout = 0.1,
                Activations activation = Activations.ReLU) =>
                new(d_model, nhead, num_encoder_layers, num_decoder_layers, dim_feedforward, dropout, activation);
        }
    }
}
