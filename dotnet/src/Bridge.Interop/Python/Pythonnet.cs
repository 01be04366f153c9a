using System.Reflection;
using System.Reflection.Emit;

namespace Bridge.Interop;

/// <summary>What pythonnet does when the process ends, and must not.</summary>
/// <remarks>By reflection, and in C#: the same through pythonnet's own objects, the first that the process would use, took a fifth of a second.</remarks>
internal static class Pythonnet
{
    /// <summary>Removes its handler of an end that C# brings about (<c>Environment.Exit</c>), and tells it where it finds out whether Python is ending.</summary>
    /// <param name="isFinalizing">
    /// The address of <c>Py_IsFinalizing</c>, or 0. pythonnet looks for <c>_Py_IsFinalizing</c>, which from Python 3.13 on is not there, and takes a Python that
    /// is ending for one that never began: freeing a method that the user kept (<c>f = model.Run</c>) then throws where nothing can catch it, and the process aborts.
    /// </param>
    internal static void Settle(IntPtr isFinalizing)
    {
        foreach (var assembly in AppDomain.CurrentDomain.GetAssemblies())
        {
            if (assembly.GetName().Name != "Python.Runtime") continue;
            // Another version of pythonnet may have neither.
            if (assembly.GetType("Python.Runtime.PythonEngine")?.GetMethod("OnProcessExit", BindingFlags.NonPublic | BindingFlags.Static) is { } handler)
                AppDomain.CurrentDomain.ProcessExit -= handler.CreateDelegate<EventHandler>();
            if (isFinalizing != IntPtr.Zero
                && assembly.GetType("Python.Runtime.Runtime+Delegates")?.GetField("<_Py_IsFinalizing>k__BackingField", BindingFlags.NonPublic | BindingFlags.Static) is { } field)
                Write(field, isFinalizing);
        }
    }

    /// <summary>Loads an assembly that .NET may unload again: pythonnet, which notes each in tables that keep it, does not learn of it.</summary>
    internal static Assembly Unaware(Func<Assembly> load)
    {
        var notes = AppDomain.CurrentDomain.GetAssemblies().Where(assembly => assembly.GetName().Name == "Python.Runtime")
            .Select(assembly => assembly.GetType("Python.Runtime.AssemblyManager")?.GetMethod("AssemblyLoadHandler", BindingFlags.NonPublic | BindingFlags.Static))
            .OfType<MethodInfo>().Select(method => method.CreateDelegate<AssemblyLoadEventHandler>()).ToArray();
        foreach (var note in notes) AppDomain.CurrentDomain.AssemblyLoad -= note;
        try
        {
            return load();
        }
        finally
        {
            foreach (var note in notes) AppDomain.CurrentDomain.AssemblyLoad += note;
        }
    }

    // It is read-only, which reflection respects.
    private static void Write(FieldInfo field, IntPtr value)
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
