// SPDX-License-Identifier: Apache-2.0
// Distribution of relative performance.

/** Ways to group configurations into families: by a parameter with few values, or by all words together if these are
 *  few. */
function familyChoices(set) {
  const few = (parameters) => {
    const count = groupsBy(set, parameters).size;
    return count >= 2 && count <= 12;
  };
  const words = set.varying.filter((name) => set.parameters[name].some((value) => typeof value === "string"));
  const choices = set.varying.filter((name) => few([name])).map((name) => [name, [name]]);
  const queues = words.filter((name) => ["solver", "queue", "algorithm", "open", "l1", "l2"].includes(name));
  if (words.length > 1 && words.join() !== queues.join() && few(words)) choices.unshift(["all words", words]);
  if (queues.length > 1 && few(queues)) choices.unshift([queues.join(" and "), queues]);
  return choices;
}

function familyCurves(set, rows, parameters) {
  const scores = configurationScores(set, rows);
  const curves = [...groupsBy(set, parameters)]
    .map(([name, configurations]) => {
      const configuration = bestFixed(scores, configurations);
      return { name, configuration, count: configurations.length, ...relativeOf(rows, configuration) };
    })
    .sort((a, b) => b.mean - a.mean);
  return curves;
}

/** Relative performance of a configuration on rows; `most`: upper bound for stopped trials. */
function relativeOf(rows, configuration) {
  const values = [];
  const most = [];
  let stopped = 0;
  let failed = 0;
  let missing = 0;
  for (const row of rows) {
    const at = Table.place(row, configuration);
    const outcome = at < 0 ? "-" : row.outcomes[at];
    const value = outcome === "" ? ratio(row.best, row.times[at]) : 0;
    values.push(value);
    if (outcome === "t") {
      ++stopped;
      most.push(Number.isFinite(row.times[at]) ? Math.min(1, row.best / row.times[at]) : 0);
    } else {
      if (outcome === "-") ++missing;
      else if (outcome !== "") ++failed;
      most.push(value);
    }
  }
  return {
    values,
    rowNames: rows.map((row) => row.name),
    most,
    stopped,
    failed,
    missing,
    mean: mean(values),
    near: mean(values.map((value) => Number(value >= 0.9))),
  };
}

/** Names the curves whose choice knows the workloads that it is judged by. */
function curveRemarks(curves) {
  const groups = new Map();
  for (const { name, training } of curves) {
    if (training) groups.set(training, [...(groups.get(training) ?? []), name]);
  }
  return [...groups].map(([training, names]) => `${names.join(", ")}: ${training}.`);
}

/** Choices of selectors, for rows that are workloads. */
function selectorCurves(set, state, rows) {
  const evaluation = set.raw.selector;
  if (!evaluation.selectors || state.unit === "input") return [];
  const row = new Map(rows.map((one, i) => [one.workload, i]));
  return evaluation.selectors
    .filter((selector) => !selector.name.startsWith("best fixed"))
    .map((selector) => {
      const all = evaluation.workloads
        .map(([workload], i) => [workload, selector.relative[i]])
        .filter(([workload]) => row.has(workload));
      const judged = all.filter(([, value]) => value !== null);
      const values = judged.map(([, value]) => value);
      return {
        name: selector.name,
        title: selector.meaning,
        training: selector.training,
        values,
        rowNames: judged.map(([workload]) => set.workloads[workload].name),
        most: values,
        stopped: 0,
        failed: 0,
        missing: all.length - judged.length,
        mean: mean(values),
        near: mean(values.map((value) => Number(value >= 0.9))),
      };
    })
    .filter((one) => one.values.length > 0);
}

