namespace Bridge.TorchSharp;

/// <summary>
/// A listener to the calls of a module. Its methods run as TorchSharp hooks: <see cref="Entered"/> before the module's other pre hooks,
/// <see cref="Computed"/> before its other forward hooks.
/// </summary>
/// <typeparam name="TArgs">The argument, or a tuple of several arguments.</typeparam>
/// <typeparam name="TResult">The result.</typeparam>
internal abstract class CallListener<TArgs, TResult>
{
    /// <summary>Called before <c>forward</c>, with the arguments of the call.</summary>
    /// <returns>Whether the arguments may have been replaced.</returns>
    internal abstract bool Entered(object module, ref TArgs args);

    /// <summary>Called after <c>forward</c>, with its result, which the listener can replace.</summary>
    internal abstract void Computed(object module, in TArgs args, ref TResult result);

    /// <summary>Runs as the pre hook of a module of one argument.</summary>
    /// <returns>The argument, even if unchanged: null would keep the old argument, but a value type has no null.</returns>
    internal TArgs PreHook(object module, TArgs args)
    {
        Entered(module, ref args);
        return args;
    }

    /// <summary>Runs as the forward hook of a module of one argument.</summary>
    internal TResult ForwardHook(object module, TArgs args, TResult result)
    {
        Computed(module, in args, ref result);
        return result;
    }
}

/// <summary>Creates a listener for each module.</summary>
internal interface ICallListenerFactory
{
    CallListener<TArgs, TResult> CreateListener<TArgs, TResult>(ModuleNode node, Arguments<TArgs> arguments, ValueReader<TResult> result);
}
