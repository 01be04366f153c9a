using System.Reflection;

namespace Bridge.TorchSharp;

/// <summary>Reads values of TorchSharp's own types, besides tensors, as Python has them.</summary>
/// <param name="assembly">TorchSharp's.</param>
internal sealed class OwnValues(Assembly assembly)
{
    // What Python's named tuple has, in this order.
    private static readonly string[] Packed = ["data", "batch_sizes", "sorted_indices", "unsorted_indices"];

    private readonly Type? _scalar = assembly.GetType("TorchSharp.Scalar");
    private readonly Type? _conversions = assembly.GetType("TorchSharp.ScalarExtensionMethods");
    private readonly Type? _packed = assembly.GetType("TorchSharp.torch+nn+utils+rnn+PackedSequence");

    /// <summary>The number that a <c>Scalar</c> holds, the parts of a <c>PackedSequence</c>; null for any other value.</summary>
    internal object? Open(object value)
    {
        var type = value.GetType();
        if (type == _scalar) return Number(value);
        return type == _packed ? Array.ConvertAll(Packed, name => _packed.GetField(name)?.GetValue(value)) : null;
    }

    // By libtorch's numbers of types (rule 86): TorchSharp has as many kinds of scalars as of elements.
    private object? Number(object scalar)
    {
        var type = Convert.ToInt32(_scalar!.GetProperty("Type")!.GetValue(scalar), null);
        var to = type switch
        {
            >= 0 and <= 4 => "ToInt64",
            >= 5 and <= 7 or 15 => "ToDouble",
            11 => "ToBoolean",
            _ => null, // A complex one.
        };
        return to is null ? null : _conversions?.GetMethod(to, [_scalar!])?.Invoke(null, [scalar]);
    }
}
