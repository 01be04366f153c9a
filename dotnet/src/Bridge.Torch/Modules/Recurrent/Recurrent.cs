using System.Runtime.InteropServices;
using Bridge.Torch;
using Bridge.Torch.Native;
using TorchSharp.Modules;
using static TorchSharp.torch;
using PackedSequence = TorchSharp.torch.nn.utils.rnn.PackedSequence;

namespace Bridge.Torch
{
    /// <summary>The weights of a recurrent module, under PyTorch's names, and the checks of its input and states.</summary>
    internal sealed class RecurrentWeights
    {
        private readonly List<Parameter> _all = [];
        private readonly int _weightsPerLayer;

        internal RecurrentWeights(nn.Module owner, long gates, long inputSize, long hiddenSize, long layers, bool bias, bool batchFirst,
            double dropout, bool bidirectional, Device? device, ScalarType? dtype)
        {
            if (dropout is not (>= 0 and <= 1))
                throw new ArgumentException($"{owner.GetName()}: dropout must be a probability from 0 to 1, it is {dropout}.",
                    nameof(dropout));
            if (hiddenSize <= 0 || layers <= 0)
                throw new ArgumentException(
                    $"{owner.GetName()}: hidden size and number of layers must be positive, they are {hiddenSize} and {layers}.");
            (InputSize, HiddenSize, Layers, HasBias, BatchFirst, Dropout, Bidirectional) =
                (inputSize, hiddenSize, layers, bias, batchFirst, dropout, bidirectional);
            _weightsPerLayer = bias ? 4 : 2;
            var bound = 1.0 / Math.Sqrt(hiddenSize);
            for (var layer = 0L; layer < layers; layer++)
            {
                for (var direction = 0; direction < Directions; direction++)
                {
                    var suffix = direction == 0 ? $"_l{layer}" : $"_l{layer}_reverse";
                    Add("weight_ih" + suffix, [gates * hiddenSize, layer == 0 ? inputSize : hiddenSize * Directions]);
                    Add("weight_hh" + suffix, [gates * hiddenSize, hiddenSize]);
                    if (!bias) continue;
                    Add("bias_ih" + suffix, [gates * hiddenSize]);
                    Add("bias_hh" + suffix, [gates * hiddenSize]);
                }
            }

            void Add(string name, long[] size)
            {
                var made = ParameterInitializers.Uniform(size, bound, device, dtype);
                owner.register_parameter(name, made);
                _all.Add(made);
            }
        }

        internal long InputSize { get; }

        internal long HiddenSize { get; }

        internal long Layers { get; }

        internal bool HasBias { get; }

        internal bool BatchFirst { get; }

        internal double Dropout { get; }

        internal bool Bidirectional { get; }

        internal int Directions => Bidirectional ? 2 : 1;

        /// <summary>Gets the weights in the order that the operators take.</summary>
        internal Tensor[] All => _all.ToArray();

        /// <summary>
        /// Returns a parameter of a layer; null for a bias that the layer lacks, or if Python set the parameter to None. The kind is 0 for
        /// weight_ih, 1 for weight_hh, 2 for bias_ih, 3 for bias_hh. The two directions of a bidirectional layer count as two layers.
        /// </summary>
        internal Parameter? WeightOf(long layer, int kind) =>
            kind < _weightsPerLayer ? ParameterInitializers.ValueOrNull(_all[(int)layer * _weightsPerLayer + kind]) : null;

        internal Tensor Zeros(long batch, Tensor input) => zeros([Layers * Directions, batch, HiddenSize], input.dtype, input.device);

        /// <summary>Returns the input with a batch dimension.</summary>
        /// <exception cref="ArgumentException">The input has neither 2 nor 3 dimensions.</exception>
        internal Tensor AddBatch(nn.Module owner, Tensor input)
        {
            var batched = input.dim() switch
            {
                3 => input,
                2 => input.unsqueeze(BatchFirst ? 0 : 1),
                _ =>
                    throw new ArgumentException(
                        $"{owner.GetName()} takes an input of 2 or 3 dimensions, this one has shape [{string.Join(", ", input.Sizes)}]."),
            };
            return batched;
        }

