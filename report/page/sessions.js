// SPDX-License-Identifier: Apache-2.0
// Breakdown of the wall time of workers and trials.

addView({
  id: "sessions",
  title: "Where the time went",
  about: "Wall time of the workers of sweeps, and of the parts of trials.",
  draw(pane, set) {
    const sessions = set.database.sessions.filter((one) => one.device === set.device.name);
    const narrow = pane.isNarrow;
    const bars = (title, lines, parts, height) =>
      pane.chart(
        height,
        title,
        {
          aria: { enabled: true, decal: { show: true } },
          grid: { left: narrow ? 84 : 150, right: 30, top: 8, bottom: 46 },
          tooltip: {
            trigger: "axis",
            axisPointer: { type: "shadow", shadowStyle: { opacity: 0.12 } },
            formatter: (items) => {
              const line = lines[items[0].dataIndex];
              const sum = parts.reduce((total, part) => total + (line.seconds[part] || 0), 0);
              return tip(
                line.title,
                ...parts
                  .filter((part) => line.seconds[part] > 0)
                  .map(
                    (part) =>
                      `${part}: ${formatSeconds(line.seconds[part])}, ${formatPercent(line.seconds[part] / sum)}`,
                  ),
              );
            },
          },
          xAxis: axis("wall time (s)", {
            type: "value",
            min: 0,
            axisLabel: { formatter: (value) => formatNumber(value) },
          }),
          yAxis: axis("", {
            type: "category",
            data: lines.map((line) => line.name),
            axisLabel: {
              width: narrow ? 72 : 138,
              overflow: "truncate",
              interval: 0,
              hideOverlap: false,
              color: themeColour("text"),
            },
            splitLine: { show: false },
          }),
          series: parts.map((part, i) => ({
            name: part,
            type: "bar",
            stack: "all",
            barMaxWidth: 26,
            itemStyle: { color: look(i).color },
            data: lines.map((line) => line.seconds[part] || 0),
          })),
        },
        () => ({
          columns: [{ title: "Of" }, ...parts.map((part) => ({ title: part, ...SECONDS }))],
          rows: lines.map((line) => [line.title, ...parts.map((part) => line.seconds[part] || 0)]),
        }),
        { legend: parts },
      );
    const key = (parts) =>
      pane.add(
        element(
          "div",
          { class: "keys" },
          parts.map((part, i) => element("span", { class: "key" }, sample(look(i), "square"), part)),
        ),
      );
    pane.heading("Workers");
    if (sessions.length === 0) {
      pane.empty("No workers are recorded; 'mlmq db compact' removes them.");
    } else {
      const parts = Object.keys(sessions[0].seconds)
        .sort((a, b) => sessions.reduce((sum, one) => sum + one.seconds[b] - one.seconds[a], 0))
        .filter((part) => sessions.some((one) => one.seconds[part] > 0));
      const lines = sessions
        .slice(-25)
        .map((one, i) => ({
          name: `${one.experiment} ${i + 1}`,
          title:
            `${one.experiment}, started ${formatMoment(one.started)} on ${one.host}, ` + counted(one.trials, "trial"),
          seconds: one.seconds,
        }))
        .reverse();
      bars("Wall time of workers", lines, parts, 70 + Math.max(2, lines.length) * 30);
      key(parts);
      if (sessions.length > 25) pane.note(`The last 25 of ${sessions.length} workers.`);
    }
    pane.heading("Trials");
    const parts = ["compile", "upload", "measure", "check"];
    const words = { compile: "compiling", upload: "uploading", measure: "runs", check: "checking answers" };
    const lines = set.raw.trial_time.map((one) => ({
      name: one.measurement === "time" ? "timed" : one.measurement,
      title: `${one.measurement === "time" ? "timed" : one.measurement} trials`,
      seconds: Object.fromEntries(parts.map((part) => [words[part], one[part]])),
    }));
    bars("Wall time of the parts of trials", lines, Object.values(words), 80 + lines.length * 34);
    key(Object.values(words));
    pane.note("If a trial waits for a kernel that is being compiled for another trial, the wait counts as compiling.");
    pane.result = { sessions: sessions.length, kinds: lines.length };
  },
});
