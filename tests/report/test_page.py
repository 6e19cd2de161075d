# SPDX-License-Identifier: Apache-2.0
"""The page of mlmq report in a headless Chromium: nothing is fetched, no errors are logged, all views are drawn, and
switches, filters and brushes have an effect."""

import os
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "cli"))
import browser  # noqa: E402
import program_test  # noqa: E402
import record  # noqa: E402

CHROMIUM = os.environ.get("MLMQ_CHROMIUM", "")
CHARTS = os.environ.get("MLMQ_CHARTS", "")

# A chart with at least this many different colours is not blank: frame, text and data.
LEAST_COLOURS = 5

# Draws a view. Returns for each canvas the number of different colours at the points of a grid, as soon as no canvas is
# blank, or after ten seconds.
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
    counts = [...section.element.querySelectorAll("canvas")].map(count);
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
        self.assertEqual([url for url in self.browser.requests if not url.startswith("data:")],
                         ["file://" + self.path("page.html")])
        self.assertEqual(self.browser.complaints, [])

    def test_every_view_is_drawn_and_right(self):
        self.sweep("x.sqlite")
        self.page("x.sqlite", selectors=True)
        self.assertEqual(len(self.views()), 13)
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
                self.page(os.path.join(folder, f"{name}.sqlite.gz"), selectors=True)
                self.draw_all(without=("clocks", "comparison"))
                self.check_quiet()

    def test_shipped_record(self):
        self.page(os.path.join(os.environ["MLMQ_RECORDED"], "results.sqlite.gz"))
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
