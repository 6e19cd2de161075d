// SPDX-License-Identifier: Apache-2.0
// Decodes the data of the page into tables of times.
"use strict";

const OUTCOMES = {
  t: "stopped at a limit",
  w: "wrong answer",
  o: "overflow",
  x: "crashed",
  k: "compile error",
  l: "launch error",
  n: "cannot run here",
};

/** Name of a configuration, such as "c12": its position in the order of labels, from 1, as in plots/summary.py. */
const configurationName = (index) => `c${index + 1}`;

/** Rows of times. row.columns are indices of configurations, ascending. row.times are milliseconds; for a failure, the
 *  limit at which it was stopped, or NaN if unknown. row.outcomes are "" for ok, or a letter of OUTCOMES. */
class Table {
  constructor(set, rows) {
    this.set = set;
    this.rows = rows;
    for (const row of rows) {
      row.best = Infinity;
      row.fastest = -1;
      for (let i = 0; i < row.columns.length; ++i) {
        if (row.outcomes[i] === "" && row.times[i] < row.best) {
          row.best = row.times[i];
          row.fastest = row.columns[i];
        }
      }
    }
  }

  /** Position of a configuration in a row, or -1. */
  static place(row, configuration) {
    let low = 0;
    let high = row.columns.length - 1;
    while (low <= high) {
      const middle = (low + high) >> 1;
      if (row.columns[middle] === configuration) return middle;
      if (row.columns[middle] < configuration) low = middle + 1;
      else high = middle - 1;
    }
    return -1;
  }

  /** Best time / time of the configuration; 0 if it failed or was not measured. */
  static relative(row, configuration) {
    const at = Table.place(row, configuration);
    return at < 0 || row.outcomes[at] !== "" ? 0 : ratio(row.best, row.times[at]);
  }
}

function ratio(best, time) {
  return time > 0 ? best / time : 1;
}

class ResultSet {
  #defaults = new Map();
  #indices = new Map();
  #values = new Map();

  constructor(raw, index) {
    this.index = index;
    this.raw = raw;
    this.database = contents.databases[raw.database];
    this.problem = raw.problem;
    this.about = contents.problems[raw.problem];
    this.device = raw.device;
    this.labels = raw.configurations.labels;
    this.ids = raw.configurations.ids;
    this.parameters = this.#withSilentDefaults(raw.configurations.parameters);
    this.workloads = raw.workloads.list.map((one, i) => ({ ...one, index: i }));
    this.features = raw.workloads.features;
    this.inputs = raw.inputs.map(([workload, query]) => ({ workload, query }));
    this.classes = [...new Set(this.workloads.map((one) => one.class))].sort();
    this.varying = this.#varyingParameters();
    this.inputTable = new Table(
      this,
      this.inputs.map((input, i) => ({
        ...input,
        name: `${this.workloads[input.workload].name} ${input.query}`,
        ...parseRow(raw.times[i], raw.intervals[i]),
      })),
    );
    this.workloadTable = new Table(this, this.#meansOverQueries());
  }

  get name() {
    const several = contents.databases.length > 1 ? `${this.database.name}: ` : "";
    return `${several}${this.problem} on ${this.device.name}${this.device.modelled ? " (modelled)" : ""}`;
  }

  /** Origin of the numbers, for downloaded pictures. */
  get source() {
    return `${this.database.name}: ${this.problem} on ${this.device.name}${this.device.modelled ? " (modelled)" : ""}`;
  }

  table(unit) {
    return unit === "input" ? this.inputTable : this.workloadTable;
  }

  /** Value of a parameter as text; "–" if it is inactive. */
  value(parameter, configuration) {
    const value = this.parameters[parameter][configuration];
    return value === null ? "–" : String(value);
  }

  /** The values of a parameter in order: numbers by size, words by name, "–" last. */
  values(parameter) {
    if (!this.#values.has(parameter)) this.#values.set(parameter, this.#orderedValues(parameter));
    return this.#values.get(parameter);
  }

  #orderedValues(parameter) {
    const order = (text) => (text === "–" ? [2, 0, ""] : isNaN(text) ? [1, 0, text] : [0, Number(text), ""]);
    const all = [...new Set(this.labels.map((_, c) => this.value(parameter, c)))];
    return all.sort((a, b) => {
      const x = order(a);
      const y = order(b);
      return x[0] - y[0] || x[1] - y[1] || (x[2] < y[2] ? -1 : x[2] > y[2] ? 1 : 0);
    });
  }

  /** Position of each configuration's value in values(). */
  valueIndex(parameter) {
    if (!this.#indices.has(parameter)) {
      const place = new Map(this.values(parameter).map((value, i) => [value, i]));
      this.#indices.set(
        parameter,
        Int32Array.from(this.labels, (_, c) => place.get(this.value(parameter, c))),
      );
    }
    return this.#indices.get(parameter);
  }

