//! The functions of `-l`: series with some digits more than asked for, cut in the end.

use crate::decimal::Decimal;
use std::cmp::Ordering;

fn int(n: i64) -> Decimal {
    Decimal::int(n)
}

fn div(a: &Decimal, b: &Decimal, scale: usize) -> Decimal {
    a.div(b, scale).unwrap_or_default()
}

fn mul(a: &Decimal, b: &Decimal, scale: usize) -> Decimal {
    a.mul(b, scale).cut(scale)
}

fn less(a: &Decimal, b: &Decimal) -> bool {
    a.compare(b) == Ordering::Less
}

/// Digits before the point.
fn whole_digits(x: &Decimal) -> usize {
    x.with_scale(0).length()
}

/// None when the result has too many digits.
pub fn exponential(x: &Decimal, scale: usize) -> Option<Decimal> {
    let size = x.abs().to_i64().filter(|n| *n < 2_000_000)? as usize;
    let negative = x.is_negative();
    let scale_in = scale + size * 4 / 9 + x.scale().min(scale) + 10;
    let mut y = x.abs().with_scale(scale_in);
    let mut halved = 0;
    while !less(&y, &int(1)) {
        y = div(&y, &int(2), scale_in + 4);
        halved += 1;
    }
    let work = scale_in + halved + 4;
    let (mut sum, mut term, mut n) = (int(1).add(&y), y.clone(), 2);
    loop {
        term = div(&mul(&term, &y, work), &int(n), work);
        if term.is_zero() {
            break;
        }
        sum = sum.add(&term);
        n += 1;
    }
    for _ in 0..halved {
        sum = mul(&sum, &sum, work);
    }
    if negative {
        return int(1).div(&sum, scale);
    }
    Some(sum.with_scale(scale))
}

pub fn logarithm(x: &Decimal, scale: usize) -> Decimal {
    if x.is_negative() || x.is_zero() {
        // As the library of GNU has it: the smallest number there is room for.
        let all = int(10).pow(scale as i64, 0).unwrap_or_default();
        return div(&int(1).sub(&all), &int(1), scale);
    }
    let work = scale + whole_digits(x).max(x.scale()) + 12;
    let mut y = x.with_scale(work);
    let mut factor = int(2);
    let (low, high) = (div(&int(1), &int(2), 1), int(2));
    while less(&high, &y) || !less(&low, &y) {
        y = y.sqrt(work).unwrap_or_default();
        factor = factor.mul(&int(2), 0);
    }
    let z = div(&y.sub(&int(1)), &y.add(&int(1)), work);
    let square = mul(&z, &z, work);
    let (mut sum, mut power, mut n) = (z.clone(), z, 3);
    loop {
        power = mul(&power, &square, work);
        let term = div(&power, &int(n), work);
        if term.is_zero() {
            break;
        }
        sum = sum.add(&term);
        n += 2;
    }
    sum.mul(&factor, work).with_scale(scale)
}

pub fn arctangent(x: &Decimal, scale: usize) -> Decimal {
    let work = scale + 10;
    let negative = x.is_negative();
    let mut y = x.abs().with_scale(work + x.scale());
    // atan(y) = 2 atan(y / (1 + sqrt(1 + y*y))) until y is small.
    let mut doubled = int(1);
    let small = div(&int(1), &int(5), 1);
    let inner = work + 10;
    while less(&small, &y) {
        let root = int(1).add(&mul(&y, &y, inner)).sqrt(inner).unwrap_or_default();
        y = div(&y, &int(1).add(&root), inner);
        doubled = doubled.mul(&int(2), 0);
    }
    let square = mul(&y, &y, inner);
    let (mut sum, mut power, mut n, mut minus) = (y.clone(), y, 3, true);
    loop {
        power = mul(&power, &square, inner);
        let term = div(&power, &int(n), inner);
        if term.is_zero() {
            break;
        }
        sum = if minus { sum.sub(&term) } else { sum.add(&term) };
        minus = !minus;
        n += 2;
    }
    let result = sum.mul(&doubled, inner).with_scale(scale);
    if negative { result.neg() } else { result }
}

/// The angle without whole turns, with its scale.
fn reduced(x: &Decimal, scale: usize) -> (Decimal, usize) {
    let work = scale + whole_digits(x) + 12;
    let turn = arctangent(&int(1), work + 4).mul(&int(8), work + 4);
    let turns = x.div(&turn, 0).unwrap_or_default();
    (x.sub(&turns.mul(&turn, work + 4)).with_scale(work), work)
}

/// The series that begins with `first` and goes on by the square over `n (n + 1)`.
fn alternating(first: Decimal, square: &Decimal, mut n: i64, work: usize) -> Decimal {
    let (mut sum, mut term) = (first.clone(), first);
    loop {
        term = div(&mul(&term, square, work), &int(n * (n + 1)), work).neg();
        if term.is_zero() {
            return sum;
        }
        sum = sum.add(&term);
        n += 2;
    }
}

pub fn sine(x: &Decimal, scale: usize) -> Decimal {
    let (y, work) = reduced(x, scale);
    let square = mul(&y, &y, work);
    alternating(y, &square, 2, work).with_scale(scale)
}

pub fn cosine(x: &Decimal, scale: usize) -> Decimal {
    let (y, work) = reduced(x, scale);
    let square = mul(&y, &y, work);
    alternating(int(1).with_scale(work), &square, 1, work).with_scale(scale)
}

/// The Bessel function of whole order.
pub fn bessel(order: &Decimal, x: &Decimal, scale: usize) -> Decimal {
    let n = order.to_i64().unwrap_or(0).clamp(-10_000, 10_000);
    let negative = n < 0 && n % 2 != 0;
    let n = n.abs();
    let work = scale + 12 + 2 * whole_digits(x) + x.abs().to_i64().unwrap_or(0).min(100_000) as usize;
    let half = div(x, &int(2), work);
    let mut first = int(1).with_scale(work);
    for i in 1..=n {
        first = div(&mul(&first, &half, work), &int(i), work);
    }
    let square = mul(&half, &half, work);
    let (mut sum, mut term, mut i) = (first.clone(), first, 1);
    loop {
        term = div(&mul(&term, &square, work), &int(i * (n + i)), work).neg();
        if term.is_zero() {
            break;
        }
        sum = sum.add(&term);
        i += 1;
    }
    let result = sum.with_scale(scale);
    if negative { result.neg() } else { result }
}
