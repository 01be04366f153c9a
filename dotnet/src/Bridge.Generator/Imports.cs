using System;
using System.Linq;

namespace Bridge.Generator;

/// <summary>What Python gives .NET: functions of CPython, objects and numbers, each set by its name.</summary>
internal static class Imports
{
    internal static Source Write(Entry manifest)
    {
        var given = manifest.Child("imports");
        var functions = given.List("functions").ToList();
        var objects = given.List("objects").ToList();
        var numbers = given.List("numbers").ToList();
        var source = new Source().Line("namespace Bridge.Interop;").Line();
        source.Summary("What Python gives: functions of CPython under their own names, objects that live as long as the process, numbers.");
        source.Open("internal static unsafe class Imports");
        foreach (var entry in functions)
        {
            var since = entry.Text("since") is { } version ? $"; null before Python {version}" : "";
            source.Summary($"<c>{entry.Name}</c>{since}").Line($"internal static {Pointer(entry)} {entry.Name};");
        }

        foreach (var entry in objects) source.Summary(entry.Summary).Line($"internal static IntPtr {Entry.Pascal(entry.Name)};");
        foreach (var entry in numbers) source.Summary(entry.Summary).Line($"internal static long {Entry.Pascal(entry.Name)};");
        source.Line().Summary("Takes one of them.").Line("/// <returns>There is one of that name.</returns>");
        source.Open("internal static bool Set(string name, long value)").Open("switch (name)");
        foreach (var entry in functions) source.Line($"case \"{entry.Name}\": {entry.Name} = ({Pointer(entry)})value; return true;");
        foreach (var entry in objects) source.Line($"case \"{entry.Name}\": {Entry.Pascal(entry.Name)} = (IntPtr)value; return true;");
        foreach (var entry in numbers) source.Line($"case \"{entry.Name}\": {Entry.Pascal(entry.Name)} = value; return true;");
        return source.Line("default: return false;").Close().Close().Close();
    }

    /// <summary><c>i4(p, p*)</c> as C# writes it.</summary>
    private static string Pointer(Entry entry)
    {
        var signature = entry.Text("signature")!;
        var open = signature.IndexOf('(');
        var takes = signature.Substring(open + 1).TrimEnd(')').Split([", "], StringSplitOptions.RemoveEmptyEntries);
        // What only reads or writes a word needs no transition, which costs more than it does.
        var kind = entry.Is("short") ? "[SuppressGCTransition]" : "";
        return $"delegate* unmanaged{kind}<{string.Join(", ", takes.Append(signature.Substring(0, open)).Select(Type))}>";
    }

    private static string Type(string name) => name.EndsWith("*", System.StringComparison.Ordinal) ? Type(name.Substring(0, name.Length - 1)) + "*" : name switch
    {
        "p" => "IntPtr",
        "n" => "nint",
        "un" => "nuint",
        "v" => "void",
        "c" => "char",
        "u4" => "uint",
        "u8" => "ulong",
        "f8" => "double",
        _ => Records.CSharp(name),
    };
}
