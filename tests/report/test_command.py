# SPDX-License-Identifier: Apache-2.0
"""The command mlmq report: files, options and errors. test_page.py checks the page in a browser."""

import http.client
import json
import os
import re
import signal
import socket
import sqlite3
import sys
import time
import urllib.parse

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "cli"))
import program_test  # noqa: E402
import record  # noqa: E402


class Command(program_test.ProgramTest):
    def setUp(self):
        super().setUp()
        self.write("charts.js", program_test.STUB_CHARTS)

    def report(self, *arguments):
        return self.succeed("report", *arguments, "--charts", "charts.js")

    def contents(self, name):
        page = self.read(name).decode()
        matches = re.findall(r'<script id="data" type="application/json">(.*?)</script>', page, re.DOTALL)
        self.assertEqual(len(matches), 1)
        return json.loads(matches[0])

    def test_page_has_what_was_swept(self):
        self.write("x.yaml", record.SPACE)
        self.sweeps("x.yaml", "--db", "x.sqlite")
        record.add_readings_and_failures(self.path("x.sqlite"))
        code, output, _ = self.run_program("report", "x.sqlite", "--charts", "charts.js")
        self.assertEqual(code, 0)
        self.assertRegex(output, r"\Areport\.html: 36 trials in 1 result set, ")
        self.assertIn("1 trial gave a wrong answer", output)
        data = self.contents("report.html")
        [found] = data["sets"]
        self.assertEqual(found["problem"], "sssp")
        self.assertEqual(len(found["inputs"]), 6)
        self.assertEqual(len(found["configurations"]["labels"]), 6)
        self.assertEqual(len(found["samples"]["rows"]), 31)
        self.assertEqual(found["counts"]["names"], sorted(found["counts"]["names"]))
        self.assertEqual({failure["outcome"] for failure in found["failures"]}, set(record.FAILURES))
        self.assertEqual(len(data["databases"][0]["sessions"]), 1)
        metrics = data["databases"][0]["metrics"]
        self.assertEqual([list(row["metrics"]) for row in metrics["best"]], [["pops per vertex"]] * 6)
        [front] = metrics["fronts"]
        self.assertEqual([criterion["name"] for criterion in front["objectives"]], ["median ms", "pops per vertex"])
        for workload in {member["workload"] for member in front["members"]}:
            values = [member["values"] for member in front["members"] if member["workload"] == workload]
            self.assertEqual(values, sorted(values))
            self.assertEqual([pops for _, pops in values], sorted((pops for _, pops in values), reverse=True))
        # The table agrees with the database.
        with sqlite3.connect(self.path("x.sqlite")) as database:
            for at, (workload, query) in enumerate(found["inputs"]):
                times = dict(database.execute(
                    "SELECT c.label, t.median_ms FROM trial t JOIN configuration c ON c.id = t.configuration JOIN "
                    "workload w ON w.id = t.workload WHERE t.measurement = 'time' AND w.name = ? AND t.query = ?",
                    (found["workloads"]["list"][workload]["name"], query)).fetchall())
                for label, entry in zip(found["configurations"]["labels"], found["times"][at].split(",")):
                    if times[label] is None:
                        self.assertTrue(entry[0].isalpha(), entry)
                    else:
                        self.assertAlmostEqual(float(entry) / times[label], 1, places=3)
        database.close()

    def test_shipped_record_is_small(self):
        file = os.path.join(os.environ["MLMQ_RECORDED"], "results.trials")
        self.run_program("report", file, "--no-selectors", "--output", "shipped.html", "--charts", "charts.js")
        # The chart library adds 1.1 MB.
        self.assertLess(os.path.getsize(self.path("shipped.html")), 6.5e6)
        [gpu, processors] = self.contents("shipped.html")["sets"]
        self.assertEqual((len(gpu["inputs"]), len(processors["inputs"])), (2742, 798))
        self.assertEqual(gpu["selector"]["nothing"], "this page evaluates no selectors (--no-selectors or --watch)")

    def test_several_databases(self):
        folder = os.environ["MLMQ_RECORDED"]
        files = [os.path.join(folder, f"{name}.trials") for name in ("phold", "astar")]
        code, output, _ = self.run_program("report", *files, "--no-selectors", "-o", "two.html",
                                           "--charts", "charts.js", "--title", "Two <problems>")
        self.assertEqual(code, 0, output)
        data = self.contents("two.html")
        self.assertEqual([database["name"] for database in data["databases"]], ["phold.trials", "astar.trials"])
        self.assertEqual([(result_set["database"], result_set["problem"]) for result_set in data["sets"]],
                         [(0, "phold"), (1, "astar")])
        self.assertIn(b"<h1>Two &lt;problems&gt;</h1>", self.read("two.html"))

    def test_watch_serves_only_its_user_and_only_reads(self):
        self.write("x.yaml", record.SPACE)
        self.sweeps("x.yaml", "--db", "x.sqlite")
        before = self.read("x.sqlite")
        process = self.start("report", "x.sqlite", "--watch", "--charts", "charts.js")
        try:
            address = urllib.parse.urlsplit(process.stdout.readline().decode().strip())
            self.assertEqual(address.hostname, "127.0.0.1")
            self.assertRegex(address.path, r"\A/[0-9a-f]{32}/\Z")

            def ask(path, method="GET", host=address.netloc, **headers):
                connection = http.client.HTTPConnection("127.0.0.1", address.port, timeout=program_test.TIME_LIMIT_S)
                connection.request(method, path, headers={"Host": host, **headers})
                answer = connection.getresponse()
                body = answer.read()
                connection.close()
                return answer, body

            # An idle connection, such as browsers open in advance, does not delay other requests.
            idle = http.client.HTTPConnection("127.0.0.1", address.port)
            idle.connect()
            answer, page = ask(address.path)
            self.assertEqual(answer.status, 200)
            self.assertIn(b"connect-src 'self'", page)
            answer, data = ask(address.path + "data")
            self.assertEqual((answer.status, json.loads(data)["trials"]), (200, 36))
            self.assertEqual(answer.headers["Cache-Control"], "no-store")
            tag = answer.headers["ETag"]
            self.assertEqual(ask(address.path + "data", **{"If-None-Match": tag})[0].status, 304)
            for path in ("/", "/data", "/" + 32 * "0" + "/", address.path[:-1], address.path + "x.sqlite",
                         address.path + "../x.sqlite"):
                answer, body = ask(path)
                self.assertEqual((answer.status, body), (404, b"There is nothing at this address.\n"), path)
            self.assertEqual(ask(address.path, host="example.org")[0].status, 404)
            self.assertEqual(ask(address.path, host="localhost:99")[0].status, 200)
            self.assertEqual(ask(address.path, method="POST")[0].status, 404)
            self.assertEqual(ask(address.path, method="HEAD")[1], b"")
            self.assertEqual(self.read("x.sqlite"), before)
            # New trials give new contents; a broken database a reason.
            with sqlite3.connect(self.path("x.sqlite")) as database:
                database.execute("UPDATE trial SET median_ms = median_ms * 2")
            database.close()

            def wait_for(status):
                end = time.monotonic() + program_test.TIME_LIMIT_S
                while True:
                    answer, body = ask(address.path + "data", **{"If-None-Match": tag})
                    if answer.status == status:
                        return answer, body
                    self.assertLess(time.monotonic(), end)
                    time.sleep(0.05)

            self.assertNotEqual(wait_for(200)[0].headers["ETag"], tag)
            self.write("x.sqlite", "no database at all")
            self.assertIn(b"x.sqlite", wait_for(503)[1])
            idle.close()
        finally:
            process.send_signal(signal.SIGINT)
            output, errors = process.communicate(timeout=program_test.TIME_LIMIT_S)
        self.assertEqual((process.returncode, errors), (0, b""), output)

    def test_watch_waits_for_no_reader(self):
        self.write("x.yaml", record.SPACE)
        self.sweeps("x.yaml", "--db", "x.sqlite")
        self.write("large.js", program_test.STUB_CHARTS + "/*" + (1 << 24) * "x" + "*/")
        process = self.start("report", "x.sqlite", "--watch", "--charts", "large.js")
        try:
            address = urllib.parse.urlsplit(process.stdout.readline().decode().strip())

            def open_socket():
                opened = socket.socket()
                opened.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
                opened.settimeout(program_test.TIME_LIMIT_S)
                opened.connect(("127.0.0.1", address.port))
                opened.sendall(f"GET {address.path} HTTP/1.1\r\nHost: {address.netloc}\r\n\r\n".encode())
                return opened

            # Neither reader takes more than the first bytes of its page until others have been answered.
            slow = [open_socket() for _ in range(2)]
            for reader in slow:
                self.assertTrue(reader.recv(1, socket.MSG_PEEK))
            for _ in range(3):
                connection = http.client.HTTPConnection("127.0.0.1", address.port, timeout=program_test.TIME_LIMIT_S)
                connection.request("GET", address.path + "data")
                self.assertEqual(connection.getresponse().status, 200)
                connection.close()
            # Their pages are whole; waiting for one reader would have cut its page off.
            with slow[0].makefile("rb") as page:
                self.assertTrue(page.read().rstrip().endswith(b"</html>"))
            slow[0].close()
        finally:
            # Ctrl-C does not wait for the other reader.
            process.send_signal(signal.SIGINT)
            output, errors = process.communicate(timeout=program_test.TIME_LIMIT_S)
        slow[1].close()
        self.assertEqual((process.returncode, errors), (0, b""), output)

    def test_refusals(self):
        self.refuse("report", "none.sqlite", "--watch", "--charts", "charts.js", says="none.sqlite")
        self.refuse("report", "x.sqlite", "--watch", "--output", "x.html", says=("--watch", "--output"))
        self.refuse("report", "x.sqlite", "--port", "5", says=("--port", "--watch"))
        self.refuse("report", "x.sqlite", "--watch", "--model", "x.json", says=("--watch", "--model"))
        self.refuse("report", "x.sqlite", "--watch", "--no-selectors", says=("--watch", "--no-selectors"))
        self.refuse("report", "none.sqlite", "--charts", "charts.js", says="none.sqlite")
        self.write("text.sqlite", "no database at all")
        self.refuse("report", "text.sqlite", "--charts", "charts.js", says="text.sqlite")
        self.write("x.yaml", record.SPACE)
        self.sweeps("x.yaml", "--db", "x.sqlite")
        self.refuse("report", "x.sqlite", "x.sqlite", "--charts", "charts.js", says="specified twice")
        self.refuse("report", "x.sqlite", "--output", "x.sqlite", "--charts", "charts.js",
                    says="--output would overwrite x.sqlite, which 'databases' reads")
        self.refuse("report", "x.sqlite", "--output", "none/report.html", "--charts", "charts.js",
                    says="create the folder first")
        self.refuse("report", "x.sqlite", "--charts", "x.yaml", says=("x.yaml", "fetch-charts"))
        self.refuse("report", "x.sqlite", "--charts", "none.js", says="none.js")
        self.refuse("report", "x.sqlite", "--charts", "charts.js", "--model", "none.json", says="none.json")
        self.refuse("report", "x.sqlite", "--charts", "charts.js", "--most-trials", "0", says="--most-trials")
        with sqlite3.connect(self.path("x.sqlite")) as database:
            database.execute("UPDATE trial SET state = 'pending', outcome = NULL, finished_at = NULL, median_ms = NULL")
        database.close()
        self.refuse("report", "x.sqlite", "--charts", "charts.js",
                    says=("no finished timed trials", "run the sweep first"))
        self.assertNotIn("report.html", self.names())


if __name__ == "__main__":
    program_test.main()
