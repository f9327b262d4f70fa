//! From the files of a study to a [`Study`]: everything that is referred to exists, and every expression has its type.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;

use miette::Diagnostic;

use super::claim::{Claim, Computation, Formula, Meaning};
use super::csv_file;
use super::expression::{Of, Source, Trouble, TroubleKind, Type, Value, check};
use super::file::{self, SubjectName, Written, WrittenOwn, WrittenTable};
use super::table::{SourceRow, SourceTable};
use crate::data_table::DataCell;
use crate::toml_file::document;
use crate::toml_file::mistake::{Log, Mistakes};
use crate::toml_file::names::{list, quoted, suggestion};
use crate::toml_file::reader::At;

/// The files of a study, wherever they come from.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Files {
    /// Of the folder.
    pub name: String,
    pub claims: Document,
    pub tables: Vec<Document>,
}

#[derive(Debug, Clone, PartialEq, Default)]
pub struct Document {
    /// Without the ending.
    pub stem: String,
    /// For messages.
    pub path: String,
    pub bytes: Vec<u8>,
}

/// A document's tables and claims, checked.
#[derive(Debug, Clone, PartialEq)]
pub struct Study {
    pub name: String,
    pub title: String,
    pub authors: Vec<String>,
    pub year: Option<u64>,
    pub place: Option<String>,
    /// What a reader of the tables must know.
    pub remarks: Vec<String>,
    pub tables: Vec<SourceTable>,
    pub subjects: Vec<SubjectName>,
    pub claims: Vec<Claim>,
    pub own_columns: Vec<OwnColumn>,
}

/// Where a run has what a column of a published table prints.
#[derive(Debug, Clone, PartialEq)]
pub struct OwnColumn {
    pub table: String,
    pub column: String,
    pub from: Formula,
    /// The same from the rows that are printed, for a run that has only some of the subjects.
    pub published: Option<Formula>,
    pub low: Option<Formula>,
    pub high: Option<Formula>,
    pub instead: Option<Formula>,
    pub neutral: Option<f64>,
    /// The key of the one row that it is about; all rows of subjects if there is none.
    pub row: Option<String>,
}

impl OwnColumn {
    fn formulas(&self) -> impl Iterator<Item = &Formula> {
        let optional = [&self.published, &self.low, &self.high, &self.instead];
        std::iter::once(&self.from).chain(optional.into_iter().flatten())
    }
}

/// What is wrong with the files of studies.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Faults {
    pub files: Vec<Mistakes>,
}

impl fmt::Display for Faults {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.files[..] {
            [file] => write!(f, "{file}"),
            files => write!(f, "{} files have mistakes", files.len()),
        }
    }
}

impl std::error::Error for Faults {}

impl Diagnostic for Faults {
    fn related<'a>(&'a self) -> Option<Box<dyn Iterator<Item = &'a dyn Diagnostic> + 'a>> {
        match &self.files[..] {
            [file] => file.related(),
            files => Some(Box::new(files.iter().map(|file| file as &dyn Diagnostic))),
        }
    }

    fn help<'a>(&'a self) -> Option<Box<dyn fmt::Display + 'a>> {
        if let [file] = &self.files[..] { file.help() } else { None }
    }
}

/// A study that refers to nothing outside yet: its claims can be referred to by others.
#[derive(Debug)]
pub struct Draft {
    path: String,
    text: String,
    log: Log,
    study: Study,
    /// Where each claim stands.
    spans: Vec<std::ops::Range<usize>>,
}

impl Draft {
    /// What the claims state, by id.
    pub fn stated(&self) -> impl Iterator<Item = (&str, Value)> {
        self.study.claims.iter().map(|claim| (claim.id.as_str(), claim.stated.value()))
    }

    pub fn name(&self) -> &str {
        &self.study.name
    }
}

