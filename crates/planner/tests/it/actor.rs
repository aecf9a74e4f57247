//! Tests of the actor on a real bus.

use std::{sync::Arc, time::Duration};

use artoo_bus::{Port, doubles::Scene};
use artoo_llm_client::{
    LlmClient, Request,
    doubles::{Answer, Expect, ScriptedModel},
};
use artoo_planner::{
    Asking, FailureContext, FolderListing, ListFolder, Listed, PlanContext, PlanError, Planner, Settings,
    Shortcuts, conformance, run,
};
use artoo_types::{
    ClarificationAnswered, DispatchManifest, FaultKind, MemoryReply, Message, MessageKind, OutcomeStatus,
    Plan, PlanDirective, Role, SubTaskId, SubTaskOutcome, UnmetCriterion, Workplace,
};
use async_trait::async_trait;
use uuid::Uuid;

use crate::fixtures::{answer, capable, changing, client, planner, question, scene, scripted};
use crate::plans::failure;

struct House {
    scene: Scene,
    perceiver: Port,
    memory: Port,
    dispatcher: Port,
    ggs: Port,
    actor: tokio::task::JoinHandle<()>,
}

impl House {
    fn new(planner: Arc<dyn Planner>, model: &Arc<ScriptedModel>) -> Self {
        Self::with_settings(planner, model, |settings| settings)
    }

    fn with_settings(
        planner: Arc<dyn Planner>,
        model: &Arc<ScriptedModel>,
        change: impl FnOnce(Settings) -> Settings,
    ) -> Self {
        let scene = scene();
        let port = |role| scene.bus.port(role).unwrap();
        let PlanContext { surroundings, inventory, .. } = conformance::context("x");
        let settings = Settings {
            folder: Arc::new(FolderListing::default()),
            workplace: Workplace::default(),
            person_present: false,
            shortcuts: Shortcuts::None,
            instructions: Arc::default(),
            resumed: Vec::new(),
            surroundings,
            inventory,
            asking: Asking::All,
            plan_deadline: Duration::from_secs(300),
            silence: artoo_llm_client::Silence::default(),
            report_deadline: Duration::from_secs(45),
        };
        let actor = tokio::spawn(run(port(Role::Planner), planner, client(model), change(settings)));
        let (perceiver, memory) = (port(Role::Perceiver), port(Role::SharedMemory));
        let (dispatcher, ggs) = (port(Role::Dispatcher), port(Role::Ggs));
        Self { perceiver, memory, dispatcher, ggs, scene, actor }
    }

    fn scripted(answers: Vec<Answer>) -> Self {
        Self::new(Arc::new(planner()), &scripted(answers))
    }

    /// Runs the actor until it is idle, and returns the messages it published.
    async fn said(&mut self) -> Vec<Message> {
        // Time is paused: it advances only when nothing else can run.
        tokio::time::sleep(Duration::from_secs(600)).await;
        self.scene.said_by(Role::Planner)
    }

    async fn replied(&mut self) -> Vec<Message> {
        self.memory.publish(reply()).unwrap();
        self.said().await
    }

    /// Publishes the ids and the outcomes of a plan's subtasks.
    fn ran(&self, plan: &Plan, outcomes: &[SubTaskOutcome]) {
        let manifest = DispatchManifest {
            task_criteria: plan.task_criteria.clone(),
            ..DispatchManifest::new(
                plan.task_id.clone(),
                plan.round,
                outcomes.iter().map(|outcome| outcome.subtask_id).collect(),
            )
        };
        self.dispatcher.publish(manifest).unwrap();
        for outcome in outcomes {
            self.dispatcher.publish(outcome.clone()).unwrap();
        }
    }

    async fn close(self) {
        self.scene.bus.close();
        self.actor.await.unwrap();
    }
}

fn reply() -> MemoryReply {
    conformance::context("Count the files").memory
}

fn directive(round: u32) -> PlanDirective {
    let cx = conformance::replanning("Count the files", &[], &["Count"]);
    PlanDirective { round, ..cx.previous.unwrap().directive }
}

fn kinds(said: &[Message]) -> Vec<MessageKind> {
    said.iter().map(Message::kind).collect()
}

