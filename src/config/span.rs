//! Lengths of time as people write them: `500ms`, `90s`, `10m`, `2h`.

use std::time::Duration;

use serde::{Deserialize, Deserializer, de::Error as _};

/// Reads a length of time.
///
/// # Errors
/// A sentence with the forms that are read.
pub fn parse_duration(text: &str) -> Result<Duration, String> {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let (number, unit) = text.split_at(digits);
    let millis = match unit {
        "ms" => Some(1),
        "s" => Some(1000),
        "m" => Some(60_000),
        "h" => Some(3_600_000),
        _ => None,
    };
    millis
        .zip(number.parse::<u64>().ok())
        .and_then(|(unit, n)| n.checked_mul(unit))
        .filter(|ms| *ms > 0)
        .map(Duration::from_millis)
        .ok_or_else(|| format!("'{text}' is no length of time; write \"90s\", \"10m\" or \"2h\""))
}

pub(super) fn duration<'de, D: Deserializer<'de>>(d: D) -> Result<Duration, D::Error> {
    parse_duration(&String::deserialize(d)?).map_err(D::Error::custom)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_of_time() {
        for (text, ms) in [("500ms", 500), ("90s", 90_000), ("10m", 600_000), ("2h", 7_200_000)] {
            assert_eq!(parse_duration(text), Ok(Duration::from_millis(ms)));
        }
        for bad in ["", "10", "m", "-1s", "1.5m", "10 m", "0s", "99999999999999999999h", "1d"] {
            assert!(parse_duration(bad).is_err(), "{bad}");
        }
    }
}
