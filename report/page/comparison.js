// SPDX-License-Identifier: Apache-2.0
// Two result sets on the same inputs.

addView({
  id: "comparison",
  title: "Two result sets compared",
  about: "Times of the common inputs of two result sets. Choose the second one in the field “Compare with” at the top.",
  wide: true,
  draw(pane, set, state, settings, redraw) {
    const other = state.compared === null ? null : resultSets[state.compared];
    if (resultSets.length < 2)
      return pane.empty(
        "There is only one result set. Give 'mlmq report' two databases to compare them, for example from before and " +
          "after a change.",
      );
    if (!other)
      return pane.empty(
        "Choose a result set to compare with this one, in the field “Compare with” at the top of the page.",
      );
    if (other.problem !== set.problem)
      return pane.empty(
        `The result sets are of different problems, ${set.problem} and ${other.problem}: their times cannot be ` +
          "compared.",
      );
    const modelled = set.device.modelled !== other.device.modelled;
    if (modelled)
      return pane.empty("One result set has modelled times and the other measured ones: they cannot be compared.");
    settings.what ??= "same";
    const pairs = pairsOf(set, other, state);
    if (pairs.inputs.length === 0)
      return pane.empty("The result sets have no workload with the same content in common.");
    if (settings.what === "same" && pairs.trials.length === 0) settings.what = "best";
    pane.controls(
      selectField(
        "Compare",
        [
          ...(pairs.trials.length > 0 ? [["same", "the same configuration on the same input"]] : []),
          ["best", "the fastest configuration of each on the same input"],
        ],
        settings.what,
        (value) => {
          settings.what = value;
          redraw();
        },
      ),
    );
    const points = settings.what === "same" ? pairs.trials : pairs.inputs;
    if (set.device.name !== other.device.name)
      pane.note(`The devices differ: ${set.device.name} and ${other.device.name}.`);
    const ratios = Float64Array.from(points, (one) => one.second / one.first).sort();
    const geometric = Math.exp(mean(Array.from(ratios, Math.log)));
    const slower = ratios.filter((one) => one > 1.05).length;
    const faster = ratios.filter((one) => one < 1 / 1.05).length;
    pane.add(
      element(
        "div",
        { class: "figures" },
        ...[
          [points.length.toLocaleString("en-US"), settings.what === "same" ? "pairs of trials" : "inputs"],
          [`${formatNumber(quantile(ratios, 0.5))} ×`, "median of second / first"],
          [`${formatNumber(geometric)} ×`, "geometric mean of second / first"],
          [formatPercent(slower / points.length), "more than 5 % slower in the second"],
          [formatPercent(faster / points.length), "more than 5 % faster in the second"],
        ].map(([value, text]) => element("div", {}, element("b", {}, value), element("span", {}, text))),
      ),
    );
    pane.note(`First: ${set.name}. Second: ${other.name}.`);
    const most = 6000;
    const every = Math.max(1, Math.ceil(points.length / most));
    const drawn = points.filter((_, i) => i % every === 0);
    const ends = points.reduce(
      ([low, high], one) => [Math.min(low, one.first, one.second), Math.max(high, one.first, one.second)],
      [Infinity, 0],
    );
    const classes = [...new Set(points.map((one) => set.workloads[one.workload].class))].sort();
    const host = element("div", { class: "panes two" });
    pane.add(host);
    const left = new Pane(host, set);
    const right = new Pane(host, set);
    pane.parts = [left, right];
    const order = points.slice().sort((a, b) => b.second / b.first - a.second / a.first);
    const columns = [
      { title: "Input" },
      { title: "Configuration" },
      { title: "First", ...MILLISECONDS },
      { title: "Second", ...MILLISECONDS },
      { title: "Second / first", ...NUMBER },
    ];
    const line = (one) => [one.name, one.text, one.first, one.second, one.second / one.first];
    left.chart(
      400,
      "Times of the second result set against times of the first",
      {
        grid: { left: 66, right: 20, top: 16, bottom: 50 },
        tooltip: {
          trigger: "item",
          formatter: ({ value }) => {
            const one = drawn[value[2]];
            return one
              ? tip(
                  one.name,
                  one.text,
                  `first ${formatTime(one.first)}, second ${formatTime(one.second)}`,
                  `second / first ${formatNumber(one.second / one.first)}`,
                )
              : "";
          },
        },
        xAxis: logAxis("time in the first (ms)", logEnds(ends)),
        yAxis: logAxis("time in the second (ms)", { ...logEnds(ends), nameGap: 46 }),
        series: [
          ...classes.map((one, k) => {
            const style = look(k);
            return {
              name: one,
              type: "scatter",
              symbol: style.symbol,
              symbolSize: 7,
              itemStyle: { color: style.color, opacity: 0.55 },
              data: drawn
                .map((point, i) => ({ point, i }))
                .filter(({ point }) => set.workloads[point.workload].class === one)
                .map(({ point, i }) => [point.first, point.second, i]),
            };
          }),
          {
            type: "line",
            silent: true,
            showSymbol: false,
            data: [
              [ends[0], ends[0]],
              [ends[1], ends[1]],
            ],
            lineStyle: { color: themeColour("muted"), type: "dashed", width: 1.5 },
            tooltip: { show: false },
          },
        ],
      },
      () => ({ columns, rows: order.map(line) }),
      { legend: classes },
    );
    left.add(
      element(
        "div",
        { class: "keys" },
        classes.map((one, k) => element("span", { class: "key" }, sample(look(k), "mark"), one || "(no class)")),
        element("span", { class: "key" }, sample({ color: themeColour("muted"), dash: "dashed" }), "equal times"),
      ),
    );
    const style = look(0);
    right.chart(
      400,
      "Share of pairs by ratio of times",
      {
        grid: { left: 62, right: 24, top: 16, bottom: 50 },
        tooltip: { trigger: "item" },
        xAxis: logAxis(
          "second / first (left of 1: the second is faster)",
          logEnds([0.9, 1.1, ratios[0], ratios.at(-1)]),
        ),
        yAxis: axis("share with at most this ratio (%)", {
          type: "value",
          min: 0,
          max: 1,
          nameGap: 44,
          axisLabel: { formatter: (value) => formatNumber(100 * value) },
        }),
        series: [
          {
            type: "line",
            step: "end",
            showSymbol: false,
            emphasis: { disabled: true },
            lineStyle: { color: style.color, width: 2.2 },
            itemStyle: { color: style.color },
            data: Array.from(ratios, (value, i) => [value, (i + 1) / ratios.length]),
            markLine: {
              silent: true,
              symbol: "none",
              label: { show: false },
              lineStyle: { color: themeColour("muted"), type: "dashed" },
              data: [{ xAxis: 1 }],
            },
          },
        ],
      },
      () => ({ columns, rows: order.map(line) }),
    );
    pane.heading("Slower in the second");
    pane.add(
      table(
        columns,
        order
          .filter((one) => one.second > one.first)
          .slice(0, 200)
          .map(line),
        8,
      ),
    );
    pane.heading("Faster in the second");
    pane.add(
      table(
        columns,
        order
          .filter((one) => one.second < one.first)
          .reverse()
          .slice(0, 200)
          .map(line),
        8,
      ),
    );
    if (pairs.changes.size > 0) {
      pane.heading("Outcomes that changed");
      pane.add(
        table(
          [{ title: "First" }, { title: "Second" }, { title: "Trials", number: true }, { title: "Example" }],
          [...pairs.changes.values()]
            .sort((a, b) => b.count - a.count)
            .map((one) => [one.from, one.to, one.count, one.example]),
          12,
        ),
      );
    }
    pane.note(
      `${counted(pairs.onlyFirst, "input")} only in the first, ${counted(pairs.onlySecond, "input")} only in the ` +
        "second.",
    );
    pane.result = {
      points: points.length,
      median: quantile(ratios, 0.5),
      changes: [...pairs.changes.values()].reduce((sum, one) => sum + one.count, 0),
    };
  },
});

