# SPDX-License-Identifier: MIT
"""Runs one command of unknown origin: in a root of its own made by bubblewrap, without network,
under limits of processor time, memory and disk. As the grader's fence (common/grade/fence.c): the
system is read-only, nothing is there but what is named, and system_calls.py says which calls are
refused.

Without bubblewrap only the limits hold, and the caller has to ask for that.
"""

import contextlib
import os
import re
import shutil
import signal
import subprocess
import tempfile
import threading
from pathlib import Path

import system_calls

SYSTEM = ["/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/etc/alternatives",
          "/etc/ld.so.cache", "/opt"]
MOST_TURNS, LEAST_SHARE = 8, 0.02  # limits of wall time that a command that computes may take
OUTPUT_BYTES = 1 << 20  # what is kept of one command's output
MIB = 1 << 20


class Limits:
    """cpu_s: processor time; memory_mib: address space; disk_mib: what it may write, in all."""

    def __init__(self, cpu_s, memory_mib, disk_mib):
        self.cpu_s, self.memory_mib, self.disk_mib = cpu_s, memory_mib, disk_mib

    @property
    def wall_s(self):
        return 3 * self.cpu_s + 30


class Run:
    """How a command ended. status: its exit status, or None; signal: its number, or 0."""

    def __init__(self, status, number, out_of_time, cpu_s, output):
        self.status, self.signal, self.out_of_time = status, number, out_of_time
        self.cpu_s, self.output = cpu_s, output

    @property
    def good(self):
        return self.status == 0 and not self.out_of_time


def system_arguments():
    arguments = []
    for path in SYSTEM:
        if os.path.islink(path):
            arguments += ["--symlink", os.readlink(path), path]
        elif os.path.exists(path):
            arguments += ["--ro-bind", path, path]
    return arguments


def bubblewrap(command, folder, readable, writable, limits, calls):
    """The command line. `folder` appears as a copy in memory of limited size: what the command
    writes there is lost. `readable` and `writable` appear under their own names. `calls`: the
    descriptor that the filter of system calls is read from, or None."""
    wrapped = [shutil.which("bwrap"), "--unshare-all", "--unshare-user", "--disable-userns",
               "--die-with-parent", "--new-session",
               "--cap-drop", "ALL", "--proc", "/proc", "--dev", "/dev",
               "--size", str(limits.disk_mib * MIB), "--tmpfs", "/tmp"]
    wrapped += ["--seccomp", str(calls)] if calls is not None else []
    wrapped += system_arguments()
    for path in readable:
        wrapped += ["--ro-bind-try", path, path]
    if folder:
        wrapped += ["--ro-bind", folder, "/tmp/.folder",
                    "--size", str(limits.disk_mib * MIB), "--tmpfs", folder]
    for path in writable:
        wrapped += ["--bind", path, path]
    copy = "cp -r /tmp/.folder/. . 2>/dev/null; " if folder else ""
    return wrapped + ["--chdir", folder or "/tmp", "--", *timed(copy, command)]


def timed(before, command):
    """Writes the processor time of the command's end to $TIMES: bubblewrap does not pass it on."""
    script = f'{before}"$@"; status=$?; times >"$TIMES"; exit $status'
    return ["/bin/sh", "-c", script, "sh", *command]


def time_in(path):
    """Seconds out of the second line of sh's `times`: user and system time of its children."""
    with open(path, encoding="utf-8") as file:
        parts = re.findall(r"(\d+)m([\d.]+)s", file.read())[2:4]
    return sum(60 * int(minutes) + float(seconds) for minutes, seconds in parts)


def limited(command, limits):
    script = (f"ulimit -c 0; ulimit -S -t {limits.cpu_s}; ulimit -H -t {limits.cpu_s + 2}; "
              f"ulimit -v {limits.memory_mib * 1024}; ulimit -f {limits.disk_mib * 2048}; "
              'exec "$@"')
    return ["/bin/sh", "-c", script, "sh"] + command


