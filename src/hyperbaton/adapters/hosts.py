"""The error for a host that is not installed."""

from __future__ import annotations

from hyperbaton.errors import MissingData


class MissingHost(MissingData, ImportError):  # noqa: N818 - named as its base
    """The software that an adapter belongs to cannot be imported.

    Parameters
    ----------
    host : str
        What the software is called.
    requirement : str
        What pip has to install.
    error : ImportError
        The error of the import. A host may be there without a package that it needs.
    """

    def __init__(self, host: str, requirement: str, error: ImportError) -> None:
        super().__init__(f"{host} cannot be imported ({error}): pip install '{requirement}'")
