using System;
using System.Collections.Generic;
using System.Linq;

namespace Bridge.Generator;

/// <summary>
/// Reads the methods and properties of a class from TorchSharp's list, <c>surface.jsonl</c>. The first line of the list explains its keys.
/// </summary>
internal static class Listed
{
    /// <summary>Returns the public and protected methods of a class, such as <c>TorchSharp.torch/Tensor</c>, by name.</summary>
    /// <exception cref="FormatException">The list has no such class.</exception>
    internal static ILookup<string, ListedMethod> Methods(string list, string type) => Type(list, type).List("methods")
        .Where(method => !method.Is("hidden")).Select(method => new ListedMethod(method)).ToLookup(method => method.Name);

    /// <summary>Returns the public and protected properties of a class's objects, except indexers and those that cannot be read.</summary>
    internal static IEnumerable<ListedProperty> Properties(string list, string type)
    {
        var entry = Type(list, type);
        var accessors = Methods(list, type).SelectMany(group => group).Where(method => !method.IsStatic).ToLookup(method => method.Name);
        return entry.List("properties")
            .Where(property => property.Text("get") is { } get && accessors[get].Any(method => method.Parameters.Count == 0))
            .Select(property => new ListedProperty(property, property.Text("set") is { } set && accessors.Contains(set)));
    }

    /// <summary>Returns the public fields of a class's objects.</summary>
    internal static IEnumerable<ListedProperty> Fields(string list, string type) =>
        Type(list, type).List("fields").Where(field => !field.Has("f")).Select(field => new ListedProperty(field, true));

    /// <summary>Returns the names of the interfaces of a class.</summary>
    internal static IEnumerable<string> Interfaces(string list, string type) => Type(list, type).Texts("interfaces");

    private static Entry Type(string list, string type)
    {
        var start = list.IndexOf("{\"name\":\"" + type + "\",", StringComparison.Ordinal);
        if (start < 0) throw new FormatException($"the list has no type '{type}'");
        var end = list.IndexOf('\n', start);
        return Entry.Parse(list.Substring(start, (end < 0 ? list.Length : end) - start));
    }

    /// <summary>
    /// Returns the first argument of an attribute, or the items of that argument if it is an array. Returns null if the attribute is
    /// absent, and an empty list if it has no argument.
    /// </summary>
    internal static List<string>? Attribute(Entry of, string list, string name)
    {
        var found = of.List(list).FirstOrDefault(attribute => attribute.Items().First().Value.Split('.').Last() == name);
        if (found is null) return null;
        var given = found.Items().Skip(1).FirstOrDefault()?.Items().FirstOrDefault()?.Items().ElementAt(1);
        return given is null ? [] : given.Items().Any() ? [.. given.Items().Select(item => item.Value)] : [given.Value];
    }
}

/// <summary>A method of TorchSharp's list.</summary>
internal sealed class ListedMethod
{
    internal ListedMethod(Entry entry)
    {
        Name = entry.Text("n")!;
        IsStatic = (entry.Text("f") ?? "").Split(' ').Contains("static");
        IsObsolete = Listed.Attribute(entry, "a", "ObsoleteAttribute") is not null;
        var context = Listed.Attribute(entry, "a", "NullableContextAttribute")?.Single() ?? "1";
        Returns = new ListedType(entry, entry.Text("r")!, "ra", context, false);
        Parameters = [.. entry.List("p").Select(parameter => new ListedParameter(parameter, context))];
    }

    internal string Name { get; }

    internal bool IsStatic { get; }

    internal bool IsObsolete { get; }

    internal ListedType Returns { get; }

    internal List<ListedParameter> Parameters { get; }
}

/// <summary>A property or field of TorchSharp's list.</summary>
internal sealed class ListedProperty(Entry entry, bool isSettable)
{
    internal string Name { get; } = entry.Text("n")!;

    internal ListedType Type { get; } = new(entry, entry.Text("t")!, "a", "1", false);

    internal bool IsSettable => isSettable;
}

/// <summary>
/// A parameter of a method of TorchSharp's list. A parameter whose default is null may be null, even if its annotation denies it.
/// </summary>
internal sealed class ListedParameter
{
    private readonly List<string>? _default;

    internal ListedParameter(Entry entry, string context)
    {
        Name = entry.Text("n")!;
        IsParams = Listed.Attribute(entry, "a", "ParamArrayAttribute") is not null;
        _default = entry.Has("d") ? [.. entry.List("d").Select(item => item.Value)] : null;
        Type = new ListedType(entry, entry.Text("t")!, "a", context, _default?[0] == "null");
    }

    internal string Name { get; }

    internal bool IsParams { get; }

    internal ListedType Type { get; }

    /// <summary>Returns the declaration, with the default.</summary>
    internal string Declaration(bool isNullable) => (IsParams ? "params " : "") + Type.CSharp(isNullable) + " @" + Name + Default;

