using System.Text.Json.Nodes;
using TorchSharp;

namespace Bridge.Conformance.Worlds;

/// <summary>Runs hook programs on TorchSharp with TorchSharp's own hooks, which have no options such as prepend.</summary>
/// <param name="typed">Whether the modules declare their arguments and results as tensors; otherwise, as <c>object</c>.</param>
/// <param name="actions">The names of the hooks that are registered untyped, as <c>Action&lt;Module&gt;</c>.</param>
/// <remarks>
/// An untyped hook gets neither arguments nor result, so its event gets them from the call. The event of a pre hook has the arguments
/// with which the call began. The event of a forward hook has the arguments of <c>forward</c> and the final result. Untyped hooks work only
/// on modules that are called by <see cref="Call"/>.
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

    public override IDisposable Register(object? module, ProgramHook hook, bool prepend, bool alwaysCall)
    {
        if (module is null || prepend || alwaysCall)
            throw new DefectException("TorchSharp has no global hooks, no prepend and no always_call");
        var target = (torch.nn.Module)module;
        if (!actions.Contains(hook.Name)) return NativeHooks.Create(target).Register(hook, target);
        return NativeHooks.Create(target).Register(hook.IsForward ? Computed : Called, hook.IsForward, target);

        void Called(torch.nn.Module self) => hook.Pre(self, _calls.Value!.Peek().Args);

        void Computed(torch.nn.Module self)
        {
            hook.Forward(self, _calls.Value!.Peek().Args, null);
            _calls.Value!.Peek().Unfinished.Add((JsonObject)Session.Events[^1]!);
        }
    }

    public override long Id(IDisposable handle) => throw new DefectException("a HookRemover has no id");

    protected override void OnForward(object module, object?[] args)
    {
        if (_calls.Value!.TryPeek(out var call) && call.Module == module) call.Args = args;
    }

    private sealed class OpenCall(object module)
    {
        internal object Module => module;

        internal object?[] Args { get; set; } = [];

        // The events of untyped forward hooks. At the end of the call, the result is written into these events.
        internal List<JsonObject> Unfinished { get; } = [];
    }
}
