using System.Collections;
using System.Diagnostics.CodeAnalysis;
using System.Globalization;
using System.Reflection;
using System.Runtime.CompilerServices;
using Bridge.Hooks;

namespace Bridge.TorchSharp;

/// <summary>The reader that records values of one type.</summary>
internal abstract class ValueReader
{
    /// <summary>Creates the <see cref="ValueReader{T}"/> of a type.</summary>
    [RequiresUnreferencedCode(Trimming.Reason)]
    [RequiresDynamicCode(Trimming.Reason)]
    internal static object Create(Type type, Library library)
    {
        return library.Tensor.IsAssignableFrom(type)
            ? typeof(TensorValueReader<,>).MakeGenericType(type, library.Tensor).GetConstructors(Hidden)[0].Invoke([library.Tensors])
            : typeof(AnyValueReader<>).MakeGenericType(type).GetConstructors(Hidden)[0].Invoke([library.Tensors, library.Unwrapper]);
    }

    private protected static BindingFlags Hidden => BindingFlags.Instance | BindingFlags.NonPublic | BindingFlags.Public;
}

internal abstract class ValueReader<T> : ValueReader
{
    internal abstract void Read(T value, EventValues values);

    /// <summary>Reads a tensor without an <see cref="EventValues"/>; returns false if that cannot be done.</summary>
    internal virtual bool TryRead(T value, ref LastTensor last, out TensorInfo tensor)
    {
        tensor = default;
        return false;
    }

    /// <summary>Converts a result that a hook assigned.</summary>
    /// <exception cref="InvalidCastException">The value has another type, or is null.</exception>
    internal static T Unbox(object? value)
    {
        if (value is T fits) return fits;
        throw new InvalidCastException(
            $"The module's result is a {typeof(T)}, but a hook assigned {value?.GetType().ToString() ?? "null"}.");
    }
}

/// <summary>The reader of tensors. The declared type may be derived from TorchSharp's tensor.</summary>
internal sealed class TensorValueReader<T, TTensor>(TensorReader tensors) : ValueReader<T>
    where T : class, TTensor
    where TTensor : class
{
    private readonly TensorReader<TTensor> _tensors = (TensorReader<TTensor>)tensors;

    internal override void Read(T value, EventValues values) => _tensors.Add(value, values);

    internal override bool TryRead(T value, ref LastTensor last, out TensorInfo tensor) =>
        _tensors.TryRead(value, ref last, out tensor);
}

/// <summary>The reader of values of all other types. It reads the items of a tuple or list, and the values of a dictionary.</summary>
internal sealed class AnyValueReader<T>(TensorReader tensors, ValueUnwrapper unwrapper) : ValueReader<T>
{
    private const int MaxDepth = 100;

    internal override void Read(T value, EventValues values)
    {
        var before = values.Mark;
        values.IsReading = true;
        try
        {
            Add(value, values, 0);
        }
        catch (Exception exception) when (exception is not OutOfMemoryException)
        {
            // An enumerator of one of the model's own types may throw. Its exception must not end the model's call.
            values.Truncate(before);
            values.Add(ValueKind.Object, 0);
        }
        finally
        {
            values.IsReading = false;
        }
    }

    private void Add(object? value, EventValues values, int depth)
    {
        switch (value)
        {
            case null: values.Add(ValueKind.None, 0); break;
            case bool truth: values.Add(ValueKind.Bool, truth ? 1 : 0); break;
            case long or int or short or byte or sbyte or uint or ushort or <= (ulong)long.MaxValue:
                values.Add(ValueKind.Int, Convert.ToInt64(value, CultureInfo.InvariantCulture));
                break;
            case double or float or Half:
                var real = value is Half half ? (double)half : Convert.ToDouble(value, CultureInfo.InvariantCulture);
                values.Add(ValueKind.Float, BitConverter.DoubleToInt64Bits(real));
                break;
            case string text: values.Add(text); break;
            default:
                if (tensors.TryAdd(value, values)) break;
                if (depth < MaxDepth && value is ITuple or IDictionary or IList) AddItems(value, values, depth + 1);
                else if (unwrapper.Unwrap(value) is { } opened) Add(opened, values, depth + 1);
                else values.Add(ValueKind.Object, 0);
                break;
        }
    }

    private void AddItems(object items, EventValues values, int depth)
    {
        switch (items)
        {
            case ITuple tuple:
                for (var i = 0; i < tuple.Length; i++) Add(tuple[i], values, depth);
                break;
            case IDictionary map:
                foreach (var item in map.Values) Add(item, values, depth);
                break;
            case IList list:
                foreach (var item in list) Add(item, values, depth);
                break;
        }
    }
}
