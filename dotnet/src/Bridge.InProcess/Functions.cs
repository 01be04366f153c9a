extern alias real;

using System.Reflection;
using System.Runtime.InteropServices;
using System.Text;
using System.Text.Json;
using Bridge.Interop;
using torch = real::TorchSharp.torch;

namespace Bridge.InProcess;

/// <summary>The functions that Python calls (<c>bridge/torchsharp/in_process/library.py</c> lists them).</summary>
/// <remarks>
/// Each runs in <see cref="Boundary"/>: an exception becomes Python's pending error. The GIL is held when it begins and when it ends.
/// </remarks>
public static unsafe class Functions
{
    // The function of Python to call with the number of a module that C# has changed.
    private static IntPtr _changed;

    /// <summary>Returns the address of the native function of this name.</summary>
    /// <exception cref="ArgumentException">There is no function of this name.</exception>
    public static long Address(string name) => name switch
    {
        "start" => (long)(delegate* unmanaged<IntPtr, IntPtr*, nint, IntPtr>)&EnterStart,
        "load" => (long)(delegate* unmanaged<IntPtr, IntPtr*, nint, IntPtr>)&EnterLoad,
        "references" => (long)(delegate* unmanaged<IntPtr, IntPtr*, nint, IntPtr>)&EnterReferences,
        "watch" => (long)(delegate* unmanaged<IntPtr, IntPtr*, nint, IntPtr>)&EnterWatch,
        "tensor" => (long)(delegate* unmanaged<IntPtr, IntPtr*, nint, IntPtr>)&EnterTensor,
        "bind" => (long)(delegate* unmanaged<IntPtr, IntPtr*, nint, IntPtr>)&EnterBind,
        "train" => (long)(delegate* unmanaged<IntPtr, IntPtr*, nint, IntPtr>)&EnterTrain,
        "get" => (long)(delegate* unmanaged<IntPtr, IntPtr*, nint, IntPtr>)&EnterGet,
        "set" => (long)(delegate* unmanaged<IntPtr, IntPtr*, nint, IntPtr>)&EnterSet,
        "call" => (long)(delegate* unmanaged<IntPtr, IntPtr*, nint, IntPtr>)&EnterCall,
        "state" => (long)(delegate* unmanaged<IntPtr, IntPtr*, nint, IntPtr>)&EnterState,
        "connect" => (long)(delegate* unmanaged<IntPtr, IntPtr*, nint, IntPtr>)&EnterConnect,
        "release" => (long)(delegate* unmanaged<IntPtr, IntPtr*, nint, IntPtr>)&EnterRelease,
        "new" => (long)(delegate* unmanaged<IntPtr, IntPtr*, nint, IntPtr>)&EnterNew,
        "hold" => (long)(delegate* unmanaged<IntPtr, IntPtr*, nint, IntPtr>)&EnterHold,
        "hold_module" => (long)(delegate* unmanaged<IntPtr, IntPtr*, nint, IntPtr>)&EnterHoldModule,
        "bypasses_call" => (long)(delegate* unmanaged<IntPtr, IntPtr*, nint, IntPtr>)&EnterBypassesCall,
        "object_get" => (long)(delegate* unmanaged<IntPtr, IntPtr*, nint, IntPtr>)&EnterObjectGet,
        "object_set" => (long)(delegate* unmanaged<IntPtr, IntPtr*, nint, IntPtr>)&EnterObjectSet,
        "object_call" => (long)(delegate* unmanaged<IntPtr, IntPtr*, nint, IntPtr>)&EnterObjectCall,
        "object_items" => (long)(delegate* unmanaged<IntPtr, IntPtr*, nint, IntPtr>)&EnterObjectItems,
        "rethrow" => (long)(delegate* unmanaged<IntPtr, IntPtr*, nint, IntPtr>)&EnterRethrow,
        _ => throw new ArgumentException($"Bridge.InProcess has no function '{name}'.", nameof(name)),
    };

    [UnmanagedCallersOnly]
    private static IntPtr EnterStart(IntPtr self, IntPtr* arguments, nint count) =>
        Boundary.Run(&Start, (BorrowedReference*)arguments, count);

