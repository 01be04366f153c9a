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

            /// <summary>Lets Python free the compiled functions.</summary>
            public void Dispose()
            {
                Dispose(true);
                GC.SuppressFinalize(this);
            }

            /// <summary>Lets Python free the compiled functions if called by <see cref="Dispose()"/>.</summary>
            /// <param name="disposing">Whether <see cref="Dispose()"/> was called; if false, nothing is done.</param>
            protected virtual void Dispose(bool disposing)
            {
                if (disposing) _unit.Dispose();
            }

            /// <summary>Runs a compiled function.</summary>
            /// <param name="name">The function's name.</param>
            /// <param name="objs">The arguments.</param>
            /// <returns>A tensor, Scalar, string, array, ValueTuple or Dictionary; null for None.</returns>
            public object invoke(string name, params object[] objs) => ScriptValues.Result(Run(name, objs))!;

            /// <summary>Runs a compiled function whose result has a known type.</summary>
            /// <param name="name">The function's name.</param>
            /// <param name="inputs">The arguments.</param>
            /// <returns>The function's result.</returns>
            /// <exception cref="InvalidCastException">The result has another type.</exception>
            public TResult invoke<TResult>(string name, params object[] inputs) => ScriptValues.Result<TResult>(Run(name, inputs));

            /// <summary>Runs a compiled function that takes a list: the values are its only argument, as in TorchSharp.</summary>
            /// <param name="name">The function's name.</param>
            /// <param name="inputs">The values of the list.</param>
            /// <returns>The function's result.</returns>
            /// <exception cref="InvalidCastException">The result has another type.</exception>
            /// <exception cref="ArgumentNullException">The array is null.</exception>
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
            /// <summary>Creates a type of TorchScript. No member uses one.</summary>
            protected Type() { }

            /// <summary>Does nothing, because a type of TorchScript holds no resources here.</summary>
            public void Dispose()
            {
                Dispose(true);
                GC.SuppressFinalize(this);
            }

            /// <summary>Does nothing; a derived class may release its resources here.</summary>
            /// <param name="disposing">Whether <see cref="Dispose()"/> was called.</param>
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

            /// <summary>Always throws: there is no object of this class to return the element type of.</summary>
            /// <exception cref="NotSupportedException">Always.</exception>
            [Stub(Unreachable)] public ScalarType GetScalarType() => throw Stub.Error(Unreachable);
            /// <summary>Always throws: there is no object of this class to return the shape of.</summary>
            /// <exception cref="NotSupportedException">Always.</exception>
            [Stub(Unreachable)] public long[] size() => throw Stub.Error(Unreachable);
            /// <summary>Always throws: there is no object of this class to return the number of dimensions of.</summary>
            /// <exception cref="NotSupportedException">Always.</exception>
            [Stub(Unreachable)] public int GetDimensions() => throw Stub.Error(Unreachable);
            /// <summary>Always throws: there is no object of this class to return the device of.</summary>
            /// <exception cref="NotSupportedException">Always.</exception>
            [Stub(Unreachable)] public string GetDevice() => throw Stub.Error(Unreachable);
        }
    }
}
