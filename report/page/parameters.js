// SPDX-License-Identifier: Apache-2.0
// Effect of each parameter on performance.

addView({
  id: "parameters",
  title: "Effect of each parameter",
  about:
    "Above: loss of mean relative performance if a parameter is fixed to its best single value for all workloads, " +
    "while all other parameters are still chosen for each workload. Below: one parameter in detail.",
  draw(pane, set, state, settings, redraw) {
    const rows = shownRows(set, state);
    if (rows.length === 0) return pane.empty(nothingLeft(set));
    if (set.varying.length === 0) return pane.empty("No parameter varies between the configurations on record.");
    const costs = set.varying
      .map((name) => ({ name, ...costOfFixing(set, rows, name) }))
      .sort((a, b) => a.loss - b.loss);
    const aliases = aliasedEffects(costs);
    const others = (one) => (aliases.get(one.name) ?? []).filter((other) => other !== one);
    // Aliased parameters share one bar, that of the first of them.
    const bars = costs.filter((one) => one.loss >= 0.0005 && (aliases.get(one.name)?.[0] ?? one) === one);
    const without = costs.filter((one) => one.loss < 0.0005).length;
    const title = (name) => (set.unit(name) ? `${name} (${set.unit(name)})` : name);
    const drawBars = () =>
      pane.chart(
        70 + Math.max(2, bars.length) * 24,
        `Loss by fixing each of ${bars.length} parameters`,
        {
          grid: { left: pane.isNarrow ? 130 : 190, right: pane.isNarrow ? 60 : 150, top: 8, bottom: 46 },
          tooltip: {
            trigger: "item",
            formatter: ({ dataIndex }) =>
              tip(
                bars[dataIndex].name,
                set.meaning(bars[dataIndex].name),
                `best single value: ${bars[dataIndex].value}`,
                `loss ${formatPercent(bars[dataIndex].loss)}`,
                others(bars[dataIndex]).length > 0
                  ? `aliased with ${others(bars[dataIndex]).map(fixedText).join(", ")}`
                  : "",
              ),
          },
          // ECharts shrinks a plot until the name of its axis fits.
          xAxis: axis(pane.isNarrow ? "mean loss (%)" : "mean relative performance lost by fixing the parameter (%)", {
            type: "value",
            min: 0,
            axisLabel: { formatter: (value) => formatNumber(100 * value) },
          }),
          yAxis: axis("", {
            type: "category",
            data: bars.map((one) => one.name + (others(one).length > 0 ? ` + ${others(one).length} aliased` : "")),
            axisLabel: {
              width: pane.isNarrow ? 115 : 175,
              overflow: "truncate",
              color: themeColour("text"),
              hideOverlap: false,
              interval: 0,
            },
            splitLine: { show: false },
          }),
          series: [
            {
              type: "bar",
              data: bars.map((one) => ({
                value: one.loss,
                itemStyle: others(one).length > 0 ? aliasedStyle() : { color: look(0).color },
              })),
              barMaxWidth: 16,
              label: {
                show: true,
                position: "right",
                color: themeColour("muted"),
                formatter: ({ dataIndex }) => {
                  const { loss, value } = bars[dataIndex];
                  if (pane.isNarrow) return formatPercent(loss);
                  return `${formatPercent(loss)} ${value === "–" ? "without it" : `at ${value}`}`;
                },
              },
            },
          ],
        },
        () => ({
          columns: [
            { title: "Parameter" },
            { title: "Meaning" },
            { title: "Best single value" },
            { title: "Loss", ...SHARE },
            { title: "Aliased with" },
          ],
          rows: costs
            .slice()
            .reverse()
            .map((one) => [
              title(one.name),
              set.meaning(one.name),
              one.value,
              one.loss,
              others(one).map(fixedText).join(", "),
            ]),
        }),
        { remarks: aliasRemarks(set, bars, aliases) },
      );
    settings.parameter = set.varying.includes(settings.parameter) ? settings.parameter : costs.at(-1).name;
    if (bars.length > 0)
      drawBars().on("click", ({ dataIndex }) => {
        settings.parameter = bars[dataIndex].name;
        redraw();
      });
    if (without > 0)
      pane.note(`${counted(without, "parameter")} of ${costs.length} can be fixed with a loss below 0.05 %.`);
    pane.controls(
      selectField(
        "Parameter",
        costs
          .slice()
          .reverse()
          .map((one) => one.name),
        settings.parameter,
        (value) => {
          settings.parameter = value;
          redraw();
        },
      ),
    );
    const name = settings.parameter;
    if (set.meaning(name)) pane.note(`${name}: ${set.meaning(name)}.`);
    if (aliases.has(name))
      pane.note(
        `Aliased: the effect of ${name} cannot be distinguished from that of ` +
          `${others(costs.find((one) => one.name === name))
            .map(fixedText)
            .join(", ")}.`,
      );
    const scores = scoresByValue(set, rows, name);
    const most = 40;
    const shown =
      scores.length <= most
        ? scores
        : scores
            .slice()
            .sort((x, y) => y.best - x.best)
            .slice(0, most)
            .sort((x, y) => x.index - y.index);
    const relative = new Map(shown.map((one) => [one.index, []]));
    const index = set.valueIndex(name);
    for (const row of rows) {
      row.columns.forEach((configuration, i) => {
        const list = relative.get(index[configuration]);
        if (list) list.push(row.outcomes[i] === "" ? ratio(row.best, row.times[i]) : 0);
      });
    }
    const configurations = new Map();
    index.forEach((value) => configurations.set(value, (configurations.get(value) || 0) + 1));
    const values = shown.map((one) => {
      const sorted = Float64Array.from(relative.get(one.index)).sort();
      return {
        ...one,
        configurations: configurations.get(one.index),
        trials: sorted.length,
        box: [0.05, 0.25, 0.5, 0.75, 0.95].map((q) => quantile(sorted, q)),
      };
    });
    if (scores.length > most)
      pane.note(`The ${most} best of ${scores.length.toLocaleString("en-US")} values are shown.`);
    const colours = [look(0), look(1), look(2)];
    const keys = [
      ["best configuration with this value, mean over workloads", { color: colours[1].color, symbol: "diamond" }],
      ["share of workloads whose fastest configuration has it", { color: colours[2].color, symbol: "triangle" }],
      [
        "all trials with it: median, quartiles, 5 % and 95 %; failures count as 0",
        { color: colours[0].color, symbol: "rect" },
      ],
    ];
    pane.chart(
      340,
      `Relative performance by the value of ${name}`,
      {
        grid: { left: 58, right: 18, top: 16, bottom: 50 },
        tooltip: {
          trigger: "axis",
          axisPointer: { type: "shadow", shadowStyle: { opacity: 0.15 } },
          formatter: (items) => {
            const one = values[items[0].dataIndex];
            return tip(
              `${name} = ${one.value}`,
              counted(one.configurations, "configuration"),
              `best configuration with it: mean ${formatNumber(one.best)}`,
              `the fastest on ${formatPercent(one.wins)}`,
              `median of all its trials ${formatNumber(one.box[2])}`,
              `quartiles ${formatNumber(one.box[1])} and ${formatNumber(one.box[3])}`,
            );
          },
        },
        xAxis: axis(title(name), {
          type: "category",
          data: values.map((one) => one.value),
          splitLine: { show: false },
        }),
        yAxis: axis("relative performance", { type: "value", min: 0, max: 1, nameGap: 38 }),
        series: [
          {
            name: keys[2][0],
            type: "boxplot",
            data: values.map((one) => one.box),
            itemStyle: { color: themeColour("grid"), borderColor: colours[0].color, borderWidth: 1.5 },
            boxWidth: [8, 36],
          },
          {
            name: keys[0][0],
            type: "line",
            data: values.map((one) => one.best),
            symbol: "diamond",
            symbolSize: 11,
            itemStyle: { color: colours[1].color },
            lineStyle: { color: colours[1].color, type: "dashed", width: 1.5 },
          },
          {
            name: keys[1][0],
            type: "line",
            data: values.map((one) => one.wins),
            symbol: "triangle",
            symbolSize: 9,
            itemStyle: { color: colours[2].color },
            lineStyle: { color: colours[2].color, type: "dotted", width: 1.5 },
          },
        ],
      },
      () => ({
        columns: [
          { title: title(name) },
          { title: "Configurations", ...NUMBER },
          { title: "Trials", ...NUMBER },
          { title: "Best with it, mean", ...NUMBER },
          { title: "Fastest on", ...SHARE },
          ...["5 %", "Lower quartile", "Median", "Upper quartile", "95 %"].map((words) => ({
            title: words,
            ...NUMBER,
          })),
        ],
        rows: values.map((one) => [one.value, one.configurations, one.trials, one.best, one.wins, ...one.box]),
      }),
      { legend: keys.map(([text]) => text) },
    );
    pane.add(
      element(
        "div",
        { class: "keys" },
        keys.map(([text, style]) => element("span", { class: "key" }, sample(style, "mark"), text)),
      ),
    );
    pane.result = {
      costs: costs.map(({ name: parameter, loss, value }) => ({ parameter, loss, value })),
      aliased: [...new Set(aliases.values())].map((group) => group.map((one) => one.name)),
      parameter: name,
      values: values.map(({ value, best }) => ({ value, best })),
    };
  },
});

const fixedText = ({ name, value }) => (value === "–" ? `${name} unused` : `${name} = ${value}`);

function aliasedStyle() {
  return { color: "transparent", borderColor: look(0).color, borderWidth: 1.5, borderType: "dashed" };
}

function aliasRemarks(set, bars, aliases) {
  return bars
    .filter((one) => aliases.has(one.name))
    .map(
      (one) =>
        `Aliased (dashed bar): ${aliases.get(one.name).map(fixedText).join(", ")} keep the same ` +
        `${one.kept.length} of ${counted(set.labels.length, "configuration")}. This record cannot distinguish ` +
        "their effects.",
    );
}
