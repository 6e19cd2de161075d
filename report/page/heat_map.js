// SPDX-License-Identifier: Apache-2.0
// Relative performance of every configuration on every workload.

addView({
  id: "heat-map",
  title: "Workloads × configurations",
  about:
    "Each cell is the relative performance of one configuration (column, best mean on the left) on one workload " +
    "(row). Bright is fast. Grey cells were stopped at a time limit, orange cells failed, empty cells were not " +
    "measured. Zoom with the sliders.",
  draw(pane, set, state, settings, redraw) {
    const rows = shownRows(set, state);
    if (rows.length === 0) return pane.empty(nothingLeft(set));
    settings.rows ??= "each";
    settings.order ??= "name";
    pane.controls(
      selectField(
        "Rows",
        [
          ["each", state.unit === "input" ? "inputs" : "workloads"],
          ["family", "families (mean)"],
          ["class", "classes (mean)"],
        ],
        settings.rows,
        (value) => {
          settings.rows = value;
          settings.zoom = undefined;
          redraw();
        },
      ),
      selectField(
        "Order",
        [
          ["name", "class and name"],
          ["fastest", "fastest configuration"],
          ["time", "best time"],
        ],
        settings.order,
        (value) => {
          settings.order = value;
          redraw();
        },
      ),
    );
    const scores = configurationScores(set, rows).sort((a, b) => b.mean - a.mean);
    const maximum = 400;
    const columns = scores.slice(0, maximum).map((one) => one.configuration);
    const column = new Map(columns.map((configuration, i) => [configuration, i]));
    const lines = heatRows(set, rows, settings.rows);
    const name = (line) => `${line.class}: ${line.name}`;
    const by = {
      name: (a, b) => (name(a) < name(b) ? -1 : 1),
      fastest: (a, b) => (column.get(a.fastest) ?? 0) - (column.get(b.fastest) ?? 0) || (name(a) < name(b) ? -1 : 1),
      time: (a, b) => a.best - b.best,
    };
    lines.sort(by[settings.order]);
    const cells = [];
    const marks = [];
    lines.forEach((line, y) =>
      line.cells.forEach((cell, configuration) => {
        const x = column.get(configuration);
        if (x === undefined) return;
        if (cell.value > 0) cells.push([x, y, Number(cell.value.toFixed(4))]);
        else marks.push([x, y, cell.stopped ? 1 : 2]);
      }),
    );
    const rowHeight = 15; // the least that fits the name of a row
    const narrow = pane.isNarrow;
    const cellOf = ({ value: [x, y] }) => {
      const configuration = columns[x];
      const line = lines[y];
      const cell = line.cells.get(configuration);
      return tip(
        `${line.name} (${line.class})`,
        `${configurationName(configuration)}: ${set.describe(configuration)}`,
        cell.value > 0 ? `relative performance ${formatNumber(cell.value)}` : "",
        cell.text,
      );
    };
    const base = {
      type: "heatmap",
      progressive: 0,
      emphasis: { itemStyle: { borderColor: themeColour("text"), borderWidth: 1 } },
    };
    const zoom = ([start, end] = [0, 100]) => ({ start, end });
    // Every n-th label, so that they do not overlap. ECharts' own interval lets labels of low rows overlap.
    const interval = (count, length, room, [start, end] = [0, 100]) => {
      const every = Math.max(1, Math.ceil((room * count * (end - start)) / 100 / length));
      return (index) => index % every === 0;
    };
    const plot = { left: narrow ? 12 : 170, right: 44, top: 56, bottom: 88 };
    const height = Math.min(900, Math.max(300, plot.top + plot.bottom + lines.length * rowHeight));
    const intervals = () => [
      interval(lines.length, height - plot.top - plot.bottom, rowHeight, settings.zoom?.[0]),
      interval(columns.length, pane.width - plot.left - plot.right, 32, settings.zoom?.[1]),
    ];
    const spreadLabels = () => {
      const [ofRows, ofColumns] = intervals();
      chart.setOption({ xAxis: { axisLabel: { interval: ofColumns } }, yAxis: { axisLabel: { interval: ofRows } } });
    };
    const [rowInterval, columnInterval] = intervals();
    const chart = pane.chart(
      height,
      `Relative performance of ${counted(columns.length, "configuration")} on ${counted(lines.length, "row")}`,
      {
        grid: plot,
        tooltip: { formatter: cellOf },
        xAxis: axis("configuration, the best mean first", {
          type: "category",
          data: columns.map((c) => configurationName(c)),
          nameGap: 28,
          splitLine: { show: false },
          axisLabel: { interval: columnInterval, hideOverlap: false },
        }),
        yAxis: axis("", {
          type: "category",
          inverse: true,
          data: lines.map((line) => line.name),
          splitLine: { show: false },
          axisLabel: {
            show: !narrow,
            width: 150,
            overflow: "truncate",
            fontSize: 11,
            interval: rowInterval,
            hideOverlap: false,
          },
        }),
        visualMap: [
          {
            type: "continuous",
            seriesIndex: 0,
            min: 0,
            max: 1,
            dimension: 2,
            orient: "horizontal",
            left: "center",
            top: 4,
            itemWidth: 14,
            itemHeight: narrow ? 90 : 170,
            calculable: true,
            precision: 2,
            text: ["1", "relative performance 0"],
            textStyle: { color: themeColour("muted") },
            inRange: { color: VIRIDIS },
          },
          {
            type: "piecewise",
            seriesIndex: 1,
            dimension: 2,
            show: false,
            pieces: [
              { value: 1, color: isDark() ? "#8a929c" : "#b4bac2" },
              { value: 2, color: "#e8590c" },
            ],
          },
        ],
        dataZoom: [
          {
            type: "slider",
            yAxisIndex: 0,
            ...zoom(settings.zoom?.[0]),
            right: 6,
            width: 18,
            filterMode: "none",
            showDetail: false,
            borderColor: themeColour("line"),
            brushSelect: false,
          },
          {
            type: "slider",
            xAxisIndex: 0,
            ...zoom(settings.zoom?.[1]),
            bottom: 12,
            height: 18,
            filterMode: "none",
            showDetail: false,
            borderColor: themeColour("line"),
            brushSelect: false,
          },
        ],
        series: [
          { ...base, data: cells },
          { ...base, data: marks },
        ],
      },
      () => ({
        columns: [
          { title: "Row" },
          { title: "Class" },
          { title: "Fastest configuration" },
          { title: "Its time", ...MILLISECONDS },
          ...columns.slice(0, 12).map((c) => ({ title: configurationName(c), ...NUMBER })),
        ],
        rows: lines.map((line) => [
          line.name,
          line.class,
          line.fastest < 0 ? "" : configurationName(line.fastest),
          line.best,
          ...columns.slice(0, 12).map((c) => {
            const cell = line.cells.get(c);
            return cell === undefined ? "" : cell.value > 0 ? cell.value : cell.text;
          }),
        ]),
      }),
      {
        points: () => ({
          columns: [{ title: "Row" }, { title: "Class" }, ...columns.map((c) => ({ title: set.labels[c] }))],
          rows: lines.map((line) => [
            line.name,
            line.class,
            ...columns.map((c) => {
              const cell = line.cells.get(c);
              return cell === undefined || cell.value > 0 ? cell?.value : cell.stopped ? "stopped" : "failed";
            }),
          ]),
        }),
      },
    );
    chart.on("datazoom", () => {
      settings.zoom = chart.getOption().dataZoom.map(({ start, end }) => [start, end]);
      spreadLabels();
      pane.changed();
    });
    pane.add(
      element(
        "div",
        { class: "keys" },
        element(
          "span",
          { class: "key" },
          sample({ color: isDark() ? "#8a929c" : "#b4bac2" }, "square"),
          "stopped at a time limit",
        ),
        element("span", { class: "key" }, sample({ color: "#e8590c" }, "square"), "failed"),
      ),
    );
    if (scores.length > maximum) pane.note(`The ${maximum} best of ${scores.length} configurations are shown.`);
    pane.result = { cells: cells.length, marks: marks.length, rows: lines.length, columns: columns.length };
  },
});

