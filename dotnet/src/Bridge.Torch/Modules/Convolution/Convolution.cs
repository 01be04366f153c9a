using Bridge.Torch;
using static TorchSharp.torch;

namespace TorchSharp.Modules;

/// <summary>The base class of convolutions.</summary>
[Settings]
public abstract partial class Convolution : BuiltIn
{
    /// <summary>The bias, of shape (out_channels); null for none.</summary>
    [Utils.ComponentName(Name = nameof(bias))]
    protected Parameter? _bias;

    /// <summary>The weights; see <see cref="weight"/>.</summary>
    [Utils.ComponentName(Name = nameof(weight))]
    protected Parameter? _weight;

    /// <summary>The padding in the order of <c>functional.pad</c>: last dimension first, left before right.</summary>
    protected long[] _reversed_padding_repeated_twice;
    /// <summary>Always 0, as in TorchSharp.</summary>
    [Obsolete("TorchSharp never sets it; use in_channels.", true)] protected long input_channels;
    private readonly long[] _zero;

    private protected Convolution(string name, long in_channels, long out_channels, long[] kernel_size, long[]? stride, long[]? padding,
        Padding? named, long[]? dilation, PaddingModes padding_mode, long groups, bool bias, Device? device, ScalarType? dtype,
        long[]? output_padding = null) : base(name)
    {
        var dimensions = kernel_size.Length;
        if (groups <= 0 || in_channels % groups != 0 || out_channels % groups != 0)
            throw new ArgumentException(
                $"{name}: {in_channels} input and {out_channels} output channels cannot be split into {groups} groups.");
        (this.in_channels, this.out_channels, this.groups, this.padding_mode, padding_type) =
            (in_channels, out_channels, groups, padding_mode, named);
        _zero = Sizes.Of(dimensions, 0);
        this.kernel_size = kernel_size;
        this.stride = stride ?? Sizes.Of(dimensions, 1);
        this.padding = padding ?? _zero;
        this.dilation = dilation ?? Sizes.Of(dimensions, 1);
        this.output_padding = output_padding ?? _zero;
        transposed = output_padding is not null;
        if (named is { } choice) Check(choice, name);
        if (transposed && padding_mode != PaddingModes.Zeros)
            throw new ArgumentException($"{name}: only the padding mode 'Zeros' is supported.");
        long[] size = transposed ? [in_channels, out_channels / groups, .. kernel_size]
            : [out_channels, in_channels / groups, .. kernel_size];
        var fanIn = size.Skip(1).Aggregate(1L, (product, factor) => product * factor);
        register_parameter(nameof(weight), _weight = ParameterInitializers.Weight(size, fanIn, device, dtype));
        if (bias) register_parameter(nameof(bias), _bias = ParameterInitializers.Bias(out_channels, fanIn, device, dtype));
        _reversed_padding_repeated_twice = Border();
    }

    /// <summary>Creates the base of a class that overrides <c>forward</c>.</summary>
    /// <param name="name">The name of the class.</param>
    /// <param name="in_channels">The number of channels of the input.</param>
    /// <param name="out_channels">The number of channels of the result.</param>
    /// <param name="kernel_size">The size of a window, along each dimension.</param>
    /// <param name="stride">The distance between windows, along each dimension.</param>
    /// <param name="padding">How many elements to add at both ends of each dimension; null for none.</param>
    /// <param name="padding_type">How to choose the padding instead; null to add <paramref name="padding"/>.</param>
    /// <param name="dilation">The distance between the elements of a window, along each dimension.</param>
    /// <param name="transposed">Whether this is a transposed convolution.</param>
    /// <param name="output_padding">
    /// The number of additional elements in the result of a transposed convolution, at one end of each dimension.
    /// </param>
    /// <param name="groups">The number of groups into which the channels are divided.</param>
    /// <param name="bias">Whether to add a bias.</param>
    /// <param name="padding_mode">The kind of elements with which to pad, such as zeros.</param>
    /// <param name="device">The device of the parameters; by default the default device.</param>
    /// <param name="dtype">The type of the parameters; by default the default type.</param>
    /// <exception cref="ArgumentException">The groups do not divide the channels, or the padding is not supported.</exception>
    protected Convolution(string name, long in_channels, long out_channels, long[] kernel_size, long[] stride, long[]? padding,
        Padding? padding_type, long[] dilation, bool transposed, long[] output_padding, long groups, bool bias, PaddingModes padding_mode,
        Device? device = null, ScalarType? dtype = null)
        : this(name, in_channels, out_channels, kernel_size, stride, padding, padding_type, dilation, padding_mode, groups, bias, device,
            dtype, transposed ? output_padding : null)
    { }

