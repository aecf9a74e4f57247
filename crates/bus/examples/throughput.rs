//! Benchmark of publishing to eight subscribers: the bus against `tokio::sync::broadcast` and eight `mpsc`
//! channels.
//!
//! `cargo run --release -p artoo-bus --example throughput [rounds] [messages]`
//!
//! All contenders run in every round, one after the other, so that a busy machine slows all of them; the
//! table gives medians over the rounds, and medians of the ratios within a round. `burst` publishes as fast
//! as possible; `paced` waits until all eight subscribers are asleep again, so that every publish wakes eight
//! tasks.

#![expect(clippy::print_stdout, reason = "a benchmark prints its table")]
#![expect(clippy::expect_used, reason = "a benchmark may fail loudly")]

use std::hint::black_box;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use artoo_bus::contract::receivers;
use artoo_bus::{Bus, BusLimits, Clock, Port, RunBus, SystemClock};
use artoo_types::{CallId, Envelope, Message, Role, RunId, SubTaskId, TaskSpec, ToolOutput};
use tokio::runtime::Runtime;
use tokio::sync::{broadcast, mpsc};
use tokio::task::JoinHandle;
use uuid::Uuid;

const SUBSCRIBERS: u64 = 8;
const CAPACITY: usize = 1 << 16;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Pace {
    Burst,
    Paced,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Contender {
    /// The mailboxes of the roles that get a task, and observers.
    Bus,
    /// Eight observers.
    BusObservers,
    /// The same envelope as `Bus`, stamped the same way, through `broadcast`.
    Broadcast,
    /// The same envelope as `BusObservers`, stamped the same way, through `broadcast`.
    BroadcastSmall,
    /// A clone of one ready envelope through `broadcast`: no stamps, no allocation.
    BroadcastBare,
    /// The same envelope through eight bounded `mpsc` channels.
    Mpsc,
}

impl Contender {
    const ALL: [Self; 6] = [
        Self::Bus,
        Self::Broadcast,
        Self::Mpsc,
        Self::BusObservers,
        Self::BroadcastSmall,
        Self::BroadcastBare,
    ];

    /// The baseline: the same messages through `broadcast`.
    fn base(self) -> Self {
        match self {
            Self::Bus | Self::Broadcast | Self::Mpsc => Self::Broadcast,
            Self::BusObservers | Self::BroadcastSmall | Self::BroadcastBare => Self::BroadcastSmall,
        }
    }

    fn name(self) -> &'static str {
        match self {
            Self::Bus => "TaskSpec: bus, mailboxes and observers",
            Self::Broadcast => "TaskSpec: broadcast",
            Self::Mpsc => "TaskSpec: 8 x mpsc",
            Self::BusObservers => "ToolOutput: bus, 8 observers",
            Self::BroadcastSmall => "ToolOutput: broadcast",
            Self::BroadcastBare => "(floor) broadcast of one ready envelope",
        }
    }

    fn message(self) -> Message {
        match self.base() {
            Self::Broadcast => TaskSpec::verbatim("Count the text files").into(),
            Self::Bus | Self::Mpsc | Self::BusObservers | Self::BroadcastSmall | Self::BroadcastBare => {
                let (subtask_id, call_id) = (SubTaskId::new(Uuid::nil()), CallId::new(Uuid::nil()));
                ToolOutput { subtask_id, call_id, text: "line".into() }.into()
            }
        }
    }
}

/// The results of one contender in one round.
struct Sample {
    per_second: f64,
    p50: f64,
    p99: f64,
}

fn main() {
    let mut arguments = std::env::args().skip(1).map(|text| text.parse::<usize>().expect("a number"));
    let rounds = arguments.next().unwrap_or(15);
    let messages = arguments.next().unwrap_or(40_000).min(CAPACITY);
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).build().expect("a runtime");
    // First, before the allocator has freed memory to reuse.
    print_idle_memory(&runtime);
    for (pace, messages) in [(Pace::Burst, messages), (Pace::Paced, messages / 20)] {
        let name = if pace == Pace::Burst { "burst" } else { "paced" };
        println!("\n{name}: {messages} messages to {SUBSCRIBERS} subscribers, {rounds} rounds");
        let mut samples: Vec<_> =
            Contender::ALL.into_iter().map(|contender| (contender, Vec::new())).collect();
        for round in 0..=rounds {
            for (contender, samples) in &mut samples {
                let sample = run_round(&runtime, *contender, pace, messages);
                // The first round warms up.
                if round > 0 {
                    samples.push(sample);
                }
            }
        }
        print_table(&samples);
    }
}

