using System.Reflection;
using System.Runtime.CompilerServices;

namespace Bridge.Host;

/// <summary>Copies the elements of tensors from and to shared memory, whatever TorchSharp they are of.</summary>
internal abstract unsafe class TensorCrossing(Type tensor)
{
    private static readonly Dictionary<int, int> Sizes = new() { [0] = 1, [1] = 1, [2] = 2, [3] = 4, [4] = 8, [5] = 2, [6] = 4, [7] = 8, [9] = 8, [10] = 16, [11] = 1, [15] = 2 };

    /// <summary>Its tensors.</summary>
    internal Type Tensor => tensor;

    /// <summary>Makes tensors without a copy; null where it has no way.</summary>
    internal Wrapping? Wrapping { get; private set; }

    /// <summary>How often tensors were written to; null where libtorch does not say.</summary>
    internal TensorVersions? Versions { get; private set; }

    /// <summary>That of a TorchSharp.</summary>
    /// <param name="torch">Its <c>torch</c>.</param>
    /// <param name="tensor">Its <c>torch.Tensor</c>.</param>
    /// <param name="libtorch">Its libtorch_cpu, loaded; zero where it is not known.</param>
    internal static TensorCrossing Of(Type torch, Type tensor, nint libtorch)
    {
        var dtype = tensor.GetMethod("get_dtype", []) ?? throw new MissingMethodException(tensor.FullName, "get_dtype");
        var made = (TensorCrossing)Activator.CreateInstance(typeof(TensorCrossing<,>).MakeGenericType(tensor, dtype.ReturnType), torch)!;
        made.Wrapping = Wrapping.Of(torch, tensor);
        made.Versions = TensorVersions.Of(libtorch);
        return made;
    }

    /// <summary>A new tensor on the CPU.</summary>
    /// <param name="dtype">libtorch's number of the element type.</param>
    /// <param name="shape">Sizes.</param>
    /// <param name="elements">Its elements in C order; they are copied.</param>
    internal abstract object Make(int dtype, long[] shape, byte* elements);

    /// <summary>Overwrites the elements of a tensor of the same type and shape.</summary>
    /// <exception cref="ArgumentException">It has another type or shape.</exception>
    internal abstract void Fill(object tensor, int dtype, long[] shape, byte* elements);

    /// <summary>Whether a tensor has elements: one without a handle stands for none (rule 48).</summary>
    internal abstract bool HasElements(object tensor);

    /// <summary>A number that is another one after each write to a tensor; always the same where that is not known.</summary>
    internal abstract long Version(object tensor);

    /// <summary>A number of some elements, spread over all: another one after nearly any write of whole tensors, which libtorch does not count where it goes to their memory.</summary>
    /// <exception cref="Exception">It has no elements in the CPU's memory, in one piece.</exception>
    internal abstract long Sample(object tensor);

    /// <summary>libtorch's number of the element type, and the sizes.</summary>
    internal abstract (int DType, long[] Shape) Describe(object tensor);

    /// <summary>A tensor with the same elements on the CPU in C order; the very tensor, or one to be disposed.</summary>
    internal abstract object Plain(object tensor);

    /// <summary>Copies the elements of a plain tensor.</summary>
    internal abstract void Copy(object tensor, byte* to, long length);

    /// <summary>Where the elements of a plain tensor are, which libtorch does not move.</summary>
    internal abstract byte* Address(object tensor);

    /// <summary>How many bytes a tensor has.</summary>
    /// <exception cref="NotSupportedException">Tensors of this element type do not cross.</exception>
    internal static long Length(int dtype, long[] shape)
    {
        var length = (long)(Sizes.TryGetValue(dtype, out var size) ? size : throw new NotSupportedException($"Tensors with elements of libtorch's type {dtype} do not cross between processes."));
        foreach (var dim in shape) length = checked(length * dim);
        return length;
    }
}

