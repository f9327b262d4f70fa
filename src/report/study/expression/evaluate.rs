//! The value of a checked expression. What the check could not see, the cells, is seen here: texts that are no numbers are
//! mistakes too, sums of nothing and divisions by zero are not.

use std::borrow::Cow;
use std::collections::BTreeMap;

use super::Trouble;
use super::call;
use super::syntax::{Kind, Node, Operator, Span};
use super::value::{CellRef, Column, Entry, Inclusion, Item, Truth, Value};
use crate::study::range::Range;
use crate::study::table::{Reader, Reading, SourceTable};
use crate::toml_file::names::{quoted, suggestion};

/// What an expression can refer to.
pub struct Source<'s> {
    pub tables: Vec<&'s SourceTable>,
    /// What claims state, by `id` and by `study/id`.
    pub stated: &'s BTreeMap<String, Value>,
    /// Of a run: what it did not do is not zero. A selection of a configuration, subject, stage or number of cores that no
    /// row is about, and a sum of no rows, then have no value.
    pub of_run: bool,
}

/// What the rows of a run's tables are about; what else a condition asks for may well be true of none.
const ABOUT: [&str; 4] = ["configuration", "subject", "stage", "cores"];

impl<'s> Source<'s> {
    pub fn table(&self, name: &str) -> Option<(usize, &'s SourceTable)> {
        self.tables.iter().position(|table| table.name == name).map(|index| (index, self.tables[index]))
    }
}

/// A part of an expression with its value.
#[derive(Debug, Clone, PartialEq)]
pub struct Step {
    pub expression: String,
    pub value: Value,
}

pub fn evaluate(node: &Node, source: &Source<'_>) -> Result<Value, Trouble> {
    Evaluator { source, scope: None, steps: None }.value(node)
}

/// The same, with every part on the way; also of those that come to nothing.
pub fn evaluate_in_steps(node: &Node, source: &Source<'_>) -> (Result<Value, Trouble>, Vec<Step>) {
    let mut evaluator = Evaluator { source, scope: None, steps: Some(Vec::new()) };
    let value = evaluator.value(node);
    (value, evaluator.steps.unwrap_or_default())
}

/// A cell as a number; what is one already stays.
pub fn as_number(value: Value, source: &Source<'_>, span: &Span) -> Result<Value, Trouble> {
    Evaluator { source, scope: None, steps: None }.read(value, Reader::Plain, span)
}

/// A cell or a text as it is printed.
pub fn as_text(value: Value, source: &Source<'_>) -> Option<String> {
    matches!(value, Value::Cell(_) | Value::Text(_)).then(|| text(source, &value.into_item()))
}

pub(super) struct Evaluator<'s> {
    pub source: &'s Source<'s>,
    /// The table that is being selected from.
    scope: Option<usize>,
    steps: Option<Vec<Step>>,
}

pub(super) type Evaluated = Result<Value, Trouble>;

