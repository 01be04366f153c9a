using System.Runtime.CompilerServices;
using System.Text.Json;
using System.Text.Json.Nodes;
using Bridge.Conformance.Modules;

namespace Bridge.Conformance;

/// <summary>What is placed in a module's lists: a program's hook, whoever runs the program.</summary>
/// <remarks>
/// Two classes implement it. <see cref="Hook"/> belongs to an interpreter in C# and works on whatever a world computes with. <see cref="Mirrored.ProgramHook"/>
/// belongs to Python's interpreter: it holds no session, asks Python to register and remove, and changes tensors in place.
/// </remarks>
internal interface IHook
{
    /// <summary>Runs it as a pre hook; the new arguments, or null to keep them.</summary>
    object?[]? Pre(object module, object?[] args);

    /// <summary>Runs it as a forward hook; the new result, or null to keep it.</summary>
    object? Forward(object module, object?[] args, object? output);
}

/// <summary>A program's hook: records its event, does its actions, and gives what the last of them says; null is Python's None.</summary>
internal sealed class Hook : IHook
{
    private readonly Session _session;
    private readonly string _name;
    private readonly Func<Given, object?, object?>[] _actions;

    /// <summary>A hook from its first registration. Actions are checked here, so that an unknown one is found before a call.</summary>
    internal Hook(JsonElement registration, Session session)
    {
        _session = session;
        _name = registration.NeedText("hook");
        IsForward = registration.NeedText("kind") switch
        {
            "pre" => false,
            "forward" => true,
            var kind => throw new Defect($"a hook of kind '{kind}'"),
        };
        if (registration.Flag("with_kwargs")) throw new Defect("a hook with_kwargs");
        _actions = registration.Items("actions").Select(Action).ToArray();
    }

    /// <summary>Its name in the program.</summary>
    internal string Name => _name;

    /// <summary>A forward hook; otherwise a pre hook.</summary>
    internal bool IsForward { get; }

    /// <summary>Runs a pre hook; null keeps the arguments, a tuple is the new ones, anything else the only one (P-2).</summary>
    public object?[]? Pre(object module, object?[] args)
    {
        Record(new() { ["event"] = "pre" }, module, args);
        return Act(new(args, null)) switch
        {
            null => null,
            ITuple tuple => Values.Items(tuple),
            var only => [only],
        };
    }

    /// <summary>Runs a forward hook; null keeps the output (F-2).</summary>
    public object? Forward(object module, object?[] args, object? output)
    {
        Record(new() { ["event"] = "forward", ["output"] = _session.Values.Write(output) }, module, args);
        return Act(new(args, output));
    }

    private void Record(JsonObject happened, object module, object?[] args)
    {
        happened["hook"] = _name;
        happened["module"] = _session.Path(module);
        happened["args"] = _session.Values.WriteAll(args);
        _session.Record(happened);
    }

    private object? Act(Given given)
    {
        object? result = null;
        foreach (var action in _actions) result = action(given, result);
        return result;
    }

    private Func<Given, object?, object?> Action(JsonElement action)
    {
        var (word, what) = Word(action);
        switch (word)
        {
            case "return":
                return (_, _) => _session.Values.Make(what);
            case "add":
                return (given, _) => Added(given, what);
            case "raise":
                var text = action.Text("message") ?? _name;
                return (_, _) => throw Errors.Make(what.GetString()!, text);
            case "register":
                return After(() => _session.Register(what));
            case "remove":
                return After(() => _session.Handle(what.GetString()!).Dispose());
            case "call":
                var (path, left) = (what.Text("module") ?? "", what.Integer("limit", 1));
                return After(() =>
                {
                    if (Interlocked.Decrement(ref left) >= 0) _session.World.Call(_session.Module(path), _session.Args(what));
                });
            case "read":
                return After(() => _session.Read(what));
            default:
                throw new Defect($"an action '{word}'");
        }
    }

    // `message` may come before its `raise`.
    private static (string Word, JsonElement What) Word(JsonElement action)
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

    private object? Added(Given given, JsonElement n)
    {
        if (IsForward) return Values.Plus(given.Output, value => _session.World.Plus(value, n));
        var first = _session.World.Plus(given.Args[0], n);
        return given.Args.Length == 1 ? first : new TupleOf([first, .. given.Args[1..]]);
    }

    private readonly record struct Given(object?[] Args, object? Output);
}
