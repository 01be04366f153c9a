namespace TorchSharp.Modules;

/// <summary>
/// A module without parameters and buffers. Moving or converting it does nothing. Registering a parameter, a buffer or a child that is not
/// parameterless throws.
/// </summary>
public interface IParameterLessModule;

/// <summary>A parameterless module with one argument.</summary>
public abstract class ParameterLessModule<T1, TResult> : torch.nn.Module<T1, TResult>, IParameterLessModule
{
    /// <summary>Creates a parameterless module with one argument.</summary>
    /// <param name="name">The name, which <see cref="torch.nn.Module.GetName"/> returns.</param>
    protected ParameterLessModule(string name) : base(name) { }

    /// <summary>Creates nothing: there are no native modules to wrap in a parameterless module with one argument.</summary>
    /// <param name="handle">The handle of a native module.</param>
    /// <param name="boxedHandle">The handle of a boxed native module.</param>
    /// <exception cref="NotSupportedException">Always.</exception>
    protected ParameterLessModule(IntPtr handle, IntPtr boxedHandle) : base(handle, boxedHandle) { }
}

/// <summary>A parameterless module with two arguments.</summary>
public abstract class ParameterLessModule<T1, T2, TResult> : torch.nn.Module<T1, T2, TResult>, IParameterLessModule
{
    /// <summary>Creates a parameterless module with two arguments.</summary>
    /// <param name="name">The name, which <see cref="torch.nn.Module.GetName"/> returns.</param>
    protected ParameterLessModule(string name) : base(name) { }

    /// <summary>Creates nothing: there are no native modules to wrap in a parameterless module with two arguments.</summary>
    /// <param name="handle">The handle of a native module.</param>
    /// <param name="boxedHandle">The handle of a boxed native module.</param>
    /// <exception cref="NotSupportedException">Always.</exception>
    protected ParameterLessModule(IntPtr handle, IntPtr boxedHandle) : base(handle, boxedHandle) { }
}

/// <summary>A parameterless module with three arguments.</summary>
public abstract class ParameterLessModule<T1, T2, T3, TResult> : torch.nn.Module<T1, T2, T3, TResult>, IParameterLessModule
{
    /// <summary>Creates a parameterless module with three arguments.</summary>
    /// <param name="name">The name, which <see cref="torch.nn.Module.GetName"/> returns.</param>
    protected ParameterLessModule(string name) : base(name) { }

    /// <summary>Creates nothing: there are no native modules to wrap in a parameterless module with three arguments.</summary>
    /// <param name="handle">The handle of a native module.</param>
    /// <param name="boxedHandle">The handle of a boxed native module.</param>
    /// <exception cref="NotSupportedException">Always.</exception>
    protected ParameterLessModule(IntPtr handle, IntPtr boxedHandle) : base(handle, boxedHandle) { }
}

/// <summary>A parameterless module with four arguments.</summary>
public abstract class ParameterLessModule<T1, T2, T3, T4, TResult> : torch.nn.Module<T1, T2, T3, T4, TResult>, IParameterLessModule
{
    /// <summary>Creates a parameterless module with four arguments.</summary>
    /// <param name="name">The name, which <see cref="torch.nn.Module.GetName"/> returns.</param>
    protected ParameterLessModule(string name) : base(name) { }

    /// <summary>Creates nothing: there are no native modules to wrap in a parameterless module with four arguments.</summary>
    /// <param name="handle">The handle of a native module.</param>
    /// <param name="boxedHandle">The handle of a boxed native module.</param>
    /// <exception cref="NotSupportedException">Always.</exception>
    protected ParameterLessModule(IntPtr handle, IntPtr boxedHandle) : base(handle, boxedHandle) { }
}

/// <summary>A parameterless module with five arguments.</summary>
public abstract class ParameterLessModule<T1, T2, T3, T4, T5, TResult> : torch.nn.Module<T1, T2, T3, T4, T5, TResult>, IParameterLessModule
{
    /// <summary>Creates a parameterless module with five arguments.</summary>
    /// <param name="name">The name, which <see cref="torch.nn.Module.GetName"/> returns.</param>
    protected ParameterLessModule(string name) : base(name) { }

    /// <summary>Creates nothing: there are no native modules to wrap in a parameterless module with five arguments.</summary>
    /// <param name="handle">The handle of a native module.</param>
    /// <param name="boxedHandle">The handle of a boxed native module.</param>
    /// <exception cref="NotSupportedException">Always.</exception>
    protected ParameterLessModule(IntPtr handle, IntPtr boxedHandle) : base(handle, boxedHandle) { }
}

/// <summary>A parameterless module with six arguments.</summary>
public abstract class ParameterLessModule<T1, T2, T3, T4, T5, T6, TResult>
    : torch.nn.Module<T1, T2, T3, T4, T5, T6, TResult>, IParameterLessModule
{
    /// <summary>Creates a parameterless module with six arguments.</summary>
    /// <param name="name">The name, which <see cref="torch.nn.Module.GetName"/> returns.</param>
    protected ParameterLessModule(string name) : base(name) { }

    /// <summary>Creates nothing: there are no native modules to wrap in a parameterless module with six arguments.</summary>
    /// <param name="handle">The handle of a native module.</param>
    /// <param name="boxedHandle">The handle of a boxed native module.</param>
    /// <exception cref="NotSupportedException">Always.</exception>
    protected ParameterLessModule(IntPtr handle, IntPtr boxedHandle) : base(handle, boxedHandle) { }
}
