using System.Linq;

namespace Bridge.Generator;

/// <summary>Writes code with libtorch's numbers of scalar types and devices.</summary>
internal static class TorchNumbers
{
    /// <summary>Writes the class that converts numbers to PyTorch's names.</summary>
    internal static Source Names(Entry manifest)
    {
        var source = new Source().Line("namespace Bridge.Hooks;").Line();
        source.Summary("Converts libtorch's numbers of scalar types and devices to PyTorch's names.");
        source.Open("public static class TorchNumbers");
        source.Summary("Returns the name of a scalar type, such as <c>float32</c>; for an unknown number, its digits.");
        source.Line("public static string Type(int number) => number switch").Line("{");
        foreach (var entry in manifest.List("dtypes")) source.Line($"{entry.Text("code")} => \"{entry.Name}\",");
        source.Line("_ => $\"{number}\",").Line("};").Line();
        source.Summary("Returns the name of a device type, such as <c>cuda</c>; for an unknown number, its digits.");
        source.Line("public static string Device(int number) => number switch").Line("{");
        foreach (var entry in manifest.List("devices")) source.Line($"{entry.Text("code")} => \"{entry.Name}\",");
        source.Line("_ => $\"{number}\",").Line("};");
        return source.Close();
    }

    /// <summary>Writes TorchSharp's enumerations <c>DeviceType</c> and <c>ScalarType</c>.</summary>
    internal static Source Enums(Entry manifest)
    {
        var source = new Source().Line("namespace TorchSharp;").Line();
        source.Summary("Device types, numbered as in libtorch.").Open("public enum DeviceType");
        foreach (var entry in manifest.List("devices"))
            source.Summary($"<c>{entry.Name}</c>").Line($"{entry.Text("torchsharp")} = {entry.Text("code")},");
        source.Close().Line().Open("public static partial class torch");
        source.Summary("Element types, numbered as in libtorch.").Open("public enum ScalarType : sbyte");
        foreach (var entry in manifest.List("dtypes").Where(entry => entry.Text("torchsharp") is not null))
            source.Summary($"<c>torch.{entry.Name}</c>").Line($"{entry.Text("torchsharp")} = {entry.Text("code")},");
        return source.Close().Close();
    }
}
