namespace TorchSharp;

public static partial class torch
{
    public partial class Tensor
    {
        /// <summary>Gets or sets the accumulated gradient; null if there is none.</summary>
        /// <remarks>
        /// PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.Tensor.grad.html">torch.Tensor.grad</see>.
        /// </remarks>
        /// <exception cref="NotSupportedException">
        /// There is no Python in the process: libtorch's stable ABI cannot access a gradient.
        /// </exception>
        public new Tensor? grad
        {
            get => Grad() is [var gradient] ? gradient : null;
            set => SetGrad(value is null ? [] : [value]);
        }

        /// <summary>Runs backward from this tensor, which must have one element.</summary>
        /// <remarks>
        /// PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.Tensor.backward.html">torch.Tensor.backward</see>.
        /// </remarks>
        public void backward() => Backward([], null, null, false);

        /// <summary>Runs backward from this tensor.</summary>
        /// <remarks>
        /// PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.Tensor.backward.html">torch.Tensor.backward</see>.
        /// </remarks>
        /// <param name="grad_tensors">The gradient of this tensor; if null or empty, this tensor must have one element.</param>
        /// <param name="retain_graph">Whether to keep the graph for another backward pass.</param>
        /// <param name="create_graph">
        /// Whether to record the computation of the gradients, for their own gradients; keeps the graph, too.
        /// </param>
        /// <param name="inputs">The tensors that accumulate gradients; null for all leaves.</param>
        /// <exception cref="ArgumentException"><paramref name="grad_tensors"/> has more than one tensor.</exception>
        public void backward(IList<Tensor>? grad_tensors = null, bool retain_graph = false, bool create_graph = false,
            IList<Tensor>? inputs = null)
        {
            if (grad_tensors is { Count: > 1 })
                throw new ArgumentException($"got 1 tensor and {grad_tensors.Count} gradients", nameof(grad_tensors));
            Backward(inputs is null ? [] : [.. inputs], grad_tensors is [var gradient]
                ? gradient : null, retain_graph || create_graph, create_graph);
        }

        /// <summary>Sets whether autograd records operations on this tensor.</summary>
        /// <remarks>
        /// PyTorch:
        /// <see href="https://docs.pytorch.org/docs/stable/generated/torch.Tensor.requires_grad_.html">torch.Tensor.requires_grad_</see>.
        /// </remarks>
        /// <param name="requires_grad">Whether it does.</param>
        /// <returns>This tensor.</returns>
        public Tensor requires_grad_(bool requires_grad = true)
        {
            this.requires_grad = requires_grad;
            return this;
        }

        /// <summary>Sets whether autograd records operations on this tensor, as <see cref="requires_grad_"/> does.</summary>
        /// <param name="requires_grad">Whether it does.</param>
        /// <returns>This tensor.</returns>
        public Tensor with_requires_grad(bool requires_grad = true) => requires_grad_(requires_grad);

        /// <summary>Returns this tensor, which requires grad from now on if <paramref name="requires"/> is true.</summary>
        internal Tensor Marked(bool requires)
        {
            if (requires) requires_grad = true;
            return this;
        }

        /// <summary>Converts this tensor to an element type.</summary>
        /// <remarks>
        /// PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.Tensor.to.html">torch.Tensor.to</see>.
        /// </remarks>
        /// <param name="type">The element type.</param>
        /// <param name="copy">Whether to copy even a tensor that needs no conversion.</param>
        /// <param name="disposeAfter">Whether to dispose this tensor afterwards.</param>
        /// <param name="non_blocking">Whether a copy between devices may run asynchronously.</param>
        /// <returns>The converted tensor, which shares the memory of this tensor if nothing needs to change.</returns>
        public Tensor to(ScalarType type, bool copy = false, bool disposeAfter = false, bool non_blocking = false) =>
            DisposeIf(disposeAfter, To(type, null, copy, non_blocking));

        /// <summary>Moves this tensor to a device.</summary>
        /// <remarks>
        /// PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.Tensor.to.html">torch.Tensor.to</see>.
        /// </remarks>
        /// <param name="device">The device.</param>
        /// <param name="copy">Whether to copy even a tensor that needs no conversion.</param>
        /// <param name="disposeAfter">Whether to dispose this tensor afterwards.</param>
        /// <param name="non_blocking">Whether a copy between devices may run asynchronously.</param>
        /// <returns>The converted tensor, which shares the memory of this tensor if nothing needs to change.</returns>
        public Tensor to(Device device, bool copy = false, bool disposeAfter = false, bool non_blocking = false) =>
            DisposeIf(disposeAfter, To(null, device, copy, non_blocking));