addView({
  id: "performance",
  title: "Relative performance",
  about:
    "Relative performance is the best time of any configuration divided by the time of this one: 1 is the best. A " +
    "curve shows the share of workloads with at least the relative performance on the horizontal axis; higher and " +
    "further right is better. Each family of configurations is represented by its configuration with the highest " +
    "mean. A failed trial counts as 0.",
  draw(pane, set, state, settings, redraw) {
    const rows = shownRows(set, state);
    if (rows.length === 0) return pane.empty(nothingLeft(set));
    const choices = familyChoices(set);
    settings.family ??= choices.length > 0 ? choices[0][0] : "";
    const chosen = choices.find(([name]) => name === settings.family);
    const scores = configurationScores(set, rows);
    let curves = chosen
      ? familyCurves(set, rows, chosen[1])
      : scores
          .slice()
          .sort((a, b) => b.mean - a.mean)
          .slice(0, 8)
          .map((one) => ({
            name: set.shortName(one.configuration),
            configuration: one.configuration,
            count: 1,
            ...relativeOf(rows, one.configuration),
          }));
    const fixed = bestFixed(
      scores,
      set.labels.map((_, c) => c),
    );
    curves = [
      ...selectorCurves(set, state, rows),
      {
        name: `best fixed: ${configurationName(fixed)}`,
        configuration: fixed,
        training: "chosen on these workloads",
        ...relativeOf(rows, fixed),
      },
      ...curves,
    ];
    settings.hidden ??= new Set();
    const noun = state.unit === "input" ? "inputs" : "workloads";
    pane.controls(
      selectField(
        "Families by",
        [...choices.map(([name]) => name), ["", "the eight best configurations"]],
        settings.family,
        (value) => {
          settings.family = value;
          settings.hidden.clear();
          redraw();
        },
      ),
    );
    curves.forEach((curve, i) => {
      curve.style = look(i);
    });
    const shown = curves.filter((curve) => !settings.hidden.has(curve.name));
    const series = [];
    shown.forEach((curve) => {
      const base = { type: "line", showSymbol: false, emphasis: { disabled: true } };
      series.push({
        ...base,
        name: curve.name,
        data: shareAtLeast(curve.values),
        lineStyle: { color: curve.style.color, type: curve.style.dash, width: 2.2 },
        itemStyle: { color: curve.style.color },
      });
      if (curve.most.some((value, i) => value > curve.values[i])) {
        series.push({
          ...base,
          name: `${curve.name}, at most`,
          data: shareAtLeast(curve.most),
          lineStyle: { color: curve.style.color, type: [1, 3], width: 1.2, opacity: 0.85 },
          areaStyle: undefined,
          itemStyle: { color: curve.style.color },
        });
      }
    });
    if (series.length > 0) {
      series[0].markLine = {
        silent: true,
        symbol: "none",
        label: { formatter: "0.9", color: themeColour("muted") },
        lineStyle: { color: themeColour("muted"), type: "dotted" },
        data: [{ xAxis: 0.9 }],
      };
    }
    pane.chart(
      pane.isNarrow ? 320 : 420,
      `Share of ${noun} by relative performance, ${shown.length} curves`,
      {
        grid: { left: 62, right: 22, top: 22, bottom: 50 },
        tooltip: { trigger: "item" },
        xAxis: axis("relative performance (best time / time)", { type: "value", min: 0, max: 1 }),
        yAxis: axis(`share of ${noun} with at least this (%)`, {
          type: "value",
          min: 0,
          max: 1,
          nameGap: 44,
          axisLabel: { formatter: (value) => formatNumber(100 * value) },
        }),
        series,
      },
      () => ({
        columns: [
          { title: "Curve" },
          { title: "Mean relative performance", ...NUMBER },
          { title: "At least 0.9", ...SHARE },
          { title: "Stopped at a limit", ...NUMBER },
          { title: "Failed", ...NUMBER },
          { title: "Not measured", ...NUMBER },
          { title: "Configuration" },
        ],
        rows: curves.map((curve) => [
          curve.name,
          curve.mean,
          curve.near,
          curve.stopped,
          curve.failed,
          curve.missing,
          curve.configuration === undefined ? "one for each workload" : set.describe(curve.configuration),
        ]),
      }),
      {
        points: () => ({
          columns: [
            { title: "Curve" },
            { title: state.unit === "input" ? "Input" : "Workload" },
            { title: "Relative performance", ...NUMBER },
            { title: "At most", ...NUMBER },
          ],
          rows: shown.flatMap((curve) =>
            curve.values.map((value, i) => [curve.name, curve.rowNames[i], value, curve.most[i]]),
          ),
        }),
        legend: shown.map((curve) => curve.name),
        remarks: curveRemarks(shown),
      },
    );
    pane.add(
      switches(
        curves.map((curve) => ({
          name: curve.name,
          style: curve.style,
          title: curve.title || (curve.configuration === undefined ? "" : set.labels[curve.configuration]),
          text:
            `mean ${formatNumber(curve.mean)}, ${formatPercent(curve.near)} ≥ 0.9` +
            (curve.stopped > 0 ? `, ${curve.stopped} stopped` : ""),
        })),
        settings.hidden,
        redraw,
      ),
    );
    if (shown.some((curve) => curve.stopped > 0)) {
      pane.note(
        "Stopped trials reached a time limit, so their times are unknown. The thick curve counts them as 0; " +
          "the thin dotted curve of the same colour uses the limit as their time. The true curve is between " +
          "the two.",
      );
    }
    pane.result = {
      curves: curves.map(({ name, mean: average, near, stopped, failed, missing }) => ({
        name,
        mean: average,
        near,
        stopped,
        failed,
        missing,
      })),
      drawn: series.length,
    };
  },
});
