using static TorchSharp.torch;

namespace TorchSharp.Modules;

/// <summary>A module without parameters, buffers and children.</summary>
public interface IParameterLessModule;

/// <summary>A module with one argument and nothing registered: it is the same on every device.</summary>
public abstract class ParameterLessModule<T, TResult> : nn.Module<T, TResult>, IParameterLessModule
{
    protected ParameterLessModule(string name) : base(name) { }

    protected ParameterLessModule(IntPtr handle, IntPtr boxedHandle) : base(handle, boxedHandle) { }

    protected internal override nn.Module _to(Device device, ScalarType dtype, bool non_blocking) => this;

    protected internal override nn.Module _to(DeviceType deviceType, int deviceIndex, bool non_blocking) => this;

    protected internal override nn.Module _to(ScalarType dtype, bool non_blocking) => this;

    /// <exception cref="InvalidOperationException">Always.</exception>
    public override void register_buffer(string name, Tensor tensor, bool persistent = true) => throw Refused("buffer", name);

    /// <exception cref="InvalidOperationException">Always.</exception>
    public override void register_parameter(string name, Parameter param) => throw Refused("parameter", name);

    /// <exception cref="InvalidOperationException">Always.</exception>
    public override void register_module(string name, nn.Module? submodule) => throw Refused("module", name);

    private InvalidOperationException Refused(string kind, string component) =>
        new($"The {kind} '{component}' cannot be registered: {GetName()} is a module without parameters.");
}

/// <summary>A module with two arguments and nothing registered: it is the same on every device.</summary>
public abstract class ParameterLessModule<T1, T2, TResult> : nn.Module<T1, T2, TResult>, IParameterLessModule
{
    protected ParameterLessModule(string name) : base(name) { }

    protected ParameterLessModule(IntPtr handle, IntPtr boxedHandle) : base(handle, boxedHandle) { }

    protected internal override nn.Module _to(Device device, ScalarType dtype, bool non_blocking) => this;

    protected internal override nn.Module _to(DeviceType deviceType, int deviceIndex, bool non_blocking) => this;

    protected internal override nn.Module _to(ScalarType dtype, bool non_blocking) => this;

    /// <exception cref="InvalidOperationException">Always.</exception>
    public override void register_buffer(string name, Tensor tensor, bool persistent = true) => throw Refused("buffer", name);

    /// <exception cref="InvalidOperationException">Always.</exception>
    public override void register_parameter(string name, Parameter param) => throw Refused("parameter", name);

    /// <exception cref="InvalidOperationException">Always.</exception>
    public override void register_module(string name, nn.Module? submodule) => throw Refused("module", name);

    private InvalidOperationException Refused(string kind, string component) =>
        new($"The {kind} '{component}' cannot be registered: {GetName()} is a module without parameters.");
}

/// <summary>A module with three arguments and nothing registered: it is the same on every device.</summary>
public abstract class ParameterLessModule<T1, T2, T3, TResult> : nn.Module<T1, T2, T3, TResult>, IParameterLessModule
{
    protected ParameterLessModule(string name) : base(name) { }

    protected ParameterLessModule(IntPtr handle, IntPtr boxedHandle) : base(handle, boxedHandle) { }

    protected internal override nn.Module _to(Device device, ScalarType dtype, bool non_blocking) => this;

    protected internal override nn.Module _to(DeviceType deviceType, int deviceIndex, bool non_blocking) => this;

    protected internal override nn.Module _to(ScalarType dtype, bool non_blocking) => this;

    /// <exception cref="InvalidOperationException">Always.</exception>
    public override void register_buffer(string name, Tensor tensor, bool persistent = true) => throw Refused("buffer", name);

    /// <exception cref="InvalidOperationException">Always.</exception>
    public override void register_parameter(string name, Parameter param) => throw Refused("parameter", name);

    /// <exception cref="InvalidOperationException">Always.</exception>
    public override void register_module(string name, nn.Module? submodule) => throw Refused("module", name);

    private InvalidOperationException Refused(string kind, string component) =>
        new($"The {kind} '{component}' cannot be registered: {GetName()} is a module without parameters.");
}

