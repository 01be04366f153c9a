using System;
using System.Collections.Generic;
using System.Linq;

namespace Bridge.Generator;

/// <summary>What Python calls: each export as a builtin of Python, with its arguments converted, around a method of the class <c>Exports</c>.</summary>
internal static class Exports
{
    internal static Source Write(Entry manifest, string digest)
    {
        var exports = manifest.List("exports").ToList();
        var source = new Source().Line("using System.Runtime.InteropServices;").Line().Line("namespace Bridge.Interop;").Line();
        source.Open("public static unsafe partial class Exports");
        source.Summary("SHA-256 of the manifest that this assembly was made from: Python's must be the same.");
        source.Line($"public static string Digest => \"{digest}\";").Line();
        source.Summary("The address of an export: a builtin of Python, <c>METH_FASTCALL</c>.").Line("/// <exception cref=\"ArgumentException\">There is none of that name.</exception>");
        source.Line("public static long Address(string name) => name switch").Line("{");
        source.Line("\"bind\" => (long)(delegate* unmanaged<byte*, int, long*, int>)&Bind,");
        source.Line("\"call_slot\" => (long)(delegate* unmanaged<IntPtr, IntPtr, IntPtr, IntPtr>)&EnterCallSlot,");
        foreach (var entry in exports)
            source.Line($"\"{entry.Name}\" => (long)(delegate* unmanaged<IntPtr, IntPtr*, nint, IntPtr>)&Enter{Entry.Pascal(entry.Name)},");
        source.Line("_ => throw new ArgumentException($\"Bridge.Interop has no export '{name}'.\", nameof(name)),").Line("};");
        foreach (var entry in exports) One(source.Line(), entry);
        return source.Close();
    }

    private static void One(Source source, Entry entry)
    {
        var name = Entry.Pascal(entry.Name);
        var takes = entry.Texts("takes").Select(text => text.Split(' ')).ToList();
        var fixedOnes = takes.Count(take => take[0] != "objects");
        var open = fixedOnes < takes.Count;
        source.Line("[UnmanagedCallersOnly]");
        source.Line($"private static IntPtr Enter{name}(IntPtr self, IntPtr* given, nint count) => Boundary.Run(&Run{name}, given, count);").Line();
        source.Open($"private static IntPtr Run{name}(IntPtr* given, int count)");
        source.Line($"if (count {(open ? "<" : "!=")} {fixedOnes}) throw new ArgumentException($\"{entry.Name} takes {fixedOnes}{(open ? " or more" : "")} arguments, not {{count}}.\");");
        var call = $"{name}({string.Join(", ", takes.SelectMany(Argument))})";
        if (entry.Text("gives") is null) source.Line(call + ";").Line("return Python.None();");
        else source.Line(entry.Text("gives") == "object" ? $"return {call};" : $"return Given.{Entry.Pascal(entry.Text("gives")!.Split(' ')[0])}({call});");
        source.Close();
    }

    private static IEnumerable<string> Argument(string[] take, int place) => take[0] switch
    {
        "int" => [$"Python.Integer(given[{place}])"],
        "text" => [$"Python.String(given[{place}])"],
        "object" => [$"given[{place}]"],
        "objects" => [$"given + {place}", $"count - {place}"],
        _ => throw new FormatException($"the manifest has an unknown argument '{string.Join(" ", take)}'"),
    };
}
