// SPDX-License-Identifier: Apache-2.0
// Relative performance of the best configuration so far, over the number of tried configurations or over time.

addView({
  id: "progress",
  title: "Best so far",
  about:
    "Relative performance of the best configuration that the sweep had found after a number of configurations, or " +
    "after some time. 1 is the best time of the whole record.",
  draw(pane, set, state, settings, redraw) {
    const all = set.inputTable.rows
      .map((row, i) => ({ row, i, progress: set.progressOf(i) }))
      .filter(({ row, progress }) => progress.steps.length > 0 && shownRow(set, row, state));
    if (all.length === 0) return pane.empty(nothingLeft(set));
    settings.unit ??= "tried";
    settings.input = all.some(({ i }) => i === settings.input) ? settings.input : -1;
    pane.controls(
      selectField(
        "Horizontal axis",
        [
          ["tried", "configurations tried"],
          ["seconds", "wall time of the trials"],
        ],
        settings.unit,
        (value) => {
          settings.unit = value;
          redraw();
        },
      ),
      selectField(
        "Input",
        [[-1, "all inputs: median and quartiles"], ...all.map(({ row, i }) => [i, row.name])],
        settings.input,
        (value) => {
          settings.input = Number(value);
          redraw();
        },
      ),
    );
    const x = (step) => (settings.unit === "tried" ? step.tried : step.seconds);
    const title =
      settings.unit === "tried"
        ? "configurations tried on the input"
        : "wall time of the input's trials: compilation, upload, runs, checks (s)";
    const style = look(0);
    if (settings.input >= 0) {
      const { row, progress } = all.find(({ i }) => i === settings.input);
      const points = [
        ...progress.steps.map((step) => [x(step), step.milliseconds]),
        [x(progress), progress.steps.at(-1).milliseconds],
      ];
      pane.chart(
        340,
        `Best time so far on ${row.name}`,
        {
          grid: { left: 66, right: 24, top: 16, bottom: 50 },
          tooltip: {
            trigger: "axis",
            formatter: ([one]) =>
              tip(
                `after ${formatNumber(one.value[0])} ${settings.unit === "tried" ? "configurations" : "s"}`,
                `best ${formatTime(one.value[1])}`,
              ),
          },
          xAxis: axis(title, { type: "value", min: 0 }),
          yAxis: logAxis(`best time so far (ms${set.device.modelled ? ", modelled" : ""})`, { nameGap: 48 }),
          series: [
            {
              type: "line",
              step: "end",
              data: points,
              symbol: "circle",
              symbolSize: 6,
              lineStyle: { color: style.color, width: 2.2 },
              itemStyle: { color: style.color },
            },
          ],
        },
        () => ({
          columns: [
            { title: "Configurations tried", ...NUMBER },
            { title: "Wall time", ...SECONDS },
            { title: "Best so far", ...MILLISECONDS },
          ],
          rows: progress.steps.map((step) => [step.tried, step.seconds, step.milliseconds]),
        }),
      );
      pane.result = { inputs: 1, points: points.length };
      return;
    }
    const last = Math.max(...all.map(({ progress }) => x(progress)));
    const grid =
      settings.unit === "tried" && last <= 400
        ? Array.from({ length: last }, (_, i) => i + 1)
        : Array.from({ length: 160 }, (_, i) => last * ((i + 1) / 160) ** 2);
    const bands = grid.map((at) => {
      const values = Float64Array.from(all, ({ row, progress }) => {
        let best = 0;
        for (const step of progress.steps) {
          if (x(step) > at) break;
          best = Math.min(1, ratio(row.best, step.milliseconds));
        }
        return best;
      }).sort();
      return {
        at,
        low: quantile(values, 0.25),
        middle: quantile(values, 0.5),
        high: quantile(values, 0.75),
        tenth: quantile(values, 0.1),
      };
    });
    const line = (name, of, dash, width) => ({
      name,
      type: "line",
      showSymbol: false,
      data: bands.map((one) => [one.at, of(one)]),
      lineStyle: { color: style.color, type: dash, width },
      itemStyle: { color: style.color },
    });
    pane.chart(
      360,
      "Relative performance of the best so far",
      {
        grid: { left: 58, right: 24, top: 16, bottom: 50 },
        tooltip: {
          trigger: "axis",
          formatter: (items) => {
            const one = bands[items[0].dataIndex];
            return tip(
              `after ${formatNumber(one.at)} ${settings.unit === "tried" ? "configurations" : "s"}`,
              `median ${formatNumber(one.middle)}`,
              `quartiles ${formatNumber(one.low)} and ${formatNumber(one.high)}`,
              `nine of ten inputs at least ${formatNumber(one.tenth)}`,
            );
          },
        },
        xAxis: axis(title, { type: "value", min: 0 }),
        yAxis: axis("relative performance of the best so far", { type: "value", min: 0, max: 1, nameGap: 38 }),
        series: [
          { ...line("low", (one) => one.low, "solid", 0), stack: "band", areaStyle: { opacity: 0 } },
          {
            ...line("band", (one) => one.high - one.low, "solid", 0),
            stack: "band",
            areaStyle: { color: style.color, opacity: 0.2 },
          },
          line("median; the band holds the middle half", (one) => one.middle, "solid", 2.4),
          line("nine of ten inputs have at least this", (one) => one.tenth, "dotted", 1.6),
        ],
      },
      () => ({
        columns: [
          { title, ...NUMBER },
          { title: "Nine of ten at least", ...NUMBER },
          { title: "Lower quartile", ...NUMBER },
          { title: "Median", ...NUMBER },
          { title: "Upper quartile", ...NUMBER },
        ],
        rows: bands.map((one) => [one.at, one.tenth, one.low, one.middle, one.high]),
      }),
      { legend: ["median; the band holds the middle half", "nine of ten inputs have at least this"] },
    );
    pane.add(
      element(
        "div",
        { class: "keys" },
        element(
          "span",
          { class: "key" },
          sample({ color: style.color, dash: "solid" }),
          "median of the inputs; the band holds the middle half",
        ),
        element(
          "span",
          { class: "key" },
          sample({ color: style.color, dash: "dotted" }),
          "nine of ten inputs have at least this",
        ),
      ),
    );
    pane.note(
      "Trials are counted in the order in which they finished. A compact record keeps whole seconds, and within one " +
        "second the order in which trials were stored. Sweeps that measure a fixed list of configurations try them " +
        "in any order; learning strategies improve faster.",
    );
    pane.result = { inputs: all.length, points: bands.length, last: bands.at(-1).middle };
  },
});

/** {steps: [{tried, seconds, milliseconds}], tried, seconds} of an input. */
ResultSet.prototype.progressOf = function progressOf(input) {
  const [text, tried, seconds] = this.raw.progress[input];
  const steps =
    text === ""
      ? []
      : text.split(",").map((step) => {
          const [count, time, milliseconds] = step.split(":").map(Number);
          return { tried: count, seconds: time, milliseconds };
        });
  return { steps, tried, seconds };
};