        /// <summary>Checks sizes, because some operators would read beyond the ends of weights and states.</summary>
        /// <exception cref="InvalidOperationException">The number of features or the shape of a state does not match the layer.</exception>
        internal void Check(Tensor input, long batch, params Tensor[] states)
        {
            var features = input.size(-1);
            if (features != InputSize)
                throw new InvalidOperationException($"input.size(-1) must be equal to input_size. Expected {InputSize}, got {features}");
            long[] expected = [Layers * Directions, batch, HiddenSize];
            for (var i = 0; i < states.Length; i++)
            {
                var shape = states[i].Sizes;
                if (shape.AsSpan().SequenceEqual(expected)) continue;
                var which = states.Length == 1 ? "hidden" : $"hidden[{i}]";
                throw new InvalidOperationException(
                    $"Expected {which} size ({string.Join(", ", expected)}), got [{string.Join(", ", shape)}]");
            }
        }

        /// <summary>
        /// Runs the operator. If the operator fails, compares the types of input and weights. PyTorch compares them first, except in
        /// autocast, which C# cannot see.
        /// </summary>
        /// <exception cref="ExternalException">
        /// The operator's error; in Python a ValueError if the types of input and weights differ.
        /// </exception>
        internal TResult RunChecked<TResult>(Tensor input, Func<TResult> run)
        {
            try
            {
                return run();
            }
            catch (ExternalException error) when (input.dtype != _all[0].dtype)
            {
                throw ErrorClass.ValueError($"RNN input dtype ({input.dtype}) does not match weight dtype ({_all[0].dtype}).", error);
            }
        }

        internal long Batch(Tensor batched) => batched.size(BatchFirst ? 0 : 1);

        /// <summary>Returns a result, without the batch dimension if the input has none.</summary>
        internal Tensor RemoveBatch(Tensor output, Tensor input) => input.dim() == 3 ? output : output.squeeze(BatchFirst ? 0 : 1);

        internal static Tensor AddStateBatch(Tensor state, Tensor input) => input.dim() == 3 ? state : state.unsqueeze(1);

        internal static Tensor RemoveStateBatch(Tensor state, Tensor input) => input.dim() == 3 ? state : state.squeeze(1);

        /// <summary>Returns a state with its sequences in a given order; null keeps the order.</summary>
        internal static Tensor Reorder(Tensor state, Tensor? order) => order is null ? state : state.index_select(1, order);
    }
}

namespace Bridge.Torch
{
    /// <summary>
    /// The base class of LSTM, GRU and RNN: a module that takes a tensor or packed sequences, and an initial state.
    /// </summary>
    /// <remarks>
    /// A call with packed sequences passes a <see cref="PackedSequence.Entry"/> as the tensor. Python hooks and untyped C# hooks get the
    /// sequences. Typed C# hooks, which get the arguments one by one, get the <c>data</c> of the sequences.
    /// </remarks>
    public abstract class RecurrentModule<TState, TResult> : nn.Module<Tensor, TState, TResult>
    {
        private protected RecurrentModule(string name) : base(name) { }

        private protected abstract Tensor Output(TResult result);

        private protected abstract TResult WithOutput(TResult result, Tensor output);

        /// <summary>Returns the output of a call with packed sequences, as packed sequences.</summary>
        private protected PackedSequence PackResult(PackedSequence input, TResult result) =>
            Output(result) is PackedSequence.Entry given ? given.Sequence : input.ReplaceData(Output(result));

        private protected sealed override object?[] BoxArgs((Tensor, TState) args) =>
            [args.Item1 is PackedSequence.Entry given ? given.Sequence : args.Item1, args.Item2];

