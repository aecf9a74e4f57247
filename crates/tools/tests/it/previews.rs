//! Commands with unknown effects: tried over layers, then asked about or made real.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use artoo_consent::{Answer, Consent, ProposedEffects, Question, Rule, Rules};
use artoo_sandbox::preview::Preview;
use artoo_shell_effects::Permission;
use artoo_types::{Approval, CallEnding, EffectKind, FailureClass, FileChangeKind, ToolCall};
use async_trait::async_trait;
use serde_json::json;

use crate::fixture::{Scene, failed, shown};

/// [`Consent`] with a fixed answer, which records the questions.
struct Person {
    answer: Answer,
    approval: Approval,
    /// The foreign words that the calls contain.
    foreign: Option<&'static str>,
    asked: Mutex<Vec<Question>>,
    rules: Rules,
}

#[async_trait]
impl Consent for Person {
    fn approval(&self) -> Approval {
        self.approval
    }

    fn foreign_words(&self, _: ProposedEffects<'_>) -> Option<String> {
        self.foreign.map(str::to_owned)
    }

    fn rules(&self) -> Rules {
        self.rules.clone()
    }

    async fn ask(&self, question: Question) -> Answer {
        self.asked.lock().unwrap().push(question);
        self.answer.clone()
    }
}

impl Person {
    fn heard(&self) -> Vec<Question> {
        std::mem::take(&mut *self.asked.lock().unwrap())
    }
}

/// A scene with a store for previews; `None`, with a notice, if previews are not supported.
fn scene(answer: Answer, approval: Approval) -> Option<(Scene, Arc<Person>)> {
    scene_with(answer, approval, None, |_| Rules::default())
}

/// Like `scene`, with these rules, for a workspace.
fn ruled(
    answer: Answer,
    approval: Approval,
    rules: impl FnOnce(&Path) -> Rules,
) -> Option<(Scene, Arc<Person>)> {
    scene_with(answer, approval, None, rules)
}

fn scene_with(
    answer: Answer,
    approval: Approval,
    foreign: Option<&'static str>,
    rules: impl FnOnce(&Path) -> Rules,
) -> Option<(Scene, Arc<Person>)> {
    let mut scene = Scene::new();
    fs::create_dir_all(&scene.cx.workspace).unwrap();
    let store = scene.data.join("layers");
    if let Err(reason) = Preview::supported(&store) {
        artoo_test_needs::skip(artoo_test_needs::Ability::Overlays, reason);
        return None;
    }
    let rules = rules(&scene.cx.workspace);
    let person = Arc::new(Person { answer, approval, foreign, asked: Mutex::default(), rules });
    scene.cx.consent = Arc::clone(&person) as Arc<dyn Consent>;
    Some((scene, person))
}

fn no() -> Answer {
    Answer::No { reason: "not this".to_owned() }
}

/// Python code, whose effects are not read from its text.
async fn python(scene: &Scene, code: &str) -> ToolCall {
    let command = format!("python3 -c \"import os; w = os.environ['WORKSPACE']; {code}\"");
    scene.call("shell", json!({ "command": command })).await
}

fn in_workspace(scene: &Scene, name: &str) -> PathBuf {
    scene.cx.workspace.canonicalize().unwrap().join(name)
}

#[tokio::test]
async fn what_only_makes_new_files_is_made_real_without_a_question() {
    let Some((scene, person)) = scene(no(), Approval::Auto) else { return };
    let call =
        python(&scene, "open(w + '/new.txt', 'w').write('1'); open('here.txt', 'w').write('2'); print(3)")
            .await;
    assert_eq!(shown(&call), "3\n");
    assert_eq!(person.heard(), []);
    let made: Vec<_> = call.files.iter().map(|file| (file.path.clone(), file.change)).collect();
    let here = scene.cx.working_folder.canonicalize().unwrap().join("here.txt");
    assert!(made.contains(&(in_workspace(&scene, "new.txt"), FileChangeKind::Created)), "{made:?}");
    assert!(made.contains(&(here.clone(), FileChangeKind::Created)), "{made:?}");
    assert_eq!(fs::read_to_string(&here).unwrap(), "2");
    // From now on it is the run's own.
    shown(&python(&scene, "os.chmod(w + '/new.txt', 0o600); os.rename('here.txt', 'there.txt')").await);
    shown(&python(&scene, "open(w + '/new.txt', 'a').write('more'); os.remove('there.txt')").await);
    assert_eq!(person.heard(), []);
    assert_eq!(fs::read_to_string(in_workspace(&scene, "new.txt")).unwrap(), "1more");
    assert!(!here.exists() && !here.with_file_name("there.txt").exists());
}

