//! Exact figures: ratios of counts and decimals from a configuration, compared without rounding.

use std::cmp::Ordering;
use std::fmt;

use serde::{Deserialize, Serialize};

/// `hit` of `found`: compared exactly, rounded only when printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Ratio {
    /// Numerator.
    pub hit: u64,
    /// Denominator; 0 means "no data", so such a ratio is never made.
    pub found: u64,
}

impl Ratio {
    /// `None` where nothing was found: 0/0 is no data, neither 0 nor 100 %.
    pub fn new(hit: u64, found: u64) -> Option<Ratio> {
        (found > 0).then_some(Ratio { hit, found })
    }

    /// In percent, exactly.
    pub fn percent(self) -> Decimal {
        Decimal::fraction(i128::from(self.hit) * 100, i128::from(self.found))
    }
}

/// An exact rational number (numerator and positive denominator, in lowest terms). Made from the
/// decimals of a configuration and from ratios of counts; `f64` appears only at the very edge.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Decimal {
    num: i128,
    den: i128,
}

impl Decimal {
    /// Zero.
    pub const ZERO: Decimal = Decimal { num: 0, den: 1 };

    /// A whole number.
    pub fn whole(n: i64) -> Decimal {
        Decimal { num: i128::from(n), den: 1 }
    }

    /// `num / den`; a denominator of 0 is taken as 1, callers check it before.
    pub fn fraction(num: i128, den: i128) -> Decimal {
        let den = if den == 0 { 1 } else { den };
        let sign = if den < 0 { -1 } else { 1 };
        let g = gcd(num.unsigned_abs(), den.unsigned_abs()).max(1).cast_signed();
        Decimal { num: sign * num / g, den: sign * den / g }
    }

    /// The decimal that a number of a configuration or record was written as: the shortest text
    /// that gives the same `f64`. `None` for NaN, infinities and exponents that cannot be held.
    pub fn from_f64(value: f64) -> Option<Decimal> {
        if !value.is_finite() || value.abs() > 1e15 {
            return None;
        }
        Decimal::parse(&format!("{value}"))
    }

    /// Reads `-12.5`: an optional minus, digits, an optional point with digits.
    pub fn parse(text: &str) -> Option<Decimal> {
        let (negative, digits) = match text.strip_prefix('-') {
            Some(rest) => (true, rest),
            None => (false, text),
        };
        let (whole, part) = digits.split_once('.').unwrap_or((digits, ""));
        let all = |s: &str| s.bytes().all(|b| b.is_ascii_digit());
        let point = digits.contains('.');
        if whole.is_empty() || !all(whole) || !all(part) || (point && part.is_empty()) {
            return None;
        }
        if whole.len() > 18 || part.len() > 18 {
            return None;
        }
        let scale = 10i128.pow(u32::try_from(part.len()).ok()?);
        let part: i128 = if part.is_empty() { 0 } else { part.parse().ok()? };
        let num = whole.parse::<i128>().ok()? * scale + part;
        Some(Decimal::fraction(if negative { -num } else { num }, scale))
    }

    /// For scores and JSON numbers.
    #[allow(clippy::cast_precision_loss, reason = "this is the edge where exactness ends")]
    pub fn to_f64(self) -> f64 {
        self.num as f64 / self.den as f64
    }

    /// The sum.
    #[must_use]
    pub fn plus(self, other: Decimal) -> Decimal {
        Decimal::fraction(self.num * other.den + other.num * self.den, self.den * other.den)
    }

    /// The difference.
    #[must_use]
    pub fn minus(self, other: Decimal) -> Decimal {
        self.plus(Decimal { num: -other.num, den: other.den })
    }

    /// The smaller of two.
    #[must_use]
    pub fn least(self, other: Decimal) -> Decimal {
        if other < self { other } else { self }
    }

