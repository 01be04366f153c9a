using Bridge.Hooks;

namespace Bridge.TorchSharp;

/// <summary>The names of a recording's modules by their numbers. It does not refer to the modules themselves.</summary>
/// <param name="modules">The modules.</param>
/// <param name="decoder">The decoder, which has the texts of the current event.</param>
/// <param name="stored">Whether a file of values has the elements of tensors.</param>
internal sealed class RecordedNames(IReadOnlyList<ModuleNode> modules, EventDecoder decoder, bool stored) : TraceNames
{
    private readonly (string Path, string Type)[] _modules = [.. modules.Select(node => (node.Path, node.Type))];

    public override string Path(in EventRecord record) => _modules[record.Path].Path;

    public override string Type(in EventRecord record) => _modules[record.Path].Type;

    public override string? Text(in ValueRecord value) => decoder.Texts[(int)value.Payload];

    public override string? Digest(in ValueRecord value) => value.Payload < 0 ? null : decoder.Texts[(int)value.Payload];

    public override bool Stored(in ValueRecord value) => stored;

    /// <summary>Returns the decoder's current event.</summary>
    internal TraceEvent Read(TraceBuffer buffer, long number)
    {
        ref readonly var record = ref buffer.Events[0];
        var values = new TraceValue[buffer.Values.Length];
        for (var i = 0; i < values.Length; i++)
        {
            ref readonly var value = ref buffer.Values[i];
            values[i] = TraceValue.Read(value, buffer.Dims.Slice((int)value.FirstDim, value.Ndim), this);
        }

        return new()
        {
            Number = number,
            Phase = record.Phase,
            Path = Path(record),
            Type = Type(record),
            Call = record.Call,
            Parent = record.Parent,
            Depth = decoder.Depth,
            Values = values,
            Cost = decoder.Cost,
        };
    }
}
