// Runs hook programs on the modules of Modules.cs. The suite starts the program and asks in lines of JSON (lines.schema.json):
//
//     dotnet build -o out
//     python -m hook_contract run --runtime 'dotnet out/Runtime.dll'

using System.Collections.Concurrent;
using System.Text.Json;
using System.Text.Json.Nodes;
using Sample;

while (Console.ReadLine() is { } line)
{
    JsonObject answer;
    try
    {
        answer = Answer(JsonDocument.Parse(line).RootElement);
    }
    catch (Exception error)
    {
        answer = new() { ["error"] = error.ToString() };
    }
    Console.WriteLine(answer.ToJsonString());
}

static JsonObject Answer(JsonElement request)
{
    if (request.GetProperty("do").GetString() == "start")
    {
        var lacks = new JsonObject();
        foreach (var (reason, words) in Session.Lacks)
        {
            foreach (var word in words.Split(' ')) lacks[word] = reason;
        }
        var version = $"Modules.cs on .NET {Environment.Version}";
        return new() { ["format"] = 1, ["name"] = "csharp", ["version"] = version, ["lacks"] = lacks };
    }
    Module.GlobalPreHooks.Clear();
    Module.GlobalForwardHooks.Clear();
    return new() { ["traces"] = new JsonObject { [""] = new Session(request.GetProperty("program")).Run() } };
}

internal class ProgramException(string message) : Exception(message);

/// <summary>Hooks with AlwaysCall do not run for it.</summary>
internal class Interrupt(string message) : OperationCanceledException(message);

/// <summary>A step failed, so the rest of its program or block is skipped.</summary>
internal class Ended : Exception;

/// <summary>A plain number. The other numbers of a program stand for tensors, and are a double here.</summary>
internal record Plain(double Value);

/// <summary>Values of programs: null, double, Plain, string, object?[] (a tuple), List (a list) and Dictionary.</summary>
internal static class Values
{
    internal static double Number(object? value) => value switch
    {
        double number => number,
        Plain plain => plain.Value,
        _ => throw new InvalidCastException($"No arithmetic with {value ?? "null"}."),
    };

    internal static object Plus(object? a, object? b)
    {
        var sum = Number(a) + Number(b);
        return (a, b) is (Plain, Plain) ? new Plain(sum) : sum;
    }

    /// <summary>Returns the value plus n; of a container, its first item.</summary>
    internal static object AddTo(object? value, Plain n) => value switch
    {
        object?[] tuple => (object?[])[AddTo(tuple[0], n), .. tuple[1..]],
        List<object?> list => (List<object?>)[AddTo(list[0], n), .. list[1..]],
        Dictionary<string, object?> items => items.ToDictionary(
            item => item.Key,
            item => item.Key == items.Keys.First() ? AddTo(item.Value, n) : item.Value),
        _ => Plus(value, n),
    };

    internal static JsonNode? Write(object? value) => value switch
    {
        null => null,
        double number => number,
        Plain plain => new JsonObject { ["plain"] = plain.Value },
        object?[] tuple => new JsonObject { ["tuple"] = WriteAll(tuple) },
        List<object?> list => new JsonObject { ["list"] = WriteAll(list) },
        Dictionary<string, object?> items => new JsonObject
        {
            ["dict"] = new JsonObject(items.Select(item => KeyValuePair.Create(item.Key, Write(item.Value)))),
        },
        _ => new JsonObject { ["text"] = value.ToString() },
    };

    internal static JsonArray WriteAll(IEnumerable<object?> values) => [.. values.Select(Write)];
}

/// <summary>A module of a program's tree.</summary>
internal sealed class Node(Session session, JsonElement node) : Module
{
    private readonly string _kind = node.GetProperty("kind").GetString()!;
    private readonly double _weight = Session.Get(node, "k", 2), _bias = Session.Get(node, "c", 1);
    private readonly ThreadLocal<int?> _left = new();
    private bool _registered;

    private IEnumerable<Module> Parts => Children.Select(child => child.Module);

