//! Detects first requests that cannot be understood: they refer to something earlier although there is
//! nothing earlier, or say nothing at all.
//!
//! Code decides, without a model, and only in clear cases: every word must be in a small closed list, or the
//! whole request in a table of phrases. A single word that names something ("docs", "b.txt", a program) makes
//! it an ordinary request.

/// The phrases of one language, and the questions to ask.
struct Tongue {
    /// Whole requests that refer to something earlier.
    refers: &'static str,
    /// Whole requests without content.
    empty: &'static str,
    /// The question for a dangling reference.
    which: &'static str,
    /// The question for an empty request.
    what: &'static str,
}

const ENGLISH: Tongue = Tongue {
    refers: "once more|one more time|and once more|as before|like before|same again|and now|what now|what next|undo",
    empty: "|help|help me|do something|something|do|go|go on|go ahead|continue|carry on|proceed|yes|no|start|hi|hello",
    which: "What does this refer to? Nothing came before it. Please say what should be done, and with which file, folder or text.",
    what: "What should be done? For example: How many files are in docs?",
};

/// Languages other than English have whole phrases only.
const OTHERS: [Tongue; 5] = [
    Tongue {
        refers: "nochmal|noch mal|noch einmal|nochmals|mach es|mach das|tu es|tu das|mach es nochmal|mach es noch einmal|mach das nochmal\
            |mach das noch einmal|das gleiche|dasselbe|das gleiche nochmal|dasselbe nochmal|das gleiche noch einmal|dasselbe noch einmal\
            |das gleiche für den anderen ordner|dasselbe für den anderen ordner|lösche es|lösch es|lösche diese datei|lösch diese datei\
            |öffne es|öffne sie|öffne diese datei|und jetzt|weiter|mach weiter|wiederhole das|wiederhole es",
        empty: "hilfe|hilf mir|los|hallo|ja|nein|mach was|mach etwas",
        which: "Worauf bezieht sich das? Davor kam nichts. Bitte sagen, was zu tun ist und mit welcher Datei, welchem Ordner oder Text.",
        what: "Was ist zu tun? Zum Beispiel: Wie viele Dateien sind in docs?",
    },
    Tongue {
        refers: "encore|encore une fois|refais-le|refais-la|refais le|fais-le|fais le|fais ça|recommence|la même chose|pareil\
            |fais la même chose|la même chose pour l'autre dossier|supprime-le|supprime-la|supprime ce fichier|ouvre-le|ouvre-la\
            |ouvre ce fichier|répète|et maintenant",
        empty: "aide|aide-moi|à l'aide|au secours|bonjour|salut|vas-y|oui|non",
        which: "À quoi cela se rapporte-t-il ? Rien ne précède. Dites ce qu'il faut faire, et avec quel fichier, dossier ou texte.",
        what: "Que faut-il faire ? Par exemple : Combien de fichiers y a-t-il dans docs ?",
    },
    Tongue {
        refers: "otra vez|de nuevo|una vez más|hazlo|hazlo otra vez|hazlo de nuevo|repítelo|lo mismo|haz lo mismo|lo mismo otra vez\
            |lo mismo para la otra carpeta|bórralo|bórrala|borra ese archivo|ábrelo|ábrela|abre ese archivo|sigue|continúa|y ahora",
        empty: "ayuda|ayúdame|hola|adelante|sí|haz algo",
        which: "¿A qué se refiere? No hay nada anterior. Diga qué hay que hacer, y con qué archivo, carpeta o texto.",
        what: "¿Qué hay que hacer? Por ejemplo: ¿Cuántos archivos hay en docs?",
    },
    Tongue {
        refers: "再来一次|再來一次|再做一次|再试一次|再試一次|再一次|重来|重來|重做|重做一遍|再来一遍|继续|繼續|删除那个文件|刪除那個檔案|删掉它\
            |删除它|打开它|打開它|打开那个文件|做同样的事|同样的|另一个文件夹也一样|另一个文件夹呢|那个文件呢|然后呢|接着呢",
        empty: "帮忙|帮我|帮帮我|幫我|救命|你好|好|好的|是|开始|開始",
        which: "这指的是什么？之前没有任何内容。请说明要做什么，针对哪个文件、文件夹或文字。",
        what: "要做什么？例如：docs 里有多少个文件？",
    },
    Tongue {
        refers: "もう一度|もう一回|もういちど|もう一度やって|もう一回やって|やり直して|続けて|続き|同じように|同じこと|同じことをして\
            |それを開いて|それを消して|それを削除して|そのファイルを開いて|そのファイルを消して|そのファイルを削除して|別のフォルダも|他のフォルダも",
        empty: "助けて|ヘルプ|手伝って|こんにちは|はい|いいえ|お願い|お願いします",
        which: "何を指していますか。前のやり取りがありません。何をするか、どのファイル・フォルダ・文章に対してかを教えてください。",
        what: "何をしますか。例：docs にファイルはいくつありますか。",
    },
];

