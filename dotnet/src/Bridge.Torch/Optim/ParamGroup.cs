namespace TorchSharp.Modules;

/// <summary>Parameters that share settings.</summary>
public class ParamGroup : torch.optim.ILearningRateController
{
    public IEnumerable<Parameter> Parameters { get; set; } = [];

    /// <summary>Gets or sets the settings. The optimizer to which the group is added replaces settings that are null.</summary>
    public OptimizerOptions Options { get; set; } = null!;

    public double LearningRate
    {
        get => Options.LearningRate!.Value;
        set => Options.LearningRate = value;
    }

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
    public ParamGroup()
    {
    }

    public ParamGroup(IEnumerable<Parameter> parameters, TOptions? options = null)
    {
        Parameters = parameters;
        base.Options = options!;
    }

    public new TOptions Options
    {
        get => (TOptions)base.Options;
        set => base.Options = value;
    }
}