    public override object? Forward(object?[] args)
    {
        if (_kind == "inputs" && args is [_, _, null]) args = args[..2]; // as if the caller had left it out
        var (least, most) = _kind switch { "raise" or "sequence" or "parallel" => (0, int.MaxValue), "inputs" => (2, 3), _ => (1, 1) };
        if (args.Length < least || args.Length > most) throw new ArgumentException($"Forward does not take {args.Length} arguments.");
        session.Record("enter", ("module", session.PathOf(this)), ("args", Values.WriteAll(args)));
        return _kind switch
        {
            "leaf" => Compute(args[0]),
            "identity" => args[0],
            "inputs" => args.Zip([1.0, 2, 4], (value, factor) => Values.Number(value) * factor).Sum(),
            "give" => Give(Compute(args[0]), Values.Number(args[0]) * _weight),
            "raise" => throw Session.MakeException(Session.Get(node, "error", "Error"), Session.Get(node, "message", "boom")),
            "sequence" => Parts.Aggregate(args, (values, child) => [CallChild(child, values)])[0],
            "parallel" => Parts.Select(child => CallChild(child, args)).ToArray().Aggregate(Values.Plus),
            "swallow" => Swallow(args),
            "opaque" => ((Node)Parts.First()).Compute(args[0]),
            "recurse" => Recurse(args[0]),
            "register" => Register(args[0]),
            _ => throw new NotSupportedException($"unknown node {_kind}"),
        };
    }

    private double Compute(object? x) => (Values.Number(x) * _weight) + _bias;

    private object? CallChild(Module child, object?[] args) =>
        Session.Get(node, "by", "call") == "forward" ? child.Forward(args) : child.Call(args);

    private object? Give(double r, double s) => node.GetProperty("form").GetString() switch
    {
        "tuple" or "unused" => (object?[])[r, s],
        "list" => new List<object?> { r, s },
        "dict" => new Dictionary<string, object?> { ["a"] = r, ["b"] = s },
        "nested" => (object?[])[(object?[])[r], s],
        "none" => null,
        _ => new Plain(7),
    };

    private object? Swallow(object?[] args)
    {
        try
        {
            return CallChild(Parts.First(), args);
        }
        catch (ProgramException)
        {
            return args[0];
        }
    }

    private object? Recurse(object? x)
    {
        var outermost = _left.Value is null;
        _left.Value ??= (int)Session.Get(node, "depth", 1);
        try
        {
            return _left.Value-- > 0 ? Call([x]) : Compute(x);
        }
        finally
        {
            if (outermost) _left.Value = null;
        }
    }

    private object? Register(object? x)
    {
        if (!_registered) session.Register(node.GetProperty("register"));
        _registered = true;
        return Compute(x);
    }
}

/// <summary>One run of a program.</summary>
internal sealed class Session
{
    /// <summary>The words of programs that are not supported, by reason.</summary>
    internal static readonly (string Reason, string Words)[] Lacks =
    [
        ("the library has no tensors and no autograd",
            "parameters identity value:vector action:add_ node:detach node:attention node:encoder read:grad read:grad_fn " +
            "read:requires_grad read:device read:grad_mode hook:backward_pre hook:backward hook:legacy hook:tensor hook:accumulated " +
            "step:tensor step:compute step:sum step:backward step:grad step:zero step:inplace step:retain_grad step:no_grad " +
            "step:functional_call step:checkpoint"),
        ("hooks get no keyword arguments", "kwargs option:with_kwargs action:kwargs node:keyword"),
        ("a method of a C# object cannot be replaced", "step:assign_forward step:assign_call action:assign_forward"),
        ("the library cannot copy modules", "step:deepcopy step:copy step:slice step:drop step:handle_copy"),
        ("the library has no such modules and methods", "node:sequential node:modulelist step:train step:eval step:methods"),
        ("the global registries are read-only fields", "step:rebind"),
        ("a registry is not a dictionary: only its methods write to it", "option:by"),
    ];

    /// <summary>Parts of messages that identify an exception or a warning of the contract.</summary>
    private static readonly string[] s_keys =
    [
        "mutated during iteration", "global module forward hook with ``always_call=True``", "module forward hook with ``always_call=True``",
    ];

    private readonly JsonElement _program;
    private readonly Module _root;
    private readonly Dictionary<Module, string> _paths = [];
    private readonly ConcurrentDictionary<string, Handle> _handles = new();
    private readonly ConcurrentDictionary<string, (PreHook Pre, ForwardHook Forward)> _hooks = new();
    private readonly ConcurrentDictionary<string, object?> _names = new();
    private readonly ThreadLocal<JsonArray> _events = new(() => []);

    internal Session(JsonElement program)
    {
        _program = program;
        _root = Build(program.GetProperty("tree"), "");
    }

    internal static string Get(JsonElement item, string name, string missing) =>
        item.TryGetProperty(name, out var value) ? value.GetString()! : missing;

