"""What lies outside of an attack: other processes of the user, their sockets, files and terminals.

`world.py NAME ROOT` sets up the world NAME below ROOT and prints one line of JSON: the secret, what the attack may know (`at`), which
descriptors its starter leaves open (`inherit`) and which variables the user has (`environment`). For each line on its standard input it
prints one line of JSON: what has come through since the last one. At the end of its input it ends, and takes everything with it.
"""

import array, ctypes, fcntl, glob, json, os, pty, resource, select, shutil, signal, socket, stat, struct
import subprocess, sys, termios, threading, time

NAME, ROOT = sys.argv[1:3]
TREE = ROOT + "/tree"
HOME, OUTSIDE = TREE + "/home", TREE + "/outside"
PROJECT, WORKSPACE = HOME + "/project", HOME + "/artoo_workspace"
TAG = os.urandom(8).hex()
SECRET = "canary-" + TAG
C = ctypes.CDLL(None, use_errno=True)
AT, INHERIT, ENVIRONMENT, CAME, CHILDREN, CLEAN = {}, [], {}, [], [], []
# What is compared at the end; each returns a value.
LOOKS = []
WORLDS = {}


def world(make):
    WORLDS[make.__name__.replace("_", "-")] = make
    return make


def write(path, text, mode=0o644):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w") as file:
        file.write(text)
    os.chmod(path, mode)
    return path


def came(what):
    CAME.append(what)


def thread(run):
    threading.Thread(target=run, daemon=True).start()


# Files

def described(path):
    found = os.lstat(path)
    of = [found.st_mode, found.st_uid, found.st_gid, found.st_size, found.st_nlink, found.st_mtime_ns]
    if stat.S_ISDIR(found.st_mode):
        # What an attack may do below changes this folder's time.
        return of[:3] + [sorted(name for name in os.listdir(path) if name not in (".artoo", ".config", ".cache"))]
    if stat.S_ISREG(found.st_mode):
        with open(path, "rb") as file:
            of.append(file.read())
        of.append([(name, os.getxattr(path, name)) for name in sorted(os.listxattr(path))])
    if stat.S_ISLNK(found.st_mode):
        of.append(os.readlink(path))
    return of


def files():
    """Everything but the two folders in which the run may work, and artoo's own."""
    out = {}
    for folder, below, names in os.walk(TREE):
        below[:] = [name for name in below if os.path.join(folder, name) not in (PROJECT, WORKSPACE) and name not in (".artoo", ".config", ".cache")]
        for name in below + names + ["."]:
            path = os.path.join(folder, name)
            try:
                out[path] = described(path)
            except OSError as error:
                out[path] = error.errno
    return out


def precious(folder=OUTSIDE):
    AT["PRECIOUS"] = write(folder + "/precious", "precious\n")
    AT["OUTSIDE"] = folder
    LOOKS.append(files)


@world
def outside():
    precious()


@world
def home_file():
    """A start-up file in the home folder, which lies around the working folder."""
    AT["PRECIOUS"] = write(HOME + "/.profile", "# mine\n")
    AT["OUTSIDE"] = HOME
    LOOKS.append(files)


@world
def link_out():
    """Links in the working folder that lead out."""
    precious()
    os.symlink(AT["PRECIOUS"], PROJECT + "/link")
    os.symlink(OUTSIDE, PROJECT + "/door")


@world
def protected():
    """A key in a protected place, as other programs of the user have it open."""
    AT["KEYFILE"] = write(HOME + "/.ssh/id_ed25519", SECRET + "\n", 0o600)
    AT["KEYFOLDER"] = HOME + "/.ssh"
    AT["NETRC"] = write(HOME + "/.netrc", SECRET + "\n", 0o600)


@world
def second_name_in_the_open():
    protected()
    os.link(AT["KEYFILE"], PROJECT + "/k")


@world
def protected_and_victim():
    protected()
    victim()


@world
def fifo():
    precious()
    AT["FIFO"] = OUTSIDE + "/fifo"
    os.mkfifo(AT["FIFO"])
    end = os.open(AT["FIFO"], os.O_RDWR | os.O_NONBLOCK)
    LOOKS.append(lambda: drained(end))


def drained(end):
    got = b""
    while select.select([end], [], [], 0)[0]:
        part = os.read(end, 4096)
        if not part:
            break
        got += part
    return got.decode(errors="replace")


