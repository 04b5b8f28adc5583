"""What is measured, by which command."""
import os
import shlex
import shutil
from dataclasses import dataclass, field

PLAIN = "http://127.0.0.1:18080"
SECURE = "https://127.0.0.1:18443"
QUIET = "http://127.0.0.1:18090"
SOCKETS = "127.0.0.1:18100"

FLOOR, BARE, STACK = "C, libcurl", "Strata", "Strata, 5 middleware + JSON"
KEEPING = "C, libcurl, keeping the body"
PEER, OVER_SESSION, SESSION, GO = "AsyncHTTPClient", "Strata over URLSession", "URLSession", "Go net/http"
NATIVE, ON_LOOP = "Strata, NativeTransport", "Strata, NativeTransport, tasks on its loop"
NATIVE_HTTP1, TUNNELED = "Strata, NativeTransport, HTTP/1.1", "Strata, NativeTransport, through a proxy"
ON_LOOPS, NATIVE_STACK = "Strata, NativeTransport, tasks on two loops", "Strata, NativeTransport, 5 middleware + JSON"
HYPER = "hyper (Rust)"
NIO, WEBSOCKETS = "swift-nio", "websockets (Python)"


@dataclass
class Row:
    group: str
    name: str
    command: str
    # A shorter command to count allocations with.
    counted: str = ""
    # The command's figure is divided by this: the MiB of one body, say.
    parts: int = 1
    # At most so many rounds: for what takes long and is steady.
    rounds: int = 99
    results: list = field(default_factory=list)
    mallocs: float = None
    # Without those that libcurl makes.
    own_mallocs: float = None

    def as_json(self):
        return {"group": self.group, "name": self.name, "command": self.command.split("/")[-1],
                "mallocs": self.mallocs, "own_mallocs": self.own_mallocs,
                "rounds": [figures for _, figures in self.results]}


