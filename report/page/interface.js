// SPDX-License-Identifier: Apache-2.0
// Elements of the page.

/** An element with attributes, listeners (functions) and children (elements or texts). */
function element(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (typeof value === "function") made.addEventListener(key, value);
    else if (value === true) made.setAttribute(key, "");
    else if (value !== false && value !== null && value !== undefined) made.setAttribute(key, value);
  }
  made.append(...children.flat().filter((child) => child !== null && child !== undefined));
  return made;
}

const groupedNumber = new Intl.NumberFormat("en-US", { maximumFractionDigits: 8 });

function formatNumber(value, digits = 3) {
  if (value === null || value === undefined || !Number.isFinite(value)) return "–";
  if (value === 0) return "0";
  const size = Math.abs(value);
  if (size >= 1e7 || size < 1e-4) return value.toExponential(digits - 1).replace(/\.?0*e\+?/, "e");
  return groupedNumber.format(
    Number(value.toPrecision(size >= 1000 ? Math.max(digits, Math.ceil(Math.log10(size))) : digits)),
  );
}

function formatTime(milliseconds) {
  if (!Number.isFinite(milliseconds)) return "–";
  if (milliseconds >= 1000) return `${formatNumber(milliseconds / 1000)}\u00a0s`;
  if (milliseconds < 0.1) return `${formatNumber(milliseconds * 1000)}\u00a0µs`;
  return `${formatNumber(milliseconds)}\u00a0ms`;
}

function formatSeconds(seconds) {
  if (!Number.isFinite(seconds)) return "–";
  if (seconds < 1) return `${formatNumber(seconds * 1000)}\u00a0ms`;
  if (seconds < 120) return `${formatNumber(seconds)}\u00a0s`;
  return seconds < 7200 ? `${formatNumber(seconds / 60)}\u00a0min` : `${formatNumber(seconds / 3600)}\u00a0h`;
}

function formatPercent(share, digits = 3) {
  return Number.isFinite(share) ? `${formatNumber(100 * share, digits)}\u00a0%` : "–";
}

function formatBytes(bytes) {
  if (bytes === null) return "–";
  return bytes < 1e6
    ? `${formatNumber(bytes / 1e3)}\u00a0kB`
    : bytes < 1e9
      ? `${formatNumber(bytes / 1e6)}\u00a0MB`
      : `${formatNumber(bytes / 1e9)}\u00a0GB`;
}

function counted(count, noun) {
  return `${count.toLocaleString("en-US")} ${noun}${count === 1 ? "" : "s"}`;
}

/** Formats a time of day: "2026-11-21 20:26:39". */
function formatMoment(iso) {
  return iso.replace("T", " ").replace(/(\.\d+)?Z$/, "");
}

/** A labelled select. `options` are [value, text] or texts; groups are {group, options}. */
function selectField(label, options, value, change) {
  const option = (one) => {
    const [key, text] = Array.isArray(one) ? one : [one, one];
    return element("option", { value: key, selected: String(key) === String(value) }, String(text));
  };
  const select = element(
    "select",
    { change: (event) => change(event.target.value) },
    options.map((one) =>
      one.group === undefined ? option(one) : element("optgroup", { label: one.group }, one.options.map(option)),
    ),
  );
  return element("label", { class: "field" }, label, select);
}

/** Check boxes; `change` gets the name and whether it is checked. */
function checkBoxes(legend, names, isChecked, change) {
  return element(
    "fieldset",
    {},
    element("legend", {}, legend),
    element(
      "div",
      { class: "choices" },
      names.map((name) =>
        element(
          "label",
          {},
          element("input", {
            type: "checkbox",
            checked: isChecked(name),
            value: name,
            change: (event) => change(name, event.target.checked),
          }),
          name || "(no class)",
        ),
      ),
    ),
  );
}

