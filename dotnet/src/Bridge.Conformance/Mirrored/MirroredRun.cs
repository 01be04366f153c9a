using System.Collections.Concurrent;
using System.Text.Json;
using Bridge.Conformance.Modules;
using Bridge.Torch;
using TorchSharp;

namespace Bridge.Conformance.Mirrored;

/// <summary>
/// Does the C# part when <c>hook_contract.runtimes.interpreter</c> runs a hook program on C# modules: records events, and asks Python to
/// run actions such as registering a hook. A process runs one such program at a time.
/// </summary>
public sealed class MirroredRun : IProgramRecorder
{
    private static MirroredRun? _current;

    [ThreadStatic]
    private static EventBuffer? _threadEvents;

    private readonly ConcurrentDictionary<string, MirroredHook> _hooks = new(); // Threads of a program register hooks, too.
    private readonly Func<string, int> _ask;
    private readonly EventBuffer _sharedEvents;
    private volatile EventBuffer? _waitingEvents;

    /// <summary>Begins a run.</summary>
    /// <param name="device">The device of the tensors that C# creates. All recorded tensors should be on a device of this type.</param>
    /// <param name="identity">Whether tensors are recorded with an id by which Python finds the tensor object.</param>
    /// <param name="ask">
    /// Makes the interpreter in Python run an action such as <c>{"register": …}</c>. If the action raises an exception, Python keeps the
    /// exception, and the result is its number. Otherwise the result is not positive.
    /// </param>
    public MirroredRun(string device, bool identity, Func<string, int> ask)
    {
        (Device, _ask) = (new torch.Device(device), ask);
        Writer = new TraceValueWriter(identity, Device);
        Numbers = new TensorNumbers(Device);
        _sharedEvents = new EventBuffer(Writer);
        _current = this;
    }

    /// <inheritdoc/>
    public torch.Device Device { get; }

    internal TraceValueWriter Writer { get; }

    internal TensorNumbers Numbers { get; }

    // The buffer that OpenThread gave this thread. On other threads: the buffer of the thread that waits for a backward pass, or else the
    // shared buffer.
    private EventBuffer CurrentEvents => _threadEvents ?? _waitingEvents ?? _sharedEvents;

    /// <summary>Builds a module tree with static types. <c>bridge.load</c> calls this method.</summary>
    /// <exception cref="NotSupportedException">The tree does not fit C#'s static types (F-2), or a kind in it is unknown.</exception>
    /// <exception cref="InvalidOperationException">No program is running.</exception>
    public static torch.nn.Module Typed(string tree) => Build(tree, typed: true);

    /// <summary>Builds a module tree whose arguments and results are declared as <c>object</c>. <c>bridge.load</c> calls it.</summary>
    /// <inheritdoc cref="Typed"/>
    public static torch.nn.Module OverObject(string tree) => Build(tree, typed: false);

    /// <summary>Removes the events in the buffer that this thread uses and returns them as JSON; null if there are none.</summary>
    public string? Take() => CurrentEvents.Take();

    /// <summary>Begins a thread of the program: gives this .NET thread a buffer of its own.</summary>
    public void OpenThread() => _threadEvents = new EventBuffer(Writer);

    /// <summary>Ends the thread of the program: drops the buffer of this .NET thread.</summary>
    public void CloseThread() => _threadEvents = null;

    /// <summary>
    /// Sets whether this thread waits for a backward pass. Autograd may run hooks on threads of its own. While this thread waits, events of
    /// such hooks are recorded as events of this thread.
    /// </summary>
    public void SetWaitingForBackward(bool waits) => _waitingEvents = waits ? _threadEvents : null;

    /// <summary>Prepares the registration of a C# hook.</summary>
    /// <param name="registration">
    /// The step or action <c>register</c> as JSON, with module ids instead of module paths in the hook's actions.
    /// </param>
    public Registration Prepare(string registration)
    {
        using var json = JsonDocument.Parse(registration);
        var fields = json.RootElement.Clone();
        return new(_hooks.GetOrAdd(fields.NeedText("hook"), _ => new MirroredHook(this, fields)), fields);
    }

    /// <summary>Ends the run.</summary>
    public void End() => Interlocked.CompareExchange(ref _current, null, this);

    void IProgramRecorder.OnCreated(torch.nn.Module module) { }

    void IProgramRecorder.OnForward(torch.nn.Module module, IReadOnlyList<object?> args, IReadOnlyList<(string Name, object? Value)> kwargs)
    {
        (string, object?)[] fields = kwargs.Count == 0
            ? [("args", args.ToArray())]
            : [("args", args.ToArray()), ("kwargs", kwargs.ToDictionary(item => item.Name, item => item.Value))];
        Record("enter", null, module, fields);
    }

    void IProgramRecorder.Register(JsonElement registration) => Ask("register", registration.GetRawText());

    internal static torch.nn.Module FindModule(long id) => ModuleLink.Find(id);

    internal void Record(string kind, string? hook, torch.nn.Module? module, params ReadOnlySpan<(string Name, object? Value)> fields) =>
        CurrentEvents.Add(kind, hook, module, fields);

    /// <summary>Makes the interpreter in Python run an action.</summary>
    /// <param name="action">The action's kind.</param>
    /// <param name="content">The action's content as JSON.</param>
    internal void Ask(string action, string content)
    {
        var kept = _ask($"{{\"{action}\":{content}}}");
        if (kept > 0) throw new RequestFailedException(kept);
    }

    private static torch.nn.Module Build(string tree, bool typed)
    {
        using var json = JsonDocument.Parse(tree);
        var run = _current ?? throw new InvalidOperationException("No program is running.");
        return new ModuleBuilder(run, typed).Build(json.RootElement.Clone());
    }
}

/// <summary>
/// The registration of a C# hook. Python runs it as if it were a hook, so that an exception that Python code raises during the registration
/// comes back to Python as the same object.
/// </summary>
public sealed class Registration
{
    internal Registration(MirroredHook hook, JsonElement fields)
    {
        var hooks = PythonHooks.Require(nameof(Registration));
        Number = hooks.Keep(new UntypedHook(HookKind.Tensor, Register, (module, values) =>
        {
            Remover = hook.Register(module, values is [torch.Tensor tensor] ? tensor : null, fields);
            return null;
        }));
    }

    /// <summary>Gets the number by which Python runs the registration, with a module, a tensor, or neither.</summary>
    public long Number { get; }

    /// <summary>Gets the remover of the hook; null before the hook is registered.</summary>
    public HookRemover? Remover { get; private set; }

    private static void Register() { }
}

/// <summary>Thrown if Python raised an exception when it ran an action for <see cref="MirroredRun"/>.</summary>
/// <param name="number">The number under which Python keeps its exception.</param>
public sealed class RequestFailedException(int number) : Exception(number.ToString(System.Globalization.CultureInfo.InvariantCulture));