        private protected sealed override (Tensor, TState) UnboxArgs(object?[] args) =>
            args is [var first, var state] && (first as PackedSequence ?? PackedSequence.Of(first)) is { } sequence
                ? (sequence.InScope, Tuples<TState>.Pack(state)) : base.UnboxArgs(args);

        private protected override object? NestResult(object? result)
        {
            if (result is object?[] { Length: > 0 } all && all[0] is PackedSequence.Entry given) all[0] = given.Sequence;
            return result;
        }

        private protected override object? FlattenResult(object? result) =>
            result is object?[] { Length: > 0 } all && (all[0] as PackedSequence ?? PackedSequence.Of(all[0])) is { } sequence
                ? (object?[])[sequence.InScope, .. all[1..]] : result;

        private protected sealed override object? GlobalHookResult(TResult result)
        {
            if (Output(result) is not PackedSequence.Entry given) return result;
            var all = (object?[])Tuples.Unpack(result)!;
            all[0] = given.Sequence;
            return Tuples.Box(all);
        }

        private protected sealed override void RunPreHook(Func<nn.Module<Tensor, TState, TResult>, Tensor, TState, (Tensor, TState)?> hook,
            ref (Tensor, TState) args)
        {
            if (args.Item1 is not PackedSequence.Entry { Sequence: var sequence } given)
            {
                base.RunPreHook(hook, ref args);
                return;
            }

            var plain = (sequence.data, args.Item2);
            base.RunPreHook(hook, ref plain);
            args = (ReferenceEquals(plain.data, sequence.data) ? given : sequence.ReplaceData(plain.data).InScope, plain.Item2);
        }

        private protected sealed override void RunPostHook(Func<nn.Module<Tensor, TState, TResult>, Tensor, TState, TResult, TResult> hook,
            (Tensor, TState) args, ref TResult result)
        {
            if (args.Item1 is not PackedSequence.Entry { Sequence: var input })
            {
                base.RunPostHook(hook, args, ref result);
                return;
            }

            // There is no result if forward failed (A-5).
            var output = Output(result) as PackedSequence.Entry;
            var plain = output is null ? result : WithOutput(result, output.Sequence.data);
            base.RunPostHook(hook, (input.data, args.Item2), ref plain);
            var after = Output(plain);
            result = output is not null && ReferenceEquals(after, output.Sequence.data)
                ? WithOutput(plain, output) : after is null
                    ? plain : WithOutput(plain, (output?.Sequence ?? input).ReplaceData(after).InScope);
        }
    }
}

namespace TorchSharp.Modules
{
    /// <summary>
    /// A long short-term memory of one or more layers. Returns the output of each step, and the last hidden and cell states.
    /// </summary>
    /// <remarks>PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.nn.LSTM.html">torch.nn.LSTM</see>.</remarks>
    public sealed class LSTM : RecurrentModule<(Tensor, Tensor)?, (Tensor, Tensor, Tensor)>
    {
        private readonly RecurrentWeights _weights;

        internal LSTM(long inputSize, long hiddenSize, long numLayers, bool bias, bool batchFirst, double dropout, bool bidirectional,
            Device? device, ScalarType? dtype) : base(nameof(LSTM)) =>
            _weights = new(this, 4, inputSize, hiddenSize, numLayers, bias, batchFirst, dropout, bidirectional, device, dtype);

