using System.Diagnostics.CodeAnalysis;
using System.Reflection;
using System.Reflection.Emit;
using System.Runtime.CompilerServices;

namespace Bridge.TorchSharp;

/// <summary>The field of TorchSharp's tensors that has libtorch's pointer.</summary>
/// <remarks>
/// It is read at its place in the object. TorchSharp's properties take six calls for each event, a seventh of the cost of recording it.
/// </remarks>
internal sealed class HandleField
{
    private readonly nint _offset;

    private HandleField(nint offset) => _offset = offset;

    /// <summary>Finds the field; returns null if this version of TorchSharp has no such field.</summary>
    [RequiresUnreferencedCode(Trimming.Reason)]
    [RequiresDynamicCode(Trimming.Reason)]
    internal static HandleField? TryFind(Type tensor)
    {
        var field = tensor.GetField("handle", BindingFlags.Instance | BindingFlags.NonPublic | BindingFlags.Public);
        if (field?.FieldType != typeof(nint)) return null;
        var method = new DynamicMethod("AddressOfHandle", typeof(nint).MakeByRefType(), [typeof(object)], tensor, skipVisibility: true);
        var code = method.GetILGenerator();
        code.Emit(OpCodes.Ldarg_0);
        code.Emit(OpCodes.Ldflda, field);
        code.Emit(OpCodes.Ret);
        var any = RuntimeHelpers.GetUninitializedObject(tensor);
        GC.SuppressFinalize(any);
        return new(Unsafe.ByteOffset(ref First(any), ref method.CreateDelegate<Address>()(any)));
    }

    private delegate ref nint Address(object tensor);

    /// <summary>Returns libtorch's pointer; 0 for a tensor that was disposed.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal nint Read(object tensor) => Unsafe.AddByteOffset(ref First(tensor), _offset);

    private static ref nint First(object any) => ref Unsafe.As<Fields>(any).First;

    private sealed class Fields
    {
        internal nint First;
    }
}
