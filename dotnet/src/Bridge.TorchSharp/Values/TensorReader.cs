using System.Diagnostics.CodeAnalysis;
using System.Reflection;
using System.Runtime.CompilerServices;
using Bridge.Hooks;

namespace Bridge.TorchSharp;

/// <summary>The reader of shape, element type and device of TorchSharp's tensors, and of digests of their elements.</summary>
internal abstract class TensorReader
{
    [RequiresUnreferencedCode(Trimming.Reason)]
    [RequiresDynamicCode(Trimming.Reason)]
    internal static TensorReader Create(Type tensor)
    {
        Type[] types = [tensor, Member("get_dtype").ReturnType, Member("get_device_type").ReturnType];
        return (TensorReader)Activator.CreateInstance(typeof(TensorReader<,,>).MakeGenericType(types), HandleField.TryFind(tensor))!;

        MethodInfo Member(string name) => tensor.GetMethod(name, []) ?? throw new MissingMethodException(tensor.FullName, name);
    }

    /// <summary>Adds a tensor; returns false if the value is not a tensor.</summary>
    internal abstract bool TryAdd(object value, EventValues values);

    private protected delegate Span<byte> BytesOf<TTensor>(TTensor tensor);
}

internal abstract class TensorReader<TTensor> : TensorReader
    where TTensor : class
{
    internal abstract void Add(TTensor? tensor, EventValues values);

    /// <summary>
    /// Reads shape, element type and device. Returns false if the value is not a valid tensor, or no tensor has been added before.
    /// </summary>
    internal abstract bool TryRead(TTensor? tensor, ref LastTensor last, out TensorInfo info);

    internal sealed override bool TryAdd(object value, EventValues values)
    {
        if (value is not TTensor tensor) return false;
        Add(tensor, values);
        return true;
    }
}

