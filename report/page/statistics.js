// SPDX-License-Identifier: Apache-2.0
// Numbers that several views show.

/** Returns the q-quantile of ascending numbers, interpolated. */
function quantile(ascending, q) {
  if (ascending.length === 0) return NaN;
  const at = q * (ascending.length - 1);
  const low = Math.floor(at);
  const high = Math.min(low + 1, ascending.length - 1);
  return ascending[low] + (at - low) * (ascending[high] - ascending[low]);
}

function mean(values) {
  return values.length === 0 ? NaN : values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** The mean of the numbers among values, where null is a choice that was not measured, and how many there are:
 *  unmeasured is not failed. */
function measuredMean(values) {
  const numbers = values.filter((value) => value !== null);
  return { mean: mean(numbers), measured: numbers.length, coverage: coverageText(numbers.length, values.length) };
}

/** Says on how many of all workloads a mean is known; "" if on all. */
function coverageText(measured, all) {
  if (measured === all) return "";
  return ` on the ${measured.toLocaleString("en-US")} of ${all.toLocaleString("en-US")} measured`;
}

/** Returns the rows of a table that pass the filters and that any configuration solved. */
function shownRows(set, state) {
  const text = state.text.toLowerCase();
  return set.table(state.unit).rows.filter((row) => {
    const workload = set.workloads[row.workload];
    return (
      row.fastest >= 0 &&
      !state.hiddenClasses.has(workload.class) &&
      (text === "" || row.name.toLowerCase().includes(text) || workload.family.toLowerCase().includes(text))
    );
  });
}

/** Returns the reason for an empty view. */
function nothingLeft(set) {
  return set.inputTable.rows.some((row) => row.fastest >= 0)
    ? "The filters exclude all workloads."
    : "No configuration solved any input.";
}

/** Per configuration over rows: mean relative performance, share within 0.9, and numbers of measured, stopped and
 *  failed trials. */
function configurationScores(set, rows) {
  const scores = set.labels.map((_, configuration) => ({
    configuration,
    mean: 0,
    near: 0,
    measured: 0,
    stopped: 0,
    failed: 0,
    wins: 0,
  }));
  for (const row of rows) {
    row.columns.forEach((configuration, i) => {
      const score = scores[configuration];
      ++score.measured;
      if (row.outcomes[i] === "t") ++score.stopped;
      else if (row.outcomes[i] !== "") ++score.failed;
      else {
        const relative = ratio(row.best, row.times[i]);
        score.mean += relative / rows.length;
        if (relative >= 0.9) score.near += 1 / rows.length;
        if (configuration === row.fastest) ++score.wins;
      }
    });
  }
  return scores;
}

/** Returns the configuration with the highest mean relative performance among those given. */
function bestFixed(scores, among) {
  let best = -1;
  for (const configuration of among) {
    if (best < 0 || scores[configuration].mean > scores[best].mean) best = configuration;
  }
  return best;
}

/** Returns the configurations by the value of a parameter, or of several parameters together. */
function groupsBy(set, parameters) {
  const groups = new Map();
  set.labels.forEach((_, configuration) => {
    const key =
      parameters
        .map((name) => set.value(name, configuration))
        .filter((value) => value !== "–")
        .join(" + ") || "–";
    if (!groups.has(key)) groups.set(key, []);
    groups.get(key).push(configuration);
  });
  return groups;
}

/** For each value of a parameter, over rows: mean relative performance of the best configuration with it, and the share
 *  of rows whose fastest configuration has it. In the order of set.values(). */
function scoresByValue(set, rows, parameter) {
  const values = set.values(parameter);
  const index = set.valueIndex(parameter);
  const sums = new Float64Array(values.length);
  const wins = new Float64Array(values.length);
  const best = new Float64Array(values.length);
  for (const row of rows) {
    best.fill(0);
    row.columns.forEach((configuration, i) => {
      if (row.outcomes[i] !== "") return;
      const value = index[configuration];
      best[value] = Math.max(best[value], ratio(row.best, row.times[i]));
    });
    best.forEach((one, value) => {
      sums[value] += one / rows.length;
    });
    wins[index[row.fastest]] += 1 / rows.length;
  }
  return values.map((value, i) => ({ value, index: i, best: sums[i], wins: wins[i] }));
}

/** Loss from fixing a parameter to its best value for all rows: 1 - mean relative performance of the best configuration
 *  with this value. `kept` are the configurations with the value. */
function costOfFixing(set, rows, parameter) {
  const cost = scoresByValue(set, rows, parameter).reduce(
    (least, { value, index, best }) => (1 - best < least.loss ? { value, index, loss: 1 - best } : least),
    { value: "", index: -1, loss: Infinity },
  );
  const kept = [];
  set.valueIndex(parameter).forEach((value, configuration) => {
    if (value === cost.index) kept.push(configuration);
  });
  return { value: cost.value, loss: cost.loss, kept };
}

/** Returns the costs that cannot be distinguished, because fixing the parameters keeps the same configurations: a map
 *  from each name to the group that it belongs to. */
function aliasedEffects(costs) {
  const groups = new Map();
  for (const cost of costs) {
    const key = cost.kept.join();
    if (!groups.has(key)) groups.set(key, []);
    groups.get(key).push(cost);
  }
  return new Map(
    [...groups.values()].filter((group) => group.length > 1).flatMap((group) => group.map((one) => [one.name, group])),
  );
}

/** Returns the points of the curve "share of values that are at least x", from x = 0 to 1. */
function shareAtLeast(values) {
  const sorted = Float64Array.from(values).sort();
  const points = [[0, 1]];
  const count = sorted.length;
  for (let i = 0; i < count;) {
    let next = i;
    while (next < count && sorted[next] === sorted[i]) ++next;
    points.push([sorted[i], (count - i) / count], [sorted[i], (count - next) / count]);
    i = next;
  }
  return points;
}