/// <inheritdoc/>
internal sealed unsafe class TensorCrossing<TTensor, TScalarType> : TensorCrossing
    where TTensor : class
    where TScalarType : unmanaged
{
    private readonly MethodInfo _empty;
    private readonly object?[] _defaults;
    private readonly Func<TTensor, bool> _isInvalid = Bind<Func<TTensor, bool>>("get_IsInvalid");
    private readonly Func<TTensor, IntPtr> _handle = Bind<Func<TTensor, IntPtr>>("get_Handle");
    private readonly Func<TTensor, long> _dim = Bind<Func<TTensor, long>>("dim");
    private readonly Func<TTensor, int, long> _size = Bind<Func<TTensor, int, long>>("size", typeof(int));
    private readonly Func<TTensor, TScalarType> _dtype = Bind<Func<TTensor, TScalarType>>("get_dtype");
    private readonly BytesOf _bytes = Bind<BytesOf>("get_bytes");
    private readonly Func<TTensor, TTensor>[] _plain =
        [Bind<Func<TTensor, TTensor>>("detach"), Bind<Func<TTensor, TTensor>>("cpu"), Bind<Func<TTensor, TTensor>>("contiguous")];

    public TensorCrossing(Type torch) : base(typeof(TTensor))
    {
        _empty = torch.GetMethods(BindingFlags.Public | BindingFlags.Static).FirstOrDefault(method => method.Name == "empty" && method.GetParameters() is [{ ParameterType: { } first }, { Name: "dtype" }, ..] && first == typeof(long[]))
            ?? throw new MissingMethodException(torch.FullName, "empty");
        _defaults = [.. _empty.GetParameters().Select(parameter => parameter.HasDefaultValue ? parameter.DefaultValue : null)];
    }

    private delegate Span<byte> BytesOf(TTensor tensor);

    internal override object Make(int dtype, long[] shape, byte* elements)
    {
        var length = Length(dtype, shape);
        object?[] given = [.. _defaults];
        (given[0], given[1]) = (shape, Enum.ToObject(typeof(TScalarType), (sbyte)dtype));
        var made = (TTensor)_empty.Invoke(null, BindingFlags.DoNotWrapExceptions, null, given, null)!;
        Write(made, elements, length);
        return made;
    }

    internal override void Fill(object tensor, int dtype, long[] shape, byte* elements)
    {
        var (own, sizes) = Describe(tensor);
        if (own != dtype || !sizes.SequenceEqual(shape))
            throw new ArgumentException($"it has elements of libtorch's type {own} and the shape [{string.Join(", ", sizes)}] here, not {dtype} and [{string.Join(", ", shape)}]");
        Write((TTensor)tensor, elements, Length(dtype, shape));
    }

    internal override bool HasElements(object tensor) => !_isInvalid((TTensor)tensor);

    internal override long Version(object tensor)
    {
        var own = (TTensor)tensor;
        return Versions is null || _isInvalid(own) ? 0 : Versions.Version(_handle(own));
    }

    internal override long Sample(object tensor)
    {
        const int most = 32;
        var bytes = _bytes((TTensor)tensor);
        var step = Math.Max(1, bytes.Length / most) | 1;
        var hash = 17L;
        for (var i = 0; i < bytes.Length; i += step) hash = (hash * 1099511628211) ^ bytes[i];
        return hash;
    }

    internal override (int DType, long[] Shape) Describe(object tensor)
    {
        var own = (TTensor)tensor;
        var shape = new long[_dim(own)];
        for (var i = 0; i < shape.Length; i++) shape[i] = _size(own, i);
        return (Number(_dtype(own)), shape);
    }

    internal override object Plain(object tensor)
    {
        var own = (TTensor)tensor;
        foreach (var step in _plain)
        {
            var next = step(own);
            if (!ReferenceEquals(next, own) && !ReferenceEquals(own, tensor)) ((IDisposable)own).Dispose();
            own = next;
        }

        return own;
    }

    internal override void Copy(object tensor, byte* to, long length)
    {
        if (length > 0) Elements((TTensor)tensor, length).CopyTo(new Span<byte>(to, checked((int)length)));
    }

    internal override byte* Address(object tensor)
    {
        fixed (byte* start = _bytes((TTensor)tensor)) return start;
    }

    private void Write(TTensor tensor, byte* elements, long length)
    {
        if (length > 0) new Span<byte>(elements, checked((int)length)).CopyTo(Elements(tensor, length));
    }

    private Span<byte> Elements(TTensor tensor, long length)
    {
        var bytes = _bytes(tensor);
        return bytes.Length == length ? bytes : throw new NotSupportedException($"A tensor of {length} bytes gives {bytes.Length}: its elements do not cross between processes.");
    }

    // The enumeration has libtorch's numbers (rule 86).
    private static int Number(TScalarType value) => Unsafe.SizeOf<TScalarType>() == 1 ? Unsafe.As<TScalarType, sbyte>(ref value) : Unsafe.As<TScalarType, int>(ref value);

    private static TDelegate Bind<TDelegate>(string name, params Type[] types)
        where TDelegate : Delegate =>
        (typeof(TTensor).GetMethod(name, types) ?? throw new MissingMethodException(typeof(TTensor).FullName, name)).CreateDelegate<TDelegate>();
}
