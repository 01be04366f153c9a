using System.Runtime.CompilerServices;
using System.Text.Json;
using System.Text.Json.Nodes;
using Bridge.Conformance.Modules;

namespace Bridge.Conformance;

/// <summary>A forward pre hook or forward hook that a hook program registers on a module or globally.</summary>
/// <remarks>
/// <see cref="ProgramHook"/> belongs to the interpreter in C#, <see cref="Mirrored.MirroredHook"/> to the interpreter in Python.
/// </remarks>
internal interface IProgramHook
{
    /// <summary>Runs as a pre hook. Returns the new arguments, or null to keep them.</summary>
    object?[]? Pre(object module, object?[] args);

    /// <summary>Runs as a forward hook. Returns the new result, or null to keep it.</summary>
    object? Forward(object module, object?[] args, object? output);
}

/// <summary>
/// A hook of the C# interpreter. Records an event, runs its actions, and returns the value of the last action <c>return</c> or <c>add</c>.
/// </summary>
internal sealed class ProgramHook : IProgramHook
{
    private readonly ProgramSession _session;
    private readonly string _name;
    private readonly Func<Given, object?, object?>[] _actions;

    /// <summary>Creates a hook from the step or action that first registers the hook.</summary>
    /// <exception cref="DefectException">The interpreter does not support the kind, an action or an option of the hook.</exception>
    internal ProgramHook(JsonElement registration, ProgramSession session)
    {
        _session = session;
        _name = registration.NeedText("hook");
        IsForward = registration.NeedText("kind") switch
        {
            "pre" => false,
            "forward" => true,
            var kind => throw new DefectException($"unknown hook kind '{kind}'"),
        };
        if (registration.Flag("with_kwargs")) throw new DefectException("with_kwargs is not supported");
        _actions = registration.Items("actions").Select(ParseAction).ToArray();
    }

    internal string Name => _name;

    internal bool IsForward { get; }

    // If the actions give a tuple, its items replace the arguments. Any other value but null becomes the only argument (P-2).
    /// <inheritdoc/>
    public object?[]? Pre(object module, object?[] args)
    {
        Record(new() { ["event"] = "pre" }, module, args);
        return RunActions(new(args, null)) switch
        {
            null => null,
            ITuple tuple => ProgramValues.Items(tuple),
            var only => [only],
        };
    }

    /// <inheritdoc/>
    public object? Forward(object module, object?[] args, object? output)
    {
        Record(new() { ["event"] = "forward", ["output"] = _session.Values.Write(output) }, module, args);
        return RunActions(new(args, output));
    }

    private void Record(JsonObject happened, object module, object?[] args)
    {
        happened["hook"] = _name;
        happened["module"] = _session.Path(module);
        happened["args"] = _session.Values.WriteAll(args);
        _session.Record(happened);
    }

    private object? RunActions(Given given)
    {
        object? result = null;
        foreach (var action in _actions) result = action(given, result);
        return result;
    }

    private Func<Given, object?, object?> ParseAction(JsonElement action)
    {
        var (kind, value) = ParseKind(action);
        switch (kind)
        {
            case "return":
                return (_, _) => _session.Values.Make(value);
            case "add":
                return (given, _) => AddNumber(given, value);
            case "raise":
                var text = action.Text("message") ?? _name;
                return (_, _) => throw Errors.Make(value.GetString()!, text);
            case "register":
                return After(() => _session.Register(value));
            case "remove":
                return After(() => _session.Handle(value.GetString()!).Dispose());
            case "call":
                var (path, left) = (value.Text("module") ?? "", value.Integer("limit", 1));
                return After(() =>
                {
                    if (Interlocked.Decrement(ref left) < 0) return;
                    _session.World.Call(_session.Module(path), _session.Args(value));
                });
            case "read":
                return After(() => _session.Read(value));
            default:
                throw new DefectException($"unknown action '{kind}'");
        }
    }

    // The field `message` may come before `raise`.
    private static (string Kind, JsonElement Value) ParseKind(JsonElement action)
    {
        if (action.TryGetProperty("raise", out var raised)) return ("raise", raised);
        var first = action.First();
        return (first.Name, first.Value);
    }

    private static Func<Given, object?, object?> After(Action act) => (_, result) =>
    {
        act();
        return result;
    };

    private object? AddNumber(Given given, JsonElement n)
    {
        if (IsForward) return ProgramValues.Plus(given.Output, value => _session.World.Plus(value, n));
        var first = _session.World.Plus(given.Args[0], n);
        return given.Args.Length == 1 ? first : new ProgramTuple([first, .. given.Args[1..]]);
    }

    private readonly record struct Given(object?[] Args, object? Output);
}