        /// <summary>Converts this tensor to an element type and moves it to a device.</summary>
        /// <remarks>
        /// PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.Tensor.to.html">torch.Tensor.to</see>.
        /// </remarks>
        /// <param name="type">The element type.</param>
        /// <param name="device">The device.</param>
        /// <param name="copy">Whether to copy even a tensor that needs no conversion.</param>
        /// <param name="disposeAfter">Whether to dispose this tensor afterwards.</param>
        /// <param name="non_blocking">Whether a copy between devices may run asynchronously.</param>
        /// <returns>The converted tensor, which shares the memory of this tensor if nothing needs to change.</returns>
        public Tensor to(ScalarType type, Device device, bool copy = false, bool disposeAfter = false, bool non_blocking = false) =>
            DisposeIf(disposeAfter, To(type, device, copy, non_blocking));

        /// <summary>Moves this tensor to a device of a type.</summary>
        /// <remarks>
        /// PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.Tensor.to.html">torch.Tensor.to</see>.
        /// </remarks>
        /// <param name="deviceType">The type of the device.</param>
        /// <param name="deviceIndex">The index of the device; -1 for the current one.</param>
        /// <param name="copy">Whether to copy even a tensor that needs no conversion.</param>
        /// <param name="disposeAfter">Whether to dispose this tensor afterwards.</param>
        /// <param name="non_blocking">Whether a copy between devices may run asynchronously.</param>
        /// <returns>The converted tensor, which shares the memory of this tensor if nothing needs to change.</returns>
        public Tensor to(DeviceType deviceType, int deviceIndex = -1, bool copy = false, bool disposeAfter = false,
            bool non_blocking = false) =>
            to(new Device(deviceType, deviceIndex), copy, disposeAfter, non_blocking);

        /// <summary>Moves this tensor to a device that is given as text.</summary>
        /// <remarks>
        /// PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.Tensor.to.html">torch.Tensor.to</see>.
        /// </remarks>
        /// <param name="device">The device: <c>cpu</c>, <c>cuda:1</c>.</param>
        /// <param name="copy">Whether to copy even a tensor that needs no conversion.</param>
        /// <param name="disposeAfter">Whether to dispose this tensor afterwards.</param>
        /// <param name="non_blocking">Whether a copy between devices may run asynchronously.</param>
        /// <returns>The converted tensor, which shares the memory of this tensor if nothing needs to change.</returns>
        public Tensor to(string device, bool copy = false, bool disposeAfter = false, bool non_blocking = false) =>
            to(new Device(device), copy, disposeAfter, non_blocking);

        /// <summary>Converts this tensor to another tensor's element type and moves it to that tensor's device.</summary>
        /// <remarks>
        /// PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.Tensor.to.html">torch.Tensor.to</see>.
        /// </remarks>
        /// <param name="other">The other tensor.</param>
        /// <param name="non_blocking">Whether a copy between devices may run asynchronously.</param>
        /// <returns>The converted tensor, which shares the memory of this tensor if nothing needs to change.</returns>
        public Tensor to(Tensor other, bool non_blocking = false) => To(other.dtype, other.device, false, non_blocking);

        /// <summary>Converts the elements of this tensor to a type.</summary>
        /// <remarks>
        /// PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.Tensor.to.html">torch.Tensor.to</see>.
        /// </remarks>
        /// <param name="type">The element type.</param>
        /// <param name="copy">Whether to copy even a tensor that needs no conversion.</param>
        /// <param name="disposeAfter">Whether to dispose this tensor afterwards.</param>
        /// <param name="non_blocking">Whether a copy between devices may run asynchronously.</param>
        /// <returns>The converted tensor, which shares the memory of this tensor if nothing needs to change.</returns>
        public Tensor to_type(ScalarType type, bool copy = false, bool disposeAfter = false, bool non_blocking = false) =>
            DisposeIf(disposeAfter, Typed(type, copy, non_blocking));

        /// <summary>Converts this tensor to another tensor's element type.</summary>
        /// <remarks>
        /// PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.Tensor.type_as.html">torch.Tensor.type_as</see>.
        /// </remarks>
        /// <param name="tensor">The other tensor.</param>
        /// <returns>The converted tensor, which shares the memory of this tensor if nothing needs to change.</returns>
        public Tensor type_as(Tensor tensor) => to_type(tensor.dtype);