    [UnmanagedCallersOnly]
    private static IntPtr EnterLoad(IntPtr self, IntPtr* arguments, nint count) =>
        Boundary.Run(&Load, (BorrowedReference*)arguments, count);

    [UnmanagedCallersOnly]
    private static IntPtr EnterReferences(IntPtr self, IntPtr* arguments, nint count) =>
        Boundary.Run(&References, (BorrowedReference*)arguments, count);

    [UnmanagedCallersOnly]
    private static IntPtr EnterWatch(IntPtr self, IntPtr* arguments, nint count) =>
        Boundary.Run(&Watch, (BorrowedReference*)arguments, count);

    [UnmanagedCallersOnly]
    private static IntPtr EnterTensor(IntPtr self, IntPtr* arguments, nint count) =>
        Boundary.Run(&Tensor, (BorrowedReference*)arguments, count);

    [UnmanagedCallersOnly]
    private static IntPtr EnterBind(IntPtr self, IntPtr* arguments, nint count) =>
        Boundary.Run(&Bind, (BorrowedReference*)arguments, count);

    [UnmanagedCallersOnly]
    private static IntPtr EnterTrain(IntPtr self, IntPtr* arguments, nint count) =>
        Boundary.Run(&Train, (BorrowedReference*)arguments, count);

    [UnmanagedCallersOnly]
    private static IntPtr EnterGet(IntPtr self, IntPtr* arguments, nint count) =>
        Boundary.Run(&Get, (BorrowedReference*)arguments, count);

    [UnmanagedCallersOnly]
    private static IntPtr EnterSet(IntPtr self, IntPtr* arguments, nint count) =>
        Boundary.Run(&Set, (BorrowedReference*)arguments, count);

    [UnmanagedCallersOnly]
    private static IntPtr EnterCall(IntPtr self, IntPtr* arguments, nint count) =>
        Boundary.Run(&Call, (BorrowedReference*)arguments, count);

    [UnmanagedCallersOnly]
    private static IntPtr EnterState(IntPtr self, IntPtr* arguments, nint count) =>
        Boundary.Run(&State, (BorrowedReference*)arguments, count);

    [UnmanagedCallersOnly]
    private static IntPtr EnterConnect(IntPtr self, IntPtr* arguments, nint count) =>
        Boundary.Run(&Connect, (BorrowedReference*)arguments, count);

    [UnmanagedCallersOnly]
    private static IntPtr EnterRelease(IntPtr self, IntPtr* arguments, nint count) =>
        Boundary.Run(&Release, (BorrowedReference*)arguments, count);

    [UnmanagedCallersOnly]
    private static IntPtr EnterRethrow(IntPtr self, IntPtr* arguments, nint count) =>
        Boundary.Run(&Rethrow, (BorrowedReference*)arguments, count);

    [UnmanagedCallersOnly]
    private static IntPtr EnterNew(IntPtr self, IntPtr* arguments, nint count) =>
        Boundary.Run(&New, (BorrowedReference*)arguments, count);

    [UnmanagedCallersOnly]
    private static IntPtr EnterHold(IntPtr self, IntPtr* arguments, nint count) =>
        Boundary.Run(&Hold, (BorrowedReference*)arguments, count);

    [UnmanagedCallersOnly]
    private static IntPtr EnterHoldModule(IntPtr self, IntPtr* arguments, nint count) =>
        Boundary.Run(&HoldModule, (BorrowedReference*)arguments, count);

    [UnmanagedCallersOnly]
    private static IntPtr EnterBypassesCall(IntPtr self, IntPtr* arguments, nint count) =>
        Boundary.Run(&BypassesCall, (BorrowedReference*)arguments, count);

    [UnmanagedCallersOnly]
    private static IntPtr EnterObjectGet(IntPtr self, IntPtr* arguments, nint count) =>
        Boundary.Run(&ObjectGet, (BorrowedReference*)arguments, count);

    [UnmanagedCallersOnly]
    private static IntPtr EnterObjectSet(IntPtr self, IntPtr* arguments, nint count) =>
        Boundary.Run(&ObjectSet, (BorrowedReference*)arguments, count);

