//! Durations (`1h30m`) and sizes (`8GiB`) as people write them.

use std::time::Duration;

/// Longer than any suite; keeps deadlines computable.
pub const MAX_DURATION: Duration = Duration::from_secs(30 * DAY);

const DAY: u64 = 86_400;
const TIME_UNITS: [(&str, u64); 4] = [("d", DAY), ("h", 3600), ("m", 60), ("s", 1)];

const SIZE_UNITS: [(&str, u64); 9] = [
    ("TiB", 1 << 40),
    ("GiB", 1 << 30),
    ("MiB", 1 << 20),
    ("KiB", 1 << 10),
    ("TB", 1_000_000_000_000),
    ("GB", 1_000_000_000),
    ("MB", 1_000_000),
    ("kB", 1_000),
    ("B", 1),
];

/// Numbers with units from the largest to the smallest, each at most once: `3h`, `1h30m`, `90s`.
pub fn parse_duration(text: &str) -> Option<Duration> {
    let mut rest = text.trim();
    let mut seconds: u64 = 0;
    let mut units = TIME_UNITS.iter();
    while !rest.is_empty() {
        let (number, after) = split_number(rest)?;
        let unit_end = after.find(|c: char| c.is_ascii_digit()).unwrap_or(after.len());
        let (unit, next) = after.split_at(unit_end);
        let (_, factor) = units.find(|(name, _)| *name == unit)?;
        seconds = seconds.checked_add(number.checked_mul(*factor)?)?;
        rest = next;
    }
    (!text.trim().is_empty()).then(|| Duration::from_secs(seconds))
}

/// A whole number with a unit: `8GiB`, `512MiB`, `2GB`.
pub fn parse_size(text: &str) -> Option<u64> {
    let (number, unit) = split_number(text.trim())?;
    let unit = unit.trim_start();
    let (_, factor) = SIZE_UNITS.iter().find(|(name, _)| *name == unit)?;
    number.checked_mul(*factor)
}

fn split_number(text: &str) -> Option<(u64, &str)> {
    let end = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    Some((text[..end].parse().ok()?, &text[end..]))
}

/// The two largest units of a duration: `3h`, `1h30m`, `2d4h`. Below a second, `0s`.
pub fn format_duration(duration: Duration) -> String {
    let mut left = duration.as_secs();
    let mut parts = Vec::new();
    for (unit, factor) in TIME_UNITS {
        if left >= factor {
            parts.push(format!("{}{unit}", left / factor));
            left %= factor;
        }
    }
    if parts.is_empty() { "0s".to_owned() } else { parts.into_iter().take(2).collect() }
}

/// A size in binary units with at most one decimal: `8GiB`, `23.4GiB`.
pub fn format_size(bytes: u64) -> String {
    let (unit, factor) = SIZE_UNITS[..4].iter().find(|(_, factor)| bytes >= *factor).copied().unwrap_or(("B", 1));
    let tenths = u128::from(bytes) * 10 / u128::from(factor);
    if tenths % 10 == 0 { format!("{}{unit}", tenths / 10) } else { format!("{}.{}{unit}", tenths / 10, tenths % 10) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_are_read() {
        let seconds = |text| parse_duration(text).map(|duration| duration.as_secs());
        assert_eq!(seconds("3h"), Some(10_800));
        assert_eq!(seconds("90s"), Some(90));
        assert_eq!(seconds("1h30m"), Some(5_400));
        assert_eq!(seconds("10m"), Some(600));
        assert_eq!(seconds("1d"), Some(86_400));
        assert_eq!(seconds("0s"), Some(0));
        for wrong in [
            "",
            " ",
            "3",
            "h",
            "3 h",
            "30m1h",
            "1h1h",
            "-3h",
            "1.5h",
            "3hours",
            "99999999999999999999h",
            "9999999999999999999d",
        ] {
            assert_eq!(seconds(wrong), None, "{wrong:?}");
        }
    }

    #[test]
    fn sizes_are_read() {
        assert_eq!(parse_size("8GiB"), Some(8 << 30));
        assert_eq!(parse_size("512MiB"), Some(512 << 20));
        assert_eq!(parse_size("2GB"), Some(2_000_000_000));
        assert_eq!(parse_size("2 GB"), Some(2_000_000_000));
        for wrong in ["", "8", "GiB", "8G", "8gib", "-1GiB", "1.5GiB", "99999999999999999999B", "99999999999TiB"] {
            assert_eq!(parse_size(wrong), None, "{wrong:?}");
        }
    }

    #[test]
    fn quantities_are_shown_as_they_are_written() {
        for text in ["3h", "1h30m", "2m5s", "10s", "2d4h"] {
            assert_eq!(parse_duration(text).map(format_duration).as_deref(), Some(text));
        }
        assert_eq!(format_duration(Duration::from_secs(86_400 + 3_600 + 61)), "1d1h");
        assert_eq!(format_size(8 << 30), "8GiB");
        assert_eq!(format_size(25_125_558_681), "23.3GiB");
        assert_eq!(format_size(12), "12B");
    }
}
