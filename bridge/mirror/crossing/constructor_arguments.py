"""The encoding of constructor arguments as JSON for .NET."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from bridge.mirror.crossing.objects import DotNetObject, to_scalar
from hook_contract.output.sentences import with_article

#: A .NET object is encoded as a JSON object with this single key. The key's value is the .NET object's handle.
OBJECT: Final = "$object"
#: A number that JSON lacks is encoded as a JSON object with this single key. The key's value is the number's name, such as ``NaN``.
_NUMBER: Final = "$number"


class EncodedArguments:
    """The arguments of a constructor as JSON.

    Attributes:
        text: A JSON list of two items: a list of the positional arguments, and an object of the keyword arguments.
        objects: The .NET objects to which the text refers. The caller must keep them alive until .NET has read the text.
    """

    def __init__(self, args: Sequence[Any], kwargs: Mapping[str, Any], hold: Callable[[Any], DotNetObject]) -> None:
        """Encode the arguments. ``hold`` creates the .NET object for a value that JSON cannot express, such as a tensor.

        Raises TypeError for an argument that cannot be passed to C#, and the other exceptions of ``hold``.
        """
        self.objects: list[DotNetObject] = []
        self._hold = hold
        positional = [self._encode(value, f"argument {number}") for number, value in enumerate(args, 1)]
        named = {name: self._encode(value, repr(name)) for name, value in kwargs.items()}
        self.text = json.dumps([positional, named])

    def _encode(self, value: Any, where: str) -> Any:
        if value is None or isinstance(value, (bool, str, int)):
            return value
        if isinstance(value, (list, tuple)):
            return [self._encode(item, where) for item in value]
        if isinstance(value, dict) and all(isinstance(key, str) and key not in (OBJECT, _NUMBER) for key in value):
            return {key: self._encode(item, where) for key, item in value.items()}
        scalar = value if isinstance(value, float) else to_scalar(value)
        if isinstance(scalar, float) and not math.isfinite(scalar):
            return {_NUMBER: json.dumps(scalar)}
        if scalar is not None:
            return scalar
        return {OBJECT: self._object(value, where)._handle}

    def _object(self, value: Any, where: str) -> DotNetObject:
        try:
            made = self._hold(value)
        except TypeError as error:
            raise TypeError(f"{where} has {with_article(type(value).__name__)}: {error}") from None
        self.objects.append(made)
        return made
