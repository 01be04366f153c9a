using Bridge.Torch;
using static TorchSharp.torch;
using static TorchSharp.torch.optim;

namespace TorchSharp.Modules;

/// <summary>The base class of optimizers with groups of parameters.</summary>
/// <remarks>
/// Each step runs the operators of torch.optim's optimizer with <c>foreach=False</c>, in the same order. So the results equal PyTorch's bit
/// for bit. Where PyTorch's formula differs from TorchSharp's, the optimizer's remarks say so. A step needs Python in the process, because
/// libtorch's stable ABI cannot read gradients.
/// </remarks>
public abstract class OptimizerHelper : Optimizer
{
    /// <summary>The settings that groups get for their settings that are null.</summary>
    protected OptimizerOptions _defaults = null!;

    /// <summary>The state of each parameter by the parameter's handle.</summary>
    protected Utils.OrderedDict<IntPtr, OptimizerState> _state = new();

    // The same states by the parameter's C# object: when Python assigns a new value to a module's parameter, the handle changes, but the
    // object stays the same.
    private readonly Dictionary<Parameter, OptimizerState> _states = new(ReferenceEqualityComparer.Instance);

    /// <summary>Creates an optimizer without groups and settings, for a derived class.</summary>
    public OptimizerHelper() : base(IntPtr.Zero)
    {
    }

    /// <summary>The types of values in TorchSharp's files; it exists only to compile.</summary>
    protected enum TypeCode
    {
        /// <summary>A number with double precision.</summary>
        Double = 0,
        /// <summary>An integer of 64 bits.</summary>
        Long = 1,
        /// <summary>A tensor.</summary>
        Tensor = 2,
        /// <summary>The settings of a group.</summary>
        Options = 3,
        /// <summary>The state of a parameter.</summary>
        State = 4,
    }

    /// <summary>Gets a new object whose settings are all null; null if the optimizer overrides <c>add_param_group</c>.</summary>
    private protected virtual OptimizerOptions? NewOptions => null;

    /// <summary>Creates the state of a parameter. The caller initializes the state.</summary>
    private protected virtual OptimizerState CreateState(Parameter parameter) =>
        throw new NotSupportedException($"{GetType()} must override add_param_group.");

    /// <summary>Writes <see cref="state_dict"/> to a file in TorchSharp's format, which only C# reads.</summary>
    /// <param name="location">The path of the file, which is replaced.</param>
    public void save_state_dict(string location)
    {
        using var stream = File.Create(location);
        using var writer = new BinaryWriter(stream);
        save_state_dict(writer);
    }

    /// <summary>Writes <see cref="state_dict"/> in TorchSharp's format, which only C# reads.</summary>
    /// <param name="writer">The writer.</param>
    public void save_state_dict(BinaryWriter writer)
    {
        writer.Write(GetType().Name);
        var state = state_dict();
        WeightFile.WriteNumber(writer, state.Options.Count);
        WeightFile.WriteNumber(writer, state.State.Count);
        foreach (var options in state.Options) options.SaveStateDict(writer);
        foreach (var parameter in state.State) parameter.SaveStateDict(writer);
    }

    /// <summary>Reads settings and states from a file that <see cref="save_state_dict(string)"/> wrote.</summary>
    /// <param name="location">The path of the file.</param>
    public void load_state_dict(string location)
    {
        using var stream = File.OpenRead(location);
        using var reader = new BinaryReader(stream);
        load_state_dict(reader);
    }

    /// <summary>Reads settings and states that <see cref="save_state_dict(BinaryWriter)"/> wrote.</summary>
    /// <param name="reader">The reader.</param>
    /// <exception cref="InvalidDataException">The file is of another kind of optimizer.</exception>
    /// <exception cref="ArgumentException">The number of groups or parameters differs, or a tensor has another type or shape.</exception>
    /// <exception cref="EndOfStreamException">The file ends within the state.</exception>
    public void load_state_dict(BinaryReader reader)
    {
        var name = reader.ReadString();
        if (name != GetType().Name)
            throw new InvalidDataException(
                $"Mismatched optimizer type: expected '{GetType().Name}', but found '{name}' in the loaded stream.");
        var own = state_dict();
        Compare(own, WeightFile.ReadNumber(reader), WeightFile.ReadNumber(reader));
        foreach (var options in own.Options) options.LoadStateDict(reader);
        foreach (var state in own.State) state.LoadStateDict(reader);
    }

    /// <summary>Copies the settings and states of another optimizer.</summary>
    /// <param name="state_dict">The result of the other optimizer's <see cref="state_dict"/>.</param>
    /// <exception cref="ArgumentException">The number of groups or parameters, or the kind of optimizer, differs.</exception>
    public virtual void load_state_dict(StateDictionary state_dict)
    {
        var own = this.state_dict();
        Compare(own, state_dict.Options.Count, state_dict.State.Count);
        foreach (var (mine, theirs) in own.Options.Zip(state_dict.Options)) if (mine != theirs) mine.LoadStateDict(theirs);
        foreach (var (mine, theirs) in own.State.Zip(state_dict.State)) if (mine != theirs) mine.LoadStateDict(theirs);
    }