/** Rows of the heat map: name, class, best time, and a map from configurations to {value, stopped, text}. */
function heatRows(set, rows, kind) {
  if (kind === "each") {
    return rows.map((row) => ({
      name: row.name,
      class: set.workloads[row.workload].class,
      best: row.best,
      fastest: row.fastest,
      cells: new Map(
        row.columns.map((configuration, i) => {
          const outcome = row.outcomes[i];
          return [
            configuration,
            {
              value: outcome === "" ? ratio(row.best, row.times[i]) : 0,
              stopped: outcome === "t",
              // Formatting the texts of all cells would take longer than everything else.
              get text() {
                return outcome === ""
                  ? formatTime(row.times[i])
                  : outcome === "t" && Number.isFinite(row.times[i])
                    ? `stopped after ${formatTime(row.times[i])}`
                    : OUTCOMES[outcome];
              },
            },
          ];
        }),
      ),
    }));
  }
  const groups = new Map();
  for (const row of rows) {
    const workload = set.workloads[row.workload];
    const key = kind === "class" ? workload.class : workload.family || workload.name;
    if (!groups.has(key)) groups.set(key, { name: key, class: workload.class, rows: [] });
    groups.get(key).rows.push(row);
  }
  return [...groups.values()].map((group) => {
    const cells = new Map();
    for (const row of group.rows) {
      row.columns.forEach((configuration, i) => {
        if (!cells.has(configuration)) cells.set(configuration, { sum: 0, count: 0, stops: 0, failures: 0 });
        const cell = cells.get(configuration);
        ++cell.count;
        if (row.outcomes[i] === "") cell.sum += ratio(row.best, row.times[i]);
        else if (row.outcomes[i] === "t") ++cell.stops;
        else ++cell.failures;
      });
    }
    let fastest = -1;
    for (const [configuration, cell] of cells) {
      cell.value = cell.sum / cell.count;
      cell.stopped = cell.stops >= cell.failures;
      const stopped = cell.stops ? `, ${cell.stops} stopped` : "";
      const failed = cell.failures ? `, ${cell.failures} failed` : "";
      cell.text = `mean of ${cell.count}${stopped}${failed}`;
      if (fastest < 0 || cell.value > cells.get(fastest).value) fastest = configuration;
    }
    return { name: group.name, class: group.class, best: mean(group.rows.map((row) => row.best)), fastest, cells };
  });
}
