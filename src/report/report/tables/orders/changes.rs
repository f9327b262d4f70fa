//! Tables 7 to 9: what enhanced orders cost beforehand, what they gain, and what they cost each time.

use super::{change, marked, nothing, technique_columns, technique_heads};
use crate::report::Analysis;
use crate::report::analysis::orders::{
    AUTHORSHIPS, ReductionRow, Scope, SearchRow, SlowdownRow, Technique, authorship_title,
};
use crate::report::tables::{DisplayCell, DisplayColumn, DisplayRow, DisplayTable, Tone};
use crate::shown_text::shown;
use crate::store::record::Authorship;
use crate::wording::plural;

pub fn searches(analysis: &Analysis) -> DisplayTable {
    let mut columns = vec![DisplayColumn::left("ID")];
    columns.extend(AUTHORSHIPS.map(|kind| DisplayColumn::right(authorship_title(kind)).under("Suite run time")));
    for scope in Scope::ALL {
        columns.extend(AUTHORSHIPS.map(|kind| DisplayColumn::right(authorship_title(kind)).under(scope.title())));
    }
    let all = &analysis.orders.searches;
    let row = |id: &str| {
        let find = |scope: Scope, kind: Authorship| {
            all.iter().find(|row| row.subject == id && row.scope == scope && row.authorship == kind)
        };
        let mut cells = vec![DisplayCell::new(shown(id))];
        cells.extend(AUTHORSHIPS.map(|kind| find(Scope::All, kind).map_or_else(nothing, suite_time)));
        for scope in Scope::ALL {
            cells.extend(AUTHORSHIPS.map(|kind| find(scope, kind).map_or_else(nothing, search)));
        }
        DisplayRow::body(cells)
    };
    DisplayTable {
        columns,
        rows: analysis.orders.statistics.iter().map(|module| row(&module.subject)).collect(),
        ..DisplayTable::default()
    }
}

fn suite_time(row: &SearchRow) -> DisplayCell {
    DisplayCell::new(format!("{:.1}", row.suite_seconds)).valued(row.suite_seconds)
}

fn search(row: &SearchRow) -> DisplayCell {
    let hint = format!("{:.1} s for {}", row.seconds, plural(row.od_tests, "failing test"));
    marked(row.state, row.seconds_per_test, whole_seconds, hint)
}

/// As the study prints them; less than a second is not nothing.
fn whole_seconds(seconds: f64) -> String {
    if seconds < 9.95 { format!("{seconds:.1}") } else { format!("{seconds:.0}") }
}

pub fn reduction(analysis: &Analysis) -> DisplayTable {
    let columns = technique_columns(&Technique::ALL);
    let changes = ChangeTable {
        rows: &analysis.orders.reductions,
        position: |row| (&row.subject, (row.technique, row.authorship)),
        total: ReductionRow::total,
        cell: reduced,
    };
    DisplayTable {
        rows: changes.rows_of_suites(analysis, &columns),
        columns: technique_heads(&columns),
        ..DisplayTable::default()
    }
}

fn reduced(row: &ReductionRow) -> DisplayCell {
    let hint = format!("{} in unenhanced orders, {} in enhanced ones", plural(row.unenhanced, "failure"), row.enhanced);
    let tone = match (row.reduction, row.enhanced) {
        (Some(percent), _) if percent > 0.0 => Tone::Good,
        (None, 0) => Tone::Muted,
        _ => Tone::Bad,
    };
    marked(row.state, row.reduction, change, hint).toned(tone)
}

pub fn slowdown(analysis: &Analysis) -> DisplayTable {
    let columns = technique_columns(&SlowdownRow::TECHNIQUES);
    let changes = ChangeTable {
        rows: &analysis.orders.slowdowns,
        position: |row| (&row.subject, (row.technique, row.authorship)),
        total: SlowdownRow::total,
        cell: slowed,
    };
    DisplayTable {
        rows: changes.rows_of_suites(analysis, &columns),
        columns: technique_heads(&columns),
        ..DisplayTable::default()
    }
}

fn slowed(row: &SlowdownRow) -> DisplayCell {
    let hint = format!(
        "{:.2} s instead of {:.2} s in {}; {} the same",
        row.enhanced_seconds,
        row.unenhanced_seconds,
        plural(row.different_orders, "pair"),
        row.same_orders
    );
    marked(row.state, row.slowdown, change, hint)
}

/// Rows of an analysis, each in a row and a column of the table.
struct ChangeTable<'a, R> {
    rows: &'a [R],
    position: fn(&R) -> (&str, (Technique, Authorship)),
    total: fn(&[&R]) -> R,
    cell: fn(&R) -> DisplayCell,
}

impl<R> ChangeTable<'_, R> {
    /// One row for each suite, and one of all.
    fn rows_of_suites(&self, analysis: &Analysis, columns: &[(Technique, Authorship)]) -> Vec<DisplayRow> {
        let ids = analysis.orders.statistics.iter().map(|module| module.subject.as_str());
        let named =
            |name: &str, cells: Vec<DisplayCell>| std::iter::once(DisplayCell::new(shown(name))).chain(cells).collect();
        let mut rows: Vec<DisplayRow> =
            ids.map(|id| DisplayRow::body(named(id, self.cells_of_suite(id, columns)))).collect();
        if !rows.is_empty() {
            rows.push(DisplayRow::summary(named("Total", self.cells_of_all(columns))));
        }
        rows
    }

    fn cells_of_suite(&self, id: &str, columns: &[(Technique, Authorship)]) -> Vec<DisplayCell> {
        let cell = |column: &(Technique, Authorship)| {
            let found = self.rows.iter().find(|row| (self.position)(row) == (id, *column));
            found.map_or_else(nothing, self.cell)
        };
        columns.iter().map(cell).collect()
    }

    fn cells_of_all(&self, columns: &[(Technique, Authorship)]) -> Vec<DisplayCell> {
        let total = |column: &(Technique, Authorship)| {
            let rows: Vec<&R> = self.rows.iter().filter(|row| (self.position)(row).1 == *column).collect();
            if rows.is_empty() { nothing() } else { (self.cell)(&(self.total)(&rows)) }
        };
        columns.iter().map(total).collect()
    }
}
