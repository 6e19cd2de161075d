# SPDX-License-Identifier: Apache-2.0
"""The page of mlmq report in a headless Chromium: nothing is fetched, no errors are logged, all views are drawn, and
switches, filters and brushes have an effect."""

import csv
import io
import os
import signal
import sqlite3
import sys
import time
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "cli"))
import browser  # noqa: E402
import program_test  # noqa: E402
import record  # noqa: E402

CHROMIUM = os.environ.get("MLMQ_CHROMIUM", "")
CHARTS = os.environ.get("MLMQ_CHARTS", "")

# A chart with at least this many different colours is not blank: frame, text and data.
LEAST_COLOURS = 5

# Draws a view. Returns for each chart the number of different colours at the points of a grid, as soon as no chart is
# blank, or after ten seconds. A chart may consist of several canvases.
COLOURS = """
(async () => {
  const section = sections.get(%r);
  const count = (canvas) => {
    const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
    const seen = new Set();
    for (let i = 0; i < data.length; i += 4 * 7)
      if (data[i + 3] > 0) seen.add(`${data[i]} ${data[i + 1]} ${data[i + 2]}`);
    return seen.size;
  };
  section.draw();
  let counts = [];
  for (const end = performance.now() + 10000; performance.now() < end;) {
    await new Promise((done) => setTimeout(done, 50));
    counts = [...section.element.querySelectorAll(".chart")].map((chart) =>
      Math.max(...[...chart.querySelectorAll("canvas")].map(count)));
    if (counts.every((one) => one >= %d)) break;
  }
  return counts;
})()
"""


