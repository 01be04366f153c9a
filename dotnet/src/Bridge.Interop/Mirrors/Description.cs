using System.Globalization;
using System.Text.Json;
using Bridge.Torch;
using TorchSharp;
using TorchSharp.Modules;

namespace Bridge.Interop;

/// <summary>A module tree as Python gets it, once, when the mirror is made.</summary>
internal static class Description
{
    /// <summary>Collections, which Python can index and walk.</summary>
    private static readonly Type[] Holders =
    [
        typeof(Sequential), typeof(Sequential<,>), typeof(Sequential<,,>), typeof(Sequential<,,,>), typeof(Sequential<,,,,>), typeof(Sequential<,,,,,>),
        typeof(Sequential<,,,,,,>), typeof(ModuleList<>), typeof(ModuleDict<>), typeof(ParameterList), typeof(ParameterDict),
    ];

    /// <summary>
    /// JSON: <c>modules</c>, each once, depth first from the root: id, original (the id of the module that it is a copy of, or 0), type, full type, holder (the collection that it is, or null), training, mirrored (another model has it, and so its mirror), static (it lives as long as the process), arguments [name, has a default, the default], callable, hidden (its forward is private), plain (C# has no call for it, which would fire hooks), members, types and documented (see <see cref="Declarations"/>), properties (a built-in module's hyper-parameters by name), built_in (its class is TorchSharp's), renamed (children that have the name of an earlier one) [name, name in Python], children
    /// [name, id], parameters [name, number], buffers [name, number, persistent]. A tied tensor has one number. The root has notes too: what the user should know.
    /// </summary>
    /// <param name="root">The module.</param>
    /// <param name="tensors">Takes the tensors, by number; null for a copied tree, in which none has a number.</param>
    /// <param name="notes">What was noticed when the root was made.</param>
    /// <param name="originals">Of each module of a copied tree its original; null if it is no such tree.</param>
    internal static byte[] Write(torch.nn.Module root, List<torch.Tensor>? tensors, IReadOnlyCollection<string> notes, IReadOnlyDictionary<torch.nn.Module, torch.nn.Module>? originals = null)
    {
        var numbers = new Dictionary<torch.Tensor, int>(ReferenceEqualityComparer.Instance);
        int? Number(torch.Tensor tensor)
        {
            if (tensors is null) return null;
            if (numbers.TryGetValue(tensor, out var known)) return known;
            tensors.Add(tensor);
            return numbers[tensor] = tensors.Count - 1;
        }

        using var stream = new MemoryStream();
        using (var json = new Utf8JsonWriter(stream))
        {
            json.WriteStartArray();
            var modules = root.Tree.Where(module => !module.IsPythonProxy).ToList();
            var statics = StaticFields.Modules(modules);
            foreach (var module in modules)
            {
                json.WriteStartObject();
                json.WriteNumber("id", module.Id);
                if (module == root)
                {
                    json.WriteStartArray("notes");
                    foreach (var note in notes) json.WriteStringValue(note);
                    json.WriteEndArray();
                }

                json.WriteNumber("original", originals?.GetValueOrDefault(module)?.Id ?? 0);
                json.WriteString("type", Name(module.GetType()));
                json.WriteString("full", module.GetType().FullName);
                json.WriteBoolean("built_in", BuiltInProperties.IsBuiltIn(module));
                json.WriteString("holder", Holder(module.GetType()));
                json.WriteBoolean("training", module.training);
                json.WriteBoolean("mirrored", module.Link is not null);
                json.WriteBoolean("static", statics.Contains(module));
                json.WriteStartArray("arguments");
                foreach (var parameter in module.Parameters ?? [])
                {
                    json.WriteStartArray();
                    json.WriteStringValue(parameter.Name);
                    json.WriteBooleanValue(parameter.HasDefault);
                    if (parameter.HasDefault) Literal(json, parameter.Default);
                    json.WriteEndArray();
                }

                json.WriteEndArray();
                json.WriteBoolean("callable", module.Parameters is not null);
                json.WriteBoolean("hidden", module.Parameters is null && UntypedForward.IsHidden(module.GetType()));
                json.WriteBoolean("plain", !module.HasCall);
                Declarations.Write(json, module);
                json.WriteStartObject("properties");
                foreach (var (name, value) in BuiltInProperties.Of(module))
                {
                    json.WritePropertyName(name);
                    Property(json, value);
                }

                json.WriteEndObject();
                json.WriteStartArray("children");
                foreach (var (name, child) in module.Children)
                {
                    // Python copies what it represents.
                    if (child is { IsPythonProxy: true, Link: null }) continue;
                    json.WriteStartArray();
                    json.WriteStringValue(name);
                    json.WriteNumberValue(child.Id);
                    json.WriteEndArray();
                }

                json.WriteEndArray();
                json.WriteStartArray("renamed");
                foreach (var (name, other) in module.Renamed)
                {
                    json.WriteStartArray();
                    json.WriteStringValue(name);
                    json.WriteStringValue(other);
                    json.WriteEndArray();
                }

                json.WriteEndArray();
                json.WriteStartArray("parameters");
                foreach (var (name, parameter) in module.OwnParameters) Entry(json, name, Number(parameter), null);
                json.WriteEndArray();
                json.WriteStartArray("buffers");
                foreach (var (name, buffer, persistent) in module.OwnBuffers) Entry(json, name, Number(buffer), persistent);
                json.WriteEndArray();
                json.WriteEndObject();
            }

            json.WriteEndArray();
        }

        return stream.ToArray();
    }

