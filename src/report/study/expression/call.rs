//! What the functions compute. Statistics come from [`crate::stats`].

use std::collections::{BTreeMap, BTreeSet};

use super::Trouble;
use super::evaluate::{Evaluated, Evaluator, divided, internal, same_rows, text, truth};
use super::functions::Function;
use super::reduce::{self, Sample};
use super::syntax::{Kind, Node, Span};
use super::value::{Column, Entry, Inclusion, Item, Names, Truth, Value};
use crate::stats;
use crate::study::range::Range;
use crate::study::table::Reader;
use crate::toml_file::names::quoted;

pub(super) fn call(evaluator: &mut Evaluator<'_>, node: &Node, function: Function, arguments: &[Node]) -> Evaluated {
    if function == Function::Stated {
        return stated(evaluator, node, arguments);
    }
    let values = arguments.iter().map(|argument| evaluator.value(argument)).collect::<Result<Vec<_>, _>>()?;
    let span = &node.span;
    match function {
        Function::Abs
        | Function::Floor
        | Function::Ceil
        | Function::Sqrt
        | Function::Ln
        | Function::Exp
        | Function::Round => evaluator.each_number(values, span, |numbers| mapped(function, numbers)),
        Function::Percent => {
            evaluator.each_number(values, span, |n| Ok(divided(n[0], n[1])?.times(Range::exact(100.0))))
        }
        Function::Change => evaluator.each_number(values, span, |n| {
            Ok(Range::exact(1.0).minus(divided(n[1], n[0])?).times(Range::exact(100.0)))
        }),
        Function::Ratio => evaluator.each_number(values, span, |n| divided(n[0], n[1])),
        Function::Seconds | Function::Part | Function::Number => read(evaluator, node, function, values),
        Function::Length => {
            let source = evaluator.source;
            evaluator
                .each(values, span, |items| Item::Number(Range::exact(text(source, &items[0]).chars().count() as f64)))
        }
        Function::If => chosen(evaluator, node, values),
        Function::All | Function::Any => quantified(node, function, &values),
        Function::Join => joined(node, &values),
        Function::List | Function::Concat => listed(values),
        Function::Count | Function::Keys | Function::Distinct => counted(evaluator, node, function, &values),
        _ => statistic(evaluator, node, function, values),
    }
}

fn stated(evaluator: &Evaluator<'_>, node: &Node, arguments: &[Node]) -> Evaluated {
    let id = arguments.first().and_then(|argument| if let Kind::Text(id) = &argument.kind { Some(id) } else { None });
    id.and_then(|id| evaluator.source.stated.get(id)).cloned().ok_or_else(|| internal(node))
}

fn mapped(function: Function, numbers: &[Range]) -> Result<Range, String> {
    let x = numbers[0];
    let whole = |f: fn(f64) -> f64| Ok(x.through(f));
    match function {
        Function::Abs => Ok(x.abs()),
        Function::Floor => whole(f64::floor),
        Function::Ceil => whole(f64::ceil),
        Function::Exp => whole(f64::exp),
        Function::Sqrt if x.value < 0.0 => Err("the square root of a negative number".to_owned()),
        Function::Sqrt => Ok(x.through(|x| x.max(0.0).sqrt())),
        Function::Ln if x.value <= 0.0 => Err("the logarithm of a number that is not positive".to_owned()),
        Function::Ln => Ok(x.through(|x| x.max(0.0).ln())),
        _ => {
            let digits = numbers.get(1).map_or(0.0, |digits| digits.value).clamp(-15.0, 15.0).round();
            let scale = 10f64.powi(digits as i32);
            Ok(x.through(|x| (x * scale).round() / scale))
        }
    }
}

fn read(evaluator: &Evaluator<'_>, node: &Node, function: Function, mut values: Vec<Value>) -> Evaluated {
    let reader = match function {
        Function::Seconds => Reader::Seconds,
        Function::Number => Reader::Lenient,
        _ => Reader::Part(position(&values, node)?),
    };
    values.truncate(1);
    let value = values.pop().ok_or_else(|| internal(node))?;
    evaluator.read(value, reader, &node.span)
}

fn position(values: &[Value], node: &Node) -> Result<usize, Trouble> {
    match values.get(1) {
        Some(Value::Number(range)) if range.value >= 1.0 && range.value.fract() == 0.0 && range.value < 100.0 => {
            Ok(range.value as usize)
        }
        _ => Err(Trouble::mistake(
            node.span.clone(),
            "the part must be a whole number of at least 1",
            "write `part(column, 2)`",
        )),
    }
}

fn chosen(evaluator: &Evaluator<'_>, node: &Node, values: Vec<Value>) -> Evaluated {
    let values = evaluator.as_numbers(values, &node.span)?;
    evaluator.each(values, &node.span, |items| {
        let condition = truth(&items[0]);
        let (taken, other) = if condition.value { (&items[1], &items[2]) } else { (&items[2], &items[1]) };
        match (taken, other) {
            (Item::Number(taken), Item::Number(other)) if !condition.sure => {
                Item::Number(Range::spanning(taken.value, [taken.low, taken.high, other.low, other.high]))
            }
            _ => taken.clone(),
        }
    })
}

