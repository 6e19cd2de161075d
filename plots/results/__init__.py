# SPDX-License-Identifier: Apache-2.0
"""Results of sweeps: the database (db/schema.cpp), times, work, and choices of selectors; one function per question.

Of several trials with one key, the newest counts, as in the database's own views. Numbers of different devices are
never mixed; a simulated device is a device of its own. An input is a workload with a query.
"""

from results.database import (
    choose_device, choose_problem, devices, is_processors, open_database, outcomes_of, provenance, times_of,
)
from results.described_csv import read_described_csv
from results.records import (
    EVERYTHING, Configuration, Device, Input, NotOnRecord, ResultsError, Scope, full_name, query_order,
)
from results.script import (
    add_common_arguments, add_figure_arguments, apply_figure_arguments, figure_path, note, run,
)
from results.selector import (
    Evaluation, Pick, StrategyScore, columns_of_picks, read_evaluation, read_picks, read_tuned, relative_of_picks,
)
from results.times import NEAR_BEST, Times
from results.work import (
    EDGES, VERTICES, counts_of, curve_of, feature_of, half_widths_of, reached_of, reads_of, reported_by,
)
