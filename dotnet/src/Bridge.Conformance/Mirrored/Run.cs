using System.Collections.Concurrent;
using System.Text.Json;
using Bridge.Conformance.Modules;
using Bridge.Torch;
using TorchSharp;

namespace Bridge.Conformance.Mirrored;

/// <summary>One run of a program whose interpreter is Python's: what C# reports to it, and what it can request from C#. One at a time.</summary>
public sealed class Run : IRecorder
{
    private static Run? _current;

    [ThreadStatic]
    private static Events? _own;

    private readonly ConcurrentDictionary<string, ProgramHook> _hooks = new(); // threads of a program register too
    private readonly Func<string, int> _ask;
    private readonly Events _shared;
    private volatile Events? _behind;

    /// <summary>Begins a run.</summary>
    /// <param name="device">Where constants are made, and tensors are expected to be.</param>
    /// <param name="identity">Tensors are recorded with their identity.</param>
    /// <param name="ask">Does in Python what only its interpreter can, <c>{"register": …}</c> or <c>{"remove": …}</c>; a number above zero names the exception that it kept.</param>
    public Run(string device, bool identity, Func<string, int> ask)
    {
        (Device, _ask) = (new torch.Device(device), ask);
        Writer = new Writer(identity, Device);
        Numbers = new Tensors(Device);
        _shared = new Events(Writer);
        _current = this;
    }

    /// <inheritdoc/>
    public torch.Device Device { get; }

    internal Writer Writer { get; }

    internal Tensors Numbers { get; }

    /// <summary>Those of this thread, or of the one that waits for what autograd does on this one.</summary>
    private Events Mine => _own ?? _behind ?? _shared;

    /// <summary>The modules of a tree with types: <c>bridge.load</c> calls it.</summary>
    /// <exception cref="NotSupportedException">The tree cannot be built with types (F-2).</exception>
    public static torch.nn.Module Typed(string tree) => Build(tree, typed: true);

    /// <summary>The modules of a tree over <c>object</c>: <c>bridge.load</c> calls it.</summary>
    public static torch.nn.Module OverObject(string tree) => Build(tree, typed: false);

    /// <summary>The events of this thread since the last time, as JSON; null if there are none.</summary>
    public string? Take() => Mine.Take();

    /// <summary>This thread is one of the program's.</summary>
    public void OpenThread() => _own = new Events(Writer);

    /// <summary>The thread's part is over.</summary>
    public void CloseThread() => _own = null;

    /// <summary>Autograd runs a device's hooks on threads of its own: while this thread waits for them, what they record is this thread's.</summary>
    /// <param name="waits">It waits from now on; otherwise, no longer.</param>
    public void Behind(bool waits) => _behind = waits ? _own : null;

    /// <summary>Prepares the registration of a C# hook.</summary>
    /// <param name="registration">The fields of the step <c>register</c>, in its actions module ids instead of paths.</param>
    public Registration Prepare(string registration)
    {
        using var json = JsonDocument.Parse(registration);
        var fields = json.RootElement.Clone();
        return new(_hooks.GetOrAdd(fields.NeedText("hook"), _ => new ProgramHook(this, fields)), fields);
    }

    /// <summary>Ends the run.</summary>
    public void End() => Interlocked.CompareExchange(ref _current, null, this);

    void IRecorder.Made(torch.nn.Module module) { }

    void IRecorder.Entered(torch.nn.Module module, IReadOnlyList<object?> args, IReadOnlyList<(string Name, object? Value)> kwargs)
    {
        if (kwargs.Count == 0) Record("enter", null, module, ("args", args.ToArray()));
        else Record("enter", null, module, ("args", args.ToArray()), ("kwargs", kwargs.ToDictionary(item => item.Name, item => item.Value)));
    }

    void IRecorder.Register(JsonElement registration) => Ask("register", registration.GetRawText());

    internal static torch.nn.Module Module(long id) => ModuleLink.Find(id);

    internal void Record(string kind, string? hook, torch.nn.Module? module, params ReadOnlySpan<(string Name, object? Value)> fields) =>
        Mine.Add(kind, hook, module, fields);

    /// <summary>Makes Python's interpreter do an action.</summary>
    /// <param name="action">Its word.</param>
    /// <param name="content">Its JSON.</param>
    internal void Ask(string action, string content)
    {
        var kept = _ask($"{{\"{action}\":{content}}}");
        if (kept > 0) throw new Asked(kept);
    }

    private static torch.nn.Module Build(string tree, bool typed)
    {
        using var json = JsonDocument.Parse(tree);
        return new Trees(_current ?? throw new InvalidOperationException("No program runs."), typed).Build(json.RootElement.Clone());
    }
}

/// <summary>The registration of one C# hook. Python runs it as it runs a hook, so that what it raises comes back as the very exception.</summary>
public sealed class Registration
{
    internal Registration(ProgramHook hook, JsonElement fields) =>
        Number = PythonHooks.Require(nameof(Registration)).Keep(new UntypedHook(HookKind.Tensor, Register, (module, values) =>
        {
            Remover = hook.Register(module, values is [torch.Tensor tensor] ? tensor : null, fields);
            return null;
        }));

    /// <summary>The number by which Python runs it: with a module, a tensor, or neither.</summary>
    public long Number { get; }

    /// <summary>What removes the hook, once it is registered.</summary>
    public HookRemover? Remover { get; private set; }

    private static void Register() { }
}

/// <summary>A request to Python's interpreter ended with an exception, which it kept under a number.</summary>
/// <param name="number">The number.</param>
public sealed class Asked(int number) : Exception(number.ToString(System.Globalization.CultureInfo.InvariantCulture));
