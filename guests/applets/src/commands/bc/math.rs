//! The functions of `-l`. Their series are cut at the same digits as GNU's, because the last digit of a result shows where.

use crate::decimal::Decimal;
use std::cmp::Ordering;

fn int(n: usize) -> Decimal {
    Decimal::int(n as i64)
}

fn div(a: &Decimal, b: &Decimal, scale: usize) -> Decimal {
    a.div(b, scale).unwrap_or_default()
}

fn less(a: &Decimal, b: &Decimal) -> bool {
    a.compare(b) == Ordering::Less
}

fn constant(text: &[u8]) -> Decimal {
    Decimal::parse(text, 10, true)
}

/// The sum of `first` and of what `next` makes from each term, until that is nothing.
fn sum(first: Decimal, mut next: impl FnMut(usize) -> Decimal) -> Decimal {
    let (mut sum, mut n) = (first, 1);
    loop {
        let term = next(n);
        if term.is_zero() {
            return sum;
        }
        sum = sum.add(&term);
        n += 1;
    }
}

/// Halved until it is small, and squared as often. None when the result has too many digits.
pub fn exponential(x: &Decimal, scale: usize) -> Option<Decimal> {
    let size = x.abs();
    size.to_i64().filter(|n| *n < 2_000_000)?;
    let more = constant(b".44").mul(&size, scale).to_i64()?;
    let work = 6 + scale + usize::try_from(more).ok()?;
    let (mut y, mut halved, mut digits) = (size.clone(), 0, size.scale() + 1);
    while less(&int(1), &y) {
        y = div(&y, &int(2), digits);
        halved += 1;
        digits += 1;
    }
    let (mut power, mut factorial) = (y.clone(), int(1));
    let mut result = sum(int(1).add(&y), |n| {
        power = power.mul(&y, work);
        factorial = factorial.mul(&int(n + 1), work);
        div(&power, &factorial, work)
    });
    for _ in 0..halved {
        result = result.mul(&result, work);
    }
    if x.is_negative() { int(1).div(&result, scale) } else { result.div(&int(1), scale) }
}

pub fn logarithm(x: &Decimal, scale: usize) -> Decimal {
    if x.is_negative() || x.is_zero() {
        // There is none: the smallest number there is room for.
        let all = int(10).pow(scale as i64, 0).unwrap_or_default();
        return div(&int(1).sub(&all), &int(1), scale);
    }
    let work = scale + 6;
    let (mut y, mut factor) = (x.clone(), int(2));
    while !less(&y, &int(2)) || !less(&constant(b".5"), &y) {
        y = y.sqrt(work).unwrap_or_default();
        factor = factor.mul(&int(2), work);
    }
    let first = div(&y.sub(&int(1)), &y.add(&int(1)), work);
    let square = first.mul(&first, work);
    let mut power = first.clone();
    let result = sum(first, |n| {
        power = power.mul(&square, work);
        div(&power, &int(2 * n + 1), work)
    });
    div(&factor.mul(&result, work), &int(1), scale)
}

/// What is known without a series, to 60 digits.
const QUARTER_PI: &[u8] = b".785398163397448309615660845819875721049292349843776455243736";
const OF_A_FIFTH: &[u8] = b".197395559849880758370049765194790293447585103787852101517688";

pub fn arctangent(x: &Decimal, scale: usize) -> Decimal {
    let sign = if x.is_negative() { int(1).neg() } else { int(1) };
    let mut y = x.abs();
    let fifth = constant(b".2");
    for (known, value) in [(int(1), QUARTER_PI), (fifth.clone(), OF_A_FIFTH)] {
        if scale <= 60 && y.compare(&known) == Ordering::Equal {
            return div(&constant(value), &sign, scale);
        }
    }
    // atan(y) = atan(.2) + atan((y - .2) / (1 + .2 y)) until y is small.
    let step = if less(&fifth, &y) { arctangent(&fifth, scale + 5) } else { Decimal::default() };
    let (work, mut steps) = (scale + 3, 0);
    while less(&fifth, &y) {
        y = div(&y.sub(&fifth), &int(1).add(&y.mul(&fifth, work)), work);
        steps += 1;
    }
    let square = y.neg().mul(&y, work);
    let mut power = y.clone();
    let result = sum(y, |n| {
        power = power.mul(&square, work);
        div(&power, &int(2 * n + 1), work)
    });
    div(&int(steps).mul(&step, scale).add(&result), &sign, scale)
}

pub fn sine(x: &Decimal, scale: usize) -> Decimal {
    let quarter = arctangent(&int(1), scale * 11 / 10 + 2);
    // Without half turns, each of which changes the sign.
    let size = x.abs();
    let turns = div(&div(&size, &quarter, 0).add(&int(2)), &int(4), 0);
    let mut y = size.sub(&int(4).mul(&turns, 0).mul(&quarter, 0));
    if turns.rem(&int(2), 0).is_some_and(|odd| !odd.is_zero()) {
        y = y.neg();
    }
    let work = scale + 2;
    let square = y.neg().mul(&y, work);
    let mut term = y.clone();
    let result = sum(y, |n| {
        let i = 2 * n + 1;
        term = term.mul(&div(&square, &int(i * (i - 1)), work), work);
        term.clone()
    });
    let result = if x.is_negative() { result.neg() } else { result };
    div(&result, &int(1), scale)
}

pub fn cosine(x: &Decimal, scale: usize) -> Decimal {
    let work = scale * 12 / 10;
    let quarter = arctangent(&int(1), work).mul(&int(2), work);
    div(&sine(&x.add(&quarter), work), &int(1), scale)
}

/// The Bessel function of whole order.
pub fn bessel(order: &Decimal, x: &Decimal, scale: usize) -> Decimal {
    let order = order.to_i64().unwrap_or(0).clamp(-10_000, 10_000);
    let n = order.unsigned_abs() as usize;
    let work = scale * 15 / 10;
    let factorial = (2..=n).fold(int(1), |product, i| product.mul(&int(i), 0));
    let powers = x.pow(n as i64, work).unwrap_or_default();
    let twos = int(2).pow(n as i64, work).unwrap_or_default();
    let factor = div(&div(&powers, &twos, work), &factorial, work);
    let square = div(&x.neg().mul(x, work), &int(4), work);
    // A large factor makes large what is missing from the sum.
    let work = work + factor.length() - factor.scale();
    let mut term = int(1);
    let result = sum(int(1), |i| {
        term = div(&div(&term.mul(&square, work), &int(i), work), &int(n + i), work);
        term.clone()
    });
    let factor = if order < 0 && n % 2 == 1 { factor.neg() } else { factor };
    div(&factor.mul(&result, scale), &int(1), scale)
}
