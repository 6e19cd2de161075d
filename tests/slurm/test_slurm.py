#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A sweep as a job array on a Slurm cluster of two nodes, both of them this machine, without a default partition.

Usage: test_slurm.py PROGRAM CACHE. Exit status 77, with one line of output, if Slurm is not installed.
"""

import itertools
import os
import re
import shutil
import signal
import socket
import sqlite3
import subprocess
import sys
import tempfile
import time
import unittest

PROGRAM, CACHE = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
SUBMIT = os.path.join(ROOT, "experiments", "slurm", "submit")
PATH = os.environ.get("PATH", "") + ":/usr/sbin:/sbin"
NEEDED = ("slurmctld", "slurmd", "sbatch", "squeue", "sinfo", "scancel", "scontrol")

CONFIGURATION = """\
ClusterName=test
SlurmctldHost=localhost(127.0.0.1)
SlurmctldPort={ports[0]}
SlurmUser={user}
SlurmdUser={user}
AuthType=auth/none
CredType=cred/none
CommunicationParameters=NoCtldInAddrAny,NoInAddrAny
ProctrackType=proctrack/pgid
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SchedulerParameters=batch_sched_delay=0,sched_interval=1
AccountingStorageType=accounting_storage/none
JobAcctGatherType=jobacct_gather/none
JobCompType=jobcomp/none
MpiDefault=none
SwitchType=switch/none
ReturnToService=2
KillWait=5
MinJobAge=300
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool.%n
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.%n.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd.%n.log
NodeName=n1 NodeHostname=localhost NodeAddr=127.0.0.1 Port={ports[1]} CPUs=1 State=UNKNOWN
NodeName=n2 NodeHostname=localhost NodeAddr=127.0.0.1 Port={ports[2]} CPUs=1 State=UNKNOWN
PartitionName=main Nodes=n1,n2 Default=NO MaxTime=INFINITE State=UP
"""

sys.path.insert(0, os.path.join(ROOT, "tests", "cli"))
from program_test import DEVICE, SMALL_SPACE, SMALL_TRIALS  # noqa: E402

SPACE = SMALL_SPACE.replace("name: small", "name: cluster")


def free_ports(count):
    sockets = [socket.socket() for _ in range(count)]
    for listener in sockets:
        listener.bind(("127.0.0.1", 0))
    ports = [listener.getsockname()[1] for listener in sockets]
    for listener in sockets:
        listener.close()
    return ports


class Cluster(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.mkdtemp(prefix="mlmq-slurm-")
        cls.addClassCleanup(shutil.rmtree, cls.folder, ignore_errors=True)
        for name in ("state", "spool.n1", "spool.n2"):
            os.mkdir(os.path.join(cls.folder, name))
        configuration = os.path.join(cls.folder, "slurm.conf")
        cls.user = subprocess.run(["id", "-un"], stdout=subprocess.PIPE, text=True, check=True).stdout.strip()
        with open(configuration, "w", encoding="utf-8") as file:
            file.write(CONFIGURATION.format(folder=cls.folder, ports=free_ports(3), user=cls.user))
        cls.environment = {**os.environ, "PATH": PATH, "SLURM_CONF": configuration, "MLMQ": PROGRAM,
                           "MLMQ_CACHE": CACHE, "TMPDIR": cls.folder}
        for command in (["slurmctld", "-D"], ["slurmd", "-D", "-N", "n1"], ["slurmd", "-D", "-N", "n2"]):
            log = open(os.path.join(cls.folder, f"{command[0]}.{command[-1]}.out"), "wb")
            process = subprocess.Popen(command, env=cls.environment, stdin=subprocess.DEVNULL, stdout=log, stderr=log)
            cls.addClassCleanup(log.close)
            cls.addClassCleanup(process.wait)
            cls.addClassCleanup(process.terminate)
        deadline = time.monotonic() + 60
        while cls.ask("sinfo", "-h", "-o", "%T %D") != "idle 2":
            if time.monotonic() > deadline:
                raise RuntimeError("the cluster does not start: " + cls.logs())
            time.sleep(0.2)

    @classmethod
    def ask(cls, *command):
        return subprocess.run(command, env=cls.environment, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                              text=True, check=False).stdout.strip()

    @classmethod
    def logs(cls):
        texts = []
        for folder, _, files in os.walk(cls.folder):
            for name in files:
                if name.endswith((".log", ".out")):
                    with open(os.path.join(folder, name), encoding="utf-8", errors="replace") as file:
                        texts.append(f"--- {name}\n{file.read()[-2000:]}")
        return "\n".join(texts)

    def setUp(self):
        self.work = tempfile.mkdtemp(prefix="work-", dir=self.folder)
        self.space = os.path.join(self.work, "space.yaml")
        self.out = os.path.join(self.work, "out")
        with open(self.space, "w", encoding="utf-8") as file:
            file.write(SPACE)

    def submit(self, *arguments, code=0, **variables):
        done = subprocess.run([SUBMIT, *arguments], env={**self.environment, **variables}, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True, check=False)
        self.assertEqual(done.returncode, code, done.stderr)
        return done.stdout if code == 0 else done.stderr

    def wait_for_jobs(self):
        deadline = time.monotonic() + 120
        while self.ask("squeue", "-h", "-o", "%i"):
            if time.monotonic() > deadline:
                self.fail("jobs do not end: " + self.ask("squeue") + self.logs())
            time.sleep(0.2)

    def results(self, name):
        """Returns every trial with its median and counters, without ids."""
        path = os.path.join(self.out, name)
        if not os.path.exists(path):
            self.fail(f"no {name}: {self.logs()}")
        connection = sqlite3.connect(path)
        try:
            rows = connection.execute(
                "SELECT c.label, w.hash, t.query, t.measurement, t.outcome, "
                "(SELECT group_concat(name || '=' || value) FROM (SELECT name, value FROM counter WHERE trial = t.id "
                "ORDER BY name)), t.median_ms FROM trial t JOIN configuration c ON c.id = t.configuration "
                "JOIN workload w ON w.id = t.workload ORDER BY 1, 2, 3, 4").fetchall()
        finally:
            connection.close()
        return [row[:-1] for row in rows], [row[-1] for row in rows]

    def check_equals_undivided(self):
        undivided = os.path.join(self.out, "undivided.sqlite")
        subprocess.run([PROGRAM, "sweep", self.space, "--db", undivided, "--device", DEVICE], env=self.environment,
                       stdout=subprocess.DEVNULL, check=True)
        expected, expected_times = self.results("undivided.sqlite")
        trials, times = self.results("results.sqlite")
        self.assertEqual(len(trials), SMALL_TRIALS)
        self.assertEqual(trials, expected)
        for time_found, time_expected in zip(times, expected_times):
            self.assertEqual(time_found is None, time_expected is None)
            if time_found is not None:
                self.assertAlmostEqual(time_found, time_expected, delta=1e-9 * time_expected)

    def test_an_array_of_shards_is_the_sweep(self):
        output = self.submit(self.space, self.out, "3", "--partition=main", "--", "--device", DEVICE)
        self.assertIn("3 shards", output)
        self.wait_for_jobs()
        shards = [self.results(f"shard-{index}-of-3.sqlite")[0] for index in (1, 2, 3)]
        self.assertEqual(sum(map(len, shards)), SMALL_TRIALS)
        for one, other in itertools.combinations(shards, 2):
            self.assertFalse(set(one) & set(other))
        self.check_equals_undivided()
        # Only complete files stay in the folder.
        self.assertFalse([name for name in os.listdir(self.out) if name.endswith(".part")])
        self.assertFalse([name for name in os.listdir(self.folder) if name.startswith("mlmq-")])

    def test_a_lost_shard_is_run_again(self):
        # Shard 2 is left out at first.
        self.submit(self.space, self.out, "2", "-p", "main", "--array=1", "--", "--device", DEVICE)
        self.wait_for_jobs()
        with open(os.path.join(self.out, "mlmq-merge.log"), encoding="utf-8") as file:
            self.assertIn("missing in " + self.out + ": shard-2-of-2.sqlite", file.read())
        first = self.results("shard-1-of-2.sqlite")
        self.assertEqual(self.results("results.sqlite"), first)
        self.submit(self.space, self.out, "2", "--part", "main", "--", "--device", DEVICE)
        self.wait_for_jobs()
        # The first shard was finished, and none of its trials was repeated.
        self.assertEqual(self.results("shard-1-of-2.sqlite"), first)
        with open(os.path.join(self.out, "mlmq-sweep-1.log"), encoding="utf-8") as file:
            self.assertIn(" 0 in this run", file.read())
        self.check_equals_undivided()

    def test_a_shard_that_is_stopped_keeps_what_it_has(self):
        with open(self.space, "w", encoding="utf-8") as file:
            file.write(SPACE.replace("road6", "road9").replace("del6", "del9").replace("repeats: 2", "repeats: 60"))
        self.submit(self.space, self.out, "1", "-pmain", "--", "--device", DEVICE)
        job = self.ask("squeue", "-h", "-n", "mlmq-sweep", "-o", "%A").split()[0]
        log = os.path.join(self.out, "mlmq-sweep-1.log")
        deadline = time.monotonic() + 60
        # Jobs of other tests may not have removed their folders yet.
        while not any(self.done_in(os.path.join(self.folder, name, "shard.sqlite"))
                      for name in os.listdir(self.folder) if name.startswith(f"mlmq-{job}-")):
            self.assertLess(time.monotonic(), deadline, self.logs())
            time.sleep(0.02)
        # Like before a time limit, the signal goes to the script only.
        self.ask("scancel", "--batch", "--signal=TERM", job)
        self.wait_for_jobs()
        with open(log, encoding="utf-8") as file:
            text = file.read()
        self.assertIn("stopped; rerun this command to continue", text, self.logs())
        self.assertEqual(self.job("mlmq-sweep")["ExitCode"], "75:0")
        done = len([row for row in self.results("shard-1-of-1.sqlite")[0] if row[4] == "ok"])
        self.assertTrue(0 < done < SMALL_TRIALS, done)
        self.submit(self.space, self.out, "1", "-pmain", "--", "--device", DEVICE)
        self.wait_for_jobs()
        with open(log, encoding="utf-8") as file:
            self.assertIn(f"{SMALL_TRIALS} of {SMALL_TRIALS} trials done, {SMALL_TRIALS - done} in this run",
                          file.read())
        self.check_equals_undivided()

    def test_a_killed_node_costs_only_trials_since_the_last_copy(self):
        with open(self.space, "w", encoding="utf-8") as file:
            file.write(SPACE.replace("road6", "road9").replace("del6", "del9").replace("repeats: 2", "repeats: 60"))
        self.submit(self.space, self.out, "1", "-pmain", "--", "--device", DEVICE, MLMQ_SAVE_SECONDS="0.2")
        kept = os.path.join(self.out, "shard-1-of-1.sqlite")
        deadline = time.monotonic() + 120
        while not self.done_in(kept):
            self.assertLess(time.monotonic(), deadline, self.logs())
            time.sleep(0.05)
        # Nothing on the node ends in an orderly way.
        script = subprocess.run(["pgrep", "-f", f"slurm_script .* {self.out} "], stdout=subprocess.PIPE, text=True,
                                check=True).stdout.split()[0]
        os.killpg(os.getpgid(int(script)), signal.SIGKILL)
        self.wait_for_jobs()
        for name in os.listdir(self.folder):
            if name.startswith("mlmq-"):
                shutil.rmtree(os.path.join(self.folder, name))
        done = self.done_in(kept)
        self.assertTrue(0 < done < SMALL_TRIALS, done)
        self.submit(self.space, self.out, "1", "-pmain", "--", "--device", DEVICE)
        self.wait_for_jobs()
        with open(os.path.join(self.out, "mlmq-sweep-1.log"), encoding="utf-8") as file:
            self.assertIn(f"{SMALL_TRIALS} of {SMALL_TRIALS} trials done, {SMALL_TRIALS - done} in this run",
                          file.read())
        self.check_equals_undivided()

    def test_a_node_that_is_free_takes_the_next_shard(self):
        # The first shard waits until all others have ended. It ends only if they do not wait for its node.
        shards = 5
        waiting = os.path.join(self.work, "mlmq")
        with open(waiting, "w", encoding="utf-8") as file:
            file.write("#!/bin/sh\n"
                       f'case "$*" in *--dry-run*) ;; sweep*"--shard 1/{shards} "*)\n'
                       f"  while [ $(ls {self.out} | grep -c '^shard-.*sqlite$') -lt {shards - 1} ]; do\n"
                       "    sleep 0.2\n  done;;\n"
                       f'esac\nexec {PROGRAM} "$@"\n')
        os.chmod(waiting, 0o755)
        self.submit(self.space, self.out, str(shards), "-pmain", "--", "--device", DEVICE, MLMQ=waiting)
        self.wait_for_jobs()
        tasks = [job for job in self.jobs() if job["JobName"] == "mlmq-sweep" and job["StdOut"].startswith(self.out)]
        self.assertEqual({task["JobState"] for task in tasks}, {"COMPLETED"})
        node_of = {int(task["ArrayTaskId"]): task["NodeList"] for task in tasks}
        self.assertEqual([index for index, node in node_of.items() if node == node_of[1]], [1], node_of)
        trials = [row for index in range(1, shards + 1) for row in self.results(f"shard-{index}-of-{shards}.sqlite")[0]]
        self.assertEqual(sorted(trials), sorted(self.results("results.sqlite")[0]))

    @staticmethod
    def done_in(path):
        try:
            connection = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
            try:
                return connection.execute("SELECT count(*) FROM trial WHERE state = 'done'").fetchone()[0]
            finally:
                connection.close()
        except sqlite3.Error:
            return 0

    def jobs(self):
        """Returns Slurm's fields of all jobs."""
        return [dict(word.split("=", 1) for word in line.split() if "=" in word)
                for line in self.ask("scontrol", "-o", "show", "job").splitlines()]

    def job(self, name):
        """Returns Slurm's fields of the newest job with this name."""
        return max((job for job in self.jobs() if job.get("JobName") == name), key=lambda job: int(job["JobId"]))

    def test_the_merge_job_has_the_options_that_both_jobs_need(self):
        self.ask("scontrol", "create", "reservation", "ReservationName=nodes", "StartTime=now", "Duration=60",
                 "Nodes=n1,n2", "Users=" + self.user)
        self.addCleanup(self.ask, "scontrol", "delete", "ReservationName=nodes")
        self.addCleanup(self.wait_for_jobs)
        for limit in ("--time=1:00:00", "-t60"):
            self.submit(self.space, self.out, "1", "-p", "main", "--account=group", "--res=nodes", limit,
                        "--begin=now+1", "--", "--device", DEVICE, MLMQ_MERGE_OPTIONS="--comment=short --nice=7")
            sweep, merge = self.job("mlmq-sweep"), self.job("mlmq-merge")
            for field in ("Partition", "Account", "Reservation", "TimeLimit"):
                self.assertEqual(merge[field], sweep[field], field)
            self.assertEqual([merge[field] for field in ("Partition", "Account", "Reservation", "TimeLimit")],
                             ["main", "group", "nodes", "01:00:00"])
            self.assertEqual((merge["Comment"], merge["Nice"]), ("short", "7"))
            self.assertEqual(sweep["Nice"], "0")

    def test_options_of_the_merge_job_win_and_those_of_the_shards_stay_there(self):
        self.addCleanup(self.wait_for_jobs)
        self.submit(self.space, self.out, "1", "-p", "main", "--time=60", "--mem=1", "--", "--device", DEVICE,
                    MLMQ_MERGE_OPTIONS="--time=5")
        self.assertEqual(self.job("mlmq-merge")["TimeLimit"], "00:05:00")
        self.assertNotEqual(self.job("mlmq-merge")["MinMemoryNode"], "1M")

    def test_a_refused_merge_job_leaves_no_sweep(self):
        output = self.submit(self.space, self.out, "1", "-p", "main", "--begin=now+600", "--", "--device", DEVICE,
                             code=2,
                           MLMQ_MERGE_OPTIONS="--partition=none")
        self.assertIn("Slurm refuses the merge job", output)
        self.assertIn("MLMQ_MERGE_OPTIONS", output)
        self.wait_for_jobs()

    def test_a_time_limit_must_be_longer_than_the_signals_lead(self):
        refused = (["--time=2"], ["-t", "2:00"], ["--time", "0-0:02"], ["-t1"], ["--time=0:01:59"],
                   ["--time=1-0", "--signal=B:TERM@86400"], ["--time=1", "--signal", "TERM"])
        for options in refused:
            output = self.submit(self.space, self.out, "1", "-p", "main", *options, code=2)
            self.assertIn("shards stop", output, options)
            self.assertFalse(os.path.exists(self.out))
        self.assertIn("time limit 1:30", self.submit(self.space, self.out, "1", code=2, SBATCH_TIMELIMIT="1:30"))
        for options in (["--time=3"], ["--time=2", "--signal=B:TERM@100"], ["--time=0-1"], ["--time=0"]):
            self.submit(self.space, self.out, "1", "-p", "main", *options, "--", "--device", DEVICE)
        self.wait_for_jobs()

    def test_a_dry_run_comes_first(self):
        workloads = os.path.join(self.work, "workloads.yaml")
        with open(workloads, "w", encoding="utf-8") as file:
            file.write("workloads:\n  - {generate: road6}\n")
        for space, options in ((workloads, []), (self.space, ["--devise", "cuda:0"]), (self.space, ["--device", "gpu"]),
                               (self.space, ["--shard-by", "nothing"])):
            output = self.submit(space, self.out, "2", "-p", "main", "--", *options, code=2)
            self.assertRegex(output, r"\Asubmit: nothing was submitted: mlmq: [^\n]+\n\Z")
            self.assertFalse(os.path.exists(self.out))

    def test_mistakes(self):
        self.assertIn("usage:", self.submit(code=2))
        self.assertIn("none.yaml: no such file", self.submit("none.yaml", self.out, "2", code=2))
        for shards in ("0", "x", "-1", ""):
            self.assertIn("is not a number from 1", self.submit(self.space, self.out, shards, code=2))
        self.assertFalse(os.path.exists(self.out))


if __name__ == "__main__":
    absent = [name for name in NEEDED if shutil.which(name, path=PATH) is None]
    if absent:
        print(f"skipped: Slurm is not installed (no {', '.join(absent)}); Debian: slurmctld slurmd slurm-client")
        sys.exit(77)
    unittest.main(argv=sys.argv[:1] + sys.argv[3:])