        /// <summary>Computes the outputs and last states of the LSTM, without its hooks.</summary>
        /// <param name="input">[steps, batch, features], with <c>batchFirst</c> [batch, steps, features]; the batch is optional.</param>
        /// <param name="h0_c0">The initial hidden and cell states, [layers * directions, batch, hidden] each; null for zeros.</param>
        /// <returns>The output of each step, with directions * hidden features, and the last hidden and cell states.</returns>
        public override (Tensor, Tensor, Tensor) forward(Tensor input, (Tensor, Tensor)? h0_c0 = null)
        {
            if (RunsInPython) return ForwardInPython((input, h0_c0));
            if (input is PackedSequence.Entry packed) return ForwardPacked(packed.Sequence, h0_c0);
            using var scope = NewDisposeScope();
            var batched = _weights.AddBatch(this, input);
            var zero = h0_c0 is null ? _weights.Zeros(_weights.Batch(batched), input) : null;
            Tensor[] states = h0_c0 is { } given ? [RecurrentWeights.AddStateBatch(given.Item1, input),
                RecurrentWeights.AddStateBatch(given.Item2, input)] : [zero!, zero!];
            _weights.Check(batched, _weights.Batch(batched), states);
            var (output, hidden, cell) = _weights.RunChecked(batched, () =>
                Kernels.Lstm(batched, states, _weights.All, _weights.HasBias, _weights.Layers, _weights.Dropout, training,
                _weights.Bidirectional, _weights.BatchFirst));
            return (_weights.RemoveBatch(output, input).MoveToOuterDisposeScope(),
                RecurrentWeights.RemoveStateBatch(hidden, input).MoveToOuterDisposeScope(),
                RecurrentWeights.RemoveStateBatch(cell, input).MoveToOuterDisposeScope());
        }

        /// <summary>Calls the LSTM with its hooks.</summary>
        /// <param name="input">[steps, batch, features], with <c>batchFirst</c> [batch, steps, features]; the batch is optional.</param>
        /// <param name="h0_c0">The initial hidden and cell states, [layers * directions, batch, hidden] each; null for zeros.</param>
        /// <returns>The output of each step, with directions * hidden features, and the last hidden and cell states.</returns>
        public new (Tensor, Tensor, Tensor) call(Tensor input, (Tensor, Tensor)? h0_c0 = null) => base.call(input, h0_c0);

        /// <summary>
        /// Calls the LSTM with packed sequences. A typed C# hook gets only the <c>data</c>, a Python hook a <c>PackedSequence</c>.
        /// </summary>
        /// <param name="input">The sequences, with [features] at each step.</param>
        /// <param name="h0_c0">The initial hidden and cell states, [layers * directions, batch, hidden] each; null for zeros.</param>
        /// <returns>The outputs of the steps, packed in the same way, and the last hidden and cell states.</returns>
        public (PackedSequence, Tensor, Tensor) call(PackedSequence input, (Tensor, Tensor)? h0_c0 = null)
        {
            var result = base.call(input.InScope, h0_c0);
            return (PackResult(input, result), result.Item2, result.Item3);
        }

        private (Tensor, Tensor, Tensor) ForwardPacked(PackedSequence input, (Tensor, Tensor)? h0_c0)
        {
            using var scope = NewDisposeScope();
            var zero = h0_c0 is null ? _weights.Zeros(input.SequenceCount, input.data) : null;
            Tensor[] states = h0_c0 is { } given ? [RecurrentWeights.Reorder(given.Item1, input.Order),
                RecurrentWeights.Reorder(given.Item2, input.Order)] : [zero!, zero!];
            _weights.Check(input.data, input.SequenceCount, states);
            var (data, hidden, cell) = _weights.RunChecked(input.data, () =>
                Kernels.Lstm(input.data, input.batch_sizes, states, _weights.All, _weights.HasBias, _weights.Layers, _weights.Dropout,
                training, _weights.Bidirectional));
            return (input.WithData(data).MoveToOuterDisposeScope().InScope,
                RecurrentWeights.Reorder(hidden, input.Inverse).MoveToOuterDisposeScope(),
                RecurrentWeights.Reorder(cell, input.Inverse).MoveToOuterDisposeScope());
        }

        private protected override object? NestResult(object? result) =>
            base.NestResult(result) is object?[] { Length: 3 } all ? new[] { all[0], all[1..] } : result;

        private protected override object? FlattenResult(object? result) =>
            base.FlattenResult(result is object?[] { Length: 2 } pair && pair[1] is object?[] { Length: 2 } state
                ? new[] { pair[0], state[0], state[1] } : result);

