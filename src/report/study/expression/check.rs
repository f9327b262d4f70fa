//! Whether an expression makes sense: tables, columns, functions and types. Cells are not looked at.

use super::Trouble;
use super::evaluate::Source;
use super::functions::{Function, Gives, Parameter};
use super::syntax::{Kind, Node, Operator};
use super::value::Value;
use crate::study::table::SourceTable;
use crate::toml_file::names::{quoted, suggestion};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Type {
    Number,
    Truth,
    Text,
    Names,
    /// One cell: a number or a text, as it is needed.
    Cell,
    /// Of the table of this number, or of none.
    Column(Option<usize>, Of),
}

/// What a column holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Of {
    Cells,
    Numbers,
    Truths,
}

impl Type {
    fn words(self) -> &'static str {
        match self {
            Type::Number => "a number",
            Type::Truth => "a condition",
            Type::Text => "a text",
            Type::Names => "names of rows",
            Type::Cell => "a cell",
            Type::Column(_, Of::Truths) => "a column of conditions",
            Type::Column(_, Of::Cells | Of::Numbers) => "a column",
        }
    }

    fn is_numeric(self) -> bool {
        matches!(self, Type::Number | Type::Cell | Type::Column(_, Of::Cells | Of::Numbers))
    }

    fn is_condition(self) -> bool {
        matches!(self, Type::Truth | Type::Column(_, Of::Truths))
    }

    fn is_textual(self) -> bool {
        matches!(self, Type::Text | Type::Cell | Type::Names | Type::Column(_, Of::Cells))
    }

    fn is_column(self) -> bool {
        matches!(self, Type::Column(..))
    }
}

/// The type of what the expression gives.
pub fn check(node: &Node, source: &Source<'_>) -> Result<Type, Trouble> {
    Checker { source, scope: None }.check(node)
}

struct Checker<'s> {
    source: &'s Source<'s>,
    scope: Option<usize>,
}

type Checked = Result<Type, Trouble>;