@unittest.skipUnless(CHROMIUM and os.path.exists(CHARTS), "no Chromium, or the chart library was not fetched")
class Page(program_test.ProgramTest):
    # The database of one sweep for all tests: the sweep takes most of their time.
    swept = None
    shared_browser = None

    @classmethod
    def tearDownClass(cls):
        if Page.shared_browser is not None:
            Page.shared_browser.close()

    def setUp(self):
        super().setUp()
        if Page.shared_browser is None:
            Page.shared_browser = browser.Browser(CHROMIUM)
        self.browser = Page.shared_browser
        self.browser.begin()
        self.addCleanup(self.leave)

    def leave(self):
        try:
            self.browser.end()
        except (browser.BrowserError, OSError):
            # The next test starts a new browser.
            Page.shared_browser = None
            self.browser.close()

    def page(self, *databases, width=1300, dark=False, phone=False, selectors=False):
        arguments = [] if selectors else ["--no-selectors"]
        code, output, errors = self.run_program("report", *databases, *arguments, "--output", "page.html",
                                                "--charts", CHARTS)
        self.assertEqual(code, 0, output + errors)
        self.browser.screen(width, dark=dark, phone=phone)
        self.browser.open(self.path("page.html"))

    def sweep(self, name, factor=1.0):
        if Page.swept is None:
            self.write("x.yaml", record.SPACE)
            self.sweeps("x.yaml", "--db", name)
            self.assertEqual([file for file in self.names() if file.startswith(name)], [name])  # no journal file
            Page.swept = self.read(name)
        self.write(name, Page.swept)
        record.add_readings_and_failures(self.path(name), factor)

    def tell(self, script):
        return self.browser.evaluate(script)

    def result(self, view, pane=0):
        return self.tell(f"sections.get({view!r}).panes[{pane}].result")

    def views(self):
        return self.tell("[...sections.keys()]")

    def draw_all(self, without=()):
        """Draws every view; checks that each one with data has charts that are not blank."""
        for view in self.views():
            colours = self.tell(COLOURS % (view, LEAST_COLOURS))
            if view in without or view == "summary":
                self.assertEqual(colours, [], view)
                continue
            self.assertTrue(colours, f"{view} has no chart")
            self.assertGreaterEqual(min(colours), LEAST_COLOURS, f"{view} has an empty chart: {colours}")
            self.assertIsNotNone(self.result(view), view)

    def check_quiet(self):
        """Checks that only the page itself was fetched, and that no error was logged."""
        self.assertEqual([url for url in self.browser.requests if not url.startswith(("data:", "blob:"))],
                         ["file://" + self.path("page.html")])
        self.assertEqual(self.browser.complaints, [])

    def test_every_view_is_drawn_and_right(self):
        self.sweep("x.sqlite")
        self.page("x.sqlite", selectors=True)
        self.assertEqual(len(self.views()), 14)
        self.draw_all(without=("comparison",))
        self.assertIn("There is only one result set", self.tell("document.getElementById('comparison').textContent"))
        # The numbers agree with the database.
        means = record.relative_performance(self.path("x.sqlite"))
        curves = {curve["name"]: curve for curve in self.result("performance")["curves"]}
        [fixed] = [one for name, one in curves.items() if name.startswith("best fixed: c")]
        self.assertAlmostEqual(fixed["mean"], max(means.values()), places=3)
        self.assertEqual(self.result("failures")["outcomes"], {"ok": 31, "t": 2, "o": 1, "w": 1, "x": 1})
        self.assertEqual(self.result("heat-map"), {"cells": 31, "marks": 5, "rows": 6, "columns": 6})
        self.assertEqual(self.result("work")["points"], 31)
        self.assertEqual(self.result("samples")["samples"] % 3, 0)
        self.assertGreater(self.result("samples")["samples"], 0)
        self.assertEqual(self.result("clocks")["readings"],
                         ["sm_clock_mhz", "memory_clock_mhz", "power_w", "temperature_c"])
        self.assertEqual(self.result("sessions"), {"sessions": 1, "kinds": 2})
        self.assertEqual(self.result("progress")["last"], 1)
        self.assertEqual(self.result("selector")["workloads"], 6)
        text = self.tell("document.body.innerText")
        self.assertIn("All times are modelled by the simulator", text)
        self.assertIn("1 trial gave a wrong answer", text)
        self.assertIn("made up </script> by the test", text)
        self.check_quiet()

    def test_switching_and_filtering(self):
        self.sweep("x.sqlite")
        self.page("x.sqlite")
        self.tell("sections.get('performance').draw()")
        before = self.result("performance")["drawn"]
        self.tell("document.querySelector('#performance .switches input').click()")
        self.assertLess(self.result("performance")["drawn"], before)
        self.tell("document.querySelector('#performance .switches input').click()")
        self.assertEqual(self.result("performance")["drawn"], before)
        families = self.tell("""(() => { const select = document.querySelector('#performance select');
            const names = [...select.options].map((one) => one.value); select.value = 'delta';
            select.dispatchEvent(new Event('change')); return names; })()""")
        self.assertIn("delta", families)
        self.assertEqual({curve["name"] for curve in self.result("performance")["curves"]} & {"1", "8", "–"},
                         {"1", "8", "–"})
        # Switch off a class of workloads.
        self.tell("sections.get('heat-map').draw()")
        self.assertEqual(self.result("heat-map")["rows"], 6)
        self.tell("document.querySelector('#controls input[value=road]').click()")
        self.tell("sections.get('heat-map').draw()")
        self.assertEqual(self.result("heat-map")["rows"], 4)
        self.tell("""(() => { const field = document.querySelector('#controls input[type=text]'); field.value = 'rmat';
            field.dispatchEvent(new Event('change')); sections.get('heat-map').draw(); })()""")
        self.assertEqual(self.result("heat-map")["rows"], 2)
        self.tell("""(() => { const field = document.querySelector('#controls input[type=text]');
            field.value = 'nothing like this';
            field.dispatchEvent(new Event('change')); for (const one of sections.values()) one.draw(); })()""")
        self.assertIn("The filters exclude all workloads",
                      self.tell("document.getElementById('performance').textContent"))
        self.check_quiet()

    def test_downloads(self):
        self.sweep("x.sqlite")
        self.page("x.sqlite", selectors=True)
        # One real download; the others are caught before the browser stores them.
        os.mkdir(self.path("downloads"))
        self.browser.save_downloads_to(self.path("downloads"))
        self.tell("sections.get('parameters').draw()")
        self.tell("document.querySelector('#parameters .downloads button:last-of-type').click()")
        end = time.monotonic() + browser.TIME_LIMIT_S
        while not [name for name in os.listdir(self.path("downloads")) if name.endswith(".csv")]:
            self.assertLess(time.monotonic(), end, "nothing was downloaded")
            time.sleep(0.05)
        [name] = os.listdir(self.path("downloads"))
        self.assertRegex(name, r"\Aloss-by-fixing-each-of-\d-parameters\.csv\Z")
        self.tell("saved = []; saveFile = (name, content, type) => saved.push({ name, content, type }); 0")
        for view in self.views():
            with self.subTest(view):
                files = self.tell("""(async () => {
                    saved.length = 0;
                    const section = sections.get(%r);
                    section.draw();
                    const charts = section.element.querySelectorAll('.chart').length;
                    const buttons = [...section.element.querySelectorAll('.downloads button')];
                    buttons.forEach((one) => one.click());
                    for (const end = performance.now() + 20000; performance.now() < end;) {
                      if (saved.length === buttons.length) break;
                      await new Promise((done) => setTimeout(done, 20));
                    }
                    const kept = (content) => typeof content === 'string' ? content : `${content.size} bytes`;
                    return [charts, saved.map(({ name, content, type }) => [name, kept(content), type])]; })()"""
                                  % view)
                charts, saved = files
                self.assertEqual(len(saved), 3 * charts)
                for name, content, kind in saved:
                    if kind == "image/png":
                        self.assertGreater(int(content.split()[0]), 5000, name)
                    elif kind == "image/svg+xml":
                        self.assertTrue(content.startswith("<svg"), name)
                        self.assertIn("x.sqlite: sssp on", content)
                    else:
                        rows = list(csv.reader(io.StringIO(content)))
                        self.assertGreater(len(rows), 1, name)
                        self.assertEqual({len(row) for row in rows}, {len(rows[0])}, name)
        # A CSV file has the numbers themselves, and a picture names its curves.
        self.tell("saved.length = 0; sections.get('performance').draw()")
        self.tell("document.querySelectorAll('#performance .downloads button').forEach((one) => one.click())")
        texts = self.tell("saved.map(({ content }) => content).filter((one) => typeof one === 'string')")
        [picture] = [text for text in texts if text.startswith("<svg")]
        [numbers] = [text for text in texts if not text.startswith("<svg")]
        rows = [row for row in csv.DictReader(io.StringIO(numbers)) if row["Curve"].startswith("best fixed: c")]
        mean = sum(float(row["Relative performance"]) for row in rows) / len(rows)
        self.assertAlmostEqual(mean, max(record.relative_performance(self.path("x.sqlite")).values()), places=3)
        self.assertIn(rows[0]["Curve"], picture)
        self.assertIn("chosen on these workloads", picture)
        self.check_quiet()

    def test_link_restores_the_view(self):
        self.sweep("x.sqlite")
        self.page("x.sqlite")
        choose = """((selector, value) => { const field = document.querySelector(selector); field.value = value;
            field.dispatchEvent(new Event('change')); })(%r, %r)"""
        self.tell("for (const one of sections.values()) one.draw()")
        self.assertEqual(self.tell("location.hash"), "")
        self.tell(choose % ("#controls input[type=text]", "rmat"))
        self.tell("for (const one of sections.values()) one.draw()")
        self.tell(choose % ("#heat-map select", "class"))
        self.tell(choose % ("#performance select", "delta"))
        self.tell("document.querySelector('#performance .switches input').click()")
        self.tell("sections.get('parallel').panes[0].brush('mean relative performance', 0.5, 1)")
        self.tell("sections.get('heat-map').panes[0].charts[0].dispatchAction({ type: 'dataZoom', dataZoomIndex: 1, "
                  "start: 20, end: 60 })")
        fragment = self.tell("linkFragment('heat-map')")
        wanted = [self.result(view) for view in ("heat-map", "performance", "parallel")]
        self.assertEqual(wanted[0]["rows"], 1)
        self.browser.visit("about:blank")
        self.browser.requests.clear()
        self.browser.open(self.path("page.html"), fragment)
        self.tell("for (const one of sections.values()) one.draw()")
        self.assertEqual([self.result(view) for view in ("heat-map", "performance", "parallel")], wanted)
        self.assertEqual(self.tell("document.querySelector('#controls input[type=text]').value"), "rmat")
        zoom = self.tell("sections.get('heat-map').panes[0].charts[0].getOption().dataZoom[1]")
        self.assertEqual((zoom["start"], zoom["end"]), (20, 60))
        # Links of other results are not applied.
        for bad in ("#heat-map?results=7", "#heat-map?heat-map.0=%7B", '#performance?performance.0={"hidden":3}'):
            self.browser.visit("about:blank")
            self.browser.requests.clear()
            self.browser.open(self.path("page.html"), bad)
            self.assertIn("was not applied", self.tell("document.getElementById('subtitle').textContent"))
            self.tell("for (const one of sections.values()) one.draw()")
            self.assertEqual(self.result("heat-map")["rows"], 6)
        self.check_quiet()

    def test_aliases_and_interactions(self):
        self.page(os.path.join(os.environ["MLMQ_RECORDED"], "results.trials"))
        self.tell("sections.get('parameters').draw()")
        # In this list, these values occur only together.
        self.assertIn(["bmax", "dispatcher_pause", "l0", "l2", "solver"],
                      [sorted(group) for group in self.result("parameters")["aliased"]])
        self.assertIn("This record cannot distinguish their effects",
                      self.tell("document.getElementById('parameters').textContent"))
        groups = self.tell("[...aliasedEffects([{ name: 'a', kept: [0, 1] }, { name: 'b', kept: [0, 2] }, "
                           "{ name: 'c', kept: [0, 1] }])].map(([name, group]) => [name, group.length])")
        self.assertEqual(groups, [["a", 2], ["c", 2]])
        self.assertAlmostEqual(self.tell("interactionOf([[1, 2], [3, 4]])"), 0)
        self.assertAlmostEqual(self.tell("interactionOf([[0, 1], [1, 0]])"), 0.5)
        self.assertTrue(self.tell("Number.isNaN(interactionOf([[1, NaN], [NaN, 2]]))"))
        self.assertTrue(self.tell("Number.isNaN(interactionOf([[1, 2], [NaN, 2]]))"))
        self.tell("sections.get('interactions').draw()")
        strengths = {(pair["first"], pair["second"]): pair["strength"] for pair in self.result("interactions")["pairs"]}
        self.assertEqual(len(strengths), 12 * 11 // 2)
        self.assertIsNone(strengths["split_degree", "ell_width"])
        # Labels of the heat map do not overlap, with 882 rows and after zooming.
        for zoom in ("start: 0, end: 100", "start: 40, end: 45"):
            labels = self.tell("""(() => { const section = sections.get('heat-map'); section.draw();
                const chart = section.panes[0].charts[0];
                chart.dispatchAction({ type: 'dataZoom', dataZoomIndex: 0, %s });
                return chart.getZr().storage.getDisplayList(true).filter((one) => one.type === 'tspan').map((one) => {
                  const box = one.getBoundingRect().clone();
                  if (one.transform) box.applyTransform(one.transform);
                  return [box.x, box.y, box.x + box.width, box.y + box.height]; }); })()""" % zoom)
            rows = sorted((box for box in labels if box[2] < 170 and box[1] > 40), key=lambda box: box[1])
            self.assertGreater(len(rows), 30)
            for above, below in zip(rows, rows[1:]):
                self.assertLessEqual(above[3], below[1] + 1)
        self.check_quiet()

    def test_live_page(self):
        self.sweep("x.sqlite")
        database = sqlite3.connect(self.path("x.sqlite"))
        with database:
            database.execute("CREATE TABLE finished AS SELECT * FROM trial")
            database.execute("UPDATE trial SET state = 'pending', outcome = NULL, finished_at = NULL, median_ms = NULL")
        process = self.start("report", "x.sqlite", "--watch", "--charts", CHARTS)
        try:
            address = process.stdout.readline().decode().strip()
            self.browser.screen(1300)
            self.browser.visit(address)
            self.assertIn("No trial has finished yet", self.tell("document.getElementById('performance').textContent"))
            with database:
                database.execute("UPDATE trial SET (state, outcome, finished_at, median_ms) = (SELECT state, outcome, "
                                 "finished_at, median_ms FROM finished f WHERE f.id = trial.id)")
            self.tell("""(async () => { for (const end = performance.now() + 60000; performance.now() < end;) {
                if (resultSets.length > 0) return;
                await new Promise((done) => setTimeout(done, 50)); } })()""")
            self.tell("sections.get('heat-map').draw()")
            self.assertEqual(self.result("heat-map")["rows"], 6)
            self.assertIn("36 trials", self.tell("document.getElementById('live').textContent"))
            # A choice stays when the page is refreshed.
            self.tell("sections.get('heat-map').element.querySelector('select').value = 'class'")
            self.tell("sections.get('heat-map').element.querySelector('select').dispatchEvent(new Event('change'))")
            self.tell("replaceContents(contents); sections.get('heat-map').draw()")
            self.assertLess(self.result("heat-map")["rows"], 6)
            self.assertEqual([url for url in self.browser.requests if not url.startswith((address, "data:"))], [])
            self.assertEqual(self.browser.complaints, [])
        finally:
            database.close()
            process.send_signal(signal.SIGINT)
            output, errors = process.communicate(timeout=browser.TIME_LIMIT_S)
        self.assertEqual((process.returncode, errors), (0, b""), output)

    def test_brushing(self):
        self.sweep("x.sqlite")
        self.page("x.sqlite")
        self.tell("""(async () => { sections.get('parallel').draw();
            document.getElementById('parallel').scrollIntoView({ behavior: 'instant' });
            await new Promise((done) => setTimeout(done, 300)); })()""")
        self.assertEqual(self.result("parallel")["selected"], 6)
        # Select with the mouse: the lower half of the axis of the mean, which excludes the best configurations.
        means = record.relative_performance(self.path("x.sqlite"))
        middle = sorted(means.values())[2:4]
        middle = sum(middle) / 2  # three configurations below it, three above
        x, low, high = self.tell("""(() => { const chart = sections.get('parallel').panes[0].charts[0];
            const dimension =
                `dim${sections.get('parallel').panes[0].result.axes.indexOf('mean relative performance')}`;
            const parallel = chart.getModel().getComponent('parallel').coordinateSystem;
            const axis = parallel.getAxis(dimension);
            const box = chart.getDom().getBoundingClientRect();
            const place = (value) => parallel.dataToPoint(value, dimension);
            return [box.left + place(0)[0], box.top + place(0)[1], box.top + place(%s)[1]]; })()""" % middle)
        self.browser.drag((x, low), (x, high))
        self.tell("new Promise((done) => setTimeout(done, 300))")
        self.assertEqual(self.result("parallel")["selected"], 3)
        self.assertIn("parallel.0", self.tell("decodeURIComponent(location.hash)"))
        self.tell("sections.get('parallel').draw()")
        self.assertEqual(self.result("parallel")["selected"], 3)
        # Keyboard: select all again, then use the fields.
        press = """(() => { const button = [...document.querySelectorAll('#parallel button')]
            .find((one) => one.textContent === %r);
            button.focus(); })()"""
        self.tell(press % "Keep all")
        self.browser.press("Enter")
        self.assertEqual(self.result("parallel")["selected"], 6)
        self.tell("""(() => { const [from, to] = document.querySelectorAll('#parallel input[type=number]');
            from.value = %s; to.value = 1; })()""" % middle)
        self.tell(press % "Keep")
        self.browser.press("Enter")
        self.assertEqual(self.result("parallel")["selected"], sum(mean >= middle for mean in means.values()))
        self.check_quiet()

    def test_a_chart_that_ends_while_it_is_painted(self):
        self.sweep("x.sqlite")
        self.page("x.sqlite")
        # With a clock by which everything takes long, one cell is painted per frame.
        remaining = self.tell("""(async () => {
            const now = Date.now; let ahead = 0; Date.now = () => now() + (ahead += 20);
            const frames = async (n) => { while (n-- > 0) await new Promise((done) => requestAnimationFrame(done)); };
            const section = sections.get('heat-map');
            section.draw();
            await frames(3);
            const layers = Object.values(section.panes[0].charts[0].getZr().painter._i.layers).flat().filter(Boolean);
            const cursors = layers.flatMap((layer) => layer.__cursorStack.map((key) => layer.__cursors.get(key)));
            const left = Math.max(...cursors.map((one) => one.endIdx - one.drawIdx));
            section.draw();
            await frames(3);
            section.clear();
            await frames(10);
            return left; })()""")
        self.assertGreater(remaining, 10, "the chart is painted already, and this test shows nothing")
        self.check_quiet()

    def test_two_databases_side_by_side(self):
        self.sweep("before.sqlite")
        self.sweep("after.sqlite", factor=2.0)
        # Only measured times are compared.
        for name in ("before.sqlite", "after.sqlite"):
            program_test.sqlite3.connect(self.path(name)).executescript("UPDATE device SET modelled = 0; UPDATE trial "
                                                                        "SET times_modelled = 0;")
        self.page("before.sqlite", "after.sqlite", selectors=True)
        self.tell("""(() => { const select = document.querySelectorAll('#controls select')[1]; select.value = '1';
            select.dispatchEvent(new Event('change')); })()""")
        self.draw_all()
        self.assertEqual(self.tell("sections.get('performance').panes.length"), 2)
        compared = self.result("comparison")
        self.assertEqual(compared["points"], 31)
        self.assertAlmostEqual(compared["median"], 2, places=2)
        self.assertEqual(compared["changes"], 0)
        self.check_quiet()

    def test_records_of_other_problems(self):
        folder = os.environ["MLMQ_RECORDED"]
        for name in ("phold", "astar"):
            with self.subTest(name):
                self.browser.requests.clear()
                self.page(os.path.join(folder, f"{name}.trials"), selectors=True)
                self.draw_all(without=("clocks", "comparison"))
                self.check_quiet()

    def test_shipped_record(self):
        self.page(os.path.join(os.environ["MLMQ_RECORDED"], "results.trials"))
        self.assertLess(os.path.getsize(self.path("page.html")), 8e6)
        self.draw_all(without=("work", "clocks", "selector", "comparison"))
        self.assertEqual(self.result("heat-map")["rows"], 882)
        self.check_quiet()

    def test_record_without_an_answer(self):
        self.sweep("x.sqlite")
        with program_test.sqlite3.connect(self.path("x.sqlite")) as database:
            database.execute("UPDATE trial SET outcome = 'overflow', median_ms = NULL, spread = NULL WHERE measurement "
                             "= 'time'")
        database.close()
        self.page("x.sqlite", selectors=True)
        self.tell("for (const one of sections.values()) one.draw()")
        self.assertIn("No configuration solved any input",
                      self.tell("document.getElementById('performance').textContent"))
        self.assertEqual(self.result("failures")["outcomes"], {"o": 36})
        self.check_quiet()

    def test_phone_and_colours(self):
        self.sweep("x.sqlite")
        backgrounds = []
        for dark in (False, True):
            self.browser.requests.clear()
            self.page("x.sqlite", width=390, dark=dark, phone=True)
            self.draw_all(without=("comparison", "selector"))
            self.assertEqual(self.tell("document.documentElement.scrollWidth"), 390)
            backgrounds.append(self.tell("getComputedStyle(document.body).backgroundColor"))
            self.check_quiet()
        self.assertNotEqual(*backgrounds)
        self.tell("document.querySelector('[data-appearance=light]').click()")
        self.assertEqual(self.tell("getComputedStyle(document.body).backgroundColor"), backgrounds[0])

    def test_keyboard_and_names(self):
        self.sweep("x.sqlite")
        self.page("x.sqlite")
        self.tell("for (const one of sections.values()) one.draw()")
        # The first tab stop is a link that skips to the charts.
        self.browser.press("Tab")
        self.assertEqual(self.tell("document.activeElement.className"), "skip")
        # Every control has an accessible name, and every chart a description.
        self.assertEqual(self.tell("""[...document.querySelectorAll('input, select, textarea')].filter((one) =>
            !one.closest('label') && !one.getAttribute('aria-label')).length"""), 0)
        self.assertEqual(self.tell("""[...document.querySelectorAll('button, summary, a')].filter((one) =>
            one.textContent.trim() === '').length"""), 0)
        self.assertEqual(self.tell("[...document.querySelectorAll('.chart')].filter((one) => "
                                   "!one.getAttribute('aria-label')).length"), 0)
        # A selection that redraws the page keeps the focus.
        self.assertTrue(self.tell("""(() => { const select = document.querySelector('#parameters select');
            select.focus();
            select.selectedIndex = 1; select.dispatchEvent(new Event('change'));
            return document.activeElement.tagName === 'SELECT' && document.activeElement !== select; })()"""))
        self.check_quiet()


if __name__ == "__main__":
    program_test.main()
