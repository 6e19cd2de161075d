// SPDX-License-Identifier: Apache-2.0
// History of clocks and power of the device.

const READINGS = {
  sm_clock_mhz: ["Clock of the multiprocessors", "MHz"],
  memory_clock_mhz: ["Clock of the memory", "MHz"],
  power_w: ["Power", "W"],
  temperature_c: ["Temperature", "°C"],
};

addView({
  id: "clocks",
  title: "Clocks, power and throttling",
  about:
    "Readings of the device while trials ran. Each point of the line is the median of a group of consecutive trials, " +
    "and the band is their range. Grey areas: the device had reduced its clocks.",
  draw(pane, set) {
    const history = set.raw.history;
    if (history.length === 0)
      return pane.empty(
        "No readings are recorded. They are available for NVIDIA GPUs with NVML, not for the simulator or " +
          "processors, and 'mlmq db compact' removes them.",
      );
    const times = history.map((one) => Date.parse(one.from));
    const names = Object.keys(READINGS).filter((name) => history.some((one) => one.readings[name]));
    const slowed = [];
    history.forEach((one, i) => {
      if (Object.keys(one.slowed).length > 0)
        slowed.push([{ xAxis: times[i] }, { xAxis: Math.max(times[i] + 1, times[i + 1] ?? Date.parse(one.to)) }]);
    });
    names.forEach((name, k) => {
      const style = look(k);
      const readings = history
        .map((one, i) => ({ at: times[i], reading: one.readings[name] }))
        .filter((one) => one.reading);
      const [title, unit] = READINGS[name];
      pane.heading(title);
      pane.chart(
        190,
        `${title} over time`,
        {
          grid: { left: 66, right: 24, top: 10, bottom: 46 },
          tooltip: {
            trigger: "axis",
            formatter: (items) => {
              const one = readings[items[0].dataIndex];
              return tip(
                formatMoment(new Date(one.at).toISOString()),
                `median ${formatNumber(one.reading[1], 4)}`,
                `from ${formatNumber(one.reading[0], 4)} to ${formatNumber(one.reading[2], 4)}`,
              );
            },
          },
          xAxis: axis("time of day (UTC)", { type: "time", useUTC: true }),
          useUTC: true,
          yAxis: axis(unit, { type: "value", scale: true, nameGap: 46, splitNumber: 4 }),
          series: [
            {
              type: "line",
              showSymbol: false,
              stack: "band",
              data: readings.map((one) => [one.at, one.reading[0]]),
              lineStyle: { opacity: 0 },
            },
            {
              type: "line",
              showSymbol: false,
              stack: "band",
              data: readings.map((one) => [one.at, one.reading[2] - one.reading[0]]),
              lineStyle: { opacity: 0 },
              areaStyle: { color: style.color, opacity: 0.22 },
            },
            {
              type: "line",
              showSymbol: readings.length < 60,
              symbolSize: 4,
              data: readings.map((one) => [one.at, one.reading[1]]),
              lineStyle: { color: style.color, width: 2 },
              itemStyle: { color: style.color },
              markArea:
                slowed.length > 0
                  ? { silent: true, itemStyle: { color: themeColour("muted"), opacity: 0.18 }, data: slowed }
                  : undefined,
            },
          ],
        },
        () => ({
          columns: [
            { title: "From (UTC)", keep: true },
            { title: "Trials", ...NUMBER },
            { title: "Least", ...NUMBER, unit },
            { title: "Median", ...NUMBER, unit },
            { title: "Greatest", ...NUMBER, unit },
          ],
          rows: history
            .filter((one) => one.readings[name])
            .map((one) => [formatMoment(one.from), one.trials, ...one.readings[name]]),
        }),
      );
    });
    const reasons = new Map();
    history.forEach((one) =>
      Object.entries(one.slowed).forEach(([reason, count]) => reasons.set(reason, (reasons.get(reason) || 0) + count)),
    );
    const trials = history.reduce((sum, one) => sum + one.trials, 0);
    if (reasons.size > 0)
      pane.add(
        table(
          [{ title: "Reason for reduced clocks" }, { title: "Trials", number: true }, { title: "Share", number: true }],
          [...reasons].map(([reason, count]) => [reason.replaceAll("_", " "), count, formatPercent(count / trials)]),
        ),
      );
    else pane.note("No trial ran with reduced clocks.");
    pane.result = { points: history.length, readings: names };
  },
});
