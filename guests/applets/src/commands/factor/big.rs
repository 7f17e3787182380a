//! Numbers of more than 128 bits: the same ways as in [`super::prime`], with as many words as it takes.

use super::prime;
use dashu_int::UBig;
use dashu_int::fast_div::ConstDivisor;
use dashu_int::ops::Gcd;

/// Bases that leave no known exception.
const BASES: [u8; 24] = [2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53, 59, 61, 67, 71, 73, 79, 83, 89];

/// The factors of decimal digits, in order.
pub fn factors(digits: &[u8]) -> Vec<UBig> {
    // Nine decimal digits each, the highest first.
    let mut words: Vec<u64> =
        digits.rchunks(9).rev().map(|c| c.iter().fold(0, |w, d| w * 10 + u64::from(d - b'0'))).collect();
    let mut found = Vec::new();
    let mut p = 2;
    while p < prime::TRIAL {
        if let Some(n) = words.iter().try_fold(0u128, |n, w| n.checked_mul(1_000_000_000)?.checked_add((*w).into())) {
            found.extend(prime::factors(n).into_iter().map(UBig::from));
            return found;
        }
        let mut rest = 0;
        let divided: Vec<u64> = words
            .iter()
            .map(|word| {
                let value = rest * 1_000_000_000 + word;
                rest = value % p;
                value / p
            })
            .collect();
        if rest == 0 {
            found.push(p.into());
            words = divided;
        } else {
            p += 1;
        }
    }
    let mut open = vec![words.iter().fold(UBig::ZERO, |n, word| n * 1_000_000_000u32 + *word)];
    while let Some(n) = open.pop() {
        match u128::try_from(&n) {
            Ok(small) => found.extend(prime::factors(small).into_iter().map(UBig::from)),
            Err(_) if is_prime(&n) => found.push(n),
            Err(_) => {
                let divisor = split(&n);
                open.push(&n / &divisor);
                open.push(divisor);
            }
        }
    }
    found.sort_unstable();
    found
}

/// Miller and Rabin's test.
fn is_prime(n: &UBig) -> bool {
    let ring = ConstDivisor::new(n.clone());
    let below = n - UBig::ONE;
    let twos = below.trailing_zeros().unwrap_or(0);
    let odd = &below >> twos;
    let (one, minus_one) = (ring.reduce(1u8), ring.reduce(below));
    BASES.iter().all(|base| {
        let mut x = ring.reduce(*base).pow(&odd);
        x == one
            || x == minus_one
            || (1..twos).any(|_| {
                x = x.sqr();
                x == minus_one
            })
    })
}

/// A proper divisor of a number that is no prime: Pollard's rho with Brent's cycle finding.
fn split(n: &UBig) -> UBig {
    const BATCH: u64 = 128;
    let ring = ConstDivisor::new(n.clone());
    for c in 1u32.. {
        let c = ring.reduce(c);
        let (mut y, mut product, mut length) = (ring.reduce(2u8), ring.reduce(1u8), 1u64);
        let mut divisor = UBig::ONE;
        let (mut x, mut saved) = (y.clone(), y.clone());
        while divisor.is_one() {
            x = y.clone();
            for _ in 0..length {
                y = y.sqr() + &c;
            }
            let mut done = 0;
            while done < length && divisor.is_one() {
                saved = y.clone();
                for _ in 0..BATCH.min(length - done) {
                    y = y.sqr() + &c;
                    product *= &x - &y;
                }
                divisor = product.residue().gcd(n);
                done += BATCH;
            }
            length *= 2;
        }
        // Several at once: again from the start of the batch, one at a time.
        if divisor == *n {
            divisor = UBig::ONE;
            while divisor.is_one() {
                saved = saved.sqr() + &c;
                divisor = (&x - &saved).residue().gcd(n);
            }
        }
        if divisor != *n {
            return divisor;
        }
    }
    n.clone()
}
