using Bridge.Torch;

namespace TorchSharp;

public static partial class torch
{
    public static partial class jit
    {
        /// <summary>Functions in TorchScript, which <see cref="compile"/> has compiled and Python runs.</summary>
        public class CompilationUnit : IDisposable
        {
            private readonly ScriptReference _unit;

            internal CompilationUnit(long number) => _unit = new(number, nameof(CompilationUnit));

            public void Dispose()
            {
                Dispose(true);
                GC.SuppressFinalize(this);
            }

            protected virtual void Dispose(bool disposing)
            {
                if (disposing) _unit.Dispose();
            }

            /// <summary>Runs a function.</summary>
            /// <returns>A tensor, Scalar, string, array, ValueTuple or Dictionary; null for None.</returns>
            public object invoke(string name, params object[] objs) => ScriptValues.Result(Run(name, objs))!;

            /// <summary>Runs a function.</summary>
            /// <exception cref="InvalidCastException">The result has another type.</exception>
            public TResult invoke<TResult>(string name, params object[] inputs) => ScriptValues.Result<TResult>(Run(name, inputs));

            /// <summary>Runs a function that takes a list: the values are its only argument, as in TorchSharp.</summary>
            /// <exception cref="InvalidCastException">The result has another type.</exception>
            public TResult invoke<T, TResult>(string name, params T[] inputs)
            {
                ArgumentNullException.ThrowIfNull(inputs);
                return ScriptValues.Result<TResult>(Run(name, [inputs]));
            }

            private object? Run(string name, IEnumerable<object?> arguments)
            {
                ArgumentNullException.ThrowIfNull(name);
                ArgumentNullException.ThrowIfNull(arguments);
                return PythonScripts.Require(nameof(CompilationUnit)).Run("call", _unit.Number, name, ScriptValues.Arguments(arguments));
            }
        }

        /// <summary>The type of a value in TorchScript. No member returns one, as in TorchSharp.</summary>
        public class Type : IDisposable
        {
            protected Type() { }

            public void Dispose()
            {
                Dispose(true);
                GC.SuppressFinalize(this);
            }

            protected virtual void Dispose(bool disposing) { }
        }

        /// <summary>A type that is not known. No member returns one, as in TorchSharp.</summary>
        public sealed class DynamicType : Type
        {
            private DynamicType() { }
        }

        /// <summary>The type of a tensor. No member returns one, as in TorchSharp.</summary>
        public sealed class TensorType : Type
        {
            private const string Unreachable = "no member of TorchSharp returns a type of TorchScript";

            private TensorType() { }

            [Stub(Unreachable)] public ScalarType GetScalarType() => throw Stub.Error(Unreachable);
            [Stub(Unreachable)] public long[] size() => throw Stub.Error(Unreachable);
            [Stub(Unreachable)] public int GetDimensions() => throw Stub.Error(Unreachable);
            [Stub(Unreachable)] public string GetDevice() => throw Stub.Error(Unreachable);
        }
    }
}
