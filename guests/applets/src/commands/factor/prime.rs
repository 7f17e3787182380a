//! Prime factors: trial division by small primes, then Miller-Rabin and Pollard's rho in Montgomery's form, in 64 bits
//! where the number fits.

/// Trial division goes so far: what is left below its square is a prime.
pub const TRIAL: u64 = 5000;

/// The odd primes below it, worked out by the compiler.
static PRIMES: [u16; 668] = odd_primes();

const fn odd_primes() -> [u16; 668] {
    let mut primes = [0; 668];
    let (mut count, mut n) = (0, 3);
    while n < TRIAL as u16 {
        let mut i = 0;
        while i < count && primes[i] * primes[i] <= n && n % primes[i] != 0 {
            i += 1;
        }
        if i == count || primes[i] * primes[i] > n {
            primes[count] = n;
            count += 1;
        }
        n += 2;
    }
    primes
}

/// For each of them its inverse modulo 2^64, and the largest quotient: what is a multiple becomes its quotient when it is
/// multiplied by the inverse, and everything else becomes more than the largest. Several times as fast as dividing.
static INVERSES: [(u64, u64); 668] = inverses();

const fn inverses() -> [(u64, u64); 668] {
    let mut all = [(0, 0); 668];
    let mut at = 0;
    while at < all.len() {
        let prime = PRIMES[at] as u64;
        all[at] = (inverse(prime), u64::MAX / prime);
        at += 1;
    }
    all
}

/// The inverse of an odd number modulo 2^64.
const fn inverse(n: u64) -> u64 {
    // Each step doubles the right bits; `n` itself is right in three.
    let (mut inverse, mut step) = (n, 0);
    while step < 5 {
        inverse = inverse.wrapping_mul(2u64.wrapping_sub(n.wrapping_mul(inverse)));
        step += 1;
    }
    inverse
}

/// The factors in order.
pub fn factors(mut n: u128) -> Vec<u128> {
    let mut found = Vec::new();
    if n < 2 {
        return found;
    }
    let twos = n.trailing_zeros();
    found.extend(std::iter::repeat_n(2, twos as usize));
    n >>= twos;
    for p in PRIMES.iter().map(|p| u128::from(*p)) {
        // What fits into 64 bits is left to the quicker way.
        if n <= u64::MAX.into() {
            break;
        }
        while n.is_multiple_of(p) {
            found.push(p);
            n /= p;
        }
    }
    if let Ok(small) = u64::try_from(n) {
        n = divide_out(small, &mut found).into();
    }
    if n > 1 && n < u128::from(TRIAL) * u128::from(TRIAL) {
        found.push(n);
        n = 1;
    }
    let mut open = if n > 1 { vec![n] } else { Vec::new() };
    while let Some(n) = open.pop() {
        if is_prime(n) {
            found.push(n);
        } else {
            let divisor = split(n);
            open.extend([divisor, n / divisor]);
        }
    }
    found.sort_unstable();
    found
}

/// Takes the small primes out of a number; what is left.
fn divide_out(mut n: u64, found: &mut Vec<u128>) -> u64 {
    for (&prime, &(inverse, largest)) in PRIMES.iter().zip(&INVERSES) {
        if u64::from(prime).pow(2) > n {
            break;
        }
        loop {
            let quotient = n.wrapping_mul(inverse);
            if quotient > largest {
                break;
            }
            found.push(prime.into());
            n = quotient;
        }
    }
    n
}

/// Bases that decide every number of 64 bits, and leave no known exception above.
const BASES: [u128; 20] = [2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53, 59, 61, 67, 71];

fn is_prime(n: u128) -> bool {
    match u64::try_from(n) {
        Ok(small) => miller_rabin(&Field64::new(small), n, &BASES[..12]),
        Err(_) => miller_rabin(&Field128::new(n), n, &BASES),
    }
}

/// A proper divisor of an odd number that is no prime.
fn split(n: u128) -> u128 {
    match u64::try_from(n) {
        Ok(small) => rho(&Field64::new(small), n),
        Err(_) => rho(&Field128::new(n), n),
    }
}

/// Arithmetic modulo an odd number, on numbers multiplied by a power of two.
trait Field {
    type Number: Copy + PartialEq;
    fn enter(&self, value: u128) -> Self::Number;
    fn mul(&self, a: Self::Number, b: Self::Number) -> Self::Number;
    fn add(&self, a: Self::Number, b: Self::Number) -> Self::Number;
    fn difference(&self, a: Self::Number, b: Self::Number) -> Self::Number;
    fn plain(&self, a: Self::Number) -> u128;
}

fn miller_rabin<F: Field>(field: &F, n: u128, bases: &[u128]) -> bool {
    let twos = (n - 1).trailing_zeros();
    let odd = (n - 1) >> twos;
    let (one, minus_one) = (field.enter(1), field.enter(n - 1));
    bases.iter().all(|base| {
        if base % n == 0 {
            return true;
        }
        let mut x = one;
        let base = field.enter(*base);
        for bit in (0..128 - odd.leading_zeros()).rev() {
            x = field.mul(x, x);
            if odd >> bit & 1 == 1 {
                x = field.mul(x, base);
            }
        }
        if x == one || x == minus_one {
            return true;
        }
        (1..twos).any(|_| {
            x = field.mul(x, x);
            x == minus_one
        })
    })
}

