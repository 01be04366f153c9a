using Bridge.Torch;
using TorchSharp;

namespace Bridge.Interop;

/// <summary>The two halves of a C# autograd function, which PyTorch calls, and what a backward pass raises.</summary>
public static unsafe partial class Exports
{
    /// <summary>Runs the forward; a new reference to a tuple of: the outputs, what is saved, what was changed in place, what needs no gradient, whether undefined gradients become zeros.</summary>
    private static IntPtr FunctionForward(long number)
    {
        object?[] result;
        var gil = Python.ReleaseGil();
        try
        {
            result = FunctionTable.Forward(number);
        }
        finally
        {
            Python.TakeGil(gil);
        }

        return Objects.Write(result);
    }

    /// <summary>Runs the backward with the gradients of the outputs; a new reference to a tuple of the gradients of the arguments.</summary>
    private static IntPtr FunctionBackward(long number, IntPtr* gradients, int count)
    {
        var call = FunctionTable.Get(number);
        Interlocked.Increment(ref DisposeScope.Calls);
        var scope = new DisposeScope(ofCall: true);
        // It may read parameters of a module that the context has.
        MirrorLink.Enter();
        try
        {
            var given = Objects.Read(gradients, count);
            object?[] result;
            var gil = Python.ReleaseGil();
            try
            {
                result = call.Backward(given.Cast<torch.Tensor?>());
            }
            finally
            {
                Python.TakeGil(gil);
            }

            return Objects.Write(result);
        }
        finally
        {
            if (scope.DisposablesCount > 0) call.Keep();
            scope.EndCall();
            Interlocked.Decrement(ref DisposeScope.Calls);
            MirrorLink.Leave();
            Python.Drain();
        }
    }

    /// <summary>The operator that this thread runs is about to fail with a Python exception, of which libtorch would pass on the text alone.</summary>
    private static void KeepError(IntPtr error) => Python.Keep(error);

    /// <summary>
    /// Runs an operator of PyTorch in a kernel of Python's: no Python code in between, at the entry of which a signal's handler might raise
    /// what libtorch then passes on as text. What Python code below raises is kept.
    /// </summary>
    /// <param name="function">The operator, as a builtin.</param>
    /// <param name="names">The names of the last arguments, a tuple, or None.</param>
    /// <param name="arguments">All arguments.</param>
    /// <param name="count">How many.</param>
    private static IntPtr RunOperator(IntPtr function, IntPtr names, IntPtr* arguments, int count)
    {
        var named = names == Imports.None ? 0 : (int)Imports.PyTuple_Size(names);
        var result = Imports.PyObject_Vectorcall(function, arguments, (nuint)(count - named), named == 0 ? IntPtr.Zero : names);
        return result != IntPtr.Zero ? result : throw Python.ErrorBelow();
    }

    private static void ForgetFunction(long number) => FunctionTable.Forget(number);
}
