using System.Text.Json;
using TorchSharp;

namespace Bridge.Conformance.Mirrored;

/// <summary>Values of programs (docs/programs.md). <see cref="Writer"/> is the way back.</summary>
internal static class Values
{
    /// <summary>What a program's value stands for.</summary>
    internal static object? Make(JsonElement value, torch.Device device)
    {
        if (value.ValueKind == JsonValueKind.Null) return null;
        if (value.ValueKind != JsonValueKind.Object) return torch.tensor([value.GetDouble()], torch.float64, device);
        var form = value.EnumerateObject().First();
        return form.Name switch
        {
            "plain" => form.Value.TryGetInt64(out var whole) ? whole : form.Value.GetDouble(),
            "text" => form.Value.GetString(),
            "vector" => torch.tensor(form.Value.EnumerateArray().Select(item => item.GetDouble()).ToArray(), torch.float64, device),
            "tuple" => new TupleOf(form.Value.EnumerateArray().Select(item => Make(item, device)).ToArray()),
            "list" => form.Value.EnumerateArray().Select(item => Make(item, device)).ToList(),
            "dict" => form.Value.EnumerateObject().ToDictionary(item => item.Name, item => Make(item.Value, device)),
            _ => throw new NotSupportedException($"C# makes no value of the form '{form.Name}'."),
        };
    }
}
