// SPDX-License-Identifier: Apache-2.0
// Refreshes the page of 'mlmq report --watch' from the database.

/** Replaces the contents. Choices of the user stay; those of a result set are found by its name. */
function replaceContents(data) {
  const names = [state.set, state.compared].map((index) => resultSets[index]?.name);
  loadContents(data);
  const [set, compared] = names.map((name) => resultSets.findIndex((one) => one.name === name));
  state.set = Math.max(set, 0);
  state.compared = compared < 0 ? null : compared;
  describeContents();
  redrawAll();
}

/** Asks the server for new contents until it has ended. */
async function followServer() {
  const status = document.getElementById("live");
  const seconds = contents.refresh_seconds;
  let { tag } = contents;
  const say = (text, isLost = false) => {
    status.textContent = text;
    status.classList.toggle("lost", isLost);
  };
  say("Live: waiting for new trials.");
  for (;;) {
    await new Promise((done) => {
      setTimeout(done, 1000 * seconds);
    });
    try {
      const answer = await fetch("data", { headers: { "If-None-Match": tag }, cache: "no-store" });
      if (answer.status === 200) {
        replaceContents(await answer.json());
        ({ tag } = contents);
      } else if (answer.status !== 304) throw new Error(await answer.text());
      say(
        `Live: ${counted(contents.trials, "trial")} on record, checked at ${new Date().toLocaleTimeString("en-GB")}.`,
      );
    } catch (error) {
      say(
        error instanceof TypeError
          ? "No answer from “mlmq report --watch”. The page shows what it had last."
          : `The results cannot be read: ${error.message}`,
        true,
      );
    }
  }
}
