using System;
using System.Collections.Generic;

namespace TorchSharp;

#pragma warning disable CS8981 // Types in lower case: the names are TorchSharp's.

public static class torch
{
    public static Device META = null!;

    public static bool is_grad_enabled() => throw null!;

    public static Tensor zeros(
        long[] size, ScalarType? dtype = null, Device? device = null, bool requires_grad = false, string[]? names = null) => throw null!;

    public enum ScalarType : sbyte;

    public class Device;

    public class Tensor
    {
        public IntPtr Handle => throw null!;

        public bool IsInvalid => throw null!;

        public ScalarType dtype => throw null!;

        public Device device => throw null!;

        public bool requires_grad => throw null!;

        public long[] shape => throw null!;
    }

    public static class autograd
    {
        public class AutogradContext
        {
            internal AutogradContext() { }

            public void save_data(string key, object value) => throw null!;

            public object get_data(string key) => throw null!;

            public void set_materialize_grads(bool value) => throw null!;
        }

        public abstract class Function<T>
            where T : Function<T>, new()
        {
            public abstract string Name { get; }
        }

        public abstract class MultiTensorFunction<T> : Function<T>
            where T : MultiTensorFunction<T>, new()
        {
            public static List<Tensor> apply(params object[] vars) => throw null!;

            public abstract List<Tensor> forward(AutogradContext ctx, params object[] vars);

            public abstract List<Tensor> backward(AutogradContext ctx, List<Tensor> grad_outputs);
        }
    }

    public static class nn
    {
        public class Module;

        public abstract class Module<T, TResult>;

        public abstract class Module<T1, T2, TResult>;
    }
}
