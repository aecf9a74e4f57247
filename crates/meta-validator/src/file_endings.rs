//! Names that can only be those of files.

/// Endings of ordinary files. Those that products and hosts have as well (`Node.js`, `example.com`) are left out.
const ENDINGS: [&str; 64] = [
    "7z", "bak", "bib", "bin", "bmp", "bz2", "c", "cfg", "conf", "cpp", "css", "csv", "dat", "db", "doc",
    "docx", "eml", "epub", "gif", "go", "gz", "h", "htm", "html", "ics", "ini", "ipynb", "jpeg", "jpg",
    "json", "jsonl", "lock", "log", "md", "mp3", "mp4", "odt", "ogg", "out", "patch", "pdf", "png", "pptx",
    "py", "rst", "rtf", "sql", "sqlite", "srt", "svg", "tar", "tex", "tgz", "toml", "tsv", "txt", "vcf",
    "wav", "webp", "xls", "xlsx", "xml", "yaml", "yml",
];

/// Whether a path has the ending of an ordinary file. One that begins with the name of a host or holds an address is none.
pub(crate) fn is_file_name(path: &str) -> bool {
    let path = path.trim_start_matches("./");
    let mut parts = path.split('/');
    let is_host = |part: &str| part.contains('.') && !part.starts_with('.');
    let begins_with_a_host = path.contains('/') && parts.next().is_some_and(is_host);
    let ending = path.rsplit_once('.').map(|(_, ending)| ending.to_lowercase());
    !begins_with_a_host
        && !path.contains(['@', ':'])
        && ending.is_some_and(|ending| ENDINGS.contains(&ending.as_str()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn endings_are_in_order_and_tell_files_from_hosts_and_products() {
        assert!(ENDINGS.is_sorted());
        for file in ["a.txt", "docs/A.PDF", "./x.tar.gz", "/tmp/x.json", ".hidden/x.md", "../up.csv"] {
            assert!(is_file_name(file), "{file}");
        }
        for other in [
            "Node.js",
            "example.com",
            "example.com/index.html",
            "a@b.txt",
            "https://a.b/c.txt",
            "v1.0",
            "txt",
        ] {
            assert!(!is_file_name(other), "{other}");
        }
    }
}