/// Pollard's rho with Brent's cycle finding; differences are multiplied up and their common divisor taken in batches.
fn rho<F: Field>(field: &F, n: u128) -> u128 {
    const BATCH: u64 = 128;
    for c in 1.. {
        let c = field.enter(c);
        let step = |x| field.add(field.mul(x, x), c);
        let (mut y, mut product, mut length) = (field.enter(2), field.enter(1), 1u64);
        let mut divisor = 1;
        let (mut x, mut saved) = (y, y);
        while divisor == 1 {
            x = y;
            for _ in 0..length {
                y = step(y);
            }
            let mut done = 0;
            while done < length && divisor == 1 {
                saved = y;
                for _ in 0..BATCH.min(length - done) {
                    y = step(y);
                    product = field.mul(product, field.difference(x, y));
                }
                divisor = common_divisor(field.plain(product), n);
                done += BATCH;
            }
            length *= 2;
        }
        // Several at once: again from the start of the batch, one at a time.
        if divisor == n {
            divisor = 1;
            while divisor == 1 {
                saved = step(saved);
                divisor = common_divisor(field.plain(field.difference(x, saved)), n);
            }
        }
        if divisor != n {
            return divisor;
        }
    }
    n
}

fn common_divisor(mut a: u128, mut b: u128) -> u128 {
    if a == 0 {
        return b;
    }
    // `b` is odd: halves of `a` do not matter.
    a >>= a.trailing_zeros();
    while a != b {
        if a < b {
            std::mem::swap(&mut a, &mut b);
        }
        a -= b;
        a >>= a.trailing_zeros();
    }
    a
}

struct Field64 {
    n: u64,
    /// The negative inverse of `n` modulo 2^64.
    inverse: u64,
    /// 2^128 modulo `n`.
    square: u64,
}

impl Field64 {
    fn new(n: u64) -> Field64 {
        let r = (u128::from(u64::MAX) % u128::from(n) + 1) % u128::from(n);
        Field64 { n, inverse: inverse(n).wrapping_neg(), square: (r * r % u128::from(n)) as u64 }
    }

    fn reduce(&self, value: u128) -> u64 {
        let m = (value as u64).wrapping_mul(self.inverse);
        let product = u128::from(m) * u128::from(self.n);
        let carry = u128::from(value as u64 != 0);
        let sum = (value >> 64) + (product >> 64) + carry;
        if sum >= u128::from(self.n) { (sum - u128::from(self.n)) as u64 } else { sum as u64 }
    }
}

impl Field for Field64 {
    type Number = u64;

    fn enter(&self, value: u128) -> u64 {
        self.mul((value % u128::from(self.n)) as u64, self.square)
    }

    fn mul(&self, a: u64, b: u64) -> u64 {
        self.reduce(u128::from(a) * u128::from(b))
    }

    fn add(&self, a: u64, b: u64) -> u64 {
        let (sum, over) = a.overflowing_add(b);
        if over || sum >= self.n { sum.wrapping_sub(self.n) } else { sum }
    }

    fn difference(&self, a: u64, b: u64) -> u64 {
        a.abs_diff(b)
    }

    fn plain(&self, a: u64) -> u128 {
        self.reduce(a.into()).into()
    }
}

struct Field128 {
    n: u128,
    inverse: u128,
    /// 2^256 modulo `n`.
    square: u128,
}

/// The product, high and low.
fn wide(a: u128, b: u128) -> (u128, u128) {
    let low = |x: u128| x & u128::from(u64::MAX);
    let (a1, a0, b1, b0) = (a >> 64, low(a), b >> 64, low(b));
    let (ll, lh, hl, hh) = (a0 * b0, a0 * b1, a1 * b0, a1 * b1);
    let middle = (ll >> 64) + low(lh) + low(hl);
    (hh + (lh >> 64) + (hl >> 64) + (middle >> 64), middle << 64 | low(ll))
}

impl Field128 {
    fn new(n: u128) -> Field128 {
        let inverse = (0..6).fold(n, |x, _| x.wrapping_mul(2u128.wrapping_sub(n.wrapping_mul(x))));
        let mut field = Field128 { n, inverse: inverse.wrapping_neg(), square: 0 };
        // 2^128 modulo n, doubled 128 times.
        let mut square = (u128::MAX % n + 1) % n;
        for _ in 0..128 {
            square = field.add(square, square);
        }
        field.square = square;
        field
    }

    fn reduce(&self, high: u128, low: u128) -> u128 {
        let m = low.wrapping_mul(self.inverse);
        let (upper, _) = wide(m, self.n);
        self.add(high, upper + u128::from(low != 0))
    }
}

impl Field for Field128 {
    type Number = u128;

    fn enter(&self, value: u128) -> u128 {
        self.mul(value % self.n, self.square)
    }

    fn mul(&self, a: u128, b: u128) -> u128 {
        let (high, low) = wide(a, b);
        self.reduce(high, low)
    }

    fn add(&self, a: u128, b: u128) -> u128 {
        let (sum, over) = a.overflowing_add(b);
        if over || sum >= self.n { sum.wrapping_sub(self.n) } else { sum }
    }

    fn difference(&self, a: u128, b: u128) -> u128 {
        a.abs_diff(b)
    }

    fn plain(&self, a: u128) -> u128 {
        self.reduce(0, a)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn products_are_right() {
        let cases = [
            0u128,
            1,
            2,
            97,
            5_000_000_029,
            u64::MAX.into(),
            18_446_744_073_709_551_557,
            u128::from(u64::MAX) + 2,
            1_000_000_007 * 998_244_353 * 1_000_000_009,
            (1 << 127) - 1,
            u128::MAX,
        ];
        for n in cases {
            let all = factors(n);
            assert!(all.iter().all(|f| is_prime(*f) || *f == 2), "{n}: {all:?}");
            assert_eq!(all.iter().product::<u128>(), n.max(1), "{n}");
        }
        for n in 2..3000u128 {
            assert_eq!(factors(n).iter().product::<u128>(), n);
        }
    }
}
