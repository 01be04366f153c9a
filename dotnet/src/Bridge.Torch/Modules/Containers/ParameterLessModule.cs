namespace TorchSharp.Modules;

/// <summary>
/// A module without parameters, buffers and children: it is the same on every device and of every type, and refuses what would be
/// registered (<see cref="torch.nn.Module.register_parameter"/>, <see cref="torch.nn.Module.register_buffer"/>,
/// <see cref="torch.nn.Module.register_module"/>).
/// </summary>
public interface IParameterLessModule;

/// <summary>A module with one argument and nothing registered.</summary>
public abstract class ParameterLessModule<T, TResult> : torch.nn.Module<T, TResult>, IParameterLessModule
{
    protected ParameterLessModule(string name) : base(name) { }

    protected ParameterLessModule(IntPtr handle, IntPtr boxedHandle) : base(handle, boxedHandle) { }
}

/// <summary>A module with two arguments and nothing registered.</summary>
public abstract class ParameterLessModule<T1, T2, TResult> : torch.nn.Module<T1, T2, TResult>, IParameterLessModule
{
    protected ParameterLessModule(string name) : base(name) { }

    protected ParameterLessModule(IntPtr handle, IntPtr boxedHandle) : base(handle, boxedHandle) { }
}

/// <summary>A module with three arguments and nothing registered.</summary>
public abstract class ParameterLessModule<T1, T2, T3, TResult> : torch.nn.Module<T1, T2, T3, TResult>, IParameterLessModule
{
    protected ParameterLessModule(string name) : base(name) { }

    protected ParameterLessModule(IntPtr handle, IntPtr boxedHandle) : base(handle, boxedHandle) { }
}

/// <summary>A module with four arguments and nothing registered.</summary>
public abstract class ParameterLessModule<T1, T2, T3, T4, TResult> : torch.nn.Module<T1, T2, T3, T4, TResult>, IParameterLessModule
{
    protected ParameterLessModule(string name) : base(name) { }

    protected ParameterLessModule(IntPtr handle, IntPtr boxedHandle) : base(handle, boxedHandle) { }
}

/// <summary>A module with five arguments and nothing registered.</summary>
public abstract class ParameterLessModule<T1, T2, T3, T4, T5, TResult> : torch.nn.Module<T1, T2, T3, T4, T5, TResult>, IParameterLessModule
{
    protected ParameterLessModule(string name) : base(name) { }

    protected ParameterLessModule(IntPtr handle, IntPtr boxedHandle) : base(handle, boxedHandle) { }
}

/// <summary>A module with six arguments and nothing registered.</summary>
public abstract class ParameterLessModule<T1, T2, T3, T4, T5, T6, TResult>
    : torch.nn.Module<T1, T2, T3, T4, T5, T6, TResult>, IParameterLessModule
{
    protected ParameterLessModule(string name) : base(name) { }

    protected ParameterLessModule(IntPtr handle, IntPtr boxedHandle) : base(handle, boxedHandle) { }
}