    internal static double Get(JsonElement item, string name, double missing) =>
        item.TryGetProperty(name, out var value) ? value.GetDouble() : missing;

    internal static IEnumerable<JsonElement> All(JsonElement item, string name) =>
        item.TryGetProperty(name, out var found) ? found.EnumerateArray() : [];

    internal static Exception MakeException(string name, string message) =>
        name == "Interrupt" ? new Interrupt(message) : new ProgramException(message);

    internal JsonArray Run()
    {
        void Warn(string message) => Record("warning", ("category", "UserWarning"), ("key", KeyOf(message)));
        Module.Warned += Warn;
        RunUntilFailure(_program);
        Module.Warned -= Warn;
        return _events.Value!;
    }

    internal string PathOf(Module module) => _paths[module];

    internal void Record(string name, params (string Name, JsonNode? Value)[] fields)
    {
        JsonObject recorded = new() { ["event"] = name };
        foreach (var (field, value) in fields) recorded[field] = value;
        _events.Value!.Add(recorded);
    }

    internal void Register(JsonElement item)
    {
        var (name, kind) = (item.GetProperty("hook").GetString()!, item.GetProperty("kind").GetString()!);
        var (pre, forward) = _hooks.GetOrAdd(name, _ => MakeHook(name, kind, [.. All(item, "actions")]));
        var options = (Has("prepend") ? HookOptions.Prepend : 0) | (Has("always_call") ? HookOptions.AlwaysCall : 0);
        var module = item.TryGetProperty("global", out _) ? null : _root.At(Get(item, "on", ""));
        _handles[Get(item, "handle", name)] = kind == "pre"
            ? (module?.PreHooks ?? Module.GlobalPreHooks).Add(pre, options)
            : (module?.ForwardHooks ?? Module.GlobalForwardHooks).Add(forward, options);

        bool Has(string option) => item.TryGetProperty(option, out var value) && value.GetBoolean();
    }

    private static string KeyOf(string message) => s_keys.FirstOrDefault(message.Contains) ?? "";

    /// <summary>Returns Python's name of an exception.</summary>
    private static string NameOf(Exception error) => error switch
    {
        ProgramException => "Error",
        Interrupt => "Interrupt",
        ArgumentException or InvalidCastException => "TypeError",
        InvalidOperationException => "RuntimeError",
        _ => error.GetType().Name,
    };

    private Module Build(JsonElement node, string path)
    {
        if (node.TryGetProperty("same", out var same)) return _paths.First(known => known.Value == same.GetString()).Key;
        var module = new Node(this, node);
        _paths[module] = path;
        foreach (var child in All(node, "children"))
        {
            var name = child.GetProperty("name").GetString()!;
            module.Children.Add((name, Build(child, path == "" ? name : $"{path}.{name}")));
        }
        return module;
    }

    private object? Make(JsonElement value)
    {
        if (value.ValueKind == JsonValueKind.Null) return null;
        if (value.ValueKind == JsonValueKind.Number) return value.GetDouble();
        var form = value.EnumerateObject().Single();
        return form.Name switch
        {
            "plain" => new Plain(form.Value.GetDouble()),
            "tuple" => MakeAll(value, "tuple"),
            "list" => MakeAll(value, "list").ToList(),
            "dict" => form.Value.EnumerateObject().ToDictionary(item => item.Name, item => Make(item.Value)),
            "name" => Find(form.Value.GetString()!),
            _ => form.Value.GetString(),
        };
    }

    private object?[] MakeAll(JsonElement item, string name) => [.. All(item, name).Select(Make)];

    private object? Find(string name)
    {
        var parts = name.Split('.');
        return parts[1..].Aggregate(_names[parts[0]], static (value, item) => value switch
        {
            Dictionary<string, object?> items => items[item],
            List<object?> list => list[int.Parse(item)],
            _ => ((object?[])value!)[int.Parse(item)],
        });
    }

    private void RunUntilFailure(JsonElement item)
    {
        try
        {
            RunSteps(item, false);
        }
        catch (Ended)
        {
        }
    }

    /// <summary>Runs steps. Throws Ended after a step whose exception was not expected; in a block, throws the exception itself.</summary>
    private void RunSteps(JsonElement item, bool block)
    {
        foreach (var step in All(item, "steps"))
        {
            var (expected, raised) = (Get(step, "raises", ""), "");
            try
            {
                RunStep(step);
            }
            catch (Exception error) when (error is not Ended && (!block || NameOf(error) == expected))
            {
                raised = NameOf(error);
                Record("raise", ("error", raised), ("key", error is ProgramException or Interrupt ? error.Message : KeyOf(error.Message)));
            }
            if (raised == "" && expected != "") Record("raise", ("error", ""), ("key", $"{expected} was expected"));
            if (raised != expected) throw new Ended();
        }
    }

