// SPDX-License-Identifier: Apache-2.0
// Charts in the colours of the page. The colours are those of Okabe and Ito, which colour-blind people can distinguish;
// series also differ in dashes and symbols.

const COLOURS = {
  light: ["#0072b2", "#d55e00", "#009e73", "#b3498a", "#b07d00", "#2f93c9", "#5b5b00", "#3a3f47"],
  dark: ["#56b4e9", "#ff8c42", "#2fc79a", "#e08fc0", "#e9c94b", "#8fd0f5", "#c4c66a", "#d7dce2"],
};
const DASHES = ["solid", "dashed", "dotted", [9, 3, 2, 3], [4, 2], [12, 4], [2, 4], [7, 2, 2, 2, 2, 2]];
const SYMBOLS = ["circle", "rect", "triangle", "diamond", "roundRect", "pin", "arrow", "emptyCircle"];
const VIRIDIS = ["#440154", "#414487", "#2a788e", "#22a884", "#7ad151", "#fde725"];

function isDark() {
  return document.documentElement.dataset.theme === "dark";
}

function themeColour(name) {
  return getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
}

/** Colour, dashes and symbol of the i-th series. */
function look(i) {
  const colours = COLOURS[isDark() ? "dark" : "light"];
  return {
    color: colours[i % colours.length],
    dash: DASHES[(i + 3 * Math.floor(i / colours.length)) % DASHES.length],
    symbol: SYMBOLS[i % SYMBOLS.length],
  };
}

/** A short sample of the line or mark of a series, for keys. */
function sample(style, kind = "line") {
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  svg.setAttribute("width", kind === "line" ? 34 : 14);
  svg.setAttribute("height", 14);
  svg.setAttribute("aria-hidden", "true");
  const shape = document.createElementNS(
    svg.namespaceURI,
    kind === "line" ? "line" : kind === "square" ? "rect" : "path",
  );
  if (kind === "line") {
    const dash =
      style.dash === "dashed"
        ? "7 4"
        : style.dash === "dotted"
          ? "2 3"
          : style.dash === "solid"
            ? ""
            : style.dash.join(" ");
    for (const [key, value] of Object.entries({
      x1: 1,
      x2: 33,
      y1: 7,
      y2: 7,
      stroke: style.color,
      "stroke-width": 2.5,
      "stroke-dasharray": dash,
    }))
      shape.setAttribute(key, value);
  } else if (kind === "square") {
    for (const [key, value] of Object.entries({ x: 1, y: 1, width: 12, height: 12, fill: style.color }))
      shape.setAttribute(key, value);
  } else {
    const paths = {
      circle: "M7 2a5 5 0 1 0 .01 0z",
      rect: "M2 2h10v10H2z",
      triangle: "M7 1l6 11H1z",
      diamond: "M7 0l6 7-6 7-6-7z",
    };
    shape.setAttribute("d", paths[style.symbol] || paths.circle);
    shape.setAttribute("fill", style.color);
  }
  svg.append(shape);
  return svg;
}

/** Axis with the page's colours. */
function axis(name, more = {}) {
  const { nameGap, axisLabel, splitLine, ...rest } = more;
  return {
    name,
    nameLocation: "middle",
    nameGap: nameGap ?? 30,
    nameTextStyle: { color: themeColour("text"), fontSize: 12.5 },
    axisLine: { show: true, lineStyle: { color: themeColour("line") } },
    axisTick: { lineStyle: { color: themeColour("line") } },
    axisLabel: { color: themeColour("muted"), hideOverlap: true, ...axisLabel },
    splitLine: { lineStyle: { color: themeColour("grid") }, ...splitLine },
    minorSplitLine: { show: false },
    ...rest,
  };
}

/** Axis of numbers by their logarithm. */
function logAxis(name, more = {}) {
  return axis(name, { type: "log", axisLabel: { formatter: (value) => formatNumber(value) }, ...more });
}

/** Ends of a logarithmic axis with a small margin around these values. */
function logEnds(values) {
  let low = Infinity;
  let high = 0;
  for (const value of values) {
    if (value > 0 && value < low) low = value;
    if (value > high) high = value;
  }
  if (high === 0) return {};
  const round = (value) => Number(value.toPrecision(2));
  return { min: round(low / 1.3), max: round(high * 1.3) };
}