        private protected override Tensor Output((Tensor, Tensor, Tensor) result) => result.Item1;

        private protected override (Tensor, Tensor, Tensor) WithOutput((Tensor, Tensor, Tensor) result, Tensor output) =>
            (output, result.Item2, result.Item3);

        /// <summary>Does nothing: the weights of an LSTM are not copied into one block.</summary>
        public void flatten_parameters() { }
    }

    /// <summary>Gated recurrent units in one or more layers. Returns the output of each step, and the last hidden state.</summary>
    /// <remarks>PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.nn.GRU.html">torch.nn.GRU</see>.</remarks>
    public sealed class GRU : RecurrentModule<Tensor?, (Tensor, Tensor)>
    {
        private readonly RecurrentWeights _weights;

        internal GRU(long inputSize, long hiddenSize, long numLayers, bool bias, bool batchFirst, double dropout, bool bidirectional,
            Device? device, ScalarType? dtype) : base(nameof(GRU)) =>
            _weights = new(this, 3, inputSize, hiddenSize, numLayers, bias, batchFirst, dropout, bidirectional, device, dtype);

        /// <summary>Computes the outputs and last states of the GRU, without its hooks.</summary>
        /// <param name="input">[steps, batch, features], with <c>batchFirst</c> [batch, steps, features]; the batch is optional.</param>
        /// <param name="h0">The initial state, [layers * directions, batch, hidden]; null for zeros.</param>
        /// <returns>The output of each step, with directions * hidden features, and the last hidden state.</returns>
        public override (Tensor, Tensor) forward(Tensor input, Tensor? h0 = null)
        {
            if (RunsInPython) return ForwardInPython((input, h0));
            if (input is PackedSequence.Entry packed) return ForwardPacked(packed.Sequence, h0);
            using var scope = NewDisposeScope();
            var batched = _weights.AddBatch(this, input);
            var state = h0 is null ? _weights.Zeros(_weights.Batch(batched), input) : RecurrentWeights.AddStateBatch(h0, input);
            _weights.Check(batched, _weights.Batch(batched), state);
            var (output, hidden) = _weights.RunChecked(batched, () =>
                Kernels.Gru(batched, state, _weights.All, _weights.HasBias, _weights.Layers, _weights.Dropout, training,
                _weights.Bidirectional, _weights.BatchFirst));
            return (_weights.RemoveBatch(output, input).MoveToOuterDisposeScope(),
                RecurrentWeights.RemoveStateBatch(hidden, input).MoveToOuterDisposeScope());
        }

        /// <summary>Calls the GRU with its hooks.</summary>
        /// <param name="input">[steps, batch, features], with <c>batchFirst</c> [batch, steps, features]; the batch is optional.</param>
        /// <param name="h0">The initial state, [layers * directions, batch, hidden]; null for zeros.</param>
        /// <returns>The output of each step, with directions * hidden features, and the last hidden state.</returns>
        public new (Tensor, Tensor) call(Tensor input, Tensor? h0 = null) => base.call(input, h0);

        /// <summary>
        /// Calls the GRU with packed sequences. A typed C# hook gets only the <c>data</c>, a Python hook a <c>PackedSequence</c>.
        /// </summary>
        /// <param name="input">The sequences, with [features] at each step.</param>
        /// <param name="h0">The initial state, [layers * directions, batch, hidden]; null for zeros.</param>
        /// <returns>The outputs of the steps, packed in the same way, and the last hidden state.</returns>
        public (PackedSequence, Tensor) call(PackedSequence input, Tensor? h0 = null)
        {
            var result = base.call(input.InScope, h0);
            return (PackResult(input, result), result.Item2);
        }

        private protected override Tensor Output((Tensor, Tensor) result) => result.Item1;

        private protected override (Tensor, Tensor) WithOutput((Tensor, Tensor) result, Tensor output) => (output, result.Item2);

