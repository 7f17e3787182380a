//! Kinds of addresses. Only those of the public internet are dialled without being named.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// What an address is, in the words a message has for it; `None` is an address of the public internet.
pub fn special(address: IpAddr) -> Option<&'static str> {
    match address {
        IpAddr::V4(address) => special_v4(address),
        IpAddr::V6(address) => special_v6(address),
    }
}

fn special_v4(address: Ipv4Addr) -> Option<&'static str> {
    let [a, b, c, d] = address.octets();
    Some(match (a, b, c, d) {
        (0, ..) => "the unspecified network",
        (127, ..) => "a loopback address",
        (10, ..) | (172, 16..=31, ..) | (192, 168, ..) => "a private address",
        // The clouds' metadata services: they hand out credentials.
        (169, 254, 169, 253 | 254) | (169, 254, 170, 2 | 23) | (100, 100, 100, 200) | (192, 0, 0, 192) => {
            "a metadata service"
        }
        (168, 63, 129, 16) => "a metadata service",
        (169, 254, ..) => "a link-local address",
        (100, 64..=127, ..) => "a shared address (carrier-grade NAT)",
        (192, 0, 0, _) => "a protocol assignment",
        (192, 0, 2, _) | (198, 51, 100, _) | (203, 0, 113, _) => "a documentation address",
        (192, 31, 196, _) | (192, 52, 193, _) | (192, 175, 48, _) | (192, 88, 99, _) => "an anycast relay",
        (198, 18..=19, ..) => "a benchmark address",
        (224..=239, ..) => "a multicast address",
        (255, 255, 255, 255) => "the broadcast address",
        (240..=255, ..) => "a reserved address",
        _ => return None,
    })
}

fn special_v6(address: Ipv6Addr) -> Option<&'static str> {
    let s = address.segments();
    Some(match s {
        [0, 0, 0, 0, 0, 0, 0, 0] => "the unspecified address",
        [0, 0, 0, 0, 0, 0, 0, 1] => "a loopback address",
        [0, 0, 0, 0, 0, 0xffff, ..] => "an IPv4 address in disguise",
        [0, 0, 0, 0, 0, 0, ..] | [0, 0, 0, 0, 0xffff, 0, ..] => "an IPv4 address in disguise",
        [0x64, 0xff9b, ..] => "a translated IPv4 address (NAT64)",
        [0x100, 0, 0, _, ..] => "a discard address",
        [0x2001, 0, ..] => "a tunnelled address (Teredo)",
        [0x2001, 2, 0, ..] => "a benchmark address",
        [0x2001, 0xdb8, ..] | [0x3fff, 0..=0xfff, ..] => "a documentation address",
        [0x2001, 0x10..=0x2f, ..] => "an overlay identifier",
        [0x2001, 0..=0x1ff, ..] => "a protocol assignment",
        [0x2002, ..] => "a tunnelled address (6to4)",
        [0xfd00, 0xec2, 0, 0, 0, 0, 0, 0x254] | [0xfd20, 0xce, 0, 0, 0, 0, 0, 0x254] => "a metadata service",
        [0xfc00..=0xfdff, ..] => "a private address",
        [0xfe80..=0xfebf, ..] => "a link-local address",
        [0xfec0..=0xfeff, ..] => "a site-local address",
        [0xff00..=0xffff, ..] => "a multicast address",
        [0x2000..=0x3fff, ..] => return None,
        _ => "a reserved address",
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_public_addresses_are_plain() {
        let plain =
            ["1.1.1.1", "8.8.8.8", "93.184.216.34", "172.15.0.1", "172.32.0.1", "2606:4700::1111", "2a00:1450::1"];
        for text in plain {
            assert_eq!(special(text.parse().expect("an address")), None, "{text}");
        }
        let refused = [
            "0.0.0.0",
            "0.1.2.3",
            "127.0.0.1",
            "127.255.0.1",
            "10.0.0.1",
            "172.16.0.1",
            "172.31.255.255",
            "192.168.1.1",
            "169.254.1.1",
            "169.254.169.254",
            "100.64.0.1",
            "100.100.100.200",
            "192.0.0.1",
            "192.0.2.1",
            "198.18.0.1",
            "198.51.100.1",
            "203.0.113.1",
            "224.0.0.1",
            "239.255.255.255",
            "240.0.0.1",
            "255.255.255.255",
            "192.88.99.1",
            "168.63.129.16",
            "::",
            "::1",
            "::ffff:8.8.8.8",
            "::ffff:127.0.0.1",
            "::8.8.8.8",
            "64:ff9b::808:808",
            "64:ff9b:1::1",
            "100::1",
            "2001::1",
            "2001:2::1",
            "2001:10::1",
            "2001:20::1",
            "2001:db8::1",
            "2002:7f00:1::",
            "3fff::1",
            "fc00::1",
            "fd00:ec2::254",
            "fe80::1",
            "fec0::1",
            "ff02::1",
            "4000::1",
            "::ffff:0:808:808",
        ];
        for text in refused {
            assert!(special(text.parse().expect("an address")).is_some(), "{text}");
        }
    }
}
