using System.Text.Json.Nodes;
using TorchSharp;

namespace Bridge.Conformance.Worlds;

/// <summary>TorchSharp with its own hooks, as they are: no others, no options, no order that survives a removal.</summary>
/// <param name="typed">Modules over tensors.</param>
/// <param name="actions">The hooks that are registered without types.</param>
/// <remarks>
/// A hook without types gets neither arguments nor result (rule 13). What its event has of them is the call's: the arguments with which it began and,
/// behind <c>forward</c>, those that <c>forward</c> got and what the call gives in the end, which such a hook cannot change. So only what
/// is called by <see cref="Call"/> alone may have them.
/// </remarks>
internal sealed class NativeWorld(bool typed, IReadOnlyCollection<string> actions) : TorchSharpWorld(typed)
{
    private readonly ThreadLocal<Stack<OpenCall>> _calls = new(() => new());

    public override object? Call(object module, object?[] args)
    {
        var call = new OpenCall(module) { Args = args };
        _calls.Value!.Push(call);
        try
        {
            var result = base.Call(module, args);
            foreach (var happened in call.Unfinished) happened["output"] = Session.Values.Write(result);
            return result;
        }
        finally
        {
            _calls.Value!.Pop();
        }
    }

    public override IDisposable Register(object? module, Hook hook, bool prepend, bool alwaysCall)
    {
        if (module is null || prepend || alwaysCall) throw new Defect("a registration that TorchSharp has not");
        var target = (torch.nn.Module)module;
        if (!actions.Contains(hook.Name)) return NativeHooks.Of(target).Register(hook, target);
        return NativeHooks.Of(target).Register(hook.IsForward ? Computed : Called, hook.IsForward, target);

        void Called(torch.nn.Module self) => hook.Pre(self, _calls.Value!.Peek().Args);

        void Computed(torch.nn.Module self)
        {
            hook.Forward(self, _calls.Value!.Peek().Args, null);
            _calls.Value!.Peek().Unfinished.Add((JsonObject)Session.Events[^1]!);
        }
    }

    public override long Id(IDisposable handle) => throw new Defect("a HookRemover has no id");

    protected override void Entered(object module, object?[] args)
    {
        if (_calls.Value!.TryPeek(out var call) && call.Module == module) call.Args = args;
    }

    private sealed class OpenCall(object module)
    {
        internal object Module => module;

        internal object?[] Args { get; set; } = [];

        internal List<JsonObject> Unfinished { get; } = [];
    }
}
