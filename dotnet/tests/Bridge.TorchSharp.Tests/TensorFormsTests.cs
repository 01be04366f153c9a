using System.Runtime.InteropServices;
using Bridge.Hooks;
using static TorchSharp.torch;

namespace Bridge.TorchSharp.Tests;

/// <summary>What libtorch itself says of a tensor, on the libtorch that TorchSharp has loaded.</summary>
public sealed unsafe class TensorFormsTests
{
    private const int Meta = 14;
    private readonly nint _library;
    private readonly TensorForms _forms;

    public TensorFormsTests()
    {
        using var made = ones(1); // TorchSharp loads its libraries at its first tensor
        var torchSharp = typeof(Tensor).Assembly;
        _library = NativeLibrary.Load("LibTorchSharp", torchSharp, null);
        _forms = Assert.IsType<TensorForms>(TensorForms.Of(torchSharp));
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
            for (var i = sizes.Length - 1; i >= 0; i--) strides[i] = i == sizes.Length - 1 ? 1 : strides[i + 1] * Math.Max(1, shape[i + 1]);
            var make = (delegate* unmanaged<long, long*, long*, int, int, int, nint*, int>)NativeLibrary.GetExport(_library, "aoti_torch_empty_strided");
            Assert.Equal(0, make(sizes.Length, shape, strides, type, device, 0, &tensor));
        }

        var leaves = new Leaves([], digests: false);
        Assert.True(_forms.TryAdd(tensor, leaves));
        Delete(tensor);
        var words = leaves.Words;
        var leaf = Leaves.Take(ref words, digests: false);
        Assert.Equal((ValueKind.Tensor, type, device), (leaf.Head.Kind, leaf.Head.DType, leaf.Head.DeviceType));
        Assert.Equal(sizes, leaf.Sizes.ToArray());
        if (device == 0) Assert.Equal(index, leaf.Head.DeviceIndex);
        Assert.True(words.IsEmpty);
    }

    [Fact]
    public void Of_a_tensor_without_a_form_nothing_is_added()
    {
        nint tensor;
        var make = (delegate* unmanaged<nint*, int>)NativeLibrary.GetExport(_library, "aoti_torch_new_uninitialized_tensor");
        Assert.Equal(0, make(&tensor));
        var leaves = new Leaves([], digests: false);
        Assert.False(_forms.TryAdd(tensor, leaves));
        Delete(tensor);
        Assert.Equal(0, leaves.Count);
        Assert.True(leaves.Words.IsEmpty);
    }

    [Fact]
    public void A_library_that_lacks_the_functions_has_none() => Assert.Null(TensorForms.Of(NativeLibrary.GetMainProgramHandle()));

    private void Delete(nint tensor) => ((delegate* unmanaged<nint, int>)NativeLibrary.GetExport(_library, "aoti_torch_delete_tensor_object"))(tensor);
}
