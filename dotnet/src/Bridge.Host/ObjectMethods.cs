using System.Text.Json;
using Bridge.Interop;
using Bridge.Torch;

namespace Bridge.Host;

/// <summary>The methods that create objects of models' own classes and use them.</summary>
internal static class ObjectMethods
{
    /// <summary>
    /// Creates an object with <c>arguments</c>: an instance of the class <c>type</c> of the assembly at <c>path</c>, the result of the
    /// static method <c>type</c>, or an array if <c>type</c> is an array type such as <c>long[]</c>. The answer has the object's number as
    /// <c>object</c>, and <c>random</c>, <c>need</c>, <c>there</c> and <c>free</c> as described at <see cref="ModelMethods.Call"/>.
    /// </summary>
    internal static void Create(JsonElement given, HostSession session, Utf8JsonWriter result)
    {
        var (library, assembly) = ModelMethods.Open(given, session);
        var made = ObjectFactory.Create(
            assembly, given.GetProperty("type").GetString()!, given.GetProperty("arguments"), session.Objects.Get);
        session.Encoder.Clear();
        result.WriteNumber("object", session.Objects.Add(made));
        library.Random?.WriteIfChanged(result, session.Encoder);
        ModelMethods.Deliver(given, session, result);
    }

    /// <summary>
    /// Keeps a <c>value</c>, such as a tensor, for a constructor. The answer is like that of <see cref="Create"/>, without <c>random</c>.
    /// </summary>
    internal static void Hold(JsonElement given, HostSession session, Utf8JsonWriter result)
    {
        session.Encoder.Clear();
        result.WriteNumber("object", session.Objects.Add(ModelMethods.CreateDecoder(given, session).Decode(given.GetProperty("value"))!));
        ModelMethods.Deliver(given, session, result);
    }

    /// <summary>
    /// Runs an <c>operation</c> on the object whose number is <c>object</c>. The request also has <c>name</c>, the name of a member, and
    /// <c>arguments</c>. The answer has <c>value</c>, <c>random</c>, <c>need</c>, <c>there</c>, <c>inside</c> and <c>free</c> as described
    /// at <see cref="ModelMethods.Call"/>.
    /// </summary>
    internal static void Use(JsonElement given, HostSession session, Utf8JsonWriter result)
    {
        Compute(given, session, result);
        ModelMethods.Deliver(given, session, result);
    }

    /// <summary>Runs the operation of a request on an object, and returns a plain value (see <see cref="Tuples"/>).</summary>
    /// <exception cref="ArgumentException">There is no such operation, or the arguments do not fit.</exception>
    /// <exception cref="MissingMemberException">The object has no such member, or the member cannot be set.</exception>
    /// <exception cref="InvalidCastException">The operation is <c>items</c>, and the object is not a collection.</exception>
    internal static object? Run(object target, JsonElement given, object?[] positional, DictOfValues named)
    {
        var name = given.GetProperty("name").GetString()!;
        switch (given.GetProperty("operation").GetString())
        {
            case "describe": return ObjectMembers.Describe(target.GetType());
            case "get": return ObjectMembers.Get(target, name);
            case "set":
                ObjectMembers.Set(target, name, positional[0]);
                return null;
            case "call": return ObjectMembers.Call(target, name, positional, named);
            case "items": return ObjectMembers.Items(target);
            case "text": return target.ToString() ?? "";
            case "equal": return Equals(target, positional[0]);
            case "hash": return target.GetHashCode();
            case var other: throw new ArgumentException($"There is no operation '{other}'.");
        }
    }

    private static void Compute(JsonElement given, HostSession session, Utf8JsonWriter result)
    {
        session.Encoder.Clear();
        var decoder = ModelMethods.CreateDecoder(given, session);
        var target = session.Objects.Get(given.GetProperty("object").GetInt64());
        var library = session.Library!; // Not null, since the object was created on it.
        library.Random?.Apply(given, decoder);
        var (positional, named) = decoder.DecodeArguments(given.GetProperty("arguments"));
        object? value;
        using (library.SetGradEnabled(ModelMethods.HasFlag(given, "grad"))) value = Run(target, given, positional, named);
        result.WritePropertyName("value");
        session.Encoder.WriteMarked(result, value, library.Tensors);
        library.Random?.WriteIfChanged(result, session.Encoder);
    }
}