/** A button that copies a text, or what a function returns, and confirms it. */
function copyButton(content, label = "Copy") {
  return element(
    "button",
    {
      type: "button",
      class: "copy",
      title: typeof content === "string" ? content : null,
      click: (event) => {
        const button = event.currentTarget;
        const text = typeof content === "string" ? content : content();
        const done = (word) => {
          button.textContent = word;
          setTimeout(() => {
            button.textContent = label;
          }, 1500);
        };
        const byHand = () => {
          const area = element("textarea", { class: "visually-hidden" });
          area.value = text;
          document.body.append(area);
          area.select();
          const copied = document.execCommand("copy");
          area.remove();
          button.focus();
          done(copied ? "Copied" : "Cannot copy");
        };
        if (navigator.clipboard && window.isSecureContext)
          navigator.clipboard.writeText(text).then(() => done("Copied"), byHand);
        else byHand();
      },
    },
    label,
  );
}

/** The command-line option that runs a configuration. */
function configurationOption(label) {
  return `--config '${label}'`;
}

/** Kinds of columns with numbers: how a table shows a number, and the unit of the number itself in a CSV file. */
const NUMBER = { number: true, show: formatNumber };
const MILLISECONDS = { number: true, show: formatTime, unit: "ms" };
const SECONDS = { number: true, show: formatSeconds, unit: "s" };
const SHARE = { number: true, show: formatPercent, unit: "share of 1" };

/** A table. Columns are {title} and optionally one of the kinds above; `button`: the column has buttons only. Cells are
 *  texts, numbers or elements. Long tables show their first rows. */
function table(columns, rows, limit = 25) {
  const body = element("tbody");
  const shown = (value, column) => {
    if (value === null || value === undefined) return "";
    if (value instanceof Node) return value;
    return column.show && typeof value === "number" ? column.show(value) : String(value);
  };
  const cell = (value, column) =>
    element(
      "td",
      { class: column.number ? "number" : column.keep ? "keep" : column.wide ? "wide-cell" : null },
      shown(value, column),
    );
  const add = (some) =>
    body.append(
      ...some.map((row) =>
        element(
          "tr",
          {},
          row.map((value, i) => cell(value, columns[i])),
        ),
      ),
    );
  add(rows.slice(0, limit));
  const made = element(
    "div",
    {},
    element(
      "div",
      { class: "wide", tabindex: "0", role: "group", "aria-label": "Table" },
      element(
        "table",
        {},
        element(
          "thead",
          {},
          element(
            "tr",
            {},
            columns.map((column) =>
              element("th", { scope: "col", class: column.number ? "number" : null }, column.title),
            ),
          ),
        ),
        body,
      ),
    ),
  );
  if (rows.length > limit) {
    const button = element(
      "button",
      {
        type: "button",
        click: () => {
          add(rows.slice(limit));
          button.remove();
        },
      },
      `Show all ${rows.length.toLocaleString("en-US")} rows`,
    );
    made.append(button);
  }
  return made;
}

/** The rows of a table as CSV (RFC 4180): numbers without rounding, in the units of their columns. */
function csvText({ columns, rows }) {
  const kept = columns.map((_, i) => i).filter((i) => !columns[i].button);
  const field = (value) => {
    if (value === null || value === undefined || (typeof value === "number" && !Number.isFinite(value))) return "";
    const text = value instanceof Node ? value.textContent : String(value);
    return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  };
  const title = ({ title: words, unit }) => (unit ? `${words} (${unit})` : words);
  return [kept.map((i) => title(columns[i])), ...rows.map((row) => kept.map((i) => row[i]))]
    .map((line) => `${line.map(field).join(",")}\r\n`)
    .join("");
}

/** Lets the browser save a file. */
function saveFile(name, content, type) {
  const url = URL.createObjectURL(new Blob([content], { type }));
  const link = element("a", { href: url, download: name });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(url), 10000);
}

/** A collapsible element; `fill` creates its content when it is first opened. */
function fold(title, fill) {
  const made = element(
    "details",
    {
      toggle: () => {
        if (made.open && made.children.length === 1) made.append(...[fill()].flat());
      },
    },
    element("summary", {}, title),
  );
  return made;
}
