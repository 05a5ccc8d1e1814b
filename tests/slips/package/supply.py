"""What is installed, what is known of it, and under which licences it is passed on."""

from __future__ import annotations

from tests.slips.slip import Slip

SUPPLY: tuple[Slip, ...] = (
    Slip(
        "pip fetches what it builds with, without a hash",
        "Makefile",
        before="$(PIP) --require-hashes --no-build-isolation -r $(1)",
        after="$(PIP) --require-hashes -r $(1)",
        tests=("tests/installing/test_installing.py::test_all_is_installed_and_built_by_what_is_locked",),
    ),
    Slip(
        "an audit that could ask nobody ends as one that found nothing",
        ".ci/audit.py",
        before="return NOT_CHECKED if not_checked and not may_pass else NOTHING_FOUND",
        after="return NOTHING_FOUND",
        tests=("tests/test_supply_chain.py::test_without_data_nothing_is_called_safe",),
    ),
    Slip(
        "a package that the index does not know counts as audited",
        ".ci/audit.py",
        before='if "skip_reason" in package',
        after='if "skipped" in package',
        tests=("tests/test_supply_chain.py::test_a_package_of_which_nothing_is_known_is_not_called_checked",),
    ),
    Slip(
        "a licence that nobody says may be passed on",
        ".ci/licences.py",
        before='{"a licence that nobody says"}',
        after="set()",
        tests=("tests/test_licences.py::test_a_licence_of_another_kind_fails",),
    ),
)
