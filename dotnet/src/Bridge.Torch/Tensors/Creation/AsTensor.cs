namespace TorchSharp;

/// <summary>Conversions to tensors. Arrays and lists are copied; a tensor is copied only if its type or device changes.</summary>
public static partial class torch
{
    public static Tensor as_tensor(Tensor data, ScalarType? dtype = null, Device? device = null) =>
        data.to(dtype ?? data.dtype, device ?? data.device);

    public static Tensor as_tensor(IList<bool> rawArray, ScalarType? dtype = null, Device? device = null) =>
        tensor(rawArray, dtype, device);
    public static Tensor as_tensor(bool[] rawArray, ScalarType? dtype = null, Device? device = null) => tensor(rawArray, dtype, device);

    public static Tensor as_tensor(IList<byte> rawArray, ScalarType? dtype = null, Device? device = null) =>
        tensor(rawArray, dtype, device);
    public static Tensor as_tensor(byte[] rawArray, ScalarType? dtype = null, Device? device = null) => tensor(rawArray, dtype, device);

    public static Tensor as_tensor(IList<sbyte> rawArray, ScalarType? dtype = null, Device? device = null) =>
        tensor(rawArray, dtype, device);
    public static Tensor as_tensor(sbyte[] rawArray, ScalarType? dtype = null, Device? device = null) => tensor(rawArray, dtype, device);

    public static Tensor as_tensor(IList<short> rawArray, ScalarType? dtype = null, Device? device = null) =>
        tensor(rawArray, dtype, device);
    public static Tensor as_tensor(short[] rawArray, ScalarType? dtype = null, Device? device = null) => tensor(rawArray, dtype, device);

    public static Tensor as_tensor(IList<int> rawArray, ScalarType? dtype = null, Device? device = null) => tensor(rawArray, dtype, device);
    public static Tensor as_tensor(int[] rawArray, ScalarType? dtype = null, Device? device = null) => tensor(rawArray, dtype, device);

    public static Tensor as_tensor(IList<long> rawArray, ScalarType? dtype = null, Device? device = null) =>
        tensor(rawArray, dtype, device);
    public static Tensor as_tensor(long[] rawArray, ScalarType? dtype = null, Device? device = null) => tensor(rawArray, dtype, device);

    public static Tensor as_tensor(IList<float> rawArray, ScalarType? dtype = null, Device? device = null) =>
        tensor(rawArray, dtype, device);
    public static Tensor as_tensor(float[] rawArray, ScalarType? dtype = null, Device? device = null) => tensor(rawArray, dtype, device);

    public static Tensor as_tensor(IList<double> rawArray, ScalarType? dtype = null, Device? device = null) =>
        tensor(rawArray, dtype, device);
    public static Tensor as_tensor(double[] rawArray, ScalarType? dtype = null, Device? device = null) => tensor(rawArray, dtype, device);

    public static Tensor as_tensor(IList<(float, float)> rawArray, ScalarType? dtype = null, Device? device = null) =>
        tensor(rawArray, dtype, device);
    public static Tensor as_tensor((float, float)[] rawArray, ScalarType? dtype = null, Device? device = null) =>
        tensor(rawArray, dtype, device);

    public static Tensor as_tensor(IList<System.Numerics.Complex> rawArray, ScalarType? dtype = null, Device? device = null) =>
        tensor(rawArray, dtype, device);
    public static Tensor as_tensor(System.Numerics.Complex[] rawArray, ScalarType? dtype = null, Device? device = null) =>
        tensor(rawArray, dtype, device);

    public static Tensor as_tensor(Array data, ScalarType? dtype = null, Device? device = null) => from_array(data, dtype, device, false);
}
