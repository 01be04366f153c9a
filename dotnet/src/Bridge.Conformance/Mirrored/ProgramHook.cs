using System.Text.Json;
using Bridge.Conformance.Modules;
using Bridge.Torch;
using TorchSharp;
using static TorchSharp.torch.nn;

namespace Bridge.Conformance.Mirrored;

/// <summary>A program's hook as C# code: it records its event, does its actions, and gives what the last of them says.</summary>
internal sealed class ProgramHook : IHook
{
    private readonly Run _run;
    private readonly string _name;
    private readonly string _kind;
    private readonly (JsonProperty Does, JsonElement All)[] _actions;
    private readonly int[] _calls;

    internal ProgramHook(Run run, JsonElement registration)
    {
        _run = run;
        _name = registration.NeedText("hook");
        _kind = registration.NeedText("kind");
        _actions = registration.Items("actions").Select(item => (item.First(), item)).ToArray();
        _calls = new int[_actions.Length];
    }

    /// <summary>Registers it on a module, by the method that its types have.</summary>
    internal HookRemover Register(torch.nn.Module module, JsonElement fields) =>
        Placing.Place(this, module, _kind == "pre", fields.Flag("prepend"), fields.Flag("always_call"));

    /// <summary>Runs it as a pre hook; the new arguments, or null to keep them.</summary>
    public object?[]? Pre(object module, object?[] args)
    {
        _run.Record(_kind, _name, (torch.nn.Module)module, args);
        return Act(n => new TupleOf([Operand.Plus(args[0], n), .. args[1..]]), () => args[0]) switch
        {
            null => null,
            TupleOf tuple => Values.Items(tuple),
            var single => [single],
        };
    }

    /// <summary>Runs it as a forward hook; the new result, or null to keep it.</summary>
    public object? Forward(object module, object?[] args, object? output)
    {
        _run.Record(_kind, _name, (torch.nn.Module)module, args, json =>
        {
            json.WritePropertyName("output");
            _run.Writer.Write(json, output);
        });
        return Act(n => Values.Plus(output, value => Operand.Plus(value, n)), () => output);
    }

    private object? Act(Func<object, object?> added, Func<object?> first)
    {
        object? result = null;
        for (var number = 0; number < _actions.Length; number++)
        {
            var (does, all) = _actions[number];
            switch (does.Name)
            {
                case "return": result = Made(does.Value); break;
                case "add": result = added(does.Value.TryGetInt64(out var integer) ? integer : does.Value.GetDouble()); break;
                case "add_": Operand.Tensor(first()).add_(does.Value.GetDouble()); break;
                case "raise": throw Errors.Make(does.Value.GetString()!, all.Text("message") ?? _name);
                case "register" or "remove": _run.Ask(does.Name, does.Value.GetRawText()); break;
                case "call": Call(number, does.Value); break;
                default: throw new NotSupportedException($"A C# hook cannot do '{does.Name}'.");
            }
        }

        return result;
    }

    // C# does not know what Python has saved under a name; such a hook is Python's.
    private object? Made(JsonElement value) => Values.Make(value, _run.Numbers, name => throw new Defect($"the name '{name}'"));

    private void Call(int number, JsonElement call)
    {
        if (Interlocked.Increment(ref _calls[number]) > call.Integer("limit", 1)) return;
        var args = call.Items("args").Select(Made).ToArray();
        Child.Of(Run.Module(call.GetProperty("module").GetInt64()), byForward: false)!.Run(args);
    }
}
