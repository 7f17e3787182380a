//! The mathematical functions of C's library.

use super::operators::number;
use super::{Native, native, wrong};
use crate::value::Value;
use std::rc::Rc;

macro_rules! functions {
    ($($name:literal = $function:expr,)*) => {
        &[$(native($name, 0, |_, input, _| {
            let function: fn(f64) -> f64 = $function;
            Ok(Value::Number(function(number(&input)?)))
        }),)*]
    };
}

/// From number to number.
const UNARY: &[Native] = functions! {
    "floor" = libm::floor,
    "ceil" = libm::ceil,
    "round" = libm::round,
    "trunc" = libm::trunc,
    "rint" = libm::rint,
    "nearbyint" = libm::rint,
    "sqrt" = libm::sqrt,
    "cbrt" = libm::cbrt,
    "exp" = f64::exp,
    "exp2" = f64::exp2,
    "exp10" = exp10,
    "pow10" = exp10,
    "expm1" = libm::expm1,
    "log" = f64::ln,
    "log2" = f64::log2,
    "log10" = libm::log10,
    "log1p" = libm::log1p,
    "logb" = logb,
    "significand" = significand,
    "gamma" = libm::lgamma,
    "lgamma" = libm::lgamma,
    "tgamma" = libm::tgamma,
    "sin" = libm::sin,
    "cos" = libm::cos,
    "tan" = libm::tan,
    "asin" = libm::asin,
    "acos" = libm::acos,
    "atan" = libm::atan,
    "sinh" = libm::sinh,
    "cosh" = libm::cosh,
    "tanh" = libm::tanh,
    "asinh" = libm::asinh,
    "acosh" = libm::acosh,
    "atanh" = libm::atanh,
    "erf" = libm::erf,
    "erfc" = libm::erfc,
    "j0" = libm::j0,
    "j1" = libm::j1,
    "y0" = libm::y0,
    "y1" = libm::y1,
};

macro_rules! functions_of_two {
    ($($name:literal = $function:expr,)*) => {
        &[$(native($name, 2, |_, _, args| {
            let function: fn(f64, f64) -> f64 = $function;
            Ok(Value::Number(function(number(&args[0])?, number(&args[1])?)))
        }),)*]
    };
}

const BINARY: &[Native] = functions_of_two! {
    "pow" = f64::powf,
    "atan2" = libm::atan2,
    "fmod" = libm::fmod,
    "fmin" = libm::fmin,
    "fmax" = libm::fmax,
    "fdim" = libm::fdim,
    "hypot" = libm::hypot,
    "copysign" = libm::copysign,
    "drem" = libm::remainder,
    "remainder" = libm::remainder,
    "jn" = |n, x| libm::jn(exponent(n), x),
    "yn" = |n, x| libm::yn(exponent(n), x),
    "nextafter" = libm::nextafter,
    "nexttoward" = libm::nextafter,
    "ldexp" = |x, e| libm::scalbn(x, exponent(e)),
    "scalb" = scalb,
    "scalbln" = |x, e| libm::scalbn(x, if e.abs() < MOST { e.clamp(-LARGE, LARGE) as i32 } else { i32::MIN }),
};

const OTHERS: &[Native] = &[
    native("fabs", 0, |_, input, _| Ok(Value::Number(number(&input)?.abs()))),
    native("abs", 0, |_, input, _| match &input {
        Value::Number(n) if *n < 0.0 => Ok(Value::Number(-n)),
        Value::Literal(literal) if literal.value < 0.0 => Ok(Value::Literal(Rc::new(literal.negated()))),
        other if other.compare(&Value::Number(0.0)).is_lt() && other.as_number().is_none() => {
            wrong(other, "cannot be negated")
        }
        _ => Ok(input),
    }),
    native("fma", 3, |_, _, args| {
        Ok(Value::Number(libm::fma(number(&args[0])?, number(&args[1])?, number(&args[2])?)))
    }),
    native("frexp", 0, |_, input, _| {
        let (mantissa, exponent) = libm::frexp(number(&input)?);
        Ok(Value::array(vec![mantissa.into(), f64::from(exponent).into()]))
    }),
    native("modf", 0, |_, input, _| {
        let value = number(&input)?;
        let fraction = if value.is_infinite() { 0.0 } else { value - libm::trunc(value) };
        Ok(Value::array(vec![libm::copysign(fraction, value).into(), libm::trunc(value).into()]))
    }),
    native("lgamma_r", 0, |_, input, _| {
        let (value, sign) = libm::lgamma_r(number(&input)?);
        Ok(Value::array(vec![value.into(), f64::from(sign).into()]))
    }),
    native("infinite", 0, |_, _, _| Ok(Value::Number(f64::INFINITY))),
    native("nan", 0, |_, _, _| Ok(Value::Number(f64::NAN))),
    native("isinfinite", 0, |_, input, _| Ok(input.as_number().is_some_and(f64::is_infinite).into())),
    native("isnan", 0, |_, input, _| Ok(input.as_number().is_some_and(f64::is_nan).into())),
    native("isnormal", 0, |_, input, _| Ok(input.as_number().is_some_and(f64::is_normal).into())),
];

pub const TABLE: &[Native] = &{
    // The three as one table.
    let mut all = [OTHERS[0]; UNARY.len() + BINARY.len() + OTHERS.len()];
    let mut at = 0;
    while at < all.len() {
        all[at] = if at < UNARY.len() {
            UNARY[at]
        } else if at < UNARY.len() + BINARY.len() {
            BINARY[at - UNARY.len()]
        } else {
            OTHERS[at - UNARY.len() - BINARY.len()]
        };
        at += 1;
    }
    all
};

/// An exponent that is too large for every number.
const LARGE: f64 = 100_000.0;

/// What no number of 64 bits can hold.
const MOST: f64 = 9_223_372_036_854_775_808.0;

/// What the machine makes an `int` of: what does not fit, and no number at all, is the least one.
fn exponent(value: f64) -> i32 {
    let whole = libm::trunc(value);
    let fits = (f64::from(i32::MIN)..=f64::from(i32::MAX)).contains(&whole);
    if fits { whole as i32 } else { i32::MIN }
}

/// As [`libm::scalbn`] for whole exponents, and for infinite ones.
fn scalb(value: f64, power: f64) -> f64 {
    if power.is_infinite() {
        // Nothing times infinity is no number.
        return if power > 0.0 { value * power } else { value / -power };
    }
    if power != libm::trunc(power) { f64::NAN } else { libm::scalbn(value, power.clamp(-LARGE, LARGE) as i32) }
}

/// Powers of ten are exact where they can be.
fn exp10(value: f64) -> f64 {
    if value == libm::trunc(value) && value.abs() < 400.0 {
        return format!("1e{value}").parse().unwrap_or(f64::NAN);
    }
    10f64.powf(value)
}

fn logb(value: f64) -> f64 {
    if value == 0.0 {
        return f64::NEG_INFINITY;
    }
    if !value.is_finite() {
        return value.abs();
    }
    f64::from(libm::frexp(value).1 - 1)
}

fn significand(value: f64) -> f64 {
    if value == 0.0 || !value.is_finite() {
        return value;
    }
    libm::frexp(value).0 * 2.0
}
