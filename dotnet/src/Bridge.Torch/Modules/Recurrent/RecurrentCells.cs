using System.Diagnostics.CodeAnalysis;
using Bridge.Torch;
using TorchSharp.Modules;
using static TorchSharp.torch;

namespace TorchSharp.Modules
{
    /// <summary>The base class of recurrent cells. The batch dimension of inputs and states is optional.</summary>
    public abstract class RecurrentCell<TState, TResult> : nn.Module<Tensor, TState, TResult>
    {
        private readonly long _input;
        private readonly long _hidden;

        private protected RecurrentCell(string name, long gates, long inputSize, long hiddenSize, bool bias, Device? device,
            ScalarType? dtype) : base(name)
        {
            (_input, _hidden) = (inputSize, hiddenSize);
            var bound = hiddenSize > 0 ? 1.0 / Math.Sqrt(hiddenSize) : 0;
            weight_ih = ParameterInitializers.Uniform([gates * hiddenSize, inputSize], bound, device, dtype);
            weight_hh = ParameterInitializers.Uniform([gates * hiddenSize, hiddenSize], bound, device, dtype);
            if (!bias) return;
            bias_ih = ParameterInitializers.Uniform([gates * hiddenSize], bound, device, dtype);
            bias_hh = ParameterInitializers.Uniform([gates * hiddenSize], bound, device, dtype);
        }

        /// <summary>Gets or sets the weights of the input in this cell, [gates * hidden, features].</summary>
        [DisallowNull]
        public Parameter? weight_ih { get => ParameterInitializers.ValueOrNull(field); set => field = Put(value); }

        /// <summary>Gets or sets the weights of the hidden state in this cell, [gates * hidden, hidden].</summary>
        [DisallowNull]
        public Parameter? weight_hh { get => ParameterInitializers.ValueOrNull(field); set => field = Put(value); }

        /// <summary>Gets or sets the biases that go with <see cref="weight_ih"/>, [gates * hidden]; null if the cell has none.</summary>
        [DisallowNull]
        public Parameter? bias_ih { get => ParameterInitializers.ValueOrNull(field); set => field = Put(value); }

        /// <summary>Gets or sets the biases that go with <see cref="weight_hh"/>, [gates * hidden]; null if the cell has none.</summary>
        [DisallowNull]
        public Parameter? bias_hh { get => ParameterInitializers.ValueOrNull(field); set => field = Put(value); }

        /// <summary>Returns an input or state with a batch dimension.</summary>
        private protected Tensor AddBatch(Tensor tensor) => tensor.dim() switch
        {
            2 => tensor,
            1 => tensor.unsqueeze(0),
            _ => throw new ArgumentException($"{GetName()} takes 1 or 2 dimensions, not the shape [{string.Join(", ", tensor.Sizes)}]."),
        };

        private protected Tensor Zeros(Tensor batched) => zeros([batched.size(0), _hidden], batched.dtype, batched.device);

        /// <summary>Moves a result to the outer dispose scope, without a batch dimension if the input has none.</summary>
        private protected static Tensor MoveResult(Tensor input, Tensor result) =>
            (input.dim() == 2 ? result : result.squeeze(0)).MoveToOuterDisposeScope();
    }

    /// <summary>One step of a long short-term memory; returns hidden and cell state. Takes [batch, features] or [features].</summary>
    /// <remarks>
    /// PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.nn.LSTMCell.html">torch.nn.LSTMCell</see>.
    /// </remarks>
    public sealed class LSTMCell : RecurrentCell<(Tensor, Tensor)?, (Tensor, Tensor)>
    {
        internal LSTMCell(long inputSize, long hiddenSize, bool bias, Device? device, ScalarType? dtype)
            : base(nameof(LSTMCell), 4, inputSize, hiddenSize, bias, device, dtype) { }

        /// <summary>Computes the next hidden and cell state of the LSTM cell, without hooks.</summary>
        /// <param name="input">The step's input, [batch, features] or [features].</param>
        /// <param name="h0_c0">The hidden and cell state, [batch, hidden] or [hidden] each; null for zeros.</param>
        /// <returns>The next hidden and cell state, of the same shape.</returns>
        public override (Tensor, Tensor) forward(Tensor input, (Tensor, Tensor)? h0_c0 = null)
        {
            if (RunsInPython) return ForwardInPython((input, h0_c0));
            using var scope = NewDisposeScope();
            var batched = AddBatch(input);
            var zero = h0_c0 is null ? Zeros(batched) : null;
            Tensor[] states = h0_c0 is { } given ? [AddBatch(given.Item1), AddBatch(given.Item2)] : [zero!, zero!];
            var (hidden, cell) = Kernels.LstmCell(batched, states, weight_ih!, weight_hh!, bias_ih, bias_hh);
            return (MoveResult(input, hidden), MoveResult(input, cell));
        }

        /// <summary>Calls the LSTM cell with its hooks.</summary>
        /// <param name="input">The step's input, [batch, features] or [features].</param>
        /// <param name="h0_c0">The hidden and cell state, [batch, hidden] or [hidden] each; null for zeros.</param>
        /// <returns>The next hidden and cell state, of the same shape.</returns>
        public new (Tensor, Tensor) call(Tensor input, (Tensor, Tensor)? h0_c0 = null) => base.call(input, h0_c0);
    }

