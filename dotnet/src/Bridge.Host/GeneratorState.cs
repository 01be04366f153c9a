using System.Reflection;
using System.Text.Json;

namespace Bridge.Host;

/// <summary>
/// The state of TorchSharp's random number generator of the CPU. It is kept equal to Python's: requests and answers carry changes.
/// </summary>
internal sealed unsafe class GeneratorState
{
    private readonly TensorAccess _tensors;
    private readonly Func<object> _get;
    private readonly MethodInfo _set;
    private byte[] _lastExchanged = [];

    private GeneratorState(TensorAccess tensors, Func<object> get, MethodInfo set) => (_tensors, _get, _set) = (tensors, get, set);

    /// <summary>Binds TorchSharp's functions; returns null if this version lacks one of them.</summary>
    /// <param name="torch">TorchSharp's class <c>torch</c>.</param>
    /// <param name="tensors">Accesses TorchSharp's tensors.</param>
    internal static GeneratorState? TryBind(Type torch, TensorAccess tensors)
    {
        const BindingFlags functions = BindingFlags.Public | BindingFlags.Static;
        var get = torch.GetMethod("get_rng_state", functions, [])?.CreateDelegate<Func<object>>();
        var set = torch.GetMethod("set_rng_state", functions, [tensors.Tensor]);
        return get is null || set is null ? null : new(tensors, get, set);
    }

    /// <summary>
    /// Sets the state to the request's <c>random</c>, if present. Python omits a state that equals the last one sent or received.
    /// </summary>
    internal void Apply(JsonElement given, ValueDecoder decoder)
    {
        if (!given.TryGetProperty("random", out var random)) return;
        var (dtype, shape, elements) = decoder.ReadTensor(random.GetProperty("tensor"));
        using (var state = (IDisposable)_tensors.Create(dtype, shape, (byte*)elements))
            _set.Invoke(null, BindingFlags.DoNotWrapExceptions, null, [state], null);
        _lastExchanged = new ReadOnlySpan<byte>((byte*)elements, checked((int)TensorAccess.ByteLength(dtype, shape))).ToArray();
    }

    /// <summary>Writes the state as <c>random</c>, unless it equals the last one sent or received.</summary>
    internal void WriteIfChanged(Utf8JsonWriter result, ValueEncoder encoder)
    {
        var state = _get();
        var (dtype, shape) = _tensors.Describe(state);
        var bytes = new ReadOnlySpan<byte>(_tensors.Address(state), checked((int)TensorAccess.ByteLength(dtype, shape)));
        if (bytes.SequenceEqual(_lastExchanged))
        {
            ((IDisposable)state).Dispose();
            return;
        }

        _lastExchanged = bytes.ToArray();
        result.WritePropertyName("random");
        encoder.Write(result, state, _tensors);
    }
}
