//! Two columns of a CSV file as pairs of numbers. The file is read row by row; nothing of other columns is kept.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use crate::experiment::{quoted, suggestion};

/// What has no end is not read to it.
const LARGEST: u64 = 1 << 30;

/// Some say comma and write something else.
const SEPARATORS: [u8; 3] = *b",;\t";

/// What is wrong with a file, and what to do about it.
#[derive(Debug)]
pub struct Mistake {
    pub message: String,
    pub help: String,
}

/// Rows as pairs `(baseline, candidate)`.
#[derive(Debug, PartialEq)]
pub struct Columns {
    pub pairs: Vec<(f64, f64)>,
    /// Rows in which one of the two cells is empty.
    pub left_out: usize,
}

/// How messages call the file.
pub fn named(file: &Path) -> String {
    if is_input(file) { "standard input".to_owned() } else { file.display().to_string() }
}

fn is_input(file: &Path) -> bool {
    file == Path::new("-")
}

/// Of the file of this name; `-` is standard input.
pub fn read(file: &Path, baseline: &str, candidate: &str) -> Result<Columns, Mistake> {
    let name = named(file);
    let unreadable = |error: std::io::Error| Mistake {
        message: format!("{name} could not be read: {error}"),
        help: "give the path of a CSV file, or - for standard input".to_owned(),
    };
    let source: Box<dyn Read> =
        if is_input(file) { Box::new(std::io::stdin()) } else { Box::new(File::open(file).map_err(unreadable)?) };
    let mut text = Vec::new();
    let length = source.take(LARGEST + 1).read_to_end(&mut text).map_err(unreadable)?;
    if length as u64 > LARGEST {
        return Err(Mistake {
            message: format!("{name} is larger than 1 GiB"),
            help: "is it the right file?".to_owned(),
        });
    }
    parse(&text, &name, baseline, candidate)
}

pub fn parse(text: &[u8], name: &str, baseline: &str, candidate: &str) -> Result<Columns, Mistake> {
    let text = text.strip_prefix("\u{feff}".as_bytes()).unwrap_or(text);
    let layout = Layout::of(text, name, [baseline, candidate])?;
    let mut columns = Columns { pairs: Vec::new(), left_out: 0 };
    let mut reader = reader(text, layout.separator);
    let mut record = csv::ByteRecord::new();
    loop {
        match reader.read_byte_record(&mut record) {
            Ok(true) => {}
            Ok(false) => return Ok(columns),
            Err(error) => {
                return Err(Mistake { message: format!("{name}: {error}"), help: "is it a CSV file?".to_owned() });
            }
        }
        match layout.pair(&record, name)? {
            Some(pair) => columns.pairs.push(pair),
            None => columns.left_out += 1,
        }
    }
}

fn reader(text: &[u8], separator: u8) -> csv::Reader<&[u8]> {
    csv::ReaderBuilder::new().delimiter(separator).flexible(true).from_reader(text)
}

/// Where the two columns are.
struct Layout {
    separator: u8,
    header: Vec<String>,
    /// Of the baseline and of the candidate.
    places: [usize; 2],
}

impl Layout {
    /// With the separator by which both columns are there.
    fn of(text: &[u8], name: &str, wanted: [&str; 2]) -> Result<Layout, Mistake> {
        let headers = SEPARATORS.map(|separator| (separator, header(text, separator)));
        let has_both = |header: &Vec<String>| wanted.iter().all(|column| header.iter().any(|name| name == column));
        let likeliest = || headers.iter().rev().max_by_key(|(_, header)| header.len());
        let Some((separator, header)) = headers.iter().find(|(_, header)| has_both(header)).or_else(likeliest) else {
            return Err(without_header(name));
        };
        if header.is_empty() || header.iter().all(String::is_empty) {
            return Err(without_header(name));
        }
        let place = |column| place(header, column, name);
        Ok(Layout { separator: *separator, places: [place(wanted[0])?, place(wanted[1])?], header: header.clone() })
    }

    /// `None` if a cell is empty.
    fn pair(&self, record: &csv::ByteRecord, name: &str) -> Result<Option<(f64, f64)>, Mistake> {
        let line = record.position().map_or(0, csv::Position::line);
        if record.len() > self.header.len() {
            return Err(Mistake {
                message: format!("{name}, line {line}: {} cells, but {} columns", record.len(), self.header.len()),
                help: "write numbers with a decimal point, or put numbers with a decimal comma in quotes".to_owned(),
            });
        }
        let number = |column: usize| {
            let cell = String::from_utf8_lossy(record.get(column).unwrap_or_default());
            number(cell.trim()).map_err(|reason| Mistake {
                message: format!(
                    "{name}, line {line}, column {}: {} {reason}",
                    quoted(&self.header[column]),
                    quoted(cell.trim())
                ),
                help: "write numbers like 12.5 or 1e-3, and leave the cell empty if one is missing".to_owned(),
            })
        };
        let (a, b) = (number(self.places[0])?, number(self.places[1])?);
        Ok(a.zip(b))
    }
}