        /// <summary>Converts this tensor to an element type, as <c>to_type</c> does.</summary>
        /// <remarks>
        /// PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.Tensor.type.html">torch.Tensor.type</see>.
        /// </remarks>
        /// <param name="dtype">The element type.</param>
        /// <returns>The converted tensor, which shares the memory of this tensor if nothing needs to change.</returns>
        public Tensor type(ScalarType dtype) => to_type(dtype);

        /// <summary>Moves this tensor to the CPU.</summary>
        /// <remarks>
        /// PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.Tensor.cpu.html">torch.Tensor.cpu</see>.
        /// </remarks>
        /// <returns>The converted tensor, which shares the memory of this tensor if nothing needs to change.</returns>
        public Tensor cpu() => to(CPU);

        /// <summary>Moves this tensor to a CUDA device.</summary>
        /// <remarks>
        /// PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.Tensor.cuda.html">torch.Tensor.cuda</see>.
        /// </remarks>
        /// <param name="device">The device; by default the current CUDA device.</param>
        /// <param name="non_blocking">Whether a copy between devices may run asynchronously.</param>
        /// <returns>The converted tensor, which shares the memory of this tensor if nothing needs to change.</returns>
        public Tensor cuda(Device? device = null, bool non_blocking = false) => to(device ?? CUDA, non_blocking: non_blocking);

        /// <summary>Converts this tensor to unsigned 8-bit integers.</summary>
        /// <remarks>
        /// PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.Tensor.byte.html">torch.Tensor.byte</see>.
        /// </remarks>
        /// <returns>The converted tensor, which shares the memory of this tensor if nothing needs to change.</returns>
        public Tensor @byte() => to_type(ScalarType.Byte);

        /// <summary>Converts this tensor to booleans: true unless 0.</summary>
        /// <remarks>
        /// PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.Tensor.bool.html">torch.Tensor.bool</see>.
        /// </remarks>
        /// <returns>The converted tensor, which shares the memory of this tensor if nothing needs to change.</returns>
        public Tensor @bool() => to_type(ScalarType.Bool);

        /// <summary>Converts this tensor to 32-bit integers.</summary>
        /// <remarks>
        /// PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.Tensor.int.html">torch.Tensor.int</see>.
        /// </remarks>
        /// <returns>The converted tensor, which shares the memory of this tensor if nothing needs to change.</returns>
        public Tensor @int() => to_type(ScalarType.Int32);

        /// <summary>Converts this tensor to 64-bit integers.</summary>
        /// <remarks>
        /// PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.Tensor.long.html">torch.Tensor.long</see>.
        /// </remarks>
        /// <returns>The converted tensor, which shares the memory of this tensor if nothing needs to change.</returns>
        public Tensor @long() => to_type(ScalarType.Int64);

        /// <summary>Converts this tensor to 32-bit floating-point numbers.</summary>
        /// <remarks>
        /// PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.Tensor.float.html">torch.Tensor.float</see>.
        /// </remarks>
        /// <returns>The converted tensor, which shares the memory of this tensor if nothing needs to change.</returns>
        public Tensor @float() => to_type(ScalarType.Float32);

        /// <summary>Converts this tensor to 64-bit floating-point numbers.</summary>
        /// <remarks>
        /// PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.Tensor.double.html">torch.Tensor.double</see>.
        /// </remarks>
        /// <returns>The converted tensor, which shares the memory of this tensor if nothing needs to change.</returns>
        public Tensor @double() => to_type(ScalarType.Float64);

        /// <summary>Converts this tensor to 16-bit floating-point numbers (float16).</summary>
        /// <remarks>
        /// PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.Tensor.half.html">torch.Tensor.half</see>.
        /// </remarks>
        /// <returns>The converted tensor, which shares the memory of this tensor if nothing needs to change.</returns>
        public Tensor half() => to_type(ScalarType.Float16);

        /// <summary>Converts this tensor to bfloat16 numbers.</summary>
        /// <remarks>
        /// PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.Tensor.bfloat16.html">torch.Tensor.bfloat16</see>.
        /// </remarks>
        /// <returns>The converted tensor, which shares the memory of this tensor if nothing needs to change.</returns>
        public Tensor bfloat16() => to_type(ScalarType.BFloat16);

        private Tensor DisposeIf(bool disposeAfter, Tensor result)
        {
            if (disposeAfter) Dispose();
            return result;
        }