/// Words that do not change what is asked.
const POLITE: [&str; 30] = [
    "please", "pls", "thanks", "thank", "you", "ok", "okay", "now", "just", "then", "well", "so", "hey",
    "could", "can", "would", "will", "artoo", "bitte", "danke", "jetzt", "s'il", "te", "vous", "plaît",
    "merci", "por", "favor", "gracias", "请",
];

/// Actions that apply to any object.
const VERBS: &str = "|do|redo|repeat|retry|try|run|delete|remove|erase|open|show|read|print|display|count|list|rename|move|copy|close\
    |undo|fix|change|edit|save|send|sort|translate|explain|check|finish|stop|start|use|get|";

/// Generic nouns, which name nothing specific.
const NOUNS: &str = "|file|files|folder|folders|directory|directories|document|documents|one|ones|thing|things|task|request|command\
    |line|lines|text|list|image|images|picture|pictures|";

/// Function words.
const LINKS: &str = "|a|an|the|to|for|in|on|of|with|from|me|us|and|or|but|also|too|instead|better|faster|differently|properly|correctly|as|";

/// Words that refer to something earlier.
const POINTERS: &str = "|it|them|that|those|same|again|other|others|previous|";

/// The longest request examined, in bytes: requests that cannot be understood are short.
const LONGEST: usize = 120;

/// The question that a request leaves open without earlier turns; `None` if it can be worked on.
pub(crate) fn question_about(request: &str) -> Option<&'static str> {
    // A name with a dot, a path, a digit or a quotation names something.
    let names =
        |c: char| c.is_numeric() || matches!(c, '/' | '~' | '"' | '“' | '”' | '「' | '`' | '_' | '*' | '=');
    if request.len() > LONGEST || request.contains(names) || request.split_whitespace().any(has_inner_dot) {
        return None;
    }
    let words = words(request);
    let phrase = words.join(" ");
    let stands_in = |phrases: &str| phrases.split('|').any(|one| one.trim() == phrase);
    for tongue in [&ENGLISH].into_iter().chain(&OTHERS) {
        if stands_in(tongue.refers) {
            return Some(tongue.which);
        }
        if stands_in(tongue.empty) {
            return Some(tongue.what);
        }
    }
    (points_back(&words) || goes_on(request, &words)).then_some(ENGLISH.which)
}

/// The words in lower case, without punctuation and polite words.
fn words(request: &str) -> Vec<String> {
    let request = request.to_lowercase().replace('’', "'");
    let words = request.split(|c: char| !(c.is_alphabetic() || matches!(c, '\'' | '-')));
    let words = words.map(|word| word.trim_matches(['\'', '-'])).filter(|word| !word.is_empty());
    words.filter(|word| !POLITE.contains(word)).map(str::to_owned).collect()
}

fn has_inner_dot(word: &str) -> bool {
    word.trim_matches(['.', '…']).contains('.')
}