fn plans(said: &[Message]) -> Vec<Plan> {
    let plan = |message: &Message| if let Message::Plan(plan) = message { Some(plan.clone()) } else { None };
    said.iter().filter_map(plan).collect()
}

#[tokio::test(start_paused = true)]
async fn memory_is_asked_before_every_plan() {
    let mut house = House::scripted(vec![answer(&question("Count the files in docs"))]);
    house.perceiver.publish(conformance::task("How many files are in docs?")).unwrap();
    let said = house.said().await;
    let [Message::MemoryQuery(query)] = said.as_slice() else { panic!("{said:?}") };
    assert_eq!(query.pairs[0].space, artoo_types::Space::intent("How many files are in docs?"));
    let said = house.replied().await;
    assert_eq!(kinds(&said), [MessageKind::ModelCall, MessageKind::Plan]);
    assert_eq!(plans(&said)[0].round, 1);
    house.close().await;
}

fn needs_person() -> Answer {
    Answer::json(serde_json::json!({"subtasks": [], "ask": "Which?", "give_up": null}))
}

fn user_is_there(settings: Settings) -> Settings {
    Settings { person_present: true, ..settings }
}

/// A question of the planner was refused ("plan the work with a step that asks them"), which cost a repair and
/// a turn of the executor.
#[tokio::test(start_paused = true)]
async fn a_question_goes_to_the_user_at_once() {
    let model = capable(vec![needs_person(), answer(&question("Rename the report of May"))]);
    let mut house = House::with_settings(Arc::new(planner()), &model, user_is_there);
    let user = house.scene.bus.port(Role::User).unwrap();
    house.perceiver.publish(conformance::task("Rename the report")).unwrap();
    house.said().await;
    let said = house.replied().await;
    let [Message::ModelCall(_), Message::ClarificationRequested(asked)] = said.as_slice() else {
        panic!("{said:?}")
    };
    assert_eq!(
        (asked.round, asked.subtask_id, asked.questions.as_slice()),
        (1, None, &["Which?".to_owned()][..])
    );
    user.publish(ClarificationAnswered { round: 1, subtask_id: None, answer: "the one of May".into() })
        .unwrap();
    assert_eq!(plans(&house.said().await).iter().map(|plan| plan.round).collect::<Vec<_>>(), [1]);
    let asked = model.requests();
    let prompt = asked.last().unwrap().messages.last().unwrap().content.clone();
    assert!(prompt.contains("Question: Which? Answer: the one of May"), "{prompt}");
    house.close().await;
}

/// Whoever asks for ever is not answered for ever; and where nobody is there, the run ends with the question.
#[tokio::test(start_paused = true)]
async fn questions_are_bounded_and_need_a_user() {
    let model = capable(vec![needs_person(), needs_person(), needs_person()]);
    let mut house = House::with_settings(Arc::new(planner()), &model, user_is_there);
    let user = house.scene.bus.port(Role::User).unwrap();
    house.perceiver.publish(conformance::task("Rename the report")).unwrap();
    house.said().await;
    let mut said = house.replied().await;
    for round in 1..=2 {
        assert!(
            matches!(said.last(), Some(Message::ClarificationRequested(asked)) if asked.round == round),
            "{said:?}"
        );
        user.publish(ClarificationAnswered { round, subtask_id: None, answer: "either".into() }).unwrap();
        said = house.said().await;
    }
    let needs = |message: Option<&Message>| matches!(message, Some(Message::Fault(fault)) if fault.kind == FaultKind::NeedsPerson);
    assert!(needs(said.last()), "{said:?}");
    house.close().await;

    let mut alone = House::new(Arc::new(planner()), &capable(vec![needs_person()]));
    alone.perceiver.publish(conformance::task("Rename the report")).unwrap();
    alone.said().await;
    assert!(needs(alone.replied().await.last()));
    alone.close().await;
}

fn may_answer(settings: Settings) -> Settings {
    Settings { shortcuts: Shortcuts::DirectAnswer, ..settings }
}

