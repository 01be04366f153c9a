using System;
using System.Linq;

namespace Bridge.Generator;

/// <summary>
/// Writes the class <c>Imports</c> from the manifest (<see cref="BoundaryGenerator"/>). Python sets the imports: addresses of CPython
/// functions and of objects, and numbers.
/// </summary>
internal static class Imports
{
    internal static Source Write(Entry manifest)
    {
        var imports = manifest.Child("imports");
        var functions = imports.List("functions").ToList();
        var objects = imports.List("objects").ToList();
        var numbers = imports.List("numbers").ToList();
        var source = new Source().Line("namespace Bridge.Interop;").Line();
        source.Summary("The imports: CPython functions under their own names, objects that live as long as the process, and numbers.");
        source.Open("internal static unsafe class Imports");
        foreach (var entry in functions)
        {
            var since = entry.Text("since") is { } version ? $"; null before Python {version}" : "";
            source.Summary($"<c>{entry.Name}</c>{since}").Line($"internal static {Pointer(entry)} {entry.Name};");
        }

        foreach (var entry in objects)
        {
            source.Line($"private static IntPtr _{entry.Name};");
            source.Summary(entry.Summary).Line($"internal static BorrowedReference {Entry.Pascal(entry.Name)} => new(_{entry.Name});");
        }

        foreach (var entry in numbers) source.Summary(entry.Summary).Line($"internal static long {Entry.Pascal(entry.Name)};");
        source.Line().Summary("Sets an import. Returns false if no import has this name.");
        source.Open("internal static bool Set(string name, long value)").Open("switch (name)");
        foreach (var entry in functions) source.Line($"case \"{entry.Name}\": {entry.Name} = ({Pointer(entry)})value; return true;");
        foreach (var entry in objects) source.Line($"case \"{entry.Name}\": _{entry.Name} = (IntPtr)value; return true;");
        foreach (var entry in numbers) source.Line($"case \"{entry.Name}\": {Entry.Pascal(entry.Name)} = value; return true;");
        return source.Line("default: return false;").Close().Close().Close();
    }

    /// <summary>Returns the function pointer type of a signature such as <c>i4(b, p*)</c>.</summary>
    private static string Pointer(Entry entry)
    {
        var signature = entry.Text("signature")!;
        var open = signature.IndexOf('(');
        var takes = signature.Substring(open + 1).TrimEnd(')').Split([", "], StringSplitOptions.RemoveEmptyEntries);
        // For a function that only reads or writes a word, the GC transition would cost more than the call.
        var convention = entry.Is("short") ? "[SuppressGCTransition]" : "";
        return $"delegate* unmanaged{convention}<{string.Join(", ", takes.Append(signature.Substring(0, open)).Select(Type))}>";
    }

    private static string Type(string name) => name switch
    {
        _ when name.EndsWith("*", StringComparison.Ordinal) => Type(name.Substring(0, name.Length - 1)) + "*",
        "b" => "BorrowedReference",
        "o" => "OwnedReference",
        "p" => "IntPtr", // also a reference that the function steals
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
