using System.Reflection;
using System.Reflection.Emit;

namespace Bridge.Interop;

/// <summary>Keeps pythonnet from acting when the process ends, and from noticing the assemblies that .NET must be able to unload.</summary>
/// <remarks>Uses reflection in C#, because reflection from Python through pythonnet would take 0.2 seconds at start.</remarks>
internal static class Pythonnet
{
    /// <summary>Removes pythonnet's <c>ProcessExit</c> handler, and sets pythonnet's pointer to <c>Py_IsFinalizing</c>.</summary>
    /// <param name="isFinalizing">
    /// The address of <c>Py_IsFinalizing</c>, or 0 to leave the pointer unchanged. pythonnet looks for <c>_Py_IsFinalizing</c>, which
    /// Python 3.13 removed, and so takes a finalizing interpreter for an uninitialized one. Freeing a bound method that the user kept
    /// (<c>f = model.Run</c>) would then throw an unhandled exception, which aborts the process.
    /// </param>
    internal static void DisableExit(IntPtr isFinalizing)
    {
        foreach (var assembly in AppDomain.CurrentDomain.GetAssemblies())
        {
            if (assembly.GetName().Name != "Python.Runtime") continue;
            // Other versions of pythonnet may lack these members.
            if (assembly.GetType("Python.Runtime.PythonEngine")
                ?.GetMethod("OnProcessExit", BindingFlags.NonPublic | BindingFlags.Static) is { } handler)
                AppDomain.CurrentDomain.ProcessExit -= handler.CreateDelegate<EventHandler>();
            if (isFinalizing != IntPtr.Zero && assembly.GetType("Python.Runtime.Runtime+Delegates")
                ?.GetField("<_Py_IsFinalizing>k__BackingField", BindingFlags.NonPublic | BindingFlags.Static) is { } field)
                WriteReadOnly(field, isFinalizing);
        }
    }

    /// <summary>Loads a collectible assembly unnoticed by pythonnet, whose tables would keep it from being unloaded.</summary>
    internal static Assembly LoadUnnoticed(Func<Assembly> load)
    {
        var handlers = AppDomain.CurrentDomain.GetAssemblies().Where(assembly => assembly.GetName().Name == "Python.Runtime")
            .Select(assembly => assembly.GetType("Python.Runtime.AssemblyManager"))
            .Select(manager => manager?.GetMethod("AssemblyLoadHandler", BindingFlags.NonPublic | BindingFlags.Static))
            .OfType<MethodInfo>().Select(method => method.CreateDelegate<AssemblyLoadEventHandler>()).ToArray();
        foreach (var handler in handlers) AppDomain.CurrentDomain.AssemblyLoad -= handler;
        try
        {
            return load();
        }
        finally
        {
            foreach (var handler in handlers) AppDomain.CurrentDomain.AssemblyLoad += handler;
        }
    }

    // FieldInfo.SetValue refuses to write to a static readonly field of an initialized class.
    private static void WriteReadOnly(FieldInfo field, IntPtr value)
    {
        var write = new DynamicMethod("write", typeof(void), [typeof(IntPtr)], field.Module, skipVisibility: true);
        var code = write.GetILGenerator();
        code.Emit(OpCodes.Ldsflda, field);
        code.Emit(OpCodes.Ldarg_0);
        code.Emit(OpCodes.Stind_I);
        code.Emit(OpCodes.Ret);
        write.CreateDelegate<Action<IntPtr>>()(value);
    }
}
