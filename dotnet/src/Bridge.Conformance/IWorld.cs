using System.Text.Json;
using System.Text.Json.Nodes;

namespace Bridge.Conformance;

/// <summary>
/// A library of modules and hooks that programs can run on: what the interpreter needs to know of it. One world serves one run; its end takes
/// everything back that the run left in the process, global hooks above all (G-3).
/// </summary>
/// <remarks>
/// Containers that a program writes are the interpreter's (<see cref="Values"/>). A world makes the items, and converts at its boundaries
/// where its modules want other types.
/// </remarks>
internal interface IWorld : IDisposable
{
    /// <summary>What its numbers are.</summary>
    INumbers Numbers { get; }

    /// <summary>A value that is neither a container nor a text; null for what the world does not know.</summary>
    JsonNode? Write(object value);

    /// <summary>The type of the device that a value is on.</summary>
    /// <exception cref="MissingMemberException">It is on none.</exception>
    string Device(object? value);

    /// <summary><c>value + n</c> of the action <c>add</c>, for what is not a container.</summary>
    object? Plus(object? value, JsonElement n);

    /// <summary>Makes the modules of a tree; gives each place in it, parents first, with its module path.</summary>
    IEnumerable<(string Path, object Module)> Build(JsonElement tree, Session session);

    /// <summary>The module call, with hooks.</summary>
    object? Call(object module, object?[] args);

    /// <summary><c>forward</c> alone (C-3).</summary>
    object? Forward(object module, object?[] args);

    /// <summary>A constant of a module, as <c>weight</c>.</summary>
    object Attribute(object module, string name);

    /// <summary>Registers a hook on a module, or for all when <paramref name="module"/> is null. What it returns removes the hook.</summary>
    IDisposable Register(object? module, Hook hook, bool prepend, bool alwaysCall);

    /// <summary>The id of a handle that <see cref="Register"/> gave (H-1).</summary>
    long Id(IDisposable handle);
}

/// <summary>What the numbers of a program are.</summary>
internal interface INumbers
{
    /// <summary>What a number in a program means.</summary>
    object Number(JsonElement value);

    /// <summary>What <c>{"plain": n}</c> means.</summary>
    object Plain(JsonElement value);

    /// <summary>What <c>{"vector": […]}</c> means.</summary>
    object Vector(JsonElement value);
}