        /// <summary>Converts the single element of a tensor to a float.</summary>
        /// <remarks>The rules are those of <see cref="ScalarExtensionMethods"/>.</remarks>
        /// <param name="value">The tensor, with one element of any type.</param>
        /// <returns>The number.</returns>
        public static explicit operator float(Tensor value) => value.ToSingle();

        /// <summary>Converts the single element of a tensor to a double.</summary>
        /// <remarks>The rules are those of <see cref="ScalarExtensionMethods"/>.</remarks>
        /// <param name="value">The tensor, with one element of any type.</param>
        /// <returns>The number.</returns>
        public static explicit operator double(Tensor value) => value.ToDouble();

        /// <summary>Converts the single element of a tensor to a byte.</summary>
        /// <remarks>The rules are those of <see cref="ScalarExtensionMethods"/>.</remarks>
        /// <param name="value">The tensor, with one element of any type.</param>
        /// <returns>The number.</returns>
        public static explicit operator byte(Tensor value) => value.ToByte();

        /// <summary>Converts the single element of a tensor to an sbyte.</summary>
        /// <remarks>The rules are those of <see cref="ScalarExtensionMethods"/>.</remarks>
        /// <param name="value">The tensor, with one element of any type.</param>
        /// <returns>The number.</returns>
        public static explicit operator sbyte(Tensor value) => value.ToSByte();

        /// <summary>Converts the single element of a tensor to a short.</summary>
        /// <remarks>The rules are those of <see cref="ScalarExtensionMethods"/>.</remarks>
        /// <param name="value">The tensor, with one element of any type.</param>
        /// <returns>The number.</returns>
        public static explicit operator short(Tensor value) => value.ToInt16();

        /// <summary>Converts the single element of a tensor to an int.</summary>
        /// <remarks>The rules are those of <see cref="ScalarExtensionMethods"/>.</remarks>
        /// <param name="value">The tensor, with one element of any type.</param>
        /// <returns>The number.</returns>
        public static explicit operator int(Tensor value) => value.ToInt32();

        /// <summary>Converts the single element of a tensor to a long.</summary>
        /// <remarks>The rules are those of <see cref="ScalarExtensionMethods"/>.</remarks>
        /// <param name="value">The tensor, with one element of any type.</param>
        /// <returns>The number.</returns>
        public static explicit operator long(Tensor value) => value.ToInt64();

        /// <summary>Converts the single element of a tensor to a bool: true unless 0.</summary>
        /// <remarks>The rules are those of <see cref="ScalarExtensionMethods"/>.</remarks>
        /// <param name="value">The tensor, with one element of any type.</param>
        /// <returns>Whether the element is not 0.</returns>
        public static explicit operator bool(Tensor value) => value.ToBoolean();

        /// <summary>Converts a byte to a 0-dim uint8 tensor.</summary>
        /// <param name="value">The number.</param>
        /// <returns>The tensor.</returns>
        public static implicit operator Tensor(byte value) => tensor(value);

        /// <summary>Converts an sbyte to a 0-dim int8 tensor.</summary>
        /// <param name="value">The number.</param>
        /// <returns>The tensor.</returns>
        public static implicit operator Tensor(sbyte value) => tensor(value);

        /// <summary>Converts a short to a 0-dim int16 tensor.</summary>
        /// <param name="value">The number.</param>
        /// <returns>The tensor.</returns>
        public static implicit operator Tensor(short value) => tensor(value);

        /// <summary>Converts an int to a 0-dim int32 tensor.</summary>
        /// <param name="value">The number.</param>
        /// <returns>The tensor.</returns>
        public static implicit operator Tensor(int value) => tensor(value);

        /// <summary>Converts a long to a 0-dim int64 tensor.</summary>
        /// <param name="value">The number.</param>
        /// <returns>The tensor.</returns>
        public static implicit operator Tensor(long value) => tensor(value);

        /// <summary>Converts a float to a 0-dim float32 tensor.</summary>
        /// <param name="value">The number.</param>
        /// <returns>The tensor.</returns>
        public static implicit operator Tensor(float value) => tensor(value);

        /// <summary>Converts a double to a 0-dim float64 tensor.</summary>
        /// <param name="value">The number.</param>
        /// <returns>The tensor.</returns>
        public static implicit operator Tensor(double value) => tensor(value);

        /// <summary>Converts a bool to a 0-dim bool tensor.</summary>
        /// <param name="value">The boolean.</param>
        /// <returns>The tensor.</returns>
        public static implicit operator Tensor(bool value) => tensor(value);

