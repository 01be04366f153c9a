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
        const string entryType = "delegate* unmanaged<byte*, int, long*, int>";
        source.Summary("The address of <see cref=\"WriteAddresses\"/>.");
        source.Line($"public static long Entry => (long)({entryType})&WriteAddresses;").Line();
        source.Summary("Writes the addresses of <c>bind</c>, <c>call_slot</c> and the exports, in the manifest's order.");
        source.Line("/// <param name=\"digest\">The SHA-256 of Python's manifest, in hexadecimal digits.</param>");
        source.Line("/// <param name=\"length\">The number of digits.</param>");
        source.Line("/// <param name=\"addresses\">The place for the addresses.</param>");
        source.Line("/// <returns>0, and nothing is written, if this assembly was generated from another manifest; otherwise 1.</returns>");
        source.Line("[UnmanagedCallersOnly]");
        source.Open("private static int WriteAddresses(byte* digest, int length, long* addresses)");
        source.Line($"if (!new ReadOnlySpan<byte>(digest, length).SequenceEqual(\"{digest}\"u8)) return 0;");
        source.Line($"addresses[0] = (long)({entryType})&Bind;");
        source.Line("addresses[1] = (long)(delegate* unmanaged<IntPtr, IntPtr, IntPtr, IntPtr>)&EnterCallSlot;");
        const string pointer = "(long)(delegate* unmanaged<IntPtr, BorrowedReference*, nint, IntPtr>)";
        var index = 2;
        foreach (var entry in exports) source.Line($"addresses[{index++}] = {pointer}&Enter{Entry.Pascal(entry.Name)};");
        source.Line("return 1;").Close().Line();
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
