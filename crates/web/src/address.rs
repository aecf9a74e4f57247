//! The address rule: which IP addresses may be connected to.

use std::collections::BTreeSet;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// IPv4 ranges of this machine, its neighbours, or no particular host: IANA's special-purpose registry, and
/// multicast.
const SPECIAL_V4: [(Ipv4Addr, u32); 15] = [
    (Ipv4Addr::new(0, 0, 0, 0), 8), // this network; Linux takes 0.0.0.0 for loopback
    (Ipv4Addr::new(10, 0, 0, 0), 8), // private
    (Ipv4Addr::new(100, 64, 0, 0), 10), // shared by a provider's customers
    (Ipv4Addr::new(127, 0, 0, 0), 8), // loopback
    (Ipv4Addr::new(169, 254, 0, 0), 16), // link-local, with the clouds' metadata
    (Ipv4Addr::new(172, 16, 0, 0), 12), // private
    (Ipv4Addr::new(192, 0, 0, 0), 24), // protocol assignments
    (Ipv4Addr::new(192, 0, 2, 0), 24), // documentation
    (Ipv4Addr::new(192, 88, 99, 0), 24), // 6to4 relays, withdrawn
    (Ipv4Addr::new(192, 168, 0, 0), 16), // private
    (Ipv4Addr::new(198, 18, 0, 0), 15), // benchmarks
    (Ipv4Addr::new(198, 51, 100, 0), 24), // documentation
    (Ipv4Addr::new(203, 0, 113, 0), 24), // documentation
    (Ipv4Addr::new(224, 0, 0, 0), 4), // multicast
    (Ipv4Addr::new(240, 0, 0, 0), 4), // reserved, and broadcast
];

/// The range allocated for the public Internet.
const GLOBAL_V6: (Ipv6Addr, u32) = (Ipv6Addr::new(0x2000, 0, 0, 0, 0, 0, 0, 0), 3);

/// Special ranges within it.
const SPECIAL_V6: [(Ipv6Addr, u32); 4] = [
    (Ipv6Addr::new(0x2001, 0, 0, 0, 0, 0, 0, 0), 23), // protocol assignments, Teredo among them
    (Ipv6Addr::new(0x2001, 0xdb8, 0, 0, 0, 0, 0, 0), 32), // documentation
    (Ipv6Addr::new(0x2002, 0, 0, 0, 0, 0, 0, 0), 16), // 6to4: any IPv4 address inside
    (Ipv6Addr::new(0x3fff, 0, 0, 0, 0, 0, 0, 0), 20), // documentation
];

/// The last 32 bits are an IPv4 address (RFC 6052). On a network without IPv4 every IPv4 host is addressed
/// like this.
const NAT64: (Ipv6Addr, u32) = (Ipv6Addr::new(0x64, 0xff9b, 0, 0, 0, 0, 0, 0), 96);

/// Which addresses may be connected to. By default only those of the public Internet: no loopback, private,
/// link-local, multicast, shared (CGNAT) or reserved address, and no IPv4 address embedded in IPv6.
/// ```
/// use artoo_web::AddressRule;
///
/// let rule = AddressRule::public();
/// assert!(rule.allows("93.184.216.34".parse()?));
/// assert!(!rule.allows("169.254.169.254".parse()?) && !rule.allows("::ffff:127.0.0.1".parse()?));
/// assert!(rule.granting("192.168.1.7".parse()?).allows("192.168.1.7".parse()?));
/// # Ok::<(), std::net::AddrParseError>(())
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AddressRule {
    any: bool,
    granted: BTreeSet<IpAddr>,
}

impl AddressRule {
    /// Public addresses only.
    pub fn public() -> Self {
        Self::default()
    }

    /// Every address: the user granted those of this machine and its network too.
    pub fn any() -> Self {
        Self { any: true, granted: BTreeSet::new() }
    }

    /// Allows one more address.
    #[must_use]
    pub fn granting(mut self, address: IpAddr) -> Self {
        self.granted.insert(address);
        self
    }

    /// Whether connecting to an address is allowed.
    pub fn allows(&self, address: IpAddr) -> bool {
        self.any || self.granted.contains(&address) || is_public(address)
    }

    /// Whether a name may be passed to a proxy, which resolves it outside of this rule. Names that by their
    /// form belong to this machine or its network are refused.
    pub(crate) fn allows_name(&self, name: &str) -> bool {
        let name = name.trim_end_matches('.').to_ascii_lowercase();
        let local = ["localhost", "local", "internal", "intranet", "lan", "home", "arpa"];
        let last = name.rsplit('.').next().unwrap_or_default();
        self.any || (name.contains('.') && !local.contains(&last))
    }
}

fn is_public(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(v4) => !SPECIAL_V4.iter().any(|(base, bits)| within_v4(v4, *base, *bits)),
        IpAddr::V6(v6) if within_v6(v6, NAT64) => {
            let [.., a, b, c, d] = v6.octets();
            is_public(IpAddr::V4(Ipv4Addr::new(a, b, c, d)))
        }
        IpAddr::V6(v6) => {
            within_v6(v6, GLOBAL_V6) && !SPECIAL_V6.iter().any(|special| within_v6(v6, *special))
        }
    }
}

fn within_v4(address: Ipv4Addr, base: Ipv4Addr, bits: u32) -> bool {
    (address.to_bits() ^ base.to_bits()).leading_zeros() >= bits
}