impl Evaluator<'_> {
    pub fn value(&mut self, node: &Node) -> Evaluated {
        let value = self.compute(node)?;
        let is_literal = matches!(node.kind, Kind::Number(_) | Kind::Text(_));
        if let Some(steps) = self.steps.as_mut().filter(|_| self.scope.is_none() && !is_literal) {
            steps.push(Step { expression: node.to_string(), value: value.clone() });
        }
        Ok(value)
    }

    fn compute(&mut self, node: &Node) -> Evaluated {
        match &node.kind {
            Kind::Number(number) => Ok(Value::Number(Range::exact(*number))),
            Kind::Text(text) => Ok(Value::Text(text.clone())),
            Kind::Column { .. } | Kind::Own(_) => self.column(node).map(Value::Column),
            Kind::At { column, key } => self.cell(column, key),
            Kind::Where { of, condition } => self.selection(of, condition),
            Kind::Negated(of) => {
                let of = self.value(of)?;
                self.each_number(vec![of], &node.span, |numbers| Ok(numbers[0].negated()))
            }
            Kind::Not(of) => {
                let of = self.value(of)?;
                self.each(vec![of], &node.span, |items| Item::Truth(truth(&items[0]).negated()))
            }
            Kind::Binary { operator, left, right } => self.binary(node, *operator, left, right),
            Kind::Among { of, items } => self.among(node, of, items),
            Kind::Within { of, names } => self.within(node, of, names),
            Kind::IsNumber(of) => self.tested(node, of, |source, cell| {
                let table = source.tables[cell.table];
                matches!(table.read(cell.row, cell.column, Reader::Plain), Reading::Number(_))
            }),
            Kind::Is { of, text } => self.tested(node, of, |source, cell| printed(source, cell) == text.trim()),
            Kind::Matches { of, how, text } => {
                self.tested(node, of, |source, cell| how.holds(&printed(source, cell), text))
            }
            Kind::Call { function, arguments } => call::call(self, node, *function, arguments),
        }
    }

    /// The number of the table and of the column.
    fn place(&self, node: &Node) -> Result<(usize, usize), Trouble> {
        let (table, column) = match &node.kind {
            Kind::Column { table, column } => (self.source.table(table).map(|(index, _)| index), column),
            Kind::Own(column) => (self.scope, column),
            _ => return Err(internal(node)),
        };
        let table = table.ok_or_else(|| internal(node))?;
        let column = self.source.tables[table].column(column).ok_or_else(|| internal(node))?;
        Ok((table, column))
    }

    fn column(&self, node: &Node) -> Result<Column, Trouble> {
        let (table, column) = self.place(node)?;
        let found = self.source.tables[table];
        let entry = |row: usize| Entry {
            row,
            key: found.rows[row].key.clone(),
            item: Item::Cell(CellRef { table, row, column }),
            inclusion: Inclusion::Sure,
        };
        Ok(Column { table: Some(table), entries: found.body().map(entry).collect() })
    }

    fn cell(&self, node: &Node, key: &str) -> Evaluated {
        let (index, column) = self.place(node)?;
        let table = self.source.tables[index];
        let rows: Vec<usize> = table.rows_with_key(key).collect();
        match rows[..] {
            [row] => Ok(Value::Cell(CellRef { table: index, row, column })),
            [] => {
                let known = table.rows.iter().map(|row| row.key.as_str());
                let message = format!("{} has no row {}", quoted(&table.name), quoted(key));
                Err(Trouble::mistake(node.span.clone(), message, suggestion(key, "rows", known)))
            }
            _ => {
                let message = format!("{} rows of {} are called {}", rows.len(), quoted(&table.name), quoted(key));
                let help =
                    "name the columns that tell them apart: `key = [\"project\", \"version\"]`, or select by `where`";
                Err(Trouble::mistake(node.span.clone(), message, help))
            }
        }
    }

    fn selection(&mut self, of: &Node, condition: &Node) -> Evaluated {
        let Value::Column(column) = self.value(of)? else { return Err(internal(of)) };
        let outer = std::mem::replace(&mut self.scope, column.table);
        let spoken_to = if self.source.of_run { self.spoken_to(&column, condition) } else { Ok(()) };
        let condition = self.value(condition);
        self.scope = outer;
        spoken_to?;
        Ok(Value::Column(selected(column, &condition?)))
    }

    /// Whether the run has rows about what is asked for, part by part of the condition.
    fn spoken_to(&mut self, column: &Column, condition: &Node) -> Result<(), Trouble> {
        let mut about = column.clone();
        for part in conjuncts(condition).into_iter().filter(|part| is_about(part)) {
            about = selected(about, &self.value(part)?);
        }
        if about.entries.is_empty() {
            let message = "the run has no data for it: no such configuration, subject, stage or core count";
            return Err(Trouble::undefined(condition.span.clone(), message));
        }
        Ok(())
    }

    fn binary(&mut self, node: &Node, operator: Operator, left: &Node, right: &Node) -> Evaluated {
        let values = vec![self.value(left)?, self.value(right)?];
        let span = &node.span;
        match operator {
            Operator::And => self.each(values, span, |items| Item::Truth(truth(&items[0]).and(truth(&items[1])))),
            Operator::Or => self.each(values, span, |items| Item::Truth(truth(&items[0]).or(truth(&items[1])))),
            Operator::Equal | Operator::Unequal if values.iter().any(is_textual) => {
                let wanted = operator == Operator::Equal;
                self.same_texts(values, span, wanted)
            }
            Operator::Plus => self.each_number(values, span, |n| Ok(n[0].plus(n[1]))),
            Operator::Minus => self.each_number(values, span, |n| Ok(n[0].minus(n[1]))),
            Operator::Times => self.each_number(values, span, |n| Ok(n[0].times(n[1]))),
            Operator::Over => self.each_number(values, span, |n| divided(n[0], n[1])),
            Operator::Power => self.each_number(values, span, |n| {
                n[0].power(n[1]).ok_or_else(|| "this power is not a real number".to_owned())
            }),
            _ => {
                let values = self.as_numbers(values, span)?;
                self.each(values, span, |items| Item::Truth(compared(operator, &items[0], &items[1])))
            }
        }
    }

    fn same_texts(&mut self, values: Vec<Value>, span: &Span, wanted: bool) -> Evaluated {
        if let [Value::Names(left), Value::Names(right)] = &values[..] {
            return Ok(Value::Truth(Truth::sure((as_set(&left.listed) == as_set(&right.listed)) == wanted)));
        }
        let source = self.source;
        self.each(values, span, |items| {
            Item::Truth(Truth::sure((text(source, &items[0]) == text(source, &items[1])) == wanted))
        })
    }

    fn among(&mut self, node: &Node, of: &Node, items: &[Node]) -> Evaluated {
        let of_value = self.value(of)?;
        let list = items.iter().map(|item| self.value(item)).collect::<Result<Vec<_>, _>>()?;
        if list.iter().all(|item| matches!(item, Value::Text(_))) {
            let texts: Vec<String> = list
                .iter()
                .filter_map(|item| if let Value::Text(text) = item { Some(text.trim().to_owned()) } else { None })
                .collect();
            let source = self.source;
            return self.each(vec![of_value], &node.span, |found| {
                Item::Truth(Truth::sure(texts.contains(&text(source, &found[0]))))
            });
        }
        let list = self.as_numbers(list, &node.span)?;
        let numbers: Vec<Item> = list.into_iter().map(Value::into_item).collect();
        let of_value = self.as_numbers(vec![of_value], &node.span)?;
        self.each(of_value, &node.span, |found| {
            let among = numbers.iter().any(|number| compared(Operator::Equal, &found[0], number).value);
            Item::Truth(Truth::sure(among))
        })
    }

    fn within(&mut self, node: &Node, of: &Node, names: &Node) -> Evaluated {
        let of = self.value(of)?;
        let source = self.source;
        let (certain, possible) = match self.value(names)? {
            Value::Names(names) => (
                names.listed.clone(),
                names.possible.into_iter().filter(|name| !names.certain.contains(name)).collect(),
            ),
            Value::Column(column) => {
                (column.inside().map(|entry| text(source, &entry.item)).collect::<Vec<_>>(), Vec::new())
            }
            _ => return Err(internal(names)),
        };
        self.each(vec![of], &node.span, |found| {
            let name = text(source, &found[0]);
            Item::Truth(Truth { value: certain.contains(&name), sure: !possible.contains(&name) })
        })
    }

    fn tested(&mut self, node: &Node, of: &Node, test: impl Fn(&Source<'_>, CellRef) -> bool) -> Evaluated {
        let of = self.value(of)?;
        let source = self.source;
        self.each(vec![of], &node.span, |items| {
            Item::Truth(Truth::sure(matches!(&items[0], Item::Cell(cell) if test(source, *cell))))
        })
    }

    /// Element by element; rows that only one of the columns has are left out.
    pub fn each(&self, values: Vec<Value>, span: &Span, f: impl Fn(&[Item]) -> Item) -> Evaluated {
        let Some(first) = values.iter().find_map(Value::as_column) else {
            let items: Vec<Item> = values.into_iter().map(Value::into_item).collect();
            return single(f(&items), span);
        };
        same_rows(&values, first, span)?;
        let entry = |entry: &Entry| {
            let mut inclusion = entry.inclusion;
            let mut items = Vec::with_capacity(values.len());
            for value in &values {
                items.push(match value.as_column() {
                    Some(column) => {
                        let other = column.row(entry.row)?;
                        inclusion = inclusion.both(other.inclusion);
                        other.item.clone()
                    }
                    None => value.clone().into_item(),
                });
            }
            Some(Entry { item: f(&items), inclusion, row: entry.row, key: entry.key.clone() })
        };
        Ok(Value::Column(Column { table: first.table, entries: first.entries.iter().filter_map(entry).collect() }))
    }

    /// The same for numbers: marks without a value stay what they are.
    pub fn each_number(
        &self,
        values: Vec<Value>,
        span: &Span,
        f: impl Fn(&[Range]) -> Result<Range, String>,
    ) -> Evaluated {
        let values = self.as_numbers(values, span)?;
        self.each(values, span, |items| {
            let mut numbers = Vec::with_capacity(items.len());
            for item in items {
                match item {
                    Item::Number(range) => numbers.push(*range),
                    other => return other.clone(),
                }
            }
            match f(&numbers) {
                Ok(range) if range.value.is_finite() => Item::Number(range),
                Ok(_) => Item::Undefined("the result is not a finite number".to_owned()),
                Err(why) => Item::Undefined(why),
            }
        })
    }

    pub fn as_numbers(&self, values: Vec<Value>, span: &Span) -> Result<Vec<Value>, Trouble> {
        values.into_iter().map(|value| self.read(value, Reader::Plain, span)).collect()
    }

    /// Cells as numbers; a text that is neither number nor mark is a mistake wherever in the column it stands.
    pub fn read(&self, value: Value, reader: Reader, span: &Span) -> Evaluated {
        match value {
            Value::Cell(cell) => {
                let table = self.source.tables[cell.table];
                match table.read(cell.row, cell.column, reader) {
                    Reading::Number(range) => Ok(Value::Number(range)),
                    Reading::Missing(text) => Err(Trouble::undefined(span.clone(), prints(table, cell.row, &text))),
                    Reading::Odd => Err(self.odd(cell, reader, span)),
                }
            }
            Value::Column(mut column) => {
                self.check_cells(&column, reader, span)?;
                for entry in &mut column.entries {
                    if let Item::Cell(cell) = entry.item {
                        entry.item = match self.source.tables[cell.table].read(cell.row, cell.column, reader) {
                            Reading::Number(range) => Item::Number(range),
                            Reading::Missing(text) => Item::Missing(text),
                            Reading::Odd => return Err(self.odd(cell, reader, span)),
                        };
                    }
                }
                Ok(Value::Column(column))
            }
            other => Ok(other),
        }
    }

    fn check_cells(&self, column: &Column, reader: Reader, span: &Span) -> Result<(), Trouble> {
        let mut seen = Vec::new();
        for entry in &column.entries {
            let Item::Cell(cell) = entry.item else { continue };
            let place = (cell.table, cell.column);
            if seen.contains(&place) {
                continue;
            }
            seen.push(place);
            let table = self.source.tables[cell.table];
            if let Some(row) = table.odd_row(cell.column, reader) {
                return Err(self.odd(CellRef { row, ..cell }, reader, span));
            }
            if let Some((one, other)) = table.mixed_units(cell.column).filter(|_| reader == Reader::Plain) {
                let message = format!("the column has {} and {}: different units", quoted(&one), quoted(&other));
                return Err(Trouble::mistake(span.clone(), message, "read times by `seconds(…)`"));
            }
        }
        Ok(())
    }

    fn odd(&self, cell: CellRef, reader: Reader, span: &Span) -> Trouble {
        let table = self.source.tables[cell.table];
        let text = quoted(&table.cell(cell.row, cell.column));
        let row = &table.rows[cell.row];
        let wanted = match reader {
            Reader::Seconds => "a time",
            Reader::Part(_) => "a text with so many numbers",
            Reader::Plain | Reader::Lenient => "a number",
        };
        let message = format!("{text} is not {wanted}: {}, line {}, row {}", table.file, row.line, quoted(&row.key));
        let help = format!(
            "if it is a mark, say what it means: `[tables.{}.marks]` with `{} = {{ means = \"…\" }}`; times are read \
             by `seconds(…)`, cells with several numbers by `part(…, 1)`, and `number(…)` leaves out what is not a \
             number",
            table.name,
            text.replace('`', "\"")
        );
        Trouble::mistake(span.clone(), message, help)
    }
}