    private string Default => _default?[0] switch
    {
        null => "",
        "null" => " = default",
        "string" => " = \"" + _default[1] + "\"",
        "bool" => " = " + _default[1],
        "float" => $" = {_default[1]}f",
        "char" => $" = (char){_default[1]}",
        "double" => $" = {_default[1]}d",
        "sbyte" or "int" or "long" when Type.IsNamed => $" = ({Type.CSharp(false)})({_default[1]})",
        _ => " = " + _default[1],
    };
}

/// <summary>
/// A type of TorchSharp's list, such as <c>System.Nullable`1&lt;long&gt;</c>, with the names of tuple elements and the nullability.
/// </summary>
internal sealed class ListedType
{
    private static readonly HashSet<string> Values =
    [
        "bool", "byte", "sbyte", "short", "int", "long", "float", "double", "char", "void", "System.Half", "System.Numerics.Complex",
        "TorchSharp.BFloat16", "TorchSharp.torch/ScalarType", "TorchSharp.torch/UpsampleMode", "TorchSharp.torch/nn/Reduction",
    ];

    private readonly string _text;
    private readonly string _context;
    private readonly List<string>? _flags;
    private readonly List<string>? _names;
    private readonly bool _isNullable;

    internal ListedType(Entry of, string text, string attributes, string context, bool isNullable)
    {
        (_text, _context, _isNullable) = (text, context, isNullable);
        _flags = Listed.Attribute(of, attributes, "NullableAttribute");
        _names = Listed.Attribute(of, attributes, "TupleElementNamesAttribute");
    }

    /// <summary>Gets the type, such as <c>(long,long)?</c>, without namespaces, tuple names, and the <c>?</c> of references.</summary>
    internal string Short => Write(_text, false, new Queue<string>(), new Queue<string>(), () => false);

    /// <summary>Gets whether TorchSharp declares this type.</summary>
    internal bool IsNamed => _text.StartsWith("TorchSharp.", StringComparison.Ordinal);

    /// <summary>Gets the names of the tuple's elements, if it has any.</summary>
    internal IReadOnlyList<string> Names => _names ?? [];

    /// <summary>Returns the type as it is declared.</summary>
    internal string CSharp(bool isNullable)
    {
        var flags = new Queue<string>(_flags is { Count: > 1 } ? _flags : []);
        var all = _flags is { Count: 1 } ? _flags[0] : _context;
        var isFirst = true;
        return Write(_text, true, flags, new Queue<string>(_names ?? []), () =>
        {
            var given = (flags.Count > 0 ? flags.Dequeue() : all) == "2" || (isFirst && (isNullable || _isNullable));
            isFirst = false;
            return given;
        });
    }

    private static string Write(string text, bool isFull, Queue<string> flags, Queue<string> names, Func<bool> nextIsNullable)
    {
        if (text.EndsWith("]", StringComparison.Ordinal))
        {
            var isNullable = nextIsNullable();
            var at = text.LastIndexOf('[');
            return Write(text.Substring(0, at), isFull, flags, names, nextIsNullable) + text.Substring(at) + (isNullable ? "?" : "");
        }

        var open = text.IndexOf('<');
        if (open < 0)
        {
            if (!Values.Contains(text)) return Named(text, isFull) + (nextIsNullable() ? "?" : "");
            return Named(text, isFull);
        }

        var name = text.Substring(0, text.IndexOf('`'));
        var isReference = nextIsNullable() && name is not ("System.Nullable" or "System.ValueTuple" or "System.ReadOnlySpan"
            or "System.Memory");
        var isTuple = name == "System.ValueTuple";
        var inner = Split(text.Substring(open + 1, text.Length - open - 2)).ToList();
        var own = isTuple && names.Count >= inner.Count ? inner.Select(_ => names.Dequeue()).ToList() : null;
        var parts = inner.Select((part, at) =>
            Write(part, isFull, flags, names, nextIsNullable) + (own is null ? "" : " " + own[at])).ToList();
        if (name == "System.Nullable") return parts[0] + "?";
        var joined = string.Join(isFull ? ", " : ",", parts);
        return isTuple ? "(" + joined + ")" : Named(name, isFull) + "<" + joined + ">" + (isReference ? "?" : "");
    }

    private static string Named(string text, bool isFull)
    {
        if (!text.Contains(".")) return text;
        return isFull ? "global::" + text.Replace('/', '.') : text.Substring(text.LastIndexOfAny(['.', '/']) + 1);
    }

    private static IEnumerable<string> Split(string text)
    {
        var (depth, start) = (0, 0);
        for (var at = 0; at < text.Length; at++)
        {
            if (text[at] == '<') depth++;
            else if (text[at] == '>') depth--;
            else if (text[at] == ',' && depth == 0)
            {
                yield return text.Substring(start, at - start);
                start = at + 1;
            }
        }

        yield return text.Substring(start);
    }
}
