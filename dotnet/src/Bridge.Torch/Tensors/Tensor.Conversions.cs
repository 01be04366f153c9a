namespace TorchSharp;

public static partial class torch
{
    public partial class Tensor
    {
        /// <summary>Gets or sets the accumulated gradient; null if there is none.</summary>
        /// <exception cref="NotSupportedException">
        /// There is no Python in the process: libtorch's stable ABI cannot access a gradient.
        /// </exception>
        public new Tensor? grad
        {
            get => Grad() is [var gradient] ? gradient : null;
            set => SetGrad(value is null ? [] : [value]);
        }

        /// <summary>Runs backward from this tensor, which must have one element.</summary>
        public void backward() => Backward([], null, null, false);

        /// <summary>
        /// Runs backward from this tensor. <c>grad_tensors</c> holds the gradient of this tensor; if it is null or empty, this tensor must
        /// have one element. <c>inputs</c> are the tensors that accumulate gradients; null for all leaves.
        /// </summary>
        /// <exception cref="ArgumentException"><c>grad_tensors</c> has more than one tensor.</exception>
        public void backward(IList<Tensor>? grad_tensors = null, bool retain_graph = false, bool create_graph = false,
            IList<Tensor>? inputs = null)
        {
            if (grad_tensors is { Count: > 1 })
                throw new ArgumentException($"got 1 tensor and {grad_tensors.Count} gradients", nameof(grad_tensors));
            Backward(inputs is null ? [] : [.. inputs], grad_tensors is [var gradient]
                ? gradient : null, retain_graph || create_graph, create_graph);
        }

        public Tensor requires_grad_(bool requires_grad = true)
        {
            this.requires_grad = requires_grad;
            return this;
        }

        public Tensor with_requires_grad(bool requires_grad = true) => requires_grad_(requires_grad);

        /// <summary>Returns this tensor, which requires grad from now on if <paramref name="requires"/> is true.</summary>
        internal Tensor Marked(bool requires)
        {
            if (requires) requires_grad = true;
            return this;
        }

        public Tensor to(ScalarType type, bool copy = false, bool disposeAfter = false, bool non_blocking = false) =>
            DisposeIf(disposeAfter, To(type, null, copy, non_blocking));

        public Tensor to(Device device, bool copy = false, bool disposeAfter = false, bool non_blocking = false) =>
            DisposeIf(disposeAfter, To(null, device, copy, non_blocking));

        public Tensor to(ScalarType type, Device device, bool copy = false, bool disposeAfter = false, bool non_blocking = false) =>
            DisposeIf(disposeAfter, To(type, device, copy, non_blocking));

        public Tensor to(DeviceType deviceType, int deviceIndex = -1, bool copy = false, bool disposeAfter = false,
            bool non_blocking = false) =>
            to(new Device(deviceType, deviceIndex), copy, disposeAfter, non_blocking);

        public Tensor to(string device, bool copy = false, bool disposeAfter = false, bool non_blocking = false) =>
            to(new Device(device), copy, disposeAfter, non_blocking);

        public Tensor to(Tensor other, bool non_blocking = false) => To(other.dtype, other.device, false, non_blocking);

        public Tensor to_type(ScalarType type, bool copy = false, bool disposeAfter = false, bool non_blocking = false) =>
            DisposeIf(disposeAfter, Typed(type, copy, non_blocking));

        public Tensor type_as(Tensor tensor) => to_type(tensor.dtype);

        public Tensor type(ScalarType dtype) => to_type(dtype);

        public Tensor cpu() => to(CPU);

        public Tensor cuda(Device? device = null, bool non_blocking = false) => to(device ?? CUDA, non_blocking: non_blocking);

        public Tensor @byte() => to_type(ScalarType.Byte);

        public Tensor @bool() => to_type(ScalarType.Bool);

        public Tensor @int() => to_type(ScalarType.Int32);

        public Tensor @long() => to_type(ScalarType.Int64);

        public Tensor @float() => to_type(ScalarType.Float32);

        public Tensor @double() => to_type(ScalarType.Float64);

        public Tensor half() => to_type(ScalarType.Float16);