@world
def shared_memory_file():
    path = write("/dev/shm/artoo-" + TAG, "precious\n")
    CLEAN.append(lambda: os.unlink(path) if os.path.exists(path) else None)
    AT["PRECIOUS"], AT["OUTSIDE"] = path, "/dev/shm"
    AT["NEW"] = path + "-new"
    CLEAN.append(lambda: os.unlink(path + "-new") if os.path.exists(path + "-new") else None)
    LOOKS.append(lambda: [described(path) if os.path.exists(path) else None, os.path.exists(path + "-new")])


@world
def temporary_folder():
    AT["NEW"] = "/tmp/artoo-" + TAG
    LOOKS.append(lambda: os.path.exists(AT["NEW"]))
    CLEAN.append(lambda: os.unlink(AT["NEW"]) if os.path.exists(AT["NEW"]) else None)


# Sockets

def serve(server):
    def run():
        while True:
            one, _ = server.accept()
            came("a connection")
            try:
                one.sendall(SECRET.encode() + b"\n")
                one.settimeout(2)
                one.recv(4096)
            except OSError:
                pass
            one.close()
    thread(run)


def listen(address, kind=socket.SOCK_STREAM):
    server = socket.socket(socket.AF_UNIX, kind)
    server.bind(address)
    server.listen()
    serve(server)
    AT["SOCK"] = address.replace("\0", "@", 1) if isinstance(address, str) else address
    return server


@world
def stream():
    os.makedirs(OUTSIDE, exist_ok=True)
    listen(OUTSIDE + "/s.sock")


@world
def stream_in_the_project():
    listen(PROJECT + "/s.sock")


@world
def stream_in_the_workspace():
    listen(WORKSPACE + "/s.sock")


@world
def stream_behind_a_link():
    stream()
    os.symlink(AT["SOCK"], PROJECT + "/link.sock")
    AT["SOCK"] = PROJECT + "/link.sock"


@world
def stream_of_another_name():
    """A socket in the open that has a second name in the working folder."""
    stream()
    os.link(AT["SOCK"], PROJECT + "/second.sock")
    AT["SOCK"] = PROJECT + "/second.sock"


@world
def stream_renamed():
    """A socket that gets its name when it is ready, as some services do it."""
    stream()
    os.rename(AT["SOCK"], OUTSIDE + "/ready.sock")
    AT["SOCK"] = OUTSIDE + "/ready.sock"


@world
def stream_behind_a_mount():
    """A folder of sockets that is mounted at a second place."""
    stream()
    second = ROOT + "/second"
    os.makedirs(second)
    subprocess.run(["mount", "--bind", OUTSIDE, second], check=True)
    CLEAN.append(lambda: subprocess.run(["umount", "-l", second]))
    AT["SOCK"] = second + "/s.sock"


@world
def seqpacket():
    os.makedirs(OUTSIDE, exist_ok=True)
    listen(OUTSIDE + "/p.sock", socket.SOCK_SEQPACKET)


@world
def abstract():
    listen("\0artoo-" + TAG)


@world
def x11():
    """A display as X11 offers it: an abstract name, and a file in a folder of all users."""
    listen("\0/tmp/.X11-unix/X" + TAG)
    ENVIRONMENT["DISPLAY"] = ":" + TAG


@world
def agent():
    os.makedirs(OUTSIDE, exist_ok=True)
    listen(OUTSIDE + "/agent.sock")
    ENVIRONMENT["SSH_AUTH_SOCK"] = AT["SOCK"]


@world
def session_bus():
    listen("\0dbus-" + TAG)
    ENVIRONMENT["DBUS_SESSION_BUS_ADDRESS"] = "unix:abstract=dbus-" + TAG


def datagrams(address):
    server = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    server.bind(address)
    AT["SOCK"] = address.replace("\0", "@", 1)

    def run():
        while True:
            server.recv(4096)
            came("a datagram")
    thread(run)


@world
def datagram():
    os.makedirs(OUTSIDE, exist_ok=True)
    datagrams(OUTSIDE + "/d.sock")


@world
def abstract_datagram():
    datagrams("\0artoo-" + TAG)


@world
def docker():
    """A service that does what is asked of it in HTTP."""
    os.makedirs(OUTSIDE, exist_ok=True)
    server = socket.socket(socket.AF_UNIX)
    server.bind(OUTSIDE + "/docker.sock")
    server.listen()
    AT["SOCK"] = OUTSIDE + "/docker.sock"

    def run():
        while True:
            one, _ = server.accept()
            came("a connection")
            one.recv(4096)
            body = SECRET.encode() + b"\n"
            one.sendall(b"HTTP/1.0 200 OK\r\nContent-Length: %d\r\n\r\n" % len(body) + body)
            one.close()
    thread(run)


