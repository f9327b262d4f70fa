//! A CSV file as a table of texts. All that can be wrong with it is told with its line; what the texts mean is not known here.

use crate::toml_file::mistake::Log;
use crate::toml_file::names::quoted;

/// A header and rows, all of one length.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Grid {
    pub columns: Vec<String>,
    pub rows: Vec<Line>,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Line {
    pub cells: Vec<String>,
    /// From 1 on.
    pub number: usize,
}

pub fn read(text: &str, log: &Log) -> Grid {
    let mut reader = csv::ReaderBuilder::new().flexible(true).has_headers(false).from_reader(text.as_bytes());
    let mut grid = Grid::default();
    for record in reader.records() {
        let record = match record {
            Ok(record) => record,
            Err(error) => {
                log.add(
                    &(0..0),
                    format!("this is not CSV: {error}"),
                    "separate fields by commas, and put a field with a comma or a quote in double quotes",
                );
                break;
            }
        };
        let position =
            record.position().map_or((0, 1), |position| (position.byte() as usize, position.line() as usize));
        let cells: Vec<String> = record.iter().map(str::to_owned).collect();
        if grid.columns.is_empty() {
            check_header(&cells, position.0, text, log);
            grid.columns = cells;
        } else if cells.len() == grid.columns.len() {
            grid.rows.push(Line { cells, number: position.1 });
        } else {
            let span = line_span(text, position.0);
            let message = format!("this row has {} cells, and the header {}", cells.len(), grid.columns.len());
            log.add(
                &span,
                message,
                "put a cell with a comma in double quotes; an empty cell is nothing between two commas",
            );
        }
    }
    if grid.columns.is_empty() {
        log.add(&(0..0), "the file is empty", "write the column names in the first line, then one line per row");
    }
    grid
}

fn check_header(columns: &[String], at: usize, text: &str, log: &Log) {
    let span = line_span(text, at);
    for (index, column) in columns.iter().enumerate() {
        if column.trim().is_empty() {
            log.add(&span, format!("the head of column {} is empty", index + 1), "every column needs a name");
        } else if columns[..index].contains(column) {
            log.add(
                &span,
                format!("two columns are called {}", quoted(column)),
                "join nested heads by `/`, outermost first: `classes/#1`",
            );
        }
    }
}

fn line_span(text: &str, at: usize) -> std::ops::Range<usize> {
    // A record's position can be that of the line break before it.
    let start = at + text.get(at..).map_or(0, |rest| rest.len() - rest.trim_start_matches(['\r', '\n']).len());
    start..text.get(start..).and_then(|rest| rest.find('\n')).map_or(text.len(), |end| start + end)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mistakes(text: &str) -> Vec<(Option<usize>, String)> {
        let log = Log::default();
        read(text, &log);
        if log.is_empty() {
            return Vec::new();
        }
        log.into_mistakes("t.csv", text)
            .entries()
            .iter()
            .map(|mistake| (mistake.line, mistake.message.clone()))
            .collect()
    }

    #[test]
    fn cells_are_kept_as_they_are() {
        let log = Log::default();
        let grid = read("a,b\n\" x, y\",\"1,234\"\n–,\n", &log);
        assert!(log.is_empty());
        assert_eq!(grid.columns, ["a", "b"]);
        assert_eq!(grid.rows[0], Line { cells: vec![" x, y".to_owned(), "1,234".to_owned()], number: 2 });
        assert_eq!(grid.rows[1], Line { cells: vec!["–".to_owned(), String::new()], number: 3 });
    }

    #[test]
    fn what_is_wrong_is_told_with_its_line() {
        assert_eq!(mistakes("a,b\n1,2\n1,2,3\n"), [(Some(3), "this row has 3 cells, and the header 2".to_owned())]);
        assert_eq!(
            mistakes("a,a,\n"),
            [(Some(1), "two columns are called `a`".to_owned()), (Some(1), "the head of column 3 is empty".to_owned())]
        );
        assert_eq!(mistakes(""), [(Some(1), "the file is empty".to_owned())]);
    }
}
