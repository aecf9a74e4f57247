//! Invalid model files: a typed error that names the file, never a panic.

use artoo_llm_client::{ErrorKind, LlmClient, Request};
use artoo_llm_local::LocalModel;
use proptest::prelude::*;

use crate::tiny::{self, Tiny, engine_reason, options_for};

/// The error of loading a file of these bytes; `None` if it is usable.
fn load(bytes: &[u8]) -> Option<String> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("model.gguf");
    std::fs::write(&path, bytes).unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let model = LocalModel::new(options_for(&path));
    let error = runtime.block_on(model.complete(&Request::new("t", "", "x").with_max_tokens(1))).err()?;
    assert_eq!(error.kind(), ErrorKind::Infrastructure);
    let reason = engine_reason(error);
    assert!(reason.contains("model.gguf") || reason.contains("engine broke"), "{reason}");
    Some(reason)
}

#[test]
fn files_that_are_no_models() {
    for (bytes, word) in [
        (&b""[..], "cut short"),
        (b"GG", "cut short"),
        (b"PK\x03\x04 a zip", "GGUF"),
        (b"GGUF\x63\x00\x00\x00", "version"),
        (b"GGUF\x03\x00\x00\x00\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF", "entries"),
    ] {
        let reason = load(bytes).unwrap();
        assert!(reason.contains(word), "{reason}");
    }
}

#[test]
fn a_file_cut_anywhere_is_refused() {
    let whole = tiny::bytes();
    assert_eq!(load(&whole), None);
    for part in 1..20 {
        let cut = whole.len() * part / 20;
        assert!(load(&whole[..cut]).is_some(), "cut at {cut}");
    }
    assert!(load(&whole[..whole.len() - 1]).unwrap().contains("cut short"));
}

#[tokio::test]
async fn a_missing_file_names_itself_and_the_remedy_and_can_be_put_there_later() {
    let tiny = Tiny::new();
    let path = tiny.path();
    let bytes = std::fs::read(&path).unwrap();
    std::fs::remove_file(&path).unwrap();
    let model = tiny.model();
    let request = Request::new("t", "", "x").with_max_tokens(1);
    let error = model.complete(&request).await.unwrap_err();
    assert_eq!(error.remedy(), Some(artoo_types::Remedy::CheckModelFiles));
    let reason = engine_reason(error);
    assert!(reason.contains("tiny.gguf"), "{reason}");
    std::fs::write(&path, bytes).unwrap();
    model.complete(&request).await.unwrap();
}

#[tokio::test]
async fn a_folder_is_not_a_model() {
    let folder = tempfile::tempdir().unwrap();
    let model = LocalModel::new(options_for(folder.path()));
    let error = model.complete(&Request::new("t", "", "x")).await.unwrap_err();
    assert!(engine_reason(error).contains("cannot read"));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    /// Damage in the header is detected or harmless; damage in the weights gives noise. Neither ends the
    /// process.
    #[test]
    fn a_damaged_file_never_panics(places in prop::collection::vec((0usize..40_000, any::<u8>()), 1..8)) {
        let mut bytes = tiny::bytes();
        for (place, value) in places {
            let place = place % bytes.len();
            bytes[place] = value;
        }
        let _ = load(&bytes);
    }
}
