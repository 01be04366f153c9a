using System.Reflection;

namespace Bridge.TorchSharp;

/// <summary>Converts values of TorchSharp's own types, except tensors, to those that Python has.</summary>
/// <param name="assembly">TorchSharp.</param>
internal sealed class ValueUnwrapper(Assembly assembly)
{
    // The fields of Python's named tuple, in order.
    private static readonly string[] Packed = ["data", "batch_sizes", "sorted_indices", "unsorted_indices"];

    private readonly Type? _scalar = assembly.GetType("TorchSharp.Scalar");
    private readonly Type? _conversions = assembly.GetType("TorchSharp.ScalarExtensionMethods");
    private readonly Type? _packed = assembly.GetType("TorchSharp.torch+nn+utils+rnn+PackedSequence");

    /// <summary>Returns the number of a <c>Scalar</c>, or the parts of a <c>PackedSequence</c>; null for any other value.</summary>
    internal object? Unwrap(object value)
    {
        var type = value.GetType();
        if (type == _scalar) return Number(value);
        return type == _packed ? Array.ConvertAll(Packed, name => _packed.GetField(name)?.GetValue(value)) : null;
    }

    // TorchSharp's ScalarType has libtorch's numbers.
    private object? Number(object scalar)
    {
        var type = Convert.ToInt32(_scalar!.GetProperty("Type")!.GetValue(scalar), null);
        var to = type switch
        {
            >= 0 and <= 4 => "ToInt64",
            >= 5 and <= 7 or 15 => "ToDouble",
            11 => "ToBoolean",
            _ => null, // A complex number.
        };
        return to is null ? null : _conversions?.GetMethod(to, [_scalar!])?.Invoke(null, [scalar]);
    }
}
