using System;
using System.Collections.Generic;
using System.Linq;

namespace Bridge.Generator;

/// <summary>
/// Writes the native function of a Python builtin for each export. Exports are the functions that the manifest lists for Python to call
/// (<see cref="BoundaryGenerator"/>). A native function converts its arguments and calls a method of <c>Bridge.Interop.Exports</c>.
/// </summary>
internal static class Exports
{
    internal static Source Write(Entry manifest, string digest)
    {
        var exports = manifest.List("exports").ToList();
        var source = new Source().Line("using System.Runtime.InteropServices;").Line().Line("namespace Bridge.Interop;").Line();
        source.Open("public static unsafe partial class Exports");
        source.Summary("The SHA-256 of the manifest that this assembly was generated from. Python's manifest must have the same digest.");
        source.Line($"public static string Digest => \"{digest}\";").Line();
        source.Summary("Returns the address of the native function of an export.");
        source.Line("/// <exception cref=\"ArgumentException\">There is no export of this name.</exception>");
        source.Line("public static long Address(string name) => name switch").Line("{");
        source.Line("\"bind\" => (long)(delegate* unmanaged<byte*, int, long*, int>)&Bind,");
        source.Line("\"call_slot\" => (long)(delegate* unmanaged<IntPtr, IntPtr, IntPtr, IntPtr>)&EnterCallSlot,");
        const string pointer = "(long)(delegate* unmanaged<IntPtr, BorrowedReference*, nint, IntPtr>)";
        foreach (var entry in exports) source.Line($"\"{entry.Name}\" => {pointer}&Enter{Entry.Pascal(entry.Name)},");
        source.Line("_ => throw new ArgumentException($\"Bridge.Interop has no export '{name}'.\", nameof(name)),").Line("};");
        foreach (var entry in exports) WriteExport(source.Line(), entry);
        return source.Close();
    }

    private static void WriteExport(Source source, Entry entry)
    {
        var name = Entry.Pascal(entry.Name);
        var parameters = entry.Texts("takes").Select(text => text.Split(' ')).ToList();
        var required = parameters.Count(parameter => parameter[0] != "objects");
        var isVariadic = required < parameters.Count;
        source.Line("[UnmanagedCallersOnly]");
        source.Line($"private static IntPtr Enter{name}(IntPtr self, BorrowedReference* arguments, nint count) =>");
        source.Line($"    Boundary.Run(&Run{name}, arguments, count);").Line();
        source.Open($"private static OwnedReference Run{name}(BorrowedReference* arguments, int count)");
        var expected = $"{entry.Name} takes {required}{(isVariadic ? " or more" : "")} arguments";
        source.Line($"if (count {(isVariadic ? "<" : "!=")} {required}) throw new ArgumentException($\"{expected}, not {{count}}.\");");
        var call = $"{name}({string.Join(", ", parameters.SelectMany(Argument))})";
        var result = entry.Text("gives");
        if (result is null) source.Line(call + ";").Line("return Imports.None.NewReference();");
        else source.Line(result == "object" ? $"return {call};" : $"return ExportResult.{Entry.Pascal(result.Split(' ')[0])}({call});");
        source.Close();
    }

    private static IEnumerable<string> Argument(string[] parameter, int index) => parameter[0] switch
    {
        "int" => [$"Python.ToInt64(arguments[{index}])"],
        "text" => [$"Python.ToText(arguments[{index}])"],
        "object" => [$"arguments[{index}]"],
        "objects" => [$"arguments + {index}", $"count - {index}"],
        _ => throw new FormatException($"the manifest has an unknown parameter '{string.Join(" ", parameter)}'"),
    };
}