impl Checker<'_> {
    fn check(&mut self, node: &Node) -> Checked {
        match &node.kind {
            Kind::Number(_) => Ok(Type::Number),
            Kind::Text(_) => Ok(Type::Text),
            Kind::Column { table, column } => self.column(node, table, column),
            Kind::Own(column) => self.own_column(node, column),
            Kind::At { column, .. } => self.check(column).map(|_| Type::Cell),
            Kind::Where { of, condition } => self.selection(of, condition),
            Kind::Negated(of) => {
                let found = self.numeric(of)?;
                Ok(numbers_like(found))
            }
            Kind::Not(of) => self.condition(of),
            Kind::Binary { operator: Operator::And | Operator::Or, left, right } => {
                let (left_type, right_type) = (self.condition(left)?, self.condition(right)?);
                together(node, left_type, right_type, Of::Truths, Type::Truth)
            }
            Kind::Binary { operator, left, right } => self.binary(node, *operator, left, right),
            Kind::Among { of, items } => self.among(of, items),
            Kind::Within { of, names } => self.within(of, names),
            Kind::IsNumber(of) | Kind::Is { of, .. } | Kind::Matches { of, .. } => self.printed(of),
            Kind::Call { function, arguments } => self.call(node, *function, arguments),
        }
    }

    fn column(&self, node: &Node, table: &str, column: &str) -> Checked {
        let Some((index, table)) = self.source.table(table) else {
            let known: Vec<&str> = self.source.tables.iter().map(|table| table.name.as_str()).collect();
            return Err(Trouble::mistake(
                node.span.clone(),
                format!("there is no table {}", quoted(table)),
                suggestion(table, "tables", known),
            ));
        };
        known_column(node, table, column)?;
        Ok(Type::Column(Some(index), Of::Cells))
    }

    fn own_column(&self, node: &Node, column: &str) -> Checked {
        let Some(index) = self.scope else {
            let help = format!("outside of `where`, name the table: `table-1[{column}]`");
            return Err(Trouble::mistake(
                node.span.clone(),
                format!("no table has the column {}", quoted(column)),
                help,
            ));
        };
        if let Some(table) = self.source.tables.get(index) {
            known_column(node, table, column)?;
        }
        Ok(Type::Column(Some(index), Of::Cells))
    }

    fn selection(&mut self, of: &Node, condition: &Node) -> Checked {
        let of_type = self.check(of)?;
        let Type::Column(Some(table), _) = of_type else {
            let message = format!("`where` selects rows of a column of a table, and this is {}", of_type.words());
            return Err(Trouble::mistake(
                of.span.clone(),
                message,
                "write e.g. `mean(table-4[classes] where [classes] > 1)`",
            ));
        };
        let outer = self.scope.replace(table);
        let found = self.condition(condition);
        self.scope = outer;
        match found? {
            Type::Column(other, _) if other != Some(table) => Err(Trouble::mistake(
                condition.span.clone(),
                "the condition is about rows of another table",
                "use `[column]` for columns of the same table, and `join(other[column], [column])` for those of others",
            )),
            _ => Ok(of_type),
        }
    }

    fn expect(&mut self, node: &Node, fits: fn(Type) -> bool, wanted: &str, help: &str) -> Checked {
        let found = self.check(node)?;
        if fits(found) {
            return Ok(found);
        }
        Err(Trouble::mistake(
            node.span.clone(),
            format!("{wanted} is needed here, but this is {}", found.words()),
            help,
        ))
    }

    fn numeric(&mut self, node: &Node) -> Checked {
        self.expect(
            node,
            Type::is_numeric,
            "a number or a column",
            "write e.g. `2`, `sum(table-1[tests])` or `table-1[tests]`",
        )
    }

    fn condition(&mut self, node: &Node) -> Checked {
        self.expect(
            node,
            Type::is_condition,
            "a condition",
            "compare something: `[classes] > 1`, `[project] == \"x\"`, `[classes] is \"TO\"`",
        )
    }

    fn printed(&mut self, node: &Node) -> Checked {
        let fits = |found| matches!(found, Type::Cell | Type::Column(_, Of::Cells));
        let found = self.expect(
            node,
            fits,
            "a column as it is printed",
            "this works only on the text of cells, not on computed values",
        )?;
        Ok(truth_like(found))
    }

    fn binary(&mut self, node: &Node, operator: Operator, left: &Node, right: &Node) -> Checked {
        let compares = matches!(
            operator,
            Operator::Equal
                | Operator::Unequal
                | Operator::Less
                | Operator::LessOrEqual
                | Operator::Greater
                | Operator::GreaterOrEqual
        );
        let (left_type, right_type) = (self.check(left)?, self.check(right)?);
        let of_texts = [left_type, right_type].iter().any(|found| matches!(found, Type::Text | Type::Names));
        if compares && of_texts {
            return texts_compared(node, operator, (left, left_type), (right, right_type));
        }
        let (left_type, right_type) = (self.numeric(left)?, self.numeric(right)?);
        let (of, single) = if compares { (Of::Truths, Type::Truth) } else { (Of::Numbers, Type::Number) };
        together(node, left_type, right_type, of, single)
    }

    fn among(&mut self, of: &Node, items: &[Node]) -> Checked {
        let found = self.check(of)?;
        let types = items.iter().map(|item| self.check(item)).collect::<Result<Vec<_>, _>>()?;
        let all = |fits: fn(Type) -> bool| types.iter().all(|item| fits(*item) && !item.is_column());
        let fits =
            (found.is_textual() && all(|item| item == Type::Text)) || (found.is_numeric() && all(Type::is_numeric));
        if fits && !items.is_empty() {
            return Ok(truth_like(found));
        }
        let span =
            items.first().zip(items.last()).map_or(of.span.clone(), |(first, last)| first.span.start..last.span.end);
        Err(Trouble::mistake(
            span,
            "after `in` come texts, or numbers, of one kind",
            "write e.g. `[project] in (\"a\", \"b\")` or `[stage] in (1, 2)`",
        ))
    }

    fn within(&mut self, of: &Node, names: &Node) -> Checked {
        let found = self.expect(
            of,
            Type::is_textual,
            "a text or a column of texts",
            "write e.g. `[project] in keys(table-2[tests])`",
        )?;
        let fits = |found| matches!(found, Type::Names | Type::Column(_, Of::Cells));
        self.expect(names, fits, "a list", "write `in (\"a\", \"b\")`, `in keys(…)` or `in table-2[project]`")?;
        Ok(truth_like(found))
    }

    fn call(&mut self, node: &Node, function: Function, arguments: &[Node]) -> Checked {
        let signature = function.signature();
        let right_number =
            arguments.len() == signature.parameters.len() || (signature.repeats && !arguments.is_empty());
        if !right_number {
            let message =
                format!("`{}` takes {} here, and got {}", signature.name, wanted_arguments(function), arguments.len());
            return Err(Trouble::mistake(
                node.span.clone(),
                message,
                format!("write `{}{}`", signature.name, signature.usage),
            ));
        }
        let mut types = Vec::with_capacity(arguments.len());
        for (index, argument) in arguments.iter().enumerate() {
            let Some(parameter) = signature.parameter(index) else { continue };
            types.push(self.argument(function, parameter, argument)?);
        }
        self.result(node, function, arguments, &types)
    }

    fn argument(&mut self, function: Function, parameter: Parameter, argument: &Node) -> Checked {
        let signature = function.signature();
        let help = format!("write `{}{}`", signature.name, signature.usage);
        let (fits, wanted): (fn(Type) -> bool, _) = match parameter {
            Parameter::Numbers => (|found| found.is_column() && found.is_numeric(), "a column of numbers"),
            Parameter::Column => (Type::is_column, "a column"),
            Parameter::Number => (|found| matches!(found, Type::Number | Type::Cell), "a single number"),
            Parameter::Each => (Type::is_numeric, "a number or a column"),
            Parameter::Cells => {
                (|found| matches!(found, Type::Cell | Type::Column(_, Of::Cells)), "a column as it is printed")
            }
            Parameter::Condition => (Type::is_condition, "a condition"),
            Parameter::Text => (|found| found == Type::Text, "a text in quotes"),
        };
        self.expect(argument, fits, wanted, &help)
    }

    fn result(&self, node: &Node, function: Function, arguments: &[Node], types: &[Type]) -> Checked {
        match function.signature().gives {
            Gives::Number
                if types.len() == 2 && function != Function::A12 && types.iter().all(|found| found.is_column()) =>
            {
                together(node, types[0], types[1], Of::Numbers, Type::Number).map(|_| Type::Number)
            }
            Gives::Number => Ok(Type::Number),
            Gives::Names => Ok(Type::Names),
            Gives::Truth => Ok(Type::Truth),
            Gives::Each => {
                let columns = types.iter().copied().filter(|found| found.is_column());
                let mut like = Type::Number;
                for found in columns {
                    like = together(node, like, found, Of::Numbers, Type::Number)?;
                }
                Ok(like)
            }
            Gives::Joined => match (types[0], types[1]) {
                (Type::Column(_, of), Type::Column(table @ Some(_), _)) => Ok(Type::Column(table, of)),
                _ => Err(Trouble::mistake(
                    node.span.clone(),
                    "`join` needs columns of tables",
                    "lists have no rows to join by",
                )),
            },
            Gives::Loose => common(types).map(|of| Type::Column(None, of)).ok_or_else(|| {
                let help = "join numbers with numbers, and conditions with conditions";
                Trouble::mistake(node.span.clone(), "these are columns of different kinds", help)
            }),
            Gives::Stated => self.stated(&arguments[0]),
        }
    }

    fn stated(&self, id: &Node) -> Checked {
        let Kind::Text(text) = &id.kind else {
            return Err(Trouble::mistake(id.span.clone(), "the id of a claim is a text", "write `stated(\"id\")`"));
        };
        match self.source.stated.get(text) {
            Some(Value::Number(_)) => Ok(Type::Number),
            Some(Value::Truth(_)) => Ok(Type::Truth),
            Some(_) => Ok(Type::Names),
            None => {
                let known =
                    self.source.stated.keys().map(String::as_str).filter(|id| text.contains('/') || !id.contains('/'));
                let known: Vec<&str> = known.collect();
                Err(Trouble::mistake(
                    id.span.clone(),
                    format!("there is no claim {}", quoted(text)),
                    suggestion(text, "claims", known),
                ))
            }
        }
    }
}