/// Where a request is never answered without work is the actor's rule: it holds for every planner.
#[tokio::test(start_paused = true)]
async fn an_answer_without_work_is_held_to_the_facts() {
    struct Answers;
    #[async_trait]
    impl Planner for Answers {
        async fn plan(&self, _: &PlanContext, _: &Arc<dyn LlmClient>) -> Result<Plan, PlanError> {
            Err(PlanError::Answered("42".to_owned()))
        }
        async fn failure_report(
            &self,
            _: &FailureContext,
            _: &Arc<dyn LlmClient>,
        ) -> Result<String, PlanError> {
            Ok(String::new())
        }
    }
    for (request, change, allowed) in [
        ("What does BOM mean?", may_answer as fn(Settings) -> Settings, true),
        ("What does BOM mean?", |settings| settings, false),
        ("What does notes.md say?", may_answer, false),
    ] {
        let mut house = House::with_settings(Arc::new(Answers), &capable(Vec::new()), change);
        house.perceiver.publish(conformance::task(request)).unwrap();
        house.said().await;
        let said = house.replied().await;
        match said.as_slice() {
            [Message::DirectAnswer(answer)] => assert!(allowed && answer.text == "42", "{request}"),
            [Message::Fault(fault)] => assert!(!allowed && fault.kind == FaultKind::Answer, "{request}"),
            _ => panic!("{said:?}"),
        }
        house.close().await;
    }
}

/// The folder as it was at the start of the run was shown before each plan, with files that the run had
/// deleted.
#[tokio::test(start_paused = true)]
async fn the_folder_is_listed_before_each_plan() {
    struct Counting(std::sync::atomic::AtomicU64);
    #[async_trait]
    impl ListFolder for Counting {
        async fn list(&self) -> FolderListing {
            let count = self.0.fetch_add(1, std::sync::atomic::Ordering::SeqCst);
            let listed = vec![Listed { path: format!("file{count}.txt"), bytes: Some(1) }];
            FolderListing { listed, has_more: false, repository: None }
        }
    }
    let model = capable(vec![answer(&question("Count them")), answer(&question("Look again"))]);
    let folder = Arc::new(Counting(std::sync::atomic::AtomicU64::new(0)));
    let mut house =
        House::with_settings(Arc::new(planner()), &model, |settings| Settings { folder, ..settings });
    house.perceiver.publish(conformance::task("How many files are there?")).unwrap();
    house.said().await;
    house.replied().await;
    house.ggs.publish(directive(1)).unwrap();
    house.said().await;
    house.replied().await;
    let prompts: Vec<String> =
        model.requests().iter().map(|request| request.messages.last().unwrap().content.clone()).collect();
    for (at, prompt) in prompts.iter().enumerate() {
        assert!(prompt.contains(&format!("file{at}.txt")), "{prompt}");
    }
    assert_eq!(prompts.len(), 2);
    house.close().await;
}

/// Lessons 13 and 27: a duplicate or unsolicited message makes no second plan.
#[tokio::test(start_paused = true)]
async fn lesson_13_duplicates_make_no_second_plan() {
    let once = || answer(&question("Count the files in docs"));
    let mut house = House::scripted(vec![once(), answer(&question("Look again"))]);
    assert_eq!(house.replied().await, [], "memory speaks before there is a task");
    for _ in 0..2 {
        house.perceiver.publish(conformance::task("How many files are in docs?")).unwrap();
    }
    assert_eq!(kinds(&house.said().await), [MessageKind::MemoryQuery]);
    assert_eq!(plans(&house.replied().await).len(), 1);
    assert_eq!(house.replied().await, []);
    for _ in 0..2 {
        house.ggs.publish(directive(1)).unwrap();
    }
    assert_eq!(kinds(&house.said().await), [MessageKind::MemoryQuery]);
    assert_eq!(plans(&house.replied().await)[0].round, 2);
    // After the plan it is a duplicate, and R7 is told so: it used to wait out the deadline of a plan that
    // did not come.
    house.ggs.publish(directive(1)).unwrap();
    let said = house.said().await;
    let [Message::Fault(fault)] = said.as_slice() else { panic!("{said:?}") };
    assert_eq!(fault.message, "the directive of round 1 came again, after it was planned");
    house.close().await;
}

