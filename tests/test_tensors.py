"""bridge/tensors.py: tensors cross by reference, both ways, whatever they are; nothing leaks."""

from __future__ import annotations

import gc
import sys
import threading
import weakref
from collections.abc import Callable

import pytest
import torch

from attack.state import resident
from bridge import tensors
from bridge.clr import start

pytestmark = pytest.mark.dotnet

DTYPES = (
    torch.uint8, torch.int8, torch.int16, torch.int32, torch.int64, torch.uint16, torch.uint32, torch.uint64,
    torch.float16, torch.bfloat16, torch.float32, torch.float64, torch.complex64, torch.complex128, torch.bool,
    torch.float8_e4m3fn, torch.float8_e5m2,
)  # fmt: skip

Take = Callable[[int], torch.Tensor]
Counts = Callable[[], dict[str, int]]


def _strided() -> dict[str, torch.Tensor]:
    base = torch.arange(24.0).reshape(2, 3, 4)
    leaf = torch.ones(3, requires_grad=True)
    return {
        "plain": base,
        "transposed": base.transpose(0, 2),
        "expanded": torch.ones(1, 3).expand(5, 3),
        "sliced": base[:, ::2, 1:3],
        "flipped memory": base.as_strided((3, 2), (1, 7), 4),
        "channels last": torch.ones(2, 3, 4, 5).to(memory_format=torch.channels_last),
        "no dimension": torch.tensor(3.5),
        "empty": torch.empty(0),
        "empty with sizes": torch.empty(2, 0, 3),
        "leaf": leaf,
        "parameter": torch.nn.Parameter(torch.ones(2)),
        "buffer": torch.nn.Buffer(torch.ones(2)),
        "result": leaf * 2,
        "view of a leaf": leaf[1:],
        "detached": (leaf * 2).detach(),
        "conjugate": torch.ones(2, dtype=torch.complex64).conj(),
        "meta": torch.empty(3, 4, device="meta"),
        "sparse": torch.eye(3).to_sparse(),
        "of inference": _inference(),
        "subclass": torch.ones(2).as_subclass(_Marked),
    }


class _Marked(torch.Tensor):
    pass


def _inference() -> torch.Tensor:
    with torch.inference_mode():
        return torch.ones(2)


STRIDED = tuple(_strided())


def _take_by(wrap: Callable[[int], torch.Tensor]) -> Take:
    """Return the result of tensors.take for a way that only borrows."""

    def take(handle: int) -> torch.Tensor:
        tensor = wrap(handle)
        tensors.free(handle)
        return tensor

    return take


#: Each way from a handle to Python that this torch has, by name.
WAYS: dict[str, Take] = {"chosen": tensors.take, "steal": tensors._steal}
for _name, _wrap in (("abi", tensors._by_abi()), ("symbol", tensors._by_symbol())):
    if _wrap is not None:
        WAYS[_name] = _take_by(_wrap)


@pytest.fixture(params=WAYS)
def take(request: pytest.FixtureRequest) -> Take:
    """Return each way to take a tensor."""
    return WAYS[request.param]


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_every_dtype_comes_back_as_itself(dtype: torch.dtype, take: Take) -> None:
    x = torch.zeros(2, 3).to(dtype)
    assert take(tensors.own(x)) is x


@pytest.mark.parametrize("name", STRIDED)
def test_whatever_its_strides_and_history_the_same_object_comes_back(name: str, take: Take) -> None:
    x = _strided()[name]
    before = (x.shape, x.dtype, x.device, x.layout, x.requires_grad, x.grad_fn, type(x), x.is_inference() or x._version)
    back = take(tensors.own(x))
    assert back is x
    assert (
        x.shape,
        x.dtype,
        x.device,
        x.layout,
        x.requires_grad,
        x.grad_fn,
        type(x),
        x.is_inference() or x._version,
    ) == before


def test_borrow_leaves_the_handle_to_its_owner() -> None:
    x = torch.ones(3)
    handle = tensors.own(x)
    assert tensors.borrow(handle) is x
    assert tensors.borrow(handle) is x
    assert x._use_count() == 2  # ours and the handle's
    tensors.free(handle)
    assert x._use_count() == 1


def test_duplicate_gives_a_second_handle() -> None:
    x = torch.ones(3)
    first = tensors.own(x)
    second = tensors.duplicate(first)
    assert first != second
    assert x._use_count() == 3
    tensors.free(first)
    assert tensors.take(second) is x
    assert x._use_count() == 1


def test_storage_is_shared_even_when_python_let_go(take: Take) -> None:
    x = torch.arange(6.0)
    pointer = x.data_ptr()
    handle = tensors.own(x[1:])  # no Python object keeps this view
    view = take(handle)
    view[0] = 42
    assert x[1] == 42
    assert view.data_ptr() == pointer + 4


def test_the_handle_alone_keeps_the_tensor_and_its_attributes(take: Take) -> None:
    x = torch.ones(1000)
    x.tag = "mine"  # type: ignore[attr-defined]
    handle = tensors.own(x)
    pointer = x.data_ptr()
    del x
    gc.collect()
    back = take(handle)
    assert back.data_ptr() == pointer
    assert back.tag == "mine"  # type: ignore[attr-defined]
    assert back.sum() == 1000