    private void RunStep(JsonElement step)
    {
        switch (step.GetProperty("do").GetString())
        {
            case "register":
                Register(step);
                break;
            case "remove":
                _handles[step.GetProperty("handle").GetString()!].Dispose();
                break;
            case "call" or "forward":
                for (var time = 0; time < Get(step, "times", 1); time++) CallModule(step);
                break;
            case "read":
                Read(step);
                break;
            case "try":
                RunUntilFailure(step);
                break;
            case "with":
                using (_handles[step.GetProperty("handle").GetString()!]) RunSteps(step, true);
                break;
            case "ids":
                var ids = All(step, "handles").Select(name => _handles[name.GetString()!].Id).ToArray();
                var ranks = ids.Select(id => (JsonNode?)Array.IndexOf([.. ids.Order()], id));
                Record("ids", ("handles", JsonNode.Parse(step.GetProperty("handles").GetRawText())), ("ranks", new JsonArray([.. ranks])));
                break;
            case "thread":
                RunThreads(step);
                break;
            case var unknown:
                throw new NotSupportedException($"unknown step {unknown}");
        }
    }

    private void CallModule(JsonElement step)
    {
        var (module, args) = (_root.At(Get(step, "module", "")), MakeAll(step, "args"));
        var result = step.GetProperty("do").GetString() == "call" ? module.Call(args) : module.Forward(args);
        Record("return", ("value", Values.Write(result)));
        if (step.TryGetProperty("save", out var name)) _names[name.GetString()!] = result;
    }

    private void Read(JsonElement item)
    {
        var name = item.GetProperty("name").GetString()!;
        Record("read", ("name", name), ("what", item.GetProperty("what").GetString()), ("value", Values.Write(Find(name))));
    }

    private void RunThreads(JsonElement step)
    {
        var traces = new JsonArray[(int)Get(step, "count", 1)];
        var threads = traces.Select((_, number) => new Thread(() =>
        {
            RunUntilFailure(step);
            traces[number] = _events.Value!;
        })).ToList();
        threads.ForEach(thread => thread.Start());
        threads.ForEach(thread => thread.Join());
        for (var number = 0; number < traces.Length; number++) Record("thread", ("number", number), ("events", traces[number]));
    }

    /// <summary>Returns a hook that records its event and runs its actions. Of the two delegates, that of another kind fails.</summary>
    private (PreHook Pre, ForwardHook Forward) MakeHook(string name, string kind, JsonElement[] actions)
    {
        var calls = new int[actions.Length];
        return ((module, args) => Run("pre", module, args), (module, args, output) => Run("forward", module, args, output));

        object? Run(string called, Module module, object?[] args, object? output = null)
        {
            if (called != kind) throw new ArgumentException($"{name} was called as a hook of another kind.");
            (string, JsonNode?)[] fields = [("hook", name), ("module", PathOf(module)), ("args", Values.WriteAll(args))];
            Record(kind, kind == "pre" ? fields : [.. fields, ("output", Values.Write(output))]);
            object? result = null;
            for (var index = 0; index < actions.Length; index++)
            {
                var action = actions[index].EnumerateObject().First(part => part.Name != "message");
                switch (action.Name)
                {
                    case "return":
                        result = Make(action.Value);
                        break;
                    case "add" when kind == "pre":
                        var sum = Values.Plus(args[0], new Plain(action.Value.GetDouble()));
                        result = args.Length == 1 ? sum : (object?[])[sum, .. args[1..]];
                        break;
                    case "add":
                        result = Values.AddTo(output, new Plain(action.Value.GetDouble()));
                        break;
                    case "raise":
                        throw MakeException(action.Value.GetString()!, Get(actions[index], "message", name));
                    case "register":
                        Register(action.Value);
                        break;
                    case "remove":
                        _handles[action.Value.GetString()!].Dispose();
                        break;
                    case "read":
                        Read(action.Value);
                        break;
                    case "call":
                        if (++calls[index] > Get(action.Value, "limit", 1)) break;
                        _root.At(Get(action.Value, "module", "")).Call(MakeAll(action.Value, "args"));
                        break;
                    default:
                        throw new NotSupportedException($"unknown action {action.Name}");
                }
            }
            return result;
        }
    }
}
