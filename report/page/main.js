// SPDX-License-Identifier: Apache-2.0
// The page: controls, sections, and drawing of visible sections.

const state = { set: 0, compared: null, unit: "workload", hiddenClasses: new Set(), text: "" };
const sections = new Map();

class Section {
  constructor(view) {
    this.view = view;
    this.panes = [];
    this.settings = new Map(); // by the name of a result set, which stays when a live page is refreshed
    this.changedSets = new Set(); // result sets whose settings the user has changed: links have only these
    this.isDrawn = false;
    this.host = element("div", { class: "panes" });
    this.element = element(
      "section",
      { id: view.id, "aria-labelledby": `${view.id}-title` },
      element("h2", { id: `${view.id}-title` }, view.title),
      element("p", { class: "about" }, view.about),
      this.host,
    );
    this.host.style.minHeight = "12rem";
  }

  settingsOf(set) {
    if (!this.settings.has(set.name)) this.settings.set(set.name, {});
    return this.settings.get(set.name);
  }

  clear() {
    this.panes.forEach((pane) => {
      (pane.parts || []).forEach((part) => part.clear());
      pane.clear();
    });
    this.panes = [];
    this.host.replaceChildren();
    this.isDrawn = false;
  }

  draw() {
    const focus = describeFocus(this.element);
    const height = this.host.offsetHeight;
    this.host.style.minHeight = `${height}px`; // keeps the content below from jumping
    this.clear();
    if (resultSets.length === 0) {
      this.host.append(element("p", { class: "empty" }, "No trial has finished yet."));
      this.isDrawn = true;
      return;
    }
    const sets = [resultSets[state.set]];
    if (state.compared !== null && !this.view.wide) sets.push(resultSets[state.compared]);
    this.host.className = sets.length > 1 ? "panes two" : "panes";
    for (const set of sets) {
      const changed = () => {
        this.changedSets.add(set.name);
        updateAddress();
      };
      const pane = new Pane(this.host, set, changed);
      this.panes.push(pane);
      if (sets.length > 1) pane.add(element("h4", {}, set.name));
      this.view.draw(pane, set, state, this.settingsOf(set), () => {
        changed();
        this.draw();
      });
    }
    this.host.style.minHeight = "";
    this.isDrawn = true;
    restoreFocus(this.element, focus);
  }

  resize() {
    this.panes.forEach((pane) => {
      pane.resize();
      (pane.parts || []).forEach((part) => part.resize());
    });
  }
}

/** Identifies the focused field, so that the new field can be focused after redrawing. */
function describeFocus(within) {
  const fields = [...within.querySelectorAll("select, input, button, summary")];
  return fields.indexOf(document.activeElement);
}

function restoreFocus(within, index) {
  if (index < 0) return;
  const fields = [...within.querySelectorAll("select, input, button, summary")];
  if (fields[index]) fields[index].focus({ preventScroll: true });
}

const seen = new IntersectionObserver(
  (entries) => {
    for (const entry of entries) {
      const section = sections.get(entry.target.id);
      section.isVisible = entry.isIntersecting;
      if (entry.isIntersecting && !section.isDrawn) section.draw();
    }
  },
  { rootMargin: "400px" },
);

/** The id of the section that is in view. */
function currentSection() {
  const link = document.querySelector("#contents [aria-current]");
  return (link ?? document.querySelector("#contents a")).hash.slice(1);
}

/** Puts the view into the page's address, so that a reload, a bookmark and a copied address restore it. */
function updateAddress() {
  history.replaceState(null, "", linkFragment(currentSection()));
}

/** Shows the view of the page's address. */
function followAddress() {
  let section = "";
  try {
    section = applyLink(location.hash);
  } catch {
    document.getElementById("subtitle").append(" · The link is for other results and was not applied.");
  }
  redrawAll();
  document.getElementById(section)?.scrollIntoView();
}

/** Redraws visible sections now, and the others when they become visible. */
function redrawAll() {
  drawControls();
  for (const section of sections.values()) {
    if (section.isVisible) section.draw();
    else {
      section.clear();
      section.host.style.minHeight = "12rem";
    }
  }
  seen.disconnect();
  for (const section of sections.values()) seen.observe(section.element);
}

