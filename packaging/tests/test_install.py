"""`install.sh` in several shells, with a small program in the place of artoo.

`python3 -m unittest discover -s packaging/tests`. Each test runs in every shell of `SHELLS` that is here; `ARTOO_TEST_SHELLS=need` makes a
shell that is missing a failure. As root, the tests of rights run as the user `nobody`.
"""

from __future__ import annotations

import hashlib
import os
import pwd
import re
import shutil
import stat
import subprocess
import tempfile
import unittest
from pathlib import Path
from typing import Dict, Optional, Sequence

SCRIPT = Path(__file__).resolve().parent.parent / "install.sh"
SHELLS = {"dash": ["dash"], "busybox": ["busybox", "sh"], "bash": ["bash", "--posix"]}
PAGES = ("artoo.1", "artoo-run.1")
FILES = {
    "bin/artoo",
    "share/man/man1/artoo.1",
    "share/man/man1/artoo-run.1",
    "share/bash-completion/completions/artoo",
    "share/zsh/site-functions/_artoo",
    "share/fish/vendor_completions.d/artoo.fish",
    "share/doc/artoo/README.md",
    "share/doc/artoo/LICENSE-APACHE",
    "share/doc/artoo/LICENSE-MIT",
    "share/doc/artoo/THIRD-PARTY-LICENSES.html",
    "share/artoo/install.sh",
    "share/artoo/manifest",
}


