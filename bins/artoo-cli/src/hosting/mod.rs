//! The host of front ends that speak a protocol on standard input and output, or on a socket.
//!
//! The main thread has the [`Context`]: it prepares runs and answers inquiries, one after the other ([`desk`]). The front end works on the
//! threads of the runtime, and hands its jobs over a channel ([`seat`]).

mod confirm;
mod desk;
mod inquiry;
mod seat;

pub(crate) use desk::serve;
