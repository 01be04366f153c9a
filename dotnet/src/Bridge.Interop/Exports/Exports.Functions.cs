using Bridge.Torch;
using TorchSharp;

namespace Bridge.Interop;

// The forward and backward of C# autograd functions, and the errors of operators.
public static unsafe partial class Exports
{
    /// <summary>
    /// Runs the forward of an autograd function. Returns a tuple: the outputs, the saved tensors, the tensors changed in place, the
    /// non-differentiable outputs, and whether undefined gradients are materialized as zeros.
    /// </summary>
    private static OwnedReference FunctionForward(long number)
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

        return Converter.ToPython(result);
    }

    /// <summary>Runs the backward of an autograd function with the output gradients. Returns a tuple of the input gradients.</summary>
    private static OwnedReference FunctionBackward(long number, BorrowedReference* gradients, int count)
    {
        var call = FunctionTable.Get(number);
        Interlocked.Increment(ref DisposeScope.Calls);
        var scope = new DisposeScope(ofCall: true);
        // The backward may read parameters of a module that the autograd context holds.
        MirrorLink.Enter();
        try
        {
            var values = Converter.ToDotNet(gradients, count);
            object?[] result;
            var gil = Python.ReleaseGil();
            try
            {
                result = call.Backward(values.Cast<torch.Tensor?>());
            }
            finally
            {
                Python.TakeGil(gil);
            }

            return Converter.ToPython(result);
        }
        finally
        {
            if (scope.DisposablesCount > 0) call.Keep();
            scope.EndCall();
            Interlocked.Decrement(ref DisposeScope.Calls);
            MirrorLink.Leave();
            Python.ReleasePending();
        }
    }

    /// <summary>Saves the Python exception with which this thread's running operator fails: libtorch would pass on only its text.</summary>
    private static void KeepError(BorrowedReference error) => Python.SaveOperatorError(error);

    /// <summary>
    /// Calls a PyTorch operator for a kernel that is written in Python. Saves an exception that Python code raises during the call, since
    /// libtorch would pass on only its text. Saving it in Python instead would not be safe: a signal handler might raise just before.
    /// </summary>
    /// <param name="function">The operator, a builtin.</param>
    /// <param name="names">The tuple of the names of the keyword arguments, or None.</param>
    /// <param name="arguments">The positional arguments, then the keyword arguments.</param>
    /// <param name="count">The number of arguments.</param>
    private static OwnedReference RunOperator(BorrowedReference function, BorrowedReference names, BorrowedReference* arguments, int count)
    {
        var named = names == Imports.None ? 0 : (int)Imports.PyTuple_Size(names);
        var result = Imports.PyObject_Vectorcall(function, arguments, (nuint)(count - named), named == 0 ? default : names);
        return !result.IsNull ? result : throw Python.FetchOperatorError();
    }

    private static void ForgetFunction(long number) => FunctionTable.Forget(number);
}