fn quantified(node: &Node, function: Function, values: &[Value]) -> Evaluated {
    let is_all = function == Function::All;
    let column = match values.first() {
        Some(Value::Truth(truth)) => return Ok(Value::Truth(*truth)),
        Some(Value::Column(column)) => column,
        _ => return Err(internal(node)),
    };
    // "Any" is "not all not".
    let turned = |found: Truth| if is_all { found } else { found.negated() };
    let all = column.entries.iter().fold(Truth::sure(true), |all, entry| {
        let found = turned(truth(&entry.item));
        match entry.inclusion {
            Inclusion::Sure => all.and(found),
            Inclusion::Likely => all.and(Truth { value: found.value, sure: found.value && found.sure }),
            Inclusion::Unlikely => all.and(Truth { value: true, sure: found.value && found.sure }),
        }
    });
    Ok(Value::Truth(turned(all)))
}

/// The first column's items for the keys of the second.
fn joined(node: &Node, values: &[Value]) -> Evaluated {
    let [Value::Column(from), Value::Column(to)] = values else { return Err(internal(node)) };
    let mut by_key: BTreeMap<&str, Vec<&Entry>> = BTreeMap::new();
    for entry in &from.entries {
        by_key.entry(&entry.key).or_default().push(entry);
    }
    let mut entries = Vec::with_capacity(to.entries.len());
    for target in &to.entries {
        let matches = by_key.get(target.key.as_str()).map_or(&[][..], Vec::as_slice);
        match matches[..] {
            [found] => entries.push(Entry {
                row: target.row,
                key: target.key.clone(),
                item: found.item.clone(),
                inclusion: target.inclusion.both(found.inclusion),
            }),
            [] => {
                let message = format!("the first column has no row {}", quoted(&target.key));
                let help = "select the common rows with `where`; if a table names a row differently, map it in \
                    `[tables.….names]`";
                return Err(Trouble::mistake(node.span.clone(), message, help));
            }
            _ => {
                let message = format!("the first column has {} rows {}", matches.len(), quoted(&target.key));
                return Err(Trouble::mistake(node.span.clone(), message, "select one of them by `where`"));
            }
        }
    }
    Ok(Value::Column(Column { table: to.table, entries }))
}

fn listed(values: Vec<Value>) -> Evaluated {
    let mut entries: Vec<Entry> = Vec::new();
    for value in values {
        match value {
            Value::Column(column) => entries.extend(column.entries),
            Value::Number(range) => entries.push(lone(Item::Number(range))),
            Value::Cell(cell) => entries.push(lone(Item::Cell(cell))),
            _ => {}
        }
    }
    for (row, entry) in entries.iter_mut().enumerate() {
        entry.row = row;
    }
    Ok(Value::Column(Column { table: None, entries }))
}

fn lone(item: Item) -> Entry {
    Entry { row: 0, key: String::new(), item, inclusion: Inclusion::Sure }
}

/// Rows are counted whether they hold numbers, marks or texts.
fn counted(evaluator: &Evaluator<'_>, node: &Node, function: Function, values: &[Value]) -> Evaluated {
    let Some(Value::Column(column)) = values.first() else { return Err(internal(node)) };
    let inclusions: Vec<Inclusion> = column.entries.iter().map(|entry| entry.inclusion).collect();
    match function {
        Function::Count => Ok(Value::Number(reduce::count(&inclusions))),
        Function::Distinct => {
            let texts: BTreeSet<String> = column.inside().map(|entry| text(evaluator.source, &entry.item)).collect();
            Ok(Value::Number(Range::exact(texts.len() as f64)))
        }
        _ => {
            let keys = |wanted: fn(Inclusion) -> bool| {
                let entries = column.entries.iter().filter(|entry| wanted(entry.inclusion));
                entries.map(|entry| entry.key.clone()).collect::<Vec<_>>()
            };
            Ok(Value::Names(Names {
                listed: keys(Inclusion::is_inside),
                certain: keys(|inclusion| inclusion == Inclusion::Sure),
                possible: keys(|_| true),
            }))
        }
    }
}

