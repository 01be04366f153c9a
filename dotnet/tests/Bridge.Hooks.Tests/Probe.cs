using Bridge.Hooks;

namespace Bridge.Hooks.Tests;

/// <summary>A module over integers with a log. Its <c>forward</c> adds one, or runs <see cref="Body"/>.</summary>
internal sealed class Probe(string name = "m", List<string>? log = null) : IHookTarget<int, string>
{
    private HookSite<int, string>? _site;

    public List<string> Log { get; } = log ?? [];

    public Func<int, string>? Body { get; set; }

    public HookSite<int, string> Hooks => _site ??= new HookSite<int, string>();

    public HookSite<int, string>? Site => _site;

    public string Call(int x) => Dispatcher.Call<Probe, int, string>(this, _site, x);

    public string Forward(int args)
    {
        Log.Add($"{name}.forward({args})");
        return Body is null ? $"{args + 1}" : Body(args);
    }

    public object?[] Box(int args) => [args];

    public int Unbox(object?[] args) =>
        args.Length == 1 ? (int)args[0]! : throw new ArgumentException("one argument", nameof(args));

    public object? BoxResult(string result) => result;

    public string UnboxResult(object? result) => (string)result!;

    /// <summary>Registers a pre hook that logs <paramref name="label"/> and runs <paramref name="then"/>.</summary>
    public HookHandle Pre(string label, Action? then = null, bool prepend = false) =>
        Hooks.Pre.Add(
            (object _, ref int args) =>
            {
                Log.Add($"{label}({args})");
                then?.Invoke();
            },
            prepend);

    /// <summary>Registers a forward hook that logs <paramref name="label"/> and runs <paramref name="then"/>.</summary>
    public HookHandle Post(string label, Action? then = null, bool prepend = false, bool alwaysCall = false) =>
        Hooks.Forward.Add(
            (object _, in int args, ref string output) =>
            {
                Log.Add($"{label}({args},{output ?? "null"})");
                then?.Invoke();
            },
            prepend,
            alwaysCall);

    /// <summary>Registers a global pre hook with the same log.</summary>
    public HookHandle GlobalPre(string label, Action? then = null) =>
        GlobalHooks.Pre.Add((object _, ref object?[] args) =>
        {
            Log.Add($"{label}({args[0]})");
            then?.Invoke();
        });

    /// <summary>Registers a global forward hook with the same log.</summary>
    public HookHandle GlobalPost(string label, Action? then = null, bool alwaysCall = false) =>
        GlobalHooks.Forward.Add(
            (object _, in object?[] args, ref object? output) =>
            {
                Log.Add($"{label}({args[0]},{output ?? "null"})");
                then?.Invoke();
            },
            alwaysCall: alwaysCall);

    /// <summary>Returns the log as a line and clears it.</summary>
    public string Drain()
    {
        var text = string.Join(" ", Log);
        Log.Clear();
        return text;
    }
}

/// <summary>The counterpart of Python's KeyboardInterrupt.</summary>
internal sealed class Interrupt : Exception, INotAnError;

/// <summary>An exception that no library code throws.</summary>
internal sealed class Failure(string message) : Exception(message);

/// <summary>An exception whose message throws.</summary>
internal sealed class Unreadable : Exception
{
    public override string Message => throw new NotSupportedException("no message");
}
