// SPDX-License-Identifier: Apache-2.0
// Origin of the numbers, and remarks on their interpretation.

addView({
  id: "summary",
  title: "Summary and provenance",
  about: "Measured inputs, device and program version, with remarks on how to interpret the charts.",
  draw(pane, set, state) {
    const rows = shownRows(set, state);
    const scores = configurationScores(set, rows);
    const outcomes = countOutcomes(set.inputTable.rows);
    const trials = Object.values(outcomes).reduce((sum, count) => sum + count, 0);
    const fixed = bestFixed(
      scores,
      set.labels.map((_, c) => c),
    );
    const selectors = set.raw.selector.selectors || [];
    const judged = selectors.length > 0 ? measuredMean(selectors[0].relative) : null;
    const figure = (value, text) => element("div", {}, element("b", {}, value), element("span", {}, text));
    pane.add(
      element(
        "div",
        { class: "figures" },
        figure(trials.toLocaleString("en-US"), "timed trials"),
        figure(
          set.workloads.length.toLocaleString("en-US"),
          `workloads, ${counted(set.inputs.length, "input")} (workload and query)`,
        ),
        figure(set.labels.length.toLocaleString("en-US"), "configurations"),
        figure(formatPercent((outcomes.ok || 0) / trials), "of the trials gave a correct answer in time"),
        rows.length > 0
          ? figure(
              formatPercent((scores[fixed].mean * rows.length) / scores[fixed].measured),
              `mean relative performance of the best fixed configuration, ${configurationName(fixed)}${coverageText(
                scores[fixed].measured,
                rows.length,
              )}`,
            )
          : null,
        selectors.length > 0
          ? figure(
              judged.measured > 0 ? formatPercent(judged.mean) : "unknown",
              `mean relative performance, ${
                selectors[0].name === "learned here, cross-validated"
                  ? "selector learned here and cross-validated"
                  : selectors[0].name
              }${judged.coverage}${selectors[0].training ? `, which ${selectors[0].training}` : ""}`,
            )
          : null,
      ),
    );
    const remarks = [...set.raw.remarks, ...set.database.remarks];
    if (remarks.length > 0) {
      const order = { error: 0, warning: 1, note: 2 };
      pane.add(
        element(
          "ul",
          { class: "remarks" },
          remarks
            .sort((a, b) => order[a.severity] - order[b.severity])
            .map((one) =>
              element(
                "li",
                { class: `is-${one.severity}` },
                element("b", {}, { error: "Error: ", warning: "Warning: ", note: "Note: " }[one.severity]),
                one.text,
              ),
            ),
        ),
      );
    }
    const database = set.database;
    const device = set.device;
    const list = (all) => (all.length > 0 ? all.join(", ") : "not on record");
    pane.add(
      table(
        [{ title: "Provenance" }, { title: "" }],
        [
          ["Problem", set.about.description ? `${set.problem}: ${set.about.description}` : set.problem],
          [
            "Device",
            `${device.name} (${device.kind}, ${device.architecture}, ` +
              `${counted(device.multiprocessors, device.kind === "cpu" ? "thread" : "multiprocessor")}, ` +
              `${formatBytes(device.memory_bytes)})`,
          ],
          ["Times", device.modelled ? "modelled by the simulator" : "measured"],
          ["Database", `${database.name}, ${formatBytes(database.bytes)}`],
          [
            "Measured",
            `${formatMoment(database.first)} to ${formatMoment(database.last)} (UTC, all trials of the database)`,
          ],
          ["Host", list(database.hosts)],
          ["Driver", list(database.drivers)],
          ["Compiler of kernels", list(database.compilers)],
          ["Program", list(database.versions)],
          ["Versions of kernels", `${database.kernels.length}: ${list(database.kernels)}`],
        ],
      ),
    );
    pane.add(
      fold(`Experiments (${database.experiments.length})`, () =>
        database.experiments
          .map((one) => [
            element("h3", {}, one.name),
            element(
              "p",
              { class: "note" },
              `${one.done.toLocaleString("en-US")} of ${counted(one.trials, "trial")} finished; ` +
                `first used ${formatMoment(one.created)}, last ${formatMoment(one.used)}. Measurement: ${Object.entries(
                  one.settings,
                )
                  .map(([key, value]) => `${key.replaceAll("_", " ")} ${settingText(value)}`)
                  .join(", ")}.`,
            ),
            element("pre", { tabindex: "0" }, one.text),
          ])
          .flat(),
      ),
    );
    const isShown = (one) => one.problem === set.problem && one.device === set.device.name;
    const best = database.metrics.best.filter(isShown);
    if (best.length > 0) {
      const names = [...new Set(best.flatMap((one) => Object.keys(one.metrics)))].sort();
      pane.add(
        fold(`Metrics of the best configurations (${best.length})`, () =>
          table(
            [
              { title: "Workload", keep: true },
              { title: "Configuration", wide: true },
              { title: "Best by" },
              { title: "Median ms", number: true },
              ...names.map((name) => ({ title: name, number: true })),
            ],
            best.map((one) => [
              `${one.workload}, ${one.query}`,
              one.configuration,
              one.by,
              formatNumber(one.ms),
              ...names.map((name) => (name in one.metrics ? formatNumber(one.metrics[name]) : "")),
            ]),
          ),
        ),
      );
    }
    for (const front of database.metrics.fronts) {
      const members = front.members.filter(isShown);
      if (members.length === 0) continue;
      pane.add(
        fold(`Pareto front of ${front.experiment} (${members.length})`, () =>
          table(
            [
              { title: "Workload", keep: true },
              { title: "Configuration", wide: true },
              ...front.objectives.map((one) => ({
                title: `${one.name} (${one.maximize ? "more" : "less"} is better)`,
                number: true,
              })),
            ],
            members.map((one) => [
              `${one.workload}, ${one.query}`,
              one.configuration,
              ...one.values.map((value) => formatNumber(value)),
            ]),
          ),
        ),
      );
    }
    pane.add(
      fold(`Configurations (${set.labels.length})`, () =>
        table(
          [
            { title: "", keep: true },
            { title: "Differences from the defaults", wide: true },
            { title: "Mean relative performance", number: true },
            { title: "Within 0.9 of the best", number: true },
            { title: "Fastest on", number: true },
            { title: "Measured on", number: true },
            { title: "" },
          ],
          scores
            .slice()
            .sort((a, b) => b.mean - a.mean)
            .map((score) => [
              configurationName(score.configuration),
              set.describe(score.configuration),
              formatNumber(score.mean),
              formatPercent(score.near),
              score.wins,
              score.measured,
              copyButton(configurationOption(set.labels[score.configuration]), "Copy --config"),
            ]),
        ),
      ),
    );
  },
});

/** The value of a measurement setting as text; objectives are a list. */
function settingText(value) {
  if (!Array.isArray(value)) return String(value);
  return value.map((one) => `${one.direction} ${one.name}`).join(", ");
}

/** Trials by outcome: "ok" or a letter of OUTCOMES. */
function countOutcomes(rows) {
  const counts = {};
  for (const row of rows) {
    for (const outcome of row.outcomes) counts[outcome || "ok"] = (counts[outcome || "ok"] || 0) + 1;
  }
  return counts;
}
