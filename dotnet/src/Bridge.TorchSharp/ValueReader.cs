using System.Collections;
using System.Globalization;
using System.Reflection;
using System.Runtime.CompilerServices;
using Bridge.Hooks;

namespace Bridge.TorchSharp;

/// <summary>Reads values of one type as a trace has them.</summary>
internal abstract class ValueReader
{
    /// <summary>The <see cref="ValueReader{T}"/> of a type.</summary>
    internal static object Of(Type type, Library library)
    {
        return library.Tensor.IsAssignableFrom(type)
            ? typeof(TensorValueReader<,>).MakeGenericType(type, library.Tensor).GetConstructors(Hidden)[0].Invoke([library.Tensors])
            : typeof(AnyValueReader<>).MakeGenericType(type).GetConstructors(Hidden)[0].Invoke([library.Tensors, library.Values]);
    }

    private protected static BindingFlags Hidden => BindingFlags.Instance | BindingFlags.NonPublic | BindingFlags.Public;
}

/// <inheritdoc/>
internal abstract class ValueReader<T> : ValueReader
{
    internal abstract void Read(T value, Leaves leaves);

    /// <summary>The way back for a result that a hook gave.</summary>
    /// <exception cref="InvalidCastException">It is of another type.</exception>
    internal static T Unbox(object? value) =>
        value is T fits ? fits : throw new InvalidCastException($"The module's result is a {typeof(T)}, and a hook gave {value?.GetType().ToString() ?? "null"}.");
}

/// <summary>Reads a tensor; the argument's type may be a class below it.</summary>
internal sealed class TensorValueReader<T, TTensor>(TensorReader tensors) : ValueReader<T>
    where T : class, TTensor
    where TTensor : class
{
    private readonly TensorReader<TTensor> _tensors = (TensorReader<TTensor>)tensors;

    internal override void Read(T value, Leaves leaves) => _tensors.Add(value, leaves);
}

/// <summary>Reads whatever else a module takes or gives: tuples, lists and dictionaries are opened.</summary>
internal sealed class AnyValueReader<T>(TensorReader tensors, OwnValues own) : ValueReader<T>
{
    private const int Deepest = 100;

    internal override void Read(T value, Leaves leaves)
    {
        var before = leaves.Mark;
        leaves.IsReading = true;
        try
        {
            Add(value, leaves, 0);
        }
        catch (Exception exception) when (exception is not OutOfMemoryException)
        {
            // A list of the model's own that cannot be gone through must not end the model's call.
            leaves.Cut(before);
            leaves.Add(ValueKind.Object, 0);
        }
        finally
        {
            leaves.IsReading = false;
        }
    }

    private void Add(object? value, Leaves leaves, int depth)
    {
        switch (value)
        {
            case null: leaves.Add(ValueKind.None, 0); break;
            case bool truth: leaves.Add(ValueKind.Bool, truth ? 1 : 0); break;
            case long or int or short or byte or sbyte or uint or ushort or <= (ulong)long.MaxValue:
                leaves.Add(ValueKind.Int, Convert.ToInt64(value, CultureInfo.InvariantCulture));
                break;
            case double or float or Half:
                leaves.Add(ValueKind.Float, BitConverter.DoubleToInt64Bits(value is Half half ? (double)half : Convert.ToDouble(value, CultureInfo.InvariantCulture)));
                break;
            case string text: leaves.Add(text); break;
            default:
                if (tensors.TryAdd(value, leaves)) break;
                if (depth < Deepest && value is ITuple or IDictionary or IList) AddItems(value, leaves, depth + 1);
                else if (own.Open(value) is { } opened) Add(opened, leaves, depth + 1);
                else leaves.Add(ValueKind.Object, 0);
                break;
        }
    }

    private void AddItems(object items, Leaves leaves, int depth)
    {
        switch (items)
        {
            case ITuple tuple:
                for (var i = 0; i < tuple.Length; i++) Add(tuple[i], leaves, depth);
                break;
            case IDictionary map:
                foreach (var item in map.Values) Add(item, leaves, depth);
                break;
            case IList list:
                foreach (var item in list) Add(item, leaves, depth);
                break;
        }
    }
}
