namespace Bridge.Hooks;

/// <summary>
/// Sees what the last global hook of each phase of a hooked call would see: the arguments as the module's own pre hooks
/// will see them, the result as its own forward hooks will. For recording; it changes nothing and costs no boxing.
/// </summary>
/// <typeparam name="TIn">The arguments.</typeparam>
/// <typeparam name="TOut">The result.</typeparam>
public interface ICallObserver<TIn, TOut>
{
    /// <summary>The global pre hooks have run; the module's own come next.</summary>
    /// <returns>A number that the other methods get back.</returns>
    int Entered(in TIn args);

    /// <summary>The global forward hooks have run; the module's own come next. Not called when something raised before.</summary>
    void Computed(int call, in TOut output);

    /// <summary>The call is over, by a result or an exception, its always-called hooks included. Once per <see cref="Entered"/>.</summary>
    void Left(int call);
}
