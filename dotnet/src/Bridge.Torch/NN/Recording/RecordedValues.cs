using System.Collections;
using System.Globalization;
using System.Reflection;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using Bridge.Hooks;
using TorchSharp;

namespace Bridge.Torch;

/// <summary>
/// The tensors and other values in arguments or a result, read before the recording's lock is taken. Each thread reuses one object.
/// </summary>
internal sealed class RecordedValues : IDisposable
{
    [ThreadStatic]
    private static RecordedValues? _spare;

    private readonly List<Value> _items = [];
    private readonly List<long> _sizes = [];

    // The objects whose fields are being added. If a field leads back to such an object, the object is added without its fields.
    private readonly Stack<object> _open = [];
    private bool _copiesTensors;

    private RecordedValues() { }

    /// <summary>Reads a value; tuples, lists, dictionaries and objects of users' classes are flattened.</summary>
    /// <param name="value">The arguments or the result.</param>
    /// <param name="values">Whether to copy the tensors.</param>
    internal static RecordedValues Of<T>(T value, bool values)
    {
        // A nested recorded call must not take this object: enumerating a list may run code that calls modules.
        var recorded = _spare ?? new();
        _spare = null;
        recorded._copiesTensors = values;
        try
        {
            recorded.Add(value);
            return recorded;
        }
        catch
        {
            recorded.Dispose();
            throw;
        }
    }

    /// <summary>Adds the values to the last event. The caller holds the recording's lock.</summary>
    internal void Write(CallRecorder recorder)
    {
        var buffer = recorder.Buffer;
        var sizes = CollectionsMarshal.AsSpan(_sizes);
        foreach (ref var item in CollectionsMarshal.AsSpan(_items))
        {
            var payload = item.Bits;
            if (item.Kind == ValueKind.Tensor)
            {
                payload = item.Copy is null ? -1 : recorder.Kept.Count;
                buffer.AddTensor(item.DType, item.DeviceType, item.DeviceIndex, sizes.Slice(item.FirstSize, item.Sizes), payload);
                if (item.Copy is not null) recorder.Kept.Add(item.Copy);
                item.Copy = null;
                continue;
            }

            if (item.Text is not null)
            {
                payload = recorder.Texts.Count;
                recorder.Texts.Add(item.Text);
            }

            buffer.AddLiteral(item.Kind, payload);
        }
    }

    /// <summary>Frees the copies that <see cref="Write"/> did not add, and keeps this object for reuse.</summary>
    public void Dispose()
    {
        foreach (var item in _items) item.Copy?.Dispose();
        _items.Clear();
        _sizes.Clear();
        _open.Clear();
        _spare = this;
    }

    private void Add<T>(T value)
    {
        switch (value)
        {
            case torch.nn.utils.rnn.PackedSequence.Entry { Sequence: var sequence }: AddPacked(sequence); break;
            case torch.nn.utils.rnn.PackedSequence sequence: AddPacked(sequence); break;
            case torch.Tensor tensor: AddTensor(tensor); break;
            case null: _items.Add(new() { Kind = ValueKind.None }); break;
            case bool truth: _items.Add(new() { Kind = ValueKind.Bool, Bits = truth ? 1 : 0 }); break;
            case long integer: _items.Add(new() { Kind = ValueKind.Int, Bits = integer }); break;
            case int or short or byte or sbyte or uint or ushort or <= (ulong)long.MaxValue:
                _items.Add(new() { Kind = ValueKind.Int, Bits = Convert.ToInt64(value, CultureInfo.InvariantCulture) });
                break;
            case double real: AddReal(real); break;
            case float real: AddReal(real); break;
            case string text: _items.Add(new() { Kind = ValueKind.Str, Text = text }); break;
            case Half real: AddReal((double)real); break;
            case ITuple or ListOfValues or DictOfValues or IDictionary or IList:
                Nesting.Check();
                AddItems(value);
                break;
            case not torch.nn.Module when DataFields.Of(value.GetType()) is { Length: > 0 } fields && !_open.Contains(value):
                AddFields(value, fields);
                break;
            default: _items.Add(new() { Kind = ValueKind.Object }); break;
        }
    }

    private void AddFields(object value, FieldInfo[] fields)
    {
        Nesting.Check();
        _open.Push(value);
        foreach (var field in fields) Add(field.GetValue(value));
        _open.Pop();
    }

    private void AddItems(object items)
    {
        switch (items)
        {
            case ITuple tuple:
                for (var i = 0; i < tuple.Length; i++) Add(tuple[i]);
                break;
            case ListOfValues list:
                foreach (var item in list.Items) Add(item);
                break;
            case DictOfValues map:
                foreach (var (_, item) in map.Items) Add(item);
                break;
            case IDictionary map:
                foreach (var item in map.Values) Add(item);
                break;
            case IList list:
                foreach (var item in list) Add(item);
                break;
        }
    }

    // PyTorch's PackedSequence is a tuple of four items.
    private void AddPacked(torch.nn.utils.rnn.PackedSequence sequence)
    {
        foreach (var part in sequence.Parts) Add(part);
    }

    private void AddReal(double real) => _items.Add(new() { Kind = ValueKind.Float, Bits = BitConverter.DoubleToInt64Bits(real) });

    private void AddTensor(torch.Tensor tensor)
    {
        using var lease = tensor.Lease();
        var form = new RecordedTensor(lease.Handle);
        var item = new Value
        {
            Kind = ValueKind.Tensor,
            DType = form.DType,
            DeviceType = form.DeviceType,
            DeviceIndex = form.DeviceIndex,
            FirstSize = _sizes.Count,
            Sizes = form.Sizes.Length,
        };
        _sizes.AddRange(form.Sizes);
        // libtorch cannot clone integers of 1 to 7 bits (dtypes 30 to 43) or quantized integers of 2 or 4 bits (dtypes 16 and 17).
        if (_copiesTensors && form.DType is not (>= 30 and <= 43 or 16 or 17))
        {
            var scope = DisposeScope.Suspend();
            try
            {
                using var off = torch.no_grad();
                using var plain = tensor.detach();
                item.Copy = plain.clone();
            }
            finally
            {
                DisposeScope.Resume(scope);
            }
        }

        _items.Add(item);
    }

    private struct Value
    {
        public ValueKind Kind;
        public sbyte DType;
        public int DeviceType;
        public int DeviceIndex;
        public int FirstSize;
        public int Sizes;
        public long Bits;
        public torch.Tensor? Copy;
        public string? Text;
    }
}
