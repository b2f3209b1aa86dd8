"""Messages between the server and its workers: a length of four bytes, then JSON in ASCII."""

from __future__ import annotations

import json
import struct
from typing import Any, BinaryIO

LENGTH = struct.Struct(">I")


def encode_frame(message: dict[str, Any]) -> bytes:
    """Return the bytes of a message."""
    content = json.dumps(message).encode("ascii")
    return LENGTH.pack(len(content)) + content


def read_frame(stream: BinaryIO) -> dict[str, Any] | None:
    """Read a message; None at the end of the stream."""
    header = stream.read(LENGTH.size)
    if len(header) < LENGTH.size:
        return None
    (length,) = LENGTH.unpack(header)
    content = stream.read(length)
    if len(content) < length:
        return None
    message: dict[str, Any] = json.loads(content)
    return message