#[tokio::test]
async fn what_it_would_change_is_the_question() {
    for (answer, is_done) in [(no(), false), (Answer::Yes, true)] {
        let Some((scene, person)) = scene(answer, Approval::Auto) else { return };
        let (gone, old) = (in_workspace(&scene, "gone.txt"), scene.file("old.txt", "one\ntwo\n"));
        fs::write(&gone, "a year's work").unwrap();
        let code = "os.remove(w + '/gone.txt'); open('old.txt', 'w').write('one\\n2\\n'); open(w + '/new.txt', 'w').close(); print(1)";
        let call = python(&scene, code).await;
        let [question] = person.heard().try_into().unwrap();
        let kinds: Vec<EffectKind> = question.effects.iter().map(|effect| effect.kind).collect();
        assert_eq!(question.rule, "consent-to-change");
        assert!(
            kinds.contains(&EffectKind::Deletes) && kinds.contains(&EffectKind::Overwrites),
            "{question:#?}"
        );
        assert_eq!((kinds.len(), question.changes.len()), (2, 3), "{question:#?}");
        let diff: Vec<_> = question.changes.iter().filter_map(|change| change.diff.as_deref()).collect();
        assert!(diff.iter().any(|diff| diff.contains("-two") && diff.contains("+2")), "{diff:?}");
        assert_eq!((gone.exists(), in_workspace(&scene, "new.txt").exists()), (!is_done, is_done));
        assert_eq!(fs::read_to_string(&old).unwrap() == "one\n2\n", is_done);
        if is_done {
            assert_eq!(shown(&call), "1\n");
        } else {
            assert_eq!((call.ending.clone(), call.output.bytes), (CallEnding::Refused, 0));
            assert!(failed(&call, FailureClass::Denied).reason.contains("it would"), "{call:?}");
        }
    }
}

/// A trial that fails by itself is not asked about: it fails as it would have.
#[tokio::test]
async fn what_changes_nothing_is_no_question() {
    let Some((scene, person)) = scene(no(), Approval::Ask) else { return };
    let outside = scene.outside.join("x");
    let call = python(&scene, &format!("open('{}', 'w')", outside.display())).await;
    failed(&call, FailureClass::Environmental);
    assert_eq!(shown(&python(&scene, "print(sum(range(10)))").await), "45\n");
    assert_eq!((person.heard(), outside.exists()), (Vec::new(), false));
}

/// The changes of a failed command may be half of its work, so they are not asked about.
#[tokio::test]
async fn half_of_a_change_is_no_question_and_is_not_made() {
    let Some((scene, person)) = scene(Answer::Yes, Approval::Auto) else { return };
    let old = in_workspace(&scene, "old.txt");
    fs::write(&old, "a year's work").unwrap();
    let call = python(&scene, "os.remove(w + '/old.txt'); print(1); raise SystemExit(3)").await;
    assert_eq!((&call.ending, call.output.shown.as_str()), (&CallEnding::Exited { status: 3 }, "1\n"));
    let failure = failed(&call, FailureClass::Unknown);
    assert!(failure.reason.ends_with("so nothing was changed)"), "{failure:?}");
    assert_eq!((person.heard(), call.files.len(), old.exists()), (Vec::new(), 0, true));
}

#[tokio::test]
async fn new_files_are_asked_about_where_the_user_wants_it() {
    let Some((scene, person)) = scene(no(), Approval::Ask) else { return };
    failed(&python(&scene, "open(w + '/new.txt', 'w').close()").await, FailureClass::Denied);
    let [question] = person.heard().try_into().unwrap();
    assert_eq!(
        (question.rule.as_str(), question.effects[0].kind),
        ("ask-before-every-change", EffectKind::Creates)
    );
    assert!(!in_workspace(&scene, "new.txt").exists());
}

