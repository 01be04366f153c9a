namespace TorchSharp;

public static partial class torch
{
    private static Random _random = new(0);

    private static long _seed;

    public static readonly ScalarType float32 = ScalarType.Float32;

    public static readonly ScalarType float64 = ScalarType.Float64;

    public static string __version__ => "none";

    public static int get_num_threads() => 1;

    public static DisposeScope NewDisposeScope() => new();

    public static long initial_seed() => _seed;

    public static void manual_seed(long seed)
    {
        _seed = seed;
        _random = new((int)seed);
    }

    public static Tensor zeros(params long[] size) => Filled(size, () => 0);

    /// <summary>With an element type, as one that is to be filled has it.</summary>
    public static Tensor empty(long[] size, ScalarType? dtype = null) => zeros(size).to_type(dtype ?? ScalarType.Float32);

    public static Tensor ones(params long[] size) => Filled(size, () => 1);

    /// <summary>Some numbers of either sign: nobody asks for their distribution.</summary>
    public static Tensor randn(params long[] size) => Filled(size, () => (_random.NextSingle() * 4) - 2);

    public static Tensor tensor(float[] rawArray, ScalarType? dtype = null, Device? device = null, bool requires_grad = false, string[]? names = null) =>
        Made([.. rawArray.Select(x => (double)x)], dtype ?? float32, device, requires_grad, names);

    public static Tensor tensor(double[] rawArray, ScalarType? dtype = null, Device? device = null, bool requires_grad = false, string[]? names = null) =>
        Made([.. rawArray], dtype ?? float64, device, requires_grad, names);

    private static Tensor Made(double[] elements, ScalarType type, Device? device, bool requires_grad, string[]? names) =>
        requires_grad || names is not null ? throw new NotSupportedException("The stand-in has neither gradients nor names.")
        : new(elements, [elements.Length], type, device?.type ?? DeviceType.CPU);

    private static Tensor Filled(long[] size, Func<double> next)
    {
        var made = new double[size.Aggregate(1L, (x, y) => x * y)];
        for (var i = 0; i < made.Length; i++) made[i] = next();
        return new(made, size);
    }
}
