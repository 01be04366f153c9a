using Bridge.Torch;
using static TorchSharp.torch;

namespace TorchSharp.Modules;

/// <summary>The base class of convolutions.</summary>
[Settings]
public abstract partial class Convolution : BuiltIn
{
    [Utils.ComponentName(Name = nameof(bias))]
    protected Parameter? _bias;

    [Utils.ComponentName(Name = nameof(weight))]
    protected Parameter? _weight;

    /// <summary>The padding in the order of <c>functional.pad</c>: last dimension first, left before right.</summary>
    protected long[] _reversed_padding_repeated_twice;
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
        if (named == Padding.Same && this.stride.Any(step => step != 1))
            throw new ArgumentException($"{name}: padding 'Same' needs stride 1.");
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
    /// <exception cref="ArgumentException">The groups do not divide the channels, or the padding is not supported.</exception>
    protected Convolution(string name, long in_channels, long out_channels, long[] kernel_size, long[] stride, long[]? padding,
        Padding? padding_type, long[] dilation, bool transposed, long[] output_padding, long groups, bool bias, PaddingModes padding_mode,
        Device? device = null, ScalarType? dtype = null)
        : this(name, in_channels, out_channels, kernel_size, stride, padding, padding_type, dilation, padding_mode, groups, bias, device,
            dtype, transposed ? output_padding : null)
    { }

    /// <exception cref="NotSupportedException">Always: modules of TorchSharp's native library are not supported.</exception>
    [Obsolete("There is no native module.", true)]
    protected Convolution(IntPtr handle, IntPtr boxedHandle, long input_channels) : base(handle, boxedHandle) =>
        throw new NotSupportedException(nameof(Convolution)); // Never reached: the base constructor throws.

    public long[]? padding { get; private set => field = Publish(value); }

    public Padding? padding_type { get; private set => field = Publish(value); }

    public Parameter weight
    {
        get => _weight!;
        set => _weight = Put(value);
    }

    public Parameter? bias
    {
        get => ParameterInitializers.ValueOrNull(_bias);
        set => _bias = Put(value);
    }

    public void SetPadding(long[] padding)
    {
        (this.padding, padding_type) = (padding, null);
        _reversed_padding_repeated_twice = Border();
    }

    public void SetPadding(Padding padding)
    {
        padding_type = padding;
        _reversed_padding_repeated_twice = Border();
    }

    /// <summary>Returns whether the input has the module's number of channels, with or without a batch dimension.</summary>
    protected bool ValidateShape(Tensor input, long dimensions) =>
        (input.dim() == dimensions + 2 && input.size(1) == in_channels) || (input.dim() == dimensions + 1 && input.size(0) == in_channels);

    /// <summary>Draws new random values for weight and bias.</summary>
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
