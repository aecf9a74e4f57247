//! Assembles tool calls from the pieces in which a server sends them.
//!
//! The protocol says: a call's first piece has an index, an id and the name; the others have the index and
//! more of the arguments. Servers leave out each of these, repeat them, or count anew with each piece. So the
//! index, the id and the name only say which call a piece may belong to; whether it does is decided by what
//! makes one JSON object of the arguments.

use artoo_llm_client::ToolUse;
use serde_json::{Map, Value};

use crate::arguments::Arguments;
use crate::decode::Bad;
use crate::json_prefix::{JsonPrefix, Reading};
use crate::tool_call::{MAX_CALLS, is_same};

/// The calls of one answer received so far.
#[derive(Debug, Default)]
pub(super) struct ToolCalls {
    calls: Vec<Call>,
    /// The names of the offered tools.
    offered: Vec<String>,
}

/// A finished call, and what the server wants back with it.
pub(super) type FinalCall = (ToolUse, Map<String, Value>);

#[derive(Debug, Default)]
struct Call {
    indexes: Vec<u64>,
    ids: Vec<String>,
    name: String,
    arguments: Arguments,
    /// Fields that the protocol does not know, such as a signature of the model's thoughts.
    extra: Map<String, Value>,
    /// Whether it came in one piece of an answer that is whole.
    is_whole: bool,
}

/// One piece of a call.
#[derive(Debug)]
struct Piece<'a> {
    index: Option<u64>,
    id: &'a str,
    name: &'a str,
    arguments: String,
    extra: Map<String, Value>,
}

impl ToolCalls {
    /// `offered` names the tools that the model may call.
    pub(super) fn new(offered: Vec<String>) -> Self {
        Self { calls: Vec::new(), offered }
    }

    /// Takes the pieces of a chunk.
    pub(super) fn take(&mut self, pieces: Option<&Value>) {
        each(pieces).for_each(|piece| self.piece(Piece::of(piece)));
    }

    /// Takes the calls of a whole answer, of which each is whole.
    pub(super) fn take_whole(&mut self, calls: Option<&Value>) {
        for call in each(calls) {
            if self.is_too_many() {
                return;
            }
            let mut whole = Call { is_whole: true, ..Call::default() };
            whole.take(Piece::of(call), &self.offered);
            self.calls.push(whole);
        }
    }

    /// Takes the one call of the protocol before there were several, unless the answer has it in the newer
    /// form too.
    pub(super) fn take_one(&mut self, call: Option<&Value>) {
        if let Some(call) = call.filter(|call| call.is_object())
            && !self.calls.iter().any(|call| !call.ids.is_empty() || !call.indexes.is_empty())
        {
            self.piece(Piece::of(call));
        }
    }

    /// The calls in the server's order. A call that was sent twice is one.
    pub(super) fn finish(self) -> Result<Vec<FinalCall>, Bad> {
        if self.is_too_many() {
            return Err(Bad::Protocol(format!("an answer with more than {MAX_CALLS} calls")));
        }
        let mut finished: Vec<FinalCall> = Vec::with_capacity(self.calls.len());
        for call in self.calls {
            let (call, extra) = call.finish();
            let is_nothing = call.name.is_empty() && call.arguments.trim().is_empty();
            match finished.iter_mut().find(|(earlier, _)| is_same(earlier, &call)) {
                Some((earlier, known)) => {
                    if earlier.id.is_empty() {
                        earlier.id = call.id;
                    }
                    known.extend(extra);
                }
                None if is_nothing => {}
                None => finished.push((call, extra)),
            }
        }
        Ok(finished)
    }

    /// Whether there are so many that no more are taken.
    fn is_too_many(&self) -> bool {
        self.calls.len() > MAX_CALLS
    }

    /// Whether none has arrived.
    pub(super) fn is_empty(&self) -> bool {
        self.calls.is_empty()
    }

    /// All text received so far.
    pub(super) fn words(&self) -> impl Iterator<Item = &str> {
        self.calls.iter().flat_map(|call| std::iter::once(call.name.as_str()).chain(call.arguments.words()))
    }

