using System.Reflection;
using System.Runtime.CompilerServices;

namespace Bridge.Host;

/// <summary>Reads and writes the elements of a library's tensors.</summary>
/// <param name="tensor">The library's <c>torch.Tensor</c>.</param>
internal abstract unsafe class TensorAccess(Type tensor)
{
    // Sizes in bytes, by libtorch's number of the element type.
    private static readonly Dictionary<int, int> ElementSizes = new()
    {
        [0] = 1,
        [1] = 1,
        [2] = 2,
        [3] = 4,
        [4] = 8,
        [5] = 2,
        [6] = 4,
        [7] = 8,
        [9] = 8,
        [10] = 16,
        [11] = 1,
        [15] = 2,
    };

    internal Type Tensor => tensor;

    /// <summary>Gets the factory of tensors on existing memory; null if elements have to be copied.</summary>
    internal TensorWrapper? Wrapper { get; private set; }

    /// <summary>Gets the version counters of tensors; null if libtorch is unknown or does not export them.</summary>
    internal TensorVersions? Versions { get; private set; }

    /// <summary>Creates the accessor of a library's tensors.</summary>
    /// <param name="torch">The library's <c>torch</c>.</param>
    /// <param name="tensor">The library's <c>torch.Tensor</c>.</param>
    /// <param name="libtorch">The handle of the loaded libtorch_cpu; zero if unknown.</param>
    internal static TensorAccess Create(Type torch, Type tensor, nint libtorch)
    {
        var dtype = tensor.GetMethod("get_dtype", []) ?? throw new MissingMethodException(tensor.FullName, "get_dtype");
        var access = (TensorAccess)Activator.CreateInstance(typeof(TensorAccess<,>).MakeGenericType(tensor, dtype.ReturnType), torch)!;
        access.Wrapper = TensorWrapper.TryCreate(torch, tensor);
        access.Versions = TensorVersions.TryBind(libtorch);
        return access;
    }

    /// <summary>Creates a tensor on the CPU.</summary>
    /// <param name="dtype">libtorch's number of the element type.</param>
    /// <param name="shape">The sizes.</param>
    /// <param name="elements">The elements in C order, which are copied.</param>
    /// <exception cref="NotSupportedException">Tensors of this element type cannot be sent.</exception>
    internal abstract object Create(int dtype, long[] shape, byte* elements);

    /// <summary>Overwrites the elements of a tensor of the same element type and shape.</summary>
    /// <exception cref="ArgumentException">The tensor has another element type or shape.</exception>
    /// <exception cref="NotSupportedException">The elements of the tensor cannot be sent.</exception>
    internal abstract void Overwrite(object tensor, int dtype, long[] shape, byte* elements);

    /// <summary>
    /// Returns whether a tensor has a handle. TorchSharp's MultiheadAttention returns a tensor without a handle where PyTorch returns None.
    /// </summary>
    internal abstract bool HasHandle(object tensor);

    internal abstract bool RequiresGrad(object tensor);

    /// <summary>Returns a tensor's version counter, <c>_version</c> in PyTorch; 0 if it is not known.</summary>
    internal abstract long Version(object tensor);

    /// <summary>
    /// Returns a hash of a few bytes of a tensor. It changes with nearly every write to the whole tensor, even a write through its memory,
    /// which the version counter misses.
    /// </summary>
    /// <exception cref="Exception">The elements are not contiguous in CPU memory.</exception>
    internal abstract long Sample(object tensor);

    /// <summary>Returns libtorch's number of a tensor's element type, and the tensor's sizes.</summary>
    internal abstract (int DType, long[] Shape) Describe(object tensor);

    /// <summary>
    /// Returns a detached, contiguous CPU tensor with the tensor's elements, without copying them if possible. The caller disposes the
    /// result unless it is the tensor itself.
    /// </summary>
    internal abstract object ToContiguousCpu(object tensor);

    /// <summary>Copies the elements of a contiguous CPU tensor.</summary>
    /// <exception cref="NotSupportedException">The elements of the tensor cannot be sent.</exception>
    internal abstract void CopyElements(object tensor, byte* to, long length);

    /// <summary>Returns the address of the elements of a contiguous CPU tensor. libtorch does not move the elements.</summary>
    internal abstract byte* Address(object tensor);

    /// <summary>Returns the size of a tensor in bytes.</summary>
    /// <exception cref="NotSupportedException">Tensors of this element type cannot be sent.</exception>
    internal static long ByteLength(int dtype, long[] shape)
    {
        if (!ElementSizes.TryGetValue(dtype, out var size))
            throw new NotSupportedException($"Tensors with elements of libtorch's type {dtype} cannot be sent between processes.");
        var length = (long)size;
        foreach (var dim in shape) length = checked(length * dim);
        return length;
    }
}