fn known_column(node: &Node, table: &SourceTable, column: &str) -> Result<(), Trouble> {
    if table.column(column).is_some() {
        return Ok(());
    }
    let known: Vec<&str> = table.columns.iter().map(String::as_str).collect();
    let message = format!("{} has no column {}", quoted(&table.name), quoted(column));
    Err(Trouble::mistake(node.span.clone(), message, suggestion(column, "columns", known)))
}

fn wanted_arguments(function: Function) -> String {
    match function.signature().parameters.len() {
        1 if function.signature().repeats => "at least one argument".to_owned(),
        1 => "one argument".to_owned(),
        count => format!("{count} arguments"),
    }
}

fn numbers_like(found: Type) -> Type {
    if let Type::Column(table, _) = found { Type::Column(table, Of::Numbers) } else { Type::Number }
}

fn truth_like(found: Type) -> Type {
    if let Type::Column(table, _) = found { Type::Column(table, Of::Truths) } else { Type::Truth }
}

/// What columns that are put one after the other hold; nothing if that does not go together.
fn common(types: &[Type]) -> Option<Of> {
    let all = |wanted: Of| types.iter().all(|found| matches!(found, Type::Column(_, of) if *of == wanted));
    if all(Of::Truths) {
        Some(Of::Truths)
    } else if all(Of::Cells) {
        Some(Of::Cells)
    } else {
        types.iter().all(|found| found.is_numeric()).then_some(Of::Numbers)
    }
}

/// Element by element: columns have to be of one table, single values go with any.
fn together(node: &Node, left: Type, right: Type, of: Of, single: Type) -> Checked {
    match (left, right) {
        (Type::Column(a, _), Type::Column(b, _)) if a != b => Err(Trouble::mistake(
            node.span.clone(),
            "these are columns of two tables, whose rows do not belong together",
            "map one to the rows of the other: `join(table-2[tests], table-4[classes])`",
        )),
        (Type::Column(table, _), _) | (_, Type::Column(table, _)) => Ok(Type::Column(table, of)),
        _ => Ok(single),
    }
}

fn texts_compared(node: &Node, operator: Operator, left: (&Node, Type), right: (&Node, Type)) -> Checked {
    if !matches!(operator, Operator::Equal | Operator::Unequal) {
        return Err(Trouble::mistake(
            node.span.clone(),
            "texts are equal or not, but neither less nor greater",
            "use `==`, `!=`, `starts`, `ends` or `has`",
        ));
    }
    for (side, found) in [left, right] {
        if !found.is_textual() {
            let message = format!("a text is compared with {}", found.words());
            return Err(Trouble::mistake(side.span.clone(), message, "numbers are written without quotes"));
        }
    }
    together(node, left.1, right.1, Of::Truths, Type::Truth)
}
