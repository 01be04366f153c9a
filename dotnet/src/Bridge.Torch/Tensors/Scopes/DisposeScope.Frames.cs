using Bridge.Torch;

namespace TorchSharp;

/// <content>
/// The scope of a call as the frame of the callee's <c>forward</c>, whose results are freed after their only use.
/// </content>
public sealed partial class DisposeScope
{
    // The manager's Frame before this scope, if the scope is that of a call.
    private readonly DisposeScope? _frame;

    // Whether nothing but the callee's `forward`, and what it calls, runs in this scope.
    private bool _runsForward;

    // The origins of the tensors that the callee's code uses at most once; null if not known yet.
    private TensorOrigins? _usedOnce;

    /// <summary>Notes that the callee's <c>forward</c> runs next, which becomes the manager's <c>Frame</c> if the user wrote it.</summary>
    internal void BeginForward(DisposeScopeManager scopes)
    {
        _runsForward = true;
        if (_callee is { IsUsers: true }) scopes.Frame = this;
    }

    /// <summary>Returns whether the callee's code uses at most once its tensors of an origin.</summary>
    internal bool UsesOnce(TensorOrigins origin)
    {
        if (!_runsForward) return false;
        if (_usedOnce is not { } known) _usedOnce = known = FindUsedOnce();
        return (known & origin) != 0;
    }

    private TensorOrigins FindUsedOnce()
    {
        if (_callee is null) return TensorOrigins.None;
        // A Sequential only passes on the results of its modules.
        if (_callee.GetType() == typeof(Modules.Sequential)) return TensorOrigins.Call;
        return TensorOrigins.All & ~ForwardUses.Of(_callee.GetType()).Shared;
    }

    /// <summary>
    /// Frees the argument of a module that the code of this frame has called, if that was the argument's only use, and notes whether the
    /// result will be used at most once.
    /// </summary>
    /// <param name="argument">The argument.</param>
    /// <param name="result">The module's result.</param>
    /// <param name="isNew">Whether nothing but the module's caller can have the result.</param>
    /// <param name="kept">Whether the module may have kept the argument.</param>
    internal void EndUse(torch.Tensor argument, object? result, bool isNew, bool kept)
    {
        if (ReferenceEquals(argument, result)) return;
        if (result is torch.Tensor { Large: { } large }) large.IsUsedOnce = (isNew || large.IsUsedOnce) && UsesOnce(TensorOrigins.Call);
        if (!kept) argument.EndUse(this);
    }
}
