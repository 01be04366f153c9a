using System.Reflection;
using System.Runtime.CompilerServices;
using Bridge.Hooks;

namespace Bridge.TorchSharp;

/// <summary>Reads shape, element type and device of TorchSharp's tensors, without an array for the shape.</summary>
internal abstract class TensorReader
{
    /// <summary>That of a TorchSharp.</summary>
    internal static TensorReader Of(Type tensor)
    {
        Type[] types = [tensor, Member("get_dtype").ReturnType, Member("get_device_type").ReturnType];
        return (TensorReader)Activator.CreateInstance(typeof(TensorReader<,,>).MakeGenericType(types))!;

        MethodInfo Member(string name) => tensor.GetMethod(name, []) ?? throw new MissingMethodException(tensor.FullName, name);
    }

    /// <summary>Adds a tensor; false for what is none.</summary>
    internal abstract bool TryAdd(object value, Leaves leaves);

    private protected delegate Span<byte> BytesOf<TTensor>(TTensor tensor);
}

/// <inheritdoc/>
internal abstract class TensorReader<TTensor> : TensorReader
    where TTensor : class
{
    internal abstract void Add(TTensor? tensor, Leaves leaves);

    internal sealed override bool TryAdd(object value, Leaves leaves)
    {
        if (value is not TTensor tensor) return false;
        Add(tensor, leaves);
        return true;
    }
}

/// <inheritdoc/>
internal sealed class TensorReader<TTensor, TScalarType, TDeviceType> : TensorReader<TTensor>
    where TTensor : class
    where TScalarType : unmanaged
    where TDeviceType : unmanaged
{
    private const sbyte BFloat16 = 15;
    private const int MostDims = 64;

    private readonly Func<TTensor, bool> _isInvalid = Bind<Func<TTensor, bool>>("get_IsInvalid");
    private readonly Func<TTensor, long> _dim = Bind<Func<TTensor, long>>("dim");
    private readonly Func<TTensor, int, long> _size = Bind<Func<TTensor, int, long>>("size", typeof(int));
    private readonly Func<TTensor, TScalarType> _dtype = Bind<Func<TTensor, TScalarType>>("get_dtype");
    private readonly Func<TTensor, TDeviceType> _deviceType = Bind<Func<TTensor, TDeviceType>>("get_device_type");
    private readonly Func<TTensor, int> _deviceIndex = Bind<Func<TTensor, int>>("get_device_index");
    private readonly Func<TTensor, nint>? _handle = typeof(TTensor).GetProperty("Handle", typeof(nint))?.GetMethod?.CreateDelegate<Func<TTensor, nint>>();
    private readonly BytesOf<TTensor> _bytes = Bind<BytesOf<TTensor>>("get_bytes");
    private readonly Func<TTensor, bool>? _isContiguous = typeof(TTensor).GetMethod("is_contiguous", [])?.CreateDelegate<Func<TTensor, bool>>();
    private readonly Func<TTensor, TTensor>[] _plain = [Bind<Func<TTensor, TTensor>>("detach"), Bind<Func<TTensor, TTensor>>("cpu"), Bind<Func<TTensor, TTensor>>("contiguous")];

    private TensorForms? _forms;
    private bool _asked;

    internal override void Add(TTensor? tensor, Leaves leaves)
    {
        // One that never had a handle stands for none (rule 48).
        if (tensor is null || _isInvalid(tensor))
        {
            leaves.Add(ValueKind.None, 0);
            return;
        }

        if (!leaves.Digests && _forms is not null && _forms.TryAdd(_handle!(tensor), leaves)) GC.KeepAlive(tensor);
        else AddByMembers(tensor, leaves);
    }

    private void AddByMembers(TTensor tensor, Leaves leaves)
    {
        // Here is one that TorchSharp has made: its libraries are loaded.
        if (!_asked && _handle is not null) _forms = TensorForms.Of(typeof(TTensor).Assembly);
        _asked = true;
        var dims = (int)_dim(tensor);
        var sizes = dims <= MostDims ? stackalloc long[dims] : new long[dims];
        for (var i = 0; i < dims; i++) sizes[i] = _size(tensor, i);
        var type = Number(_dtype(tensor));
        var device = Number(_deviceType(tensor));
        leaves.AddTensor(type, device, device == 0 ? -1 : _deviceIndex(tensor), sizes, leaves.Digests ? Digest(tensor, (sbyte)type, device == 0, sizes, leaves) : null);
    }

    // As Python's: over NumPy's dtype and shape as text and the elements in C order. None for what NumPy has not as it is, but for bfloat16, which is
    // widened, and for complex numbers, whose bytes may be those of the conjugate.
    private string? Digest(TTensor tensor, sbyte type, bool onCpu, ReadOnlySpan<long> sizes, Leaves leaves)
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
            return Digest(tensor, name, onCpu, sizes, type == BFloat16, leaves);
        }
        catch (Exception exception) when (exception is not OutOfMemoryException)
        {
            // A sparse one, one without elements, one of more than two gigabytes: the model's call goes on.
            return null;
        }
    }

    private string Digest(TTensor tensor, string name, bool onCpu, ReadOnlySpan<long> sizes, bool widen, Leaves leaves)
    {
        var made = new List<TTensor> { tensor };
        try
        {
            // Most are as they have to be, and three more tensors would take longer than a small one's digest.
            if (!onCpu || _isContiguous?.Invoke(tensor) != true)
            {
                foreach (var step in _plain) made.Add(step(made[^1]));
            }

            ReadOnlySpan<byte> bytes = _bytes(made[^1]);
            if (widen) bytes = Widened(bytes);
            var found = leaves.Digested.Of($"{name}({string.Join(", ", sizes.ToArray())}{(sizes.Length == 1 ? "," : "")})", bytes);
            leaves.Elements?.Add(found, name, sizes, bytes);
            return found;
        }
        finally
        {
            // Some members may give the tensor itself, which is the model's.
            foreach (var own in made.Distinct(ReferenceEqualityComparer.Instance))
                if (!ReferenceEquals(own, tensor)) ((IDisposable)own!).Dispose();
        }
    }

    private static byte[] Widened(ReadOnlySpan<byte> halves)
    {
        var bytes = new byte[2 * halves.Length];
        for (var i = 0; i < halves.Length; i += 2) halves.Slice(i, 2).CopyTo(bytes.AsSpan((2 * i) + 2));
        return bytes;
    }

    // Both enumerations have libtorch's numbers (rule 86).
    private static int Number<TEnum>(TEnum value)
        where TEnum : unmanaged => Unsafe.SizeOf<TEnum>() == 1 ? Unsafe.As<TEnum, sbyte>(ref value) : Unsafe.As<TEnum, int>(ref value);

    private static TDelegate Bind<TDelegate>(string name, params Type[] types)
        where TDelegate : Delegate =>
        (typeof(TTensor).GetMethod(name, types) ?? throw new MissingMethodException(typeof(TTensor).FullName, name)).CreateDelegate<TDelegate>();
}
