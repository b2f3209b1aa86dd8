"""Fixtures for the pages of the server."""

from __future__ import annotations

from report.conftest import browser

__all__ = ["browser"]
