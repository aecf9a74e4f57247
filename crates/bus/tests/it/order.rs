//! Tests that all receivers see the same order under any interleaving.

use std::sync::{Arc, Barrier};

use artoo_types::{Envelope, Message, MessageKind, Role};
use proptest::prelude::*;

use crate::fixtures::{run, sample, task_spec};

/// Messages that several threads publish at once reach every mailbox in one order, complete and without gaps,
/// with each thread's own messages in their own order.
#[test]
fn concurrent_publishers_give_one_order() {
    const THREADS: usize = 4;
    const EACH: usize = 2_000;
    let run = run();
    let mut observer = run.observe(THREADS * EACH);
    let perceiver = run.port(Role::Perceiver).unwrap();
    let receivers = [Role::Planner, Role::Ggs, Role::Dispatcher];
    let mut ports = receivers.map(|role| run.port(role).unwrap());
    let barrier = Arc::new(Barrier::new(THREADS));
    let threads: Vec<_> = (0..THREADS)
        .map(|thread| {
            let (sender, barrier) = (perceiver.sender(), barrier.clone());
            std::thread::spawn(move || {
                barrier.wait();
                (0..EACH)
                    .map(|n| sender.publish(task_spec(&format!("{thread} {n}"))).unwrap())
                    .collect::<Vec<_>>()
            })
        })
        .collect();
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    // Received during publishing, not after.
    let received: Vec<Vec<Arc<Envelope>>> = runtime.block_on(async {
        let mut all = Vec::new();
        for port in &mut ports {
            let mut one = Vec::new();
            while one.len() < THREADS * EACH {
                one.push(port.recv().await.unwrap());
            }
            all.push(one);
        }
        all
    });
    let numbers: Vec<Vec<u64>> = threads.into_iter().map(|thread| thread.join().unwrap()).collect();
    assert!(numbers.iter().all(|own| own.is_sorted()), "a publisher's own order is kept");
    for one in &received {
        let seqs: Vec<_> = one.iter().map(|envelope| envelope.seq).collect();
        assert_eq!(seqs, (1..=(THREADS * EACH) as u64).collect::<Vec<_>>());
        assert_eq!(one, &received[0]);
    }
    for envelope in &received[0] {
        assert_eq!(observer.try_recv().unwrap().envelope(), Some(envelope));
    }
}

#[derive(Clone, Copy, Debug)]
enum Step {
    Publish(Role, MessageKind),
    Receive(Role),
    Restart(Role),
}

fn step() -> impl Strategy<Value = Step> {
    let role = || proptest::sample::select(Role::ALL.to_vec());
    let kind = proptest::sample::select(MessageKind::ALL.to_vec());
    prop_oneof![
        6 => (role(), kind).prop_map(|(role, kind)| Step::Publish(role, kind)),
        3 => role().prop_map(Step::Receive),
        1 => role().prop_map(Step::Restart),
    ]
}

proptest! {
    /// Compared with a model: for any sequence of publishing, receiving and restarting, every mailbox
    /// delivers exactly the messages of its contract, in order, once.
    #[test]
    fn mailboxes_behave_like_their_contract(steps in proptest::collection::vec(step(), 1..120)) {
        let run = run();
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        let mut ports: std::collections::BTreeMap<_, _> =
            Role::ALL.into_iter().map(|role| (role, run.port(role).unwrap())).collect();
        let mut expected: std::collections::BTreeMap<Role, std::collections::VecDeque<(u64, Message)>> =
            Role::ALL.into_iter().map(|role| (role, Default::default())).collect();
        let samples: std::collections::BTreeMap<_, _> =
            MessageKind::ALL.iter().map(|kind| (*kind, sample(*kind))).collect();
        let (mut seq, mut ended) = (0, false);
        // Plans not reported yet; before the first one, any number of reports is allowed.
        let mut unreported: Option<u32> = None;
        for step in steps {
            match step {
                Step::Publish(from, kind) => {
                    let message = samples[&kind].clone();
                    let is_report = matches!(kind, MessageKind::OutcomeSummary | MessageKind::ReplanRequest);
                    let allowed = artoo_bus::contract::may_publish(from, kind)
                        && !(kind == MessageKind::FinalResult && ended)
                        && !(is_report && unreported == Some(0));
                    // A refusal takes a number too, since it is recorded.
                    seq += 1;
                    let published = ports[&from].publish(message.clone());
                    prop_assert_eq!(published.clone().ok(), allowed.then_some(seq), "{:?}", published);
                    if allowed {
                        ended |= kind == MessageKind::FinalResult;
                        unreported = match unreported {
                            open if kind == MessageKind::DispatchManifest => Some(open.unwrap_or(0) + 1),
                            open if is_report => open.map(|plans| plans - 1),
                            open => open,
                        };
                        for to in artoo_bus::contract::receivers(from, kind).iter() {
                            expected.get_mut(&to).unwrap().push_back((seq, message.clone()));
                        }
                    }
                }
                Step::Receive(role) => {
                    if let Some((seq, message)) = expected.get_mut(&role).unwrap().pop_front() {
                        let envelope = runtime.block_on(ports.get_mut(&role).unwrap().recv()).unwrap();
                        prop_assert_eq!((envelope.seq, &*envelope.message), (seq, &message));
                    }
                }
                Step::Restart(role) => {
                    ports.remove(&role);
                    ports.insert(role, run.port(role).unwrap());
                }
            }
        }
        run.close();
        for (role, mut port) in ports {
            let rest: Vec<_> = runtime.block_on(async {
                let mut rest = Vec::new();
                while let Some(envelope) = port.recv().await {
                    rest.push((envelope.seq, (*envelope.message).clone()));
                }
                rest
            });
            prop_assert_eq!(&rest, &Vec::from(expected.remove(&role).unwrap()));
        }
    }
}