    /// Rounded half away from zero to `digits` decimals, as a scaled whole number.
    fn scaled(self, digits: u32) -> i128 {
        let n = self.num * 10i128.pow(digits);
        let (q, r) = (n / self.den, n % self.den);
        if r.abs() * 2 >= self.den { q + n.signum() } else { q }
    }

    /// With exactly this many decimals.
    fn fixed(self, digits: u32) -> String {
        let scaled = self.scaled(digits);
        let sign = if scaled < 0 { "-" } else { "" };
        let text = format!("{:0width$}", scaled.unsigned_abs(), width = digits as usize + 1);
        let (whole, part) = text.split_at(text.len() - digits as usize);
        if part.is_empty() { format!("{sign}{whole}") } else { format!("{sign}{whole}.{part}") }
    }
}

/// At least one digit after the point, no zeros at the end beyond it.
fn trim(text: &str) -> String {
    let trimmed = text.trim_end_matches('0');
    if trimmed.ends_with('.') { format!("{trimmed}0") } else { trimmed.to_string() }
}

/// Two different values as the shortest decimals, at least one digit after the point, that stand on
/// the same side of each other as the exact values do. Equal values print equal.
pub fn decimals_apart(x: Decimal, y: Decimal) -> (String, String) {
    let exact = x.cmp(&y);
    for digits in 1..=18 {
        if x.scaled(digits).cmp(&y.scaled(digits)) == exact {
            return (trim(&x.fixed(digits)), trim(&y.fixed(digits)));
        }
    }
    (trim(&x.fixed(18)), trim(&y.fixed(18)))
}

impl fmt::Display for Decimal {
    /// One decimal, for people.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.fixed(1))
    }
}

impl PartialOrd for Decimal {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Decimal {
    fn cmp(&self, other: &Self) -> Ordering {
        (self.num * other.den).cmp(&(other.num * self.den))
    }
}

fn gcd(mut a: u128, mut b: u128) -> u128 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

#[cfg(test)]
mod tests {
    use super::*;

    fn percent(hit: u64, found: u64) -> Decimal {
        Ratio::new(hit, found).unwrap().percent()
    }

    #[test]
    fn nothing_found_is_no_ratio() {
        assert_eq!(Ratio::new(0, 0), None);
    }

    #[test]
    fn figures_that_differ_never_print_equal() {
        for (x, y, printed) in [
            (percent(1, 2), Decimal::whole(60), ("50.0", "60.0")),
            (percent(59_996, 100_000), Decimal::whole(60), ("59.996", "60.0")),
            (percent(79_996, 100_000), Decimal::whole(80), ("79.996", "80.0")),
            (percent(2, 3), percent(200_001, 300_000), ("66.6667", "66.667")),
            (percent(599, 1000), Decimal::whole(60), ("59.9", "60.0")),
            (Decimal::from_f64(-6.25).unwrap(), Decimal::whole(-5), ("-6.3", "-5.0")),
        ] {
            let (a, b) = decimals_apart(x, y);
            assert_eq!((a.as_str(), b.as_str()), printed);
        }
    }

    #[test]
    fn a_configured_decimal_is_what_was_written() {
        assert_eq!(Decimal::from_f64(60.1), Decimal::parse("60.1"));
        assert_eq!(Decimal::parse("0.30").unwrap(), Decimal::fraction(3, 10));
        for bad in ["", ".5", "1.", "1e5", "x", "--1", "1.2.3"] {
            assert_eq!(Decimal::parse(bad), None, "{bad}");
        }
        assert_eq!(Decimal::from_f64(f64::NAN), None);
    }

    proptest::proptest! {
        #[test]
        fn printed_order_is_exact_order(a in 0u64..5000, b in 1u64..5000, c in 0u64..5000, d in 1u64..5000) {
            let (x, y) = (percent(a, b), percent(c, d));
            let (px, py) = decimals_apart(x, y);
            let (px, py) = (Decimal::parse(&px).unwrap(), Decimal::parse(&py).unwrap());
            proptest::prop_assert_eq!(x.cmp(&y), px.cmp(&py));
        }
    }
}