fn within_v6(address: Ipv6Addr, (base, bits): (Ipv6Addr, u32)) -> bool {
    (address.to_bits() ^ base.to_bits()).leading_zeros() >= bits
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// What the standard library knows about an address, completed from the RFCs.
    fn is_special_v4(address: Ipv4Addr) -> bool {
        let [a, b, c, _] = address.octets();
        address.is_private()
            || address.is_loopback()
            || address.is_link_local()
            || address.is_multicast()
            || address.is_broadcast()
            || address.is_documentation()
            || address.is_unspecified()
            || a == 0
            || a >= 240
            || (a == 100 && (64..128).contains(&b))
            || (a == 198 && (b == 18 || b == 19))
            || (a == 192 && b == 0 && c == 0)
            || (a == 192 && b == 88 && c == 99)
    }

    /// Addresses near the edges of the ranges as often as any others.
    fn v4() -> impl Strategy<Value = Ipv4Addr> {
        let near = (0..SPECIAL_V4.len(), -3i64..4, any::<bool>()).prop_map(|(row, off, end)| {
            let (base, bits) = SPECIAL_V4[row];
            let edge = i64::from(base.to_bits()) + if end { 1i64 << (32 - bits) } else { 0 };
            Ipv4Addr::from_bits(u32::try_from((edge + off).clamp(0, i64::from(u32::MAX))).unwrap())
        });
        prop_oneof![near, any::<u32>().prop_map(Ipv4Addr::from_bits)]
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2_000))]

        #[test]
        fn an_ipv4_address_is_public_if_nothing_says_otherwise(address in v4()) {
            prop_assert_eq!(AddressRule::public().allows(address.into()), !is_special_v4(address));
            prop_assert!(AddressRule::any().allows(address.into()));
            prop_assert!(AddressRule::public().granting(address.into()).allows(address.into()));
        }

        #[test]
        fn an_ipv4_address_inside_of_ipv6_gains_nothing(address in v4()) {
            let rule = AddressRule::public();
            let [a, b, c, d] = address.octets().map(u16::from);
            let (high, low) = (a << 8 | b, c << 8 | d);
            for inside in [
                address.to_ipv6_mapped(),
                address.to_ipv6_compatible(),
                Ipv6Addr::new(0x2002, high, low, 0, 0, 0, 0, 1),
                Ipv6Addr::new(0x64, 0xff9b, 1, 0, 0, 0, high, low),
                Ipv6Addr::new(0x2001, 0, 0, 0, 0, 0, !high, !low),
            ] {
                prop_assert!(!rule.allows(inside.into()), "{inside}");
            }
            let nat64 = Ipv6Addr::new(0x64, 0xff9b, 0, 0, 0, 0, high, low);
            prop_assert_eq!(rule.allows(nat64.into()), !is_special_v4(address));
        }

        #[test]
        fn an_ipv6_address_that_is_special_is_not_public(bits in any::<u128>(), head in prop::sample::select(vec![
            (0u128, 128), (1, 128), (0xfe80, 10), (0xfc00, 7), (0xff00, 8), (0xfec0, 10), (0x0100, 64), (0x5f00, 16), (0x2002, 16),
        ])) {
            let (start, length) = head;
            let base = if length == 128 { start } else { start << 112 };
            let mask = if length == 128 { u128::MAX } else { !(u128::MAX >> length) };
            let address = Ipv6Addr::from_bits((base & mask) | (bits & !mask));
            prop_assert!(!AddressRule::public().allows(address.into()), "{address}");
        }

        /// The address parser accepts every spelling of a number; the rule checks the parsed result.
        #[test]
        fn no_spelling_of_an_address_slips_through(address in v4(), spelling in 0usize..7) {
            let [a, b, c, d] = address.octets();
            let whole = address.to_bits();
            let host = match spelling {
                0 => format!("{a}.{b}.{c}.{d}"),
                1 => format!("{whole}"),
                2 => format!("0x{whole:x}"),
                3 => format!("0{whole:o}"),
                4 => format!("0x{a:x}.0{b:o}.{c}.0X{d:X}"),
                5 => format!("{a}.{}", whole & 0xff_ffff),
                _ => format!("{a}.{b}.{c}.{d}."),
            };
            let url = reqwest::Url::parse(&format!("http://{host}/")).unwrap();
            let parsed: Ipv4Addr = url.host_str().unwrap().parse().unwrap();
            prop_assert_eq!(parsed, address);
        }
    }

    #[test]
    fn known_public_addresses_are_allowed() {
        for address in
            ["1.1.1.1", "93.184.216.34", "2606:4700::1111", "2a00:1450:4001::200e", "64:ff9b::808:808"]
        {
            assert!(AddressRule::public().allows(address.parse().unwrap()), "{address}");
        }
    }

    #[test]
    fn names_of_this_network_are_not_handed_to_a_proxy() {
        let rule = AddressRule::public();
        for name in [
            "localhost",
            "LOCALHOST.",
            "a.localhost",
            "router",
            "nas.local",
            "metadata.google.internal",
            "1.0.0.127.in-addr.arpa",
        ] {
            assert!(!rule.allows_name(name), "{name}");
        }
        assert!(rule.allows_name("example.org") && AddressRule::any().allows_name("router"));
    }
}