        /// <summary>Converts a pair of floats to a 0-dim complex64 tensor.</summary>
        /// <param name="value">The real and the imaginary part.</param>
        /// <returns>The tensor.</returns>
        public static implicit operator Tensor((float, float) value) => tensor(value);

        /// <summary>Converts a complex number to a 0-dim complex128 tensor.</summary>
        /// <param name="value">The number.</param>
        /// <returns>The tensor.</returns>
        public static implicit operator Tensor(System.Numerics.Complex value) => tensor(value);

        /// <summary>Converts an array of bytes to a 1-dim uint8 tensor.</summary>
        /// <param name="value">The elements, which are copied.</param>
        /// <returns>The tensor.</returns>
        public static implicit operator Tensor(byte[] value) => tensor(value);

        /// <summary>Converts an array of sbytes to a 1-dim int8 tensor.</summary>
        /// <param name="value">The elements, which are copied.</param>
        /// <returns>The tensor.</returns>
        public static implicit operator Tensor(sbyte[] value) => tensor(value);

        /// <summary>Converts an array of shorts to a 1-dim int16 tensor.</summary>
        /// <param name="value">The elements, which are copied.</param>
        /// <returns>The tensor.</returns>
        public static implicit operator Tensor(short[] value) => tensor(value);

        /// <summary>Converts an array of ints to a 1-dim int32 tensor.</summary>
        /// <param name="value">The elements, which are copied.</param>
        /// <returns>The tensor.</returns>
        public static implicit operator Tensor(int[] value) => tensor(value);

        /// <summary>Converts an array of longs to a 1-dim int64 tensor.</summary>
        /// <param name="value">The elements, which are copied.</param>
        /// <returns>The tensor.</returns>
        public static implicit operator Tensor(long[] value) => tensor(value);

        /// <summary>Converts an array of floats to a 1-dim float32 tensor.</summary>
        /// <param name="value">The elements, which are copied.</param>
        /// <returns>The tensor.</returns>
        public static implicit operator Tensor(float[] value) => tensor(value);

        /// <summary>Converts an array of doubles to a 1-dim float64 tensor.</summary>
        /// <param name="value">The elements, which are copied.</param>
        /// <returns>The tensor.</returns>
        public static implicit operator Tensor(double[] value) => tensor(value);

        /// <summary>Converts an array of bools to a 1-dim bool tensor.</summary>
        /// <param name="value">The elements, which are copied.</param>
        /// <returns>The tensor.</returns>
        public static implicit operator Tensor(bool[] value) => tensor(value);

        /// <summary>Converts an array of pairs of floats to a 1-dim complex64 tensor.</summary>
        /// <param name="value">The elements, which are copied.</param>
        /// <returns>The tensor.</returns>
        public static implicit operator Tensor((float, float)[] value) => tensor(value);

        /// <summary>Converts an array of complex numbers to a 1-dim complex128 tensor.</summary>
        /// <param name="value">The elements, which are copied.</param>
        /// <returns>The tensor.</returns>
        public static implicit operator Tensor(System.Numerics.Complex[] value) => tensor(value);

        /// <summary>Returns a 0-dim tensor of a number, with the element type <see cref="Scalar.Type"/>.</summary>
        internal static Tensor Of(Scalar scalar) =>
            scalar.IsBool ? tensor(scalar.Integer != 0) : scalar.IsComplex ? tensor(scalar.Complex) : scalar.IsReal ? tensor(scalar.Real)
                : tensor(scalar.Integer);

        /// <summary>Throws: as in TorchSharp, the conversion only helps the compiler to choose an overload.</summary>
        /// <param name="scalar">The number.</param>
        /// <exception cref="InvalidOperationException">Always.</exception>
        public static implicit operator Tensor(Scalar scalar) =>
            throw new InvalidOperationException(
                "This conversion only selects an overload; create a tensor of a number by torch.tensor(number).");

        /// <summary>Moves this tensor to the MPS device.</summary>
        /// <param name="non_blocking">Whether a copy between devices may run asynchronously.</param>
        /// <returns>The converted tensor, which shares the memory of this tensor if nothing needs to change.</returns>
        public Tensor mps(bool non_blocking = false) => to(MPS, non_blocking: non_blocking);

        /// <summary>Converts this tensor by a function: <c>x.type(y =&gt; y.half())</c>.</summary>
        /// <remarks>
        /// PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.Tensor.type.html">torch.Tensor.type</see>.
        /// </remarks>
        /// <param name="typeFunc">The function.</param>
        /// <returns>The function's result.</returns>
        public Tensor type(Func<Tensor, Tensor> typeFunc) => typeFunc(this);

