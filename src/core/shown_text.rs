//! Numbers and names as people read them.

/// The longest name that is shown whole.
const LONGEST_NAME: usize = 160;

/// A name that is safe to show: control, bidirectional and invisible characters are written out, and the middle of an
/// enormous one is left out. JSON keeps names as they are; for CSV see [`crate::csv_cells`].
pub fn shown(name: &str) -> String {
    let visible: String = name.chars().take(20 * LONGEST_NAME).flat_map(visible_character).collect();
    let length = visible.chars().count();
    if length <= LONGEST_NAME {
        return visible;
    }
    let half = LONGEST_NAME / 2;
    let head: String = visible.chars().take(half).collect();
    let tail: String = visible.chars().skip(length - half).collect();
    format!("{head}…{tail}")
}

/// One character of a subject's text, written out if a terminal would not show it or would obey it.
pub fn visible_character(c: char) -> Vec<char> {
    match c {
        '\n' => "↵".chars().collect(),
        '\t' => vec![' '],
        _ if is_invisible(c) => format!("\\u{{{:x}}}", u32::from(c)).chars().collect(),
        _ => vec![c],
    }
}

/// Would a terminal obey it, or not show it?
pub fn is_invisible(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}')
}

/// Lines as they are, with such characters written out.
pub fn visible_lines(text: &str) -> String {
    let visible = |c| if matches!(c, '\n' | '\t') { vec![c] } else { visible_character(c) };
    text.chars().flat_map(visible).collect()
}

/// The same in a text of the same length, so that places in it stay what they are.
pub fn masked_lines(text: &str) -> String {
    let mask = |c: char| match c.len_utf8() {
        _ if matches!(c, '\n' | '\t') || c == '\r' && text.contains("\r\n") || !is_invisible(c) => c.to_string(),
        1 => "?".to_owned(),
        2 => "¿".to_owned(),
        3 => "\u{fffd}".to_owned(),
        _ => "\u{fffd}?".to_owned(),
    };
    text.chars().map(mask).collect()
}

/// A sentence on one line, of at most so many characters, as safe to show as a name.
pub fn sentence(text: &str, longest: usize) -> String {
    let start: String = text.chars().take(20 * longest).collect();
    let one_line = start.split_whitespace().collect::<Vec<_>>().join(" ");
    let visible: String = one_line.chars().flat_map(visible_character).collect();
    if visible.chars().count() <= longest {
        return visible;
    }
    let head: String = visible.chars().take(longest.saturating_sub(1)).collect();
    format!("{head}…")
}

/// Seconds as the study prints them: `1h22m12s`, `5m02s`, `34s`; below ten seconds with a decimal.
pub fn duration(seconds: f64) -> String {
    if !seconds.is_finite() || seconds < 0.0 {
        return "–".to_owned();
    }
    if seconds < 9.95 {
        return format!("{seconds:.1}s");
    }
    let whole = seconds.round() as u64;
    match (whole / 3600, whole / 60 % 60, whole % 60) {
        (0, 0, s) => format!("{s}s"),
        (0, m, s) => format!("{m}m{s:02}s"),
        (h, m, s) => format!("{h}h{m:02}m{s:02}s"),
    }
}

pub fn bytes(count: u64) -> String {
    let (mut value, mut unit) = (count as f64, "B");
    for next in ["KiB", "MiB", "GiB", "TiB"] {
        if value < 1024.0 {
            break;
        }
        (value, unit) = (value / 1024.0, next);
    }
    if unit == "B" || value >= 100.0 { format!("{value:.0} {unit}") } else { format!("{value:.1} {unit}") }
}

/// One decimal, left out where it is zero.
pub fn decimal(value: f64) -> String {
    let text = format!("{value:.1}");
    text.strip_suffix(".0").map(str::to_owned).unwrap_or(text)
}

/// How many decimals ratios need so that none that differs from 1 is shown as 1: two, and at most six.
pub fn decimals_beside_one(ratios: &[f64]) -> usize {
    let is_hidden =
        |ratio: &f64, decimals: usize| *ratio != 1.0 && format!("{ratio:.decimals$}") == format!("{:.decimals$}", 1.0);
    (2..6).find(|decimals| !ratios.iter().any(|ratio| is_hidden(ratio, *decimals))).unwrap_or(6)
}

/// A p-value: three decimals, or that it is smaller than they can show.
pub fn p_value(p: f64) -> String {
    if p < 0.0005 { "<0.001".to_owned() } else { format!("{p:.3}") }
}

/// `TO` if all of them did, else `TO in 2 of 5`.
pub fn counted(what: &str, count: usize, of: usize) -> String {
    if count == of { what.to_owned() } else { format!("{what} in {count} of {of}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ratio_beside_one_is_not_shown_as_one() {
        assert_eq!(decimals_beside_one(&[1.5, 1.41, 1.0]), 2);
        assert_eq!(decimals_beside_one(&[1.0002, 1.0001, 1.01]), 4);
        assert_eq!(decimals_beside_one(&[0.9996]), 4);
        assert_eq!(decimals_beside_one(&[1.0 + 1e-12]), 6);
    }

    #[test]
    fn times_read_as_in_the_study() {
        let printed = [(170.0, "2m50s"), (4932.0, "1h22m12s"), (302.4, "5m02s"), (34.0, "34s"), (3.06, "3.1s")];
        for (seconds, text) in printed {
            assert_eq!(duration(seconds), text);
        }
        assert_eq!(duration(f64::NAN), "–");
        assert_eq!(duration(9.97), "10s");
    }

    #[test]
    fn sizes_and_counts_are_short() {
        assert_eq!(bytes(512), "512 B");
        assert_eq!(bytes(3 * 1024 * 1024 / 2), "1.5 MiB");
        assert_eq!(decimal(5.0), "5");
        assert_eq!(decimal(4.6), "4.6");
        assert_eq!(counted("TO", 5, 5), "TO");
        assert_eq!(counted("TO", 2, 5), "TO in 2 of 5");
    }

    #[test]
    fn names_cannot_hide_or_flood() {
        assert_eq!(shown("a\u{202e}b\nc\u{1b}[31m"), "a\\u{202e}b↵c\\u{1b}[31m");
        assert!(shown(&"x".repeat(10_000)).chars().count() <= LONGEST_NAME + 1);
        assert!(shown(&"\u{202e}".repeat(10_000)).chars().count() <= LONGEST_NAME + 1);
        assert_eq!(shown("größe 日本 <b>"), "größe 日本 <b>");
        assert_eq!(sentence("two\n  lines\u{1b}", 20), "two lines\\u{1b}");
        assert_eq!(sentence(&"x".repeat(10_000), 600).chars().count(), 600);
    }
}
