// SPDX-License-Identifier: Apache-2.0
// Configurations as lines through their parameters.

const SCORE_AXES = [
  ["mean relative performance", (score) => score.mean],
  ["within 0.9 of the best (%)", (score) => 100 * score.near],
  [
    "stopped or failed (%)",
    (score) => (score.measured > 0 ? (100 * (score.stopped + score.failed)) / score.measured : 0),
  ],
];

addView({
  id: "parallel",
  title: "Parallel coordinates",
  about:
    "Each line is a configuration: it passes through the values of its parameters and through its scores. Drag along " +
    "an axis to keep only the lines that pass there (click the axis to clear the selection), or set the " +
    "same limits with the fields below. “–” stands for a parameter that the configuration does not use.",
  draw(pane, set, state, settings, redraw) {
    const rows = shownRows(set, state);
    if (rows.length === 0) return pane.empty(nothingLeft(set));
    if (set.labels.length < 2) return pane.empty("There is only one configuration on record.");
    const scores = configurationScores(set, rows);
    const cost = new Map(set.varying.map((name) => [name, costOfFixing(set, rows, name).loss]));
    settings.axes ??= new Set(
      [...set.varying].sort((a, b) => cost.get(b) - cost.get(a)).slice(0, pane.isNarrow ? 5 : 9),
    );
    const names = set.varying.filter((name) => settings.axes.has(name));
    pane.add(
      fold(`Axes: ${names.length} of ${set.varying.length} parameters that vary`, () =>
        checkBoxes(
          "Parameters, at first those whose choice matters most",
          set.varying,
          (name) => settings.axes.has(name),
          (name, checked) => {
            if (checked) settings.axes.add(name);
            else settings.axes.delete(name);
            settings.limits = [];
            redraw();
          },
        ),
      ),
    );
    const axes = names.map((name) => {
      const values = set.values(name);
      const numeric = values.length > 24 && values.every((value) => value === "–" || !isNaN(value));
      return {
        name,
        values: numeric ? null : values,
        of: (c) => (numeric ? (set.parameters[name][c] ?? 0) : set.value(name, c)),
      };
    });
    SCORE_AXES.forEach(([name, of]) => axes.push({ name, values: null, of: (c) => of(scores[c]) }));
    const most = 3000;
    const all = scores.filter((score) => score.measured > 0).sort((a, b) => a.mean - b.mean);
    const measured = all.slice(-most);
    const order = measured.map((score) => score.configuration);
    const best = measured.at(-1).mean;
    const narrow = pane.isNarrow;
    const chart = pane.chart(
      narrow ? 130 + axes.length * 62 : 440,
      `Parallel coordinates of ${counted(order.length, "configuration")} through ${axes.length} axes`,
      {
        tooltip: {
          formatter: ({ dataIndex }) =>
            tip(
              `${configurationName(order[dataIndex])}, ` +
                `mean relative performance ${formatNumber(scores[order[dataIndex]].mean)}`,
              set.describe(order[dataIndex]),
            ),
        },
        visualMap: {
          show: true,
          type: "continuous",
          min: 0,
          max: Math.max(0.01, best),
          dimension: axes.length - 3,
          orient: "horizontal",
          left: "center",
          top: 0,
          itemHeight: 120,
          itemWidth: 12,
          calculable: false,
          precision: 2,
          text: [`${formatNumber(best)}`, narrow ? "mean 0" : "mean relative performance 0"],
          textStyle: { color: themeColour("muted") },
          inRange: {
            color: isDark()
              ? ["#5b4b8a", "#2fa0b8", "#7ad151", "#fde725"]
              : ["#440154", "#2a788e", "#35b779", "#c7b010"],
          },
        },
        parallel: narrow
          ? { layout: "vertical", left: 20, right: 24, top: 70, bottom: 16 }
          : { left: 40, right: 70, top: 104, bottom: 24, parallelAxisDefault: {} },
        parallelAxis: axes.map((one, i) => ({
          dim: i,
          name: narrow ? one.name : breakName(one.name),
          type: one.values ? "category" : "value",
          data: one.values ?? undefined,
          inverse: false,
          min: one.values ? undefined : i >= axes.length - 3 ? 0 : undefined,
          max: one.name.includes("(%)") ? 100 : undefined,
          nameLocation: "end",
          nameTextStyle: {
            color: themeColour("text"),
            fontSize: 11.5,
            lineHeight: 14,
            align: narrow ? "left" : "center",
          },
          nameGap: narrow ? -4 : 10,
          ...(narrow
            ? {
                nameLocation: "start",
                nameGap: 0,
                nameTextStyle: {
                  color: themeColour("text"),
                  fontSize: 11.5,
                  textBorderColor: themeColour("card"),
                  textBorderWidth: 3,
                  align: "left",
                  verticalAlign: "bottom",
                  padding: [0, 0, 5, 0],
                },
              }
            : {}),
          axisLine: { lineStyle: { color: themeColour("muted") } },
          axisLabel: {
            color: themeColour("text"),
            fontSize: 11,
            textBorderColor: themeColour("card"),
            textBorderWidth: 3,
            formatter: (value) => (typeof value === "number" ? formatNumber(value) : value),
          },
          areaSelectStyle: {
            width: 22,
            borderColor: themeColour("accent"),
            color: themeColour("accent"),
            opacity: 0.25,
          },
        })),
        series: [
          {
            type: "parallel",
            smooth: false,
            lineStyle: { width: order.length > 300 ? 1 : 1.6, opacity: order.length > 1000 ? 0.25 : 0.75 },
            inactiveOpacity: 0.04,
            activeOpacity: 0.95,
            progressive: 0,
            data: order.map((c) => axes.map((one) => one.of(c))),
          },
        ],
      },
      () => ({
        columns: [{ title: "Configuration" }, ...axes.map((one) => ({ title: one.name, ...NUMBER }))],
        rows: order.map((c) => [set.labels[c], ...axes.map((one) => one.of(c))]),
      }),
    );
    const selected = element("div", { "aria-live": "polite" });
    if (all.length > most)
      pane.note(
        `The ${most.toLocaleString("en-US")} best of ${all.length.toLocaleString("en-US")} configurations are shown.`,
      );
    settings.limits ??= [];
    const show = () => {
      const active = activeLines(chart, order.length);
      const kept = active.map((i) => order[i]).sort((a, b) => scores[b].mean - scores[a].mean);
      pane.result = { lines: order.length, selected: kept.length, axes: axes.map((one) => one.name) };
      selected.replaceChildren(
        element(
          "h4",
          {},
          kept.length === order.length
            ? `All ${counted(kept.length, "configuration")}`
            : `${kept.length} of ${counted(order.length, "configuration")} selected`,
        ),
        table(
          [
            { title: "", keep: true },
            { title: "Differences from the defaults", wide: true },
            { title: "Mean relative performance", ...NUMBER },
            { title: "Within 0.9", ...SHARE },
            { title: "", button: true },
          ],
          kept.map((c) => [
            configurationName(c),
            set.describe(c),
            scores[c].mean,
            scores[c].near,
            copyButton(configurationOption(set.labels[c]), "Copy --config"),
          ]),
          5,
        ),
      );
    };
    chart.on("axisareaselected", show);
    chart.getZr().on("mouseup", () => {
      settings.limits = chart
        .getModel()
        .queryComponents({ mainType: "parallelAxis" })
        .map((one, i) => ({ axis: i, intervals: one.activeIntervals }))
        .filter((limit) => limit.intervals.length > 0);
      pane.changed();
    });
    pane.add(limitFields(axes, settings, (limits) => applyLimits(chart, axes, limits), redraw, pane.changed));
    pane.add(selected);
    applyLimits(chart, axes, settings.limits);
    show();
    pane.brush = (axisName, from, to) => {
      settings.limits = [{ axis: axes.findIndex((one) => one.name === axisName), from, to }];
      pane.changed();
      applyLimits(chart, axes, settings.limits);
      show();
    };
  },
});

