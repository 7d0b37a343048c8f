"""`scripts/hidden_warnings.py` finds every filter that ignores warnings, and no other."""

from __future__ import annotations

import pytest

from hidden_warnings import ignoring


@pytest.mark.parametrize(
    "call",
    [
        'warnings.simplefilter("ignore")',
        'warnings.simplefilter(action="ignore", category=UserWarning)',
        'simplefilter("ignore", RangeWarning)',
        'warnings.filterwarnings("ignore", message="bound")',
        '@pytest.mark.filterwarnings("ignore::everlevel.errors.RangeWarning")\ndef f(): ...',
        '@pytest.mark.filterwarnings("error", " ignore:bound")\ndef f(): ...',
        'with warnings.catch_warnings(action="ignore"):\n    pass',
    ],
)
def test_ignored_warnings_are_found(call: str) -> None:
    assert ignoring(f"import warnings\n{call}\n") == [2]


@pytest.mark.parametrize(
    "call",
    [
        'warnings.simplefilter("error")',
        'warnings.simplefilter("default", RangeWarning)',
        '@pytest.mark.filterwarnings("error::everlevel.errors.RangeWarning")\ndef f(): ...',
        "with warnings.catch_warnings(record=True) as caught:\n    pass",
        'np.errstate(all="ignore")',
        'print("ignore")',
    ],
)
def test_other_filters_pass(call: str) -> None:
    assert ignoring(f"import warnings\n{call}\n") == []
