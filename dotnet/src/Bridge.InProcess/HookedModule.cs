extern alias real;

using System.Reflection;
using Bridge.Interop;
using Bridge.Torch;
using Bridge.TorchSharp;
using torch = real::TorchSharp.torch;

namespace Bridge.InProcess;

/// <summary>A module of a <see cref="Model"/>, with the members by which Python calls it, and the counts of Python's hooks on it.</summary>
internal sealed unsafe class HookedModule : ITrackedModule
{
    private const int HookDictionaries = 4;
    private static readonly Dictionary<long, HookedModule> All = [];
    private static long _last;

    // Pointers to the entry counts of the Python module's four hook dictionaries. That module lives as long as the model.
    private readonly long*[] _counts = new long*[HookDictionaries];
    private readonly Signature? _signature;
    private bool _training;

    internal HookedModule(ModuleNode node, Model model)
    {
        (Node, Model) = (node, model);
        _signature = Signature.Find(node.Module.GetType());
        Tensors = new((torch.nn.Module)node.Module);
        _training = Own.training;
        lock (All) All[Id = ++_last] = this;
    }

    internal long Id { get; }

    internal ModuleNode Node { get; }

    internal Model Model { get; }

    internal ModuleTensors Tensors { get; }

    /// <summary>Gets or sets whether the module is in train mode. Setting another mode also sets the mode of the descendants.</summary>
    internal bool Training
    {
        get => Own.training;
        set
        {
            if (Own.training != value) Own.train(value);
        }
    }

    private torch.nn.Module Own => (torch.nn.Module)Module;

    public object Module => Node.Module;

    /// <summary>Gets the parameters of <c>forward</c>; null if the module cannot be called.</summary>
    internal IReadOnlyList<ForwardParameter>? Parameters => _signature?.Parameters.Select(ForwardParameter.Of).ToArray()
        ?? Overloads?.Parameters;

    /// <summary>
    /// Gets the overloads of <c>forward</c>, if the class has no <c>call</c> or adds overloads to the one that <c>call</c> runs; otherwise
    /// null. Only the overload that <c>call</c> runs has hooks.
    /// </summary>
    internal ForwardOverloads? Overloads =>
        _signature is null ? ForwardOverloads.Of(Module.GetType()) : ForwardOverloads.Added(Module.GetType());

    /// <summary>Gets whether the module has a <c>call</c>, which runs hooks.</summary>
    internal bool HasCall => _signature is not null;

    /// <summary>Gets whether Python has hooks on this module, or global hooks.</summary>
    private bool HasHooks
    {
        get
        {
            for (var i = 0; i < HookDictionaries; i++)
                if ((_counts[i] is not null && *_counts[i] != 0) || *ModuleLink.GlobalCounts[i] != 0) return true;
            return false;
        }
    }

    /// <exception cref="ArgumentException">There is no module with this number.</exception>
    internal static HookedModule Get(long id)
    {
        lock (All) return All.TryGetValue(id, out var found) ? found : throw new ArgumentException($"There is no module {id}.");
    }

    /// <exception cref="ArgumentException">The module is of no loaded model.</exception>
    internal static HookedModule Find(object module) => TryFind(module) ?? throw new ArgumentException($"{module} is not loaded.");

    /// <summary>Returns the instance for a module of a loaded model; null for any other module.</summary>
    internal static HookedModule? TryFind(object module)
    {
        lock (All) return All.Values.FirstOrDefault(known => known.Module == module);
    }

    /// <summary>
    /// Returns whether C# has registered other tensors, or switched between train and eval mode, since the last call of this method or the
    /// module's creation.
    /// </summary>
    /// <exception cref="NotSupportedException">C# has changed the child modules.</exception>
    internal bool HasChanged()
    {
        var children = Node.Children.Values.GetEnumerator();
        var same = true;
        foreach (var (_, child) in Own.named_children())
            if (child is not null) same &= children.MoveNext() && ReferenceEquals(children.Current.Module, child);
        if (!same || children.MoveNext())
        {
            var place = Node.Path.Length == 0 ? "the root" : $"'{Node.Path}'";
            throw new NotSupportedException(
                $"C# has added, replaced or removed child modules of {place} ({Node.Type}) after the model was loaded, which Python's "
                + "modules cannot follow: create all child modules in the constructor, and keep them.");
        }

        var changed = _training != Own.training;
        _training = Own.training;
        return Tensors.Refresh() || changed;
    }

    /// <summary>Returns whether modules of this class can be called.</summary>
    internal static bool IsCallable(Type module) => Signature.Find(module) is not null || ForwardOverloads.Of(module) is not null;

    internal void Forget()
    {
        lock (All) All.Remove(Id);
    }

    /// <summary>Sets the addresses of the four hook dictionaries.</summary>
    internal void Watch(ReadOnlySpan<long> dictionaries)
    {
        for (var i = 0; i < HookDictionaries; i++) _counts[i] = (long*)((nint)dictionaries[i] + (nint)Imports.CountOffset);
    }