/// <param name="handle">The field with libtorch's pointer; null if it was not found.</param>
internal sealed class TensorReader<TTensor, TScalarType, TDeviceType>(HandleField? handle) : TensorReader<TTensor>
    where TTensor : class
    where TScalarType : unmanaged
    where TDeviceType : unmanaged
{
    private const sbyte BFloat16 = 15;
    private const int MaxStackDims = 64;

    private readonly Func<TTensor, bool> _isInvalid = Bind<Func<TTensor, bool>>("get_IsInvalid");
    private readonly Func<TTensor, long> _dim = Bind<Func<TTensor, long>>("dim");
    private readonly Func<TTensor, int, long> _size = Bind<Func<TTensor, int, long>>("size", typeof(int));
    private readonly Func<TTensor, TScalarType> _dtype = Bind<Func<TTensor, TScalarType>>("get_dtype");
    private readonly Func<TTensor, TDeviceType> _deviceType = Bind<Func<TTensor, TDeviceType>>("get_device_type");
    private readonly Func<TTensor, int> _deviceIndex = Bind<Func<TTensor, int>>("get_device_index");

    private readonly BytesOf<TTensor> _bytes = Bind<BytesOf<TTensor>>("get_bytes");
    private readonly Func<TTensor, bool>? _isContiguous =
        typeof(TTensor).GetMethod("is_contiguous", [])?.CreateDelegate<Func<TTensor, bool>>();

    private readonly Func<TTensor, TTensor>[] _contiguousCpuSteps =
        [Bind<Func<TTensor, TTensor>>("detach"), Bind<Func<TTensor, TTensor>>("cpu"), Bind<Func<TTensor, TTensor>>("contiguous")];

    private LibtorchTensorInfo? _info;
    private bool _infoSearched;

    internal override void Add(TTensor? tensor, EventValues values)
    {
        // A tensor without a handle: MultiheadAttention returns one where PyTorch returns None.
        if (tensor is null || _isInvalid(tensor))
        {
            values.Add(ValueKind.None, 0);
            return;
        }

        var last = default(LastTensor);
        if (!values.HasDigests && TryRead(tensor, ref last, out var info)) values.AddTensor(info.Kind, info.Sizes);
        else AddByMembers(tensor, values);
        GC.KeepAlive(tensor);
    }

    internal override bool TryRead(TTensor? tensor, ref LastTensor last, out TensorInfo info)
    {
        Unsafe.SkipInit(out info);
        if (_info is null || tensor is null || handle!.Read(tensor) is not (not 0 and var pointer)) return false;
        // A tensor of a derived class, such as a parameter, might get other contents.
        var kind = ReferenceEquals(tensor, last.Tensor) && tensor.GetType() == typeof(TTensor) ? last.Kind : default;
        if (!_info.TryRead(pointer, ref kind, out info)) return false;
        last.Tensor = tensor;
        last.Kind = kind;
        return true;
    }

    private void AddByMembers(TTensor tensor, EventValues values)
    {
        // TorchSharp's native libraries are loaded, since TorchSharp has created this tensor.
        if (!_infoSearched && handle is not null) _info = LibtorchTensorInfo.TryBind(typeof(TTensor).Assembly);
        _infoSearched = true;
        var dims = (int)_dim(tensor);
        var sizes = dims <= MaxStackDims ? stackalloc long[dims] : new long[dims];
        for (var i = 0; i < dims; i++) sizes[i] = _size(tensor, i);
        var type = Number(_dtype(tensor));
        var device = Number(_deviceType(tensor));
        var digest = values.FindsNonFinite ? FindNonFinite(tensor, type, device == 0)
            : values.HasDigests ? Digest(tensor, (sbyte)type, device == 0, sizes, values) : null;
        values.AddTensor(new(type, device, device == 0 ? -1 : _deviceIndex(tensor)), sizes, digest);
    }

    // Returns the same digest as Python's: of the text of NumPy's dtype and shape, followed by the elements in C order. bfloat16 is widened
    // to float32; other types that NumPy lacks have no digest. Complex tensors have none: their bytes may be those of the conjugate.
    private string? Digest(TTensor tensor, sbyte type, bool onCpu, ReadOnlySpan<long> sizes, EventValues values)
    {
        var name = type switch
        {
            0 => "|u1",
            1 => "|i1",
            2 => "<i2",
            3 => "<i4",
            4 => "<i8",
            5 => "<f2",
            6 or BFloat16 => "<f4",
            7 => "<f8",
            11 => "|b1",
            _ => null,
        };
        if (name is null) return null;
        try
        {
            return Digest(tensor, name, onCpu, sizes, type == BFloat16, values);
        }
        catch (Exception exception) when (exception is not OutOfMemoryException)
        {
            // The tensor is sparse, has no storage, or has more than two gigabytes. The model's call must continue.
            return null;
        }
    }

    private string Digest(TTensor tensor, string name, bool onCpu, ReadOnlySpan<long> sizes, bool widen, EventValues values)
    {
        var created = new List<TTensor> { tensor };
        try
        {
            ReadOnlySpan<byte> bytes = Bytes(created, onCpu);
            if (widen) bytes = Widened(bytes);
            var shape = $"({string.Join(", ", sizes.ToArray())}{(sizes.Length == 1 ? "," : "")})";
            var found = values.DigestCache.Get(name + shape, bytes);
            values.Elements?.Add(found, name, sizes, bytes);
            return found;
        }
        finally
        {
            Dispose(created);
        }
    }

    private string? FindNonFinite(TTensor tensor, int type, bool onCpu)
    {
        var created = new List<TTensor> { tensor };
        try
        {
            return NonFiniteElements.Find(type, Bytes(created, onCpu));
        }
        catch (Exception exception) when (exception is not OutOfMemoryException)
        {
            // As for digests: the elements cannot be read.
            return null;
        }
        finally
        {
            Dispose(created);
        }
    }

    // Returns the elements in C order. Tensors that have to be created are added to the list.
    private Span<byte> Bytes(List<TTensor> created, bool onCpu)
    {
        // Most tensors are contiguous on the CPU. For a small one, creating three tensors would take longer than the digest.
        if (!onCpu || _isContiguous?.Invoke(created[0]) != true)
        {
            foreach (var step in _contiguousCpuSteps) created.Add(step(created[^1]));
        }

        return _bytes(created[^1]);
    }

    // A step may return the tensor itself, which belongs to the model.
    private static void Dispose(List<TTensor> created)
    {
        foreach (var own in created.Distinct(ReferenceEqualityComparer.Instance))
            if (!ReferenceEquals(own, created[0])) ((IDisposable)own!).Dispose();
    }

    private static byte[] Widened(ReadOnlySpan<byte> halves)
    {
        var bytes = new byte[2 * halves.Length];
        for (var i = 0; i < halves.Length; i += 2) halves.Slice(i, 2).CopyTo(bytes.AsSpan((2 * i) + 2));
        return bytes;
    }

    // TorchSharp's enumerations have libtorch's numbers.
    private static int Number<TEnum>(TEnum value)
        where TEnum : unmanaged => Unsafe.SizeOf<TEnum>() == 1 ? Unsafe.As<TEnum, sbyte>(ref value) : Unsafe.As<TEnum, int>(ref value);

    [UnconditionalSuppressMessage(
        "Trimming", "IL2090", Justification = "Only TensorReader.Create, which requires unreferenced code, creates this class.")]
    private static TDelegate Bind<TDelegate>(string name, params Type[] types)
        where TDelegate : Delegate =>
        (typeof(TTensor).GetMethod(name, types) ?? throw new MissingMethodException(typeof(TTensor).FullName, name))
            .CreateDelegate<TDelegate>();
}
