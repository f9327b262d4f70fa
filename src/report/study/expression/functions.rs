//! The functions by name: what each takes and gives. What they compute is in `evaluate`.

/// A function of the language.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Function {
    Sum,
    Mean,
    Median,
    Min,
    Max,
    Count,
    Distinct,
    Geomean,
    Harmonic,
    Sd,
    Variance,
    Quantile,
    Trimmed,
    Argmax,
    Argmin,
    Keys,
    Pearson,
    Spearman,
    Slope,
    Intercept,
    Weighted,
    WilcoxonP,
    A12,
    Abs,
    Round,
    Floor,
    Ceil,
    Sqrt,
    Ln,
    Exp,
    Percent,
    Change,
    Ratio,
    Seconds,
    Part,
    Number,
    Length,
    Join,
    List,
    Concat,
    If,
    All,
    Any,
    Stated,
}

/// What an argument has to be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Parameter {
    /// A column, used as numbers.
    Numbers,
    /// A column of whatever.
    Column,
    /// One number.
    Number,
    /// A number, or a column element by element.
    Each,
    /// Cells as they are printed: a column of a table, or one cell.
    Cells,
    /// A condition, or a column of conditions.
    Condition,
    /// A text in quotes.
    Text,
}

/// What comes out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Gives {
    Number,
    Names,
    Truth,
    /// A number for numbers, a column for columns.
    Each,
    /// The first column, with the rows of the second.
    Joined,
    /// A column of no table.
    Loose,
    /// Whatever was stated.
    Stated,
}

#[derive(Debug, Clone, Copy)]
pub struct Signature {
    pub function: Function,
    pub name: &'static str,
    /// Of the parameters, for messages.
    pub usage: &'static str,
    pub parameters: &'static [Parameter],
    /// The last parameter may be repeated.
    pub repeats: bool,
    pub gives: Gives,
}

const fn signature(
    function: Function,
    name: &'static str,
    usage: &'static str,
    parameters: &'static [Parameter],
    gives: Gives,
) -> Signature {
    Signature { function, name, usage, parameters, repeats: false, gives }
}

const fn of_column(function: Function, name: &'static str) -> Signature {
    signature(function, name, "(column)", &[Parameter::Numbers], Gives::Number)
}

const fn of_pair(function: Function, name: &'static str, usage: &'static str) -> Signature {
    signature(function, name, usage, &[Parameter::Numbers, Parameter::Numbers], Gives::Number)
}

const fn of_each(function: Function, name: &'static str) -> Signature {
    signature(function, name, "(number or column)", &[Parameter::Each], Gives::Each)
}

const fn of_two(function: Function, name: &'static str, usage: &'static str) -> Signature {
    signature(function, name, usage, &[Parameter::Each, Parameter::Each], Gives::Each)
}

const fn repeating(signature: Signature) -> Signature {
    Signature { repeats: true, ..signature }
}

use Parameter as P;

/// All of them.
pub static SIGNATURES: [Signature; 44] = [
    of_column(Function::Sum, "sum"),
    of_column(Function::Mean, "mean"),
    of_column(Function::Median, "median"),
    of_column(Function::Min, "min"),
    of_column(Function::Max, "max"),
    signature(Function::Count, "count", "(column)", &[P::Column], Gives::Number),
    signature(Function::Distinct, "distinct", "(column)", &[P::Column], Gives::Number),
    of_column(Function::Geomean, "geomean"),
    of_column(Function::Harmonic, "harmonic"),
    of_column(Function::Sd, "sd"),
    of_column(Function::Variance, "variance"),
    signature(Function::Quantile, "quantile", "(column, 0.25)", &[P::Numbers, P::Number], Gives::Number),
    signature(Function::Trimmed, "trimmed", "(column, 0.1)", &[P::Numbers, P::Number], Gives::Number),
    signature(Function::Argmax, "argmax", "(column)", &[P::Numbers], Gives::Names),
    signature(Function::Argmin, "argmin", "(column)", &[P::Numbers], Gives::Names),
    signature(Function::Keys, "keys", "(column)", &[P::Column], Gives::Names),
    of_pair(Function::Pearson, "pearson", "(column, column)"),
    of_pair(Function::Spearman, "spearman", "(column, column)"),
    of_pair(Function::Slope, "slope", "(column of x, column of y)"),
    of_pair(Function::Intercept, "intercept", "(column of x, column of y)"),
    of_pair(Function::Weighted, "weighted", "(column, column of weights)"),
    of_pair(Function::WilcoxonP, "wilcoxon_p", "(column, column)"),
    of_pair(Function::A12, "a12", "(column, column)"),
    of_each(Function::Abs, "abs"),
    signature(Function::Round, "round", "(number or column, digits)", &[P::Each, P::Number], Gives::Each),
    of_each(Function::Floor, "floor"),
    of_each(Function::Ceil, "ceil"),
    of_each(Function::Sqrt, "sqrt"),
    of_each(Function::Ln, "ln"),
    of_each(Function::Exp, "exp"),
    of_two(Function::Percent, "percent", "(part, whole)"),
    of_two(Function::Change, "change", "(before, after)"),
    of_two(Function::Ratio, "ratio", "(a, b)"),
    signature(Function::Seconds, "seconds", "(column)", &[P::Cells], Gives::Each),
    signature(Function::Part, "part", "(column, 2)", &[P::Cells, P::Number], Gives::Each),
    signature(Function::Number, "number", "(column)", &[P::Cells], Gives::Each),
    signature(Function::Length, "length", "(column)", &[P::Cells], Gives::Each),
    signature(Function::Join, "join", "(column, column whose rows it takes)", &[P::Column, P::Column], Gives::Joined),
    repeating(signature(Function::List, "list", "(number, …)", &[P::Number], Gives::Loose)),
    repeating(signature(Function::Concat, "concat", "(column, …)", &[P::Column], Gives::Loose)),
    signature(Function::If, "if", "(condition, then, else)", &[P::Condition, P::Each, P::Each], Gives::Each),
    signature(Function::All, "all", "(conditions)", &[P::Condition], Gives::Truth),
    signature(Function::Any, "any", "(conditions)", &[P::Condition], Gives::Truth),
    signature(Function::Stated, "stated", "(\"id of a claim\")", &[P::Text], Gives::Stated),
];

impl Function {
    pub fn named(name: &str) -> Option<Function> {
        SIGNATURES.iter().find(|signature| signature.name == name).map(|signature| signature.function)
    }

    pub fn signature(self) -> &'static Signature {
        // In the order of the enum, which a test checks.
        &SIGNATURES[self as usize]
    }

    pub fn name(self) -> &'static str {
        self.signature().name
    }
}

impl Signature {
    /// The parameter for the argument of this number.
    pub fn parameter(&self, index: usize) -> Option<Parameter> {
        let last = self.parameters.len().checked_sub(1)?;
        if self.repeats { self.parameters.get(index.min(last)).copied() } else { self.parameters.get(index).copied() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_function_finds_its_signature() {
        for (index, signature) in SIGNATURES.iter().enumerate() {
            assert_eq!(signature.function as usize, index, "{}", signature.name);
            assert_eq!(Function::named(signature.name), Some(signature.function));
            assert_eq!(signature.function.name(), signature.name);
        }
    }
}
