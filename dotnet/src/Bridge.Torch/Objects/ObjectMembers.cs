using System.Collections;
using System.Reflection;
using System.Text;
using System.Text.Json;

namespace Bridge.Torch;

/// <summary>Reads, writes and calls the members of a .NET object for Python. Values are plain values (see <see cref="Tuples"/>).</summary>
internal static class ObjectMembers
{
    /// <summary>Returns the description of a type for Python, a JSON object.</summary>
    /// <remarks>
    /// <list type="bullet">
    /// <item><c>type</c>: the type as C# writes it</item>
    /// <item><c>values</c>: for each field and property [name, type as C# writes it, is writable]</item>
    /// <item><c>methods</c>: the signatures of the methods, by name</item>
    /// <item><c>data</c>: the fields and properties that traces record</item>
    /// <item><c>callable</c>: whether the type is a delegate</item>
    /// <item><c>iterable</c>: whether the type is a collection</item>
    /// </list>
    /// </remarks>
    internal static string Describe(Type type)
    {
        using var stream = new MemoryStream();
        using (var json = new Utf8JsonWriter(stream))
        {
            json.WriteStartObject();
            json.WriteString("type", CSharpTypeName.Of(type));
            json.WriteStartArray("values");
            foreach (var member in MemberNames.Values(type))
            {
                json.WriteStartArray();
                json.WriteStringValue(member.Name);
                json.WriteStringValue(CSharpTypeName.Of(MemberNames.TypeOf(member)));
                json.WriteBooleanValue(MemberNames.IsWritable(member));
                json.WriteEndArray();
            }

            json.WriteEndArray();
            json.WriteStartObject("methods");
            foreach (var overloads in MemberNames.Methods(type))
            {
                json.WriteStartArray(overloads.Key);
                foreach (var method in overloads) json.WriteStringValue(ArgumentBinder.Signature(method.Name, method));
                json.WriteEndArray();
            }

            json.WriteEndObject();
            json.WriteStartArray("data");
            foreach (var name in DataFields.Names(type)) json.WriteStringValue(name);
            json.WriteEndArray();
            json.WriteBoolean("callable", typeof(Delegate).IsAssignableFrom(type));
            json.WriteBoolean("iterable", typeof(IEnumerable).IsAssignableFrom(type));
            json.WriteEndObject();
        }

        return Encoding.UTF8.GetString(stream.ToArray());
    }

    /// <summary>Returns the value of a field or property.</summary>
    /// <exception cref="MissingMemberException">There is no such field or property.</exception>
    internal static object? Get(object target, string name) => Tuples.Unpack(MemberNames.Read(target, Find(target, name)));

    /// <summary>Sets a field or property.</summary>
    /// <exception cref="MissingMemberException">There is no such field or property, or it cannot be set.</exception>
    /// <exception cref="ArgumentException">The value does not fit.</exception>
    internal static void Set(object target, string name, object? value)
    {
        var member = Find(target, name);
        if (!MemberNames.IsWritable(member))
            throw new MissingMemberException($"'{name}' of {CSharpTypeName.Of(target.GetType())} is read-only in C#.");
        MemberNames.Write(target, member, ObjectPacker.Convert(member, target.GetType(), value));
    }

    /// <summary>Calls a method, or a delegate if the name is empty.</summary>
    /// <exception cref="MissingMethodException">There is no such method.</exception>
    /// <exception cref="ArgumentException">
    /// The arguments fit no overload, or several equally well, or one cannot be converted.
    /// </exception>
    internal static object? Call(object target, string name, object?[] positional, DictOfValues named)
    {
        var type = target.GetType();
        var methods = MemberNames.Methods(type)[name.Length == 0 ? "Invoke" : name].ToArray();
        if (methods.Length == 0) throw new MissingMethodException(CSharpTypeName.Of(type), name);
        var (method, values) = ArgumentBinder.Bind(methods, $"{CSharpTypeName.Of(type)}.{name}".TrimEnd('.'), positional, named);
        return Tuples.Unpack(method.Invoke(target, BindingFlags.DoNotWrapExceptions, null, values, null));
    }

    /// <summary>Returns the items of a collection: those of a dictionary are tuples of a key and a value.</summary>
    internal static object?[] Items(object target) =>
        target is IDictionary map
            ? [.. map.Keys.Cast<object>().Select(key => (object?)new[] { Tuples.Unpack(key), Tuples.Unpack(map[key]) })]
            : [.. ((IEnumerable)target).Cast<object?>().Select(Tuples.Unpack)];

    private static MemberInfo Find(object target, string name) =>
        MemberNames.Values(target.GetType()).FirstOrDefault(member => member.Name == name)
        ?? throw new MissingMemberException(CSharpTypeName.Of(target.GetType()), name);
}