pub fn draft(files: Files) -> Result<Draft, Faults> {
    let mut faults = Faults::default();
    let grids = tables(&files.tables, &mut faults);
    let path = files.claims.path;
    let text = document::decode(files.claims.bytes, &path).map_err(|mistakes| Faults { files: vec![mistakes] })?;
    let log = Log::default();
    let written = document::parse(&text, &log).map(|tree| file::read(&tree, &text, &log));
    let Some(written) = written.filter(|_| faults.files.is_empty()) else {
        if !log.is_empty() {
            faults.files.push(log.into_mistakes(&path, &text));
        }
        return Err(faults);
    };
    check_name(&written, &files.name, &log);
    let tables: Vec<SourceTable> = grids.into_iter().map(|table| described(table, &written, &log)).collect();
    check_descriptions(&written.tables, &tables, &log);
    let own_columns = own_columns(&written.tables, &tables, &log);
    let (spans, claims) = written.claims.into_iter().map(|claim| (claim.span, claim.value)).unzip();
    let study = Study {
        name: files.name,
        title: written.title,
        authors: written.authors,
        year: written.year,
        place: written.place,
        remarks: written.remarks,
        tables,
        subjects: written.subjects,
        claims,
        own_columns,
    };
    Ok(Draft { path, text, log, study, spans })
}

/// `stated`: of all studies, by `study/id`; `run`: the tables of a run, without rows.
pub fn finish(draft: Draft, stated: &BTreeMap<String, Value>, run: &[SourceTable]) -> Result<Study, Faults> {
    let Draft { path, text, log, study, spans } = draft;
    let mut stated = stated.clone();
    stated.extend(study.claims.iter().map(|claim| (claim.id.clone(), claim.stated.value())));
    let published = Source { tables: study.tables.iter().collect(), stated: &stated, of_run: false };
    let with_run = Source { tables: run.iter().chain(&study.tables).collect(), stated: &stated, of_run: false };
    for (claim, span) in study.claims.iter().zip(&spans) {
        check_claim(claim, span, &published, &with_run, &log);
        check_itself(claim, &study.name, &log);
    }
    for own in &study.own_columns {
        check_own_column(own, &with_run, &log);
    }
    if log.is_empty() { Ok(study) } else { Err(Faults { files: vec![log.into_mistakes(&path, &text)] }) }
}

fn tables(documents: &[Document], faults: &mut Faults) -> Vec<SourceTable> {
    let mut tables = Vec::new();
    for document in documents {
        let log = Log::default();
        let text = match document::decode(document.bytes.clone(), &document.path) {
            Ok(text) => text,
            Err(mistakes) => {
                faults.files.push(mistakes);
                continue;
            }
        };
        let table = table(document, &csv_file::read(&text, &log));
        if log.is_empty() {
            tables.push(table);
        } else {
            faults.files.push(log.into_mistakes(&document.path, &text));
        }
    }
    tables
}

fn table(document: &Document, grid: &csv_file::Grid) -> SourceTable {
    let row = |line: &csv_file::Line| SourceRow {
        key: line.cells.first().map_or_else(String::new, |cell| cell.trim().to_owned()),
        subject: None,
        cells: line.cells.iter().cloned().map(DataCell::Text).collect(),
        is_summary: false,
        line: line.number,
    };
    SourceTable {
        name: document.stem.clone(),
        file: document.path.clone(),
        columns: grid.columns.iter().map(|column| column.trim().to_owned()).collect(),
        rows: grid.rows.iter().map(row).collect(),
        ..SourceTable::default()
    }
}

fn check_name(written: &Written, folder: &str, log: &Log) {
    if let Some(name) = written.name.as_ref().filter(|name| name.value != folder) {
        let message = format!("the study is named {}, but its folder is {}", quoted(&name.value), quoted(folder));
        log.add(&name.span, message, format!("write `name = \"{folder}\"`, or rename the folder"));
    }
}

/// The table with what the file says about it.
fn described(mut table: SourceTable, written: &Written, log: &Log) -> SourceTable {
    table.marks = written.marks.clone();
    let Some(about) = written.tables.iter().find(|about| about.name.value == table.name) else {
        name_subjects(&mut table, None, &written.subjects);
        return table;
    };
    table.title = about.title.clone();
    table.marks.extend(about.marks.clone());
    let columns =
        |names: &[At<String>]| names.iter().filter_map(|name| known_column(&table, name, log)).collect::<Vec<_>>();
    let (key, rounded, exact) = (columns(&about.key), columns(&about.rounded), columns(&about.exact));
    table.rounded = rounded.into_iter().collect();
    table.exact = exact.into_iter().collect();
    let subject = about.subject.as_ref().and_then(|subject| known_column(&table, subject, log));
    name_rows(&mut table, &key, about, log);
    name_subjects(&mut table, subject, &written.subjects);
    table
}