/// <inheritdoc/>
internal sealed unsafe class TensorAccess<TTensor, TScalarType> : TensorAccess
    where TTensor : class
    where TScalarType : unmanaged
{
    private readonly MethodInfo _empty;
    private readonly object?[] _defaults;
    private readonly Func<TTensor, bool> _isInvalid = Bind<Func<TTensor, bool>>("get_IsInvalid");
    private readonly Func<TTensor, bool> _requiresGrad = Bind<Func<TTensor, bool>>("get_requires_grad");
    private readonly Func<TTensor, IntPtr> _handle = Bind<Func<TTensor, IntPtr>>("get_Handle");
    private readonly Func<TTensor, long> _dim = Bind<Func<TTensor, long>>("dim");
    private readonly Func<TTensor, int, long> _size = Bind<Func<TTensor, int, long>>("size", typeof(int));
    private readonly Func<TTensor, TScalarType> _dtype = Bind<Func<TTensor, TScalarType>>("get_dtype");
    private readonly GetBytes _bytes = Bind<GetBytes>("get_bytes");
    private readonly Func<TTensor, TTensor>[] _contiguousCpuSteps =
        [Bind<Func<TTensor, TTensor>>("detach"), Bind<Func<TTensor, TTensor>>("cpu"), Bind<Func<TTensor, TTensor>>("contiguous")];

    public TensorAccess(Type torch) : base(typeof(TTensor))
    {
        _empty = torch.GetMethods(BindingFlags.Public | BindingFlags.Static).FirstOrDefault(IsTorchEmpty)
            ?? throw new MissingMethodException(torch.FullName, "empty");
        _defaults = [.. _empty.GetParameters().Select(parameter => parameter.HasDefaultValue ? parameter.DefaultValue : null)];
    }

    private delegate Span<byte> GetBytes(TTensor tensor);

    internal override object Create(int dtype, long[] shape, byte* elements)
    {
        var length = ByteLength(dtype, shape);
        object?[] given = [.. _defaults];
        (given[0], given[1]) = (shape, Enum.ToObject(typeof(TScalarType), (sbyte)dtype));
        var made = (TTensor)_empty.Invoke(null, BindingFlags.DoNotWrapExceptions, null, given, null)!;
        Write(made, elements, length);
        return made;
    }

    internal override void Overwrite(object tensor, int dtype, long[] shape, byte* elements)
    {
        var (own, sizes) = Describe(tensor);
        if (own != dtype || !sizes.SequenceEqual(shape))
        {
            throw new ArgumentException(
                $"it has elements of libtorch's type {own} and the shape [{string.Join(", ", sizes)}] here, "
                    + $"not {dtype} and [{string.Join(", ", shape)}]");
        }

        Write((TTensor)tensor, elements, ByteLength(dtype, shape));
    }

    internal override bool HasHandle(object tensor) => !_isInvalid((TTensor)tensor);

    internal override bool RequiresGrad(object tensor) => _requiresGrad((TTensor)tensor);

    internal override long Version(object tensor)
    {
        var own = (TTensor)tensor;
        return Versions is null || _isInvalid(own) ? 0 : Versions.Version(_handle(own));
    }

    internal override long Sample(object tensor)
    {
        const int samples = 32;
        var bytes = _bytes((TTensor)tensor);
        var step = Math.Max(1, bytes.Length / samples) | 1;
        var hash = 17L;
        for (var i = 0; i < bytes.Length; i += step) hash = (hash * 1099511628211) ^ bytes[i];
        return hash;
    }

    internal override (int DType, long[] Shape) Describe(object tensor)
    {
        var own = (TTensor)tensor;
        var shape = new long[_dim(own)];
        for (var i = 0; i < shape.Length; i++) shape[i] = _size(own, i);
        return (ToNumber(_dtype(own)), shape);
    }

    internal override object ToContiguousCpu(object tensor)
    {
        var own = (TTensor)tensor;
        foreach (var step in _contiguousCpuSteps)
        {
            var next = step(own);
            if (!ReferenceEquals(next, own) && !ReferenceEquals(own, tensor)) ((IDisposable)own).Dispose();
            own = next;
        }

        return own;
    }

    internal override void CopyElements(object tensor, byte* to, long length)
    {
        if (length > 0) Bytes((TTensor)tensor, length).CopyTo(new Span<byte>(to, checked((int)length)));
    }

    internal override byte* Address(object tensor)
    {
        fixed (byte* start = _bytes((TTensor)tensor)) return start;
    }

    private void Write(TTensor tensor, byte* elements, long length)
    {
        if (length > 0) new Span<byte>(elements, checked((int)length)).CopyTo(Bytes(tensor, length));
    }

    private Span<byte> Bytes(TTensor tensor, long length)
    {
        var bytes = _bytes(tensor);
        if (bytes.Length == length) return bytes;
        throw new NotSupportedException(
            $"TorchSharp returns {bytes.Length} bytes for a tensor of {length} bytes: its elements cannot be sent between processes.");
    }

    private static bool IsTorchEmpty(MethodInfo method) =>
        method.Name == "empty"
        && method.GetParameters() is [{ ParameterType: { } first }, { Name: "dtype" }, ..]
        && first == typeof(long[]);

    // TorchSharp's ScalarType has libtorch's numbers.
    private static int ToNumber(TScalarType value) =>
        Unsafe.SizeOf<TScalarType>() == 1 ? Unsafe.As<TScalarType, sbyte>(ref value) : Unsafe.As<TScalarType, int>(ref value);

    private static TDelegate Bind<TDelegate>(string name, params Type[] types)
        where TDelegate : Delegate =>
        (typeof(TTensor).GetMethod(name, types) ?? throw new MissingMethodException(typeof(TTensor).FullName, name))
            .CreateDelegate<TDelegate>();
}
