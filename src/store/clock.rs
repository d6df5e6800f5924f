//! The wall clock, for adapters only: rules get the time as a number from their caller.

use jiff::Timestamp;

/// Now, in whole seconds since 1970.
pub fn now_seconds() -> i64 {
    Timestamp::now().as_second()
}

/// Now, as text.
pub fn now() -> String {
    iso(now_seconds())
}

/// ISO-8601 in UTC with whole seconds: `2026-11-30T20:34:20Z`. Seconds beyond what a calendar can
/// hold are clamped to its end: such a text still sorts and parses.
pub fn iso(seconds: i64) -> String {
    let clamped = seconds.clamp(Timestamp::MIN.as_second(), Timestamp::MAX.as_second());
    Timestamp::from_second(clamped).unwrap_or(Timestamp::UNIX_EPOCH).to_string()
}

/// Reads an ISO-8601 time with an offset or `Z`; fractions of a second are cut off.
pub fn parse(text: &str) -> Option<i64> {
    text.trim().parse::<Timestamp>().ok().map(Timestamp::as_second)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_whole_seconds_in_utc() {
        assert_eq!(iso(0), "1970-01-01T00:00:00Z");
        assert_eq!(parse("1970-01-01T01:00:05.75+01:00"), Some(5));
        for bad in ["", "yesterday", "1970-01-01", "1970-01-01T00:00:00"] {
            assert_eq!(parse(bad), None, "{bad}");
        }
        assert!(now().ends_with('Z'));
        assert_eq!(now().len(), "1970-01-01T00:00:00Z".len());
    }

    proptest::proptest! {
        #[test]
        fn printing_and_reading_are_inverses(seconds in -62_135_596_800i64..253_000_000_000) {
            proptest::prop_assert_eq!(parse(&iso(seconds)), Some(seconds));
        }

        #[test]
        fn any_number_has_a_text(seconds in proptest::prelude::any::<i64>()) {
            proptest::prop_assert!(parse(&iso(seconds)).is_some());
        }
    }
}
