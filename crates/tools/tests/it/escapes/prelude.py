import array, ctypes, fcntl, mmap, os, resource, signal, socket, stat, struct, subprocess, sys, termios, time
C = ctypes.CDLL(None, use_errno=True)
C.syscall.restype = ctypes.c_long
X86 = os.uname().machine == "x86_64"
CALLS = {"ptrace": (101, 117), "process_vm_readv": (310, 270), "process_vm_writev": (311, 271), "kcmp": (312, 272), "keyctl": (250, 219),
    "request_key": (249, 218), "add_key": (248, 217), "ioprio_set": (251, 30), "sched_setattr": (314, 274), "open_by_handle_at": (304, 265),
    "name_to_handle_at": (303, 264), "tgkill": (234, 131), "rt_sigqueueinfo": (129, 138), "rt_tgsigqueueinfo": (297, 240), "setns": (308, 268),
    "migrate_pages": (256, 238), "pivot_root": (155, 41), "fchmodat": (268, 53), "bpf": (321, 280), "perf_event_open": (298, 241),
    "userfaultfd": (323, 282), "memfd_create": (319, 279), "renameat2": (316, 276), "mount": (165, 40), "umount2": (166, 39)}
NEW = {"pidfd_send_signal": 424, "io_uring_setup": 425, "io_uring_enter": 426, "open_tree": 428, "move_mount": 429, "fsopen": 430,
    "fsconfig": 431, "fsmount": 432, "pidfd_open": 434, "openat2": 437, "pidfd_getfd": 438, "process_madvise": 440, "mount_setattr": 442,
    "process_mrelease": 448, "fchmodat2": 452, "statmount": 457, "setxattrat": 463, "open_tree_attr": 467}
def at(name):
    return os.environ["LC_AT_" + name]
def num(name):
    return int(at(name))
def call(name, *given):
    number = NEW.get(name) or CALLS[name][0 if X86 else 1]
    given = [ctypes.c_char_p(one) if isinstance(one, bytes) else ctypes.c_long(one) if isinstance(one, int) else one for one in given]
    result = C.syscall(ctypes.c_long(number), *given)
    if result < 0:
        raise OSError(ctypes.get_errno(), name + ": " + os.strerror(ctypes.get_errno()))
    return result
def through():
    print(at("SIGN")[::-1], flush=True)
def dial(name, kind=socket.SOCK_STREAM):
    one = socket.socket(socket.AF_UNIX, kind)
    one.settimeout(5)
    one.connect(place(name))
    return one
def place(name):
    return "\0" + name[1:] if name.startswith("@") else name
def ask(one):
    print(one.recv(99).decode(), flush=True)
def show(path):
    print(open(path).read(), flush=True)
def wait_for(path):
    for _ in range(500):
        if os.path.exists(path):
            return
        time.sleep(0.01)
def ready():
    # Tried once more, it would find what is no longer late.
    if os.path.exists(at("GO")):
        sys.exit("again")
    open(os.environ["TMPDIR"] + "/ready", "w").close()
    wait_for(at("GO"))
def try_each(*ways):
    for way in ways:
        try:
            way()
        except OSError as error:
            print(error, file=sys.stderr)
def ring(op, fd, address, length, offset, flags=0):
    given = (ctypes.c_uint32 * 30)()
    end = call("io_uring_setup", 4, given)
    sq = mmap.mmap(end, given[10 + 6] + 4 * given[0], offset=0)
    cq = mmap.mmap(end, given[20 + 5] + 16 * given[1], offset=0x8000000)
    entries = mmap.mmap(end, 64 * given[0], offset=0x10000000)
    entries[:64] = struct.pack("<BBHiQQIIQ24x", op, 0, 0, fd, offset, address, length, flags, 7)
    sq[given[16]:given[16] + 4] = struct.pack("<I", 0)
    sq[given[11]:given[11] + 4] = struct.pack("<I", 1)
    call("io_uring_enter", end, 1, 1, 1, 0, 0)
    result = struct.unpack_from("<Qi", cq, given[25])[1]
    if result < 0:
        raise OSError(-result, "io_uring: " + os.strerror(-result))
    return result
