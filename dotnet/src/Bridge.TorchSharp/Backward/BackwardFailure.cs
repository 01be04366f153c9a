using System.Diagnostics;
using System.Diagnostics.CodeAnalysis;
using System.Reflection;
using System.Runtime.ExceptionServices;
using System.Runtime.InteropServices;
using TorchSharp;
using Tensor = TorchSharp.torch.Tensor;

namespace Bridge.TorchSharp;

/// <summary>Lets an exception of a backward hook reach the caller of the backward pass.</summary>
/// <remarks>
/// <para>Between the two is native code, and an exception that leaves a callback ends the process. So the exception is kept, and libtorch
/// gets a gradient that it refuses: TorchSharp's <c>backward</c> then throws an <see cref="ExternalException"/>, which gets the exception
/// of the hook as inner exception when it is thrown.</para>
/// <para><c>autograd.grad</c> does not catch libtorch's error, which would end the process. But after the pass it asks for the error that
/// libtorch last reported on the thread, and one can be left there. So the remaining hooks are skipped, and the gradients pass.</para>
/// </remarks>
internal static unsafe class BackwardFailure
{
    private const string Key = "Bridge.TorchSharp.BackwardFailure";
    private const long NoSuchDimension = 20_260_713;

    // Parts of the messages of TorchSharp's exception: for a refused gradient, for that of a scalar, and for the error that is left.
    private static readonly string[] Signs =
        ["Function CSharpNode returned an invalid gradient", "Cannot copy out of meta tensor", $"got {NoSuchDimension}"];

    private static readonly FieldInfo? InnerException =
        typeof(Exception).GetField("_innerException", BindingFlags.Instance | BindingFlags.NonPublic);

    // The exception of a hook in this thread's call of autograd.grad.
    [ThreadStatic]
    private static ExceptionDispatchInfo? _inGrad;

    /// <summary>Passes gradients through a function of a <see cref="GradientTap"/>, and does not throw.</summary>
    internal static Tensor?[] Guard(Tensor?[] gradients, Func<Tensor?[], Tensor?[]> pass)
    {
        // Whatever ran since the hook failed may have cleared the error.
        if (_inGrad is not null && Caller() == "grad") return LeaveError(gradients);
        try
        {
            return pass(gradients);
        }
        catch (Exception exception)
        {
            // A hook that ran a backward pass whose hook failed has its exception.
            var failure = Of(exception) ?? ExceptionDispatchInfo.Capture(exception);
            var caller = Caller();
            Attach(failure, caller is null ? null : Environment.CurrentManagedThreadId);
            if (caller == "grad")
            {
                _inGrad = failure;
                return LeaveError(gradients);
            }

            var refused = torch.zeros([1], null, torch.META); // No gradient is on this device.
            return [.. gradients.Select(_ => refused)];
        }
    }

    /// <summary>Runs a function, and throws the exception of a backward hook as the hook threw it (B-21).</summary>
    internal static TResult Run<TResult>(Func<TResult> call)
    {
        _inGrad = null;
        try
        {
            var result = call();
            // Another autograd function may have cleared the error.
            var lost = _inGrad;
            _inGrad = null;
            lost?.Throw();
            return result;
        }
        catch (ExternalException exception) when (Of(exception) is { } failure)
        {
            failure.Throw();
            throw;
        }
    }

    private static ExceptionDispatchInfo? Of(Exception exception) => exception.Data[Key] as ExceptionDispatchInfo;

    private static Tensor?[] LeaveError(Tensor?[] gradients)
    {
        var any = torch.zeros([1], null, torch.META);
        if (NativeLibrary.TryLoad("LibTorchSharp", typeof(Tensor).Assembly, null, out var library)
            && NativeLibrary.TryGetExport(library, "THSTensor_unsqueeze", out var unsqueeze))
        {
            ((delegate* unmanaged<nint, long, nint>)unsqueeze)(any.Handle, NoSuchDimension);
        }

        GC.KeepAlive(any);
        return gradients;
    }

    // Completes the exception that tells of the failure, when it is thrown: on this thread if the pass was started on it. libtorch runs the
    // backward pass of a GPU on a thread of its own.
    private static void Attach(ExceptionDispatchInfo failure, int? thread)
    {
        AppDomain.CurrentDomain.FirstChanceException += Complete;

        void Complete(object? sender, FirstChanceExceptionEventArgs raised)
        {
            if (raised.Exception is not ExternalException exception || !Signs.Any(exception.Message.Contains)) return;
            if (thread is not null && thread != Environment.CurrentManagedThreadId) return;
            AppDomain.CurrentDomain.FirstChanceException -= Complete;
            _inGrad = null;
            exception.Data[Key] = failure;
            InnerException?.SetValue(exception, failure.SourceException);
        }
    }

    // Returns the name of TorchSharp's method that started the backward pass: "backward" or "grad". Null on a thread of libtorch.
    [UnconditionalSuppressMessage("Trimming", "IL2026", Justification = "The methods are called, so trimming keeps them.")]
    private static string? Caller()
    {
        foreach (var frame in new StackTrace(false).GetFrames())
        {
            if (frame.GetMethod() is not { Name: "backward" or "grad" } method) continue;
            if (method.DeclaringType == typeof(torch.autograd) || method.DeclaringType == typeof(Tensor)) return method.Name;
        }

        return null;
    }
}
