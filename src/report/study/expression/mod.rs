//! The language of claims: how a number follows from the columns of tables. See docs/claims.md.
//!
//! A text becomes a tree ([`parse`]), the tree is checked against the tables that there are ([`check`]), and evaluated
//! with their cells ([`evaluate`]). All three are pure, and a mistake names its place in the text. Nothing here knows what
//! a claim is.

mod call;
mod check;
mod evaluate;
mod functions;
mod lexer;
mod parser;
mod reduce;
mod syntax;
mod value;

pub use check::{Of, Type, check};
pub use evaluate::{Source, Step, as_number, as_text, evaluate, evaluate_in_steps};
pub use parser::parse;
pub use syntax::{Kind, Node, Span};
pub use value::{CellRef, Column, Entry, Item, Names, Truth, Value};

/// Why an expression has no value.
#[derive(Debug, Clone, PartialEq)]
pub struct Trouble {
    pub span: Span,
    pub message: String,
    pub help: String,
    pub kind: TroubleKind,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TroubleKind {
    /// The expression is wrong, whatever the tables hold.
    Mistake,
    /// It is right, but these numbers have no such value: nothing to average, a division by zero.
    Undefined,
}

impl Trouble {
    pub fn mistake(span: Span, message: impl Into<String>, help: impl Into<String>) -> Self {
        Trouble { span, message: message.into(), help: help.into(), kind: TroubleKind::Mistake }
    }

    pub fn undefined(span: Span, message: impl Into<String>) -> Self {
        Trouble { span, message: message.into(), help: String::new(), kind: TroubleKind::Undefined }
    }
}

#[cfg(test)]
mod tests;