function drawControls() {
  const controls = document.getElementById("controls");
  controls.hidden = resultSets.length === 0;
  if (controls.hidden) return;
  const index = describeFocus(controls);
  const set = resultSets[state.set];
  const names = resultSets.map((one) => [one.index, one.name]);
  const classes = [
    ...new Set([set, ...(state.compared === null ? [] : [resultSets[state.compared]])].flatMap((one) => one.classes)),
  ].sort();
  const changed = () => {
    updateAddress();
    redrawAll();
  };
  const filter = element("input", {
    type: "text",
    value: state.text,
    placeholder: "name or family",
    size: 14,
    change: (event) => {
      state.text = event.target.value.trim();
      changed();
    },
  });
  controls.replaceChildren(
    selectField("Results", names, state.set, (value) => {
      state.set = Number(value);
      if (state.compared === state.set) state.compared = null;
      changed();
    }),
    ...(resultSets.length > 1
      ? [
          selectField(
            "Compare with",
            [["", "nothing"], ...names.filter(([one]) => one !== state.set)],
            state.compared ?? "",
            (value) => {
              state.compared = value === "" ? null : Number(value);
              changed();
            },
          ),
        ]
      : []),
    ...(resultSets.some((one) => one.inputs.length > one.workloads.length)
      ? [
          selectField(
            "Count",
            [
              ["workload", "workloads (mean of queries)"],
              ["input", "single queries"],
            ],
            state.unit,
            (value) => {
              state.unit = value;
              changed();
            },
          ),
        ]
      : []),
    element("label", { class: "field" }, "Only workloads with", filter),
    ...(classes.length > 1
      ? [
          checkBoxes(
            "Classes of workloads",
            classes,
            (name) => !state.hiddenClasses.has(name),
            (name, checked) => {
              if (checked) state.hiddenClasses.delete(name);
              else state.hiddenClasses.add(name);
              changed();
            },
          ),
        ]
      : []),
    copyButton(() => location.href.replace(/#.*|$/, linkFragment(currentSection())), "Copy link to this view"),
  );
  restoreFocus(controls, index);
  const covers = getComputedStyle(controls).position === "sticky" ? controls.offsetHeight : 0;
  document.documentElement.style.setProperty("--controls-height", `${covers + 12}px`);
}

/** Sets the colours; "auto" follows the system. */
function setAppearance(wanted) {
  const dark = wanted === "dark" || (wanted === "auto" && matchMedia("(prefers-color-scheme: dark)").matches);
  document.documentElement.dataset.theme = dark ? "dark" : "light";
  document.documentElement.style.colorScheme = dark ? "dark" : "light";
  document
    .querySelectorAll("[data-appearance]")
    .forEach((button) => button.setAttribute("aria-pressed", String(button.dataset.appearance === wanted)));
  state.appearance = wanted;
}

/** Says what the page contains. */
function describeContents() {
  document.getElementById("subtitle").textContent = resultSets
    .map(
      (set) =>
        `${set.name}: ${counted(set.workloads.length, "workload")}, ${counted(set.labels.length, "configuration")}`,
    )
    .join(" · ");
  document.getElementById("made").textContent = `${contents.program} on ${formatMoment(contents.made)} (UTC)`;
}

function start() {
  describeContents();
  const main = document.getElementById("views");
  const list = document.getElementById("contents");
  for (const view of views) {
    const section = new Section(view);
    sections.set(view.id, section);
    main.append(section.element);
    list.append(element("li", {}, element("a", { href: `#${view.id}` }, view.title)));
  }
  document.querySelectorAll("[data-appearance]").forEach((button) =>
    button.addEventListener("click", () => {
      setAppearance(button.dataset.appearance);
      redrawAll();
    }),
  );
  document.getElementById("controls").addEventListener("submit", (event) => event.preventDefault());
  setAppearance("auto");
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
    if (state.appearance === "auto") {
      setAppearance("auto");
      redrawAll();
    }
  });
  followAddress();
  addEventListener("hashchange", () => {
    if (location.hash.includes("?")) followAddress();
    else updateAddress(); // a link of the list of sections
  });
  const inView = new IntersectionObserver(
    (entries) =>
      entries.forEach((entry) => {
        if (!entry.isIntersecting) return;
        list.querySelectorAll("a").forEach((link) => {
          if (link.hash === `#${entry.target.id}`) link.setAttribute("aria-current", "true");
          else link.removeAttribute("aria-current");
        });
      }),
    { rootMargin: "-15% 0px -75% 0px" },
  );
  for (const section of sections.values()) inView.observe(section.element);
  let width = innerWidth;
  let waiting = 0;
  addEventListener("resize", () => {
    clearTimeout(waiting);
    // Rotating a phone requires new charts, not only new widths.
    waiting = setTimeout(() => {
      if (innerWidth !== width) {
        width = innerWidth;
        redrawAll();
      }
    }, 200);
  });
  addEventListener("beforeprint", () => {
    for (const section of sections.values()) if (!section.isDrawn) section.draw();
  });
  if (contents.refresh_seconds) followServer();
}

start();
