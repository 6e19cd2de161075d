// SPDX-License-Identifier: Apache-2.0
// The view as a link: the section and everything that the user has chosen, in the fragment of the page's address.

/** Sets are written as {"set": [...]}. */
function settingsText(settings) {
  return JSON.stringify(settings, (_, value) => (value instanceof Set ? { set: [...value] } : value));
}

function parsedSettings(text) {
  const settings = JSON.parse(text, (_, value) =>
    value && Array.isArray(value.set) && Object.keys(value).length === 1 ? new Set(value.set) : value,
  );
  const isValid =
    settings !== null &&
    typeof settings === "object" &&
    ["hidden", "axes"].every((name) => settings[name] === undefined || settings[name] instanceof Set) &&
    (settings.limits === undefined || Array.isArray(settings.limits));
  if (!isValid) throw new Error("not settings of a view");
  return settings;
}

/** Returns the fragment, such as "#heat-map?results=1&heat-map.0={"order":"time"}"; `section` is an id. */
function linkFragment(section) {
  const chosen = new URLSearchParams();
  if (state.set !== 0) chosen.set("results", state.set);
  if (state.compared !== null) chosen.set("with", state.compared);
  if (state.unit !== "workload") chosen.set("count", state.unit);
  if (state.text !== "") chosen.set("only", state.text);
  for (const name of state.hiddenClasses) chosen.append("without", name);
  for (const { view, settings, changedSets } of sections.values())
    for (const name of changedSets) {
      const index = resultSets.findIndex((set) => set.name === name);
      if (index >= 0) chosen.set(`${view.id}.${index}`, settingsText(settings.get(name)));
    }
  return `#${section}${chosen.size > 0 ? `?${chosen}` : ""}`;
}

/** Applies a fragment. @return the id of the section to show; "" if there is none
 *  @throws if the fragment is not one of linkFragment() for these results */
function applyLink(fragment) {
  const [section, query] = fragment.replace(/^#/, "").split(/\?(.*)/s);
  if (query === undefined) return section;
  const chosen = new URLSearchParams(query);
  const index = (name) => {
    const value = Number(chosen.get(name));
    if (!resultSets[value]) throw new Error("no such result set");
    return value;
  };
  const wanted = {
    set: index("results"),
    compared: chosen.has("with") ? index("with") : null,
    unit: chosen.get("count") === "input" ? "input" : "workload",
    text: chosen.get("only") ?? "",
    hiddenClasses: new Set(chosen.getAll("without")),
  };
  const settings = [];
  for (const [key, text] of chosen) {
    const [, id, set] = /^([a-z-]+)\.(\d+)$/.exec(key) ?? [];
    if (id === undefined) continue;
    if (!sections.has(id) || !resultSets[set]) throw new Error("no such section");
    settings.push([sections.get(id), resultSets[set].name, parsedSettings(text)]);
  }
  Object.assign(state, wanted);
  for (const [of, name, values] of settings) {
    of.settings.set(name, values);
    of.changedSets.add(name);
  }
  return section;
}
