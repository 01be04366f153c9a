using System.Text.Json;
using System.Text.Json.Nodes;

namespace Bridge.Conformance;

/// <summary>
/// A library of modules and hooks that the interpreter can run programs on. A world serves one run. Disposing it undoes what the run
/// changed in the process, above all global hooks (G-3).
/// </summary>
/// <remarks>
/// Containers in a program are <see cref="ProgramValues"/> of the interpreter. A world creates their items, and converts them where its
/// modules declare other types.
/// </remarks>
internal interface IWorld : IDisposable
{
    /// <summary>Gets the factory of the world's numbers.</summary>
    INumberFactory Numbers { get; }

    /// <summary>Returns a value, other than a container or a string, as a trace has it; null if the world does not know it.</summary>
    JsonNode? Write(object value);

    /// <summary>Returns the type of a value's device.</summary>
    /// <exception cref="MissingMemberException">The value has no device.</exception>
    string Device(object? value);

    /// <summary>Returns <c>value + n</c> for the action <c>add</c>; the value is not a container.</summary>
    object? Plus(object? value, JsonElement n);

    /// <summary>Creates the modules of a tree. Returns each module path with its module, parents first.</summary>
    IEnumerable<(string Path, object Module)> Build(JsonElement tree, ProgramSession session);

    /// <summary>Calls a module, with its hooks.</summary>
    object? Call(object module, object?[] args);

    /// <summary>Calls <c>forward</c> directly (C-3).</summary>
    object? Forward(object module, object?[] args);

    /// <summary>Returns a constant of a module, such as <c>weight</c>.</summary>
    object Attribute(object module, string name);

    /// <summary>Registers a hook on a module, or globally if <paramref name="module"/> is null. Disposing the result removes it.</summary>
    IDisposable Register(object? module, ProgramHook hook, bool prepend, bool alwaysCall);

    /// <summary>Returns the id of a handle that <see cref="Register"/> returned (H-1).</summary>
    long Id(IDisposable handle);
}

/// <summary>Creates the numbers of a program.</summary>
internal interface INumberFactory
{
    /// <summary>Creates a number.</summary>
    object Number(JsonElement value);

    /// <summary>Creates the value of <c>{"plain": n}</c>.</summary>
    object Plain(JsonElement value);

    /// <summary>Creates the value of <c>{"vector": […]}</c>.</summary>
    object Vector(JsonElement value);
}
