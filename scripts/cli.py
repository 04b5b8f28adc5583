"""Runs the command-line client for the programs that check it: its path is the first argument of whoever imports this."""
import os
import subprocess
import sys
import tempfile

strata = os.path.abspath(sys.argv[1])
work = tempfile.mkdtemp()
# Nothing of the caller's settings: neither proxies nor colours.
environment = {"PATH": os.environ["PATH"], "HOME": work, "TERM": "xterm", "LANG": "C.UTF-8"}
count = 0


def check(condition, what, shown=""):
    global count
    count += 1
    if not condition:
        sys.exit(f"check-cli: {what}\n{shown}")


def run_bytes(*words, status=0, stdin=b"", env=None):
    """Through pipes: what it writes to standard output and to standard error."""
    done = subprocess.run(
        [strata, *words], input=stdin, capture_output=True, timeout=60, cwd=work, env={**environment, **(env or {})})
    shown = (done.stdout + done.stderr).decode(errors="replace")
    check(done.returncode == status, f"{words} exits with {done.returncode}, not {status}", shown)
    return done.stdout, done.stderr


def run(*words, **options):
    """The same as text."""
    output, notes = run_bytes(*words, **options)
    return output.decode(errors="replace"), notes.decode()
