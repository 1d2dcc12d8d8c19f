# SPDX-License-Identifier: Apache-2.0
"""Runs the kittens program and checks what holds for every command."""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

import schema

KITTENS = os.environ["KITTENS_PROGRAM"]
BROKEN = os.environ.get("KITTENS_BROKEN_PROGRAM")
SCHEMAS = pathlib.Path(os.environ["KITTENS_SCHEMAS"])


class CommandTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def kittens(self, *arguments, program=KITTENS, env=None, timeout=120):
        return subprocess.run([program, *map(str, arguments)], capture_output=True, text=True, timeout=timeout,
                              env={**os.environ, **(env or {})}, cwd=self.folder, stdin=subprocess.DEVNULL)

    def succeeds(self, *arguments, **options):
        done = self.kittens(*arguments, **options)
        self.assertEqual(done.returncode, 0, f"{arguments}\n{done.stdout}{done.stderr}")
        return done

    def refuses(self, arguments, *fragments, **options):
        """Exit status 2, nothing on standard output, one line that says what is wrong, no file written."""
        done = self.kittens(*arguments, **options)
        self.assertEqual(done.returncode, 2, f"{arguments}\n{done.stdout}{done.stderr}")
        self.assertEqual(done.stdout, "", arguments)
        self.assertRegex(done.stderr, r"\Akittens: [^\n]+\n\Z", arguments)
        for fragment in fragments:
            self.assertIn(fragment, done.stderr, arguments)
        self.assertEqual(list(self.folder.rglob("*")), [], f"{arguments} left files")
        return done.stderr

    def json_of(self, *arguments, status=0, **options):
        """The JSON of `--json -`, which must be all of standard output and fit the command's schema."""
        done = self.kittens(*arguments, "--json", "-", **options)
        self.assertEqual(done.returncode, status, f"{arguments}\n{done.stdout}{done.stderr}")
        document = json.loads(done.stdout)
        name = "bench-operator" if arguments[0] == "bench" and arguments[1] not in ("gemm", "all") else arguments[0]
        self.assertEqual(schema.validate(document, SCHEMAS / f"{name}.schema.json"), [], arguments)
        self.assertNotEqual(done.stderr, "", "the text goes to standard error")
        return document

    def gemm(self, m, n, k, *arguments, **options):
        return self.json_of("run", "gemm", "-m", m, "-n", n, "-k", k, *arguments, **options)

    def has_target(self, target):
        document = json.loads(self.succeeds("devices", "--json", "-").stdout)
        return next(t["available"] for t in document["targets"] if t["name"] == target)

    def can_draw(self):
        """Whether the Python that the program draws with has matplotlib."""
        python = pathlib.Path(os.environ.get("KITTENS_PYTHON") or pathlib.Path(os.environ["KITTENS_TOOLCHAIN"]) / "venv/bin/python")
        return python.exists() and subprocess.run([python, "-c", "import matplotlib"], capture_output=True).returncode == 0

    def require_target(self, target):
        if not self.has_target(target):
            self.skipTest(f"no device for target {target}")


def main():
    """Runs the tests of the class named on the command line; exit status 77 if all of them were skipped."""
    result = unittest.main(module="__main__", verbosity=2, exit=False).result
    if not result.wasSuccessful() or result.testsRun == 0:
        sys.exit(1)
    sys.exit(77 if len(result.skipped) == result.testsRun else 0)