    [UnmanagedCallersOnly]
    private static IntPtr EnterObjectCall(IntPtr self, IntPtr* arguments, nint count) =>
        Boundary.Run(&ObjectCall, (BorrowedReference*)arguments, count);

    [UnmanagedCallersOnly]
    private static IntPtr EnterObjectItems(IntPtr self, IntPtr* arguments, nint count) =>
        Boundary.Run(&ObjectItems, (BorrowedReference*)arguments, count);

    /// <summary>Takes the functions of Python that C# calls.</summary>
    private static OwnedReference Start(BorrowedReference* arguments, int count)
    {
        for (var i = 0; i < count; i++) Python.IncRef(arguments[i]);
        PythonCall.SetFunctions(arguments[0].Address, arguments[1].Address, arguments[2].Address);
        _changed = arguments[3].Address;
        NativeFunctions.SetFunctions(arguments[4].Address, arguments[5].Address);
        HeldObject.SetFunction(arguments[6].Address);
        return Imports.None.NewReference();
    }

    /// <summary>
    /// Takes an assembly's path, a type's name, a JSON text of arguments, whether <c>forward</c> fires hooks, and the defaults
    /// (<see cref="Defaults"/>); creates the model and returns its description.
    /// </summary>
    private static OwnedReference Load(BorrowedReference* arguments, int count)
    {
        var (path, type, given) = (Python.ToText(arguments[0]), Python.ToText(arguments[1]), Python.ToText(arguments[2]));
        var fires = Python.ToInt64(arguments[3]) != 0;
        using var defaults = new Defaults(arguments + 4);
        return Python.NewText(Python.WithoutGil(() => Description.Write(new Model(Loading.Create(path, type, given, fires)))));
    }

    /// <summary>Takes an assembly's path; returns the members of TorchSharp to which it refers, a line each.</summary>
    private static OwnedReference References(BorrowedReference* arguments, int count) =>
        Python.NewText(Loading.References(Python.ToText(arguments[0])));

    /// <summary>
    /// Takes a module's number, and the addresses of its Python module's four hook dictionaries, whose sizes C# then reads.
    /// </summary>
    private static OwnedReference Watch(BorrowedReference* arguments, int count)
    {
        var addresses = stackalloc long[count - 1];
        for (var i = 1; i < count; i++) addresses[i - 1] = Python.ToInt64(arguments[i]);
        ModuleOf(arguments).Watch(new(addresses, count - 1));
        return Imports.None.NewReference();
    }

    /// <summary>Takes a module's number and a position among its tensors; returns that parameter or buffer.</summary>
    private static OwnedReference Tensor(BorrowedReference* arguments, int count) =>
        Values.ToPython(ModuleOf(arguments).Tensors.Known[(int)Python.ToInt64(arguments[1])].Tensor);

    /// <summary>
    /// Takes a module's number, a position among its tensors, and a tensor; makes the C# tensor at that position refer to the given tensor.
    /// </summary>
    private static OwnedReference Bind(BorrowedReference* arguments, int count)
    {
        var module = ModuleOf(arguments);
        module.Model.Retire(module.Tensors.Bind((int)Python.ToInt64(arguments[1]), arguments[2]));
        return Imports.None.NewReference();
    }

    /// <summary>Takes a module's number and its new mode, 1 for train mode and 0 for evaluation mode; sets the mode.</summary>
    private static OwnedReference Train(BorrowedReference* arguments, int count)
    {
        var (module, training) = (ModuleOf(arguments), Python.ToInt64(arguments[1]) != 0);
        Python.WithoutGil(() => module.Training = training);
        module.HasChanged();
        return Imports.None.NewReference();
    }

    /// <summary>Takes a module's number and the name of a member; returns its value.</summary>
    private static OwnedReference Get(BorrowedReference* arguments, int count)
    {
        var (module, name) = (ModuleOf(arguments), Python.ToText(arguments[1]));
        return Values.ToPython(Python.WithoutGil(() => Members.Get(module.Module, name)));
    }

    /// <summary>Takes a module's number, the name of a member and its new value; sets the member.</summary>
    private static OwnedReference Set(BorrowedReference* arguments, int count)
    {
        var (module, name) = (ModuleOf(arguments), Python.ToText(arguments[1]));
        var value = Values.ToDotNet(arguments[2]);
        Python.WithoutGil(() =>
        {
            Members.Set(module.Module, name, value);
            return true;
        });
        return Imports.None.NewReference();
    }

