//! Where the trials of a merged run come from.

use super::{Cell, Column, Row, Table, TableName};
use crate::report::Analysis;
use crate::report::analysis::OriginRow;
use crate::shown_text::shown;

pub(super) fn table(analysis: &Analysis) -> Table {
    Table {
        name: TableName::Origins,
        title: "Where it was measured".to_owned(),
        columns: vec![
            Column::left("subject"),
            Column::left("machine"),
            Column::left("run"),
            Column::right("trials"),
            Column::right("cores"),
            Column::right("blocks"),
            Column::left("JDK"),
            Column::left("processor").optional(),
        ],
        rows: analysis.origins.iter().map(row).collect(),
        notes: vec![
            "This run was merged from other runs. The baseline and the candidate of a block always come from the same \
             machine. \
             `origin` in trials.csv names the run of every trial."
                .to_owned(),
        ],
    }
}

fn row(origin: &OriginRow) -> Row {
    let blocks = match (origin.first_block, origin.last_block) {
        (first, last) if first == last => first.to_string(),
        (first, last) => format!("{first}–{last}"),
    };
    Row::body(vec![
        Cell::new(shown(&origin.subject)),
        Cell::new(shown(&origin.host)),
        Cell::new(shown(&origin.run)),
        Cell::new(origin.trials.to_string()),
        Cell::new(shown(&origin.cores)),
        Cell::new(blocks),
        Cell::new(origin.jdk.as_deref().map_or("–".to_owned(), shown)),
        Cell::muted(format!("{}, {} logical cores", shown(&origin.processor), origin.logical_cores)),
    ])
}