        /// <summary>Returns a view of this tensor in which dimensions of size 1 are repeated to larger sizes; -1 keeps a size.</summary>
        /// <remarks>
        /// PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.Tensor.expand.html">torch.Tensor.expand</see>.
        /// </remarks>
        /// <param name="sizes">The sizes.</param>
        /// <param name="isImplicit">Has no effect, as in TorchSharp.</param>
        /// <returns>The result.</returns>
        public Tensor expand(Size sizes, bool isImplicit = false) => expand(sizes.Shape);

        /// <summary>Divides one dimension of this tensor into several.</summary>
        /// <remarks>
        /// PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.Tensor.unflatten.html">torch.Tensor.unflatten</see>.
        /// </remarks>
        /// <param name="dim">The dimension.</param>
        /// <param name="sizes">The sizes.</param>
        /// <returns>The result.</returns>
        public Tensor unflatten(long dim, Size sizes) => unflatten(dim, sizes.Shape);

        /// <summary>Calls a module with a tensor, as F#'s operator <c>--&gt;</c>.</summary>
        /// <param name="t">The tensor.</param>
        /// <param name="m">The module.</param>
        /// <returns>The module's result.</returns>
        public static Tensor op_MinusMinusGreater(Tensor t, nn.Module<Tensor, Tensor> m) => m.call(t);

        /// <summary>Computes the short-time Fourier transform of this tensor.</summary>
        /// <remarks>
        /// PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.Tensor.stft.html">torch.Tensor.stft</see>.
        /// </remarks>
        /// <param name="n_fft">The size of the Fourier transforms.</param>
        /// <param name="hop_length">The distance between neighboring windows; if negative, a quarter of <paramref name="n_fft"/>.</param>
        /// <param name="win_length">The size of the windows; if negative, <paramref name="n_fft"/>.</param>
        /// <param name="window">The window, of shape (win_length); by default ones.</param>
        /// <param name="center">Whether to pad both ends, so that each window is centered at a multiple of the hop length.</param>
        /// <param name="pad_mode">How the ends are padded.</param>
        /// <param name="normalized">Whether to divide by the square root of <paramref name="n_fft"/>.</param>
        /// <param name="onesided">
        /// Whether to leave out the negative frequencies; by default unless this tensor or the window is complex.
        /// </param>
        /// <param name="return_complex">
        /// Whether the result is complex, rather than with a last dimension of size 2; by default if this tensor is.
        /// </param>
        /// <returns>
        /// The transforms, of shape (batch, frequencies, windows), without the first dimension if this tensor has one dimension.
        /// </returns>
        public Tensor stft(long n_fft, long hop_length = -1, long win_length = -1, Tensor? window = null, bool center = true,
            PaddingModes pad_mode = PaddingModes.Reflect, bool normalized = false, bool? onesided = null, bool? return_complex = null) =>
            torch.stft(this, n_fft, hop_length, win_length, window, center, pad_mode, normalized, onesided, return_complex);

        /// <summary>Computes the inverse of the short-time Fourier transform of this tensor.</summary>
        /// <remarks>
        /// PyTorch: <see href="https://docs.pytorch.org/docs/stable/generated/torch.Tensor.istft.html">torch.Tensor.istft</see>.
        /// </remarks>
        /// <param name="n_fft">The size of the Fourier transforms.</param>
        /// <param name="hop_length">The distance between neighboring windows; if negative, a quarter of <paramref name="n_fft"/>.</param>
        /// <param name="win_length">The size of the windows; if negative, <paramref name="n_fft"/>.</param>
        /// <param name="window">The window, of shape (win_length); by default ones.</param>
        /// <param name="center">Whether the ends were padded.</param>
        /// <param name="normalized">Whether the transforms were divided by the square root of <paramref name="n_fft"/>.</param>
        /// <param name="onesided">
        /// Whether the negative frequencies were left out; by default, if there are fewer frequencies than <paramref name="n_fft"/>.
        /// </param>
        /// <param name="length">The length of the signal; if negative, as long as the windows.</param>
        /// <param name="return_complex">Whether the signal is complex.</param>
        /// <returns>The signal, of shape (batch, length) or (length).</returns>
        public Tensor istft(long n_fft, long hop_length = -1, long win_length = -1, Tensor? window = null, bool center = true,
            bool normalized = false, bool? onesided = null, long length = -1, bool return_complex = false) =>
            torch.istft(this, n_fft, hop_length, win_length, window, center, normalized, onesided, length, return_complex);
    }
}
