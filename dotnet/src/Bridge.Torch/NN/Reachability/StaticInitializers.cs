using System.Reflection.Emit;

namespace Bridge.Torch;

/// <summary>The state of the static initializers of types.</summary>
/// <remarks>
/// Reading a static field runs its type's initializers, which may do anything: wait for another thread, write a file. .NET has no public
/// API for their state. From .NET 9 on, its core library has an internal property, which the method generated here reads.
/// </remarks>
internal static class StaticInitializers
{
    private static readonly Func<IntPtr, bool>? Flag = Find();

    /// <summary>Gets whether this version of .NET can tell whether initializers have run.</summary>
    internal static bool CanTell => Flag is not null;

    /// <summary>
    /// Returns whether the type's initializers have run. For a type without initializers: whether a static field was used. True if .NET
    /// cannot tell.
    /// </summary>
    internal static bool HaveRun(Type type) => Flag?.Invoke(type.TypeHandle.Value) != false;

    private static Func<IntPtr, bool>? Find()
    {
        const System.Reflection.BindingFlags any =
            System.Reflection.BindingFlags.Instance | System.Reflection.BindingFlags.Public | System.Reflection.BindingFlags.NonPublic;
        var library = typeof(object).Assembly;
        var table = library.GetType("System.Runtime.CompilerServices.MethodTable")?.GetField("AuxiliaryData", any);
        var getter = library.GetType("System.Runtime.CompilerServices.MethodTableAuxiliaryData")?.GetMethod("get_IsClassInited", any, []);
        if (table is null || getter is null || getter.ReturnType != typeof(bool)
            || table.FieldType.GetElementType() != getter.DeclaringType)
            return null;
        var method = new DynamicMethod(nameof(HaveRun), typeof(bool), [typeof(IntPtr)], typeof(object).Module, skipVisibility: true);
        var code = method.GetILGenerator();
        code.Emit(OpCodes.Ldarg_0);
        code.Emit(OpCodes.Ldfld, table);
        code.Emit(OpCodes.Call, getter);
        code.Emit(OpCodes.Ret);
        var made = method.CreateDelegate<Func<IntPtr, bool>>();
        // Checks the generated method before and after Ran's initializer runs: the layout of the method table depends on .NET's version.
        return made(typeof(Ran).TypeHandle.Value) || !Runs() || !made(typeof(Ran).TypeHandle.Value) ? null : made;
    }

    private static bool Runs() => Ran.Field is not null;

    private static class Ran
    {
        internal static readonly object Field = Make();

        // Without NoInlining, the JIT could drop a method without side effects.
        [System.Runtime.CompilerServices.MethodImpl(System.Runtime.CompilerServices.MethodImplOptions.NoInlining)]
        private static object Make() => new();
    }
}