        private (Tensor, Tensor) ForwardPacked(PackedSequence input, Tensor? h0)
        {
            using var scope = NewDisposeScope();
            var state = h0 is null ? _weights.Zeros(input.SequenceCount, input.data) : RecurrentWeights.Reorder(h0, input.Order);
            _weights.Check(input.data, input.SequenceCount, state);
            var (data, hidden) = _weights.RunChecked(input.data, () =>
                Kernels.Gru(input.data, input.batch_sizes, state, _weights.All, _weights.HasBias, _weights.Layers, _weights.Dropout,
                training, _weights.Bidirectional));
            return (input.WithData(data).MoveToOuterDisposeScope().InScope,
                RecurrentWeights.Reorder(hidden, input.Inverse).MoveToOuterDisposeScope());
        }

        /// <summary>Does nothing: the weights of a GRU are not copied into one block.</summary>
        public void flatten_parameters() { }
    }

    /// <summary>Elman's recurrent layers, with tanh or ReLU. Returns the output of each step, and the last hidden state.</summary>
    /// <remarks>PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.nn.RNN.html">torch.nn.RNN</see>.</remarks>
    public sealed class RNN : RecurrentModule<Tensor?, (Tensor, Tensor)>
    {
        private readonly RecurrentWeights _weights;
        private readonly bool _tanh;

        internal RNN(long inputSize, long hiddenSize, long numLayers, nn.NonLinearities nonLinearity, bool bias, bool batchFirst,
            double dropout, bool bidirectional, Device? device, ScalarType? dtype) : base(nameof(RNN))
        {
            _tanh = nonLinearity == nn.NonLinearities.Tanh;
            _weights = new(this, 1, inputSize, hiddenSize, numLayers, bias, batchFirst, dropout, bidirectional, device, dtype);
        }

        /// <summary>Computes the outputs and last states of the RNN, without its hooks.</summary>
        /// <param name="input">[steps, batch, features], with <c>batchFirst</c> [batch, steps, features]; the batch is optional.</param>
        /// <param name="h0">The initial state, [layers * directions, batch, hidden]; null for zeros.</param>
        /// <returns>The output of each step, with directions * hidden features, and the last hidden state.</returns>
        public override (Tensor, Tensor) forward(Tensor input, Tensor? h0 = null)
        {
            if (RunsInPython) return ForwardInPython((input, h0));
            if (input is PackedSequence.Entry packed) return ForwardPacked(packed.Sequence, h0);
            using var scope = NewDisposeScope();
            var batched = _weights.AddBatch(this, input);
            var state = h0 is null ? _weights.Zeros(_weights.Batch(batched), input) : RecurrentWeights.AddStateBatch(h0, input);
            _weights.Check(batched, _weights.Batch(batched), state);
            var (output, hidden) = _weights.RunChecked(batched, () => _tanh
                ? Kernels.RnnTanh(batched, state, _weights.All, _weights.HasBias, _weights.Layers, _weights.Dropout, training,
                    _weights.Bidirectional, _weights.BatchFirst)
                : Kernels.RnnRelu(batched, state, _weights.All, _weights.HasBias, _weights.Layers, _weights.Dropout, training,
                    _weights.Bidirectional, _weights.BatchFirst));
            return (_weights.RemoveBatch(output, input).MoveToOuterDisposeScope(),
                RecurrentWeights.RemoveStateBatch(hidden, input).MoveToOuterDisposeScope());
        }

        /// <summary>Calls the RNN with its hooks.</summary>
        /// <param name="input">[steps, batch, features], with <c>batchFirst</c> [batch, steps, features]; the batch is optional.</param>
        /// <param name="h0">The initial state, [layers * directions, batch, hidden]; null for zeros.</param>
        /// <returns>The output of each step, with directions * hidden features, and the last hidden state.</returns>
        public new (Tensor, Tensor) call(Tensor input, Tensor? h0 = null) => base.call(input, h0);