fn statistic(evaluator: &Evaluator<'_>, node: &Node, function: Function, values: Vec<Value>) -> Evaluated {
    let span = &node.span;
    let values = evaluator.as_numbers(values, span)?;
    let first = samples(values.first().ok_or_else(|| internal(node))?, span)?;
    let parameter = || match values.get(1) {
        Some(Value::Number(range)) => Ok(range.value),
        _ => Err(internal(node)),
    };
    let range = match function {
        Function::Sum if evaluator.source.of_run && is_without_rows(&values) => None,
        // The sum of nothing is 0, not the -0 that `sum()` starts from.
        Function::Sum => reduce::rising(&first, |x| Some(x.iter().fold(0.0, |sum, x| sum + x))),
        Function::Mean => reduce::rising(&first, stats::mean),
        Function::Median => reduce::rising(&first, stats::median),
        Function::Min => reduce::rising(&first, |x| x.iter().copied().min_by(f64::total_cmp)),
        Function::Max => reduce::rising(&first, |x| x.iter().copied().max_by(f64::total_cmp)),
        Function::Geomean => reduce::rising(&first, stats::geometric_mean),
        Function::Harmonic => reduce::rising(&first, stats::harmonic_mean),
        Function::Sd => reduce::spread(&first),
        Function::Variance => reduce::spread(&first).map(|sd| sd.through(|x| x * x)),
        Function::Quantile => {
            let share = parameter()?;
            reduce::rising(&first, |x| stats::quantile(x, share))
        }
        Function::Trimmed => {
            let share = parameter()?;
            reduce::rising(&first, |x| stats::trimmed_mean(x, share))
        }
        Function::Argmax => return extreme(&first, span),
        Function::Argmin => {
            let turned: Vec<Sample> =
                first.into_iter().map(|sample| Sample { range: sample.range.negated(), ..sample }).collect();
            return extreme(&turned, span);
        }
        Function::A12 => {
            let second = samples(values.get(1).ok_or_else(|| internal(node))?, span)?;
            stats::a12(&reduce::inside(&first), &reduce::inside(&second)).map(Range::exact)
        }
        _ => return paired(node, function, &values),
    };
    range.filter(|range| range.value.is_finite()).map(Value::Number).ok_or_else(|| nothing(node, function, first.len()))
}

/// Marks are rows too: a stage that was not needed leaves no failures.
fn is_without_rows(values: &[Value]) -> bool {
    matches!(values.first(), Some(Value::Column(column)) if column.entries.is_empty())
}

fn nothing(node: &Node, function: Function, count: usize) -> Trouble {
    let message = match count {
        0 => format!("`{}` has no numbers: nothing is selected, or only marks", function.name()),
        1 => format!("`{}` of a single number", function.name()),
        _ => format!("these {count} numbers have no `{}`", function.name()),
    };
    Trouble::undefined(node.span.clone(), message)
}

fn extreme(samples: &[Sample], span: &Span) -> Evaluated {
    reduce::largest(samples)
        .map(Value::Names)
        .ok_or_else(|| Trouble::undefined(span.clone(), "there are no numbers to choose from"))
}

/// The numbers of a column; marks without a value are left out, and what has no value for another reason is told.
fn samples(value: &Value, span: &Span) -> Result<Vec<Sample>, Trouble> {
    let Value::Column(column) = value else { return Ok(Vec::new()) };
    let mut samples = Vec::with_capacity(column.entries.len());
    for entry in &column.entries {
        match &entry.item {
            Item::Number(range) => {
                samples.push(Sample { key: entry.key.clone(), range: *range, inclusion: entry.inclusion });
            }
            Item::Undefined(why) if entry.inclusion.is_inside() => {
                return Err(Trouble::undefined(span.clone(), in_row(why, &entry.key)));
            }
            _ => {}
        }
    }
    Ok(samples)
}

fn in_row(why: &str, key: &str) -> String {
    if key.is_empty() { why.to_owned() } else { format!("{why}, in row {}", quoted(key)) }
}

fn paired(node: &Node, function: Function, values: &[Value]) -> Evaluated {
    let pairs = pairs(node, values)?;
    let zipped = |x: &[f64], y: &[f64]| x.iter().copied().zip(y.iter().copied()).collect::<Vec<_>>();
    let range = match function {
        Function::Pearson => reduce::bending(&pairs, |x, y| stats::pearson(x, y).map(|found| found.r)),
        Function::Spearman => reduce::bending(&pairs, |x, y| stats::spearman(x, y).map(|found| found.r)),
        Function::Slope => reduce::bending(&pairs, |x, y| stats::regression(x, y).map(|line| line.slope)),
        Function::Intercept => reduce::bending(&pairs, |x, y| stats::regression(x, y).map(|line| line.intercept)),
        Function::Weighted => reduce::bending(&pairs, stats::weighted_mean),
        Function::WilcoxonP => reduce::bending(&pairs, |x, y| stats::wilcoxon(&zipped(x, y)).map(|test| test.p)),
        _ => return Err(internal(node)),
    };
    range.filter(|range| range.value.is_finite()).map(Value::Number).ok_or_else(|| nothing(node, function, pairs.len()))
}

/// Rows in which both columns have a number.
fn pairs(node: &Node, values: &[Value]) -> Result<Vec<(Range, Range)>, Trouble> {
    let [Value::Column(first), Value::Column(second)] = values else { return Err(internal(node)) };
    same_rows(values, first, &node.span)?;
    let mut pairs = Vec::new();
    for entry in first.inside() {
        let Some(other) = second.row(entry.row).filter(|other| other.inclusion.is_inside()) else { continue };
        for item in [&entry.item, &other.item] {
            if let Item::Undefined(why) = item {
                return Err(Trouble::undefined(node.span.clone(), in_row(why, &entry.key)));
            }
        }
        if let (Item::Number(x), Item::Number(y)) = (&entry.item, &other.item) {
            pairs.push((*x, *y));
        }
    }
    Ok(pairs)
}
