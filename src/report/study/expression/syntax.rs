//! An expression as a tree, and how it is written.

use std::fmt;
use std::ops::Range;

use super::functions::Function;

/// Where in the expression's text, in bytes.
pub type Span = Range<usize>;

/// A part of an expression. Two are equal if they say the same, wherever they stand.
#[derive(Debug, Clone)]
pub struct Node {
    pub kind: Kind,
    pub span: Span,
    /// Of the tree below, this node included.
    pub depth: usize,
}

impl PartialEq for Node {
    fn eq(&self, other: &Self) -> bool {
        self.kind == other.kind
    }
}

#[derive(Debug, Clone, PartialEq)]
pub enum Kind {
    Number(f64),
    Text(String),
    Column {
        table: String,
        column: String,
    },
    /// A column of the table that is being selected from.
    Own(String),
    At {
        column: Box<Node>,
        key: String,
    },
    Where {
        of: Box<Node>,
        condition: Box<Node>,
    },
    Negated(Box<Node>),
    Not(Box<Node>),
    Binary {
        operator: Operator,
        left: Box<Node>,
        right: Box<Node>,
    },
    /// `in ("a", "b")`, or in what an expression gives.
    Among {
        of: Box<Node>,
        items: Vec<Node>,
    },
    Within {
        of: Box<Node>,
        names: Box<Node>,
    },
    IsNumber(Box<Node>),
    Is {
        of: Box<Node>,
        text: String,
    },
    Matches {
        of: Box<Node>,
        how: Match,
        text: String,
    },
    Call {
        function: Function,
        arguments: Vec<Node>,
    },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Operator {
    Or,
    And,
    Equal,
    Unequal,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
    Plus,
    Minus,
    Times,
    Over,
    Power,
}

impl Operator {
    pub fn sign(self) -> &'static str {
        match self {
            Operator::Or => "or",
            Operator::And => "and",
            Operator::Equal => "==",
            Operator::Unequal => "!=",
            Operator::Less => "<",
            Operator::LessOrEqual => "<=",
            Operator::Greater => ">",
            Operator::GreaterOrEqual => ">=",
            Operator::Plus => "+",
            Operator::Minus => "-",
            Operator::Times => "*",
            Operator::Over => "/",
            Operator::Power => "^",
        }
    }

    fn level(self) -> u8 {
        match self {
            Operator::Or => 1,
            Operator::And => 2,
            Operator::Plus | Operator::Minus => 5,
            Operator::Times | Operator::Over => 6,
            Operator::Power => 8,
            _ => 4,
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Match {
    Starts,
    Ends,
    Has,
}

impl Match {
    pub fn word(self) -> &'static str {
        match self {
            Match::Starts => "starts",
            Match::Ends => "ends",
            Match::Has => "has",
        }
    }

    pub fn holds(self, text: &str, part: &str) -> bool {
        match self {
            Match::Starts => text.starts_with(part),
            Match::Ends => text.ends_with(part),
            Match::Has => text.contains(part),
        }
    }
}

/// How tightly each kind binds: parentheses are written around what binds less than its place asks for.
impl Kind {
    fn level(&self) -> u8 {
        match self {
            Kind::Where { .. } => 0,
            Kind::Binary { operator, .. } => operator.level(),
            Kind::Not(_) => 3,
            Kind::Among { .. } | Kind::Within { .. } | Kind::IsNumber(_) | Kind::Is { .. } | Kind::Matches { .. } => 4,
            Kind::Negated(_) => 7,
            _ => 9,
        }
    }

    /// The parts, for walks that treat all kinds alike.
    pub fn children(&self) -> Vec<&Node> {
        match self {
            Kind::Number(_) | Kind::Text(_) | Kind::Column { .. } | Kind::Own(_) => Vec::new(),
            Kind::At { column: of, .. } | Kind::Negated(of) | Kind::Not(of) | Kind::IsNumber(of) => vec![of],
            Kind::Is { of, .. } | Kind::Matches { of, .. } => vec![of],
            Kind::Where { of, condition } => vec![of, condition],
            Kind::Binary { left, right, .. } => vec![left, right],
            Kind::Within { of, names } => vec![of, names],
            Kind::Among { of, items } => std::iter::once(&**of).chain(items).collect(),
            Kind::Call { arguments, .. } => arguments.iter().collect(),
        }
    }
}

impl Node {
    pub fn new(kind: Kind, span: Span) -> Self {
        let depth = 1 + kind.children().into_iter().map(|child| child.depth).max().unwrap_or(0);
        Node { kind, span, depth }
    }
}

struct AtLevel<'n>(&'n Node, u8);

impl fmt::Display for AtLevel<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.kind.level() < self.1 { write!(f, "({})", self.0) } else { write!(f, "{}", self.0) }
    }
}

impl fmt::Display for Node {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.kind {
            Kind::Number(number) => write!(f, "{number}"),
            Kind::Text(text) => write!(f, "{}", quoted(text)),
            Kind::Column { table, column } => write!(f, "{table}[{}]", column.replace(']', "]]")),
            Kind::Own(column) => write!(f, "[{}]", column.replace(']', "]]")),
            Kind::At { column, key } => write!(f, "{column} at {}", quoted(key)),
            Kind::Where { of, condition } => write!(f, "{of} where {}", AtLevel(condition, 1)),
            Kind::Negated(of) => write!(f, "-{}", AtLevel(of, 7)),
            Kind::Not(of) => write!(f, "not {}", AtLevel(of, 3)),
            Kind::Binary { operator, left, right } => binary(f, *operator, left, right),
            Kind::Among { of, items } => write!(f, "{} in ({})", AtLevel(of, 5), joined(items)),
            Kind::Within { of, names } => write!(f, "{} in {}", AtLevel(of, 5), AtLevel(names, 9)),
            Kind::IsNumber(of) => write!(f, "{} is number", AtLevel(of, 5)),
            Kind::Is { of, text } => write!(f, "{} is {}", AtLevel(of, 5), quoted(text)),
            Kind::Matches { of, how, text } => write!(f, "{} {} {}", AtLevel(of, 5), how.word(), quoted(text)),
            Kind::Call { function, arguments } => write!(f, "{}({})", function.name(), joined(arguments)),
        }
    }
}

fn binary(f: &mut fmt::Formatter<'_>, operator: Operator, left: &Node, right: &Node) -> fmt::Result {
    let level = operator.level();
    // Powers group to the right, comparisons not at all, the others to the left.
    let (left_level, right_level) = match level {
        8 => (9, 7),
        4 => (5, 5),
        _ => (level, level + 1),
    };
    write!(f, "{} {} {}", AtLevel(left, left_level), operator.sign(), AtLevel(right, right_level))
}

fn joined(items: &[Node]) -> String {
    items.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
}

fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}