class InstallTests(unittest.TestCase):
    shell: Sequence[str] = ()
    path: str

    def setUp(self) -> None:
        root = tempfile.TemporaryDirectory(prefix="artoo install ")
        self.addCleanup(root.cleanup)
        self.root = Path(root.name)
        self.path = os.environ["PATH"]
        if self.shell[0].endswith("busybox"):
            self.path = self.applets()
        self.root.chmod(0o755)
        self.home = self.root / "home of 'me' $x"
        self.home.mkdir()
        self.prefix = self.home / ".local"
        self.archive = self.unpacked("1.0.0")

    def applets(self) -> str:
        """A folder with the programs of busybox and no other."""
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        Path(folder.name).chmod(0o755)
        for name in subprocess.run([self.shell[0], "--list"], capture_output=True, text=True, check=True).stdout.split():
            Path(folder.name, name).symlink_to(self.shell[0])
        return folder.name

    def unpacked(self, version: str, pages: Sequence[str] = PAGES, program: Optional[bytes] = None) -> Path:
        folder = self.root / f"artoo-{version}-x86_64-unknown-linux-gnu"
        texts = {
            "artoo": program or f"#!/bin/sh\necho artoo {version}\n".encode(),
            "install.sh": SCRIPT.read_bytes(),
            **{name: f"{name} {version}\n".encode() for name in ("README.md", "LICENSE-APACHE", "LICENSE-MIT", "THIRD-PARTY-LICENSES.html")},
            **{f"completions/{name}": name.encode() for name in ("artoo.bash", "_artoo", "artoo.fish")},
            **{f"man/{page}": page.encode() for page in pages},
        }
        for name, text in texts.items():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_bytes(text)
        for name in ("artoo", "install.sh"):
            (folder / name).chmod(0o755)
        self.seal(folder)
        return folder

    def seal(self, folder: Path) -> None:
        names = sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file() and path.name != "SHA256SUMS")
        sums = "".join(f"{hashlib.sha256((folder / name).read_bytes()).hexdigest()}  {name}\n" for name in names)
        (folder / "SHA256SUMS").write_text(sums)

    def run_script(self, *words: str, archive: Optional[Path] = None, code: int = 0, user: Optional[str] = None, env: Optional[Dict[str, str]] = None) -> str:
        script = archive if archive and archive.suffix == ".sh" else (archive or self.archive) / "install.sh"
        environment: Dict[str, str] = {"HOME": str(self.home), "PATH": self.path, "SHELL": "/bin/bash", **(env or {})}
        done = subprocess.run(
            [*self.shell, str(script), *words], env=environment, cwd=self.root, capture_output=True, text=True, timeout=60, user=user
        )
        said = done.stdout + done.stderr
        self.assertEqual(done.returncode, code, said)
        if code:
            self.assertRegex(done.stderr, r"(?m)^error: .*\nhint: .*\n\Z")
        else:
            self.assertEqual(done.stderr, "")
        return said

    def tree(self, folder: Path) -> Dict[str, str]:
        return {
            str(path.relative_to(folder)): "folder" if path.is_dir() and not path.is_symlink() else (os.readlink(path) if path.is_symlink() else path.read_bytes().hex())
            for path in folder.rglob("*")
        }

    def files(self) -> "set[str]":
        return {name for name, what in self.tree(self.prefix).items() if what != "folder"}

    def test_everything_is_in_its_place_and_goes_again(self) -> None:
        before = self.tree(self.home)
        said = self.run_script()
        self.assertEqual(self.files(), FILES)
        for name in FILES - {"share/artoo/manifest"}:
            self.assertIn(f"  {self.prefix}/{name}\n", said)
            mode = stat.S_IMODE((self.prefix / name).stat().st_mode)
            self.assertEqual(mode, 0o755 if name in ("bin/artoo", "share/artoo/install.sh") else 0o644, name)
        self.assertIn("artoo 1.0.0 is installed:", said)
        for data in (".artoo", ".config/artoo", "artoo_workspace"):
            (self.home / data).mkdir(parents=True)
        gone = self.run_script("--uninstall")
        for data in (".artoo", ".config/artoo", "artoo_workspace"):
            self.assertIn(f"  {self.home}/{data} (", gone)
            (self.home / data).rmdir()
        (self.home / ".config").rmdir()
        self.assertEqual(self.tree(self.home), before)
        self.assertIn("is no", self.run_script("--uninstall", code=1).replace("there is no", "is no"))

    def test_what_was_there_before_stays(self) -> None:
        for name in ("bin/other", "share/doc/other/README.md"):
            (self.prefix / name).parent.mkdir(parents=True)
            (self.prefix / name).write_text("mine")
        (self.prefix / "share/man").mkdir()
        before = self.tree(self.home)
        self.run_script()
        self.run_script("--uninstall")
        self.assertEqual(self.tree(self.home), before)

    def test_the_installed_copy_of_the_script_removes_it(self) -> None:
        prefix = self.root / "a prefix\twith 'blanks' $HOME \"&\\"
        said = self.run_script("--prefix", str(prefix))
        command = re.search(r"To remove it: (sh .*)\n", said)
        assert command
        done = subprocess.run(["sh", "-c", command[1]], env={"PATH": os.environ["PATH"], "HOME": "/nowhere"}, capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stderr), (0, ""), done.stdout)
        self.assertFalse(prefix.exists())

    def test_the_line_for_path_works(self) -> None:
        for shell, file in (("/bin/bash", "~/.bashrc"), ("/usr/bin/zsh", "~/.zshrc"), ("/bin/sh", "~/.profile")):
            said = self.run_script(env={"SHELL": shell})
            self.assertIn(f"is not in PATH. Add this line to {file}", said)
            line = re.search(r"^  (export PATH=.*)$", said, re.M)
            assert line
            done = subprocess.run(["sh", "-c", f"{line[1]}; artoo --version"], env={"PATH": os.environ["PATH"]}, capture_output=True, text=True)
            self.assertEqual(done.stdout, "artoo 1.0.0\n", done.stderr)
            self.assertEqual("fpath" in said, shell.endswith("zsh"))
        self.assertIn("fish_add_path", self.run_script(env={"SHELL": "/usr/bin/fish"}))
        self.assertIn(f"{self.prefix}/bin is in PATH", self.run_script(env={"PATH": f"{self.path}:{self.prefix}/bin"}))

    def test_an_update_removes_what_the_new_version_no_longer_has(self) -> None:
        self.run_script()
        running = subprocess.Popen([str(self.prefix / "bin/artoo")], stdout=subprocess.DEVNULL)
        new = self.unpacked("2.0.0", pages=("artoo.1",))
        self.run_script(archive=new)
        running.wait()
        self.assertEqual(self.files(), FILES - {"share/man/man1/artoo-run.1"})
        self.assertIn("echo artoo 2.0.0", (self.prefix / "bin/artoo").read_text())
        no_pages = self.unpacked("3.0.0", pages=())
        self.run_script(archive=no_pages)
        self.assertFalse((self.prefix / "share/man").exists(), "folders of an older version go as well")
        self.run_script("--uninstall", archive=no_pages)
        self.assertEqual(list(self.home.iterdir()), [])

    def test_options(self) -> None:
        (self.root / "here").mkdir()
        self.run_script("--prefix=here/opt/")
        self.assertTrue((self.root / "here/opt/bin/artoo").exists())
        self.run_script("--uninstall", "--prefix", "here/opt")
        self.assertEqual(list((self.root / "here").iterdir()), [])
        self.assertIn("Usage: ./install.sh", self.run_script("--help"))
        for words in (["--nonsense"], ["--prefix"], ["--prefix", ""], ["x"]):
            self.run_script(*words, code=1)
        self.assertIn("HOME is not set", self.run_script(code=1, env={"HOME": ""}))
        self.assertIn("is not there", self.run_script("--prefix", str(self.root / "no/such/place"), code=1))
        self.assertEqual(list(self.home.iterdir()), [])

    def refused(self, words: str, *options: str, env: Optional[Dict[str, str]] = None) -> None:
        """The script refuses with these words, and changes nothing."""
        before = self.tree(self.root)
        self.assertIn(words, self.run_script(*options, code=1, env=env))
        self.assertEqual(self.tree(self.root), before)

    def test_files_that_were_changed_are_refused(self) -> None:
        (self.archive / "artoo").write_text("#!/bin/sh\necho evil\n")
        self.refused("the files are not those that SHA256SUMS names")
        self.seal(self.archive)
        (self.archive / "man/extra.1").write_text("not in the sums")
        self.refused("SHA256SUMS does not name man/extra.1")
        (self.archive / "man/extra.1").unlink()
        (self.archive / "completions/_artoo").unlink()
        self.refused("completions/_artoo is missing")
        (self.archive / "SHA256SUMS").unlink()
        self.refused("there is no SHA256SUMS")

    def test_another_processor_is_named(self) -> None:
        program = bytearray(Path("/bin/true").read_bytes())
        other = "aarch64" if os.uname().machine == "x86_64" else "x86_64"
        program[18:20] = b"\xb7\0" if other == "aarch64" else b"\x3e\0"
        self.unpacked("1.0.0", program=bytes(program))
        self.refused(f"this archive is for the processor {other}, and this machine has {os.uname().machine}")

    def test_a_glibc_that_is_too_old_is_named(self) -> None:
        program = Path("/bin/true").read_bytes()
        wanted = sorted(set(re.findall(rb"GLIBC_2\.\d\d\0", program)))[-1]
        self.unpacked("1.0.0", program=program.replace(wanted, b"GLIBC_2.99\0"))
        self.refused("artoo needs glibc 2.99, and this system has ")

    def test_a_program_that_does_not_start_is_told(self) -> None:
        self.unpacked("1.0.0", program=b"#!/bin/sh\necho broken >&2; exit 3\n")
        self.refused("the program cannot be started here: broken")

    def test_another_system_is_named(self) -> None:
        fake = self.root / "fake"
        fake.mkdir()
        (fake / "uname").write_text("#!/bin/sh\necho Darwin\n")
        (fake / "uname").chmod(0o755)
        self.refused("this archive is for Linux, and this system is Darwin", env={"PATH": f"{fake}:{self.path}"})

    def test_a_prefix_that_is_not_writable(self) -> None:
        if os.getuid() != 0:
            self.home.chmod(0o555)
            self.addCleanup(self.home.chmod, 0o755)
            self.refused("is not yours to write into")
            return
        self.assertTrue(pwd.getpwnam("nobody"))
        before = self.tree(self.root)
        self.assertIn(f"{self.home} is not yours to write into", self.run_script(code=1, user="nobody"))
        (self.prefix / "share").mkdir(parents=True)
        os.chown(self.prefix, pwd.getpwnam("nobody").pw_uid, -1)
        self.assertIn(f"{self.prefix}/share is not yours to write into", self.run_script(code=1, user="nobody"))
        shutil.rmtree(self.prefix)
        self.assertEqual(self.tree(self.root), before)

    def test_a_full_disk_leaves_what_was_there(self) -> None:
        self.run_script()
        before = self.tree(self.home)
        new = self.unpacked("2.0.0", program=b"#!/bin/sh\necho artoo 2\n#" + b"x" * 200_000)
        # A limit of the size of a file fails as a full disk does, in the middle of a copy.
        script = f"ulimit -f 200; trap '' XFSZ; exec {' '.join(self.shell)} \"$0\""
        done = subprocess.run(["/bin/bash", "-c", script, str(new / "install.sh")], env={"HOME": str(self.home), "PATH": self.path}, capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, "the limit is too high to fail: " + done.stderr)
        self.assertNotEqual(self.tree(self.home), before)
        self.run_script()
        script = script.replace("200", "50")
        done = subprocess.run(["/bin/bash", "-c", script, str(new / "install.sh")], env={"HOME": str(self.home), "PATH": self.path}, capture_output=True, text=True)
        self.assertEqual(done.returncode, 1, done.stdout)
        self.assertIn("error: artoo could not be installed", done.stderr)
        self.assertEqual(self.tree(self.home), before)

    def test_what_it_did_not_install_is_not_replaced(self) -> None:
        (self.prefix / "bin").mkdir(parents=True)
        (self.prefix / "bin/artoo").write_text("of cargo install")
        self.refused("this script did not install it")
        (self.prefix / "bin/artoo").unlink()
        (self.prefix / "bin/artoo").mkdir()
        self.refused("is a folder")

    def test_no_link_leads_out_of_the_prefix(self) -> None:
        outside = self.root / "outside"
        outside.mkdir()
        self.prefix.mkdir()
        (self.prefix / "bin").symlink_to(outside)
        self.refused("is no folder below")
        (self.prefix / "bin").unlink()
        (self.prefix / "bin").symlink_to("/nowhere")
        self.refused("is no folder below")
        (self.prefix / "bin").unlink()
        # A prefix that is a link itself is what the user named.
        (self.root / "link").symlink_to(self.prefix)
        self.run_script("--prefix", str(self.root / "link"))
        # The installed file has become a link: the link goes, and not what it leads to.
        (outside / "precious").write_text("mine")
        (self.prefix / "bin/artoo").unlink()
        (self.prefix / "bin/artoo").symlink_to(outside / "precious")
        (self.prefix / "share/doc/artoo/README.md").unlink()
        (self.prefix / "share/doc/artoo/README.md").symlink_to(outside)
        self.run_script()
        self.assertFalse((self.prefix / "bin/artoo").is_symlink())
        self.assertEqual(self.tree(outside), {"precious": b"mine".hex()})

    def test_a_forged_manifest_removes_nothing_outside(self) -> None:
        self.run_script()
        for name in ("precious", "outside/precious"):
            (self.root / name).parent.mkdir(exist_ok=True)
            (self.root / name).write_text("mine")
        (self.prefix / "link").symlink_to(self.root / "outside")
        with open(self.prefix / "share/artoo/manifest", "a") as manifest:
            for path in ("../../precious", str(self.root / "precious"), "share/../../../precious", "/etc/hostname", "link/precious"):
                manifest.write(f"file {path}\n")
            manifest.write("dir ..\ndir link\n")
        new = self.unpacked("2.0.0")
        self.run_script(archive=new)
        with open(self.prefix / "share/artoo/manifest", "a") as manifest:
            manifest.write("file ../../precious\nfile link/precious\n")
        done = subprocess.run([*self.shell, str(new / "install.sh"), "--uninstall"], env={"HOME": str(self.home), "PATH": self.path}, capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("left: ", done.stderr)
        self.assertEqual([(self.root / name).read_text() for name in ("precious", "outside/precious")], ["mine", "mine"])
        self.assertEqual([path.name for path in self.prefix.iterdir()], ["link"])

    def test_an_interruption_leaves_what_was_there(self) -> None:
        self.run_script()
        before = self.tree(self.home)
        new = self.unpacked("2.0.0")
        fake = self.root / "fake"
        fake.mkdir()
        (fake / "cp").write_text("#!/bin/sh\nread -r _ _ _ above _ < /proc/$PPID/stat; kill -TERM $above; sleep 0.2; exit 1\n")
        (fake / "cp").chmod(0o755)
        self.assertIn("artoo could not be installed", self.run_script(archive=new, code=1, env={"PATH": f"{fake}:{self.path}"}))
        self.assertEqual(self.tree(self.home), before)


def load_tests(loader: unittest.TestLoader, tests: unittest.TestSuite, pattern: Optional[str]) -> unittest.TestSuite:
    suite = unittest.TestSuite()
    for name, words in SHELLS.items():
        program = shutil.which(words[0])
        if not program:
            if os.environ.get("ARTOO_TEST_SHELLS") == "need":
                raise RuntimeError(f"there is no {words[0]}")
            print(f"skipped: there is no {words[0]}")
            continue
        case = type(f"InstallTests in {name}", (InstallTests,), {"shell": [program, *words[1:]], "__module__": __name__})
        suite.addTests(loader.loadTestsFromTestCase(case))
    suite.addTests(loader.loadTestsFromTestCase(LintTests))
    return suite


class LintTests(unittest.TestCase):
    def test_shellcheck(self) -> None:
        if not shutil.which("shellcheck"):
            self.skipTest("there is no shellcheck")
        done = subprocess.run(["shellcheck", str(SCRIPT)], capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stdout), (0, ""))


if __name__ == "__main__":
    unittest.main()
