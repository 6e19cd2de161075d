# SPDX-License-Identifier: Apache-2.0
"""Current speed of this machine, for tests with time limits; see speed.hpp."""

import subprocess
import time


def slowdown():
    """Returns how much longer processes take than on an idle machine, at least 1: the longest of eight runs of a
    shell, each of which takes at most 20 ms on an idle machine. Tests multiply their time limits by it."""
    longest = 0.02
    for _ in range(8):
        start = time.monotonic()
        subprocess.run(["sh", "-c", ":"], check=True)
        longest = max(longest, time.monotonic() - start)
    return longest / 0.02