    private static void Compare(StateDictionary own, long options, long states)
    {
        if (options != own.Options.Count)
            throw new ArgumentException(
                $"Invalid optimizer state: {options} parameter groups, where the optimizer has {own.Options.Count}.");
        if (states != own.State.Count)
            throw new ArgumentException($"Invalid optimizer state: {states} parameters, where the optimizer has {own.State.Count}.");
    }

    /// <summary>Returns the settings and states themselves, not copies.</summary>
    /// <returns>The settings of the groups and the states of the parameters.</returns>
    public virtual StateDictionary state_dict()
    {
        var all = new StateDictionary();
        foreach (var group in _parameter_groups)
        {
            all.Options.Add(group.Options);
            List<int> indices = [];
            all.StateIndexRef.Add(indices);
            foreach (var parameter in group.Parameters)
            {
                indices.Add(all.State.Count);
                all.State.Add(StateOf(parameter));
            }
        }

        return all;
    }

    /// <summary>Moves the states of all parameters to a device, but not the parameters.</summary>
    /// <param name="device">The device.</param>
    public void to(Device device)
    {
        foreach (var parameter in parameters()) StateOf(parameter).to(device);
    }

    /// <summary>Adds a group of parameters, whose settings that are null get the optimizer's values.</summary>
    /// <param name="param_group">The group.</param>
    /// <exception cref="ArgumentException">The settings belong to another kind of optimizer.</exception>
    public override void add_param_group(ParamGroup param_group)
    {
        if (NewOptions is { } options)
        {
            param_group.Options ??= options;
            if (param_group.Options.GetType() != options.GetType())
                throw new ArgumentException(
                    $"The group has settings of {param_group.Options.GetType()}, where {options.GetType()} are needed.",
                    nameof(param_group));
            param_group.Options.Complete(_defaults);
            param_group.Parameters = [.. param_group.Parameters];
            foreach (var parameter in param_group.Parameters)
            {
                var state = CreateState(parameter);
                state.Initialize(param_group.Options);
                _state[parameter.Handle] = _states[parameter] = state;
            }
        }

        _parameter_groups.Add(param_group);
    }

    /// <summary>Runs <paramref name="body"/> on each group, without autograd.</summary>
    /// <typeparam name="T">The class of the groups.</typeparam>
    /// <param name="body">The function that updates the parameters of a group.</param>
    /// <param name="loss_closure">Computes the loss and its gradients, with autograd.</param>
    /// <returns>The loss, or null without <paramref name="loss_closure"/>.</returns>
    protected Tensor? _step<T>(Action<T> body, Func<Tensor>? loss_closure = null) where T : ParamGroup
    {
        Tensor? loss = null;
        if (loss_closure is not null)
        {
            using var on = enable_grad();
            loss = loss_closure();
        }

        using var off = no_grad();
        using var scope = NewDisposeScope();
        foreach (var group in _parameter_groups) body((T)group);
        return loss;
    }

    /// <inheritdoc/>
    protected override void Dispose(bool disposing)
    {
        base.Dispose(disposing);
        if (!disposing) return;
        foreach (var state in _states.Values) (state as IDisposable)?.Dispose();
        _states.Clear();
        _state.Clear();
    }

    /// <summary>Checks and stores the settings, and adds the groups; called by constructors.</summary>
    private protected void AddGroups(OptimizerOptions defaults, IEnumerable<ParamGroup> groups)
    {
        defaults.Check();
        _defaults = defaults;
        foreach (var group in groups) add_param_group(group);
    }

    /// <summary>
    /// Returns the parameters of a group that have a gradient, each with its gradient and state. Tensors that the caller creates for a
    /// parameter are freed before the next parameter.
    /// </summary>
    /// <param name="group">The group.</param>
    /// <param name="maximize">Whether to negate the gradient.</param>
    private protected IEnumerable<(Tensor Parameter, Tensor Gradient, TState State)> WithGradients<TState>(ParamGroup group,
        bool maximize = false)
        where TState : OptimizerState
    {
        foreach (var parameter in group.Parameters)
        {
            using var scope = NewDisposeScope();
            if (parameter.grad is not { } gradient) continue;
            yield return (parameter, maximize ? gradient.neg() : gradient, (TState)StateOf(parameter));
        }
    }

    /// <summary>Returns the gradient plus <paramref name="decay"/> times the parameter.</summary>
    private protected static Tensor AddDecay(Tensor gradient, Tensor parameter, double decay) =>
        decay == 0 ? gradient : gradient.add(parameter, alpha: decay);

    /// <summary>Returns a complex tensor as pairs of real numbers; other tensors unchanged.</summary>
    private protected static Tensor Real(Tensor tensor) => tensor.is_complex() ? tensor.view_as_real() : tensor;

    /// <summary>
    /// Returns the number if the default element type is float64, otherwise the number rounded to float32. PyTorch keeps the numbers of an
    /// optimizer's state in these types.
    /// </summary>
    private protected static double RoundToDefault(double value) => get_default_dtype() == ScalarType.Float64 ? value : (float)value;

    private OptimizerState StateOf(Parameter parameter) => _states.TryGetValue(parameter, out var state) ? state : _state[parameter.Handle];
}
