//! Splits an expression into words, names, numbers and signs, each with its place.

use super::Trouble;
use super::syntax::Span;

/// No expression needs more; what is longer is something else.
pub const LONGEST: usize = 10_000;

#[derive(Debug, Clone, PartialEq)]
pub enum Token {
    Number(f64),
    Text(String),
    /// A word or the name of a table or function.
    Word(String),
    /// A name between brackets.
    Bracketed(String),
    Sign(&'static str),
}

const SIGNS: [&str; 14] = ["==", "!=", "<=", ">=", "<", ">", "+", "-", "*", "/", "^", "(", ")", ","];

pub fn tokens(text: &str) -> Result<Vec<(Token, Span)>, Trouble> {
    if text.len() > LONGEST {
        let message = format!("the expression is longer than {LONGEST} characters");
        return Err(Trouble::mistake(
            0..text.len(),
            message,
            "split the claim, or refer to another by `stated(\"id\")`",
        ));
    }
    let mut tokens = Vec::new();
    let mut at = 0;
    while let Some(c) = text[at..].chars().next() {
        if c.is_whitespace() {
            at += c.len_utf8();
            continue;
        }
        let (token, length) = token(text, at, c)?;
        tokens.push((token, at..at + length));
        at += length;
    }
    Ok(tokens)
}

fn token(text: &str, at: usize, first: char) -> Result<(Token, usize), Trouble> {
    let rest = &text[at..];
    match first {
        '"' => quoted(rest, at),
        '[' => bracketed(rest, at),
        c if c.is_ascii_digit() || c == '.' => number(rest, at),
        c if c.is_alphabetic() || c == '_' => {
            let end = rest.find(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '-' | '.'))).unwrap_or(rest.len());
            Ok((Token::Word(rest[..end].to_owned()), end))
        }
        c => match SIGNS.iter().find(|sign| rest.starts_with(**sign)) {
            Some(sign) => Ok((Token::Sign(sign), sign.len())),
            None => Err(Trouble::mistake(
                at..at + c.len_utf8(),
                format!("`{}` means nothing here", c.escape_debug()),
                sign_help(c),
            )),
        },
    }
}

fn sign_help(c: char) -> &'static str {
    match c {
        '=' => "two numbers are compared by `==`",
        '&' => "write `and`",
        '|' => "write `or`",
        '!' => "write `not`, or `!=`",
        '%' => "percent are plain numbers from 0 to 100: leave the sign out",
        '\'' | '‘' | '’' | '“' | '”' | '`' => "put texts between straight double quotes: \"…\"",
        '−' | '–' => "write the minus as `-`, with blanks around it",
        '×' | '·' => "write `*`",
        '{' | '}' | ']' => "columns are written `table-4[classes]`",
        _ => "signs are + - * / ^ ( ) , == != < <= > >=; put texts in double quotes, columns in brackets",
    }
}

fn quoted(rest: &str, at: usize) -> Result<(Token, usize), Trouble> {
    let mut text = String::new();
    let mut characters = rest.char_indices().skip(1);
    while let Some((index, c)) = characters.next() {
        match c {
            '"' => return Ok((Token::Text(text), index + 1)),
            '\\' => text.extend(characters.next().map(|(_, escaped)| escaped)),
            c => text.push(c),
        }
    }
    Err(Trouble::mistake(at..at + rest.len(), "this text has no end", "close it by a double quote"))
}

/// Up to a `]` that is not doubled.
fn bracketed(rest: &str, at: usize) -> Result<(Token, usize), Trouble> {
    let mut name = String::new();
    let mut characters = rest.char_indices().skip(1).peekable();
    while let Some((index, c)) = characters.next() {
        match c {
            ']' if characters.peek().is_some_and(|(_, next)| *next == ']') => {
                characters.next();
                name.push(']');
            }
            ']' => return Ok((Token::Bracketed(name), index + 1)),
            c => name.push(c),
        }
    }
    Err(Trouble::mistake(at..at + rest.len(), "this column has no end", "close it by `]`"))
}

fn number(rest: &str, at: usize) -> Result<(Token, usize), Trouble> {
    let end = number_end(rest);
    let value = rest[..end].parse::<f64>().ok().filter(|value| value.is_finite());
    let followed = rest[end..].starts_with(|c: char| c.is_alphabetic() || c == '_' || c == '.');
    match value {
        Some(value) if !followed => Ok((Token::Number(value), end)),
        _ => {
            let shown = rest.find(|c: char| c.is_whitespace() || matches!(c, ')' | ',')).unwrap_or(rest.len());
            let help = "numbers are written as 1234, 1.5 or 1e6, without units and thousands commas";
            Err(Trouble::mistake(at..at + shown.max(1), "this is not a number", help))
        }
    }
}

fn number_end(rest: &str) -> usize {
    let digits = |from: usize| rest[from..].find(|c: char| !c.is_ascii_digit()).map_or(rest.len(), |end| from + end);
    let mut end = digits(0);
    if rest[end..].starts_with('.') {
        end = digits(end + 1);
    }
    if rest[end..].starts_with(['e', 'E']) {
        let signed = end + 1 + usize::from(rest[end + 1..].starts_with(['+', '-']));
        let after = digits(signed);
        if after > signed {
            end = after;
        }
    }
    end
}
