using System.Reflection.Emit;

namespace Bridge.Torch;

/// <summary>Whether .NET has run the static initializers of a type.</summary>
/// <remarks>
/// Reading a static field runs them, and they may do anything: wait for another thread, write a file. .NET has no public API that tells whether they ran.
/// Its own library knows from .NET 9 on; the method made here asks it, or there is none.
/// </remarks>
internal static class StaticInitializers
{
    private static readonly Func<IntPtr, bool>? Flag = Find();

    /// <summary>This .NET can tell.</summary>
    internal static bool CanTell => Flag is not null;

    /// <summary>They have run to their end, or there are none and a static field was used. True where .NET cannot tell.</summary>
    internal static bool HaveRun(Type type) => Flag?.Invoke(type.TypeHandle.Value) != false;

    private static Func<IntPtr, bool>? Find()
    {
        const System.Reflection.BindingFlags any = System.Reflection.BindingFlags.Instance | System.Reflection.BindingFlags.Public | System.Reflection.BindingFlags.NonPublic;
        var library = typeof(object).Assembly;
        var table = library.GetType("System.Runtime.CompilerServices.MethodTable")?.GetField("AuxiliaryData", any);
        var getter = library.GetType("System.Runtime.CompilerServices.MethodTableAuxiliaryData")?.GetMethod("get_IsClassInited", any, []);
        if (table is null || getter is null || getter.ReturnType != typeof(bool) || table.FieldType.GetElementType() != getter.DeclaringType) return null;
        var method = new DynamicMethod(nameof(HaveRun), typeof(bool), [typeof(IntPtr)], typeof(object).Module, skipVisibility: true);
        var code = method.GetILGenerator();
        code.Emit(OpCodes.Ldarg_0);
        code.Emit(OpCodes.Ldfld, table);
        code.Emit(OpCodes.Call, getter);
        code.Emit(OpCodes.Ret);
        var made = method.CreateDelegate<Func<IntPtr, bool>>();
        // Of another layout it would say anything.
        return made(typeof(Ran).TypeHandle.Value) || !Runs() || !made(typeof(Ran).TypeHandle.Value) ? null : made;
    }

    private static bool Runs() => Ran.Field is not null;

    private static class Ran
    {
        internal static readonly object Field = Make();

        // A body that is known not to do anything could be left out.
        [System.Runtime.CompilerServices.MethodImpl(System.Runtime.CompilerServices.MethodImplOptions.NoInlining)]
        private static object Make() => new();
    }
}