const fixedFont = "system-ui, -apple-system, 'Segoe UI', Roboto, 'DejaVu Sans', sans-serif";

/** Disposes of a chart. ECharts 6.1 paints a heat map in one slice per frame, regardless of `progressive`, and a slice
 *  that is due after dispose() fails. An empty chart is painted at once and leaves no slices. */
function endChart(chart) {
  const painted = chart.getZr();
  painted.clear();
  painted.refreshImmediately();
  chart.dispose();
}

/** Lines that a text of a legend or remark takes. */
function linesOf(texts, width, perText) {
  let lines = 0;
  let used = width;
  for (const text of texts) {
    const needed = perText + text.length * 6.6;
    if (used + needed > width) {
      ++lines;
      used = 0;
    }
    used += needed;
  }
  return lines;
}

/** Draws a chart again as SVG, as it is zoomed now, with a legend, remarks and its source below.
 *  @return {svg, width, height} */
function pictureOf(chart, option, { legend, remarks, source }) {
  const width = chart.getWidth();
  const texts = [...remarks, source];
  const heights = texts.map((text) => 15 * Math.max(1, Math.ceil((text.length * 6.3) / (width - 24))));
  const textHeight = heights.reduce((sum, one) => sum + one, 8);
  const legendHeight = 24 * linesOf(legend, width - 24, 54);
  const below = textHeight + legendHeight;
  const height = chart.getHeight() + below;
  const raise = (one) => (one ? { ...one, bottom: (one.bottom ?? 0) + below } : undefined);
  const zoom = chart.getOption().dataZoom || [];
  const copy = echarts.init(null, null, { renderer: "svg", ssr: true, width, height });
  copy.setOption({
    ...option,
    // Lines without marks have none in the legend either.
    series: option.series.map((one) => (one.showSymbol === false ? { ...one, symbol: "none" } : one)),
    tooltip: undefined,
    backgroundColor: themeColour("card"),
    grid: raise(option.grid),
    parallel: raise(option.parallel),
    dataZoom: option.dataZoom?.map((one, i) => ({ ...one, show: false, start: zoom[i].start, end: zoom[i].end })),
    visualMap: [option.visualMap ?? []].flat().map((one) => ({ ...one, calculable: false })),
    legend: {
      show: legend.length > 0,
      data: legend,
      left: "center",
      bottom: textHeight,
      itemWidth: 30,
      textStyle: { color: themeColour("text"), fontFamily: fixedFont },
    },
    graphic: texts.map((text, i) => ({
      type: "text",
      left: 12,
      top: height - textHeight + 4 + heights.slice(0, i).reduce((sum, one) => sum + one, 0),
      style: {
        text,
        width: width - 24,
        lineHeight: 15,
        overflow: "break",
        fill: themeColour("muted"),
        fontSize: 11.5,
        fontFamily: fixedFont,
      },
    })),
  });
  const ids = copy.getModel().queryComponents({ mainType: "parallelAxis" });
  chart
    .getModel()
    .queryComponents({ mainType: "parallelAxis" })
    .forEach((one, i) =>
      copy.dispatchAction({ type: "axisAreaSelect", parallelAxisId: ids[i].id, intervals: one.activeIntervals }),
    );
  const svg = copy.renderToSVGString();
  copy.dispose();
  return { svg, width, height };
}

/** Turns an SVG picture into a PNG with three pixels per unit. */
async function pngOf({ svg, width, height }) {
  const url = URL.createObjectURL(new Blob([svg], { type: "image/svg+xml" }));
  try {
    const image = new Image(width, height);
    image.src = url;
    await image.decode();
    const canvas = element("canvas", { width: 3 * width, height: 3 * height });
    canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
    return await new Promise((done) => {
      canvas.toBlob(done, "image/png");
    });
  } finally {
    URL.revokeObjectURL(url);
  }
}

/** The part of a section in which a view draws. */
class Pane {
  /** @param changed called when the user changes settings of the view without a redraw */
  constructor(parent, set, changed = () => {}) {
    this.set = set;
    this.changed = changed;
    this.charts = [];
    this.element = element("div", { class: "pane" });
    parent.append(this.element);
  }

  add(...children) {
    this.element.append(...children.flat());
  }

