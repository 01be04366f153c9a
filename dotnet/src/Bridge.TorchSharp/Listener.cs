namespace Bridge.TorchSharp;

/// <summary>What is called before and after a module's <c>forward</c>, in the place of the first hook of its phase.</summary>
/// <typeparam name="TArgs">The argument, or a tuple of them where there are several.</typeparam>
/// <typeparam name="TResult">The result.</typeparam>
internal abstract class Listener<TArgs, TResult>
{
    /// <summary>The arguments as the call has them.</summary>
    /// <returns>Whether they were replaced.</returns>
    internal abstract bool Entered(object module, ref TArgs args);

    /// <summary>The result as <c>forward</c> gave it; may be replaced.</summary>
    internal abstract void Computed(object module, in TArgs args, ref TResult result);
}

/// <summary>Makes listeners; asked once for each module.</summary>
internal interface IListening
{
    /// <summary>The listener of a module.</summary>
    Listener<TArgs, TResult> Listen<TArgs, TResult>(ModuleNode node, Arguments<TArgs> arguments, ValueReader<TResult> result);
}
