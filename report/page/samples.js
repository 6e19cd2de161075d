// SPDX-License-Identifier: Apache-2.0
// The single runs of configurations on one input.

addView({
  id: "samples",
  title: "Samples and intervals",
  about:
    "Times of single runs on one input, for its fastest configurations. The thick mark is the median, and " +
    "the bar is its confidence interval of about 95 % (1.57 interquartile ranges / √samples). Configurations with " +
    "overlapping bars cannot be distinguished.",
  draw(pane, set, state, settings, redraw) {
    const rows = set.inputTable.rows
      .map((row, i) => ({ row, i }))
      .filter(({ row }) => row.fastest >= 0 && shownRow(set, row, state));
    if (rows.length === 0) return pane.empty(nothingLeft(set));
    if (!rows.some(({ i }) => i === settings.input)) settings.input = rows[0].i;
    settings.count ??= 12;
    const groups = set.classes
      .map((one) => ({
        group: one || "(no class)",
        options: rows.filter(({ row }) => set.workloads[row.workload].class === one).map(({ row, i }) => [i, row.name]),
      }))
      .filter((one) => one.options.length > 0);
    pane.controls(
      selectField("Input", groups, settings.input, (value) => {
        settings.input = Number(value);
        redraw();
      }),
      selectField(
        "Configurations",
        [
          [6, "6 fastest"],
          [12, "12 fastest"],
          [30, "30 fastest"],
          [1000, "all"],
        ],
        settings.count,
        (value) => {
          settings.count = Number(value);
          redraw();
        },
      ),
    );
    const row = set.inputTable.rows[settings.input];
    const stored = new Map(
      set.raw.samples.rows
        .filter(([input]) => input === settings.input)
        .map(([, configuration, text]) => [configuration, text.split(",").map(Number)]),
    );
    const shown = row.columns
      .map((configuration, i) => ({ configuration, i }))
      .filter(({ i }) => row.outcomes[i] === "")
      .sort((a, b) => row.times[a.i] - row.times[b.i])
      .slice(0, settings.count)
      .map(({ configuration, i }) => ({
        configuration,
        median: row.times[i],
        half: row.intervals[i],
        samples: stored.get(configuration) || [],
      }));
    const colours = [look(0), look(1)];
    const dots = shown.flatMap((one, y) => one.samples.map((time, order) => [time, y, order + 1]));
    const intervals = shown.map((one, y) => [
      one.median,
      y,
      Number.isFinite(one.half) ? one.median * (1 - one.half) : one.median,
      Number.isFinite(one.half) ? one.median * (1 + one.half) : one.median,
    ]);
    const narrow = pane.isNarrow;
    pane.chart(
      90 + shown.length * 26,
      `Samples of ${counted(shown.length, "configuration")} on ${row.name}`,
      {
        grid: { left: narrow ? 92 : 190, right: 24, top: 10, bottom: 50 },
        tooltip: {
          trigger: "item",
          formatter: ({ value, seriesIndex }) => {
            const one = shown[value[1]];
            return tip(
              `${configurationName(one.configuration)}: ${set.describe(one.configuration)}`,
              seriesIndex === 0
                ? `run ${value[2]}: ${formatTime(value[0])}`
                : `median ${formatTime(one.median)} ± ${formatPercent(one.half)}`,
              one.samples.length ? counted(one.samples.length, "sample") : "",
            );
          },
        },
        xAxis: axis(`time of a run (ms${set.device.modelled ? ", modelled" : ""})`, {
          type: "value",
          scale: true,
          axisLabel: { formatter: (value) => formatNumber(value, 4) },
        }),
        yAxis: axis("", {
          type: "category",
          inverse: true,
          data: shown.map((one) => (narrow ? configurationName(one.configuration) : set.shortName(one.configuration))),
          axisLabel: {
            width: narrow ? 80 : 175,
            overflow: "truncate",
            hideOverlap: false,
            interval: 0,
            color: themeColour("text"),
          },
        }),
        series: [
          { type: "scatter", data: dots, symbolSize: 7, itemStyle: { color: colours[0].color, opacity: 0.65 } },
          {
            type: "custom",
            data: intervals,
            z: 5,
            encode: { x: [0, 2, 3], y: 1 },
            renderItem: (parameters, api) => {
              const [middle, y] = api.coord([api.value(0), api.value(1)]);
              const [left] = api.coord([api.value(2), api.value(1)]);
              const [right] = api.coord([api.value(3), api.value(1)]);
              const stroke = colours[1].color;
              const line = (x1, y1, x2, y2, lineWidth) => ({
                type: "line",
                shape: { x1, y1, x2, y2 },
                style: { stroke, lineWidth },
              });
              return {
                type: "group",
                children: [
                  line(left, y, right, y, 2),
                  line(left, y - 5, left, y + 5, 2),
                  line(right, y - 5, right, y + 5, 2),
                  line(middle, y - 8, middle, y + 8, 4),
                ],
              };
            },
          },
        ],
      },
      () => ({
        columns: [
          { title: "Configuration", keep: true },
          { title: "Differences from the defaults", wide: true },
          { title: "Median", ...MILLISECONDS },
          { title: "± (95 %)", ...SHARE },
          { title: "Samples in the order measured (ms)" },
          { title: "", button: true },
        ],
        rows: shown.map((one) => [
          configurationName(one.configuration),
          set.describe(one.configuration),
          one.median,
          one.half,
          one.samples.map((time) => formatNumber(time, 4)).join(" ") || "not on record",
          copyButton(configurationOption(set.labels[one.configuration]), "Copy --config"),
        ]),
      }),
      {
        points: () => ({
          columns: [
            { title: "Configuration" },
            { title: "Median", ...MILLISECONDS },
            { title: "± (95 %)", ...SHARE },
            { title: "Run", ...NUMBER },
            { title: "Sample", ...MILLISECONDS },
          ],
          rows: shown.flatMap((one) =>
            (one.samples.length > 0 ? one.samples : [null]).map((time, i) => [
              set.labels[one.configuration],
              one.median,
              one.half,
              time === null ? null : i + 1,
              time,
            ]),
          ),
        }),
      },
    );
    if (dots.length === 0)
      pane.note(
        "The single samples are not recorded: a compact record keeps the median, the spread and the number of " +
          "samples, from which the intervals are computed.",
      );
    else if (set.raw.samples.left_out > 0)
      pane.note(
        `The samples of ${counted(set.raw.samples.left_out, "trial")} of slower configurations were left out of the ` +
          "page ('mlmq report --most-samples' changes that).",
      );
    if (shown.some((one) => !Number.isFinite(one.half))) pane.note("No bar: an interval needs at least three samples.");
    pane.result = { configurations: shown.length, samples: dots.length };
  },
});

/** Returns whether a row passes the filters. */
function shownRow(set, row, state) {
  const workload = set.workloads[row.workload];
  const text = state.text.toLowerCase();
  return (
    !state.hiddenClasses.has(workload.class) &&
    (text === "" || row.name.toLowerCase().includes(text) || workload.family.toLowerCase().includes(text))
  );
}