/// <summary>A module with four arguments and nothing registered: it is the same on every device.</summary>
public abstract class ParameterLessModule<T1, T2, T3, T4, TResult> : nn.Module<T1, T2, T3, T4, TResult>, IParameterLessModule
{
    protected ParameterLessModule(string name) : base(name) { }

    protected ParameterLessModule(IntPtr handle, IntPtr boxedHandle) : base(handle, boxedHandle) { }

    protected internal override nn.Module _to(Device device, ScalarType dtype, bool non_blocking) => this;

    protected internal override nn.Module _to(DeviceType deviceType, int deviceIndex, bool non_blocking) => this;

    protected internal override nn.Module _to(ScalarType dtype, bool non_blocking) => this;

    /// <exception cref="InvalidOperationException">Always.</exception>
    public override void register_buffer(string name, Tensor tensor, bool persistent = true) => throw Refused("buffer", name);

    /// <exception cref="InvalidOperationException">Always.</exception>
    public override void register_parameter(string name, Parameter param) => throw Refused("parameter", name);

    /// <exception cref="InvalidOperationException">Always.</exception>
    public override void register_module(string name, nn.Module? submodule) => throw Refused("module", name);

    private InvalidOperationException Refused(string kind, string component) =>
        new($"The {kind} '{component}' cannot be registered: {GetName()} is a module without parameters.");
}

/// <summary>A module with five arguments and nothing registered: it is the same on every device.</summary>
public abstract class ParameterLessModule<T1, T2, T3, T4, T5, TResult> : nn.Module<T1, T2, T3, T4, T5, TResult>, IParameterLessModule
{
    protected ParameterLessModule(string name) : base(name) { }

    protected ParameterLessModule(IntPtr handle, IntPtr boxedHandle) : base(handle, boxedHandle) { }

    protected internal override nn.Module _to(Device device, ScalarType dtype, bool non_blocking) => this;

    protected internal override nn.Module _to(DeviceType deviceType, int deviceIndex, bool non_blocking) => this;

    protected internal override nn.Module _to(ScalarType dtype, bool non_blocking) => this;

    /// <exception cref="InvalidOperationException">Always.</exception>
    public override void register_buffer(string name, Tensor tensor, bool persistent = true) => throw Refused("buffer", name);

    /// <exception cref="InvalidOperationException">Always.</exception>
    public override void register_parameter(string name, Parameter param) => throw Refused("parameter", name);

    /// <exception cref="InvalidOperationException">Always.</exception>
    public override void register_module(string name, nn.Module? submodule) => throw Refused("module", name);

    private InvalidOperationException Refused(string kind, string component) =>
        new($"The {kind} '{component}' cannot be registered: {GetName()} is a module without parameters.");
}

/// <summary>A module with six arguments and nothing registered: it is the same on every device.</summary>
public abstract class ParameterLessModule<T1, T2, T3, T4, T5, T6, TResult> : nn.Module<T1, T2, T3, T4, T5, T6, TResult>, IParameterLessModule
{
    protected ParameterLessModule(string name) : base(name) { }

    protected ParameterLessModule(IntPtr handle, IntPtr boxedHandle) : base(handle, boxedHandle) { }

    protected internal override nn.Module _to(Device device, ScalarType dtype, bool non_blocking) => this;

    protected internal override nn.Module _to(DeviceType deviceType, int deviceIndex, bool non_blocking) => this;

    protected internal override nn.Module _to(ScalarType dtype, bool non_blocking) => this;

    /// <exception cref="InvalidOperationException">Always.</exception>
    public override void register_buffer(string name, Tensor tensor, bool persistent = true) => throw Refused("buffer", name);

    /// <exception cref="InvalidOperationException">Always.</exception>
    public override void register_parameter(string name, Parameter param) => throw Refused("parameter", name);

    /// <exception cref="InvalidOperationException">Always.</exception>
    public override void register_module(string name, nn.Module? submodule) => throw Refused("module", name);

    private InvalidOperationException Refused(string kind, string component) =>
        new($"The {kind} '{component}' cannot be registered: {GetName()} is a module without parameters.");
}