        public Tensor bfloat16() => to_type(ScalarType.BFloat16);

        private Tensor DisposeIf(bool disposeAfter, Tensor result)
        {
            if (disposeAfter) Dispose();
            return result;
        }

        public static explicit operator float(Tensor value) => value.ToSingle();

        public static explicit operator double(Tensor value) => value.ToDouble();

        public static explicit operator byte(Tensor value) => value.ToByte();

        public static explicit operator sbyte(Tensor value) => value.ToSByte();

        public static explicit operator short(Tensor value) => value.ToInt16();

        public static explicit operator int(Tensor value) => value.ToInt32();

        public static explicit operator long(Tensor value) => value.ToInt64();

        public static explicit operator bool(Tensor value) => value.ToBoolean();

        public static implicit operator Tensor(byte value) => tensor(value);

        public static implicit operator Tensor(sbyte value) => tensor(value);

        public static implicit operator Tensor(short value) => tensor(value);

        public static implicit operator Tensor(int value) => tensor(value);

        public static implicit operator Tensor(long value) => tensor(value);

        public static implicit operator Tensor(float value) => tensor(value);

        public static implicit operator Tensor(double value) => tensor(value);

        public static implicit operator Tensor(bool value) => tensor(value);

        public static implicit operator Tensor((float, float) value) => tensor(value);

        public static implicit operator Tensor(System.Numerics.Complex value) => tensor(value);

        public static implicit operator Tensor(byte[] value) => tensor(value);

        public static implicit operator Tensor(sbyte[] value) => tensor(value);

        public static implicit operator Tensor(short[] value) => tensor(value);

        public static implicit operator Tensor(int[] value) => tensor(value);

        public static implicit operator Tensor(long[] value) => tensor(value);

        public static implicit operator Tensor(float[] value) => tensor(value);

        public static implicit operator Tensor(double[] value) => tensor(value);

        public static implicit operator Tensor(bool[] value) => tensor(value);

        public static implicit operator Tensor((float, float)[] value) => tensor(value);

        public static implicit operator Tensor(System.Numerics.Complex[] value) => tensor(value);

        /// <summary>Returns a 0-dim tensor of a number, with the element type <see cref="Scalar.Type"/>.</summary>
        internal static Tensor Of(Scalar scalar) =>
            scalar.IsBool ? tensor(scalar.Integer != 0) : scalar.IsComplex ? tensor(scalar.Complex) : scalar.IsReal ? tensor(scalar.Real)
                : tensor(scalar.Integer);

        /// <summary>Throws: as in TorchSharp, the conversion only helps the compiler to choose an overload.</summary>
        /// <exception cref="InvalidOperationException">Always.</exception>
        public static implicit operator Tensor(Scalar scalar) =>
            throw new InvalidOperationException(
                "This conversion only selects an overload; create a tensor of a number by torch.tensor(number).");

        public Tensor mps(bool non_blocking = false) => to(MPS, non_blocking: non_blocking);

        public Tensor type(Func<Tensor, Tensor> typeFunc) => typeFunc(this);

        public Tensor expand(Size sizes, bool isImplicit = false) => expand(sizes.Shape);

        public Tensor unflatten(long dim, Size sizes) => unflatten(dim, sizes.Shape);

        public static Tensor op_MinusMinusGreater(Tensor t, nn.Module<Tensor, Tensor> m) => m.call(t);

        public Tensor stft(long n_fft, long hop_length = -1, long win_length = -1, Tensor? window = null, bool center = true,
            PaddingModes pad_mode = PaddingModes.Reflect, bool normalized = false, bool? onesided = null, bool? return_complex = null) =>
            torch.stft(this, n_fft, hop_length, win_length, window, center, pad_mode, normalized, onesided, return_complex);

        public Tensor istft(long n_fft, long hop_length = -1, long win_length = -1, Tensor? window = null, bool center = true,
            bool normalized = false, bool? onesided = null, long length = -1, bool return_complex = false) =>
            torch.istft(this, n_fft, hop_length, win_length, window, center, normalized, onesided, length, return_complex);
    }
}
