//! Conditions on the arguments of a system call, as the filter compares them: 32 bits of each.

use seccompiler::{BackendError, SeccompCmpArgLen::Dword, SeccompCmpOp, SeccompCondition, SeccompRule};

/// The argument has this value.
pub(crate) fn is(argument: u8, value: u64) -> Result<SeccompCondition, BackendError> {
    SeccompCondition::new(argument, Dword, SeccompCmpOp::Eq, value)
}

/// The argument has another value.
pub(crate) fn is_not(argument: u8, value: i32) -> Result<SeccompCondition, BackendError> {
    SeccompCondition::new(argument, Dword, SeccompCmpOp::Ne, value.cast_unsigned().into())
}

/// The argument has this value in these bits.
pub(crate) fn has(argument: u8, mask: u64, value: u64) -> Result<SeccompCondition, BackendError> {
    SeccompCondition::new(argument, Dword, SeccompCmpOp::MaskedEq(mask), value)
}

/// A rule that holds where all of these hold.
pub(crate) fn all<const N: usize>(conditions: [SeccompCondition; N]) -> Result<SeccompRule, BackendError> {
    SeccompRule::new(conditions.into())
}
