//! Replaces one section of a document.

/// The document with this section, which begins with its second-level heading, in place of the one with the
/// same heading; at the end if there was none.
pub(super) fn replaced(document: &str, section: &str) -> String {
    let mut sections = vec![String::new()];
    for line in document.split_inclusive('\n') {
        match sections.last_mut() {
            Some(open) if !line.starts_with("## ") => open.push_str(line),
            Some(_) | None => sections.push(line.to_owned()),
        }
    }
    let heading = section.lines().next();
    match sections.iter_mut().find(|old| heading.is_some() && old.lines().next() == heading) {
        Some(old) => section.clone_into(old),
        None => sections.push(section.to_owned()),
    }
    let there: Vec<&str> =
        sections.iter().map(|text| text.trim_end()).filter(|text| !text.is_empty()).collect();
    format!("{}\n", there.join("\n\n"))
}

#[cfg(test)]
mod tests {
    use super::replaced;

    #[test]
    fn one_section_is_written_anew_and_the_rest_stays() {
        let old = "# All\n\ntext\n\n## A\n\nold\n\n### of A\n\n## B\n\n数\n";
        assert_eq!(replaced(old, "## A\n\nnew\n"), "# All\n\ntext\n\n## A\n\nnew\n\n## B\n\n数\n");
        assert_eq!(replaced(old, "## B\n\nnew"), "# All\n\ntext\n\n## A\n\nold\n\n### of A\n\n## B\n\nnew\n");
        assert_eq!(replaced("# All\n\n## AB\n", "## A\n\nnew"), "# All\n\n## AB\n\n## A\n\nnew\n");
        assert_eq!(replaced("", "## A\n"), "## A\n");
    }
}
