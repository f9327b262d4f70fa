//! Numbers as documents print them: `1,234`, `52.0%`, `1.59x`, `12 (30%)`, `1h 2m 3s`, `2:03`. Only readers of one text each;
//! what a mark means is the table's to know.

use super::range::Range;

/// Longer texts are prose.
const LONGEST: usize = 60;

#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Printed {
    pub value: f64,
    /// What one more in the last digit is worth.
    pub step: f64,
    pub decimals: usize,
    pub unit: Option<char>,
}

impl Printed {
    /// A number with decimals was rounded, and so was a percentage; others are counts unless told.
    pub fn is_rounded(self) -> bool {
        self.decimals > 0 || self.unit == Some('%')
    }

    pub fn range(self, is_rounded: bool) -> Range {
        if is_rounded { Range::around(self.value, self.step / 2.0) } else { Range::exact(self.value) }
    }
}

/// The text as one number: without blanks, thousands commas and one unit.
pub fn number(text: &str) -> Option<Printed> {
    if text.len() > LONGEST {
        return None;
    }
    let text: String = text.chars().filter(|c| !c.is_whitespace()).collect();
    let (text, unit) = match text.chars().last() {
        Some(unit @ ('x' | '×' | '%' | 's' | 'm' | 'h')) => (text.strip_suffix(unit)?, Some(unit)),
        _ => (text.as_str(), None),
    };
    let (negative, digits) = match text.strip_prefix(['-', '−', '–']) {
        Some(rest) => (true, rest),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    };
    let plain = unsigned(digits)?;
    Some(Printed { value: if negative { -plain.value } else { plain.value }, unit, ..plain })
}

fn unsigned(text: &str) -> Option<Printed> {
    let (mantissa, exponent) = match text.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, exponent.parse::<i32>().ok()?),
        None => (text, 0),
    };
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let whole = without_commas(whole)?;
    let all_digits = |text: &str| text.chars().all(|c| c.is_ascii_digit());
    let is_number = all_digits(&whole) && all_digits(fraction) && !(whole.is_empty() && fraction.is_empty());
    let value: f64 = is_number.then(|| format!("{whole}.{fraction}e{exponent}").parse().ok())??;
    let last_place = exponent.checked_sub(i32::try_from(fraction.len()).ok()?)?;
    let step = 10f64.powi(last_place);
    (value.is_finite() && step.is_finite()).then_some(Printed { value, step, decimals: fraction.len(), unit: None })
}

/// Commas separate thousands, or it is no number that we know how to read.
fn without_commas(whole: &str) -> Option<String> {
    let mut groups = whole.split(',');
    let first = groups.next()?;
    let rest: Vec<&str> = groups.collect();
    let grouped = rest.is_empty() || ((1..=3).contains(&first.len()) && rest.iter().all(|group| group.len() == 3));
    grouped.then(|| whole.replace(',', ""))
}

/// All numbers in a text, in their order: `12 (30%)` has two.
pub fn parts(text: &str) -> Vec<Printed> {
    let characters: Vec<char> = text.chars().take(10 * LONGEST).collect();
    let mut parts = Vec::new();
    let mut at = 0;
    while at < characters.len() {
        if !characters[at].is_ascii_digit() {
            at += 1;
            continue;
        }
        let end = number_end(&characters, at);
        let mut token: String = characters[at..end].iter().collect();
        token.extend(characters.get(end).filter(|c| **c == '%'));
        if is_negative(&characters, at) {
            token.insert(0, '-');
        }
        parts.extend(number(&token));
        at = end;
    }
    parts
}

fn number_end(characters: &[char], start: usize) -> usize {
    let digit = |at: usize| characters.get(at).is_some_and(char::is_ascii_digit);
    let mut end = start;
    let mut has_point = false;
    loop {
        match characters.get(end) {
            Some(c) if c.is_ascii_digit() => end += 1,
            Some('.') if !has_point && digit(end + 1) => (has_point, end) = (true, end + 1),
            Some(',') if !has_point && (1..=3).all(|ahead| digit(end + ahead)) && !digit(end + 4) => end += 1,
            _ => return end,
        }
    }
}

/// A dash is a sign where nothing is before it that it could connect.
fn is_negative(characters: &[char], at: usize) -> bool {
    let is_dash = at > 0 && matches!(characters[at - 1], '-' | '−' | '–');
    is_dash && (at < 2 || characters[at - 2].is_whitespace() || matches!(characters[at - 2], '(' | '[' | '/'))
}