        /// <summary>
        /// Calls the RNN with packed sequences. A typed C# hook gets only the <c>data</c>, a Python hook a <c>PackedSequence</c>.
        /// </summary>
        /// <param name="input">The sequences, with [features] at each step.</param>
        /// <param name="h0">The initial state, [layers * directions, batch, hidden]; null for zeros.</param>
        /// <returns>The outputs of the steps, packed in the same way, and the last hidden state.</returns>
        public (PackedSequence, Tensor) call(PackedSequence input, Tensor? h0 = null)
        {
            var result = base.call(input.InScope, h0);
            return (PackResult(input, result), result.Item2);
        }

        private protected override Tensor Output((Tensor, Tensor) result) => result.Item1;

        private protected override (Tensor, Tensor) WithOutput((Tensor, Tensor) result, Tensor output) => (output, result.Item2);

        private (Tensor, Tensor) ForwardPacked(PackedSequence input, Tensor? h0)
        {
            using var scope = NewDisposeScope();
            var state = h0 is null ? _weights.Zeros(input.SequenceCount, input.data) : RecurrentWeights.Reorder(h0, input.Order);
            _weights.Check(input.data, input.SequenceCount, state);
            var (data, hidden) = _weights.RunChecked(input.data, () => _tanh
                ? Kernels.RnnTanh(input.data, input.batch_sizes, state, _weights.All, _weights.HasBias, _weights.Layers, _weights.Dropout,
                    training, _weights.Bidirectional)
                : Kernels.RnnRelu(input.data, input.batch_sizes, state, _weights.All, _weights.HasBias, _weights.Layers, _weights.Dropout,
                    training, _weights.Bidirectional));
            return (input.WithData(data).MoveToOuterDisposeScope().InScope,
                RecurrentWeights.Reorder(hidden, input.Inverse).MoveToOuterDisposeScope());
        }

        /// <summary>Does nothing: the weights of an RNN are not copied into one block.</summary>
        public void flatten_parameters() { }

        /// <summary>Returns the weights of the input of a layer, [hidden, features]; null if Python has set them to None.</summary>
        /// <param name="idx">
        /// The index of the layer, from 0 on; in a bidirectional RNN, 2 * layer, and 2 * layer + 1 for the reverse direction.
        /// </param>
        public Parameter? get_weight_ih(long idx) => _weights.WeightOf(idx, 0);

        /// <summary>Returns the weights of the hidden state of a layer, [hidden, hidden]; null if Python has set them to None.</summary>
        /// <param name="idx">
        /// The index of the layer, from 0 on; in a bidirectional RNN, 2 * layer, and 2 * layer + 1 for the reverse direction.
        /// </param>
        public Parameter? get_weight_hh(long idx) => _weights.WeightOf(idx, 1);

        /// <summary>Returns the biases that go with the weights of the input of a layer, [hidden]; null if there are none.</summary>
        /// <param name="idx">
        /// The index of the layer, from 0 on; in a bidirectional RNN, 2 * layer, and 2 * layer + 1 for the reverse direction.
        /// </param>
        public Parameter? get_bias_ih(long idx) => _weights.WeightOf(idx, 2);

        /// <summary>Returns the biases that go with the weights of the hidden state of a layer, [hidden]; null if there are none.</summary>
        /// <param name="idx">
        /// The index of the layer, from 0 on; in a bidirectional RNN, 2 * layer, and 2 * layer + 1 for the reverse direction.
        /// </param>
        public Parameter? get_bias_hh(long idx) => _weights.WeightOf(idx, 3);
    }
}