/// The rows for which the condition holds, or may hold.
fn selected(column: Column, condition: &Value) -> Column {
    let truth_of = |entry: &Entry| match condition {
        Value::Truth(truth) => *truth,
        Value::Column(truths) => truths.row(entry.row).map_or(Truth::sure(false), |other| truth(&other.item)),
        _ => Truth::sure(false),
    };
    let kept = |entry: Entry| {
        let inclusion = entry.inclusion.given(truth_of(&entry))?;
        Some(Entry { inclusion, ..entry })
    };
    Column { entries: column.entries.into_iter().filter_map(kept).collect(), ..column }
}

/// What has to hold together.
fn conjuncts(condition: &Node) -> Vec<&Node> {
    match &condition.kind {
        Kind::Binary { operator: Operator::And, left, right } => [conjuncts(left), conjuncts(right)].concat(),
        _ => vec![condition],
    }
}

fn is_about(part: &Node) -> bool {
    fn columns(node: &Node) -> Vec<&str> {
        match &node.kind {
            Kind::Own(column) => vec![column],
            kind => kind.children().into_iter().flat_map(columns).collect(),
        }
    }
    let columns = columns(part);
    !columns.is_empty() && columns.iter().all(|column| ABOUT.contains(column))
}

impl Value {
    pub fn as_column(&self) -> Option<&Column> {
        if let Value::Column(column) = self { Some(column) } else { None }
    }

