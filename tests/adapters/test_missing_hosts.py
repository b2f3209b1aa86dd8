"""Hosts are imported when an adapter is, and a missing one is named with what to install."""

from __future__ import annotations

import importlib
import subprocess
import sys

import pytest

import hyperbaton as hb
from hyperbaton.adapters.hosts import MissingHost

HOSTS = {
    "eole": ("eole", "eole"),
    "evaluate": ("evaluate", "hyperbaton[evaluate]"),
    "lightning": ("lightning", "hyperbaton[lightning]"),
    "lm_eval": ("lm_eval", "hyperbaton[lm-eval]"),
    "opennmt": ("onmt", "OpenNMT-py"),
    "pandas": ("pandas", "hyperbaton[pandas]"),
    "polars": ("polars", "hyperbaton[polars]"),
    "torchmetrics": ("torchmetrics", "hyperbaton[torchmetrics]"),
}


@pytest.mark.parametrize("adapter", HOSTS)
def test_a_missing_host(adapter: str, monkeypatch: pytest.MonkeyPatch) -> None:
    host, requirement = HOSTS[adapter]
    for name in [*sys.modules]:
        if name.split(".")[0] == host:
            monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, host, None)  # as if not installed
    monkeypatch.setitem(sys.modules, "pytorch_lightning", None)
    monkeypatch.delitem(sys.modules, f"hyperbaton.adapters.{adapter}", raising=False)
    with pytest.raises(MissingHost) as raised:
        importlib.import_module(f"hyperbaton.adapters.{adapter}")
    assert isinstance(raised.value, ImportError)
    assert isinstance(raised.value, hb.MissingData)
    assert " cannot be imported (" in str(raised.value)
    assert str(raised.value).endswith(f": pip install '{requirement}'")


def test_hyperbaton_imports_no_host() -> None:
    program = (
        "import sys, hyperbaton as hb, hyperbaton.adapters, hyperbaton.adapters.transformers\n"
        "hb.score(['a b'], ['b a'], ['pef', 'hyper', 'bleu'])\n"
        f"found = {sorted(host for host, _ in HOSTS.values())!r} + ['torch', 'transformers']\n"
        "assert not set(found) & set(sys.modules), set(found) & set(sys.modules)\n"
    )
    subprocess.run([sys.executable, "-W", "ignore", "-c", program], check=True)
