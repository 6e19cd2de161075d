# SPDX-License-Identifier: Apache-2.0
"""The longest lists of cases are split into shares: scripts/test runs one share, another after each commit; see
share.hpp."""

import os
import zlib


def share_of_this_run():
    """Returns the index and the number of shares, 0 and 1 if $MLMQ_TEST_SHARE is not set."""
    index, count = map(int, os.environ.get("MLMQ_TEST_SHARE", "0/1").split("/"))
    if not 0 <= index < count:
        raise ValueError("MLMQ_TEST_SHARE")
    return index, count


def is_in_share(name):
    """Returns whether this run has the case of this name."""
    index, count = share_of_this_run()
    return zlib.crc32(name.encode()) % count == index


def share_of(cases):
    """Returns the cases of this run, at least one: all if $MLMQ_TEST_SHARE is not set; with "1/6",
    those whose number is 1 modulo 6."""
    cases = list(cases)
    index, count = share_of_this_run()
    count = min(count, max(len(cases), 1))
    return cases[index % count::count]
