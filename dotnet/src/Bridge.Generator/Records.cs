using System;
using System.Collections.Generic;
using System.Linq;

namespace Bridge.Generator;

/// <summary>Writes the enumerations and records of the manifest (<see cref="BoundaryGenerator"/>) as C# enums and structs.</summary>
internal static class Records
{
    internal static Source Write(string space, List<Entry> enums, List<Entry> records)
    {
        var access = space == "Bridge.Hooks" ? "public" : "internal";
        var source = new Source();
        source.Line("using System.Runtime.InteropServices;").Line().Line("namespace " + space + ";");
        foreach (var entry in enums) Enumeration(source.Line(), entry, access);
        foreach (var entry in records) Record(source.Line(), entry, access);
        return source;
    }

    private static void Enumeration(Source source, Entry entry, string access)
    {
        var members = entry.List("members").ToList();
        source.Summary(entry.Summary);
        if (entry.Is("flags")) source.Line("[System.Flags]");
        source.Open($"{access} enum {entry.Name} : {entry.Text("type")}");
        for (var i = 0; i < members.Count; i++)
            source.Summary(members[i].Summary).Line($"{Entry.Pascal(members[i].Name)} = {(entry.Is("flags") ? 1 << i : i)},");
        source.Close().Line();
        source.Summary($"Python's names of the members of <see cref=\"{entry.Name}\"/>, in order.");
        source.Line($"internal static class {entry.Name}Names").Line("{");
        source.Line($"internal static readonly string[] All = [{string.Join(", ", members.Select(member => '"' + member.Name + '"'))}];");
        source.Close();
    }

    private static void Record(Source source, Entry entry, string access)
    {
        var fields = entry.List("fields").ToList();
        var sizes = fields.Select(field => Size(field.Text("type")!)).ToList();
        var size = sizes.Sum();
        var offset = 0;
        foreach (var length in sizes)
        {
            if (offset % length != 0) throw new FormatException($"a field of {entry.Name} is not aligned at byte {offset}");
            offset += length;
        }

        source.Summary(entry.Summary);
        source.Line($"/// <remarks>{size} bytes, no padding.</remarks>");
        source.Line($"[StructLayout(LayoutKind.Sequential, Pack = {sizes.Max()}, Size = {size})]");
        source.Open($"{access} struct {entry.Name}");
        foreach (var field in fields)
            source.Summary(field.Summary).Line($"public {field.Text("enum") ?? CSharp(field.Text("type")!)} {Entry.Pascal(field.Name)};");
        source.Close();
    }

    private static int Size(string type) => type[1] - '0';

    internal static string CSharp(string type) => type switch
    {
        "i1" => "sbyte",
        "u1" => "byte",
        "u2" => "ushort",
        "i4" => "int",
        "i8" => "long",
        _ => throw new FormatException($"the manifest has an unknown type '{type}'"),
    };
}