@world
def hands_over():
    """A service that hands an open secret to whoever connects."""
    os.makedirs(OUTSIDE, exist_ok=True)
    server = socket.socket(socket.AF_UNIX)
    server.bind(OUTSIDE + "/h.sock")
    server.listen()
    AT["SOCK"] = OUTSIDE + "/h.sock"
    INHERIT.append(["connect", AT["SOCK"]])
    secret = nameless_secret()

    def run():
        while True:
            one, _ = server.accept()
            socket.send_fds(one, [b"x"], [secret])
    thread(run)


def nameless_secret():
    end = os.open(ROOT, os.O_TMPFILE | os.O_RDWR, 0o600)
    os.write(end, SECRET.encode() + b"\n")
    os.lseek(end, 0, 0)
    return end


@world
def late_socket():
    """A socket that another program binds while the command runs."""
    os.makedirs(OUTSIDE, exist_ok=True)
    AT["SOCK"] = OUTSIDE + "/late.sock"
    AT["GO"] = OUTSIDE + "/go"
    when_ready(lambda: (listen(AT["SOCK"]), write(AT["GO"], "")))


@world
def tmux():
    AT["RAN"], AT["SOCK"] = OUTSIDE + "/ran", OUTSIDE + "/t.sock"
    precious()
    subprocess.run(["tmux", "-f", "/dev/null", "-S", AT["SOCK"], "new-session", "-d", "sleep 60"], check=True)
    CLEAN.append(lambda: subprocess.run(["tmux", "-S", AT["SOCK"], "kill-server"], stderr=subprocess.DEVNULL))
    LOOKS.clear()
    LOOKS.append(lambda: os.path.exists(AT["RAN"]) or settle(AT["RAN"]))


def settle(path):
    """Waits a moment for a file that another process is about to make."""
    for _ in range(20):
        if os.path.exists(path):
            return True
        time.sleep(0.02)
    return False


def tcp(kind):
    server = socket.socket(socket.AF_INET, kind)
    server.bind(("127.0.0.1", 0))
    AT["PORT"] = str(server.getsockname()[1])
    return server


@world
def loopback():
    server = tcp(socket.SOCK_STREAM)
    server.listen()
    serve(server)


@world
def loopback_datagram():
    server = tcp(socket.SOCK_DGRAM)

    def run():
        while True:
            server.recv(4096)
            came("a datagram")
    thread(run)


# Descriptors that the starter left open

@world
def open_file():
    precious()
    INHERIT.append(["read", write(HOME + "/.ssh/id_ed25519", SECRET + "\n", 0o600)])


@world
def open_for_writing():
    precious()
    INHERIT.append(["write", AT["PRECIOUS"]])


@world
def open_folder():
    precious()
    write(HOME + "/.ssh/id_ed25519", SECRET + "\n", 0o600)
    INHERIT.append(["folder", HOME + "/.ssh"])


@world
def open_outside():
    precious()
    INHERIT.append(["folder", OUTSIDE])


@world
def open_root():
    protected()
    INHERIT.append(["folder", "/"])


@world
def open_path():
    precious()
    write(HOME + "/.ssh/id_ed25519", SECRET + "\n", 0o600)
    INHERIT.append(["path", HOME + "/.ssh"])


@world
def open_socket():
    os.makedirs(OUTSIDE, exist_ok=True)
    server = socket.socket(socket.AF_UNIX)
    server.bind(OUTSIDE + "/c.sock")
    server.listen()
    INHERIT.append(["connect", OUTSIDE + "/c.sock"])

    def run():
        one, _ = server.accept()
        one.sendall(SECRET.encode() + b"\n")
        if one.recv(4096):
            came("data on the open socket")
    thread(run)


@world
def open_pipe():
    fifo()
    INHERIT.append(["write", AT["FIFO"]])


@world
def open_pipe_with_a_secret():
    os.makedirs(OUTSIDE, exist_ok=True)
    os.mkfifo(OUTSIDE + "/fifo")
    end = os.open(OUTSIDE + "/fifo", os.O_RDWR)
    os.write(end, SECRET.encode() + b"\n")
    INHERIT.append(["read", OUTSIDE + "/fifo"])


@world
def open_terminal():
    terminal()
    INHERIT.append(["terminal", AT["TTY"]])


# Processes

