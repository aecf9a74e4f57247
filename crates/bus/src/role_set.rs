//! Set of roles as a two-byte bit set.

use std::fmt;

use artoo_types::Role;

/// A set of roles.
///
/// ```
/// use artoo_bus::RoleSet;
/// use artoo_types::Role;
/// let set = RoleSet::of(&[Role::Planner, Role::Ggs]);
/// assert!(set.contains(Role::Ggs));
/// assert_eq!(set.without(Role::Ggs).to_string(), "planner");
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct RoleSet(u16);

impl RoleSet {
    /// No role.
    pub const EMPTY: Self = Self(0);
    /// Every role.
    pub const ALL: Self = Self((1 << Role::ALL.len()) - 1);

    /// The set of these roles.
    pub const fn of(roles: &[Role]) -> Self {
        let mut bits = 0;
        let mut rest = roles;
        while let Some((first, others)) = rest.split_first() {
            bits |= 1 << *first as u16;
            rest = others;
        }
        Self(bits)
    }

    /// This set without one role.
    #[must_use]
    pub const fn without(self, role: Role) -> Self {
        Self(self.0 & !(1 << role as u16))
    }

    /// Whether the set contains a role.
    pub const fn contains(self, role: Role) -> bool {
        self.0 & (1 << role as u16) != 0
    }

    /// Whether the set is empty.
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// The roles in the order of [`Role::ALL`].
    pub fn iter(self) -> impl Iterator<Item = Role> {
        Role::ALL.into_iter().filter(move |role| self.contains(*role))
    }
}

impl fmt::Display for RoleSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (n, role) in self.iter().enumerate() {
            if n > 0 {
                f.write_str(", ")?;
            }
            role.fmt(f)?;
        }
        Ok(())
    }
}

impl fmt::Debug for RoleSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.iter()).finish()
    }
}
