use std::collections::BTreeMap;

use proptest::prelude::*;

use super::functions::{Function, SIGNATURES};
use super::syntax::{Kind, Match, Operator};
use super::*;
use crate::data_table::DataCell;
use crate::study::range::Range;
use crate::study::table::{Mark, SourceRow, SourceTable};

fn table(name: &str, columns: &[&str], rows: &[&[&str]]) -> SourceTable {
    let row = |(index, cells): (usize, &&[&str])| SourceRow {
        key: cells[0].to_owned(),
        is_summary: cells[0] == "Σ",
        cells: cells.iter().map(|cell| DataCell::Text((*cell).to_owned())).collect(),
        line: index + 2,
        subject: None,
    };
    let mark = |value| Mark { means: "a mark".to_owned(), value, own: Vec::new() };
    SourceTable {
        name: name.to_owned(),
        file: format!("published/{name}.csv"),
        columns: columns.iter().map(|column| (*column).to_owned()).collect(),
        rows: rows.iter().enumerate().map(row).collect(),
        marks: [("TO".to_owned(), mark(None)), ("=".to_owned(), mark(Some(0.0)))].into(),
        ..SourceTable::default()
    }
}

fn tables() -> [SourceTable; 3] {
    [
        table(
            "table-1",
            &["project", "n", "x", "odd]", "time", "share", "word"],
            &[
                &["a", "1", "1.5", "1", "1m 30s", "12 (30%)", "one"],
                &["b", "2", "TO", "1", "2:03", "5 (50%)", "two"],
                &["c", "3", "=", "2", "4m", "0 (0%)", "two"],
                &["d", "4", "2.5", "2", "TO", "1,000 (7%)", "3 of"],
                &["Σ", "10", "4.0", "6", "7m", "x", "y"],
            ],
        ),
        table("table-2", &["project", "m"], &[&["d", "40"], &["a", "10"], &["b", "0"]]),
        table("table-3", &["id", "v"], &[&["a", "1"], &["a", "2"], &["", "3s"], &["z", "4m"]]),
    ]
}

