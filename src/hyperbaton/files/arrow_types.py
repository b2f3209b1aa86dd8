"""Which Arrow types hold texts. This module is only used if pyarrow is installed."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pyarrow


def is_text(kind: pyarrow.DataType) -> bool:
    """Return whether a type holds strings, also if they are categories."""
    from pyarrow import types

    if types.is_dictionary(kind):
        kind = kind.value_type
    return bool(types.is_string(kind) or types.is_large_string(kind) or types.is_string_view(kind))


def is_list(kind: pyarrow.DataType) -> bool:
    """Return whether a type holds lists."""
    from pyarrow import types

    return bool(
        types.is_list(kind)
        or types.is_large_list(kind)
        or types.is_fixed_size_list(kind)
        or types.is_list_view(kind)
        or types.is_large_list_view(kind)
    )
