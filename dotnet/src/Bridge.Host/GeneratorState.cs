using System.Reflection;
using System.Text.Json;

namespace Bridge.Host;

/// <summary>The generator that TorchSharp draws from on the CPU, which is Python's as far as anybody sees: its state comes with requests and goes back.</summary>
internal sealed unsafe class GeneratorState
{
    private readonly TensorCrossing _tensors;
    private readonly Func<object> _get;
    private readonly MethodInfo _set;
    private byte[] _known = [];

    private GeneratorState(TensorCrossing tensors, Func<object> get, MethodInfo set) => (_tensors, _get, _set) = (tensors, get, set);

    /// <summary>That of a TorchSharp; null where it has no such functions.</summary>
    /// <param name="torch">Its <c>torch</c>.</param>
    /// <param name="tensors">How its tensors cross.</param>
    internal static GeneratorState? Of(Type torch, TensorCrossing tensors)
    {
        const BindingFlags functions = BindingFlags.Public | BindingFlags.Static;
        var get = torch.GetMethod("get_rng_state", functions, [])?.CreateDelegate<Func<object>>();
        var set = torch.GetMethod("set_rng_state", functions, [tensors.Tensor]);
        return get is null || set is null ? null : new(tensors, get, set);
    }

    /// <summary>Takes over the state that comes as <c>random</c>: Python's, where it is not the one that was given to it last.</summary>
    internal void Follow(JsonElement given, Incoming incoming)
    {
        if (!given.TryGetProperty("random", out var random)) return;
        var (dtype, shape, elements) = incoming.Elements(random.GetProperty("tensor"));
        using (var state = (IDisposable)_tensors.Make(dtype, shape, (byte*)elements)) _set.Invoke(null, BindingFlags.DoNotWrapExceptions, null, [state], null);
        _known = new ReadOnlySpan<byte>((byte*)elements, checked((int)TensorCrossing.Length(dtype, shape))).ToArray();
    }

    /// <summary>Writes the state as <c>random</c> if something was drawn.</summary>
    internal void Write(Utf8JsonWriter result, Outgoing outgoing)
    {
        var state = _get();
        var (dtype, shape) = _tensors.Describe(state);
        var bytes = new ReadOnlySpan<byte>(_tensors.Address(state), checked((int)TensorCrossing.Length(dtype, shape)));
        if (bytes.SequenceEqual(_known))
        {
            ((IDisposable)state).Dispose();
            return;
        }

        _known = bytes.ToArray();
        result.WritePropertyName("random");
        outgoing.Write(result, state, _tensors);
    }
}
