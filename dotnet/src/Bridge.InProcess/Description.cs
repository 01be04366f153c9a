extern alias real;

using System.Text;
using System.Text.Json;
using Bridge.Torch;
using torch = real::TorchSharp.torch;

namespace Bridge.InProcess;

/// <summary>Describes a model to Python.</summary>
internal static class Description
{
    /// <summary>
    /// Returns the JSON text of a list with an object for each module, the root first:
    /// <list type="bullet">
    /// <item><c>id</c>, <c>path</c>, <c>type</c>: the module's number, first path and class</item>
    /// <item><c>library</c>: whether the class is one of TorchSharp itself</item>
    /// <item><c>children</c>: the numbers of the child modules by name</item>
    /// <item><c>training</c>: whether the module is in train mode</item>
    /// <item><c>callable</c>: whether the module has a <c>forward</c></item>
    /// <item><c>signature</c>, <c>arguments</c>, <c>types</c>: see <see cref="PythonTypes.WriteForward"/></item>
    /// <item><c>hooked</c>: whether the calls of the module can run hooks</item>
    /// <item><c>called</c>: whether the class has a <c>call</c></item>
    /// <item><c>overloads</c>: a list for each overload of <c>forward</c>, with a pair for each parameter: its name, and whether it has a
    /// default; empty if there are fewer than two overloads</item>
    /// <item><c>tensors</c>: a list for each parameter and buffer: its name, its <see cref="TensorKind"/>, and the number of the C#
    /// object</item>
    /// <item><c>members</c>: a list for each of <see cref="Members"/> whose name no tensor or child has: its name, whether it can be
    /// written, and whether it is set only while the object is created</item>
    /// </list>
    /// </summary>
    internal static string Write(Model model)
    {
        var numbers = model.Modules.ToDictionary(module => module.Module, module => module.Id, ReferenceEqualityComparer.Instance);
        using var stream = new MemoryStream();
        using (var json = new Utf8JsonWriter(stream))
        {
            json.WriteStartArray();
            foreach (var module in model.Modules) Write(json, module, numbers);
            json.WriteEndArray();
        }

        return Encoding.UTF8.GetString(stream.ToArray());
    }

    /// <summary>
    /// Returns the JSON text of an object for a module that C# has changed, with <c>training</c> and <c>tensors</c> as in <c>Write</c>.
    /// </summary>
    internal static string WriteState(HookedModule module)
    {
        using var stream = new MemoryStream();
        using (var json = new Utf8JsonWriter(stream))
        {
            json.WriteStartObject();
            json.WriteBoolean("training", module.Training);
            WriteTensors(json, module);
            json.WriteEndObject();
        }

        return Encoding.UTF8.GetString(stream.ToArray());
    }

    private static void WriteTensors(Utf8JsonWriter json, HookedModule module)
    {
        json.WriteStartArray("tensors");
        foreach (var (name, tensor, kind) in module.Tensors.Known)
        {
            json.WriteStartArray();
            json.WriteStringValue(name);
            json.WriteNumberValue((int)kind);
            json.WriteNumberValue(module.Model.NumberOf(tensor));
            json.WriteEndArray();
        }

        json.WriteEndArray();
    }

    private static void WriteParameters(Utf8JsonWriter json, IEnumerable<ForwardParameter> parameters)
    {
        json.WriteStartArray();
        foreach (var parameter in parameters)
        {
            json.WriteStartArray();
            json.WriteStringValue(parameter.Name);
            json.WriteBooleanValue(parameter.HasDefault);
            json.WriteEndArray();
        }

        json.WriteEndArray();
    }

    private static void Write(Utf8JsonWriter json, HookedModule module, Dictionary<object, long> numbers)
    {
        var own = (torch.nn.Module)module.Module;
        json.WriteStartObject();
        json.WriteNumber("id", module.Id);
        json.WriteString("path", module.Node.Path);
        json.WriteString("type", module.Node.Type);
        json.WriteBoolean("library", own.GetType().Assembly == typeof(torch).Assembly);
        json.WriteBoolean("training", own.training);
        json.WriteBoolean("hooked", module.Node.Hooks is not null);
        json.WriteStartObject("children");
        foreach (var (name, child) in module.Node.Children) json.WriteNumber(name, numbers[child.Module]);
        json.WriteEndObject();
        json.WriteBoolean("called", module.HasCall);
        json.WriteBoolean("callable", module.Parameters is not null);
        PythonTypes.WriteForward(json, own.GetType(), module.Parameters ?? []);
        json.WriteStartArray("overloads");
        foreach (var overload in module.Overloads is { Lists.Count: > 1 } overloads ? overloads.Lists : []) WriteParameters(json, overload);
        json.WriteEndArray();
        WriteTensors(json, module);
        json.WriteStartArray("members");
        var taken = module.Tensors.Known.Select(tensor => tensor.Name).Concat(module.Node.Children.Keys).ToHashSet();
        foreach (var (name, member) in Members.Of(own.GetType()))
        {
            if (taken.Contains(name)) continue;
            json.WriteStartArray();
            json.WriteStringValue(name);
            json.WriteBooleanValue(Members.IsWritable(member));
            json.WriteBooleanValue(PythonTypes.IsSetByConstructor(member));
            json.WriteEndArray();
        }

        json.WriteEndArray();
        json.WriteEndObject();
    }
}
