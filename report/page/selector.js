// SPDX-License-Identifier: Apache-2.0
// Regret of choosing by a selector.

addView({
  id: "selector",
  title: "Regret of selectors",
  about:
    "The regret of a choice is how much longer the chosen configuration takes than the fastest one: 0 % is the best " +
    "choice. A workload counts with its mean time over its queries.",
  draw(pane, set, state, settings, redraw) {
    const evaluation = set.raw.selector;
    if (evaluation.nothing) return pane.empty(`No selector can be evaluated: ${evaluation.nothing}.`);
    const keep = evaluation.workloads
      .map(([workload], i) => ({ workload, i }))
      .filter(({ workload }) => shownRow(set, { workload, name: set.workloads[workload].name }, state));
    if (keep.length === 0) return pane.empty(nothingLeft(set));
    settings.hidden ??= new Set();
    // A choice that was not measured has no regret (null); it did not fail.
    const regret = (relative) => (relative === null ? null : relative > 0 ? 1 / relative - 1 : Infinity);
    const selectors = evaluation.selectors.map((one, k) => ({
      ...one,
      k,
      style: look(k),
      regrets: keep.map(({ i }) => regret(one.relative[i])),
    }));
    const meanText = (relative) => {
      const judged = measuredMean(relative);
      return judged.measured > 0
        ? `mean relative performance ${formatNumber(judged.mean)}${judged.coverage}`
        : "no choice was measured";
    };
    const shown = selectors.filter((one) => !settings.hidden.has(one.name));
    const least = 0.001;
    const most = 10;
    const known = (values) => values.filter((value) => value !== null);
    const clamp = (value) => Math.min(most, Math.max(least, value));
    pane.chart(
      360,
      "Share of workloads by regret",
      {
        grid: { left: 62, right: 26, top: 16, bottom: 50 },
        tooltip: { trigger: "item" },
        xAxis: logAxis("regret (time of the choice / best time − 1, %)", {
          min: least,
          max: most,
          axisLabel: {
            formatter: (value) =>
              value <= least
                ? `≤ ${formatNumber(100 * value)}`
                : value >= most
                  ? `≥ ${formatNumber(100 * value)}`
                  : formatNumber(100 * value),
          },
        }),
        yAxis: axis("share of workloads with at most this (%)", {
          type: "value",
          min: 0,
          max: 1,
          nameGap: 44,
          axisLabel: { formatter: (value) => formatNumber(100 * value) },
        }),
        series: shown.map((one) => {
          const sorted = known(one.regrets).map(clamp).sort((a, b) => a - b);
          return {
            name: one.name,
            type: "line",
            step: "end",
            showSymbol: false,
            emphasis: { disabled: true },
            lineStyle: { color: one.style.color, type: one.style.dash, width: 2.2 },
            itemStyle: { color: one.style.color },
            data: sorted.length > 0 ? [...sorted.map((value, i) => [value, (i + 1) / sorted.length]), [most, 1]] : [],
          };
        }),
      },
      () => ({
        columns: [
          { title: "Selector" },
          { title: "Meaning" },
          { title: "Mean relative performance", ...NUMBER },
          { title: "Within 0.9", ...SHARE },
          { title: "Median regret", ...SHARE },
          { title: "Failed", ...NUMBER },
          { title: "Not measured", ...NUMBER },
        ],
        rows: selectors.map((one) => {
          const all = keep.map(({ i }) => one.relative[i]);
          const relative = known(all);
          return [
            one.name,
            one.meaning,
            mean(relative),
            mean(relative.map((value) => Number(value >= 0.9))),
            quantile(Float64Array.from(known(one.regrets)).sort(), 0.5),
            relative.filter((value) => value === 0).length,
            all.length - relative.length,
          ];
        }),
      }),
      {
        points: () => ({
          columns: [{ title: "Selector" }, { title: "Workload" }, { title: "Regret", ...SHARE }],
          rows: shown.flatMap((one) =>
            keep.map(({ workload }, n) => [one.name, set.workloads[workload].name, one.regrets[n] ?? "not measured"]),
          ),
        }),
        legend: shown.map((one) => one.name),
        remarks: curveRemarks(shown),
      },
    );
    pane.add(
      switches(
        selectors.map((one) => ({
          name: one.name,
          style: one.style,
          title: one.meaning,
          text: meanText(keep.map(({ i }) => one.relative[i])),
        })),
        settings.hidden,
        redraw,
      ),
    );
    evaluation.notes.forEach((text) => pane.note(text));
    selectors.forEach((one) => pane.note(`${one.name}: ${one.meaning}`));

    pane.heading("By workload");
    settings.selector = selectors.some((one) => one.name === settings.selector) ? settings.selector : selectors[0].name;
    const features = Object.keys(set.features);
    settings.feature = features.includes(settings.feature)
      ? settings.feature
      : features.find((name) => ["m", "entities", "cells"].includes(name)) || features[0];
    const chosen = selectors.find((one) => one.name === settings.selector);
    pane.controls(
      selectField(
        "Selector",
        selectors.map((one) => one.name),
        settings.selector,
        (value) => {
          settings.selector = value;
          redraw();
        },
      ),
      selectField("Feature", features, settings.feature, (value) => {
        settings.feature = value;
        redraw();
      }),
    );
    const meaning = (set.about.features || {})[settings.feature];
    const featureTitle = meaning && meaning.length < 60 ? `${settings.feature}: ${meaning}` : settings.feature;
    if (meaning && meaning.length >= 60) pane.note(`${settings.feature}: ${meaning}.`);
    const values = set.features[settings.feature];
    const positive = keep.every(({ workload }) => values[workload] === null || values[workload] > 0);
    const classes = set.classes.filter((one) => keep.some(({ workload }) => set.workloads[workload].class === one));
    const choice = (reference) =>
      typeof reference === "number"
        ? { text: `${configurationName(reference)}: ${set.describe(reference)}`, label: set.labels[reference] }
        : { text: reference, label: reference };
    const xAxis = positive
      ? logAxis(featureTitle, logEnds(keep.map(({ workload }) => values[workload] ?? 0)))
      : axis(featureTitle, { type: "value", scale: true, axisLabel: { formatter: (value) => formatNumber(value) } });
    const order = keep
      .map((one, n) => ({ ...one, n }))
      .sort((a, b) => (chosen.regrets[b.n] ?? -1) - (chosen.regrets[a.n] ?? -1));
    const columns = [
      { title: "Workload" },
      { title: "Class", keep: true },
      { title: settings.feature, ...NUMBER },
      { title: "Regret", ...SHARE },
      { title: "Best time", ...MILLISECONDS },
      { title: "Chosen", wide: true },
      { title: "Fastest", wide: true },
    ];
    const line = ({ workload, i, n }) => [
      set.workloads[workload].name,
      set.workloads[workload].class,
      values[workload],
      chosen.regrets[n] === null ? "not measured" : Number.isFinite(chosen.regrets[n]) ? chosen.regrets[n] : "failed",
      evaluation.workloads[i][2],
      choice(chosen.choices[i]),
      choice(evaluation.workloads[i][1]),
    ];
    pane.chart(
      340,
      `Regret by ${settings.feature}`,
      {
        grid: { left: 66, right: 24, top: 16, bottom: 50 },
        tooltip: {
          trigger: "item",
          formatter: ({ value }) => {
            const { workload, i } = keep[value[2]];
            return tip(
              set.workloads[workload].name,
              `regret ${value[3] === null ? "infinite: the choice failed" : formatPercent(value[3])}`,
              `best ${formatTime(evaluation.workloads[i][2])}`,
              `choice ${choice(chosen.choices[i]).text}`,
            );
          },
        },
        xAxis,
        yAxis: logAxis("regret (%)", {
          min: least,
          max: most,
          nameGap: 46,
          axisLabel: {
            formatter: (value) =>
              value <= least
                ? `≤ ${formatNumber(100 * value)}`
                : value >= most
                  ? `≥ ${formatNumber(100 * value)}`
                  : formatNumber(100 * value),
          },
        }),
        series: classes.map((one, k) => {
          const style = look(k);
          return {
            name: one,
            type: "scatter",
            symbol: style.symbol,
            symbolSize: 8,
            itemStyle: { color: style.color, opacity: 0.65 },
            data: keep
              .map(({ workload }, n) => ({ workload, n }))
              .filter(
                ({ workload, n }) =>
                  set.workloads[workload].class === one && values[workload] !== null && chosen.regrets[n] !== null,
              )
              .map(({ workload, n }) => [
                values[workload],
                clamp(chosen.regrets[n]),
                n,
                Number.isFinite(chosen.regrets[n]) ? chosen.regrets[n] : null,
              ]),
          };
        }),
      },
      () => ({
        columns,
        rows: order.map((one) => line(one).map((value) => value?.text ?? value)),
      }),
      { legend: classes, remarks: curveRemarks([chosen]) },
    );
    pane.add(
      element(
        "div",
        { class: "keys" },
        classes.map((one, k) => element("span", { class: "key" }, sample(look(k), "mark"), one || "(no class)")),
      ),
    );
    pane.add(
      table(
        [...columns, { title: "Features", keep: true }],
        order.map((one) => [
          ...line(one).map((value) =>
            value?.text
              ? element("span", {}, value.text, copyButton(configurationOption(value.label), "Copy --config"))
              : value,
          ),
          fold("Show", () =>
            table(
              [{ title: "Feature" }, { title: "Value", ...NUMBER }, { title: "Meaning" }],
              features.map((name) => [name, set.features[name][one.workload], (set.about.features || {})[name] || ""]),
            ),
          ),
        ]),
        10,
      ),
    );
    pane.result = {
      workloads: keep.length,
      selectors: selectors.map((one) => ({
        name: one.name,
        mean: measuredMean(keep.map(({ i }) => one.relative[i])).mean,
      })),
    };
  },
});
