# SPDX-FileCopyrightText: The skerry developers
# SPDX-License-Identifier: Apache-2.0
"""A program: runs the example of every public function in four threads at once, as the first calls of the process.

Python switches threads at every opportunity, so that threads use objects while their lazy creation is in progress. All
threads must get results of the same classes. A process that hangs prints all stacks and exits.
"""

import ast
import doctest
import faulthandler
import inspect
import os
import pathlib
import sys
import threading

import numpy as np
import skerry as sk

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path[:0] = [str(ROOT / "python" / "docs"), str(ROOT)]
import examples  # noqa: E402
import reference  # noqa: E402

from tests.python import functions_without_arrays  # noqa: E402

THREADS = 4
LONGEST = 60  # seconds of the whole process, which takes 2 unless it hangs
# Change what other threads see, or see what these change; the examples of set_default_device and set_num_threads do not.
OF_THE_PROCESS = (
    functions_without_arrays.CHANGE_THE_PROCESS - {"set_default_device", "set_num_threads"}
) | (functions_without_arrays.IMPORT_LIBRARIES | {"memory_snapshot"})
if os.environ.get("SKERRY_ALLOCATOR", "").startswith("guard"):
    # Freeing guarded memory waits for its device, which ends the captures of other threads.
    OF_THE_PROCESS |= {"Graph", "capture"}


def programs():
    """Yield the name and the statements of each example, except examples of errors."""
    for name, text in examples.examples().items():
        if name not in OF_THE_PROCESS:
            yield name, [ast.unparse(part) + "\n" for part in ast.parse(text).body]
    texts = {}
    for prefix, module in reference.modules().items():
        for name in module.__all__:
            function = getattr(module, name)
            if callable(function) and reference.has_own_example(function):
                texts[prefix + name] = inspect.getdoc(function)
    for name, text in texts.items():
        if name not in OF_THE_PROCESS:
            shown = doctest.DocTestParser().get_examples(text)
            yield name, [example.source for example in shown if example.exc_msg is None]


class Run(threading.Thread):
    """One of the threads: executes statements and records the classes of their results."""

    def __init__(self, statements, barrier):
        super().__init__()
        self.statements, self.barrier = statements, barrier
        self.classes, self.error = [], None

    def run(self):
        # The examples of NumPy's own functions, such as base_repr, presume np.
        names = {"np": np, "sk": sk}
        self.barrier.wait()
        try:
            for statement in self.statements:
                exec(statement, names)
        except Exception as error:
            self.error = error


def keep_class(value):
    threading.current_thread().classes.append(type(value))


def main():
    faulthandler.dump_traceback_later(LONGEST, exit=True)
    compiled = {
        name: [compile(part, name, "single") for part in parts] for name, parts in programs()
    }
    sys.stdout = open(os.devnull, "w")  # noqa: SIM115 - as long as the process
    sys.displayhook = keep_class
    sys.setswitchinterval(1e-7)
    failures = []
    for name, statements in compiled.items():
        barrier = threading.Barrier(THREADS)
        threads = [Run(statements, barrier) for _ in range(THREADS)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        failures += [f"{name}: {thread.error!r}" for thread in threads if thread.error]
        if any(thread.classes != threads[0].classes for thread in threads):
            failures.append(f"{name}: threads got results of different classes")
    print(len(compiled), "examples", *failures, sep="\n", file=sys.__stdout__)


if __name__ == "__main__":
    main()