    /// <summary>
    /// Takes a module's number, whether its hooks run, the defaults (<see cref="Defaults"/>), and the arguments; returns the result.
    /// </summary>
    private static OwnedReference Call(BorrowedReference* arguments, int count)
    {
        var module = ModuleOf(arguments);
        var hooks = Python.ToInt64(arguments[1]) != 0;
        var (given, rest) = ((IntPtr)(arguments + 4), count - 4);
        using var defaults = new Defaults(arguments + 2);
        return RunCode(module.Model, keep =>
        {
            if (module.Overloads is { } overloads)
            {
                var plain = Values.ToDotNet((BorrowedReference*)given, rest);
                keep(plain);
                if (module.BypassesCall(plain)) return () => module.Model.Run(() => overloads.Invoke(module.Module, plain));
            }

            var inputs = module.ReadArguments((BorrowedReference*)given, rest);
            keep(inputs);
            return () => Bridge.Torch.Tuples.Unpack(module.Model.Call(module, inputs, hooks));
        });
    }

    // `read` gets a function, passes it the converted arguments whose tensors may outlive the call, and returns the C# code to run. That
    // code runs without the GIL. Its result is then converted for Python. Tensors that are reachable from an argument of a user's own class
    // outlive the call.
    private static OwnedReference RunCode(Model? model, Func<Action<object?[]>, Func<object?>> read)
    {
        object?[]? kept = null;
        model?.BeginCall();
        var scope = torch.NewDisposeScope();
        try
        {
            var run = read(values =>
            {
                if (Exports.HasOwnObject(values)) kept = values;
            });
            object? result;
            var gil = Python.ReleaseGil();
            try
            {
                result = run();
            }
            finally
            {
                Python.TakeGil(gil);
            }

            return Values.PlainToPython(result);
        }
        finally
        {
            if (scope.DisposablesCount > 0)
            {
                model?.DetachRetained();
                Model.Detach(kept);
            }

            scope.Dispose();
            if (model?.EndCall() == true) ReportChanges(model);
        }
    }

    /// <summary>
    /// Takes a module's number and arguments; returns whether the arguments select an overload of <c>forward</c> that <c>call</c> does not
    /// run.
    /// </summary>
    private static OwnedReference BypassesCall(BorrowedReference* arguments, int count)
    {
        var bypasses = ModuleOf(arguments).BypassesCall(Values.ToDotNet(arguments + 1, count - 1));
        return (bypasses ? Imports.True : Imports.False).NewReference();
    }

    /// <summary>
    /// Takes an assembly's path, a type's name, a JSON text of arguments, whether <c>forward</c> fires hooks, and the defaults
    /// (<see cref="Defaults"/>); creates an object and returns a handle of it (<see cref="HeldObjects"/>).
    /// </summary>
    private static OwnedReference New(BorrowedReference* arguments, int count)
    {
        var (path, type, given) = (Python.ToText(arguments[0]), Python.ToText(arguments[1]), Python.ToText(arguments[2]));
        var fires = Python.ToInt64(arguments[3]) != 0;
        using var defaults = new Defaults(arguments + 4);
        return Python.NewInt(HeldObjects.Hold(Python.WithoutGil(() => Loading.CreateObject(path, type, given, fires))));
    }

    /// <summary>Takes a value; returns a handle of it.</summary>
    private static OwnedReference Hold(BorrowedReference* arguments, int count) =>
        Python.NewInt(HeldObjects.Hold(Values.ToDotNet(arguments[0]) ?? throw new ArgumentException("None has no handle.")));

    /// <summary>Takes a module's number; returns a handle of the module.</summary>
    private static OwnedReference HoldModule(BorrowedReference* arguments, int count) =>
        Python.NewInt(HeldObjects.Hold(ModuleOf(arguments).Module));

    /// <summary>Takes a handle and the name of a field or property; returns its value.</summary>
    private static OwnedReference ObjectGet(BorrowedReference* arguments, int count)
    {
        var (target, name) = (HeldObjects.Get(Python.ToInt64(arguments[0])), Python.ToText(arguments[1]));
        return RunOn(target, () => () => Bridge.Torch.ObjectMembers.Get(target, name));
    }

