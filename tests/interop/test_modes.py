"""Re-entrant modules (field notes 10): grad mode, autocast, inference mode, transforms and threads go through a mirror."""

from __future__ import annotations

from collections.abc import Callable


def test_grad_mode_is_seen_and_restored(together: Callable[..., None]) -> None:
    """C# sees Python's no_grad, inference_mode and enable_grad; its own no_grad ends where it ends, also by an exception."""
    together("modes", "grad_mode")


def test_a_hook_sees_csharps_no_grad(together: Callable[..., None]) -> None:
    """A Python hook below C#'s `using (no_grad())`; what it switches itself stays as PyTorch would leave it."""
    together("modes", "no_grad_of_csharp")


def test_autocast(together: Callable[..., None]) -> None:
    """Operators of C# run in autocast's dtype, bare and hooked; outside of it they do not."""
    together("modes", "autocast")


def test_full_backward_hooks(together: Callable[..., None]) -> None:
    """On the root and on children that C# calls: as on its PyTorch counterpart, gradients included."""
    together("modes", "full_backward_hooks")


def test_vmap_and_grad(together: Callable[..., None]) -> None:
    """Functional transforms over inputs and parameters, bare and hooked: as on its counterpart."""
    together("modes", "transforms")


def test_backward_inside_of_a_hook(together: Callable[..., None]) -> None:
    """2, 6: the autograd engine refuses to run where the GIL is held; a callback below C# may start it."""
    together("modes", "backward_in_a_hook")


def test_a_forward_that_uses_threads_of_its_own(together: Callable[..., None]) -> None:
    """6: forward gives the GIL up, so Parallel.For over a hooked child does not deadlock; other Python threads run meanwhile."""
    together("modes", "threads_of_its_own")
