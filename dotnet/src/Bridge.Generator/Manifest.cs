using System;
using System.Collections.Generic;
using System.Linq;
using System.Runtime.Serialization.Json;
using System.Text;
using System.Xml;
using System.Xml.Linq;

namespace Bridge.Generator;

/// <summary>
/// A JSON value of the manifest <c>bridge/clr/call/boundary.json</c>, or of <c>surface.jsonl</c>, the list of TorchSharp's members.
/// </summary>
/// <remarks>
/// The JSON reader of .NET Standard 2.0, the target of source generators, returns XML. Each member of an object is an element with the
/// member's name. Each item of an array is an element named <c>item</c>.
/// </remarks>
internal sealed class Entry
{
    private readonly XElement _element;

    private Entry(XElement element) => _element = element;

    internal static Entry Parse(string json) =>
        new(XElement.Load(JsonReaderWriterFactory.CreateJsonReader(Encoding.UTF8.GetBytes(json), XmlDictionaryReaderQuotas.Max)));

    internal string Name => Text("name") ?? throw new FormatException("an entry of the manifest has no name");

    internal string Summary => Text("summary") ?? "";

    internal string? Text(string name) => _element.Element(name)?.Value;

    internal bool Is(string name) => Text(name) == "true";

    internal string Value => _element.Value;

    internal bool Has(string name) => _element.Element(name) is not null;

    internal IEnumerable<Entry> Items() => _element.Elements().Select(element => new Entry(element));

    internal IEnumerable<Entry> List(string name) => (_element.Element(name)?.Elements() ?? []).Select(element => new Entry(element));

    internal Entry Child(string name) => new(_element.Element(name) ?? throw new FormatException($"the manifest has no '{name}'"));

    internal IEnumerable<string> Texts(string name) => (_element.Element(name)?.Elements() ?? []).Select(element => element.Value);

    /// <summary>Converts a name to Pascal case: <c>first_value</c> becomes <c>FirstValue</c>.</summary>
    internal static string Pascal(string name) =>
        string.Concat(name.Split('_').Where(part => part.Length > 0).Select(part => char.ToUpperInvariant(part[0]) + part.Substring(1)));
}
