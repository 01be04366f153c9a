using Bridge.Torch;
using TorchSharp.Modules;
using static TorchSharp.torch;

namespace TorchSharp.Modules
{
    /// <summary>One step of a long short-term memory; gives hidden and cell state. Input [batch, features] or [features].</summary>
    public sealed class LSTMCell : nn.Module<Tensor, (Tensor, Tensor)?, (Tensor, Tensor)>
    {
        private readonly long _hidden;
        private Parameter? _weightIh;
        private Parameter? _weightHh;
        private Parameter? _biasIh;
        private Parameter? _biasHh;

        internal LSTMCell(long inputSize, long hiddenSize, bool bias, Device? device, ScalarType? dtype) : base(nameof(LSTMCell))
        {
            _hidden = hiddenSize;
            var bound = hiddenSize > 0 ? 1.0 / Math.Sqrt(hiddenSize) : 0;
            weight_ih = Initial.Uniform([4 * hiddenSize, inputSize], bound, device, dtype);
            weight_hh = Initial.Uniform([4 * hiddenSize, hiddenSize], bound, device, dtype);
            if (!bias) return;
            bias_ih = Initial.Uniform([4 * hiddenSize], bound, device, dtype);
            bias_hh = Initial.Uniform([4 * hiddenSize], bound, device, dtype);
        }

        public Parameter? weight_ih
        {
            get => Initial.Present(_weightIh);
            set
            {
                Put(nameof(weight_ih), value);
                _weightIh = value;
            }
        }

        public Parameter? weight_hh
        {
            get => Initial.Present(_weightHh);
            set
            {
                Put(nameof(weight_hh), value);
                _weightHh = value;
            }
        }

        public Parameter? bias_ih
        {
            get => Initial.Present(_biasIh);
            set
            {
                Put(nameof(bias_ih), value);
                _biasIh = value;
            }
        }

        public Parameter? bias_hh
        {
            get => Initial.Present(_biasHh);
            set
            {
                Put(nameof(bias_hh), value);
                _biasHh = value;
            }
        }

        public override (Tensor, Tensor) forward(Tensor input, (Tensor, Tensor)? h0_c0 = null)
        {
            using var scope = NewDisposeScope();
            var batched = Cells.Batched(this, input);
            var zero = h0_c0 is null ? zeros([batched.size(0), _hidden], input.dtype, input.device) : null;
            Tensor[] states = h0_c0 is { } given ? [Cells.Batched(this, given.Item1), Cells.Batched(this, given.Item2)] : [zero!, zero!];
            var (hidden, cell) = Kernels.LstmCell(batched, states, weight_ih!, weight_hh!, bias_ih, bias_hh);
            return input.dim() == 2 ? (hidden.MoveToOuterDisposeScope(), cell.MoveToOuterDisposeScope())
                : (hidden.squeeze(0).MoveToOuterDisposeScope(), cell.squeeze(0).MoveToOuterDisposeScope());
        }

        public new (Tensor, Tensor) call(Tensor input, (Tensor, Tensor)? h0_c0 = null) => base.call(input, h0_c0);
    }

    /// <summary>One step of a gated recurrent unit. Input [batch, features] or [features].</summary>
    public sealed class GRUCell : nn.Module<Tensor, Tensor?, Tensor>
    {
        private readonly long _hidden;
        private Parameter? _weightIh;
        private Parameter? _weightHh;
        private Parameter? _biasIh;
        private Parameter? _biasHh;

        internal GRUCell(long inputSize, long hiddenSize, bool bias, Device? device, ScalarType? dtype) : base(nameof(GRUCell))
        {
            _hidden = hiddenSize;
            var bound = hiddenSize > 0 ? 1.0 / Math.Sqrt(hiddenSize) : 0;
            weight_ih = Initial.Uniform([3 * hiddenSize, inputSize], bound, device, dtype);
            weight_hh = Initial.Uniform([3 * hiddenSize, hiddenSize], bound, device, dtype);
            if (!bias) return;
            bias_ih = Initial.Uniform([3 * hiddenSize], bound, device, dtype);
            bias_hh = Initial.Uniform([3 * hiddenSize], bound, device, dtype);
        }

        public Parameter? weight_ih
        {
            get => Initial.Present(_weightIh);
            set
            {
                Put(nameof(weight_ih), value);
                _weightIh = value;
            }
        }

        public Parameter? weight_hh
        {
            get => Initial.Present(_weightHh);
            set
            {
                Put(nameof(weight_hh), value);
                _weightHh = value;
            }
        }

