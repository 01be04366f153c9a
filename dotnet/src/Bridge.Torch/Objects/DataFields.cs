using System.Reflection;

namespace Bridge.Torch;

/// <summary>Finds the fields that traces record if a value is an object of a user's class.</summary>
internal static class DataFields
{
    private const BindingFlags Any = BindingFlags.Instance | BindingFlags.Public | BindingFlags.NonPublic | BindingFlags.DeclaredOnly;
    private static readonly TypeCache<FieldInfo[]> Known = new(Find);

    /// <summary>
    /// Returns the public fields of a type that <see cref="ObjectPacker.CanCreate"/> accepts, and the fields of its public auto-properties,
    /// in declaration order, those of base classes first. Empty for any other type.
    /// </summary>
    internal static FieldInfo[] Of(Type type) => Known[type];

    /// <summary>Returns the names of the fields of <see cref="Of"/>; for the field of a property, the property's name.</summary>
    internal static IEnumerable<string> Names(Type type) => Of(type).Select(field => field.IsPublic ? field.Name : PropertyOf(field)!);

    private static FieldInfo[] Find(Type type)
    {
        if (!ObjectPacker.CanCreate(type)) return [];
        var fields = new List<FieldInfo>();
        for (var level = type; level is not null && !ObjectGraph.IsForeign(level.Assembly); level = level.BaseType)
            fields.InsertRange(0, level.GetFields(Any).Where(field => IsPublic(level, field)).OrderBy(field => field.MetadataToken));
        return [.. fields];
    }

    private static bool IsPublic(Type level, FieldInfo field) => field.IsPublic
        || (PropertyOf(field) is { } property && level.GetProperty(property, Any)?.GetMethod is { IsPublic: true });

    // The compiler names the field of a property `<Name>k__BackingField`.
    private static string? PropertyOf(FieldInfo field)
    {
        var end = field.Name.IndexOf(">k__BackingField", StringComparison.Ordinal);
        return end > 1 && field.Name[0] == '<' ? field.Name[1..end] : null;
    }
}