/// Lesson N10: the next plan keeps what matched, with ids from the manifest, despite duplicates.
#[tokio::test(start_paused = true)]
async fn lesson_n10_a_replan_builds_on_the_plan_before() {
    let first = crate::fixtures::draft(&[
        ("Count the files", 1, artoo_types::StepKind::FindOut),
        ("Find the largest", 1, artoo_types::StepKind::FindOut),
    ]);
    let mut house = House::scripted(vec![answer(&first), answer(&question("Look for the largest"))]);
    let cx = conformance::replanning("Count and find", &["Count the files"], &["Find the largest"]);
    house.perceiver.publish(cx.spec.clone()).unwrap();
    house.said().await;
    let plan = plans(&house.replied().await).remove(0);
    let outcomes = cx.previous.unwrap().outcomes;
    let ids: Vec<SubTaskId> = outcomes.iter().map(|outcome| outcome.subtask_id).collect();
    house.ran(&plan, &outcomes);
    // The first outcome counts: a second outcome does not turn a failure into a match.
    house
        .dispatcher
        .publish(SubTaskOutcome { status: OutcomeStatus::Matched, ..outcomes[1].clone() })
        .unwrap();
    house.ggs.publish(directive(1)).unwrap();
    house.said().await;
    let second = plans(&house.replied().await).remove(0);
    assert_eq!((second.round, second.kept), (2, vec![ids[0]]));
    assert_eq!(second.subtasks[0].intent, "Look for the largest");
    house.close().await;
}

/// Both steps matched, and R4b found that together they leave something out. The model is told what, and its
/// new step depends on both.
#[tokio::test(start_paused = true)]
async fn a_replan_is_told_what_of_the_whole_task_is_not_met() {
    let steps = ["Count the files", "Find the largest"];
    let first = crate::fixtures::draft(&steps.map(|step| (step, 1, artoo_types::StepKind::FindOut)));
    let model = scripted(vec![answer(&first), answer(&question("Say how large it is"))]);
    let mut house = House::new(Arc::new(planner()), &model);
    let cx = conformance::replanning("Count the files and say how large the largest is", &steps, &[]);
    house.perceiver.publish(cx.spec.clone()).unwrap();
    house.said().await;
    let plan = plans(&house.replied().await).remove(0);
    let outcomes = cx.previous.unwrap().outcomes;
    house.ran(&plan, &outcomes);
    let unmet = UnmetCriterion {
        criterion: "The request is met".to_owned(),
        mode: artoo_types::Mode::Plausible,
        subtask_id: None,
        reason: "no size is given".to_owned(),
    };
    house.ggs.publish(PlanDirective { unmet: vec![unmet], ..directive(1) }).unwrap();
    house.said().await;
    let second = plans(&house.replied().await).remove(0);
    let ids: Vec<SubTaskId> = outcomes.iter().map(|outcome| outcome.subtask_id).collect();
    assert_eq!((second.kept, second.subtasks[0].intent.as_str()), (ids, "Say how large it is"));
    let [_, sent] = model.requests().try_into().unwrap();
    let sent = changing(&sent.messages);
    let told = "Not met by the results together: The request is met\n\
                <<<data: tool output\nno size is given\ndata>>>\n";
    assert!(sent.contains(told), "{sent}");
    let done = "Done, and kept with its output: Count the files\n<<<data: subtask result\n3\ndata>>>\n";
    assert!(sent.contains(done), "{sent}");
    assert!(
        sent.contains("Plan new steps that meet what is not met.") && !sent.contains("do not plan it again")
    );
    house.close().await;
}

/// Lesson 98: planning failed and the task hung.
#[tokio::test(start_paused = true)]
async fn lesson_98_a_plan_that_cannot_be_made_is_a_fault() {
    let prose = || Answer::text("I would rather chat.");
    let mut house = House::scripted(vec![prose(), prose()]);
    house.perceiver.publish(conformance::task("How many files?")).unwrap();
    house.said().await;
    let said = house.replied().await;
    let Some(Message::Fault(fault)) = said.last() else { panic!("{said:?}") };
    assert_eq!((fault.role, fault.kind), (Role::Planner, FaultKind::Answer));
    house.close().await;
}