/** Inputs with the same workload and query, and trials of the same configuration on them. */
function pairsOf(set, other, state) {
  const key = (of, row) => `${of.workloads[row.workload].id} ${row.query}`;
  const second = new Map(other.inputTable.rows.map((row) => [key(other, row), row]));
  const configuration = new Map(other.ids.map((id, c) => [id, c]));
  const result = { inputs: [], trials: [], changes: new Map(), onlyFirst: 0, onlySecond: 0 };
  let common = 0;
  for (const row of set.inputTable.rows) {
    const match = second.get(key(set, row));
    if (!match) {
      ++result.onlyFirst;
      continue;
    }
    ++common;
    if (!shownRow(set, row, state)) continue;
    if (row.fastest >= 0 && match.fastest >= 0) {
      result.inputs.push({
        workload: row.workload,
        name: row.name,
        text: `first ${configurationName(row.fastest)}, second ${configurationName(match.fastest)}`,
        first: row.best,
        second: match.best,
      });
    }
    row.columns.forEach((c, i) => {
      const there = configuration.get(set.ids[c]);
      const at = there === undefined ? -1 : Table.place(match, there);
      if (at < 0) return;
      if (row.outcomes[i] === "" && match.outcomes[at] === "") {
        if (row.times[i] > 0 && match.times[at] > 0)
          result.trials.push({
            workload: row.workload,
            name: row.name,
            text: `${configurationName(c)}: ${set.describe(c)}`,
            first: row.times[i],
            second: match.times[at],
          });
      } else if (row.outcomes[i] !== match.outcomes[at]) {
        const from = OUTCOMES[row.outcomes[i]] || "ok";
        const to = OUTCOMES[match.outcomes[at]] || "ok";
        if (!result.changes.has(`${from} ${to}`))
          result.changes.set(`${from} ${to}`, {
            from,
            to,
            count: 0,
            example: `${configurationName(c)} on ${row.name}`,
          });
        ++result.changes.get(`${from} ${to}`).count;
      }
    });
  }
  result.onlySecond = other.inputTable.rows.length - common;
  return result;
}