fn print_table(samples: &[(Contender, Vec<Sample>)]) {
    println!(
        "{:<42}{:>12}{:>9}{:>9}   against broadcast: medians of ratios",
        "", "messages/s", "p50 ns", "p99 ns"
    );
    for (contender, own) in samples {
        let (_, base) =
            samples.iter().find(|(other, _)| *other == contender.base()).expect("every base runs");
        let of = |field: fn(&Sample) -> f64| median(own.iter().map(field).collect());
        let ratio = |field: fn(&Sample) -> f64| {
            median(own.iter().zip(base).map(|(own, base)| field(own) / field(base)).collect())
        };
        println!(
            "{:<42}{:>12.0}{:>9.0}{:>9.0}   messages/s x{:.2}, p50 x{:.2}, p99 x{:.2}",
            contender.name(),
            of(|s| s.per_second),
            of(|s| s.p50),
            of(|s| s.p99),
            ratio(|s| s.per_second),
            ratio(|s| s.p50),
            ratio(|s| s.p99),
        );
    }
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(f64::NAN)
}

/// Publishes through one contender and waits until every subscriber has received everything.
fn run_round(runtime: &Runtime, contender: Contender, pace: Pace, messages: usize) -> Sample {
    let received = Arc::new(AtomicU64::new(0));
    let total = messages as u64;
    match contender {
        Contender::Bus | Contender::BusObservers => {
            let bus = Bus::new(Arc::new(SystemClock::new()), BusLimits { mailbox: CAPACITY });
            let run = bus.open(RunId::OPERATOR).expect("a new run");
            let (port, tasks) = subscribe(runtime, &run, contender, pace, total, &received);
            publish(
                runtime,
                pace,
                messages,
                &received,
                tasks,
                || contender.message(),
                |message| {
                    port.publish(message).expect("room");
                },
            )
        }
        Contender::Broadcast | Contender::BroadcastSmall | Contender::BroadcastBare => {
            let (sender, _) = broadcast::channel::<Arc<Envelope>>(CAPACITY);
            let tasks = (0..SUBSCRIBERS)
                .map(|_| {
                    let (mut receiver, received) = (sender.subscribe(), Arc::clone(&received));
                    runtime.spawn(async move {
                        for _ in 0..total {
                            black_box(receiver.recv().await.expect("nothing is lost"));
                            count(&received, pace);
                        }
                    })
                })
                .collect();
            if contender == Contender::BroadcastBare {
                let ready = Stamp::new().envelope(contender.message());
                publish(
                    runtime,
                    pace,
                    messages,
                    &received,
                    tasks,
                    || Arc::clone(&ready),
                    |ready| {
                        sender.send(ready).expect("subscribers");
                    },
                )
            } else {
                let mut stamp = Stamp::new();
                publish(
                    runtime,
                    pace,
                    messages,
                    &received,
                    tasks,
                    || contender.message(),
                    |message| {
                        sender.send(stamp.envelope(message)).expect("subscribers");
                    },
                )
            }
        }
        Contender::Mpsc => {
            let (senders, tasks): (Vec<_>, Vec<_>) = (0..SUBSCRIBERS)
                .map(|_| {
                    let (sender, mut receiver) = mpsc::channel::<Arc<Envelope>>(CAPACITY);
                    let received = Arc::clone(&received);
                    let task = runtime.spawn(async move {
                        for _ in 0..total {
                            black_box(receiver.recv().await.expect("open"));
                            count(&received, pace);
                        }
                    });
                    (sender, task)
                })
                .unzip();
            let mut stamp = Stamp::new();
            publish(
                runtime,
                pace,
                messages,
                &received,
                tasks,
                || contender.message(),
                |message| {
                    let envelope = stamp.envelope(message);
                    for sender in &senders {
                        sender.try_send(Arc::clone(&envelope)).expect("room");
                    }
                },
            )
        }
    }
}

/// Eight subscribers of the bus, and the port to publish from.
fn subscribe(
    runtime: &Runtime,
    run: &RunBus,
    contender: Contender,
    pace: Pace,
    total: u64,
    received: &Arc<AtomicU64>,
) -> (Port, Vec<JoinHandle<()>>) {
    let from = if contender == Contender::Bus { Role::Perceiver } else { Role::Executor };
    let roles: Vec<Role> = receivers(from, contender.message().kind()).iter().collect();
    let mut tasks = Vec::new();
    for role in &roles {
        let (mut port, received, run) = (run.port(*role).expect("free"), Arc::clone(received), run.clone());
        tasks.push(runtime.spawn(async move {
            for _ in 0..total {
                black_box(port.recv().await.expect("open"));
                count(&received, pace);
            }
            drop(run);
        }));
    }
    for _ in roles.len()..SUBSCRIBERS as usize {
        let (mut observer, received) = (run.observe(CAPACITY), Arc::clone(received));
        tasks.push(runtime.spawn(async move {
            for _ in 0..total {
                black_box(observer.recv().await.expect("open").envelope().expect("nothing is lost"));
                count(&received, pace);
            }
        }));
    }
    (run.port(from).expect("free"), tasks)
}