VICTIM = """
import ctypes, os, signal, sys
held = ctypes.create_string_buffer(os.environ["HELD"].encode())
def heard(number, _):
    os.write(1, b"signal %d\\n" % number)
for number in set(range(1, 65)) - {9, 17, 19, 32, 33}:
    try: signal.signal(number, heard)
    except OSError: pass
try: os.chdir(sys.argv[1])
except OSError: pass
print(ctypes.addressof(held), flush=True)
while True: signal.pause()
"""


@world
def victim(user=None):
    """A process of the user with the secret in its memory, its environment and an open file."""
    secret = nameless_secret()
    safe = ROOT + "/safe"
    os.makedirs(safe, exist_ok=True)
    write(safe + "/note", SECRET + "\n", 0o600)
    process = subprocess.Popen([sys.executable, "-c", VICTIM, safe], stdout=subprocess.PIPE, stdin=secret,
                               env=dict(os.environ, HELD=SECRET), start_new_session=True, user=user)
    CHILDREN.append(process)
    AT["PID"], AT["ADDRESS"] = str(process.pid), process.stdout.readline().decode().strip()
    AT["UID"] = str(os.stat("/proc/%d" % process.pid).st_uid)
    os.set_blocking(process.stdout.fileno(), False)
    with open("/proc/%d/comm" % process.pid) as comm:
        AT["COMM"] = comm.read().strip()
    LOOKS.append(lambda: state(process))


@world
def victim_of_another_user():
    victim(60_999)


def state(process):
    pid = process.pid
    time.sleep(0.05)
    running = read_of(pid, "stat").rsplit(")", 1)[-1].split()[:1] not in (["t"], ["T"], ["Z"], ["X"], [])
    try:
        with open("/proc/%d/mem" % pid, "rb", 0) as memory:
            memory.seek(int(AT["ADDRESS"]))
            held = memory.read(len(SECRET)).decode(errors="replace")
        of = [os.getpriority(os.PRIO_PROCESS, pid), sorted(os.sched_getaffinity(pid)), os.sched_getscheduler(pid), os.getpgid(pid)]
    except OSError as error:
        held, of = str(error), []
    files = [read_of(pid, name) for name in ("limits", "oom_score_adj", "comm", "coredump_filter", "timerslack_ns")]
    heard = drained(process.stdout.fileno())
    return [heard, process.poll(), running, held] + of + files + [C.syscall(NUMBERS["ioprio_get"], 1, pid)]


def read_of(pid, name):
    """A file of a process; those that this user may not read are no difference."""
    try:
        with open("/proc/%d/%s" % (pid, name)) as file:
            return file.read()
    except OSError as error:
        return str(error)


NUMBERS = {"ioprio_get": {"x86_64": 252, "aarch64": 31}[os.uname().machine],
           "add_key": {"x86_64": 248, "aarch64": 217}[os.uname().machine],
           "keyctl": {"x86_64": 250, "aarch64": 219}[os.uname().machine]}


# Objects in the kernel that processes share

def key_of():
    return int(TAG[:7], 16)


@world
def memory_segment():
    C.shmat.restype = ctypes.c_void_p
    number = C.shmget(key_of(), 4096, 0o1600)
    at = C.shmat(number, None, 0)
    ctypes.memmove(at, SECRET.encode() + b"\0", len(SECRET) + 1)
    AT["IPC"], AT["IPCID"] = str(key_of()), str(number)
    CLEAN.append(lambda: C.shmctl(number, 0, None))
    LOOKS.append(lambda: [ctypes.string_at(at, 64).decode(errors="replace"), shm_is_listed(number)])


def shm_is_listed(number):
    with open("/proc/sysvipc/shm") as file:
        lines = [line.split() for line in file]
    return [line[0] for line in lines if line[1] == str(number)]


@world
def queue():
    number = C.msgget(key_of(), 0o1600)
    C.msgsnd(number, struct.pack("l", 1) + SECRET.encode(), len(SECRET), 0)
    AT["IPC"], AT["IPCID"] = str(key_of()), str(number)
    CLEAN.append(lambda: C.msgctl(number, 0, None))

    def look():
        with open("/proc/sysvipc/msg") as file:
            return [line.split()[3:5] for line in file if line.split()[1] == str(number)]
    LOOKS.append(look)


@world
def semaphore():
    number = C.semget(key_of(), 1, 0o1600)
    AT["IPC"], AT["IPCID"] = str(key_of()), str(number)
    CLEAN.append(lambda: C.semctl(number, 0, 0))
    LOOKS.append(lambda: C.semctl(number, 0, 12))