/// Whose words are in a command says nothing about a new file that lies there and does nothing; a link that leads
/// out of the folder to a place that a page or a file named is asked about.
#[tokio::test]
async fn words_of_others_make_files_but_no_links_that_lead_out_unasked() {
    let foreign = Some("`/etc/passwd` in it came from a file, not from you");
    let Some((scene, person)) = scene_with(no(), Approval::Auto, foreign, |_| Rules::default()) else {
        return;
    };
    shown(&python(&scene, "open('release.sh', 'w').write('/etc/passwd')").await);
    shown(&python(&scene, "os.symlink('release.sh', 'r')").await);
    assert_eq!((person.heard(), scene.cx.working_folder.join("r").is_symlink()), (Vec::new(), true));
    for target in ["/etc/passwd", "../../../../../../etc/passwd"] {
        failed(&python(&scene, &format!("os.symlink('{target}', 'out')")).await, FailureClass::Denied);
        let [question] = person.heard().try_into().unwrap();
        assert_eq!((question.rule.as_str(), question.effects.len()), ("foreign-words", 1));
        assert!(!scene.cx.working_folder.join("out").is_symlink());
    }
    let Some((scene, person)) = scene_with(no(), Approval::Auto, None, |_| Rules::default()) else { return };
    shown(&python(&scene, "os.symlink('/etc/passwd', 'out')").await);
    assert_eq!((person.heard(), scene.cx.working_folder.join("out").is_symlink()), (Vec::new(), true));
}

#[tokio::test]
async fn nobodys_yes_makes_a_hook_real() {
    let Some((scene, person)) = scene(Answer::Yes, Approval::Auto) else { return };
    scene.file(".git/config", "");
    let call =
        python(&scene, "os.makedirs('.git/hooks'); open('.git/hooks/post-checkout', 'w').write('x')").await;
    assert_eq!(call.ending, CallEnding::Refused, "{call:?}");
    failed(&call, FailureClass::Forbidden);
    assert_eq!(person.heard(), []);
    assert!(!scene.cx.working_folder.join(".git/hooks").exists());
}

fn one_rule(decision: Permission, kind: EffectKind, path: Option<String>, example: &str) -> Rules {
    let rule = Rule {
        decision,
        effects: [kind].into(),
        programs: Vec::new(),
        paths: path.into_iter().collect(),
        reason: "it is so".to_owned(),
        matches: vec![example.to_owned()],
        spares: vec!["ls".to_owned()],
    };
    Rules::read("/nowhere/policy.toml".into(), vec![rule], Path::new("/home/nobody-here")).unwrap()
}

#[tokio::test]
async fn a_rule_denies_what_only_the_trial_shows() {
    let kept = |workspace: &Path| {
        let path = workspace.join("kept/**").display().to_string();
        let example = format!("rm {}", workspace.join("kept/x").display());
        one_rule(Permission::Deny, EffectKind::Deletes, Some(path), &example)
    };
    let Some((scene, person)) = ruled(Answer::Yes, Approval::Auto, kept) else { return };
    fs::create_dir(in_workspace(&scene, "kept")).unwrap();
    fs::write(in_workspace(&scene, "kept/x"), "1").unwrap();
    fs::write(in_workspace(&scene, "other"), "1").unwrap();
    let call = python(&scene, "os.remove(w + '/kept/x')").await;
    let said = failed(&call, FailureClass::Denied).reason.clone();
    assert_eq!(said, "refused: rule 1 of policy.toml: it is so");
    assert_eq!(person.heard(), []);
    assert!(in_workspace(&scene, "kept/x").exists());
    // What the rule does not cover is asked about as usual.
    shown(&python(&scene, "os.remove(w + '/other')").await);
    assert_eq!(person.heard().len(), 1);
}

#[tokio::test]
async fn a_rule_that_asks_is_not_answered_by_a_trial() {
    let asks = |_: &Path| one_rule(Permission::Ask, EffectKind::Unknown, None, "./x.sh");
    let Some((scene, person)) = ruled(Answer::Yes, Approval::Auto, asks) else { return };
    shown(&python(&scene, "os.system('true')").await);
    shown(&python(&scene, "open(w + '/new.txt', 'w')").await);
    let rules: Vec<String> = person.heard().into_iter().map(|question| question.rule).collect();
    assert_eq!(rules, ["policy-rule-1", "policy-rule-1"]);
}

/// A rename is one change; a rename over another file is a removal of the one and a change of the other.
#[tokio::test]
async fn a_rename_is_told_as_one_and_what_goes_over_a_file_as_two() {
    let Some((scene, person)) = scene(no(), Approval::Auto) else { return };
    for (name, content) in [("a", "1"), ("b", "2"), ("c", "3")] {
        scene.file(name, content);
    }
    scene.call("shell", json!({ "command": "mv a a2; mv b c" })).await;
    let [question] = person.heard().try_into().unwrap();
    let told: Vec<_> =
        question.changes.iter().map(|one| (one.path.file_name().unwrap().to_owned(), one.change)).collect();
    use artoo_types::PreviewedKind::{Changed, Deleted, Renamed};
    assert_eq!(told, [("a2".into(), Renamed), ("b".into(), Deleted), ("c".into(), Changed)]);
    assert_eq!(question.effects.len(), 3, "{question:#?}");
}
