using System.Collections.Concurrent;
using System.Reflection;
using System.Runtime.CompilerServices;
using Bridge.Torch;

namespace Bridge.Host;

/// <summary>Creates tensors on existing memory, without copying, and reports when no tensor uses the memory any more.</summary>
internal abstract unsafe class TensorWrapper
{
    /// <summary>Creates the wrapper for a library; returns null if elements have to be copied.</summary>
    /// <param name="torch">The library's <c>torch</c>.</param>
    /// <param name="tensor">The library's <c>torch.Tensor</c>.</param>
    internal static TensorWrapper? TryCreate(Type torch, Type tensor) =>
        tensor == typeof(global::TorchSharp.torch.Tensor) ? new BridgeTorchWrapper() : TorchSharpWrapper.TryBind(torch, tensor);

    /// <summary>Creates a tensor on the given memory; returns null if that is not possible.</summary>
    /// <param name="dtype">libtorch's number of the element type.</param>
    /// <param name="shape">The sizes.</param>
    /// <param name="elements">The elements in C order. They must not be in use by another tensor.</param>
    /// <param name="freed">Called once, on any thread, when no tensor uses the memory any more. Not called if the result is null.</param>
    internal abstract object? Wrap(int dtype, long[] shape, byte* elements, Action freed);

    private sealed class BridgeTorchWrapper : TensorWrapper
    {
        internal override object? Wrap(int dtype, long[] shape, byte* elements, Action freed) =>
            SharedArray.Share(elements, (global::TorchSharp.torch.ScalarType)dtype, shape, freed);
    }

    /// <summary>
    /// Calls the native <c>THSTensor_new</c>, as TorchSharp's <c>from_array</c> does, because no public member takes a pointer. With a
    /// version whose <c>THSTensor_new</c> has other parameters, elements are copied.
    /// </summary>
    private sealed class TorchSharpWrapper(MethodInfo newTensor, MethodInfo fromHandle) : TensorWrapper
    {
        private static readonly ConcurrentDictionary<IntPtr, Action> InUse = new();
        private readonly Delegate _freed = Delegate.CreateDelegate(
            newTensor.GetParameters()[1].ParameterType, ((Action<IntPtr>)OnFreed).Method);

        internal static TensorWrapper? TryBind(Type torch, Type tensor)
        {
            const BindingFlags any = BindingFlags.Static | BindingFlags.Public | BindingFlags.NonPublic;
            var deleter = torch.Assembly.GetType("TorchSharp.PInvoke.GCHandleDeleter");
            if (deleter?.GetMethod("Invoke")?.GetParameters() is not [{ ParameterType: { } memory }] || memory != typeof(IntPtr))
                return null;
            var (pointer, number, type) = (typeof(IntPtr), typeof(int), typeof(sbyte));
            Type[] taken = [pointer, deleter, pointer, number, type, type, number, number, typeof(bool)];
            var newTensor = torch.Assembly.GetType("TorchSharp.PInvoke.NativeMethods")?.GetMethod("THSTensor_new", any, taken);
            var fromHandle = tensor.GetMethod("UnsafeCreateTensor", any, [typeof(IntPtr)]);
            if (newTensor is null || fromHandle is null) return null;
            var fits = newTensor.ReturnType == typeof(IntPtr) && fromHandle.ReturnType == tensor;
            return fits ? new TorchSharpWrapper(newTensor, fromHandle) : null;
        }

        internal override object? Wrap(int dtype, long[] shape, byte* elements, Action freed)
        {
            if (!InUse.TryAdd((IntPtr)elements, freed)) return null;
            fixed (long* sizes = shape)
            {
                const int cpu = 0, index = -1;
                object[] given = [(IntPtr)elements, _freed, (IntPtr)sizes, shape.Length, (sbyte)dtype, (sbyte)dtype, cpu, index, false];
                var handle = (IntPtr)newTensor.Invoke(null, BindingFlags.DoNotWrapExceptions, null, given, null)!;
                if (handle != IntPtr.Zero) return fromHandle.Invoke(null, BindingFlags.DoNotWrapExceptions, null, [handle], null);
            }

            InUse.TryRemove((IntPtr)elements, out _);
            return null;
        }

        private static void OnFreed(IntPtr memory)
        {
            if (InUse.TryRemove(memory, out var freed)) freed();
        }
    }
}
