using System.Diagnostics.CodeAnalysis;
using System.Reflection;

namespace Bridge.TorchSharp;

/// <summary>The converter of TorchSharp's <c>Scalar</c> and <c>PackedSequence</c> to values that traces can record.</summary>
/// <param name="assembly">The assembly of TorchSharp.</param>
[RequiresUnreferencedCode(Trimming.Reason)]
[RequiresDynamicCode(Trimming.Reason)]
internal sealed class ValueUnwrapper(Assembly assembly)
{
    // The fields of PyTorch's PackedSequence, which is a named tuple, in order.
    private static readonly string[] PackedFields = ["data", "batch_sizes", "sorted_indices", "unsorted_indices"];

    private readonly Type? _scalar = assembly.GetType("TorchSharp.Scalar");
    private readonly Type? _conversions = assembly.GetType("TorchSharp.ScalarExtensionMethods");
    private readonly Type? _packed = assembly.GetType("TorchSharp.torch+nn+utils+rnn+PackedSequence");

    /// <summary>Returns the value of a non-complex <c>Scalar</c>, or the fields of a <c>PackedSequence</c>; otherwise null.</summary>
    internal object? Unwrap(object value)
    {
        var type = value.GetType();
        if (type == _scalar) return Number(value);
        return type == _packed ? Array.ConvertAll(PackedFields, name => _packed.GetField(name)?.GetValue(value)) : null;
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