    private static string? Holder(Type? type)
    {
        for (; type is not null; type = type.BaseType)
            if (Holders.Contains(type.IsGenericType ? type.GetGenericTypeDefinition() : type)) return Name(type);
        return null;
    }

    private static string Name(Type type)
    {
        var tick = type.Name.IndexOf('`', StringComparison.Ordinal);
        return tick < 0 ? type.Name : type.Name[..tick];
    }

    /// <summary>A default as Python writes it; nothing if Python has no such type.</summary>
    private static void Literal(Utf8JsonWriter json, object? value)
    {
        switch (value)
        {
            case null: json.WriteNullValue(); break;
            case bool truth: json.WriteBooleanValue(truth); break;
            case string text: json.WriteStringValue(text); break;
            case long or int or short or byte: json.WriteNumberValue(Convert.ToInt64(value, CultureInfo.InvariantCulture)); break;
            // As text with a point, so that Python reads a float.
            case float or double when double.IsFinite(Convert.ToDouble(value, CultureInfo.InvariantCulture)):
                json.WriteRawValue(Convert.ToDouble(value, CultureInfo.InvariantCulture).ToString("E16", CultureInfo.InvariantCulture));
                break;
        }
    }

    private static void Property(Utf8JsonWriter json, object? value)
    {
        switch (value)
        {
            case object?[] items:
                json.WriteStartArray();
                foreach (var item in items) Property(json, item);
                json.WriteEndArray();
                break;
            case double real when !double.IsFinite(real):
                // As Python's reader takes it.
                json.WriteRawValue(double.IsNaN(real) ? "NaN" : real > 0 ? "Infinity" : "-Infinity", skipInputValidation: true);
                break;
            case double real:
                var text = real.ToString("R", CultureInfo.InvariantCulture);
                json.WriteRawValue(text.AsSpan().ContainsAny(".E") ? text : text + ".0");
                break;
            default: Literal(json, value); break;
        }
    }

    private static void Entry(Utf8JsonWriter json, string name, int? number, bool? persistent)
    {
        json.WriteStartArray();
        json.WriteStringValue(name);
        if (number is { } given) json.WriteNumberValue(given);
        else json.WriteNullValue();
        if (persistent is { } kept) json.WriteBooleanValue(kept);
        json.WriteEndArray();
    }
}
