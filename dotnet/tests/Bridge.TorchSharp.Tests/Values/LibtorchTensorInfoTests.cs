using System.Runtime.InteropServices;
using Bridge.Hooks;
using static TorchSharp.torch;

namespace Bridge.TorchSharp.Tests;

/// <summary>Reading tensors by the functions of the libtorch that TorchSharp has loaded.</summary>
public sealed unsafe class LibtorchTensorInfoTests
{
    private const int Meta = 14;
    private readonly nint _library;
    private readonly LibtorchTensorInfo _info;

    public LibtorchTensorInfoTests()
    {
        using var first = ones(1); // TorchSharp loads its libraries at its first tensor.
        var torchSharp = typeof(Tensor).Assembly;
        _library = NativeLibrary.Load("LibTorchSharp", torchSharp, null);
        _info = Assert.IsType<LibtorchTensorInfo>(LibtorchTensorInfo.TryBind(torchSharp));
    }

    [Theory]
    [InlineData(6, 0, -1)]
    [InlineData(4, 0, -1, 0L)]
    [InlineData(11, 0, -1, 3L, 0L, 5L)]
    [InlineData(15, 0, -1, 1L, 2L, 1L, 2L, 1L, 2L, 1L)]
    [InlineData(9, Meta, -1, 1L << 40)]
    public void Shape_element_type_and_device_are_the_tensors(int type, int device, int index, params long[] sizes)
    {
        nint tensor;
        fixed (long* shape = sizes.Length == 0 ? [0] : sizes)
        {
            var strides = stackalloc long[sizes.Length + 1];
            for (var i = sizes.Length - 1; i >= 0; i--)
                strides[i] = i == sizes.Length - 1 ? 1 : strides[i + 1] * Math.Max(1, shape[i + 1]);
            var export = NativeLibrary.GetExport(_library, "aoti_torch_empty_strided");
            var make = (delegate* unmanaged<long, long*, long*, int, int, int, nint*, int>)export;
            Assert.Equal(0, make(sizes.Length, shape, strides, type, device, 0, &tensor));
        }

        var values = new EventValues([], digests: false);
        var kind = default(TensorKind);
        Assert.True(_info.TryRead(tensor, ref kind, out var info));
        values.AddTensor(kind, info.Sizes);
        Assert.True(_info.TryRead(tensor, ref kind, out var again));
        Assert.Equal((info.Kind, sizes.Length), (again.Kind, again.Sizes.Length));
        Delete(tensor);
        var words = values.Words;
        var value = EventValues.ReadFirst(ref words, digests: false);
        Assert.Equal((ValueKind.Tensor, type, device), (value.Header.Kind, value.Header.DType, value.Header.DeviceType));
        Assert.Equal(sizes, value.Sizes.ToArray());
        if (device == 0) Assert.Equal(index, value.Header.DeviceIndex);
        Assert.True(words.IsEmpty);
    }

    [Fact]
    public void An_uninitialized_tensor_cannot_be_read()
    {
        nint tensor;
        var make = (delegate* unmanaged<nint*, int>)NativeLibrary.GetExport(_library, "aoti_torch_new_uninitialized_tensor");
        Assert.Equal(0, make(&tensor));
        var kind = default(TensorKind);
        Assert.False(_info.TryRead(tensor, ref kind, out _));
        Delete(tensor);
    }

    [Fact]
    public void A_library_without_the_functions_is_not_bound() =>
        Assert.Null(LibtorchTensorInfo.TryBind(NativeLibrary.GetMainProgramHandle()));

    private void Delete(nint tensor) =>
        ((delegate* unmanaged<nint, int>)NativeLibrary.GetExport(_library, "aoti_torch_delete_tensor_object"))(tensor);
}