    /// <summary>Takes a handle, the name of a field or property, and its new value; sets the field or property.</summary>
    private static OwnedReference ObjectSet(BorrowedReference* arguments, int count)
    {
        var (target, name) = (HeldObjects.Get(Python.ToInt64(arguments[0])), Python.ToText(arguments[1]));
        var value = Values.ToDotNet(arguments[2]);
        return RunOn(target, () => () =>
        {
            Bridge.Torch.ObjectMembers.Set(target, name, value);
            return null;
        });
    }

    /// <summary>
    /// Takes a handle, the name of a method (empty for a delegate), a tuple and a dictionary of arguments; returns the result.
    /// </summary>
    private static OwnedReference ObjectCall(BorrowedReference* arguments, int count)
    {
        var (target, name) = (HeldObjects.Get(Python.ToInt64(arguments[0])), Python.ToText(arguments[1]));
        var given = Values.ToDotNet(arguments + 2, 2);
        return RunOn(target, () => () => Bridge.Torch.ObjectMembers.Call(
            target, name, (object?[])given[0]!, (Bridge.Torch.DictOfValues)given[1]!), given);
    }

    /// <summary>Takes a handle of a collection; returns its items.</summary>
    private static OwnedReference ObjectItems(BorrowedReference* arguments, int count)
    {
        var target = HeldObjects.Get(Python.ToInt64(arguments[0]));
        return RunOn(target, () => () => Bridge.Torch.ObjectMembers.Items(target));
    }

    private static OwnedReference RunOn(object target, Func<Func<object?>> read, object?[]? given = null)
    {
        var model = target is torch.nn.Module ? HookedModule.TryFind(target)?.Model : null;
        return RunCode(model, keep =>
        {
            keep(given ?? []);
            var run = read();
            return () =>
            {
                var result = model is null ? run() : model.Run(run);
                Model.Detach(target);
                return result;
            };
        });
    }

    /// <summary>Takes a module's number; returns its state (<see cref="Description.WriteState"/>).</summary>
    private static OwnedReference State(BorrowedReference* arguments, int count) =>
        Python.NewText(Description.WriteState(ModuleOf(arguments)));

    /// <summary>
    /// Takes an assembly's path, the names of a type and of its static method, a function and texts; calls the method with the function and
    /// the texts.
    /// </summary>
    private static OwnedReference Connect(BorrowedReference* arguments, int count)
    {
        var assembly = TorchSharpAssemblyContext.Open(Python.ToText(arguments[0]), typeof(torch).Assembly);
        var type = assembly.GetType(Python.ToText(arguments[1]), throwOnError: true)!;
        var texts = new string[count - 4];
        for (var i = 0; i < texts.Length; i++) texts[i] = Python.ToText(arguments[i + 4]);
        Python.IncRef(arguments[3]);
        var function = new PythonFunction(arguments[3].Address);
        type.GetMethod(Python.ToText(arguments[2]))!.CreateDelegate<Action<Action<object?[]>, string[]>>()(function.Call, texts);
        return Imports.None.NewReference();
    }

    /// <summary>Takes a module's number, and forgets its model.</summary>
    private static OwnedReference Release(BorrowedReference* arguments, int count)
    {
        ModuleOf(arguments).Model.Dispose();
        return Imports.None.NewReference();
    }

    /// <summary>Takes the number of an exception of a C# autograd function, and throws the exception.</summary>
    private static OwnedReference Rethrow(BorrowedReference* arguments, int count) =>
        throw NativeFunctions.TakeFailure(Python.ToInt64(arguments[0]));

    private static HookedModule ModuleOf(BorrowedReference* arguments) => HookedModule.Get(Python.ToInt64(arguments[0]));

    // Tells Python the numbers of the modules that C# has changed.
    private static void ReportChanges(Model model)
    {
        foreach (var module in model.Modules)
        {
            if (!module.HasChanged()) continue;
            using var number = Python.NewInt(module.Id);
            var argument = number.Borrow();
            Python.Call(new(_changed), &argument, 1).Dispose();
        }
    }
}