/// A time in seconds, rounded to its smallest unit: `1h 2m 3s`, `2:03`, `1:02:03`, `4m`, `250ms`, `34`.
pub fn seconds(text: &str) -> Option<Range> {
    if text.len() > LONGEST {
        return None;
    }
    let text: String = text.chars().filter(|c| !c.is_whitespace()).collect();
    if text.contains(':') {
        return clock(&text);
    }
    if let Some(plain) = unsigned(&text) {
        return Some(plain.range(plain.is_rounded()));
    }
    let (mut total, mut smallest) = (0.0, f64::INFINITY);
    let mut rest = text.as_str();
    while !rest.is_empty() {
        let unit_at = rest.find(|c: char| c.is_alphabetic())?;
        let (digits, tail) = rest.split_at(unit_at);
        let unit_end = tail.find(|c: char| !c.is_alphabetic()).unwrap_or(tail.len());
        let worth = unit_seconds(&tail[..unit_end])?;
        if worth >= smallest {
            return None;
        }
        let number = unsigned(digits)?;
        total += number.value * worth;
        smallest = number.step * worth;
        rest = &tail[unit_end..];
    }
    smallest.is_finite().then(|| Range::around(total, smallest / 2.0))
}

fn unit_seconds(unit: &str) -> Option<f64> {
    match unit {
        "d" => Some(86_400.0),
        "h" | "hr" | "hrs" | "hours" | "hour" => Some(3600.0),
        "m" | "min" | "mins" | "minutes" | "minute" => Some(60.0),
        "s" | "sec" | "secs" | "seconds" | "second" => Some(1.0),
        "ms" => Some(0.001),
        _ => None,
    }
}

fn clock(text: &str) -> Option<Range> {
    let fields: Vec<Printed> = text.split(':').map(unsigned).collect::<Option<_>>()?;
    if !(2..=3).contains(&fields.len()) || fields.iter().skip(1).any(|field| field.value >= 60.0) {
        return None;
    }
    let total = fields.iter().fold(0.0, |total, field| total * 60.0 + field.value);
    Some(Range::around(total, fields.last()?.step / 2.0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn value(text: &str) -> Option<f64> {
        number(text).map(|printed| printed.value)
    }

    #[test]
    fn numbers_are_read_as_printed() {
        let known =
            [("1,234", 1234.0), ("52.0%", 52.0), ("1.59x", 1.59), ("1.59 ×", 1.59), ("−13.91", -13.91), ("+3", 3.0)];
        for (text, expected) in
            known.into_iter().chain([(".5", 0.5), ("1 000", 1000.0), ("2.5e-3", 0.0025), ("34s", 34.0)])
        {
            assert_eq!(value(text), Some(expected), "{text}");
        }
        for text in [
            "", "TO", "–", "n/a", "1,23", "1,2345", "12 (30%)", "1h2m", "NaN", "inf", "1e999", "e5", "0x1", "--1",
            "1.2.3",
        ] {
            assert_eq!(value(text), None, "{text}");
        }
    }

    #[test]
    fn the_last_digit_tells_the_rounding() {
        let range = number("1.59").map(|printed| printed.range(printed.is_rounded())).unwrap();
        assert!((range.low - 1.585).abs() < 1e-12 && (range.high - 1.595).abs() < 1e-12);
        assert!(!number("16").unwrap().is_rounded() && number("16%").unwrap().is_rounded());
        assert!((number("2.5e-3").unwrap().step - 1e-4).abs() < 1e-18);
    }

    #[test]
    fn cells_with_several_numbers_have_parts() {
        let values = |text| parts(text).into_iter().map(|printed| printed.value).collect::<Vec<_>>();
        assert_eq!(values("12 (30%)"), [12.0, 30.0]);
        assert_eq!(values("1,234/5,678"), [1234.0, 5678.0]);
        assert_eq!(values("3-5, −2 (-1.5)"), [3.0, 5.0, -2.0, -1.5]);
        assert_eq!(values("none"), [0.0; 0]);
    }

    #[test]
    fn times_are_seconds() {
        let known = [("1h 2m 3s", 3723.0), ("2:03", 123.0), ("1:02:03", 3723.0), ("4m", 240.0), ("1h22m12s", 4932.0)];
        for (text, expected) in known.into_iter().chain([("250 ms", 0.25), ("34", 34.0), ("1.5 min", 90.0)]) {
            assert_eq!(seconds(text).map(|range| range.value), Some(expected), "{text}");
        }
        for text in ["", "TO", "1:99", "1:2:3:4", "3s 1h", "h", "1x", ":", "1h1h"] {
            assert_eq!(seconds(text), None, "{text}");
        }
        assert_eq!(seconds("4m").map(|range| (range.low, range.high)), Some((210.0, 270.0)));
    }

    proptest! {
        #[test]
        fn nothing_breaks_a_reader(text in "\\PC{0,70}|[0-9,.:hms%() –-]{0,30}") {
            for range in number(&text).map(|p| p.range(true)).into_iter().chain(seconds(&text)).chain(parts(&text).into_iter().map(|p| p.range(true))) {
                prop_assert!(range.value.is_finite() && range.contains(range.value));
            }
        }
    }
}
