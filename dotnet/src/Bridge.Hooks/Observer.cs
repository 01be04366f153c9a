namespace Bridge.Hooks;

/// <summary>
/// Observes a hooked call for a recording. An observer sees the values after the global hooks and before the module's own hooks, and cannot
/// change them.
/// </summary>
/// <typeparam name="TIn">The arguments.</typeparam>
/// <typeparam name="TOut">The result.</typeparam>
public interface ICallObserver<TIn, TOut>
{
    /// <summary>Observes the arguments, after the global pre hooks and before the module's own.</summary>
    /// <returns>A number for the call, which is passed to the other methods.</returns>
    int Entered(in TIn args);

    /// <summary>
    /// Observes the result, after the global forward hooks and before the module's own. Not called if an exception was thrown before.
    /// </summary>
    void Computed(int call, in TOut output);

    /// <summary>Observes the end of the call, after its always-called hooks. Called once if <see cref="Entered"/> has returned.</summary>
    void Left(int call);
}