    /// <summary>Converts the arguments of a call. Defaults replace what is omitted. The caller holds the GIL.</summary>
    /// <exception cref="NotSupportedException">The module cannot be called, or a tensor is on the device meta.</exception>
    /// <exception cref="InvalidCastException">The arguments do not fit.</exception>
    /// <exception cref="PythonException">An argument cannot be converted.</exception>
    internal object?[] ReadArguments(BorrowedReference* arguments, int count) => Callable.Read(arguments, count, Module);

    /// <summary>Returns whether the arguments select one of the <see cref="Overloads"/> that <c>call</c> does not run.</summary>
    internal bool BypassesCall(object?[] arguments) => Overloads is { } overloads && !(HasCall && overloads.FitsCall(arguments));

    /// <summary>Converts the result that a hook returned.</summary>
    internal object? PackResult(object? value) => Callable.PackResult(value);

    /// <summary>Runs <c>call</c> or, if <paramref name="hooks"/> is false, <c>forward</c>, which runs no hooks.</summary>
    internal object? Invoke(object?[] arguments, bool hooks) =>
        (hooks ? Callable.Call : Callable.Forward).Invoke(Module, arguments.AsSpan());

    TrackedCall? ITrackedModule.BeginCall() => HasHooks ? new PythonCall(this) : null;

    private Signature Callable =>
        _signature ?? throw new NotSupportedException($"{Module.GetType()} has no forward and cannot be called.");

    /// <summary>The members by which a module is called, and the conversions of its arguments and its result.</summary>
    private sealed record Signature(
        MethodInvoker Call,
        MethodInvoker Forward,
        ParameterInfo[] Parameters,
        Func<object?, object?>[] Packers,
        Func<object?, object?> PackResult)
    {
        private static readonly Dictionary<Type, Signature?> Known = [];

        internal static Signature? Find(Type module)
        {
            lock (Known)
            {
                if (!Known.TryGetValue(module, out var found)) Known[module] = found = Create(module);
                return found;
            }
        }

        // Of several overloads of `call`, such as LSTM's, only that of the generic base class runs hooks.
        private static Signature? Create(Type module)
        {
            for (var type = module; type is not null; type = type.BaseType)
            {
                if (!type.IsGenericType) continue;
                var name = type.GetGenericTypeDefinition().FullName!;
                if (!name.StartsWith("TorchSharp.torch+nn+Module`", StringComparison.Ordinal)) continue;
                Type[] types = type.GetGenericArguments();
                var (inputs, output) = (types[..^1], types[^1]);
                var call = type.GetMethod("call", inputs) ?? throw new MissingMethodException(type.FullName, "call");
                var forward = type.GetMethod("forward", inputs) ?? throw new MissingMethodException(type.FullName, "forward");
                // The most derived override has the names and defaults that its author gave.
                var parameters = (module.GetMethod("forward", inputs) ?? forward).GetParameters();
                return new(MethodInvoker.Create(call), MethodInvoker.Create(forward), parameters,
                    [.. inputs.Select(Tuples.Packer)], Tuples.Packer(output));
            }

            return null;
        }

        internal object?[] Read(BorrowedReference* arguments, int count, object module)
        {
            if (count > Parameters.Length)
            {
                throw Misfit(module, arguments, count,
                    $"it takes {Parameters.Length} argument{(Parameters.Length == 1 ? "" : "s")}, not {count}");
            }

            var values = new object?[Parameters.Length];
            for (var i = 0; i < values.Length; i++)
            {
                if (i < count && arguments[i] != Imports.Default) values[i] = PackOne(i, arguments, count, module);
                else if (Parameters[i].HasDefaultValue) values[i] = Default(Parameters[i]);
                else throw Misfit(module, arguments, count, $"'{Parameters[i].Name}' is missing");
            }

            return values;
        }

        private object? PackOne(int i, BorrowedReference* arguments, int count, object module)
        {
            try
            {
                return Packers[i](Values.ToDotNet(arguments[i]));
            }
            catch (InvalidCastException exception)
            {
                throw Misfit(module, arguments, count, $"'{Parameters[i].Name}': {exception.Message}");
            }
        }

        private InvalidCastException Misfit(object module, BorrowedReference* arguments, int count, string problem)
        {
            var given = new object?[count];
            for (var i = 0; i < count; i++)
                given[i] = arguments[i] == Imports.Default ? Missing.Value : Values.ToDotNet(arguments[i]);
            var call = $"{CSharpNames.Forward(module.GetType(), Parameters)} was given {CSharpNames.Given(given)}";
            var clause = problem.Contains("F-2", StringComparison.Ordinal) ? "" : " (F-2: types in .NET are fixed).";
            return new($"{call}: {problem}{clause}");
        }

        // Reflection returns null for the `= default` of a struct.
        private static object? Default(ParameterInfo parameter) =>
            parameter is { DefaultValue: null, ParameterType.IsValueType: true }
                ? Activator.CreateInstance(parameter.ParameterType) : parameter.DefaultValue;
    }
}
