namespace Bridge.Hooks;

/// <summary>
/// Observes a hooked call for a recording: the arguments before the module's own pre hooks and the result before its own forward hooks, as
/// the last global hook of each phase would see them. An observer cannot change values, and values are not boxed for it.
/// </summary>
/// <typeparam name="TIn">The arguments.</typeparam>
/// <typeparam name="TOut">The result.</typeparam>
public interface ICallObserver<TIn, TOut>
{
    /// <summary>Observes the arguments, after the global pre hooks and before the module's own.</summary>
    /// <returns>A number for the call, which is passed to the other methods.</returns>
    int Entered(in TIn args);

    /// <summary>Observes the result, after the global forward hooks and before the module's own. Not called after an exception.</summary>
    void Computed(int call, in TOut output);

    /// <summary>Observes the end of the call, after its always-called hooks. Called once for each <see cref="Entered"/>.</summary>
    void Left(int call);
}
