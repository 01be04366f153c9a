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
        _name = registration.GetProperty("hook").GetString()!;
        _kind = registration.GetProperty("kind").GetString()!;
        _actions = registration.TryGetProperty("actions", out var actions) ? actions.EnumerateArray().Select(item => (item.EnumerateObject().First(), item)).ToArray() : [];
        _calls = new int[_actions.Length];
    }

    /// <summary>Registers it on a module, by the method that its types have.</summary>
    internal HookRemover Register(torch.nn.Module module, JsonElement fields) =>
        Placing.Place(this, module, _kind == "pre", Flag(fields, "prepend"), Flag(fields, "always_call"));

    /// <summary>Runs it as a pre hook; the new arguments, or null to keep them.</summary>
    public object?[]? Pre(object module, object?[] args)
    {
        _run.Record(_kind, _name, (torch.nn.Module)module, args);
        return Act(n => new TupleOf([Operand.Plus(args[0], n), .. args[1..]]), () => args[0]) switch
        {
            null => null,
            TupleOf tuple => Enumerable.Range(0, tuple.Length).Select(i => tuple[i]).ToArray(),
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
        return Act(n => Sums.Plus(output, n), () => output);
    }

    private static bool Flag(JsonElement fields, string name) => fields.TryGetProperty(name, out var flag) && flag.GetBoolean();

    private object? Act(Func<object, object?> added, Func<object?> first)
    {
        object? result = null;
        for (var number = 0; number < _actions.Length; number++)
        {
            var (does, all) = _actions[number];
            switch (does.Name)
            {
                case "return": result = Values.Make(does.Value, _run.Device); break;
                case "add": result = added(does.Value.TryGetInt64(out var whole) ? whole : does.Value.GetDouble()); break;
                case "add_": Operand.Tensor(first()).add_(does.Value.GetDouble()); break;
                case "raise": throw Errors.Make(does.Value.GetString()!, all.TryGetProperty("message", out var message) ? message.GetString()! : _name);
                case "register" or "remove": _run.Ask(does.Name, does.Value.GetRawText()); break;
                case "call": Call(number, does.Value); break;
                default: throw new NotSupportedException($"A C# hook cannot do '{does.Name}'.");
            }
        }

        return result;
    }

    private void Call(int number, JsonElement call)
    {
        if (_calls[number] >= (call.TryGetProperty("limit", out var limit) ? limit.GetInt32() : 1)) return;
        _calls[number]++;
        var args = call.TryGetProperty("args", out var list) ? list.EnumerateArray().Select(item => Values.Make(item, _run.Device)).ToArray() : [];
        Child.Of(_run.Module(call.GetProperty("module").GetInt64()), byForward: false)!.Run(args);
    }
}

/// <summary>An output with n added: of a tuple or list to its first item, of a dictionary to its first value.</summary>
internal static class Sums
{
    internal static object? Plus(object? output, object n)
    {
        switch (output)
        {
            case System.Runtime.CompilerServices.ITuple tuple:
                var items = Enumerable.Range(0, tuple.Length).Select(i => tuple[i]).ToArray();
                items[0] = Plus(items[0], n);
                return new TupleOf(items);
            case System.Collections.IDictionary map:
                var copy = map.Keys.Cast<string>().ToDictionary(key => key, key => map[key]);
                var first = copy.Keys.First();
                copy[first] = Plus(copy[first], n);
                return copy;
            case System.Collections.IList list:
                var all = list.Cast<object?>().ToList();
                all[0] = Plus(all[0], n);
                return all;
            default: return Operand.Plus(output, n);
        }
    }
}