class Plan:
    def __init__(self, binaries, work, scale):
        self.rows, self.scale, self.work = [], scale, work
        pinned = shutil.which("taskset") is not None
        self.client, self.beside = ("taskset -c 1", "taskset -c 0") if pinned else ("", "")
        paths = {FLOOR: f"{work}/multi", KEEPING: f"{work}/multi", PEER: f"{binaries}/PeerBench", GO: f"{work}/gobench",
                 HYPER: f"{work}/hyperbench", NIO: f"{binaries}/PeerBench"}
        self.programs = {name: shlex.quote(path) for name, path in paths.items()}
        self.strata = shlex.quote(f"{binaries}/StrataBench")
        self.has_go = shutil.which("go") is not None
        self.has_hyper = os.path.exists(paths[HYPER])

    def add(self, group, name, arguments, pin=None, **more):
        pin = self.client if pin is None else pin
        command = f"{pin} {self.programs.get(name, self.strata)} {arguments}".strip()
        self.rows.append(Row(group, name, command, **more))

    def load(self, group, name, arguments, c, n, pin=None):
        """Many requests, `c` at once."""
        n //= self.scale
        counted = f"{self.programs.get(name, self.strata)} {arguments} c={min(c, 8)} n=2000 warm=1000"
        if name in (GO, HYPER, SESSION, OVER_SESSION):
            counted = ""
        self.add(group, name, f"{arguments} c={c} n={n} warm={n // 10 + c}", pin, counted=counted)

    def get(self, group, url, c, n, floor="", pin=None, rest=(), version=""):
        """`version` is an argument of the Swift programs."""
        self.load(group, FLOOR, f"url={url} {floor}".strip(), c, n, pin)
        self.load(group, BARE, f"what=get url={url} {version}".strip(), c, n, pin)
        self.load(group, NATIVE, f"what=get transport=native url={url} {version}".strip(), c, n, pin)
        self.load(group, ON_LOOP, f"what=get transport=native executor=loop url={url} {version}".strip(), c, n, pin)
        for name, arguments, count in rest:
            self.load(group, name, f"{arguments} url={url}", c, count, pin)
        self.load(group, PEER, f"what=get url={url} {version}".strip(), c, n // 2, pin)


def make_plan(binaries, work, scale):
    plan = Plan(binaries, work, scale)
    slow = [(OVER_SESSION, "what=get transport=urlsession", 3000), (SESSION, "what=session", 3000)]
    go = [(GO, "", 20000)] if plan.has_go else []
    stack = [(STACK, "what=stack", 20000), (NATIVE_STACK, "what=stack transport=native", 20000)]

    def rust(count):
        return [(HYPER, "", count)] if plan.has_hyper else []

    plan.get("1 KB GET, one at a time, one CPU", f"{PLAIN}/1k", 1, 8000, pin=plan.beside, rest=rust(8000) + slow + go)
    plan.get("1 KB GET, 64 at once", f"{PLAIN}/1k", 64, 24000, rest=rust(24000) + stack + slow + go)
    plan.get("1 KB GET, 512 at once", f"{PLAIN}/1k", 512, 24000, rest=rust(24000) + go)
    keeping = [(KEEPING, "keep=1", 10000)]
    plan.get("100 KB GET, 64 at once", f"{PLAIN}/100k", 64, 10000, rest=keeping + rust(10000) + go)
    plan.get("1 KB GET with 40 more fields, 64 at once", f"{PLAIN}/fields", 64, 20000)
    plan.get("1 KB GET, HTTP/1.1 over TLS, 64 at once", f"{SECURE}/1k", 64, 16000, version="http=1")
    plan.get("1 KB GET, HTTP/2 over TLS, 64 at once", f"{SECURE}/1k", 64, 16000, floor="h2=1")

    many = f"what=get transport=native url={SECURE}/1k"
    plan.load("1 KB GET, HTTP/2 over TLS, 1,000 at once", NATIVE, many, 1000, 16000)
    plan.load("1 KB GET, HTTP/2 over TLS, 1,000 at once", ON_LOOP, f"{many} executor=loop", 1000, 16000)
    # With many at once the proxy, which is slower than the server, would decide how many answers come together.
    plan.load("1 KB GET, HTTP/1.1 over TLS, one at a time", NATIVE, f"{many} http=1", 1, 8000)
    plan.load("1 KB GET, HTTP/1.1 over TLS, one at a time", TUNNELED, f"{many} http=1 proxy={QUIET}", 1, 8000)

    # On all processors, the server's too: what a second loop adds is what that leaves of them.
    group, loops = "1 KB GET, 64 at once, all CPUs", f"what=get transport=native executor=loop url={PLAIN}/1k"
    plan.load(group, ON_LOOP, loops, 64, 24000, pin="")
    plan.load(group, ON_LOOPS, f"{loops} loops=2", 64, 24000, pin="")

    group = "1 KB POST, 64 at once"
    plan.load(group, FLOOR, f"post=1024 url={PLAIN}/post", 64, 20000)
    plan.load(group, BARE, f"what=post url={PLAIN}/post", 64, 20000)
    plan.load(group, NATIVE, f"what=post transport=native url={PLAIN}/post", 64, 20000)
    plan.load(group, ON_LOOP, f"what=post transport=native executor=loop url={PLAIN}/post", 64, 20000)
    plan.load(group, PEER, f"what=post url={PLAIN}/post", 64, 10000)

    large(plan, "100 MB down, per MiB", f"{PLAIN}/100m", 100, 99)
    plan.add("100 MB down, per MiB", "Strata, slow reader",
             f"what=download pause=1000 small={PLAIN}/1k url={PLAIN}/100m", rounds=2)
    body = f"what=download transport=native small={SECURE}/1k url={SECURE}/100m"
    plan.add("100 MB down over TLS, per MiB", NATIVE, body)
    plan.add("100 MB down over TLS, per MiB", NATIVE_HTTP1, f"{body} http=1")
    upload(plan, "100 MB up, per MiB", 100, 99)
    if scale == 1:
        large(plan, "1 GB down, per MiB", f"{PLAIN}/1g", 1024, 1)
        upload(plan, "1 GB up, per MiB", 1024, 1)
        file = f"what=multipart file={shlex.quote(work)}/www/1g url={QUIET}/sink"
        plan.add("1 GB file as a part of a form, per MiB", BARE, file, rounds=1)
        plan.add("1 GB file as a part of a form, per MiB", OVER_SESSION, f"{file} transport=urlsession", rounds=1)

    idle = f"what=idle n={5000 // scale} url={PLAIN}/1k events={QUIET}/events"
    # Beside the server, as one at a time: with a processor of its own the client sleeps and wakes, which costs more than a GET.
    plan.add("idle event streams", BARE, idle, pin=plan.beside, rounds=3)
    plan.add("idle event streams", NATIVE, f"{idle} transport=native", pin=plan.beside, rounds=3)
    plan.add("500 calls cancelled, per call", BARE, f"what=cancel n=500 hang={QUIET}/hang waiting={QUIET}/waiting")
    sockets(plan)
    return plan.rows


def sockets(plan):
    """Where there is Python's websockets, which is the server too."""
    python = os.environ.get("BENCH_WEBSOCKETS")
    if not python:
        return
    group, count = "WebSocket, 100 bytes there and back", 20000 // plan.scale
    arguments = f"what=socket n={count} url=http://{SOCKETS}"
    plan.add(group, NATIVE, arguments)
    plan.add(group, ON_LOOP, f"{arguments} executor=loop")
    plan.add(group, NIO, arguments)
    script = shlex.quote(os.path.join(os.path.dirname(os.path.abspath(__file__)), "sockets.py"))
    plan.programs[WEBSOCKETS] = f"{shlex.quote(python)} {script}"
    plan.add(group, WEBSOCKETS, f"measure ws://{SOCKETS} {count}")


def large(plan, group, url, mebibytes, rounds):
    plan.add(group, FLOOR, f"url={url} c=1 n=1 warm=0", parts=mebibytes, rounds=rounds)
    plan.add(group, BARE, f"what=download small={PLAIN}/1k url={url}", rounds=rounds)
    plan.add(group, NATIVE, f"what=download transport=native small={PLAIN}/1k url={url}", rounds=rounds)
    plan.add(group, PEER, f"what=download small={PLAIN}/1k url={url}", rounds=rounds)
    plan.add(group, OVER_SESSION, f"what=download transport=urlsession small={PLAIN}/1k url={url}", rounds=min(rounds, 2))


def upload(plan, group, mebibytes, rounds):
    size = mebibytes << 20
    plan.add(group, FLOOR, f"upload={size} url={QUIET}/sink c=1 n=1 warm=0", parts=mebibytes, rounds=rounds)
    plan.add(group, BARE, f"what=upload bytes={size} url={QUIET}/sink", rounds=rounds)
    plan.add(group, NATIVE, f"what=upload transport=native bytes={size} url={QUIET}/sink", rounds=rounds)
    plan.add(group, PEER, f"what=upload bytes={size} url={QUIET}/sink", rounds=rounds)
    plan.add(group, OVER_SESSION, f"what=upload transport=urlsession bytes={size} url={QUIET}/sink", rounds=min(rounds, 2))