def test_the_graph_goes_through(take: Take) -> None:
    leaf = torch.ones(3, requires_grad=True)
    middle = leaf * 3
    back = take(tensors.own(middle))
    assert back.grad_fn is middle.grad_fn
    back.sum().backward()
    assert leaf.grad is not None
    assert leaf.grad.tolist() == [3, 3, 3]


def test_hooks_on_the_tensor_stay(take: Take) -> None:
    leaf = torch.ones(3, requires_grad=True)
    fired = []
    leaf.register_hook(lambda grad: fired.append(grad.tolist()))
    (take(tensors.own(leaf)) * 2).sum().backward()
    assert fired == [[2, 2, 2]]


def test_counts_return_to_what_they_were(take: Take) -> None:
    x = torch.ones(3)
    counts = x._use_count(), sys.getrefcount(x)
    for _ in range(100):
        assert take(tensors.own(x)) is x
    assert (x._use_count(), sys.getrefcount(x)) == counts
    gone = weakref.ref(x)
    del x
    assert gone() is None


def test_a_tensor_without_a_python_object_is_freed_with_the_last_one(take: Take) -> None:
    handle = tensors.own(torch.ones(3))
    back = take(handle)
    assert back._use_count() == 1
    gone = weakref.ref(back)
    del back
    assert gone() is None


def test_what_is_not_a_tensor_is_refused() -> None:
    with pytest.raises(AttributeError, match="_cdata"):
        tensors.own("no tensor")  # type: ignore[arg-type]


def test_every_way_agrees_with_the_chosen_one() -> None:
    ways = [way for way in (tensors._by_abi(), tensors._by_symbol()) if way is not None]
    x = torch.ones(2)
    handle = tensors.own(x)
    assert all(way(handle) is x for way in ways)
    assert tensors._steal(tensors.duplicate(handle)) is x
    tensors.free(handle)
    assert x._use_count() == 1


def test_without_the_fast_ways_the_slow_one_is_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tensors, "_by_abi", lambda: None)
    monkeypatch.setattr(tensors, "_by_symbol", lambda: None)
    borrow, take = tensors._wrappers.__wrapped__()
    x = torch.ones(2)
    handle = tensors.own(x)
    assert borrow(handle) is x
    assert x._use_count() == 2
    assert take(handle) is x
    assert x._use_count() == 1


def test_a_way_that_gives_another_object_is_not_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tensors, "_by_abi", lambda: lambda handle: torch.ones(3))
    _, take = tensors._wrappers.__wrapped__()
    x = torch.ones(2)
    assert take(tensors.own(x)) is x


def test_csharp_has_the_address_of_a_fast_way() -> None:
    """Of the C++ function, which libtorch shows up to torch 2.13, or of the ABI's, which came with 2.14."""
    version = tuple(int(part) for part in torch.__version__.split("+")[0].split(".")[:2])
    known = {name for name, address in tensors.wrapper_addresses().items() if address}
    assert known == {"wrap" if version <= (2, 13) else "wrap_by_abi"}


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc/self/statm")
@pytest.mark.subprocess
def test_many_round_trips_do_not_grow_the_process() -> None:
    """100,000 round trips each way add less than 4 MiB; a leaked handle is at least 8 bytes, a leaked tensor over 200."""
    x, ways = torch.ones(3), (tensors.take, tensors._steal)

    def make_round_trips(times: int) -> None:
        for _ in range(times):
            tensors.take(tensors.own(torch.ones(64)))
        for take in ways:
            for _ in range(times):
                take(tensors.own(x))

    make_round_trips(5_000)
    before = resident()
    make_round_trips(100_000)
    assert resident() - before < 4, f"grew by {resident() - before} MiB"


def test_handles_may_be_owned_and_freed_on_any_thread() -> None:
    x = torch.ones(3)
    failures: list[BaseException] = []

    def work() -> None:
        try:
            for _ in range(2_000):
                assert tensors.take(tensors.own(x)) is x
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures
    assert x._use_count() == 1


def test_dotnet_counts_no_handle_that_python_owns(live_counts: Counts) -> None:
    """``live`` is what C# objects own: a handle made for Python is Python's."""
    exports = start().exports
    before = live_counts()["tensors"]
    handles = [tensors.own(torch.ones(2)) for _ in range(50)]
    during = exports.live_counts()["tensors"]
    for handle in handles:
        tensors.free(handle)
    assert during <= before
    assert exports.live_counts()["tensors"] <= before


@pytest.mark.cuda
def test_a_cuda_tensor_comes_back_as_itself() -> None:
    made = (
        torch.ones(3, device="cuda"),
        torch.ones(2, 3, device="cuda", dtype=torch.float16).t(),
        torch.ones(2, device="cuda", requires_grad=True) * 2,
    )
    for x in made:
        pointer = x.data_ptr()
        for take in WAYS.values():
            assert take(tensors.own(x)) is x
        assert x.data_ptr() == pointer
        assert x.is_cuda
