using Bridge.Torch;
using TorchSharp;

namespace Bridge.Interop;

/// <summary>What .NET calls in Python: the functions of <c>bridge.mirror.hooks.callbacks</c>, called as a C extension calls any function.</summary>
/// <remarks>Each throws <see cref="PythonException"/> when its function raises.</remarks>
internal static unsafe class Callbacks
{
    /// <summary>How many calls of modules were left to Python.</summary>
    internal static long Calls;

    /// <summary>Calls the mirror of a module.</summary>
    internal static object? Call(long id, object?[] arguments)
    {
        Interlocked.Increment(ref Calls);
        return Invoke(Imports.Call, [id, .. arguments]);
    }

    /// <summary>The same for one tensor, which is handed over as the object that Python knows.</summary>
    internal static object? Call(long id, torch.Tensor argument)
    {
        Interlocked.Increment(ref Calls);
        using var gil = new Python.Gil();
        var result = IntPtr.Zero;
        var arguments = stackalloc IntPtr[2] { Python.Number(id), IntPtr.Zero };
        try
        {
            arguments[1] = Python.Wrap(argument);
            result = Python.Invoke(Imports.CallWithTensor, arguments, 2);
            return Objects.Read(result);
        }
        finally
        {
            Python.Decrease(arguments[0]);
            if (arguments[1] != IntPtr.Zero) Python.Decrease(arguments[1]);
            if (result != IntPtr.Zero) Python.Decrease(result);
        }
    }

    /// <summary>Applies an autograd function by PyTorch; one tensor or null for each output.</summary>
    internal static object?[] Apply(long number, string name, torch.Tensor?[] inputs) => (object?[])Invoke(Imports.ApplyFunction, [number, name, .. inputs])!;

    /// <summary>What an autograd function has saved.</summary>
    internal static object?[] Saved(long number) => (object?[])Invoke(Imports.SavedTensors, [number])!;

    /// <summary>Updates what a mirror has now; with <paramref name="compute"/> also what is computed at each access.</summary>
    /// <param name="id">The module.</param>
    /// <param name="compute">Those too.</param>
    /// <param name="version">Of the mirror's attributes, from before it is asked.</param>
    internal static void Synchronize(long id, bool compute, long version) => Run(Imports.Synchronize, [id, compute ? 1 : 0, version]);

    /// <summary>Runs the <c>forward</c> of what is in a module's place.</summary>
    internal static object? Forward(long id, object?[] arguments) => Invoke(Imports.RunForward, [id, .. arguments]);

    /// <summary>Passes a property on.</summary>
    internal static void ChangeProperty(long id, string name, object? value) => Invoke(Imports.ChangeProperty, [id, name, value]);

    /// <summary>Passes the entries of a collection on.</summary>
    internal static void ChangeEntries(long id) => Run(Imports.ChangeEntries, [id]);

    /// <summary>Enters or removes a hook.</summary>
    internal static void ChangeHook(long id, long number, HookKind kind, HookFlags flags) => Run(Imports.ChangeHook, [id, number, (long)kind, (long)flags]);

    /// <summary>Whether nobody has replaced a step of PyTorch's dispatcher in a mirror's class, its <c>forward</c> or PyTorch's functions.</summary>
    internal static bool IsOrdinary(long id) => (bool)Invoke(Imports.IsOrdinary, [id])!;

    /// <summary>What the dictionaries of a module's forward hooks have; null if some of it is Python's.</summary>
    internal static object?[]? PlanHooks(long id) => (object?[]?)Invoke(Imports.PlanHooks, [id]);

    /// <summary>Whether a hook is registered with kwargs.</summary>
    internal static bool TakesKwargs(long id, long key, HookKind kind) => (bool)Invoke(Imports.TakesKwargs, [id, key, kind == HookKind.Forward])!;

    /// <summary>Whether a forward hook is always called.</summary>
    internal static bool IsAlwaysCalled(long id, long key) => (bool)Invoke(Imports.IsAlwaysCalled, [id, key])!;

    /// <summary>The arguments by position.</summary>
    internal static object? BindArguments(long id, object?[] args, DictOfValues kwargs) => Invoke(Imports.BindArguments, [id, args, kwargs]);

    /// <summary>Runs a module's forward hooks.</summary>
    internal static object? FinishCall(long id, object?[] args, DictOfValues kwargs, object? result) => Invoke(Imports.FinishCall, [id, args, kwargs, result]);

    /// <summary>Runs a module's hooks that are always called.</summary>
    internal static void RecoverCall(long id, object?[] args, DictOfValues kwargs, object? result, object?[] begun) =>
        Invoke(Imports.RecoverCall, [id, args, kwargs, result, begun]);

    /// <summary>Registers a hook on the object that Python has of a tensor.</summary>
    internal static void HookTensor(torch.Tensor tensor, long number, HookKind kind)
    {
        using var gil = new Python.Gil();
        var arguments = stackalloc IntPtr[3];
        var made = 0;
        try
        {
            arguments[made++] = Python.Wrap(tensor);
            arguments[made++] = Python.Number(number);
            arguments[made++] = Python.Number((long)kind);
            Python.Decrease(Python.Invoke(Imports.HookTensor, arguments, made));
        }
        finally
        {
            while (made > 0)
                if (arguments[--made] != IntPtr.Zero) Python.Decrease(arguments[made]);
        }
    }

    /// <summary>What Python says of one of its modules.</summary>
    internal static object? View(long number, ViewPart part)
    {
        using var gil = new Python.Gil();
        var arguments = stackalloc IntPtr[2] { Python.Number(number), IntPtr.Zero };
        var result = IntPtr.Zero;
        try
        {
            arguments[1] = Python.Number((long)part);
            result = Python.Invoke(Imports.View, arguments, 2);
            return Objects.Read(result);
        }
        finally
        {
            Python.Decrease(arguments[0]);
            if (arguments[1] != IntPtr.Zero) Python.Decrease(arguments[1]);
            if (result != IntPtr.Zero) Python.Decrease(result);
        }
    }

    /// <summary>Throws for a parameter or buffer that Python lacks.</summary>
    internal static Exception Lack(long id, string name)
    {
        Invoke(Imports.Lack, [id, name]);
        return new InvalidOperationException($"'{name}' is None in Python.");
    }

    /// <summary>Passes a training flag on. Python has set those of all below the module too, if it is true.</summary>
    internal static bool Train(long id, bool training) => (bool)Invoke(Imports.Train, [id, training])!;

    private static object? Invoke(IntPtr function, object?[] arguments)
    {
        using var gil = new Python.Gil();
        var given = new IntPtr[arguments.Length];
        var result = IntPtr.Zero;
        try
        {
            for (var i = 0; i < arguments.Length; i++) given[i] = Objects.Write(arguments[i]);
            fixed (IntPtr* first = given) result = Python.Invoke(function, first, given.Length);
            return Objects.Read(result);
        }
        finally
        {
            foreach (var item in given)
                if (item != IntPtr.Zero) Python.Decrease(item);
            if (result != IntPtr.Zero) Python.Decrease(result);
        }
    }

    private static void Run(IntPtr function, ReadOnlySpan<long> numbers)
    {
        using var gil = new Python.Gil();
        var arguments = stackalloc IntPtr[numbers.Length];
        var made = 0;
        try
        {
            for (; made < numbers.Length; made++) arguments[made] = Python.Number(numbers[made]);
            Python.Decrease(Python.Invoke(function, arguments, made));
        }
        finally
        {
            while (made > 0) Python.Decrease(arguments[--made]);
        }
    }
}