    /// <summary>One step of a gated recurrent unit. Takes [batch, features] or [features].</summary>
    /// <remarks>PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.nn.GRUCell.html">torch.nn.GRUCell</see>.</remarks>
    public sealed class GRUCell : RecurrentCell<Tensor?, Tensor>
    {
        internal GRUCell(long inputSize, long hiddenSize, bool bias, Device? device, ScalarType? dtype)
            : base(nameof(GRUCell), 3, inputSize, hiddenSize, bias, device, dtype) { }

        /// <summary>Computes the next hidden state of the GRU cell, without hooks.</summary>
        /// <param name="input">The step's input, [batch, features] or [features].</param>
        /// <param name="h0">The hidden state, [batch, hidden] or [hidden]; null for zeros.</param>
        /// <returns>The next hidden state, of the same shape.</returns>
        public override Tensor forward(Tensor input, Tensor? h0 = null)
        {
            if (RunsInPython) return ForwardInPython((input, h0));
            using var scope = NewDisposeScope();
            var batched = AddBatch(input);
            var state = h0 is null ? Zeros(batched) : AddBatch(h0);
            return MoveResult(input, Kernels.GruCell(batched, state, weight_ih!, weight_hh!, bias_ih, bias_hh));
        }
    }

    /// <summary>One step of Elman's recurrent layer. Takes [batch, features] or [features].</summary>
    /// <remarks>PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.nn.RNNCell.html">torch.nn.RNNCell</see>.</remarks>
    public sealed class RNNCell : RecurrentCell<Tensor?, Tensor>
    {
        private readonly bool _tanh;

        internal RNNCell(long inputSize, long hiddenSize, nn.NonLinearities nonLinearity, bool bias, Device? device, ScalarType? dtype)
            : base(nameof(RNNCell), 1, inputSize, hiddenSize, bias, device, dtype) => _tanh = nonLinearity == nn.NonLinearities.Tanh;

        /// <summary>Computes the next hidden state of the RNN cell, without hooks.</summary>
        /// <param name="input">The step's input, [batch, features] or [features].</param>
        /// <param name="h0">The hidden state, [batch, hidden] or [hidden]; null for zeros.</param>
        /// <returns>The next hidden state, of the same shape.</returns>
        public override Tensor forward(Tensor input, Tensor? h0 = null)
        {
            if (RunsInPython) return ForwardInPython((input, h0));
            using var scope = NewDisposeScope();
            var batched = AddBatch(input);
            var state = h0 is null ? Zeros(batched) : AddBatch(h0);
            return MoveResult(input, _tanh
                ? Kernels.TanhCell(batched, state, weight_ih!, weight_hh!, bias_ih, bias_hh)
                : Kernels.ReluCell(batched, state, weight_ih!, weight_hh!, bias_ih, bias_hh));
        }
    }
}

namespace TorchSharp
{
    public static partial class torch
    {
        public static partial class nn
        {
            /// <summary>Creates one step of a long short-term memory.</summary>
            /// <remarks>
            /// PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.nn.LSTMCell.html">torch.nn.LSTMCell</see>.
            /// </remarks>
            /// <param name="inputSize">The number of features of the input.</param>
            /// <param name="hiddenSize">The number of features of the hidden and of the cell state.</param>
            /// <param name="bias">Whether the cell has biases.</param>
            /// <param name="device">The device of the weights; null for the default device.</param>
            /// <param name="dtype">The element type of the weights; null for the default type.</param>
            public static LSTMCell LSTMCell(long inputSize, long hiddenSize, bool bias = true, Device? device = null,
                ScalarType? dtype = null) =>
                new(inputSize, hiddenSize, bias, device, dtype);

            /// <summary>Creates one step of a gated recurrent unit.</summary>
            /// <remarks>
            /// PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.nn.GRUCell.html">torch.nn.GRUCell</see>.
            /// </remarks>
            /// <param name="inputSize">The number of features of the input.</param>
            /// <param name="hiddenSize">The number of features of the hidden state.</param>
            /// <param name="bias">Whether the cell has biases.</param>
            /// <param name="device">The device of the weights; null for the default device.</param>
            /// <param name="dtype">The element type of the weights; null for the default type.</param>
            public static GRUCell GRUCell(long inputSize, long hiddenSize, bool bias = true, Device? device = null,
                ScalarType? dtype = null) =>
                new(inputSize, hiddenSize, bias, device, dtype);

            /// <summary>Creates one step of Elman's recurrent layer.</summary>
            /// <remarks>
            /// PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.nn.RNNCell.html">torch.nn.RNNCell</see>.
            /// </remarks>
            /// <param name="inputSize">The number of features of the input.</param>
            /// <param name="hiddenSize">The number of features of the hidden state.</param>
            /// <param name="nonLinearity">The activation of the next hidden state.</param>
            /// <param name="bias">Whether the cell has biases.</param>
            /// <param name="device">The device of the weights; null for the default device.</param>
            /// <param name="dtype">The element type of the weights; null for the default type.</param>
            public static RNNCell RNNCell(long inputSize, long hiddenSize, NonLinearities nonLinearity = NonLinearities.Tanh,
                bool bias = true, Device? device = null, ScalarType? dtype = null) =>
                new(inputSize, hiddenSize, nonLinearity, bias, device, dtype);
        }
    }
}