/// Only the paced run reads the count; in the burst, eight tasks would contend for it.
fn count(received: &AtomicU64, pace: Pace) {
    if pace == Pace::Paced {
        received.fetch_add(1, Ordering::Release);
    }
}

/// The common part of all contenders: time every publish, wait for the subscribers.
fn publish<T>(
    runtime: &Runtime,
    pace: Pace,
    messages: usize,
    received: &AtomicU64,
    tasks: Vec<JoinHandle<()>>,
    make: impl Fn() -> T,
    mut send: impl FnMut(T),
) -> Sample {
    let mut nanoseconds = Vec::with_capacity(messages);
    // Created in advance, so that only the transport is measured; the subscribers still drop the messages.
    let ready: Vec<T> = (0..messages).map(|_| make()).collect();
    let begin = Instant::now();
    for (n, message) in (0_u64..).zip(ready) {
        let before = Instant::now();
        send(message);
        nanoseconds.push(before.elapsed().as_nanos() as f64);
        if pace == Pace::Paced {
            while received.load(Ordering::Acquire) < (n + 1) * SUBSCRIBERS {
                std::thread::yield_now();
            }
            // Let the last subscriber go to sleep.
            let asleep = Instant::now() + Duration::from_micros(20);
            while Instant::now() < asleep {
                std::thread::yield_now();
            }
        }
    }
    runtime.block_on(async {
        for task in tasks {
            task.await.expect("a subscriber");
        }
    });
    let seconds = begin.elapsed().as_secs_f64();
    nanoseconds.sort_by(f64::total_cmp);
    let at = |share: f64| nanoseconds.get((messages as f64 * share) as usize).copied().unwrap_or(f64::NAN);
    Sample { per_second: messages as f64 / seconds, p50: at(0.50), p99: at(0.99) }
}

/// Adds to the other contenders' messages the stamps that the bus adds to every message.
struct Stamp {
    clock: SystemClock,
    seq: u64,
}

impl Stamp {
    fn new() -> Self {
        Self { clock: SystemClock::new(), seq: 0 }
    }

    fn envelope(&mut self, message: Message) -> Arc<Envelope> {
        self.seq += 1;
        Arc::new(Envelope {
            seq: self.seq,
            run_id: RunId::OPERATOR,
            at: self.clock.now(),
            elapsed_ms: u64::try_from(self.clock.monotonic().as_millis()).unwrap_or(u64::MAX),
            from: Role::Executor,
            message: Arc::new(message),
        })
    }
}

/// A thousand idle runs with eight waiting ports each: resident memory per run.
fn print_idle_memory(runtime: &Runtime) {
    const RUNS: u128 = 1_000;
    let bus = Bus::new(Arc::new(SystemClock::new()), BusLimits::default());
    let before = resident_kib();
    let runs: Vec<_> = (1..=RUNS)
        .map(|n| {
            let run = bus.open(RunId::new(Uuid::from_u128(n))).expect("a new run");
            let ports: Vec<_> = Role::ALL.iter().take(8).map(|role| run.port(*role).expect("free")).collect();
            (run, ports)
        })
        .collect();
    let (Some(before), Some(after)) = (before, resident_kib()) else { return };
    println!("\nidle run with 8 ports: {:.2} KiB resident", (after - before) / RUNS as f64);
    let tasks: Vec<_> = runs
        .into_iter()
        .flat_map(|(run, ports)| {
            ports.into_iter().map(move |mut port| {
                let run = run.clone();
                (async move { while port.recv().await.is_some() {} }, run)
            })
        })
        .map(|(wait, run)| (runtime.spawn(wait), run))
        .collect();
    std::thread::sleep(Duration::from_millis(300));
    let Some(after) = resident_kib() else { return };
    println!("the same with 8 tasks that wait on them: {:.2} KiB resident", (after - before) / RUNS as f64);
    drop(tasks);
}

fn resident_kib() -> Option<f64> {
    let text = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = text.lines().find(|line| line.starts_with("VmRSS:"))?;
    line.split_whitespace().nth(1)?.parse().ok()
}
