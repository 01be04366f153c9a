namespace TorchSharp.Modules;

/// <summary>Parameters that share settings.</summary>
public class ParamGroup : torch.optim.ILearningRateController
{
    /// <summary>Gets or sets the parameters of the group.</summary>
    public IEnumerable<Parameter> Parameters { get; set; } = [];

    /// <summary>Gets or sets the settings. The optimizer to which the group is added replaces settings that are null.</summary>
    public OptimizerOptions Options { get; set; } = null!;

    /// <summary>Gets or sets the learning rate of this group's settings.</summary>
    public double LearningRate
    {
        get => Options.LearningRate!.Value;
        set => Options.LearningRate = value;
    }

    /// <summary>Gets or sets the learning rate from which schedulers of this group start.</summary>
    public double InitialLearningRate
    {
        get => Options.InitialLearningRate;
        set => Options.InitialLearningRate = value;
    }
}

/// <summary>Parameters that share settings of one optimizer.</summary>
/// <typeparam name="TOptions">The optimizer's settings.</typeparam>
public class ParamGroup<TOptions> : ParamGroup where TOptions : OptimizerOptions
{
    /// <summary>Creates a group without parameters and settings.</summary>
    public ParamGroup()
    {
    }

    /// <summary>Creates a group of parameters with settings.</summary>
    /// <param name="parameters">The parameters of the group.</param>
    /// <param name="options">The settings; by default those of the optimizer to which the group is added.</param>
    public ParamGroup(IEnumerable<Parameter> parameters, TOptions? options = null)
    {
        Parameters = parameters;
        base.Options = options!;
    }

    /// <summary>Gets or sets the settings, which are those of one kind of optimizer.</summary>
    public new TOptions Options
    {
        get => (TOptions)base.Options;
        set => base.Options = value;
    }
}