    fn piece(&mut self, piece: Piece<'_>) {
        if self.is_too_many() {
            return;
        }
        let at = self.place(&piece);
        let call = match at.and_then(|at| self.calls.get_mut(at)) {
            Some(call) => call,
            None => self.calls.push_mut(Call::default()),
        };
        call.take(piece, &self.offered);
    }

    /// The call that a piece belongs to; `None` for a new one.
    fn place(&self, piece: &Piece<'_>) -> Option<usize> {
        let last =
            |is: &dyn Fn(&Call) -> bool| self.calls.iter().rposition(|call| !call.is_whole && is(call));
        let is_unknown = |index: u64| !self.calls.iter().any(|call| call.indexes.contains(&index));
        let same_index = piece.index.and_then(|index| last(&|call| call.indexes.contains(&index)));
        let same_id =
            if piece.id.is_empty() { None } else { last(&|call| call.ids.iter().any(|id| id == piece.id)) };
        // Names under some indexes and arguments under others: they come in the same order.
        let waiting =
            piece.index.filter(|index| piece.name.is_empty() && is_unknown(*index)).and_then(|_| {
                let mut calls = self.calls.iter();
                calls.position(|call| !call.is_whole && call.arguments.reading() == Reading::Empty)
            });
        let candidates = [same_index, same_id, waiting, last(&|_| true)];
        let fitting = candidates.into_iter().flatten().find(|at| {
            self.calls.get(*at).is_some_and(|call| {
                call.relation(piece, &self.offered).is_some_and(|to| call.fits(piece, to))
            })
        });
        // What cannot begin an object goes on with one that is open, whatever the piece calls itself.
        let continued = || {
            let goes_on =
                !piece.arguments.trim().is_empty() && JsonPrefix::of(&piece.arguments) == Reading::Broken;
            let is_it = |call: &Call| call.arguments.with(&piece.arguments) != Reading::Broken;
            if goes_on {
                last(&|call| is_it(call) && call.relation(piece, &self.offered).is_some())
            } else {
                None
            }
        };
        // A call without a name is none, so it is a piece of one.
        let nameless =
            || if piece.name.is_empty() { same_index.or(same_id).or_else(|| last(&|_| true)) } else { None };
        fitting.or_else(continued).or_else(nameless)
    }
}

/// How a piece relates to a call.
#[derive(Clone, Copy, Debug)]
struct Relation {
    same_index: bool,
    other_index: bool,
    same_id: bool,
    other_id: bool,
    /// Whether the piece names the tool.
    named: bool,
}

impl Call {
    /// How a piece relates to this call; `None` if it is one of another tool.
    fn relation(&self, piece: &Piece<'_>, offered: &[String]) -> Option<Relation> {
        let same_index = piece.index.is_some_and(|index| self.indexes.contains(&index));
        let same_id = self.ids.iter().any(|id| id == piece.id);
        let to = Relation {
            same_index,
            other_index: piece.index.is_some() && !self.indexes.is_empty() && !same_index,
            same_id,
            other_id: !piece.id.is_empty() && !self.ids.is_empty() && !same_id,
            named: !piece.name.is_empty(),
        };
        let is_same_tool = !to.named || self.name.is_empty() || self.name == piece.name;
        // A name in pieces is one only within one call.
        let is_piece = !to.other_index
            && !to.other_id
            && longer_name(&self.name, piece.name, offered).is_some()
            && self.arguments.reading() == Reading::Empty;
        (is_same_tool || is_piece).then_some(to)
    }