  heading(text) {
    this.add(element("h3", {}, text));
  }

  note(text) {
    this.add(element("p", { class: "note" }, text));
  }

  /** Shows the reason for a missing chart. */
  empty(text) {
    this.add(element("p", { class: "empty" }, text));
  }

  controls(...fields) {
    this.add(element("div", { class: "controls" }, ...fields));
  }

  get width() {
    return this.element.clientWidth || 800;
  }

  get isNarrow() {
    return this.width < 560;
  }

  /** Draws a chart, with remarks and downloads below it.
   *  @param label description for screen readers, and name of downloaded files
   *  @param numbers returns {columns, rows} of a table with the same numbers
   *  @param points returns the numbers for the CSV file where the table has a summary of them
   *  @param legend names of the series that a downloaded picture explains; the page has keys of its own
   *  @param remarks what a reader of the chart must know, on the page and in downloaded pictures */
  chart(height, label, option, numbers, { points = numbers, legend = [], remarks = [] } = {}) {
    const host = element("div", { class: "chart", style: `height:${height}px`, role: "img", "aria-label": label });
    this.add(host);
    const made = echarts.init(host, null, { renderer: "canvas" });
    const drawn = {
      animation: false,
      textStyle: { fontFamily: fixedFont, color: themeColour("text") },
      backgroundColor: "transparent",
      ...option,
      tooltip:
        option.tooltip === undefined
          ? undefined
          : {
              confine: true,
              backgroundColor: themeColour("card"),
              borderColor: themeColour("line"),
              textStyle: { color: themeColour("text"), fontSize: 12.5 },
              extraCssText: "max-width:26rem;white-space:normal;overflow-wrap:anywhere",
              ...option.tooltip,
            },
    };
    made.setOption(drawn);
    this.charts.push(made);
    remarks.forEach((text) => this.note(text));
    const name = label.toLowerCase().replaceAll(/[^a-z0-9]+/g, "-");
    const picture = () => pictureOf(made, drawn, { legend, remarks, source: `${label}; ${this.set.source}` });
    const save = {
      PNG: async () => saveFile(`${name}.png`, await pngOf(picture()), "image/png"),
      SVG: () => saveFile(`${name}.svg`, picture().svg, "image/svg+xml"),
      CSV: () => saveFile(`${name}.csv`, csvText(points()), "text/csv"),
    };
    const buttons = Object.entries(save).map(([kind, click]) =>
      element("button", { type: "button", class: "copy", "aria-label": `${kind}: ${label}`, click }, kind),
    );
    this.add(
      element("div", { class: "downloads", role: "group", "aria-label": "Download" }, "Download", buttons),
      fold("Table of these numbers", () => {
        const { columns, rows } = numbers();
        return table(columns, rows);
      }),
    );
    return made;
  }

  clear() {
    this.charts.forEach(endChart);
    this.charts = [];
    this.element.replaceChildren();
  }

  resize() {
    this.charts.forEach((one) => one.resize());
  }
}

/** Escapes text for a tooltip. */
function escapeText(text) {
  return String(text).replace(
    /[&<>"]/g,
    (letter) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" })[letter],
  );
}

/** Lines of a tooltip. */
function tip(...lines) {
  return lines
    .filter((line) => line !== "")
    .map(escapeText)
    .join("<br>");
}

/** Keys of series that are switched by check boxes. `series` are {name, style, kind, title}; `hidden` is a set of
 *  names. */
function switches(series, hidden, redraw) {
  return element(
    "div",
    { class: "switches", role: "group", "aria-label": "Switch curves on and off" },
    series.map((one) =>
      element(
        "label",
        { title: one.title },
        element("input", {
          type: "checkbox",
          checked: !hidden.has(one.name),
          value: one.name,
          change: (event) => {
            if (event.target.checked) hidden.delete(one.name);
            else hidden.add(one.name);
            redraw();
          },
        }),
        sample(one.style, one.kind),
        one.name,
        one.text ? element("small", {}, one.text) : null,
      ),
    ),
  );
}

const views = [];

/** A view is {id, title, about, draw(pane, set, state, settings, redraw)}; `settings` are the view's own choices for
 *  this pane. */
function addView(view) {
  views.push(view);
}