fn run<T>(f: impl FnOnce(&Source<'_>) -> T) -> T {
    let tables = tables();
    let stated = BTreeMap::from([
        ("total".to_owned(), Value::Number(Range::exact(10.0))),
        ("other/yes".to_owned(), Value::Truth(Truth::sure(true))),
    ]);
    f(&Source { tables: tables.iter().collect(), stated: &stated, of_run: false })
}

fn value(text: &str) -> Result<Value, Trouble> {
    run(|source| {
        let tree = parse(text)?;
        check(&tree, source)?;
        let value = evaluate(&tree, source)?;
        as_number(value, source, &tree.span)
    })
}

fn number(text: &str) -> f64 {
    match value(text) {
        Ok(Value::Number(range)) => range.value,
        other => panic!("{text}: {other:?}"),
    }
}

fn range(text: &str) -> (f64, f64) {
    match value(text) {
        Ok(Value::Number(range)) => (range.low, range.high),
        other => panic!("{text}: {other:?}"),
    }
}

fn truth(text: &str) -> (bool, bool) {
    match value(text) {
        Ok(Value::Truth(truth)) => (truth.value, truth.sure),
        other => panic!("{text}: {other:?}"),
    }
}

fn names(text: &str) -> Vec<String> {
    match value(text) {
        Ok(Value::Names(names)) => names.listed,
        other => panic!("{text}: {other:?}"),
    }
}

fn mistake(text: &str) -> (String, String, String) {
    match value(text) {
        Err(Trouble { span, message, help, kind: TroubleKind::Mistake }) => {
            (text.get(span).unwrap_or_default().to_owned(), message, help)
        }
        other => panic!("{text}: {other:?}"),
    }
}

fn undefined(text: &str) -> String {
    match value(text) {
        Err(Trouble { message, kind: TroubleKind::Undefined, .. }) => message,
        other => panic!("{text}: {other:?}"),
    }
}

fn near(text: &str, expected: f64) {
    let found = number(text);
    assert!((found - expected).abs() <= 1e-9 * expected.abs().max(1.0), "{text}: {found} for {expected}");
}

#[test]
fn arithmetic_is_as_written() {
    near("1 + 2 * 3 ^ 2 - 4 / 2", 17.0);
    near("-2 ^ 2 + (1 + 1) * 3", 2.0);
    near("2 ^ 3 ^ 2", 512.0);
    near("10 - 2 - 3", 5.0);
    near("1.5e1 / .5", 30.0);
}

#[test]
fn columns_are_reduced() {
    near("sum(table-1[n])", 10.0);
    near("mean(table-1[x])", 4.0 / 3.0);
    near("median(table-1[n])", 2.5);
    near("min(table-1[n]) + max(table-1[n])", 5.0);
    near("count(table-1[x])", 4.0);
    near("count(table-1[x] where [x] is number)", 3.0);
    near("count(table-1[x] where [x] is \"TO\")", 1.0);
    near("distinct(table-1[word])", 3.0);
    near("geomean(table-1[n])", 24f64.powf(0.25));
    near("harmonic(table-1[n])", 4.0 / (1.0 + 0.5 + 1.0 / 3.0 + 0.25));
    near("sd(table-1[n]) ^ 2", 5.0 / 3.0);
    near("variance(table-1[n])", 5.0 / 3.0);
    near("quantile(table-1[n], 0.25)", 1.75);
    near("trimmed(table-1[n], 0.25)", 2.5);
    near("weighted(table-1[n], table-1[n])", 3.0);
    near("a12(table-1[n], table-2[m])", 1.0 / 3.0);
}

#[test]
fn pairs_are_taken_by_row() {
    near("pearson(table-1[n], table-1[n] * 2 + 1)", 1.0);
    near("spearman(table-1[n], table-1[n] ^ 3)", 1.0);
    near("slope(table-1[n], table-1[n] * 2 + 1)", 2.0);
    near("intercept(table-1[n], table-1[n] * 2 + 1)", 1.0);
    near("wilcoxon_p(table-1[n], table-1[n] + table-1[n])", 0.125);
    near("weighted(table-1[x], table-1[n])", (1.5 + 10.0) / 8.0);
}

#[test]
fn functions_go_element_by_element() {
    near("sum(abs(-table-1[n]))", 10.0);
    near("round(2.345, 2) + floor(1.9) + ceil(1.1)", 5.35);
    near("sqrt(16) + ln(exp(2))", 6.0);
    near("percent(1, 4)", 25.0);
    near("change(10, 8)", 20.0);
    near("ratio(3, 2)", 1.5);
    near("sum(seconds(table-1[time]))", 90.0 + 123.0 + 240.0);
    near("sum(part(table-1[share], 2))", 87.0);
    near("part(table-1[share] at \"d\", 1)", 1000.0);
    near("sum(number(table-1[word]))", 0.0);
    near("sum(length(table-1[word]))", 13.0);
    near("sum(if(table-1[n] > 2, table-1[n], 0))", 7.0);
    near("if(1 > 2, 3, 4)", 4.0);
}

#[test]
fn cells_are_found_by_key() {
    near("table-1[n] at \"c\"", 3.0);
    near("table-1[n] at \"Σ\" - sum(table-1[n])", 0.0);
    near("table-1[odd]]] at \"a\"", 1.0);
    near("stated(\"total\") / 2", 5.0);
    assert_eq!(truth("stated(\"other/yes\")"), (true, true));
    assert_eq!(undefined("table-1[x] at \"b\" + 1"), "table-1 prints `TO` for `b`");
}

#[test]
fn rows_are_selected() {
    near("sum(table-1[n] where [n] > 1 and [n] <= 3)", 5.0);
    near("sum(table-1[n] where [x] > 1 or [project] == \"b\")", 7.0);
    near("sum(table-1[n] where not [project] in (\"a\", \"b\"))", 7.0);
    near("sum(table-1[n] where [project] not in (\"a\", \"b\"))", 7.0);
    near("sum(table-1[n] where [n] in (1, 4))", 5.0);
    near("sum(table-1[n] where [project] in keys(table-2[m]))", 7.0);
    near("sum(table-1[n] where [project] in table-2[project])", 7.0);
    near("sum(table-1[n] where [word] starts \"t\" and [word] has \"w\")", 5.0);
    near("sum(table-1[n] where [word] ends \"e\")", 1.0);
    near("sum(table-1[n] where [x] is not number)", 2.0);
    near("sum(table-1[n] where [x] is not \"TO\")", 8.0);
    near("sum(table-1[n] where [x] != 0)", 5.0);
    near("sum(table-1[n] where [word] != \"two\")", 5.0);
    near("sum(table-1[n] where [n] > mean([n]))", 7.0);
    near("sum(table-1[n] / table-1[odd]]] where [n] >= 3 where [n] < 4)", 1.5);
    near("sum(table-1[n] where 1 > 2)", 0.0);
    assert!(number("sum(table-1[n] where 1 > 2)").is_sign_positive());
}

#[test]
fn tables_are_joined_by_key() {
    near("sum(join(table-1[n], table-2[m]) * table-2[m])", 170.0);
    near("sum(concat(table-1[n], table-2[m]))", 60.0);
    near("median(list(3, 1, table-1[n] at \"b\"))", 2.0);
    near("mean(table-2[m] where join(table-1[n], [m]) > 1)", 20.0);
}

#[test]
fn conditions_answer_questions() {
    assert_eq!(truth("all(table-1[n] > 0)"), (true, true));
    assert_eq!(truth("any(table-1[n] > 3) and not all(table-1[n] > 3)"), (true, true));
    assert_eq!(truth("all(table-1[x] >= 0)"), (false, true), "a mark is never in a relation");
    assert_eq!(truth("argmax(table-1[n]) == \"d\""), (true, true));
    assert_eq!(truth("keys(table-2[m]) == keys(table-1[n] where [project] != \"c\")"), (true, true));
    assert_eq!(truth("mean(table-1[x]) > 1.34"), (false, false));
    assert_eq!(truth("1 < 2 or 1 / 3 == 0.1"), (true, true));
}

#[test]
fn rows_are_named() {
    assert_eq!(names("argmax(table-1[n])"), ["d"]);
    assert_eq!(names("argmin(table-1[odd]]])"), ["a", "b"]);
    assert_eq!(names("keys(table-1[x] where [x] is \"TO\")"), ["b"]);
}

#[test]
fn rounded_rows_give_ranges() {
    let close = |found: (f64, f64), low: f64, high: f64| {
        assert!((found.0 - low).abs() < 1e-9 && (found.1 - high).abs() < 1e-9, "{found:?} for {low} to {high}");
    };
    close(range("sum(table-1[x])"), 3.9, 4.1);
    close(range("mean(table-1[n])"), 2.5, 2.5);
    close(range("count(table-1[x] where [x] > 2.48)"), 0.0, 1.0);
    close(range("count(table-1[x] where [x] >= 2.5)"), 0.0, 1.0);
    close(range("count(table-1[x] where [x] > 2.6)"), 0.0, 0.0);
    close(range("mean(table-1[n] where [x] > 1.48)"), 2.5, 4.0);
    let spread = range("sd(table-1[x])");
    assert!(spread.0 < number("sd(table-1[x])") && spread.1 > number("sd(table-1[x])"));
}

#[test]
fn what_has_no_value_is_told() {
    assert_eq!(undefined("1 / 0"), "division by zero");
    assert_eq!(undefined("mean(table-1[n] / table-1[x])"), "division by zero, in row `c`");
    near("mean(table-1[n] / table-1[x] where [x] > 0)", (1.0 / 1.5 + 4.0 / 2.5) / 2.0);
    assert!(undefined("mean(table-1[n] where [n] > 9)").contains("has no numbers"));
    assert!(undefined("sd(table-1[n] where [n] == 1)").contains("a single number"));
    assert!(undefined("geomean(table-1[x])").contains("have no `geomean`"));
    assert!(undefined("argmax(table-1[n] where [n] > 9)").contains("no numbers to choose from"));
    assert!(undefined("10 ^ 400").contains("finite"));
    assert!(undefined("(0 - 8) ^ 0.5").contains("real"));
    assert!(undefined("ln(0)").contains("logarithm") && undefined("sqrt(0 - 1)").contains("negative"));
    assert!(undefined("pearson(list(1, 1), list(2, 3))").contains("pearson"));
}

#[test]
fn mistakes_name_their_place() {
    let cases: &[(&str, &str, &str, &str)] = &[
        ("mean(table-9[n])", "table-9[n]", "there is no table `table-9`", "did you mean `table-1`?"),
        ("mean(table-1[m])", "table-1[m]", "`table-1` has no column `m`", "columns: `project`"),
        ("maen(table-1[n])", "maen", "there is no function `maen`", "did you mean `mean`?"),
        ("sum(table-1[n] at \"A\")", "table-1[n] at \"A\"", "a column of numbers is needed", "sum(column)"),
        ("table-1[n] at \"cc\"", "table-1[n]", "has no row `cc`", "rows: `a`"),
        ("table-3[v] at \"a\"", "table-3[v]", "2 rows of `table-3` are called `a`", "key ="),
        ("sum(table-3[v] where [id] == \"a\")", "sum(table-3[v] where [id] == \"a\")", "different units", "seconds"),
        (
            "sum(table-1[word])",
            "sum(table-1[word])",
            "`one` is not a number: published/table-1.csv, line 2, row `a`",
            "marks",
        ),
        ("sum(seconds(table-1[word]))", "seconds(table-1[word])", "is not a time", "seconds"),
        ("sum(part(table-1[share], 3))", "part(table-1[share], 3)", "with so many numbers", "part"),
        ("sum(part(table-1[share], 0))", "part(table-1[share], 0)", "whole number of at least 1", "part(column, 2)"),
        ("table-1[n] + table-2[m]", "table-1[n] + table-2[m]", "columns of two tables", "join"),
        ("sum(table-1[n] where table-2[m] > 1)", "table-2[m] > 1", "rows of another table", "join"),
        ("sum(join(table-2[m], table-1[n]))", "join(table-2[m], table-1[n])", "has no row `c`", "where"),
        ("sum(join(table-3[v], table-2[m]))", "join(table-3[v], table-2[m])", "has no row `d`", "names"),
        ("[n] > 1", "[n]", "no table has the column `n`", "table-1[n]"),
        ("1 where 1 > 2", "1", "`where` selects rows of a column", "mean("),
        ("sum(table-1[n] where [n])", "[n]", "a condition is needed here, but this is a column", "compare"),
        ("mean(table-1[n], 2)", "mean(table-1[n], 2)", "takes one argument here, and got 2", "mean(column)"),
        ("list()", "list()", "at least one argument", "list(number, …)"),
        ("stated(\"totl\")", "\"totl\"", "there is no claim `totl`", "did you mean `total`?"),
        ("stated(1)", "1", "a text in quotes is needed", "stated("),
        ("1 +", "", "something is missing here", "must follow"),
        ("(1 + 2", "(", "this parenthesis is not closed", "`)`"),
        ("1 + 2)", ")", "the expression ends before this", "no `(`"),
        ("1 2", "2", "the expression ends before this", "operator"),
        ("1 < 2 < 3", "<", "cannot be chained", "and"),
        ("\"a\" < \"b\"", "\"a\" < \"b\"", "neither less nor greater", "=="),
        ("argmax(table-1[n]) == 2", "2", "compared with a number", "without quotes"),
        ("table-1[n] = 1", "=", "means nothing here", "=="),
        ("52%", "%", "means nothing here", "percent"),
        ("12x", "12x", "this is not a number", "without units"),
        ("\"open", "\"open", "this text has no end", "double quote"),
        ("table-1[open", "[open", "this column has no end", "]"),
        ("mean", "mean", "`mean` is not a value", "mean(column)"),
        ("a-b", "a-b", "`a-b` is not a value", "minus"),
        ("table-1[word] is 3 > 1", "3", "after `is` comes a text", "is number"),
        ("sum(table-1[n] where [n] in (1, \"a\"))", "1, \"a\"", "of one kind", "in ("),
        ("abs(table-1[n]) is number", "abs(table-1[n])", "as it is printed is needed", "text of cells"),
        (
            "sum(concat(table-1[n], table-1[n] > 1))",
            "concat(table-1[n], table-1[n] > 1)",
            "of different kinds",
            "conditions",
        ),
        ("list(1, 2) + list(1)", "list(1, 2) + list(1)", "do not go together", "length"),
        ("not table-1[n]", "table-1[n]", "a condition is needed", "compare"),
        ("“a”", "“", "means nothing here", "straight"),
    ];
    for (text, place, message, help) in cases {
        let found = mistake(text);
        assert_eq!(found.0, *place, "{text}: {found:?}");
        assert!(found.1.contains(message), "{text}: {found:?}");
        assert!(found.2.contains(help), "{text}: {found:?}");
    }
}

#[test]
fn nothing_is_too_deep_or_too_long_to_be_refused() {
    for text in [
        "(".repeat(5000),
        "-".repeat(5000) + "1",
        "not ".repeat(2000) + "1",
        "abs(".repeat(2000) + "1" + &")".repeat(2000),
        format!("1{}", " + 1".repeat(2000)),
        format!("1{}", " ^ 1".repeat(2000)),
        "1 + ".repeat(3000),
        "x".repeat(20_000),
        format!("table-1[n]{}", " where 1 > 0".repeat(700)),
    ] {
        let trouble = parse(&text).expect_err("refused");
        assert_eq!(trouble.kind, TroubleKind::Mistake, "{trouble:?}");
    }
    assert!(parse(&format!("1{}", " + 1".repeat(90))).is_ok());
}

#[test]
fn every_step_is_told() {
    run(|source| {
        let tree = parse("mean(table-1[n] where [n] > 2) + 1").unwrap();
        let (value, steps) = evaluate_in_steps(&tree, source);
        assert_eq!(value, Ok(Value::Number(Range::exact(4.5))));
        let told: Vec<&str> = steps.iter().map(|step| step.expression.as_str()).collect();
        assert_eq!(
            told,
            [
                "table-1[n]",
                "table-1[n] where [n] > 2",
                "mean(table-1[n] where [n] > 2)",
                "mean(table-1[n] where [n] > 2) + 1"
            ]
        );
    });
}

fn node() -> impl Strategy<Value = Node> {
    let leaf = prop_oneof![
        (0u32..10_000).prop_map(|number| Kind::Number(f64::from(number) / 8.0)),
        "[a-z\"\\\\ ]{0,5}".prop_map(Kind::Text),
        ("[a-z]{1,3}-[0-9]", "[a-z/#\\] ]{1,5}")
            .prop_map(|(table, column)| Kind::Column { table: format!("t{table}"), column }),
        "[a-z\\]]{1,4}".prop_map(Kind::Own),
    ];
    leaf.prop_map(|kind| Node::new(kind, 0..0)).prop_recursive(5, 40, 4, |inner| {
        let boxed = inner.clone().prop_map(Box::new);
        let operators = prop::sample::select(vec![
            Operator::Or,
            Operator::And,
            Operator::Equal,
            Operator::LessOrEqual,
            Operator::Plus,
            Operator::Minus,
            Operator::Times,
            Operator::Over,
            Operator::Power,
        ]);
        let column = ("[a-z]{1,3}", "[a-z]{1,3}")
            .prop_map(|(table, column)| Box::new(Node::new(Kind::Column { table: format!("t{table}"), column }, 0..0)));
        prop_oneof![
            (operators, boxed.clone(), boxed.clone()).prop_map(|(operator, left, right)| Kind::Binary {
                operator,
                left,
                right
            }),
            (column, "[a-z]{0,3}").prop_map(|(column, key)| Kind::At { column, key }),
            (boxed.clone(), boxed.clone()).prop_map(|(of, condition)| Kind::Where { of, condition }),
            boxed.clone().prop_map(Kind::Negated),
            boxed.clone().prop_map(Kind::Not),
            boxed.clone().prop_map(Kind::IsNumber),
            (boxed.clone(), "[a-z]{0,3}").prop_map(|(of, text)| Kind::Is { of, text }),
            (boxed.clone(), "[a-z]{0,3}").prop_map(|(of, text)| Kind::Matches { of, how: Match::Ends, text }),
            (boxed, prop::collection::vec(inner.clone(), 1..3)).prop_map(|(of, items)| Kind::Among { of, items }),
            (0..SIGNATURES.len(), prop::collection::vec(inner, 0..3))
                .prop_map(|(index, arguments)| Kind::Call { function: SIGNATURES[index].function, arguments }),
        ]
        .prop_map(|kind| Node::new(kind, 0..0))
    })
}

proptest! {
    #[test]
    fn what_is_printed_is_read_back(tree in node()) {
        let text = tree.to_string();
        prop_assert_eq!(parse(&text).map_err(|trouble| format!("{text}: {trouble:?}")), Ok(tree));
    }

    #[test]
    fn nothing_breaks_the_language(text in "\\PC{0,60}") {
        let _ = value(&text);
    }

    #[test]
    fn likely_expressions_do_not_break_it_either(
        words in prop::collection::vec(prop::sample::select(vec![
            "table-1[n]", "table-1[x]", "table-2[m]", "[n]", "[x]", "where", "and", "or", "not", "in", "is", "number", "\"a\"", "1", "0",
            "+", "-", "*", "/", "^", "(", ")", ",", "<", ">=", "==", "at", "mean", "sum", "keys", "join", "list", "if", "all", "stated",
            "seconds", "part", "concat", "sd", "pearson", "quantile",
        ]), 1..14)
    ) {
        if let Ok(Value::Number(range)) = value(&words.join(" ")) {
            prop_assert!(range.value.is_finite() && range.low <= range.value && range.value <= range.high);
        }
    }

    #[test]
    fn a_range_holds_every_value_that_was_rounded_away(
        shifts in prop::collection::vec(-0.049f64..0.049, 6), function in prop::sample::select(vec![
            Function::Sum, Function::Mean, Function::Median, Function::Min, Function::Max, Function::Geomean, Function::Harmonic,
            Function::Sd, Function::Variance,
        ])
    ) {
        let printed = ["1.5", "2.5", "0.7", "3.1", "2.2", "2.4"];
        let rows: Vec<Vec<String>> = printed.iter().enumerate().map(|(index, text)| vec![index.to_string(), (*text).to_owned()]).collect();
        let rows: Vec<Vec<&str>> = rows.iter().map(|row| row.iter().map(String::as_str).collect()).collect();
        let rows: Vec<&[&str]> = rows.iter().map(Vec::as_slice).collect();
        let table = table("t", &["k", "v"], &rows);
        let stated = BTreeMap::new();
        let source = Source { tables: vec![&table], stated: &stated, of_run: false };
        let of = |text: &str| match evaluate(&parse(text).unwrap(), &source) {
            Ok(Value::Number(range)) => range,
            other => panic!("{text}: {other:?}"),
        };
        let range = of(&format!("{}(t[v])", function.name()));
        let exact: Vec<String> = printed.iter().zip(&shifts).map(|(text, shift)| (text.parse::<f64>().unwrap() + shift).to_string()).collect();
        let truth = of(&format!("{}(list({}))", function.name(), exact.join(", "))).value;
        prop_assert!(range.low - 1e-9 <= truth && truth <= range.high + 1e-9, "{truth} in {range:?}");
    }
}
