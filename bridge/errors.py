"""The base class of this package's public exceptions. It is that of hook_contract, so one ``except`` catches those of both packages."""

from __future__ import annotations

from hook_contract.errors import HookContractError as BridgeError

__all__ = ["BridgeError"]
