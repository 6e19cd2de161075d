# SPDX-License-Identifier: Apache-2.0
"""How fast this machine is now, for tests with time limits; see speed.hpp."""

import subprocess
import time


def slowdown():
    """How many times as long as on an idle machine processes may take now, at least 1: the longest of eight runs of a
    shell, each of which an idle machine ends within 20 ms. Time limits of tests are multiples of it."""
    longest = 0.02
    for _ in range(8):
        start = time.monotonic()
        subprocess.run(["sh", "-c", ":"], check=True)
        longest = max(longest, time.monotonic() - start)
    return longest / 0.02