/// A third-party planner with one defect.
struct Foreign(&'static str);

#[async_trait]
impl Planner for Foreign {
    async fn plan(&self, cx: &PlanContext, model: &Arc<dyn LlmClient>) -> Result<Plan, PlanError> {
        assert_ne!(self.0, "panics", "as planned");
        if self.0 == "asks for ever" {
            loop {
                // Each call shows the supervisor that the planner is alive.
                tokio::time::sleep(Duration::from_secs(20)).await;
                model.complete(&Request::new("planner", "", "And now?")).await.unwrap();
            }
        }
        let kept = vec![SubTaskId::new(Uuid::from_u128(77))];
        let task_id = cx.spec.task_id.clone();
        Ok(Plan { kept, ..Plan::new(task_id, 1, Vec::new()) })
    }

    async fn failure_report(&self, _: &FailureContext, _: &Arc<dyn LlmClient>) -> Result<String, PlanError> {
        match self.0 {
            "hangs" => std::future::pending().await,
            "panics" => panic!("as planned"),
            _ => Ok("  ".to_owned()),
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_foreign_planner_is_held_to_the_rules() {
    let mut house = House::new(Arc::new(Foreign("lazy")), &scripted(vec![]));
    house.perceiver.publish(conformance::task("How many files?")).unwrap();
    house.said().await;
    let said = house.replied().await;
    let [Message::Fault(fault)] = said.as_slice() else { panic!("{said:?}") };
    assert_eq!(fault.kind, FaultKind::Answer);
    house.close().await;
}

/// Every call of its model renews the supervisor's deadline, so a planner could ask for ever. Eight renew its own.
#[tokio::test(start_paused = true)]
async fn a_planner_that_asks_for_ever_is_ended() {
    let model = Arc::new(ScriptedModel::new().always(Expect::any(), Answer::text("Go on.")));
    let mut house = House::new(Arc::new(Foreign("asks for ever")), &model);
    house.perceiver.publish(conformance::task("How many files?")).unwrap();
    house.said().await;
    let said = house.replied().await;
    let Some(Message::Fault(fault)) = said.last() else { panic!("{said:?}") };
    assert_eq!((fault.role, fault.kind), (Role::Planner, FaultKind::Deadline));
    assert_eq!(fault.message, "there is no plan after 300 s");
    assert!((18..=23).contains(&model.requests().len()), "{}", model.requests().len());
    assert_eq!(house.said().await, [], "nothing goes on behind it");
    house.close().await;
}

/// The supervisor watches for the end of the actor: a panic must reach it.
#[tokio::test(start_paused = true)]
async fn a_panic_while_planning_ends_the_actor_for_the_supervisor_to_see() {
    let mut house = House::new(Arc::new(Foreign("panics")), &scripted(vec![]));
    house.perceiver.publish(conformance::task("How many files?")).unwrap();
    house.said().await;
    house.replied().await;
    assert!(house.actor.await.unwrap_err().is_panic());
}

/// Fact 3 and lesson 47: a failure is always reported; by code alone if the behaviour fails.
#[tokio::test(start_paused = true)]
async fn lesson_47_a_failure_is_told_in_any_case() {
    let FailureContext { spec, request, .. } = failure();
    for way in ["hangs", "panics", "blank"] {
        let mut house = House::new(Arc::new(Foreign(way)), &scripted(vec![]));
        house.perceiver.publish(spec.clone()).unwrap();
        house.said().await;
        house.ggs.publish(request.clone()).unwrap();
        let said = house.said().await;
        let [Message::FailureReport(report)] = said.as_slice() else { panic!("{way}: {said:?}") };
        assert_eq!(report.text.trim(), "", "{way}");
        house.close().await;
    }
    let model = capable(vec![Answer::json(serde_json::json!({"next": "say_which"}))]);
    let mut house = House::new(Arc::new(planner()), &model);
    house.perceiver.publish(spec).unwrap();
    house.said().await;
    house.ggs.publish(request).unwrap();
    let said = house.said().await;
    assert!(
        matches!(said.last(), Some(Message::FailureReport(report)) if report.text == "say which one is meant")
    );
    house.close().await;
}

#[tokio::test]
async fn the_suite_finds_planners_that_break_the_contract() {
    let model = client(&scripted(vec![]));
    assert!(conformance::plans_what_can_be_run(&Foreign("lazy"), &model).await.is_err());
    assert!(conformance::keeps_what_matched(&Foreign("lazy"), &model).await.is_err());
}