/// Which row is about which subject: by the given column, or by the key. What follows in parentheses is no part of a name.
fn name_subjects(table: &mut SourceTable, column: Option<usize>, subjects: &[SubjectName]) {
    for row in table.rows.iter_mut().filter(|row| !row.is_summary) {
        let text = column.map_or_else(|| Cow::Borrowed(row.key.trim()), |column| row.text(column));
        let text = text.as_ref();
        let bare = text.split_once(" (").map_or(text, |(name, _)| name);
        let found = [text, bare].into_iter().find(|name| subjects.iter().any(|subject| subject.published == *name));
        let found = found.map(str::to_owned);
        row.subject = found;
    }
}

fn known_column(table: &SourceTable, name: &At<String>, log: &Log) -> Option<usize> {
    let found = table.column(&name.value);
    if found.is_none() {
        let known: Vec<&str> = table.columns.iter().map(String::as_str).collect();
        let message = format!("{} has no column {}", quoted(&table.name), quoted(&name.value));
        log.add(&name.span, message, suggestion(&name.value, "columns", known));
    }
    found
}

fn name_rows(table: &mut SourceTable, key: &[usize], about: &WrittenTable, log: &Log) {
    for row in &mut table.rows {
        if !key.is_empty() {
            let parts: Vec<Cow<str>> = key.iter().map(|column| row.text(*column)).collect();
            row.key = parts.join(" / ");
        }
        if let Some((_, other)) = about.names.iter().find(|(here, _)| here.value == row.key) {
            row.key = other.value.clone();
        }
        row.is_summary = about.summary.iter().any(|summary| summary.value == row.key);
    }
    let keys = || table.rows.iter().map(|row| row.key.as_str()).collect::<Vec<_>>();
    for summary in about.summary.iter().filter(|summary| !keys().contains(&summary.value.as_str())) {
        let message = format!("{} has no row {}", quoted(&table.name), quoted(&summary.value));
        log.add(&summary.span, message, suggestion(&summary.value, "rows", keys()));
    }
    for (here, other) in about.names.iter().filter(|(_, other)| !keys().contains(&other.value.as_str())) {
        let message = format!("{} has no row {}", quoted(&table.name), quoted(&here.value));
        log.add(
            &here.span,
            message,
            format!("rows: {}; after renaming there should be {}", list(keys()), quoted(&other.value)),
        );
    }
}

fn check_descriptions(about: &[WrittenTable], tables: &[SourceTable], log: &Log) {
    let known: Vec<&str> = tables.iter().map(|table| table.name.as_str()).collect();
    for table in about.iter().filter(|about| !known.contains(&about.name.value.as_str())) {
        let message = format!("there is no published/{}.csv", table.name.value);
        log.add(&table.name.span, message, suggestion(&table.name.value, "tables", known.clone()));
    }
}

fn own_columns(about: &[WrittenTable], tables: &[SourceTable], log: &Log) -> Vec<OwnColumn> {
    let mut columns = Vec::new();
    for about in about {
        let Some(table) = tables.iter().find(|table| table.name == about.name.value) else { continue };
        columns.extend(about.own.iter().filter_map(|own| own_column(own, table, log)));
    }
    columns
}

fn own_column(own: &WrittenOwn, table: &SourceTable, log: &Log) -> Option<OwnColumn> {
    let column = known_column(table, &own.column, log)?;
    if let Some(row) = own.row.as_ref().filter(|row| table.rows_with_key(&row.value).count() != 1) {
        let known = table.rows.iter().map(|row| row.key.as_str());
        let message = format!("{} has no row {}, or several", quoted(&table.name), quoted(&row.value));
        log.add(&row.span, message, suggestion(&row.value, "rows", known));
    }
    Some(OwnColumn {
        table: table.name.clone(),
        column: table.columns[column].clone(),
        from: own.from.clone(),
        published: own.published.clone(),
        low: own.low.clone(),
        high: own.high.clone(),
        instead: own.instead.clone(),
        neutral: own.neutral,
        row: own.row.as_ref().map(|row| row.value.clone()),
    })
}