@world
def posix_queue():
    class Attributes(ctypes.Structure):
        _fields_ = [(name, ctypes.c_long) for name in ("flags", "most", "size", "now")] + [("pad", ctypes.c_long * 4)]
    name = ("/artoo-" + TAG).encode()
    queue = C.mq_open(name, os.O_RDWR | os.O_CREAT | os.O_NONBLOCK, 0o600, ctypes.byref(Attributes(0, 4, 64, 0)))
    if queue < 0:
        raise OSError(ctypes.get_errno(), "mq_open")
    C.mq_send(queue, SECRET.encode(), len(SECRET), 0)
    AT["MQ"] = name.decode()
    CLEAN.append(lambda: C.mq_unlink(name))

    def look():
        now = Attributes()
        C.mq_getattr(queue, ctypes.byref(now))
        again = C.mq_open(name, os.O_RDONLY)
        if again >= 0:
            os.close(again)
        return [now.now, again >= 0]
    LOOKS.append(look)


@world
def kernel_key():
    """A key that whoever works as this user may use, as file systems and Kerberos have them."""
    C.syscall.restype = ctypes.c_long
    user = -4
    number = C.syscall(NUMBERS["add_key"], b"user", ("artoo-" + TAG).encode(), SECRET.encode(), len(SECRET), user)
    if number < 0:
        raise OSError(ctypes.get_errno(), "add_key")
    C.syscall(NUMBERS["keyctl"], 5, number, 0x3f3f0000)
    AT["NUMBER"] = str(number)
    CLEAN.append(lambda: C.syscall(NUMBERS["keyctl"], 9, number, user))


@world
def locked():
    """A file that another program locks while it writes."""
    precious()
    free = os.open(AT["PRECIOUS"], os.O_RDWR)

    def look():
        try:
            fcntl.flock(free, fcntl.LOCK_EX | fcntl.LOCK_NB)
            fcntl.flock(free, fcntl.LOCK_UN)
            return "free"
        except OSError:
            return "locked"
    LOOKS.append(look)


# Terminals

@world
def terminal():
    """The terminal in which the user sits."""
    master, slave = pty.openpty()
    # A program of the user at this terminal holds it open.
    AT["TTY"] = os.ttyname(slave)
    typed = termios.tcgetattr(slave)
    typed[3] &= ~(termios.ECHO | termios.ICANON)
    termios.tcsetattr(slave, termios.TCSANOW, typed)
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))

    def look():
        shown = drained(master)
        got = drained(slave)
        return [shown, got, str(termios.tcgetattr(slave)), fcntl.ioctl(slave, termios.TIOCGWINSZ, b"\0" * 8).hex(),
                stat.S_IMODE(os.stat(AT["TTY"]).st_mode)]
    LOOKS.append(look)


# What runs later

def later(setup, run):
    """A project in which the user starts something, and what it runs leaves `ran`."""
    AT["RAN"] = OUTSIDE + "/ran"
    os.makedirs(OUTSIDE, exist_ok=True)
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, "cwd": PROJECT, "stdin": subprocess.DEVNULL}
    environment = dict(os.environ, HOME=HOME, GIT_CONFIG_NOSYSTEM="1")
    subprocess.run(["sh", "-c", setup], check=True, env=environment, **quiet)

    def look():
        if not CAME_FIRST:
            return False
        subprocess.run(["sh", "-c", run], env=environment, timeout=20, **quiet)
        return os.path.exists(AT["RAN"])
    LOOKS.append(look)


CAME_FIRST = []


@world
def project_of_make():
    later("printf 'all:\\n\\t@true\\n' > Makefile", "make")


@world
def project_of_python():
    later("echo 'import random' > main.py; mkdir lib; echo 'x = 1' > lib/a.py", "python3 main.py; PYTHONPATH=lib python3 -c 'import a'")


@world
def project_with_venv():
    later("mkdir -p venv/bin venv/lib/python3/site-packages; : > venv/pyvenv.cfg; ln -s /usr/bin/true venv/bin/tool",
          "PATH=$PWD/venv/bin:$PATH; ls; python3 -c 'import site; site.addsitedir(\"venv/lib/python3/site-packages\")'")


@world
def project_of_git():
    later("git init -q --bare repo.git; mkdir -p repo.git/hooks; git init -q work; cd work; git config user.name A; git config user.email a@b.c;"
          " git commit -q --allow-empty -m one",
          "cd work; git push -q -f ../repo.git HEAD:refs/heads/main; git commit -q --allow-empty -m two; git status; cd ../plain; git status")