/** Breaks long names of axes into several lines. */
function breakName(name) {
  const words = name.split(/[_ ]/);
  const lines = [];
  for (const word of words) {
    if (lines.length > 0 && `${lines.at(-1)} ${word}`.length <= 11) lines[lines.length - 1] += ` ${word}`;
    else lines.push(word);
  }
  return lines.join("\n");
}

/** Lines that pass through all selected intervals. */
function activeLines(chart, count) {
  const series = chart.getModel().getSeriesByIndex(0);
  const limited = chart
    .getOption()
    .parallelAxis.some((one) => (one.areaSelectIntervals || one.activeIntervals || []).length > 0);
  const active = series.getRawIndicesByActiveState("active");
  return active.length > 0 || limited || anyActive(chart) ? active : Array.from({ length: count }, (_, i) => i);
}

function anyActive(chart) {
  return chart
    .getModel()
    .queryComponents({ mainType: "parallelAxis" })
    .some((one) => one.activeIntervals.length > 0);
}

function applyLimits(chart, axes, limits) {
  axes.forEach((_, i) => {
    const intervals = limits
      .filter((limit) => limit.axis === i)
      .flatMap(({ from, to, intervals: brushed }) =>
        brushed
          ? brushed
          : [
              axes[i].values
                ? [
                    Math.min(axes[i].values.indexOf(from), axes[i].values.indexOf(to)) - 0.4,
                    Math.max(axes[i].values.indexOf(from), axes[i].values.indexOf(to)) + 0.4,
                  ]
                : [Math.min(Number(from), Number(to)), Math.max(Number(from), Number(to))],
            ],
      );
    const id = chart.getModel().queryComponents({ mainType: "parallelAxis" })[i].id;
    chart.dispatchAction({ type: "axisAreaSelect", parallelAxisId: id, intervals });
  });
}

/** Fields to select intervals by keyboard: an axis, from, to. */
function limitFields(axes, settings, apply, redraw, changed) {
  const host = element("div", { class: "controls" });
  const draw = () => {
    settings.axis ??= axes.length - 3;
    const chosen = axes[Math.min(settings.axis, axes.length - 1)];
    const number = (label, value) =>
      element(
        "label",
        { class: "field" },
        label,
        element("input", { type: "number", step: "any", value, style: "width:7rem" }),
      );
    const from = chosen.values ? selectField("from", chosen.values, chosen.values[0], () => {}) : number("from", 0);
    const to = chosen.values
      ? selectField("to", chosen.values, chosen.values.at(-1), () => {})
      : number("to", chosen.name.includes("(%)") ? 100 : 1);
    host.replaceChildren(
      selectField(
        "Keep the lines with",
        axes.map((one, i) => [i, one.name]),
        settings.axis,
        (value) => {
          settings.axis = Number(value);
          draw();
        },
      ),
      from,
      to,
      element(
        "button",
        {
          type: "button",
          click: () => {
            const read = (field) => field.querySelector("select, input").value;
            settings.limits = [
              ...settings.limits.filter((limit) => limit.axis !== settings.axis),
              { axis: settings.axis, from: read(from), to: read(to) },
            ];
            apply(settings.limits);
            changed();
          },
        },
        "Keep",
      ),
      element(
        "button",
        {
          type: "button",
          click: () => {
            settings.limits = [];
            redraw();
          },
        },
        "Keep all",
      ),
    );
  };
  draw();
  return host;
}
