//! Where the trials of a merged run come from.

use super::{DisplayCell, DisplayColumn, DisplayRow, DisplayTable};
use crate::report::Analysis;
use crate::report::analysis::OriginRow;
use crate::shown_text::shown;

pub(super) fn table(analysis: &Analysis) -> DisplayTable {
    DisplayTable {
        columns: vec![
            DisplayColumn::left("subject"),
            DisplayColumn::left("machine"),
            DisplayColumn::left("run"),
            DisplayColumn::right("trials"),
            DisplayColumn::right("cores"),
            DisplayColumn::right("blocks"),
            DisplayColumn::left("JDK"),
            DisplayColumn::left("processor").optional(),
        ],
        rows: analysis.origins.iter().map(row).collect(),
        ..DisplayTable::default()
    }
}

fn row(origin: &OriginRow) -> DisplayRow {
    let blocks = match (origin.first_block, origin.last_block) {
        (first, last) if first == last => first.to_string(),
        (first, last) => format!("{first}–{last}"),
    };
    DisplayRow::body(vec![
        DisplayCell::new(shown(&origin.subject)),
        DisplayCell::new(shown(&origin.host)),
        DisplayCell::new(shown(&origin.run)),
        DisplayCell::new(origin.trials.to_string()),
        DisplayCell::new(shown(&origin.cores)),
        DisplayCell::new(blocks),
        DisplayCell::new(origin.jdk.as_deref().map_or("–".to_owned(), shown)),
        DisplayCell::muted(format!("{}, {} logical cores", shown(&origin.processor), origin.logical_cores)),
    ])
}
