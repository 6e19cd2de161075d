#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Time over Δ on each graph. TODO: what your figure shows."""

from __future__ import annotations

import reproduction  # before numpy: says what to do when that is missing
import style
from reproduction import Ours, Request, Trials

import numpy as np


def draw(request: Request, trials: Trials) -> reproduction.Drawing:
    times = trials.times
    deltas = np.array([float(configuration.parameters["delta"]) for configuration in times.configurations])
    order = np.argsort(deltas)
    figure, (axes,) = style.new_figure(style.PAGE_INCHES, 2.6)
    handles = [axes.plot(deltas[order], times.milliseconds[row, order], marker="o", markersize=4,
                         label=instance.workload)[0] for row, instance in enumerate(times.inputs)]
    axes.set_xscale("log", base=2)
    axes.set_yscale("log")
    axes.set(xlabel="Δ in average weights", ylabel="time in ms (log)")
    axes.set_title("Time over Δ (lower is better)", loc="left")
    style.finish(figure, trials.provenance, reserved_inches=style.legend_inches(len(handles), columns=3))
    style.legend_below(figure, handles, [handle.get_label() for handle in handles], columns=3)
    fastest = times.milliseconds.min(axis=1)
    return figure, {f"best_{instance.workload}": Ours(float(fastest[row]), "", f"fastest on {instance.workload}", "ms")
                    for row, instance in enumerate(times.inputs)}, []


if __name__ == "__main__":
    reproduction.run(draw, __doc__)
