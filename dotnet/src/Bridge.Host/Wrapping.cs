using System.Collections.Concurrent;
using System.Reflection;
using System.Runtime.CompilerServices;
using Bridge.Torch;

namespace Bridge.Host;

/// <summary>Makes tensors on memory that is there instead of copying it, and says when libtorch has freed the last one that uses it.</summary>
internal abstract unsafe class Wrapping
{
    /// <summary>That of a TorchSharp; null where it has no way, and elements are to be copied.</summary>
    /// <param name="torch">Its <c>torch</c>.</param>
    /// <param name="tensor">Its <c>torch.Tensor</c>.</param>
    internal static Wrapping? Of(Type torch, Type tensor) =>
        tensor == typeof(global::TorchSharp.torch.Tensor) ? new OfBridgeTorch() : OfTorchSharp.Found(torch, tensor);

    /// <summary>A tensor on the memory itself; null where this libtorch has no way.</summary>
    /// <param name="dtype">libtorch's number of the element type.</param>
    /// <param name="shape">Sizes.</param>
    /// <param name="elements">The memory, in C order, which no other tensor was made on that lives.</param>
    /// <param name="freed">Runs once, on any thread, when nothing uses the memory any more.</param>
    internal abstract object? Wrap(int dtype, long[] shape, byte* elements, Action freed);

    private sealed class OfBridgeTorch : Wrapping
    {
        internal override object? Wrap(int dtype, long[] shape, byte* elements, Action freed) =>
            SharedArray.Share(elements, (global::TorchSharp.torch.ScalarType)dtype, shape, freed);
    }

    /// <summary>
    /// By what TorchSharp's own <c>from_array</c> calls: <c>THSTensor_new</c>, which no public member reaches for memory that is no array. A
    /// version in which it takes other arguments copies.
    /// </summary>
    private sealed class OfTorchSharp(MethodInfo make, MethodInfo own) : Wrapping
    {
        private static readonly ConcurrentDictionary<IntPtr, Action> Lent = new();
        private readonly Delegate _freed = Delegate.CreateDelegate(make.GetParameters()[1].ParameterType, ((Action<IntPtr>)Freed).Method);

        internal static Wrapping? Found(Type torch, Type tensor)
        {
            const BindingFlags any = BindingFlags.Static | BindingFlags.Public | BindingFlags.NonPublic;
            var deleter = torch.Assembly.GetType("TorchSharp.PInvoke.GCHandleDeleter");
            if (deleter?.GetMethod("Invoke")?.GetParameters() is not [{ ParameterType: { } memory }] || memory != typeof(IntPtr)) return null;
            Type[] taken = [typeof(IntPtr), deleter, typeof(IntPtr), typeof(int), typeof(sbyte), typeof(sbyte), typeof(int), typeof(int), typeof(bool)];
            var make = torch.Assembly.GetType("TorchSharp.PInvoke.NativeMethods")?.GetMethod("THSTensor_new", any, taken);
            var own = tensor.GetMethod("UnsafeCreateTensor", any, [typeof(IntPtr)]);
            return make is null || own is null || make.ReturnType != typeof(IntPtr) || own.ReturnType != tensor ? null : new OfTorchSharp(make, own);
        }

        internal override object? Wrap(int dtype, long[] shape, byte* elements, Action freed)
        {
            if (!Lent.TryAdd((IntPtr)elements, freed)) return null;
            fixed (long* sizes = shape)
            {
                const int cpu = 0, index = -1;
                object[] given = [(IntPtr)elements, _freed, (IntPtr)sizes, shape.Length, (sbyte)dtype, (sbyte)dtype, cpu, index, false];
                var handle = (IntPtr)make.Invoke(null, BindingFlags.DoNotWrapExceptions, null, given, null)!;
                if (handle != IntPtr.Zero) return own.Invoke(null, BindingFlags.DoNotWrapExceptions, null, [handle], null);
            }

            Lent.TryRemove((IntPtr)elements, out _);
            return null;
        }

        private static void Freed(IntPtr memory)
        {
            if (Lent.TryRemove(memory, out var freed)) freed();
        }
    }
}
