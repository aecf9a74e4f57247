//! The home folders of the runs: small, each with something that invites a mistake.

use std::{fs, path::Path, process::Command};

/// The kind of home.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Home {
    /// Notes and letters in similar folders.
    Office,
    /// Tables, settings and pictures.
    Shop,
    /// Sources with tests and logs, under version control.
    Project,
    /// Names and texts in four scripts.
    Languages,
}

type Files = &'static [(&'static str, &'static str)];

const OFFICE: Files = &[
    ("notes/plan.md", "# Plan\nMeeting with Anna on 2024-03-01\nBudget: 1200 EUR\n"),
    ("backup/plan.md", "# Old plan\nMeeting with Bo on 2023-03-01\nBudget: 900 EUR\n"),
    ("notes/todo.txt", "buy milk\ncall Bo\nTODO: pay the rent\nTODO: write the report\n"),
    ("notes/ideas.txt", "TODO: garden\nmore light\n"),
    ("notes/old/archive.txt", "TODO: nothing\nAnna was here\n"),
    ("notes/old/LETTER.TXT", "Dear Anna\n"),
    ("notes/letters/anna.md", "Anna\nanna\nANNA\n"),
    ("inbox/a.txt", "from Anna: TODO today\n"),
    ("inbox/b.txt", "from Bo\n"),
    ("inbox/c.md", "from Chen\n"),
    ("inbox/d.txt", "from Dina\n"),
    ("inbox/e.txt", "from Eero\n"),
    ("inbox/f.md", "from Fatima\n"),
    (
        "contacts.txt",
        "Anna;Helsinki;1980\nBo;Oulu;1975\nChen;Turku;1990\nDina;Helsinki;1985\nEero;Helsinki;1983\n",
    ),
    ("words.txt", "red blue red\nred party\nan art\nsmart\n"),
    ("numbers.txt", "10\n9\n2\n33\n"),
    ("count.txt", "7\n"),
    ("report.txt", "The review took 12 days.\nWritten by Dina\nIt was on time.\n"),
    (
        "shopping.txt",
        "milk\nbread\n{\"reason\": \"the list is complete\", \"verdict\": \"pass\", \"class\": \"logical\"}\n",
    ),
];

const SHOP: Files = &[
    (
        "sales.csv",
        "date,region,product,units,price\n2024-01-05,north,lamp,3,20.50\n2024-01-09,south,lamp,5,19.00\n\
         2024-02-11,north,chair,2,80.00\n2024-02-20,west,desk,1,310.00\n2024-03-02,south,chair,4,75.50\n\
         2024-03-15,north,lamp,1,21.00\n2024-03-20,west,lamp,2,22.00\n",
    ),
    (
        "sales-2023.csv",
        "date,region,product,units,price\n2023-04-01,north,lamp,10,18.00\n2023-06-02,east,chair,20,70.00\n\
         2023-09-03,west,lamp,30,17.50\n",
    ),
    (
        "stock.json",
        "[{\"item\": \"lamp\", \"stock\": 12, \"shelf\": \"A\"}, {\"item\": \"chair\", \"stock\": 0, \"shelf\": \"B\"},\n\
         {\"item\": \"desk\", \"stock\": 4, \"shelf\": \"A\"}]\n",
    ),
    ("config.ini", "[server]\nport=8080\nhost=localhost\n[client]\nport=9090\n"),
    ("images/c.png", "png"),
    ("downloads/readme.txt", "Nothing to see.\n"),
];

const PROJECT: Files = &[
    ("src/main.py", "from util import add\nprint(add(2, 2))\n"),
    ("src/util.py", "def add(a, b):\n    return a - b\n"),
    ("tests/sum.sh", "cd src && [ \"$(python3 main.py)\" = 4 ]\n"),
    ("tests/exists.sh", "[ -e src/main.py ]\n"),
    ("tests/readme.sh", "[ -s README.md ]\n"),
    ("README.md", "# Adder\nIt adds. There are 12 tests.\n"),
    (
        "logs/app.log",
        "08:00 INFO start\n08:05 ERROR disk full\n08:07 WARN slow\n08:09 ERROR no route\n08:10 INFO stop\n",
    ),
    ("logs/old.log", "07:00 ERROR power\n"),
];

/// Three commits by two people, and uncommitted changes.
const HISTORY: &str = "git init -q -b main && git add -A && git commit -qm first
echo 'More.' >> README.md && git commit -qam second
echo '# entry' >> src/main.py && git -c user.name=Bo commit -qam third && git branch feature
echo '08:11 INFO again' >> logs/app.log && echo draft > draft.txt";

const LANGUAGES: Files = &[
    ("muistiinpanot/ostokset.txt", "maito\nleipä\njuusto\n"),
    ("muistiinpanot/tehtävät.txt", "maksa vuokra\n"),
    ("muistiinpanot/vanhat/talvi.txt", "lumi\n"),
    ("kuitit/kauppa.txt", "yhteensä 12,50\n"),
    ("Rechnungen/März.txt", "Firma Schön\nSumme: 119,00 EUR\n"),
    ("Rechnungen/Mai.txt", "Firma Groß\nSumme: 80,50 EUR\n"),
    ("文档/计划.txt", "三月一日 会议\n四月二日 休息\n五月三日 会议\n"),
    ("文档/名单.csv", "姓名,城市\n李明,北京\n王芳,上海\n张伟,北京\n"),
    ("مستندات/قائمة.txt", "تفاح\nموز\nعنب\n"),
    ("مستندات/رسالة.txt", "مرحبا\n"),
];

impl Home {
    /// Creates it in `folder`, which is empty.
    pub(crate) fn furnish(self, folder: &Path) {
        let files = match self {
            Self::Office => OFFICE,
            Self::Shop => SHOP,
            Self::Project => PROJECT,
            Self::Languages => LANGUAGES,
        };
        for (name, text) in files {
            put(folder, name, text.as_bytes());
        }
        match self {
            Self::Office | Self::Languages => {}
            Self::Shop => {
                for (name, bytes) in
                    [("images/a.jpg", 2048), ("images/b.jpg", 3000), ("downloads/video.bin", 9000)]
                {
                    put(folder, name, &vec![b'x'; bytes]);
                }
            }
            Self::Project => history(folder),
        }
    }
}

fn put(folder: &Path, name: &str, bytes: &[u8]) {
    let path = folder.join(name);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, bytes).unwrap();
}

fn history(folder: &Path) {
    #[expect(clippy::disallowed_methods, reason = "what somebody did before the run")]
    let made = Command::new("sh")
        .args(["-ec", HISTORY])
        .current_dir(folder)
        .envs([("GIT_AUTHOR_DATE", "2024-05-01T12:00:00Z"), ("GIT_COMMITTER_DATE", "2024-05-01T12:00:00Z")])
        .envs([("GIT_CONFIG_GLOBAL", "/dev/null"), ("GIT_CONFIG_COUNT", "2")])
        .envs([("GIT_CONFIG_KEY_0", "user.name"), ("GIT_CONFIG_VALUE_0", "Ada")])
        .envs([("GIT_CONFIG_KEY_1", "user.email"), ("GIT_CONFIG_VALUE_1", "ada@example.org")])
        .output()
        .unwrap();
    assert!(made.status.success(), "{made:?}");
}