    /// <summary>Throws an exception: there are no modules of TorchSharp's native library.</summary>
    /// <param name="handle">Has no effect.</param>
    /// <param name="boxedHandle">Has no effect.</param>
    /// <param name="input_channels">Has no effect.</param>
    /// <exception cref="NotSupportedException">Always.</exception>
    [Obsolete("There is no native module.", true)]
    protected Convolution(IntPtr handle, IntPtr boxedHandle, long input_channels) : base(handle, boxedHandle) =>
        throw new NotSupportedException(nameof(Convolution)); // Never reached: the base constructor throws.

    /// <summary>Gets how many elements are added at both ends of each dimension, unless <see cref="padding_type"/> is set.</summary>
    public long[]? padding { get; private set => field = Publish(value); }

    /// <summary>Gets how the padding is chosen; null if <see cref="padding"/> has its size.</summary>
    public Padding? padding_type { get; private set => field = Publish(value); }

    /// <summary>Gets or sets the weights, of shape (out_channels, in_channels / groups, ...); transposed, the two are swapped.</summary>
    public Parameter weight
    {
        get => _weight!;
        set => _weight = Put(value);
    }

    /// <summary>Gets or sets the bias of the convolution, of shape (out_channels); null for none.</summary>
    public Parameter? bias
    {
        get => ParameterInitializers.ValueOrNull(_bias);
        set => _bias = Put(value);
    }

    /// <summary>Sets how many elements are added at both ends of each dimension.</summary>
    /// <param name="padding">The number of elements, for each dimension.</param>
    public void SetPadding(long[] padding)
    {
        (this.padding, padding_type) = (padding, null);
        _reversed_padding_repeated_twice = Border();
    }

    /// <summary>Sets how the padding is chosen.</summary>
    /// <param name="padding">No padding, or so much that the result has the input's size.</param>
    /// <exception cref="ArgumentException">
    /// The convolution is transposed, or its result cannot have the input's size since a stride is not 1.
    /// </exception>
    public void SetPadding(Padding padding)
    {
        Check(padding, GetName());
        padding_type = padding;
        _reversed_padding_repeated_twice = Border();
    }

    private void Check(Padding padding, string name)
    {
        if (transposed) throw new ArgumentException($"{name}: a transposed convolution needs its padding in numbers.");
        if (padding == Padding.Same && stride.Any(step => step != 1))
            throw new ArgumentException($"{name}: padding 'Same' needs stride 1.");
    }

    /// <summary>Returns whether an input has the number of channels of the convolution, with or without a batch dimension.</summary>
    /// <param name="input">The input.</param>
    /// <param name="dimensions">The number of dimensions of a window.</param>
    protected bool ValidateShape(Tensor input, long dimensions) =>
        (input.dim() == dimensions + 2 && input.size(1) == in_channels) || (input.dim() == dimensions + 1 && input.size(0) == in_channels);

    /// <summary>Draws new random values for the weights and the bias of the convolution.</summary>
    public void reset_parameters()
    {
        var size = weight.Sizes;
        var fanIn = size.Skip(1).Aggregate(1L, (product, factor) => product * factor);
        ParameterInitializers.FillUniform(weight, ParameterInitializers.UniformBound(fanIn));
        if (bias is { } present) ParameterInitializers.FillUniform(present, fanIn > 0 ? 1 / Math.Sqrt(fanIn) : 0);
    }

    /// <summary>Calls the operator.</summary>
    /// <param name="input">The input; already padded unless <see cref="padding_mode"/> is Zeros.</param>
    /// <param name="padding">The number of zeros on each side.</param>
    /// <param name="named">Valid or Same in place of <paramref name="padding"/>; null for numbers.</param>
    private protected virtual Tensor Convolve(Tensor input, long[] padding, Padding? named) =>
        throw new NotSupportedException($"{GetType()} has to override forward.");

    private protected sealed override Tensor Compute(Tensor input)
    {
        if (padding_mode == PaddingModes.Zeros) return Convolve(input, padding!, padding_type);
        using var padded = nn.functional.Pad(input, Border(), padding_mode.ToString().ToLowerInvariant());
        return Convolve(padded, _zero, null);
    }

    // Returns the padding in the order of `functional.pad`.
    private long[] Border()
    {
        var border = new List<long>();
        for (var i = kernel_size.Length - 1; i >= 0; i--)
        {
            var total = padding_type == Padding.Same ? dilation[i] * (kernel_size[i] - 1) : 0;
            border.AddRange(padding_type is null ? [padding![i], padding[i]] : [total / 2, total - total / 2]);
        }

        return border.ToArray();
    }
}