        public Parameter? bias_ih
        {
            get => Initial.Present(_biasIh);
            set
            {
                Put(nameof(bias_ih), value);
                _biasIh = value;
            }
        }

        public Parameter? bias_hh
        {
            get => Initial.Present(_biasHh);
            set
            {
                Put(nameof(bias_hh), value);
                _biasHh = value;
            }
        }

        public override Tensor forward(Tensor input, Tensor? h0 = null)
        {
            using var scope = NewDisposeScope();
            var batched = Cells.Batched(this, input);
            var state = h0 is null ? zeros([batched.size(0), _hidden], input.dtype, input.device) : Cells.Batched(this, h0);
            var result = Kernels.GruCell(batched, state, weight_ih!, weight_hh!, bias_ih, bias_hh);
            return (input.dim() == 2 ? result : result.squeeze(0)).MoveToOuterDisposeScope();
        }
    }

    /// <summary>One step of Elman's recurrent layer. Input [batch, features] or [features].</summary>
    public sealed class RNNCell : nn.Module<Tensor, Tensor?, Tensor>
    {
        private readonly long _hidden;
        private readonly bool _tanh;
        private Parameter? _weightIh;
        private Parameter? _weightHh;
        private Parameter? _biasIh;
        private Parameter? _biasHh;

        internal RNNCell(long inputSize, long hiddenSize, nn.NonLinearities nonLinearity, bool bias, Device? device, ScalarType? dtype) : base(nameof(RNNCell))
        {
            _hidden = hiddenSize;
            _tanh = nonLinearity == nn.NonLinearities.Tanh;
            var bound = hiddenSize > 0 ? 1.0 / Math.Sqrt(hiddenSize) : 0;
            weight_ih = Initial.Uniform([hiddenSize, inputSize], bound, device, dtype);
            weight_hh = Initial.Uniform([hiddenSize, hiddenSize], bound, device, dtype);
            if (!bias) return;
            bias_ih = Initial.Uniform([hiddenSize], bound, device, dtype);
            bias_hh = Initial.Uniform([hiddenSize], bound, device, dtype);
        }

        public Parameter? weight_ih
        {
            get => Initial.Present(_weightIh);
            set
            {
                Put(nameof(weight_ih), value);
                _weightIh = value;
            }
        }

        public Parameter? weight_hh
        {
            get => Initial.Present(_weightHh);
            set
            {
                Put(nameof(weight_hh), value);
                _weightHh = value;
            }
        }

        public Parameter? bias_ih
        {
            get => Initial.Present(_biasIh);
            set
            {
                Put(nameof(bias_ih), value);
                _biasIh = value;
            }
        }

        public Parameter? bias_hh
        {
            get => Initial.Present(_biasHh);
            set
            {
                Put(nameof(bias_hh), value);
                _biasHh = value;
            }
        }

        public override Tensor forward(Tensor input, Tensor? h0 = null)
        {
            using var scope = NewDisposeScope();
            var batched = Cells.Batched(this, input);
            var state = h0 is null ? zeros([batched.size(0), _hidden], input.dtype, input.device) : Cells.Batched(this, h0);
            var result = _tanh
                ? Kernels.TanhCell(batched, state, weight_ih!, weight_hh!, bias_ih, bias_hh)
                : Kernels.ReluCell(batched, state, weight_ih!, weight_hh!, bias_ih, bias_hh);
            return (input.dim() == 2 ? result : result.squeeze(0)).MoveToOuterDisposeScope();
        }
    }

    internal static class Cells
    {
        internal static Tensor Batched(nn.Module owner, Tensor tensor) => tensor.dim() switch
        {
            2 => tensor,
            1 => tensor.unsqueeze(0),
            _ => throw new ArgumentException($"{owner.GetName()} takes 1 or 2 dimensions, not the shape [{string.Join(", ", tensor.shape)}]."),
        };
    }
}

namespace TorchSharp
{
    public static partial class torch
    {
        public static partial class nn
        {
            public static LSTMCell LSTMCell(long inputSize, long hiddenSize, bool bias = true, Device? device = null, ScalarType? dtype = null) => new(inputSize, hiddenSize, bias, device, dtype);

            public static GRUCell GRUCell(long inputSize, long hiddenSize, bool bias = true, Device? device = null, ScalarType? dtype = null) => new(inputSize, hiddenSize, bias, device, dtype);

            public static RNNCell RNNCell(long inputSize, long hiddenSize, NonLinearities nonLinearity = NonLinearities.Tanh, bool bias = true, Device? device = null, ScalarType? dtype = null) =>
                new(inputSize, hiddenSize, nonLinearity, bias, device, dtype);
        }
    }
}
