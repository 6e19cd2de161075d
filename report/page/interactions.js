// SPDX-License-Identifier: Apache-2.0
// Interactions of two parameters.

const MOST_INTERACTING = 12;

/** Mean relative performance, over rows, of the best configuration with each pair of values: a matrix by the positions
 *  in set.values(), with NaN for pairs without a configuration. */
function scoresByPair(set, rows, first, second) {
  const [a, b] = [set.valueIndex(first), set.valueIndex(second)];
  const [height, width] = [set.values(first).length, set.values(second).length];
  const sums = new Float64Array(height * width);
  const isPresent = new Uint8Array(height * width);
  a.forEach((value, configuration) => {
    isPresent[value * width + b[configuration]] = 1;
  });
  const best = new Float64Array(height * width);
  for (const row of rows) {
    best.fill(0);
    row.columns.forEach((configuration, i) => {
      if (row.outcomes[i] !== "") return;
      const cell = a[configuration] * width + b[configuration];
      best[cell] = Math.max(best[cell], ratio(row.best, row.times[i]));
    });
    for (let cell = 0; cell < sums.length; ++cell) sums[cell] += best[cell] / rows.length;
  }
  return Array.from({ length: height }, (_, x) =>
    Array.from({ length: width }, (__, y) => (isPresent[x * width + y] ? sums[x * width + y] : NaN)),
  );
}

/** Number of connected groups of rows and columns that share a present cell. */
function connectedGroups(matrix) {
  const root = matrix.map((_, i) => i).concat(matrix[0].map((_, i) => matrix.length + i));
  const find = (i) => (root[i] === i ? i : (root[i] = find(root[i])));
  matrix.forEach((row, x) =>
    row.forEach((value, y) => {
      if (!Number.isNaN(value)) root[find(x)] = find(matrix.length + y);
    }),
  );
  return new Set(root.map((_, i) => find(i))).size;
}

/** Root mean square difference between the matrix and the closest sum of an effect of the row and one of the column.
 *  NaN if the present cells do not suffice to distinguish an interaction from such a sum. */
function interactionOf(matrix) {
  const present = matrix.flatMap((row, x) =>
    row.map((value, y) => ({ x, y, value })).filter((cell) => !Number.isNaN(cell.value)),
  );
  const free = present.length - (matrix.length + matrix[0].length - connectedGroups(matrix));
  if (free <= 0) return NaN;
  const effects = { x: new Float64Array(matrix.length), y: new Float64Array(matrix[0].length) };
  // Alternating means converge to the least squares fit.
  for (let round = 0; round < 200; ++round) {
    let change = 0;
    for (const [side, other] of [
      ["x", "y"],
      ["y", "x"],
    ]) {
      const sums = new Float64Array(effects[side].length);
      const counts = new Float64Array(effects[side].length);
      for (const cell of present) {
        sums[cell[side]] += cell.value - effects[other][cell[other]];
        ++counts[cell[side]];
      }
      effects[side].forEach((before, i) => {
        effects[side][i] = sums[i] / counts[i];
        change = Math.max(change, Math.abs(effects[side][i] - before));
      });
    }
    if (change < 1e-7) break;
  }
  return Math.sqrt(mean(present.map(({ x, y, value }) => (value - effects.x[x] - effects.y[y]) ** 2)));
}