/// What a claim states cannot follow from what it states.
fn check_itself(claim: &Claim, study: &str, log: &Log) {
    let whole = format!("{study}/{}", claim.id);
    let formulas =
        [if let Computation::From(formula) = &claim.compute { Some(formula) } else { None }, claim.own.as_ref()];
    for formula in formulas.into_iter().flatten() {
        let itself = super::own::mentioned(&formula.tree).into_iter().find(|(id, _)| *id == claim.id || *id == whole);
        if let Some((_, span)) = itself {
            let help = "compute it from the tables, or refer to another claim";
            log.add(&formula.in_file(span), "the claim refers to itself", help);
        }
    }
}

fn check_claim(claim: &Claim, span: &std::ops::Range<usize>, published: &Source<'_>, with_run: &Source<'_>, log: &Log) {
    if let Computation::From(formula) = &claim.compute {
        match checked(formula, claim, published) {
            Err(trouble) => report(formula, &trouble, log),
            Ok(()) => {
                if let Err(trouble) = evaluated(formula, claim, published)
                    && trouble.kind == TroubleKind::Mistake
                {
                    report(formula, &trouble, log);
                }
            }
        }
    }
    match &claim.own {
        Some(own) => {
            if let Err(trouble) = checked(own, claim, with_run) {
                report(own, &trouble, log);
            }
        }
        None if claim.neutral.is_some() => {
            log.add(span, "`neutral` is for `own`, and there is none", "add `own = '…'`, or leave `neutral` out");
        }
        None => {}
    }
}

/// A single cell that is compared with a number has to be read as one.
fn evaluated(formula: &Formula, claim: &Claim, source: &Source<'_>) -> Result<(), Trouble> {
    super::audit::result(formula, &claim.stated.meaning, source).map(drop)
}

/// Whether the expression gives what the claim states.
fn checked(formula: &Formula, claim: &Claim, source: &Source<'_>) -> Result<(), Trouble> {
    let found = check(&formula.tree, source)?;
    let (fits, wanted) = match claim.stated.meaning {
        Meaning::Number { .. } => (matches!(found, Type::Number | Type::Cell), "a number"),
        Meaning::Truth(_) => (found == Type::Truth, "yes or no"),
        Meaning::Names(_) => (matches!(found, Type::Names | Type::Text | Type::Cell), "names"),
    };
    if fits {
        return Ok(());
    }
    let gives = match found {
        Type::Column(_, Of::Truths) => "many conditions: take `all(…)` or `any(…)` of them",
        Type::Column(..) => "a column: take its `mean(…)`, `sum(…)`, `count(…)`, or a cell of it by `at \"…\"`",
        Type::Number => "a number",
        Type::Truth => "yes or no",
        Type::Names | Type::Text | Type::Cell => "names",
    };
    let message = format!(
        "the claim states {wanted} ({}), but the expression gives another kind of \
            answer",
        quoted(&claim.stated.text)
    );
    Err(Trouble::mistake(formula.tree.span.clone(), message, format!("this is {gives}")))
}

fn check_own_column(own: &OwnColumn, source: &Source<'_>, log: &Log) {
    for formula in own.formulas() {
        match (check(&formula.tree, source), &own.row) {
            (Err(trouble), _) => report(formula, &trouble, log),
            (Ok(Type::Column(Some(_), Of::Cells | Of::Numbers)), None) | (Ok(Type::Number | Type::Cell), Some(_)) => {}
            (Ok(_), None) => log.add(
                &formula.span,
                "this is not a column of a run's table",
                "one value per subject is needed: `speedups[speedup] where …`; for a single row, name it with `row = \
                 \"…\"`",
            ),
            (Ok(_), Some(_)) => {
                log.add(
                    &formula.span,
                    "this is not a number, but one row needs one",
                    "write e.g. \
                    `mean(speedups[speedup] where …)`",
                );
            }
        }
    }
}

fn report(formula: &Formula, trouble: &Trouble, log: &Log) {
    log.add(&formula.in_file(&trouble.span), trouble.message.clone(), trouble.help.clone());
}