    fn into_item(self) -> Item {
        match self {
            Value::Number(range) => Item::Number(range),
            Value::Truth(truth) => Item::Truth(truth),
            Value::Text(text) => Item::Text(text),
            Value::Names(names) => Item::Text(names.listed.join("; ")),
            Value::Cell(cell) => Item::Cell(cell),
            Value::Column(_) => Item::Undefined("a column is not a single value".to_owned()),
        }
    }
}

fn single(item: Item, span: &Span) -> Evaluated {
    match item {
        Item::Number(range) => Ok(Value::Number(range)),
        Item::Truth(truth) => Ok(Value::Truth(truth)),
        Item::Text(text) => Ok(Value::Text(text)),
        Item::Cell(cell) => Ok(Value::Cell(cell)),
        Item::Missing(text) => Err(Trouble::undefined(span.clone(), format!("{} has no value", quoted(&text)))),
        Item::Undefined(why) => Err(Trouble::undefined(span.clone(), why)),
    }
}

/// Columns of no table go together by position, so they have to be of one length.
pub(super) fn same_rows(values: &[Value], first: &Column, span: &Span) -> Result<(), Trouble> {
    let other = values.iter().filter_map(Value::as_column).find(|column| {
        column.table != first.table || (first.table.is_none() && column.entries.len() != first.entries.len())
    });
    match other {
        None => Ok(()),
        Some(other) => {
            let message = format!("{} values and {} do not go together", first.entries.len(), other.entries.len());
            Err(Trouble::mistake(span.clone(), message, "lists have to be of one length, columns of one table"))
        }
    }
}