class Fence:
    """Runs commands; end() stops those that are running, from any thread."""

    def __init__(self, readable, fenced=True):
        self.readable, self.fenced = readable, fenced
        self.lock, self.running, self.ended = threading.Lock(), set(), False

    def works(self):
        """Whether bubblewrap is there and keeps a file in that was not named."""
        if not shutil.which("bwrap"):
            return False
        with tempfile.TemporaryDirectory() as given, tempfile.NamedTemporaryFile() as secret:
            probe = ["/bin/sh", "-c", f"echo yes >{given}/probe && ! [ -e {secret.name} ]"]
            done = self.run(probe, None, [given], {}, Limits(10, 1024, 16))
            return done.good and os.path.exists(f"{given}/probe")

    @staticmethod
    def takes(folder, disk_mib):
        """Whether a copy of `folder` leaves half of the limit to the program."""
        size = 0
        for at, _, names in os.walk(folder):
            for name in names:
                with contextlib.suppress(OSError):
                    size += os.stat(os.path.join(at, name), follow_symlinks=False).st_size
            if size > disk_mib * MIB // 2:
                return False
        return True

    def run(self, command, folder, writable, environment, limits):
        """`folder`: the working directory, or None. Environment: nothing but what is given."""
        with tempfile.NamedTemporaryFile() as times:
            if self.fenced:
                with call_filter() as calls:
                    arguments = bubblewrap(command, folder, self.readable,
                                           [*writable, times.name], limits, calls)
                    run = self.start(arguments, None, environment, times.name, limits,
                                     [] if calls is None else [calls])
            else:
                run = self.start(timed("", command), folder, environment, times.name, limits, [])
            run.cpu_s = time_in(times.name)
        run.out_of_time |= not run.good and run.cpu_s >= 0.9 * limits.cpu_s
        return run

    def start(self, arguments, directory, environment, times, limits, passed):
        environment = {"PATH": "/usr/local/cuda/bin:/usr/local/bin:/usr/bin:/bin", "HOME": "/tmp",
                       "LC_ALL": "C.UTF-8", "TMPDIR": "/tmp", "TIMES": times, **environment}
        with self.lock:
            if self.ended:
                raise InterruptedError
            child = subprocess.Popen(limited(arguments, limits), cwd=directory, env=environment,
                                     stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                     stderr=subprocess.STDOUT, start_new_session=True,
                                     pass_fds=passed)
            self.running.add(child)
        try:
            return self.attend(child, limits)
        finally:
            with self.lock:
                self.running.discard(child)

    def attend(self, child, limits):
        expired, over = threading.Event(), threading.Event()

        def expire():
            """Ends it at the limit of wall time, unless it computes: on a busy machine that takes
            several times as long."""
            before, turns = 0.0, 0
            while not over.wait(limits.wall_s):
                spent, turns = cpu_of(child.pid), turns + 1
                if turns == MOST_TURNS or spent - before < LEAST_SHARE * limits.wall_s:
                    expired.set()
                    stop(child)
                    return
                before = spent
        timer = threading.Thread(target=expire, daemon=True)
        timer.start()
        output = read_all(child.stdout)
        code, number = child.wait(), 0
        over.set()
        if self.ended:
            raise InterruptedError
        ended_by = -code if code < 0 else code - 128  # bubblewrap and a shell: status of a signal
        if ended_by in set(signal.Signals):
            code, number = None, ended_by
        late = expired.is_set() or number in (signal.SIGXCPU, signal.SIGKILL)
        return Run(code, number, late, 0.0, output)

    def end(self):
        with self.lock:
            self.ended = True
            for child in self.running:
                stop(child)


@contextlib.contextmanager
def call_filter():
    """A descriptor from which bubblewrap reads the filter; None where there is none for this
    machine."""
    text = system_calls.filter_here()
    if not text:
        yield None
        return
    with open(os.memfd_create("filter"), "r+b") as file:
        file.write(text)
        file.flush()
        file.seek(0)
        yield file.fileno()


def stop(child):
    try:
        os.killpg(child.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass


def cpu_of(pid):
    """Seconds of processor time that a process and its descendants have taken."""
    parents, spent = {}, {}
    for path in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            fields = path.read_text("utf-8", "replace").rpartition(")")[2].split()
            parents[int(path.parent.name)] = int(fields[1])
            spent[int(path.parent.name)] = sum(map(int, fields[11:15]))
    family = {pid}
    while more := {one for one, parent in parents.items() if parent in family} - family:
        family |= more
    return sum(spent.get(one, 0) for one in family) / os.sysconf("SC_CLK_TCK")


def read_all(pipe):
    kept, size = [], 0
    while part := pipe.read(65536):
        if size < OUTPUT_BYTES:
            kept.append(part[:OUTPUT_BYTES - size])
        size += len(part)
    pipe.close()
    return b"".join(kept).decode("utf-8", "replace")