  unit(parameter) {
    const known = this.about.parameters.find((one) => one.name === parameter);
    return known && known.unit ? known.unit.replaceAll("_", " ") : "";
  }

  meaning(parameter) {
    const known = this.about.parameters.find((one) => one.name === parameter);
    return known ? known.meaning : "";
  }

  /** Values of a configuration that are not the defaults. */
  describe(configuration) {
    return (
      this.varying
        .map((name) => [name, this.value(name, configuration)])
        .filter(([name, value]) => value !== "–" && value !== this.#defaults.get(name))
        .map(([name, value]) => `${name}=${value}`)
        .join(", ") || "the defaults"
    );
  }

  /** Short name of a configuration, such as "c12 near_far": its name and its first distinguishing words. */
  shortName(configuration) {
    const words = this.varying
      .filter((name) => typeof this.parameters[name][configuration] === "string")
      .map((name) => this.value(name, configuration))
      .filter((value) => value !== "none")
      .slice(0, 3);
    return `${configurationName(configuration)} ${words.join(" ")}`.trim();
  }

  /** Adds the defaults of parameters that configurations leave out, since these were added to the program later. */
  #withSilentDefaults(parameters) {
    this.#defaults = new Map(this.about.parameters.map((one) => [one.name, one.default]));
    for (const { name, default: value, silent } of this.about.parameters) {
      if (!silent || !parameters[name]) continue;
      const typed = value === "true" ? true : value === "false" ? false : isNaN(value) ? value : Number(value);
      parameters[name] = parameters[name].map((one) => one ?? typed);
    }
    return parameters;
  }

  #varyingParameters() {
    const declared = this.about.parameters.map((one) => one.name);
    const place = (name) => {
      const at = declared.indexOf(name);
      return at < 0 ? declared.length : at;
    };
    return Object.keys(this.parameters)
      .filter((name) => new Set(this.parameters[name]).size > 1)
      .sort((a, b) => place(a) - place(b) || (a < b ? -1 : 1));
  }

  /** One row per workload. A configuration's time is the mean over the workload's queries; it counts as failed or
   *  unmeasured if that is the case for any of them. */
  #meansOverQueries() {
    const of = new Map();
    this.inputTable.rows.forEach((row) => {
      if (!of.has(row.workload)) of.set(row.workload, []);
      of.get(row.workload).push(row);
    });
    return [...of].map(([workload, rows]) => {
      const made = {
        workload,
        query: null,
        name: this.workloads[workload].name,
        columns: [],
        times: [],
        outcomes: [],
        intervals: [],
      };
      rows[0].columns.forEach((configuration) => {
        let time = 0;
        let outcome = "";
        let interval = 0;
        for (const row of rows) {
          const at = Table.place(row, configuration);
          if (at < 0) return;
          time += row.times[at] / rows.length;
          interval = Math.max(interval, row.intervals[at]);
          // Other failures explain a missing answer better than a time limit.
          if (outcome === "" || (outcome === "t" && row.outcomes[at] !== "")) outcome = row.outcomes[at];
        }
        made.columns.push(configuration);
        made.times.push(time);
        made.outcomes.push(outcome);
        made.intervals.push(interval);
      });
      return made;
    });
  }
}

/** Parses a row; report/encoding.hpp describes the format. */
function parseRow(times, intervals) {
  const row = { columns: [], times: [], outcomes: [], intervals: [] };
  if (times === "") return row;
  const halves = intervals.split(",");
  let column = 0;
  times.split(",").forEach((entry, i) => {
    const first = entry[0];
    if (first === "~") {
      column += Number(entry.slice(1));
      return;
    }
    const failed = first in OUTCOMES;
    const number = failed ? entry.slice(1) : entry;
    row.columns.push(column++);
    row.times.push(number === "" ? NaN : Number(number));
    row.outcomes.push(failed ? first : "");
    row.intervals.push(halves[i] === "" || halves[i] === undefined ? NaN : Number(halves[i]) / 1000);
  });
  return row;
}

let contents;
let resultSets;

function loadContents(data) {
  contents = data;
  resultSets = contents.sets.map((raw, i) => new ResultSet(raw, i));
}

loadContents(JSON.parse(document.getElementById("data").textContent));