namespace TorchSharp
{
    public static partial class torch
    {
        public static partial class nn
        {
            /// <summary>Creates a long short-term memory of one or more layers.</summary>
            /// <remarks>
            /// PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.nn.LSTM.html">torch.nn.LSTM</see>.
            /// </remarks>
            /// <param name="inputSize">The number of features of the input.</param>
            /// <param name="hiddenSize">The number of features of a state.</param>
            /// <param name="numLayers">The number of layers.</param>
            /// <param name="bias">Whether the layers have biases.</param>
            /// <param name="batchFirst">Whether the batch is the first dimension of input and output; the states are not affected.</param>
            /// <param name="dropout">The probability, from 0 to 1, of a dropped element between two layers in training.</param>
            /// <param name="bidirectional">Whether each layer also runs from the last step to the first.</param>
            /// <param name="device">The device of the weights; null for the default device.</param>
            /// <param name="dtype">The element type of the weights; null for the default type.</param>
            /// <exception cref="ArgumentException">
            /// The dropout is not from 0 to 1, or the hidden size or the number of layers is not positive.
            /// </exception>
            public static LSTM LSTM(long inputSize, long hiddenSize, long numLayers = 1, bool bias = true, bool batchFirst = false,
                double dropout = 0.0, bool bidirectional = false, Device? device = null, ScalarType? dtype = null) =>
                new(inputSize, hiddenSize, numLayers, bias, batchFirst, dropout, bidirectional, device, dtype);

            /// <summary>Creates gated recurrent units in one or more layers.</summary>
            /// <remarks>PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.nn.GRU.html">torch.nn.GRU</see>.</remarks>
            /// <param name="inputSize">The number of features of the input.</param>
            /// <param name="hiddenSize">The number of features of a state.</param>
            /// <param name="numLayers">The number of layers.</param>
            /// <param name="bias">Whether the layers have biases.</param>
            /// <param name="batchFirst">Whether the batch is the first dimension of input and output; the states are not affected.</param>
            /// <param name="dropout">The probability, from 0 to 1, of a dropped element between two layers in training.</param>
            /// <param name="bidirectional">Whether each layer also runs from the last step to the first.</param>
            /// <param name="device">The device of the weights; null for the default device.</param>
            /// <param name="dtype">The element type of the weights; null for the default type.</param>
            /// <exception cref="ArgumentException">
            /// The dropout is not from 0 to 1, or the hidden size or the number of layers is not positive.
            /// </exception>
            public static GRU GRU(long inputSize, long hiddenSize, long numLayers = 1, bool bias = true, bool batchFirst = false,
                double dropout = 0.0, bool bidirectional = false, Device? device = null, ScalarType? dtype = null) =>
                new(inputSize, hiddenSize, numLayers, bias, batchFirst, dropout, bidirectional, device, dtype);

            /// <summary>Creates Elman's recurrent layers.</summary>
            /// <remarks>PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.nn.RNN.html">torch.nn.RNN</see>.</remarks>
            /// <param name="inputSize">The number of features of the input.</param>
            /// <param name="hiddenSize">The number of features of a state.</param>
            /// <param name="numLayers">The number of layers.</param>
            /// <param name="nonLinearity">The activation of the states.</param>
            /// <param name="bias">Whether the layers have biases.</param>
            /// <param name="batchFirst">Whether the batch is the first dimension of input and output; the states are not affected.</param>
            /// <param name="dropout">The probability, from 0 to 1, of a dropped element between two layers in training.</param>
            /// <param name="bidirectional">Whether each layer also runs from the last step to the first.</param>
            /// <param name="device">The device of the weights; null for the default device.</param>
            /// <param name="dtype">The element type of the weights; null for the default type.</param>
            /// <exception cref="ArgumentException">
            /// The dropout is not from 0 to 1, or the hidden size or the number of layers is not positive.
            /// </exception>
            public static RNN RNN(long inputSize, long hiddenSize, long numLayers = 1, NonLinearities nonLinearity = NonLinearities.Tanh,
                bool bias = true, bool batchFirst = false, double dropout = 0.0, bool bidirectional = false, Device? device = null,
                ScalarType? dtype = null) =>
                new(inputSize, hiddenSize, numLayers, nonLinearity, bias, batchFirst, dropout, bidirectional, device, dtype);
        }
    }
}