/// `None` for an empty cell.
fn number(cell: &str) -> Result<Option<f64>, &'static str> {
    if cell.is_empty() {
        return Ok(None);
    }
    match cell.parse::<f64>() {
        Ok(number) if number.is_finite() => Ok(Some(number)),
        Ok(number) if number.is_infinite() => Err("is not finite"),
        _ => Err("is not a number"),
    }
}

/// A mistake in it shows with the rows.
fn header(text: &[u8], separator: u8) -> Vec<String> {
    match reader(text, separator).byte_headers() {
        Ok(header) => header.iter().map(|cell| String::from_utf8_lossy(cell).trim().to_owned()).collect(),
        Err(_) => Vec::new(),
    }
}

fn place(header: &[String], column: &str, name: &str) -> Result<usize, Mistake> {
    let mut places = header.iter().enumerate().filter(|(_, name)| *name == column).map(|(place, _)| place);
    match (places.next(), places.next()) {
        (Some(place), None) => Ok(place),
        (Some(_), Some(_)) => Err(Mistake {
            message: format!("{name} has several columns {}", quoted(column)),
            help: "give them different names".to_owned(),
        }),
        (None, _) => Err(Mistake {
            message: format!("{name} has no column {}", quoted(column)),
            help: suggestion(column, "columns", header.iter().map(String::as_str)),
        }),
    }
}

fn without_header(name: &str) -> Mistake {
    Mistake {
        message: format!("{name} has no header row"),
        help: "the first row must contain the column names, separated by commas".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn parsed(text: &str) -> Result<Columns, Mistake> {
        parse(text.as_bytes(), "times.csv", "A", "B")
    }

    fn refused(text: &str) -> (String, String) {
        let error = parsed(text).unwrap_err();
        (error.message, error.help)
    }

    #[test]
    fn rows_are_pairs_and_gaps_are_counted() {
        let columns = parsed("x,A,B\n1,2.5,1e1\n2,,3\n3,4\n4, 5 ,\"6\"\n\n").unwrap();
        assert_eq!(columns, Columns { pairs: vec![(2.5, 10.0), (5.0, 6.0)], left_out: 2 });
    }

    #[test]
    fn other_programs_write_other_files() {
        let expected = Columns { pairs: vec![(1.0, 2.0)], left_out: 0 };
        for text in ["\u{feff}A,B\r\n1,2\r\n", "A;B\n1;2\n", "A\tB\n1\t2", "B,A\n2,1\n", "\"A\";note;B\n1;x,y;2\n"] {
            assert_eq!(parsed(text).unwrap(), expected, "{text:?}");
        }
    }

    #[test]
    fn what_is_no_number_is_named_with_its_place() {
        for (cell, reason) in [("fast", "is not a number"), ("NaN", "is not a number"), ("-inf", "is not finite")] {
            let (message, _) = refused(&format!("A,B\n1,2\n3,{cell}\n"));
            assert_eq!(message, format!("times.csv, line 3, column `B`: `{cell}` {reason}"));
        }
        let (message, help) = refused("A,B\n1,5,2,5\n");
        assert!(message.contains("line 2") && message.contains("4 cells") && help.contains("decimal comma"));
    }

    #[test]
    fn a_column_that_is_not_there_is_told_with_those_that_are() {
        let (message, help) = refused("a,C\n1,2\n");
        assert_eq!(message, "times.csv has no column `A`");
        assert_eq!(help, "did you mean `a`? columns: `a`, `C`");
        assert!(refused("").0.contains("no header"));
        assert!(refused("A,A,B\n1,2,3\n").0.contains("several columns `A`"));
    }

    proptest! {
        #[test]
        fn no_bytes_break_it(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
            let _ = parse(&bytes, "x", "A", "B");
            let mut with_header = b"A,B\n".to_vec();
            with_header.extend(bytes);
            if let Ok(columns) = parse(&with_header, "x", "A", "B") {
                prop_assert!(columns.pairs.iter().all(|(a, b)| a.is_finite() && b.is_finite()));
            }
        }
    }
}