addView({
  id: "interactions",
  title: "Interactions of two parameters",
  about:
    "Two parameters interact if the best value of one depends on the value of the other. Above: how far the mean " +
    "relative performance of the best configuration with a pair of values is from the sum of two separate effects " +
    "(root mean square over the measured pairs, in percentage points). “=” marks pairs for which too few " +
    "combinations of values were measured. Below: one pair in detail.",
  draw(pane, set, state, settings, redraw) {
    const rows = shownRows(set, state);
    if (rows.length === 0) return pane.empty(nothingLeft(set));
    const costs = set.varying.map((name) => ({ name, ...costOfFixing(set, rows, name) }));
    const aliases = aliasedEffects(costs);
    const names = costs
      .filter((one) => (aliases.get(one.name)?.[0] ?? one) === one && set.values(one.name).length <= 24)
      .sort((a, b) => b.loss - a.loss)
      .slice(0, MOST_INTERACTING)
      .map((one) => one.name);
    if (names.length < 2) return pane.empty("Fewer than two parameters vary independently between the configurations.");
    const pairs = [];
    names.forEach((first, x) =>
      names.slice(0, x).forEach((second, y) => {
        const matrix = scoresByPair(set, rows, first, second);
        pairs.push({ first, second, x, y, matrix, strength: interactionOf(matrix) });
      }),
    );
    const separable = pairs.filter((pair) => Number.isFinite(pair.strength));
    const strongest = separable.reduce((a, b) => (b.strength > a.strength ? b : a), separable[0] ?? pairs[0]);
    const chosen = pairs.find((pair) => `${pair.first} × ${pair.second}` === settings.pair) ?? strongest;
    const most = Math.max(0.001, ...separable.map((pair) => pair.strength));
    const narrow = pane.isNarrow;
    const colours = isDark() ? ["#1d2631", "#2f93c9", "#fde725"] : ["#f3f6fa", "#56b4e9", "#003a70"];
    const scale = (max, text) => ({
      type: "continuous",
      min: 0,
      max,
      dimension: 2,
      orient: "horizontal",
      left: "center",
      top: 2,
      itemWidth: 12,
      itemHeight: narrow ? 90 : 150,
      calculable: false,
      text,
      textStyle: { color: themeColour("muted") },
    });
    const words = (data, more) => ({
      type: "category",
      data,
      splitLine: { show: false },
      ...more,
      axisLabel: {
        interval: 0,
        hideOverlap: false,
        width: narrow ? 66 : 150,
        overflow: "truncate",
        fontSize: 11,
        color: themeColour("text"),
        ...more?.axisLabel,
      },
    });
    const readable = (share) => (share > 0.55 ? (isDark() ? "#111" : "#fff") : themeColour("text"));
    const cellText = (value, max, text) => ({
      value,
      label: { show: true, color: readable(value[2] / max), fontSize: 11, formatter: () => text },
    });
    const plotHeight = names.length * 24;
    const matrixChart = pane.chart(
      plotHeight + 128,
      `Interactions of ${counted(names.length, "parameter")}`,
      {
        grid: { left: narrow ? 92 : 170, right: 20, top: 44, bottom: 84 },
        tooltip: {
          formatter: ({ data }) => {
            const pair = pairs[(data.value ?? data)[3]];
            return tip(
              `${pair.first} × ${pair.second}`,
              Number.isFinite(pair.strength)
                ? `interaction ${formatNumber(100 * pair.strength)} percentage points`
                : "cannot be distinguished from the separate effects: too few pairs of values were measured",
            );
          },
        },
        xAxis: axis("", words(names.slice(0, -1), { axisLabel: { rotate: 40, width: 110 } })),
        yAxis: axis("", words(names.slice(1))),
        visualMap: {
          ...scale(100 * most, [`${formatNumber(100 * most)}`, narrow ? "0" : "interaction (percentage points) 0"]),
          seriesIndex: 0,
          inRange: { color: colours },
        },
        series: [
          {
            type: "heatmap",
            progressive: 0,
            data: pairs
              .map((pair, i) => ({ pair, i }))
              .filter(({ pair }) => Number.isFinite(pair.strength))
              .map(({ pair, i }) =>
                cellText(
                  [pair.y, pair.x - 1, 100 * pair.strength, i],
                  100 * most,
                  formatNumber(100 * pair.strength, narrow ? 1 : 2),
                ),
              ),
          },
          {
            type: "heatmap",
            progressive: 0,
            itemStyle: { color: "transparent" },
            label: { show: true, color: themeColour("muted"), formatter: () => "=" },
            data: pairs
              .map((pair, i) => [pair.y, pair.x - 1, 0, i])
              .filter(([, , , i]) => !Number.isFinite(pairs[i].strength)),
          },
        ],
      },
      () => ({
        columns: [
          { title: "Parameter" },
          { title: "With" },
          { title: "Interaction", ...SHARE },
          { title: "Measured pairs of values", ...NUMBER },
        ],
        rows: pairs
          .slice()
          .sort(
            (a, b) => (Number.isFinite(b.strength) ? b.strength : -1) - (Number.isFinite(a.strength) ? a.strength : -1),
          )
          .map((pair) => [
            pair.first,
            pair.second,
            Number.isFinite(pair.strength) ? pair.strength : "not measured sufficiently",
            pair.matrix.flat().filter((value) => !Number.isNaN(value)).length,
          ]),
      }),
    );
    const choose = (pair) => {
      settings.pair = `${pair.first} × ${pair.second}`;
      redraw();
    };
    matrixChart.on("click", ({ data }) => choose(pairs[(data.value ?? data)[3]]));
    const left = set.varying.length - names.length;
    if (left > 0)
      pane.note(
        `The ${names.length} parameters with the largest effects are shown. The effects of the other ${left} are ` +
          "smaller or aliased with one of these, or they have more than 24 values.",
      );
    pane.controls(
      selectField(
        "Pair",
        pairs.map((pair, i) => [i, `${pair.first} × ${pair.second}`]),
        pairs.indexOf(chosen),
        (value) => choose(pairs[value]),
      ),
    );
    if (!Number.isFinite(chosen.strength))
      pane.note(
        "Too few pairs of values were measured to distinguish an interaction of these two parameters from their " +
          "separate effects.",
      );
    const [down, across] = [set.values(chosen.first), set.values(chosen.second)];
    const cells = chosen.matrix.flatMap((line, x) =>
      line.map((value, y) => [y, x, value]).filter(([, , value]) => !Number.isNaN(value)),
    );
    const title = (name) => (set.unit(name) ? `${name} (${set.unit(name)})` : name);
    pane.chart(
      130 + Math.max(4, down.length) * 26,
      `Relative performance by ${chosen.first} and ${chosen.second}`,
      {
        grid: { left: narrow ? 92 : 170, right: 20, top: 44, bottom: 50 },
        tooltip: {
          formatter: ({ data }) => {
            const [y, x, value] = data.value ?? data;
            return tip(
              `${chosen.first} = ${down[x]}, ${chosen.second} = ${across[y]}`,
              `best configuration with both: mean ${formatNumber(value)}`,
            );
          },
        },
        xAxis: axis(title(chosen.second), words(across, { nameGap: 30, axisLabel: { interval: "auto" } })),
        yAxis: axis(title(chosen.first), words(down, { nameGap: narrow ? 74 : 120 })),
        visualMap: {
          ...scale(1, ["1", narrow ? "0" : "mean relative performance of the best configuration 0"]),
          inRange: { color: VIRIDIS },
        },
        series: [
          {
            type: "heatmap",
            progressive: 0,
            data: cells.map((value) => ({
              value,
              label: {
                show: across.length * 34 < pane.width - 190,
                color: value[2] > 0.6 ? "#111" : "#fff",
                fontSize: 11,
                formatter: () => formatNumber(value[2], 2),
              },
            })),
          },
        ],
      },
      () => ({
        columns: [
          { title: title(chosen.first) },
          { title: title(chosen.second) },
          { title: "Best configuration with both, mean", ...NUMBER },
        ],
        rows: cells.map(([y, x, value]) => [down[x], across[y], value]),
      }),
    );
    pane.result = {
      pairs: pairs.map(({ first, second, strength }) => ({
        first,
        second,
        strength: Number.isFinite(strength) ? strength : null,
      })),
      chosen: `${chosen.first} × ${chosen.second}`,
    };
  },
});
