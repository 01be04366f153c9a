using System.Globalization;
using System.Text.Json;
using Bridge.Torch;
using TorchSharp;
using TorchSharp.Modules;

namespace Bridge.Interop;

/// <summary>Writes the description of a C# module tree. Python creates a Python module, the mirror, for each described module.</summary>
internal static class Description
{
    /// <summary>The collection classes, whose mirrors can be indexed and iterated.</summary>
    private static readonly Type[] Collections =
    [
        typeof(Sequential), typeof(Sequential<,>), typeof(Sequential<,,>), typeof(Sequential<,,,>), typeof(Sequential<,,,,>),
        typeof(Sequential<,,,,,>), typeof(Sequential<,,,,,,>),
        typeof(ModuleList<>), typeof(ModuleDict<>), typeof(ParameterList), typeof(ParameterDict),
    ];

    /// <summary>
    /// Returns a JSON array with one object for each module, depth first from the root. C# proxies of Python modules are left out. The
    /// members of an object are:
    /// <list type="bullet">
    /// <item>id</item>
    /// <item>original: the id of the module of which this module is a copy, or 0</item>
    /// <item>type, full: the class's name without and with the namespace</item>
    /// <item>built_in: whether the class is TorchSharp's</item>
    /// <item>holder: the collection class that the class is or derives from, or null</item>
    /// <item>training: whether the module is in train mode</item>
    /// <item>mirrored: whether the module already has a mirror</item>
    /// <item>static: whether a static field holds the module</item>
    /// <item>arguments: an array for each parameter of forward: its name, whether it has a default, and the default, which is absent if
    /// there is none or JSON has no such value</item>
    /// <item>overloads: for each overload of forward, its parameters as in arguments; empty if there are fewer than two overloads</item>
    /// <item>signature: the declaration of forward in C#, for messages</item>
    /// <item>callable: whether the module has a forward that can be called</item>
    /// <item>hidden: whether the only forward is private or protected</item>
    /// <item>plain: whether the class has no call, so that C# cannot call the module with its hooks</item>
    /// <item>members, types, constructors, declarations, documented: see <see cref="Declarations.Write"/></item>
    /// <item>properties: the hyper-parameters of a built-in module; empty for any other module</item>
    /// <item>children: an array [name, id] for each child</item>
    /// <item>renamed: an array [name, name in Python] for each child with the name of an earlier child</item>
    /// <item>parameters: an array [name, number] for each parameter; tied tensors share a number</item>
    /// <item>buffers: an array [name, number, persistent] for each buffer</item>
    /// <item>notes: messages for the user; only the root has them</item>
    /// </list>
    /// </summary>
    /// <param name="root">The module.</param>
    /// <param name="tensors">
    /// The list to which the tensors are added, in the order of their numbers; null for a copied tree, where every number is null.
    /// </param>
    /// <param name="notes">The messages for the user from the creation of the root.</param>
    /// <param name="originals">The original of each module of a copied tree; null if the tree is not a copy.</param>
    internal static byte[] Write(
        torch.nn.Module root, List<torch.Tensor>? tensors, IReadOnlyCollection<string> notes,
        IReadOnlyDictionary<torch.nn.Module, torch.nn.Module>? originals = null)
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
                module.CheckHookFields();
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
                WriteParameters(json, module.Parameters ?? []);
                json.WriteEndArray();
                json.WriteStartArray("overloads");
                foreach (var overload in Overloads(module))
                {
                    json.WriteStartArray();
                    WriteParameters(json, overload);
                    json.WriteEndArray();
                }

                json.WriteEndArray();
                json.WriteString("signature", CSharpNames.Signature(module));
                json.WriteBoolean("callable", module.Parameters is not null);
                json.WriteBoolean("hidden", module.Parameters is null && ForwardOverloads.IsHidden(module.GetType()));
                json.WriteBoolean("plain", !module.HasCall);
                Declarations.Write(json, module);
                json.WriteStartObject("properties");
                foreach (var (name, value) in BuiltInProperties.Of(module))
                {
                    json.WritePropertyName(name);
                    WriteProperty(json, value);
                }

                json.WriteEndObject();
                json.WriteStartArray("children");
                foreach (var (name, child) in module.Children)
                {
                    // A copied proxy of a Python module: Python copies the module itself.
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
                foreach (var (name, parameter) in module.OwnParameters) WriteTensor(json, name, Number(parameter), null);
                json.WriteEndArray();
                json.WriteStartArray("buffers");
                foreach (var (name, buffer, persistent) in module.OwnBuffers) WriteTensor(json, name, Number(buffer), persistent);
                json.WriteEndArray();
                json.WriteEndObject();
            }

            json.WriteEndArray();
        }

        return stream.ToArray();
    }

    private static IReadOnlyList<ForwardParameter[]> Overloads(torch.nn.Module module) =>
        (module.HasCall ? ForwardOverloads.Added(module.GetType()) : ForwardOverloads.Of(module.GetType()))?.Lists is { Count: > 1 } lists
            ? lists : [];

    private static void WriteParameters(Utf8JsonWriter json, IEnumerable<ForwardParameter> parameters)
    {
        foreach (var parameter in parameters)
            PythonTypes.WriteParameter(json, parameter.Name, parameter.HasDefault, parameter.Default);
    }

    private static string? Holder(Type? type)
    {
        for (; type is not null; type = type.BaseType)
            if (Collections.Contains(type.IsGenericType ? type.GetGenericTypeDefinition() : type)) return Name(type);
        return null;
    }

    private static string Name(Type type)
    {
        var tick = type.Name.IndexOf('`', StringComparison.Ordinal);
        return tick < 0 ? type.Name : type.Name[..tick];
    }

    private static void WriteProperty(Utf8JsonWriter json, object? value)
    {
        switch (value)
        {
            case object?[] items:
                json.WriteStartArray();
                foreach (var item in items) WriteProperty(json, item);
                json.WriteEndArray();
                break;
            case double real when !double.IsFinite(real):
                // Python's json module reads these names.
                json.WriteRawValue(double.IsNaN(real) ? "NaN" : real > 0 ? "Infinity" : "-Infinity", skipInputValidation: true);
                break;
            case double real:
                var text = real.ToString("R", CultureInfo.InvariantCulture);
                json.WriteRawValue(text.AsSpan().ContainsAny(".E") ? text : text + ".0");
                break;
            default: PythonTypes.WriteLiteral(json, value); break;
        }
    }

    private static void WriteTensor(Utf8JsonWriter json, string name, int? number, bool? persistent)
    {
        json.WriteStartArray();
        json.WriteStringValue(name);
        if (number is { } given) json.WriteNumberValue(given);
        else json.WriteNullValue();
        if (persistent is { } kept) json.WriteBooleanValue(kept);
        json.WriteEndArray();
    }
}
