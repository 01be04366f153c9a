"""Members that are not rows (Tensors/*.cs, Operators/TorchFunctions/TorchFunctions.cs): from numbers, conversions, elements, functions of torch."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch
from operator_rows import joined

from bridge import DotNetError

#: C# expression on a [2, 3, 4] float tensor a, a mask b, an integer vector c; and the same in PyTorch.
MEMBERS: dict[str, Callable[..., Any]] = {
    "tensor(1.5f)": lambda a, b, c: torch.tensor(1.5),
    "tensor(1.5)": lambda a, b, c: torch.tensor(1.5, dtype=torch.float64),
    "tensor(3)": lambda a, b, c: torch.tensor(3, dtype=torch.int32),
    "tensor(3L)": lambda a, b, c: torch.tensor(3),
    "tensor(true)": lambda a, b, c: torch.tensor(True),
    "tensor(3, float32)": lambda a, b, c: torch.tensor(3.0),
    "tensor(new[] { 1f, 2f, 3f })": lambda a, b, c: torch.tensor([1.0, 2, 3]),
    "tensor([1L, 2L])": lambda a, b, c: torch.tensor([1, 2]),
    "tensor(new float[0])": lambda a, b, c: torch.tensor([]),
    "tensor(new[] { 1, 2, 3, 4 }, [2, 2], float64)": lambda a, b, c: torch.tensor([[1, 2], [3, 4]], dtype=torch.float64),
    "tensor(new[] { 1f, 2f, 3f, 4f }, 2, 2)": lambda a, b, c: torch.tensor([[1.0, 2], [3, 4]]),
    "tensor(new float[,] { { 1, 2, 3 }, { 4, 5, 6 } })": lambda a, b, c: torch.tensor([[1.0, 2, 3], [4, 5, 6]]),
    "tensor(new System.Collections.Generic.List<double> { 1, 2 }, device: CPU)": lambda a, b, c: torch.tensor([1.0, 2.0], dtype=torch.float64),
    "tensor(new[] { (System.Half)1.5f })": lambda a, b, c: torch.tensor([1.5], dtype=torch.float16),
    "from_array(new long[,,] { { { 1, 2 } } })": lambda a, b, c: torch.tensor([[[1, 2]]]),
    "nn.GaussianNLLLoss().call(a, a * 2, tensor(new[] { 1f, 2f }, 2, 1))": lambda a, b, c: torch.nn.GaussianNLLLoss()(a, a * 2, torch.tensor([1.0, 2]).reshape(2, 1, 1).expand(2, 3, 4)),
    "nn.GaussianNLLLoss().call(a, a * 2, a.abs().reshape(2, 12))": lambda a, b, c: torch.nn.GaussianNLLLoss()(a, a * 2, a.abs()),
    "cartesian_prod(c, arange(1, 3))": lambda a, b, c: torch.cartesian_prod(c, torch.arange(1, 3)),
    "(Tensor)0.5f": lambda a, b, c: torch.tensor(0.5),
    "(Tensor)new[] { 1L, 2L }": lambda a, b, c: torch.tensor([1, 2]),
    "where(b, a, 0f)": lambda a, b, c: torch.where(b, a, torch.tensor(0.0)),
    "ones(2, 3)": lambda a, b, c: torch.ones(2, 3),
    "zeros(2, dtype: int64)": lambda a, b, c: torch.zeros(2, dtype=torch.int64),
    "ones(1, 2, 3, 4, dtype: bfloat16)": lambda a, b, c: torch.ones(1, 2, 3, 4, dtype=torch.bfloat16),
    "ones([2], requires_grad: true).detach()": lambda a, b, c: torch.ones(2),
    "tensor(new[] { a.data<float>()[1, 2, 3], a.data<float>()[0] })": lambda a, b, c: torch.stack([a[1, 2, 3], a.reshape(-1)[0]]),
    "tensor(a.transpose(0, 2).data<float>().ToArray())": lambda a, b, c: a.transpose(0, 2).reshape(-1),
    "tensor(System.Linq.Enumerable.ToArray(c.data<long>()))": lambda a, b, c: c,
    "Filled(a.clone())": lambda a, b, c: torch.arange(24.0).reshape(2, 3, 4),
    "tensor(new[] { (float)a[0, 0, 0], a[1, 1, 1].item<float>(), (float)(double)a.sum().ToDouble() })": lambda a, b, c: torch.tensor([float(a[0, 0, 0]), float(a[1, 1, 1]), float(a.sum())]),
    "tensor(new[] { c[0].ToInt64(), (long)(int)c[1], (long)c[2].ToByte() })": lambda a, b, c: c,
    "tensor(new[] { (bool)b[0, 0, 0], b.any().ToBoolean() })": lambda a, b, c: torch.tensor([bool(b[0, 0, 0]), True]),
    "tensor(new long[] { a.size(0), a.size(-1), a.dim(), a.numel(), a.stride(0), a.element_size(), a.storage_offset(), a.size()[1] })": lambda a, b, c: torch.tensor([2, 4, 3, 24, a.stride(0), 4, 0, 3]),
    "tensor(new[] { a.is_floating_point(), c.is_integral(), a.is_cuda, a.Equals(a.clone()), a.Equals((object)c), a.allclose(a) })": lambda a, b, c: torch.tensor([True, True, False, True, False, True]),
    "tensor(a.bytes.ToArray())": lambda a, b, c: a.contiguous().view(-1).view(torch.uint8),
    "a.@long()": lambda a, b, c: a.long(),
    "a.half().@float()": lambda a, b, c: a.half().float(),
    "c.type_as(a)": lambda a, b, c: c.type_as(a),
    "a.to_type(float64, disposeAfter: false).cpu()": lambda a, b, c: a.double(),
    "a.to(\"cpu\")": lambda a, b, c: a,
    "b & ~b | (b ^ b)": lambda a, b, c: b & ~b | (b ^ b),
    "c % 2": lambda a, b, c: c % 2,
    "c % c.max()": lambda a, b, c: c % c.max(),
    "a.expand_as(ones(5, 2, 3, 4))": lambda a, b, c: a.expand(5, 2, 3, 4),
    "a.view_as(zeros(6, 4))": lambda a, b, c: a.view(6, 4),
    "a.swapaxes(0, 1)": lambda a, b, c: a.swapaxes(0, 1),
    "Joined(c.split(1L, 2L))": lambda a, b, c: torch.tensor([3.0, 2, 4], dtype=torch.float64),
    "pow(a, 2)": lambda a, b, c: torch.pow(a, 2),
    "clamp(a, -0.5, 0.5)": lambda a, b, c: torch.clamp(a, -0.5, 0.5),
    "sum(a, 1)": lambda a, b, c: a.sum(1),
    "mean(a, [0, 1], true)": lambda a, b, c: a.mean((0, 1), True),
    "max(a, 2).indexes": lambda a, b, c: a.max(2).indices,
    "topk(a, 2, 1).values": lambda a, b, c: a.topk(2, 1).values,
    "softmax(a, 1)": lambda a, b, c: a.softmax(1),
    "matmul(a, a.transpose(1, 2))": lambda a, b, c: a @ a.transpose(1, 2),
    "tril(a)": lambda a, b, c: a.tril(),
    "outer(c, c)": lambda a, b, c: torch.outer(c, c),
    "cumsum(c, 0)": lambda a, b, c: c.cumsum(0),
    "argmax(a)": lambda a, b, c: a.argmax(),
    "minimum(a, -a)": lambda a, b, c: torch.minimum(a, -a),
    "gather(c, 0, tensor(new[] { 2L, 0L }))": lambda a, b, c: c[[2, 0]],
    "repeat_interleave(c, 2)": lambda a, b, c: c.repeat_interleave(2),
    "a.squeeze().squeeze_().squeeze(0).expand([2, 3, 4], true)": lambda a, b, c: a,
    "a[1..].squeeze(0)": lambda a, b, c: a[1],
    "a.amax(0, 1)": lambda a, b, c: a.amax((0, 1)),
    "a.amin([0, 1])": lambda a, b, c: a.amin((0, 1)),
    "a.sum(0, 1)": lambda a, b, c: a.sum((0, 1)),
    "a.sum(0, 1, 2, true)": lambda a, b, c: a.sum((0, 1, 2), True),
    "a.std((0, 1))": lambda a, b, c: a.std((0, 1)),
    "a.var((0, 1, 2), false)": lambda a, b, c: a.var((0, 1, 2), False),
    "a.var_mean((0, 1)).mean": lambda a, b, c: torch.var_mean(a, (0, 1))[1],
    "a.roll((1, 2), (0, 1))": lambda a, b, c: a.roll((1, 2), (0, 1)),
    "a.roll(new[] { 1L })": lambda a, b, c: a.roll(1, 0),
    "Joined([.. b.nonzero_as_list()])": lambda a, b, c: joined([part.unsqueeze(1) for part in b.nonzero(as_tuple=True)]),
    "a.permute(System.Linq.Enumerable.Range(0, 3).Select(at => 2L - at))": lambda a, b, c: a.permute(2, 1, 0),
    "a.unique().output": lambda a, b, c: a.unique(),
    "tensor(new[] { a.unique().inverse_indices is null, a.unique(return_counts: true).counts is null })": lambda a, b, c: torch.tensor([True, False]),
    "a.where(b, a * 2)": lambda a, b, c: a.where(b, a * 2),
    "a.new_full(2, 3, 7, int64)": lambda a, b, c: torch.full((2, 3), 7),
    "a.tensordot(a.permute(2, 1, 0), [(0L, 2L), (1L, 1L)])": lambda a, b, c: torch.tensordot(a, a.permute(2, 1, 0), ([0, 1], [2, 1])),
    "a.tensordot(a.permute(1, 2, 0))": lambda a, b, c: torch.tensordot(a, a.permute(1, 2, 0)),
    "a.take_along_dim([1L, 0L])": lambda a, b, c: a.reshape(-1)[:2].flip(0),
    "tensor(new[] { (int)tensor(1.75), (int)tensor(-1.75f), tensor(1.75).ToInt64(), (long)tensor(2.9f).ToInt16(), tensor(0.5).ToByte(), tensor(3.99).ToSByte() })": lambda a, b, c: torch.tensor([1, -1, 1, 2, 0, 3]),
    "tensor(new[] { tensor(0.5).ToBoolean(), tensor(0).ToBoolean(), (bool)tensor(double.NaN) })": lambda a, b, c: torch.tensor([True, False, True]),
    "tensor(new[] { (double)tensor(7), (double)tensor(true), tensor(2.5f).ToDouble(), (double)tensor(1.5f).ToHalf() })": lambda a, b, c: torch.tensor([7, 1, 2.5, 1.5], dtype=torch.float64),
    "tensor(new[] { tensor(new[] { (System.Half)1.5f })[0].item<System.Half>() })": lambda a, b, c: torch.tensor([1.5], dtype=torch.float16),
    "tensor(new[] { tensor((short)-7).item<short>() })": lambda a, b, c: torch.tensor([-7], dtype=torch.int16),
    "tensor(new[] { a.IntShape()[2], float64.ElementSize(), int16.ElementSize(), (int)a.shape.TotalSize() })": lambda a, b, c: torch.tensor([4, 8, 2, 24], dtype=torch.int32),
    "new[] { 1f, 2f, 3f, 4f }.ToTensor([2, 2], requires_grad: true)": lambda a, b, c: torch.tensor([[1.0, 2], [3, 4]]),
    "3L.ToTensor()": lambda a, b, c: torch.tensor(3),
    "a.clone().AsParameter()": lambda a, b, c: a,
    "tensor(new System.Numerics.Complex(1, -2))": lambda a, b, c: torch.tensor(1 - 2j, dtype=torch.complex128),
    "tensor(new[] { (1f, 2f), (3f, -4f) })": lambda a, b, c: torch.tensor([1 + 2j, 3 - 4j]),
    "a * new System.Numerics.Complex(0, 1)": lambda a, b, c: a * 1j,
    "new System.Numerics.Complex(2, 1) * a - (1f, 1f)": lambda a, b, c: a * (2 + 1j) - (1 + 1j),
    "tensor(new[] { ((Tensor)new[] { (1f, 2f), (3f, -4f) }).data<(float, float)>()[1].Item2 })": lambda a, b, c: torch.tensor([-4.0]),
    "tensor(new[] { tensor(new System.Numerics.Complex(1, -2)).item<System.Numerics.Complex>().Imaginary, tensor((1f, 2f)).ToComplexFloat64().Real })": lambda a, b, c: torch.tensor([-2.0, 1.0], dtype=torch.float64),
    "from_array(new sbyte[] { -1, 2 })": lambda a, b, c: torch.tensor([-1, 2], dtype=torch.int8),
    "tensor(new[] { a.data<float>() == a.clone().data<float>(), a.data<float>() != (a + 1).data<float>(), a.data<float>().Equals(a.transpose(0, 1).data<float>()), a.data<float>().IsReadOnly })": lambda a, b, c: torch.tensor([True, True, False, False]),
    "from_array(a.data<float>().ToNDArray())": lambda a, b, c: a,
    "from_array(a.transpose(0, 1).data<float>().ToNDArray())": lambda a, b, c: a.transpose(0, 1).contiguous(),
    "Put(c, x => x.data<long>().CopyFrom(new long[] { 7, 8, 9, 10 }, 1, 1))": lambda a, b, c: torch.tensor([3, 8, 9]),
    "Streamed(a)": lambda a, b, c: a,
    "tensor(new[] { Tensor.TotalCount > 0, Tensor.PeakCount >= Tensor.TotalCount, a.Handle != 0 })": lambda a, b, c: torch.tensor([True, True, True]),
    "Tensor.UnsafeCreateTensor(a.alias().DecoupleFromNativeHandle())": lambda a, b, c: a,
    "a.index_put_((Scalar)2, TensorIndex.Tensor(b))": lambda a, b, c: torch.where(b, torch.tensor(2.0), a),
    "a.index_put_((Scalar)2, b)": lambda a, b, c: torch.where(b, torch.tensor(2.0), a),
    "7 - c": lambda a, b, c: 7 - c,
    "zeros_like(a)": lambda a, b, c: torch.zeros_like(a),
    "full_like(a, 2)": lambda a, b, c: torch.full_like(a, 2),
    "roll(c, 1)": lambda a, b, c: c.roll(1),
    "round(a * 10)": lambda a, b, c: (a * 10).round(),
    "rsqrt(a.abs())": lambda a, b, c: a.abs().rsqrt(),
}  # fmt: skip
WRONG = {
    "tensor(new[] { 1f, 2f }, [3])": "2 elements do not fill the shape [3]",
    "nn.GaussianNLLLoss().call(a, a, rand(2, 5))": "The variance has shape [2, 5], the input [2, 3, 4].",
    "nn.GaussianNLLLoss().call(a, a, rand(4, 6))": "The variance has shape [4, 6], the input [2, 3, 4].",
    "(Tensor)(Scalar)1": "only selects an overload",
    "tensor(new[] { a.data<double>()[0] })": "Double is not compatible with Float32",
    "tensor(new[] { a[0, 0, 0].item<int>() })": "Int32 is not compatible with Float32",
    "tensor(new[] { a.item<float>() })": "Number of elements in the tensor must be 1",
    "tensor(new[] { (int)tensor(3e9) })": "without overflow",
    "tensor(new[] { (byte)tensor(256) })": "without overflow",
    "tensor(new[] { tensor(double.NaN).ToInt64() })": "without overflow",
    "tensor(new[] { tensor((1f, 2f)).ToSingle() })": "without overflow",
    "from_array(new ushort[] { 1 })": "no tensor can be made from UInt16[]",
    "from_array(new uint[] { 1 })": "no tensor can be made from UInt32[]",
    "from_array(new ulong[,] { { 1 } })": "no tensor can be made from UInt64[,]",
    "a[TensorIndex.Colon, c]": "write an index that is a tensor",
    "tensor(new[] { a.data<float>()[2, 0, 0] })": "The index 2 is out of range for a dimension of size 2.",
    "tensor(a.transpose(0, 2).bytes.ToArray())": "contiguous",
    **dict.fromkeys(
        (
            "nn.functional.interpolate(a, [2L], align_corners: false)",
            "nn.functional.interpolate(a, [2L], mode: InterpolationMode.Area, align_corners: true)",
            "nn.functional.interpolate(a, [2L], mode: InterpolationMode.NearestExact, align_corners: true)",
            "nn.functional.upsample_nearest(a, [2L], align_corners: true)",
            "nn.Upsample([2L], align_corners: true).call(a)",
        ),
        "align_corners option can only be set with the interpolating modes: linear | bilinear | bicubic | trilinear",
    ),
    "nn.functional.interpolate(a)": "either size or scale_factor should be defined",
    "nn.functional.interpolate(a, mode: InterpolationMode.Area)": "either size or scale_factor should be defined",
    "nn.functional.interpolate(a, [2L], [2.0], InterpolationMode.Area)": "only one of size or scale_factor should be defined",
    "nn.functional.interpolate(a, [2L], recompute_scale_factor: true)": "recompute_scale_factor is not meaningful with an explicit size.",
}


@pytest.fixture(scope="session")
def run(expressions: Callable[..., Any]) -> Any:
    return expressions({name.replace('"', "'"): name for name in (*MEMBERS, *WRONG)})


@pytest.fixture
def inputs() -> list[torch.Tensor]:
    generator = torch.Generator().manual_seed(11)
    a = torch.randn(2, 3, 4, generator=generator)
    return [a, a > 0, torch.tensor([3, 1, 2])]


@pytest.mark.parametrize("name", MEMBERS)
def test_a_member_equals_pytorch(name: str, run: Any, inputs: list[torch.Tensor], bits_equal: Any) -> None:
    assert bits_equal(run(name.replace('"', "'"), inputs), MEMBERS[name](*inputs))


@pytest.mark.parametrize("name", WRONG)
def test_what_cannot_be_done_is_said(name: str, run: Any, inputs: list[torch.Tensor]) -> None:
    with pytest.raises(DotNetError) as caught:
        run(name.replace('"', "'"), inputs)
    assert WRONG[name] in caught.value.dotnet_message
