// SPDX-License-Identifier: Apache-2.0
// Time against counted work.

addView({
  id: "work",
  title: "Time against work",
  about:
    "Each point is a configuration on an input: its work, measured by a counter of the kernel, and its time. Points " +
    "on one diagonal do the same work per second; points further to the left do less work for the same answer.",
  draw(pane, set, state, settings, redraw) {
    const counts = set.raw.counts;
    if (counts.rows.length === 0)
      return pane.empty(
        "No counters are recorded. A sweep whose experiment says “measurement: {counters: true}” records them.",
      );
    const meaning = set.about.counters || {};
    const standard =
      set.about.work && counts.names.includes(set.about.work.counter) ? set.about.work.counter : counts.names[0];
    settings.counter = counts.names.includes(settings.counter) ? settings.counter : standard;
    settings.by ??= "class";
    pane.controls(
      selectField("Counter", counts.names, settings.counter, (value) => {
        settings.counter = value;
        redraw();
      }),
      selectField(
        "Colours by",
        [["class", "class of the workload"], ...familyChoices(set).map(([name]) => [name, name])],
        settings.by,
        (value) => {
          settings.by = value;
          redraw();
        },
      ),
    );
    if (meaning[settings.counter]) pane.note(`${settings.counter}: ${meaning[settings.counter]}.`);
    const column = 2 + counts.names.indexOf(settings.counter);
    const family = familyChoices(set).find(([name]) => name === settings.by);
    const familyOf = new Map();
    if (family)
      for (const [name, configurations] of groupsBy(set, family[1]))
        configurations.forEach((c) => familyOf.set(c, name));
    const groups = new Map();
    for (const counted of counts.rows) {
      const [input, configuration] = counted;
      const row = set.inputTable.rows[input];
      const at = Table.place(row, configuration);
      if (at < 0 || row.outcomes[at] !== "" || !(counted[column] > 0) || !shownRow(set, row, state)) continue;
      const key = family ? familyOf.get(configuration) : set.workloads[row.workload].class;
      if (!groups.has(key)) groups.set(key, []);
      groups.get(key).push([counted[column], row.times[at], input, configuration]);
    }
    settings.hidden ??= new Set();
    const names = [...groups.keys()].sort();
    if (names.length === 0) return pane.empty("The filters exclude all trials with counters.");
    const rate = set.about.rate_counter === settings.counter;
    const describe = ([count, time, input, configuration]) =>
      tip(
        set.inputTable.rows[input].name,
        `${configurationName(configuration)}: ${set.describe(configuration)}`,
        `${formatNumber(count, 5)} ${settings.counter} in ${formatTime(time)}`,
        `${formatNumber((count / time) * 1000)} ${settings.counter} per second`,
      );
    const all = names.flatMap((name) => groups.get(name));
    const shown = names.filter((name) => !settings.hidden.has(name));
    pane.chart(
      420,
      `Time against ${settings.counter}`,
      {
        grid: { left: 66, right: 22, top: 16, bottom: 50 },
        tooltip: { trigger: "item", formatter: ({ value }) => describe(value) },
        xAxis: logAxis(`${settings.counter} (count)`, logEnds(all.map((one) => one[0]))),
        yAxis: logAxis(`time (ms${set.device.modelled ? ", modelled" : ""})`, {
          ...logEnds(all.map((one) => one[1])),
          nameGap: 46,
        }),
        series: shown.map((name) => {
          const style = look(names.indexOf(name));
          return {
            name,
            type: "scatter",
            symbol: style.symbol,
            symbolSize: 8,
            itemStyle: { color: style.color, opacity: 0.6 },
            data: groups.get(name),
          };
        }),
      },
      () => ({
        columns: [
          { title: "Input" },
          { title: "Configuration" },
          { title: settings.counter, ...NUMBER },
          { title: "Time", ...MILLISECONDS },
          { title: `${settings.counter} per second`, ...NUMBER },
        ],
        rows: names
          .flatMap((name) => groups.get(name))
          .map(([count, time, input, configuration]) => [
            set.inputTable.rows[input].name,
            configurationName(configuration),
            count,
            time,
            (count / time) * 1000,
          ]),
      }),
      { legend: shown },
    );
    pane.add(
      switches(
        names.map((name, i) => ({ name, style: look(i), kind: "mark" })),
        settings.hidden,
        redraw,
      ),
    );
    if (rate) pane.note(`The rate of this problem is ${settings.counter} per second.`);
    if (counts.left_out > 0)
      pane.note(
        `The page has ${counted(counts.rows.length, "counted trial")}, spread evenly over the inputs; ` +
          `${counted(counts.left_out, "more").replace(/mores/, "more")} were left out.`,
      );
    pane.result = { points: shown.reduce((sum, name) => sum + groups.get(name).length, 0), counter: settings.counter };
  },
});