/// A condition on something without a value is false.
pub(super) fn truth(item: &Item) -> Truth {
    if let Item::Truth(truth) = item { *truth } else { Truth::sure(false) }
}

fn is_textual(value: &Value) -> bool {
    matches!(value, Value::Text(_) | Value::Names(_))
}

fn printed<'s>(source: &Source<'s>, cell: CellRef) -> Cow<'s, str> {
    source.tables[cell.table].cell(cell.row, cell.column)
}

pub(super) fn text(source: &Source<'_>, item: &Item) -> String {
    match item {
        Item::Cell(cell) => printed(source, *cell).into_owned(),
        Item::Text(text) | Item::Missing(text) => text.trim().to_owned(),
        Item::Number(range) => range.value.to_string(),
        Item::Truth(truth) => yes_or_no(truth.value).to_owned(),
        Item::Undefined(_) => String::new(),
    }
}

pub(super) fn yes_or_no(value: bool) -> &'static str {
    if value { "yes" } else { "no" }
}

pub(super) fn as_set(names: &[String]) -> std::collections::BTreeSet<&str> {
    names.iter().map(|name| name.trim()).collect()
}

pub(super) fn divided(a: Range, b: Range) -> Result<Range, String> {
    a.over(b).ok_or_else(|| "division by zero".to_owned())
}

/// Printed numbers are equal as they are printed; whether one is larger than the other can be a matter of rounding.
fn compared(operator: Operator, left: &Item, right: &Item) -> Truth {
    let (Item::Number(a), Item::Number(b)) = (left, right) else { return Truth::sure(false) };
    let equal = (a.value - b.value).abs() <= 1e-9 * a.value.abs().max(b.value.abs());
    let less = |a: &Range, b: &Range| Truth {
        value: a.value < b.value && !equal,
        sure: a.high < b.low || a.low >= b.high || (a.is_exact() && b.is_exact()),
    };
    match operator {
        Operator::Equal => Truth::sure(equal),
        Operator::Unequal => Truth::sure(!equal),
        Operator::Less => less(a, b),
        Operator::Greater => less(b, a),
        Operator::LessOrEqual => less(b, a).negated(),
        Operator::GreaterOrEqual => less(a, b).negated(),
        _ => Truth::sure(false),
    }
}

fn prints(table: &SourceTable, row: usize, text: &str) -> String {
    let row = &table.rows[row];
    let mark = if text.is_empty() { "nothing".to_owned() } else { quoted(text) };
    format!("{} prints {mark} for {}", table.name, quoted(&row.key))
}

/// The check sees to it that this does not happen.
pub(super) fn internal(node: &Node) -> Trouble {
    Trouble::mistake(node.span.clone(), "this cannot be evaluated", "see docs/claims.md")
}
