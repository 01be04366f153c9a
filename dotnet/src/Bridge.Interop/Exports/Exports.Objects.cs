using Bridge.Torch;
using TorchSharp;

namespace Bridge.Interop;

// The functions behind bridge.DotNetObject. A handle stands for an object in HeldObjects.
public static unsafe partial class Exports
{
    /// <summary>Creates an object (<see cref="Loader.CreateObject"/>) and returns its handle.</summary>
    private static long NewObject(string path, string type, string arguments, long forwardFires) => HeldObjects.Hold(Python.WithoutGil(() =>
    {
        using var unscoped = DisposeScopeManager.WithoutScope();
        return Loader.CreateObject(path, type, arguments, forwardFires != 0);
    }));

    /// <summary>Converts a Python value to .NET, and returns a handle of it; 0 for None.</summary>
    private static long HoldValue(BorrowedReference value) => Converter.ToDotNet(value) is { } made ? HeldObjects.Hold(made) : 0;

    /// <summary>Returns a handle of a Python function, which can be passed to C# as a delegate of any type.</summary>
    private static long HoldFunction(BorrowedReference function) => HeldObjects.Hold(new PythonCallable(function));

    /// <summary>Returns a handle of a module.</summary>
    private static long HoldModule(long id) => HeldObjects.Hold(MirrorLink.Get(id).Module);

    private static void ReleaseObject(long handle) => HeldObjects.Release(handle);

    /// <summary>Returns the description of an object's type (<see cref="ObjectMembers.Describe"/>).</summary>
    private static string DescribeObject(long handle) => ObjectMembers.Describe(HeldObjects.Get(handle).GetType());

    /// <summary>Returns the value of an object's field or property.</summary>
    private static OwnedReference GetFromObject(long handle, string name)
    {
        var target = HeldObjects.Get(handle);
        return RunOnObject(target, () => ObjectMembers.Get(target, name));
    }

    /// <summary>Sets an object's field or property to the only item of <paramref name="value"/>.</summary>
    private static void SetOnObject(long handle, string name, BorrowedReference* value, int count)
    {
        var target = HeldObjects.Get(handle);
        var given = Converter.ToDotNet(value, count)[0];
        RunOnObject(target, () =>
        {
            ObjectMembers.Set(target, name, given);
            return null;
        }).Dispose();
    }

    /// <summary>Calls a method of an object, or the object itself if the name is empty.</summary>
    /// <param name="handle">The object.</param>
    /// <param name="name">The method's name.</param>
    /// <param name="arguments">A tuple of the positional arguments, and a dictionary of the named ones.</param>
    /// <param name="count">2.</param>
    private static OwnedReference CallObject(long handle, string name, BorrowedReference* arguments, int count)
    {
        var target = HeldObjects.Get(handle);
        var given = Converter.ToDotNet(arguments, count);
        return RunOnObject(target, () => ObjectMembers.Call(target, name, (object?[])given[0]!, (DictOfValues)given[1]!), given);
    }

    /// <summary>Returns the items of a collection.</summary>
    private static OwnedReference ItemsOfObject(long handle)
    {
        var target = HeldObjects.Get(handle);
        return RunOnObject(target, () => ObjectMembers.Items(target));
    }

    private static string TextOfObject(long handle)
    {
        var target = HeldObjects.Get(handle);
        return Python.WithoutGil(() => target.ToString()) ?? "";
    }

    /// <summary>Returns whether two handles are of one object, or of equal objects.</summary>
    private static bool EqualObjects(long first, long second)
    {
        var (one, two) = (HeldObjects.Get(first), HeldObjects.Get(second));
        return Python.WithoutGil(() => Equals(one, two));
    }

    private static long HashOfObject(long handle)
    {
        var target = HeldObjects.Get(handle);
        return Python.WithoutGil(target.GetHashCode);
    }

    // Runs C# code of an object and returns the result. The object can be a module, and the code can call modules.
    private static OwnedReference RunOnObject(object target, Func<object?> run, object?[]? given = null)
    {
        var module = target as torch.nn.Module;
        var link = module?.Link as MirrorLink;
        var tree = link?.Acquire();
        if (tree is null) MirrorLink.Enter();
        Interlocked.Increment(ref DisposeScope.Calls);
        var scope = new DisposeScope(ofCall: true, callee: module);
        try
        {
            link?.Prepare();
            object? result;
            var gil = Python.ReleaseGil();
            try
            {
                result = run();
            }
            catch (Exception exception) when (module is not null && torch.nn.Module.NoteFailingModule(exception, module))
            {
                throw; // Never reached: the filter only records the module.
            }
            finally
            {
                Python.TakeGil(gil);
            }

            return Converter.ToPython(result);
        }
        finally
        {
            if (scope.DisposablesCount > 0)
            {
                if (module is not null) ReachableTensors.Detach(module.RetainingFields);
                else ReachableTensors.Detach(target);
                if (given is not null) ReachableTensors.Detach((object)given);
            }

            scope.EndCall();
            Interlocked.Decrement(ref DisposeScope.Calls);
            if (tree is not null) MirrorLink.Release(tree);
            else MirrorLink.Leave();
            if (!MirrorLink.IsEntered) Python.ReleasePending();
        }
    }
}