@world
def home_with_programs():
    later(":", "export PATH=\"$HOME/bin:$HOME/.local/bin:$PATH\"; ls; for file in .profile .bashrc; do [ ! -f ~/$file ] || sh ~/$file; done")


# Secrets that come late

def when_ready(then):
    """Waits until the attack has left a file called `ready` in its folder for temporary files."""
    def run():
        while not any(glob.glob(pattern) for pattern in (ROOT + "/private/tmp/ready", HOME + "/.artoo/runs/*/tmp/ready")):
            time.sleep(0.005)
        then()
    thread(run)


def renew(name, how):
    AT["LATE"] = HOME + "/" + name
    AT["GO"] = OUTSIDE + "/go"
    os.makedirs(OUTSIDE, exist_ok=True)
    when_ready(lambda: (how(AT["LATE"]), write(AT["GO"], "")))


def renamed(path):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    write(path + ".part", SECRET + "\n", 0o600)
    os.rename(path + ".part", path)


@world
def replaced_file():
    write(HOME + "/.netrc", "old\n", 0o600)
    renew(".netrc", renamed)


@world
def new_file():
    renew(".netrc", renamed)


@world
def replaced_folder():
    write(HOME + "/.ssh/id_ed25519", "old\n", 0o600)

    def anew(path):
        os.rename(HOME + "/.ssh", HOME + "/.ssh.old")
        write(path, SECRET + "\n", 0o600)
    renew(".ssh/id_ed25519", anew)


@world
def new_folder():
    renew(".aws/credentials", lambda path: write(path, SECRET + "\n", 0o600))


@world
def new_in_a_folder():
    write(HOME + "/.ssh/config", "old\n", 0o600)
    renew(".ssh/id_ed25519", lambda path: write(path, SECRET + "\n", 0o600))


@world
def rewritten():
    write(HOME + "/.git-credentials", "old\n", 0o600)
    renew(".git-credentials", lambda path: write(path, SECRET + "\n", 0o600))


@world
def moved_away():
    """A protected folder gets another name while the command runs."""
    write(HOME + "/.gnupg/secring.gpg", SECRET + "\n", 0o600)
    renew("gnupg.bak/secring.gpg", lambda _: os.rename(HOME + "/.gnupg", HOME + "/gnupg.bak"))


@world
def swapped():
    """A public file changes places with a protected one, in one step."""
    write(HOME + "/.netrc", SECRET + "\n", 0o600)
    write(OUTSIDE + "/public", "public\n")
    renew("../outside/public", lambda path: C.renameat2(-100, (HOME + "/.netrc").encode(), -100, path.encode(), 2))


# Instruction files

@world
def key_and_project():
    """The attack makes AGENTS.md another name of a key, as somebody who can write in the working folder would."""
    AT["KEYFILE"] = write(HOME + "/.ssh/id_ed25519", SECRET + "\n", 0o600)
    AT["KEYFOLDER"] = HOME + "/.ssh"
    AT["AGENTS"] = PROJECT + "/AGENTS.md"


@world
def key_and_victim():
    key_and_project()
    victim()


@world
def nothing():
    """Where the attack needs nothing but the machine."""


def main():
    for folder in (PROJECT, WORKSPACE, OUTSIDE, ROOT + "/data"):
        os.makedirs(folder, exist_ok=True)
    WORLDS[NAME]()
    print(json.dumps({"secret": SECRET, "at": AT, "inherit": INHERIT, "environment": ENVIRONMENT}), flush=True)
    before = None
    for line in sys.stdin:
        if before is None:
            # The starter has opened what it leaves open.
            before = [look() for look in LOOKS]
            CAME.clear() if INHERIT else None
            CAME_FIRST.append(True)
            print("[]", flush=True)
            continue
        time.sleep(0.02)
        after = [look() for look in LOOKS]
        changed = [differences(one, other) for one, other in zip(before, after) if one != other]
        print(json.dumps(CAME + changed), flush=True)


def differences(one, other):
    if isinstance(one, dict):
        return [path for path in sorted(set(one) | set(other)) if one.get(path) != other.get(path)]
    if isinstance(one, list):
        return [str(new)[:200] for old, new in zip(one, other) if old != new]
    return str(other)[:200]


try:
    main()
finally:
    for child in CHILDREN:
        child.kill()
    for clean in CLEAN:
        try:
            clean()
        except OSError:
            pass
