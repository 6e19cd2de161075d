// SPDX-License-Identifier: Apache-2.0
// Trials without a time.

addView({
  id: "failures",
  title: "Failures by outcome",
  about:
    "Outcomes of the trials without a time. A trial that was stopped at a limit is not wrong, only slow; a wrong " +
    "answer or a crash is an error of the program.",
  draw(pane, set, state, settings, redraw) {
    const rows = set.inputTable.rows.filter((row) => shownRow(set, row, state));
    const total = countOutcomes(rows);
    const trials = Object.values(total).reduce((sum, count) => sum + count, 0);
    const letters = Object.keys(OUTCOMES).filter((letter) => total[letter] > 0);
    pane.note(
      `${(total.ok || 0).toLocaleString("en-US")} of ${counted(trials, "timed trial")} gave a correct answer in time ` +
        `(${formatPercent((total.ok || 0) / trials)}).`,
    );
    if (letters.length === 0) {
      pane.empty("No trial failed.");
      pane.result = { outcomes: total };
      return;
    }
    settings.by ??= "configuration";
    settings.hidden ??= new Set();
    pane.controls(
      selectField(
        "Bars for",
        [
          ["configuration", "configurations"],
          ["class", "classes of workloads"],
          ["workload", "workloads"],
        ],
        settings.by,
        (value) => {
          settings.by = value;
          redraw();
        },
      ),
    );
    const bars = new Map();
    for (const row of rows) {
      row.outcomes.forEach((outcome, i) => {
        const key =
          settings.by === "configuration"
            ? row.columns[i]
            : settings.by === "class"
              ? set.workloads[row.workload].class
              : row.workload;
        if (!bars.has(key)) bars.set(key, { key, trials: 0, failed: 0 });
        const bar = bars.get(key);
        ++bar.trials;
        if (outcome === "") return;
        bar[outcome] = (bar[outcome] || 0) + 1;
        if (!settings.hidden.has(OUTCOMES[outcome])) ++bar.failed;
      });
    }
    const name = (key) =>
      settings.by === "configuration"
        ? set.shortName(key)
        : settings.by === "class"
          ? key || "(no class)"
          : set.workloads[key].name;
    const worst = [...bars.values()]
      .filter((bar) => bar.failed > 0)
      .sort((a, b) => b.failed / b.trials - a.failed / a.trials || b.failed - a.failed);
    const most = 30;
    const shown = worst.slice(0, most).reverse();
    const styles = new Map(letters.map((letter, i) => [letter, look([1, 3, 4, 0, 2, 5, 6, 7][i])]));
    const narrow = pane.isNarrow;
    pane.chart(
      80 + Math.max(shown.length, 2) * 22,
      `Failed trials by ${settings.by}`,
      {
        aria: { enabled: true, decal: { show: true } },
        grid: { left: narrow ? 110 : 200, right: 24, top: 8, bottom: 46 },
        tooltip: {
          trigger: "axis",
          axisPointer: { type: "shadow", shadowStyle: { opacity: 0.12 } },
          formatter: (items) => {
            const bar = shown[items[0].dataIndex];
            return tip(
              name(bar.key),
              settings.by === "configuration" ? set.describe(bar.key) : "",
              ...letters
                .filter((letter) => bar[letter])
                .map((letter) => `${OUTCOMES[letter]}: ${bar[letter]} of ${bar.trials} trials`),
            );
          },
        },
        xAxis: axis("share of the trials (%)", {
          type: "value",
          min: 0,
          axisLabel: { formatter: (value) => formatNumber(100 * value) },
        }),
        yAxis: axis("", {
          type: "category",
          data: shown.map((bar) => name(bar.key)),
          axisLabel: {
            width: narrow ? 96 : 185,
            overflow: "truncate",
            interval: 0,
            hideOverlap: false,
            color: themeColour("text"),
          },
          splitLine: { show: false },
        }),
        series: letters
          .filter((letter) => !settings.hidden.has(OUTCOMES[letter]))
          .map((letter) => ({
            name: OUTCOMES[letter],
            type: "bar",
            stack: "all",
            barMaxWidth: 16,
            itemStyle: { color: styles.get(letter).color },
            data: shown.map((bar) => (bar[letter] || 0) / bar.trials),
          })),
      },
      () => ({
        columns: [
          { title: settings.by === "configuration" ? "Configuration" : "Of" },
          { title: "Trials", ...NUMBER },
          ...letters.map((letter) => ({ title: OUTCOMES[letter], ...NUMBER })),
        ],
        rows: worst.map((bar) => [name(bar.key), bar.trials, ...letters.map((letter) => bar[letter] || 0)]),
      }),
      { legend: letters.map((letter) => OUTCOMES[letter]).filter((outcome) => !settings.hidden.has(outcome)) },
    );
    pane.add(
      switches(
        letters.map((letter) => ({
          name: OUTCOMES[letter],
          style: styles.get(letter),
          kind: "square",
          text: total[letter].toLocaleString("en-US"),
        })),
        settings.hidden,
        redraw,
      ),
    );
    if (worst.length > most)
      pane.note(`The chart shows ${most} of ${worst.length} bars, those with the largest shares.`);
    pane.heading("Messages");
    pane.add(
      table(
        [
          { title: "Outcome" },
          { title: "Trials", number: true },
          { title: "Example of a message" },
          { title: "Trial of the example" },
        ],
        set.raw.failures.map((one) => [
          one.outcome.replaceAll("_", " "),
          one.count.toLocaleString("en-US"),
          one.message,
          `${set.workloads[one.workload].name} ${one.query}` +
            (one.configuration === null ? "" : `, ${configurationName(one.configuration)}`) +
            (one.measurement === "time" ? "" : `, ${one.measurement}`),
        ]),
        8,
      ),
    );
    pane.note("Messages that differ only in numbers are counted together, over the whole result set.");
    pane.result = { outcomes: total };
  },
});