    /// Whether a piece continues this call.
    fn fits(&self, piece: &Piece<'_>, to: Relation) -> bool {
        let is_of_this = to.same_id || (to.same_index && !to.other_id);
        let is_of_another = to.named && (to.other_index || to.other_id);
        let more = piece.arguments.as_str();
        let is_header = more.trim().is_empty();
        let alone = JsonPrefix::of(more);
        match self.arguments.reading() {
            // Before its arguments, only an index tells two calls of one tool apart.
            Reading::Empty => {
                to.same_id || to.same_index || !to.named || !(to.other_index || to.other_id && is_header)
            }
            Reading::Whole if self.arguments.is_placeholder() => is_of_this || !to.named,
            Reading::Whole if is_header => is_of_this || !to.named,
            Reading::Whole => match alone {
                // The same once more, or all that could be parsed by now.
                Reading::Whole if (is_of_this || !is_of_another) && self.arguments.are_in(more) => true,
                Reading::Whole => !to.named,
                Reading::Empty | Reading::Open => to.same_id || !to.named,
                Reading::Broken => is_of_this || !to.named,
            },
            Reading::Open if is_header => is_of_this || !(to.named && to.other_index),
            Reading::Open => match self.arguments.with(more) {
                Reading::Broken => is_of_this,
                Reading::Empty | Reading::Open | Reading::Whole => {
                    let begins = matches!(alone, Reading::Open | Reading::Whole);
                    is_of_this || !(to.named && to.other_index && begins)
                }
            },
            Reading::Broken => is_of_this || !to.named,
        }
    }

    fn take(&mut self, piece: Piece<'_>, offered: &[String]) {
        if let Some(index) = piece.index.filter(|index| !self.indexes.contains(index)) {
            self.indexes.push(index);
        }
        if !piece.id.is_empty() && !self.ids.iter().any(|id| id == piece.id) {
            self.ids.push(piece.id.to_owned());
        }
        if self.name.is_empty() {
            piece.name.clone_into(&mut self.name);
        } else if let Some(name) = longer_name(&self.name, piece.name, offered) {
            self.name = name;
        }
        if !piece.arguments.is_empty() {
            self.arguments.push(&piece.arguments);
        }
        self.extra.extend(piece.extra);
    }

    fn finish(self) -> FinalCall {
        let id = self.ids.into_iter().next().unwrap_or_default();
        (ToolUse { id, name: self.name, arguments: self.arguments.finish() }, self.extra)
    }
}

impl<'a> Piece<'a> {
    fn of(value: &'a Value) -> Self {
        // Some leave out the object between.
        let function = value.get("function").filter(|function| function.is_object()).unwrap_or(value);
        let word = |from: &'a Value, name: &str| from.get(name).and_then(Value::as_str).unwrap_or_default();
        let index = value.get("index").and_then(|index| match index {
            Value::String(text) => text.trim().parse().ok(),
            Value::Number(number) => number.as_u64(),
            Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => None,
        });
        let arguments = match function.get("arguments").or_else(|| function.get("parameters")) {
            Some(Value::String(text)) => text.clone(),
            Some(whole @ (Value::Object(_) | Value::Array(_))) => whole.to_string(),
            Some(Value::Null | Value::Bool(_) | Value::Number(_)) | None => String::new(),
        };
        const KNOWN: [&str; 7] = ["index", "id", "type", "function", "name", "arguments", "parameters"];
        let fields = value.as_object().into_iter().flatten();
        let extra = fields.filter(|(name, value)| !KNOWN.contains(&name.as_str()) && value.is_object());
        Self {
            index,
            id: word(value, "id"),
            name: word(function, "name"),
            arguments,
            extra: extra.map(|(name, value)| (name.clone(), value.clone())).collect(),
        }
    }
}

/// The name that `more` continues to one that is offered, or that it repeats from its beginning.
fn longer_name(known: &str, more: &str, offered: &[String]) -> Option<String> {
    let is_offered = |name: &str| offered.iter().any(|offered| offered == name);
    if known.is_empty() || more.is_empty() || known == more || (is_offered(known) && is_offered(more)) {
        return None;
    }
    let joined = [known, more].concat();
    let all = if more.starts_with(known) { more } else { &joined };
    let begins = |name: &str| offered.iter().any(|offered| offered.starts_with(name));
    [joined.as_str(), all].into_iter().find(|name| begins(name)).map(str::to_owned)
}

fn each(list: Option<&Value>) -> impl Iterator<Item = &Value> {
    let (many, one) = match list {
        Some(Value::Array(list)) => (list.as_slice(), None),
        Some(one @ Value::Object(_)) => (&[][..], Some(one)),
        Some(Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_)) | None => (&[][..], None),
    };
    many.iter().chain(one)
}