/// Whether an English request consists of known words only, and one of them refers to something that was
/// never mentioned.
fn points_back(words: &[String]) -> bool {
    let is_in = |list: &str, word: &str| list.contains(&format!("|{word}|"));
    let known = |word: &String| [VERBS, NOUNS, LINKS, POINTERS].iter().any(|list| is_in(list, word));
    let is_noun = |word: Option<&String>| word.is_some_and(|word| is_in(NOUNS, word));
    words.iter().all(known)
        && words.iter().enumerate().any(|(at, word)| {
            let (before, next) = (words.get(..at).unwrap_or_default(), words.get(at + 1));
            // "Open the file and read it": the referent is in the request.
            let stands_before = before.iter().any(|word| is_in(NOUNS, word));
            let ends = next.is_none_or(|next| {
                matches!(next.as_str(), "again" | "too" | "for" | "in" | "with" | "but" | "instead")
            });
            !stands_before
                && match word.as_str() {
                    "it" | "them" => true,
                    "that" | "those" => ends || is_noun(next),
                    "same" => ends || next.is_some_and(|next| matches!(next.as_str(), "thing" | "one")),
                    // "Count the files again" is self-contained.
                    "again" => !words.iter().any(|word| is_in(NOUNS, word)),
                    "other" | "previous" => {
                        before.last().is_some_and(|word| word == "the") && (is_noun(next) || next.is_none())
                    }
                    "others" => before.last().is_some_and(|word| word == "the"),
                    _ => false,
                }
        })
}

/// Whether the request continues a sentence that was never begun: "and in docs?", "what about docs?"
fn goes_on(request: &str, words: &[String]) -> bool {
    const BEGINNINGS: [&str; 8] = ["in", "for", "with", "without", "from", "on", "of", "as"];
    let asks = request.trim_end().ends_with(['?', '？']);
    let mut words = words.iter().map(String::as_str);
    let count = words.len();
    match (words.next(), words.next()) {
        (Some("and"), Some(second)) if BEGINNINGS.contains(&second) => {
            asks && count <= 5 && !words.any(is_asked)
        }
        (Some("and"), Some("what")) => asks && count <= 6 && words.next() == Some("about"),
        (Some("what"), Some("about")) => asks && count <= 5,
        _ => false,
    }
}

/// Whether a word asks or commands by itself.
fn is_asked(word: &str) -> bool {
    const ASKING: [&str; 16] = [
        "how", "which", "who", "what", "where", "when", "is", "are", "find", "create", "write", "make",
        "search", "sum", "compute", "tell",
    ];
    ASKING.contains(&word) || VERBS.contains(&format!("|{word}|"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_points_at_nothing_is_asked_back() {
        for request in [
            "do it again",
            "Do it.",
            "again please",
            "The same for the other folder",
            "delete that file",
            "and in docs?",
            "And for the docs folder?",
            "what about docs?",
            "and what about the other folder?",
            "thanks, now do it again",
            "Could you open it, please?",
            "do the same in the other folder",
            "rename those files",
            "undo that",
            "open the other one",
            "try again",
            "once more",
            "Noch einmal, bitte!",
            "encore une fois s’il te plaît",
            "Hazlo otra vez",
            "再来一次",
            "もう一度",
        ] {
            let question = question_about(request).unwrap_or_else(|| panic!("{request} is not asked back"));
            assert!(question != ENGLISH.what && question.chars().count() <= 300, "{request}: {question}");
        }
        assert_eq!(question_about("noch einmal"), Some(OTHERS[0].which), "in the language of the request");
    }

    #[test]
    fn what_says_nothing_is_asked_back() {
        for request in ["help", "Help me, please!", "please", "ok", "hello", "go on", "do something"] {
            assert_eq!(question_about(request), Some(ENGLISH.what), "{request}");
        }
        assert_eq!(question_about("帮我"), Some(OTHERS[3].what));
    }

    #[test]
    fn one_word_that_names_something_is_enough_to_go_ahead() {
        for request in [
            "Do it again for b.txt",
            "Count the files again",
            "Open the file list and print it",
            "Show me all files that change",
            "List the files in this folder",
            "Run it in docs",
            "List files that are larger than those in docs",
            "what time is it?",
            "Is it raining?",
            "what changed in git?",
            "Which is the largest file here?",
            "can you fix main.rs?",
            "Write \"do it again\" into a file",
            "Say hello",
            "help me rename the photos",
            "And in docs, list all that is new",
            "And how many are in docs?",
            "What about 3 files?",
            "Delete the other files in docs",
            "Find files of the same size",
            "Translate it is raining into German",
            "帮我数一数文件",
            "もう一度 docs を数えて",
            "Noch einmal alle Dateien in docs zählen",
        ] {
            assert_eq!(question_about(request), None, "{request}");
        }
    }
}
