//! The tables of a run as a study sees them: as `parade report` writes them to CSV files, every number in full.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use super::render::csv;
use super::{Analysis, TableName};
use crate::csv_cells;
use crate::study::{Row, RunTables, Table};

const SUBJECT: &str = "subject";

/// Of every table of a run, its columns.
pub fn heads() -> &'static [Table] {
    static HEADS: LazyLock<Vec<Table>> =
        LazyLock::new(|| TableName::named().filter_map(|name| table(name, &csv::heads(name).ok()?).ok()).collect());
    &HEADS
}

pub fn collect(analysis: &Analysis) -> miette::Result<RunTables> {
    let tables =
        TableName::named().map(|name| table(name, &csv::render(analysis, name)?)).collect::<miette::Result<_>>()?;
    Ok(RunTables {
        tables,
        cores: analysis.run.manifest.cores.iter().max().copied(),
        with_results: with_results(analysis),
    })
}

/// Subjects that ran, and modules whose orders were evaluated.
fn with_results(analysis: &Analysis) -> BTreeSet<String> {
    let failed = |name: &str| analysis.subjects.iter().any(|row| row.subject == name && row.failure.is_some());
    let ran = analysis.costs.iter().filter(|row| row.trials > 0 && !failed(&row.subject)).map(|row| &row.subject);
    let ordered = analysis.orders.techniques.iter().map(|row| &row.subject).filter(|name| analysis.orders.covers(name));
    ran.chain(ordered).cloned().collect()
}

fn table(name: TableName, text: &str) -> miette::Result<Table> {
    let mut reader = ::csv::Reader::from_reader(text.as_bytes());
    let broken = |error: ::csv::Error| miette::miette!("the table {} cannot be read back: {error}", name.name());
    let columns: Vec<String> = reader.headers().map_err(broken)?.iter().map(str::to_owned).collect();
    let key = columns.iter().position(|column| column == SUBJECT).unwrap_or(0);
    let mut rows = Vec::new();
    for (index, record) in reader.records().enumerate() {
        let cells: Vec<String> = record.map_err(broken)?.iter().map(|cell| csv_cells::read(cell).to_owned()).collect();
        let key = cells.get(key).cloned().unwrap_or_default();
        rows.push(Row { key, subject: None, cells, is_summary: false, line: index + 2 });
    }
    Ok(Table {
        name: name.name().to_owned(),
        file: format!("report/{}.csv", name.name()),
        exact: (0..columns.len()).collect(),
        columns,
        rows,
        ..Table::default()
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::sample;
    use crate::study::SubjectName;

    #[test]
    fn the_columns_of_every_table_are_known() {
        let heads = heads();
        assert_eq!(heads.len(), TableName::named().count());
        let speedups = heads.iter().find(|table| table.name == "speedups").unwrap();
        assert!(speedups.column("speedup").is_some() && speedups.rows.is_empty());
    }

    #[test]
    fn a_run_is_compared_on_its_most_cores() {
        let analysis = Analysis::of(&sample::two_core_counts());
        let subjects = [SubjectName { published: "Scales".to_owned(), name: "scales".to_owned() }];
        let tables = collect(&analysis).unwrap().for_study(&subjects);
        let speedups = tables.iter().find(|table| table.name == "speedups").unwrap();
        let cores = speedups.column("cores").unwrap();
        assert!(
            !speedups.rows.is_empty() && speedups.rows.iter().all(|row| row.cells[cores] == "2" && row.key == "Scales")
        );
        assert_eq!(collect(&analysis).unwrap().covered(&subjects), BTreeSet::from(["Scales".to_owned()]));
        let stranger = [SubjectName { published: "x".to_owned(), name: "x".to_owned() }];
        assert!(
            collect(&analysis)
                .unwrap()
                .for_study(&stranger)
                .iter()
                .all(|table| table.name != "speedups" || table.rows.is_empty())
        );
    }
}
