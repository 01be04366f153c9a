using System.Runtime.InteropServices;
using Bridge.Torch;
using TorchSharp;

namespace Bridge.Interop;

/// <summary>
/// The .NET objects that Python holds as <c>bridge.DotNetObject</c>: objects of a model's own classes, and other objects without a
/// counterpart in Python. A handle keeps its object alive until Python frees the handle.
/// </summary>
internal static unsafe class HeldObjects
{
    internal static long Hold(object target) => (long)GCHandle.ToIntPtr(GCHandle.Alloc(target));

    internal static object Get(long handle) => GCHandle.FromIntPtr((IntPtr)handle).Target!;

    internal static void Release(long handle) => GCHandle.FromIntPtr((IntPtr)handle).Free();

    /// <summary>Returns the mirror of a module that has one, and a new Python object for any other .NET object. The GIL is held.</summary>
    internal static OwnedReference ToPython(object target)
    {
        // Tensors that are reachable from the object live as long as the object, not only until the end of the call.
        ReachableTensors.Detach(target);
        return ToPython(target, Imports.WrapObject, target is torch.nn.Module { Link: not null } module ? module.Id : 0);
    }

    /// <inheritdoc cref="ToPython(object)"/>
    /// <param name="target">The object.</param>
    /// <param name="wrap">The Python function that takes the handle, the type as C# writes it, and the id.</param>
    /// <param name="module">The id of the object if the object is a module with a mirror; otherwise 0.</param>
    internal static OwnedReference ToPython(object target, BorrowedReference wrap, long module)
    {
        var handle = Hold(target);
        try
        {
            using var given = new OwnedArguments(stackalloc IntPtr[3]);
            given.Add(Python.NewInt(handle));
            given.Add(Python.NewText(CSharpTypeName.Of(target.GetType())));
            given.Add(Python.NewInt(module));
            var made = given.Call(wrap);
            handle = 0;
            return new(made.Steal());
        }
        finally
        {
            if (handle != 0) Release(handle);
        }
    }
}
