using System.Text.Json;
using System.Text.Json.Nodes;

namespace Bridge.Conformance;

/// <summary>
/// A library of modules and hooks on which the interpreter runs hook programs. A world serves one run. Disposing the world removes what the
/// run left in the process, such as global hooks (G-3).
/// </summary>
/// <remarks>
/// The interpreter creates tuples, lists and dictionaries (<see cref="ProgramValues"/>). A world creates the numbers in them, and converts
/// containers where its modules declare other types.
/// </remarks>
internal interface IWorld : IDisposable
{
    INumberFactory Numbers { get; }

    /// <summary>Returns a value, other than a container or a string, as JSON for a trace; null if the value's type is unknown.</summary>
    JsonNode? Write(object value);

    /// <summary>Returns the type of a value's device, such as <c>cpu</c>.</summary>
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

    /// <summary>Returns a module's parameter or buffer, such as <c>weight</c>.</summary>
    /// <exception cref="MissingMemberException">The module has none with this name.</exception>
    object Attribute(object module, string name);

    /// <summary>Registers a hook, globally if <paramref name="module"/> is null. Disposing the result removes the hook.</summary>
    IDisposable Register(object? module, ProgramHook hook, bool prepend, bool alwaysCall);

    /// <summary>Returns the id of a handle that <see cref="Register"/> returned (H-1).</summary>
    /// <exception cref="DefectException">The handles of this library have no ids.</exception>
    long Id(IDisposable handle);
}

/// <summary>Creates the numbers of a hook program.</summary>
internal interface INumberFactory
{
    object Number(JsonElement value);

    /// <summary>Creates the value of <c>{"plain": n}</c>, which does not stand for a tensor.</summary>
    object Plain(JsonElement value);

    /// <summary>Creates the value of <c>{"vector": […]}</c>.</summary>
    object Vector(JsonElement value);
}
