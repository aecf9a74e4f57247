//! Ordinary programs work under the rules.

use artoo_sandbox::{Ending, Network};

use artoo_test_needs::has;

use crate::setup::namespace_bench;

/// Every machine has the programs of the script.
const NOTHING: &str = "";

/// A program that may be missing, and a script that succeeds.
const SCRIPTS: [(&str, &str); 18] = [
    ("python3", "python3 -c 'import json, subprocess; print(subprocess.check_output([\"echo\", \"x\"]))'"),
    ("python3", "python3 -c 'import threading; t = threading.Thread(target=print); t.start(); t.join()'"),
    (
        "python3",
        "printf 'import multiprocessing as m\\nwith m.Lock():\\n print(m.Value(\"i\", 7).value)\\n' > m.py && python3 m.py",
    ),
    ("python3", "python3 -c 'import asyncio; asyncio.run(asyncio.sleep(0))'"),
    ("python3", "python3 -c 'import shutil; open(\"a\", \"w\").write(\"x\"); shutil.copy2(\"a\", \"b\")'"),
    ("node", "node -e 'require(\"fs\").writeFileSync(\"n\", \"x\"); setTimeout(() => {}, 1)'"),
    ("node", "node -e 'new (require(\"worker_threads\").Worker)(\"1\", { eval: true })'"),
    ("node", "node -e 'require(\"child_process\").execSync(\"echo x\")'"),
    (
        "git",
        "git init -q r && cd r && echo x > f && git add f && git -c user.name=a -c user.email=b commit -qm x \
         && cd .. && git clone -q r s && git -C s log --oneline && git -C s status && git -C s gc -q",
    ),
    (NOTHING, "mkdir -p d/e && touch d/e/f && find . -name f -newermt 2001-01-01 | xargs ls -l"),
    ("jq", "echo '{\"a\": [1, 2]}' | jq -e '.a | add == 3'"),
    ("sqlite3", "sqlite3 x.db 'create table t (a); insert into t values (1); select * from t; vacuum;'"),
    (
        NOTHING,
        "mkdir t && touch -d 2001-01-01 t/a && chmod 750 t && tar czf t.tgz t && rm -r t && tar xpzf t.tgz",
    ),
    (
        NOTHING,
        "touch c && chmod 700 c && cp -a c c2 && cp -p c2 c3 && mv c3 c4 && install -m 600 c4 c5 && sed -i s/a/b/ c5",
    ),
    (
        "java",
        "printf 'public class T { public static void main(String[] a) throws Exception { \
         Thread t = new Thread(() -> System.out.println(1)); t.setPriority(10); t.start(); t.join(); } }' > T.java && java T.java",
    ),
    (
        "gcc",
        "printf '#include <omp.h>\nint main(void) { int s = 0;\n#pragma omp parallel for reduction(+:s)\n \
         for (int i = 0; i < 100; i++) s += i; return s != 4950; }' > o.c && gcc -fopenmp o.c -o o && OMP_NUM_THREADS=4 ./o",
    ),
    (
        "chromium",
        "printf '<p id=x></p><script>x.textContent = 6 * 7</script>' > p.html && chromium --headless --no-sandbox \
         --disable-gpu --no-first-run --disable-background-networking \
         --user-data-dir=\"$TMPDIR/profile\" --dump-dom \"file://$PWD/p.html\" 2> /dev/null | grep '>42<'",
    ),
    ("ps", "timeout 5 nice sort -R /etc/passwd | head -1 | wc -c && ps > /dev/null && date && id"),
];

#[tokio::test]
async fn ordinary_programs_work_with_and_without_the_network() {
    for network in [Network::Denied, Network::Granted] {
        let Some(mut bench) = namespace_bench() else { return };
        bench.network = network;
        bench.environment.insert("HOME".into(), bench.tmp.clone().into());
        for (program, script) in SCRIPTS {
            if program != NOTHING && !has(program) {
                continue;
            }
            let ran = bench
                .sh(&format!("mkdir -p here && cd here && ({script}); s=$?; cd .. && rm -rf here; exit $s"))
                .await;
            assert_eq!(ran.outcome.ending, Ending::Exited(0), "{network}: {script}: {}", ran.err());
        }
    }
}
