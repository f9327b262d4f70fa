//! From tokens to a tree, by recursive descent. Loosest first: `where`, `or`, `and`, `not`, comparisons, `+ -`, `* /`, the
//! sign, `^`, `at`.

use super::Trouble;
use super::functions::{Function, SIGNATURES};
use super::lexer::{Token, tokens};
use super::syntax::{Kind, Match, Node, Operator, Span};
use crate::toml_file::names::{quoted, suggestion};

/// Of the tree, and of the parentheses around it.
const DEEPEST: usize = 100;

pub fn parse(text: &str) -> Result<Node, Trouble> {
    let tokens = tokens(text)?;
    let mut parser = Parser { tokens, next: 0, depth: 0, end: text.len() };
    let node = parser.expression()?;
    match parser.peek() {
        None => Ok(node),
        Some(_) => Err(parser.unexpected("the expression ends before this")),
    }
}

struct Parser {
    tokens: Vec<(Token, Span)>,
    next: usize,
    depth: usize,
    end: usize,
}

type Parsed = Result<Node, Trouble>;

impl Parser {
    fn peek(&self) -> Option<&Token> {
        self.tokens.get(self.next).map(|(token, _)| token)
    }

    fn place(&self) -> Span {
        self.tokens.get(self.next).map_or(self.end..self.end, |(_, span)| span.clone())
    }

    fn take(&mut self) -> Option<(Token, Span)> {
        let token = self.tokens.get(self.next).cloned();
        self.next += usize::from(token.is_some());
        token
    }

    fn takes_sign(&mut self, sign: &str) -> bool {
        let found = matches!(self.peek(), Some(Token::Sign(found)) if *found == sign);
        self.next += usize::from(found);
        found
    }

    fn takes_word(&mut self, word: &str) -> bool {
        let found = matches!(self.peek(), Some(Token::Word(found)) if found == word);
        self.next += usize::from(found);
        found
    }

    fn unexpected(&self, message: &str) -> Trouble {
        let help = match self.peek() {
            Some(Token::Number(_) | Token::Text(_) | Token::Bracketed(_)) => {
                "an operator is missing before it: + - * / == < > and or in …"
            }
            Some(Token::Word(_)) => {
                "words between parts are `where`, `and`, `or`, `in`, `is`, `at`, `starts`, `ends`, `has`"
            }
            Some(Token::Sign(")")) => "there is no `(` for it",
            _ => "see docs/claims.md for what an expression can be",
        };
        Trouble::mistake(self.place(), message, help)
    }

    fn built(&self, kind: Kind, span: Span) -> Parsed {
        let node = Node::new(kind, span);
        if node.depth > DEEPEST { Err(too_deep(node.span)) } else { Ok(node) }
    }

    fn deeper(&mut self, parse: impl FnOnce(&mut Self) -> Parsed) -> Parsed {
        if self.depth >= DEEPEST {
            return Err(too_deep(self.place()));
        }
        self.depth += 1;
        let node = parse(self);
        self.depth -= 1;
        node
    }

    fn expression(&mut self) -> Parsed {
        self.deeper(|parser| {
            let mut of = parser.either()?;
            while parser.takes_word("where") {
                let condition = parser.either()?;
                let span = of.span.start..condition.span.end;
                of = parser.built(Kind::Where { of: Box::new(of), condition: Box::new(condition) }, span)?;
            }
            Ok(of)
        })
    }

    fn either(&mut self) -> Parsed {
        self.chain(Self::both, |parser| parser.takes_word("or").then_some(Operator::Or))
    }

    fn both(&mut self) -> Parsed {
        self.chain(Self::negation, |parser| parser.takes_word("and").then_some(Operator::And))
    }

    fn negation(&mut self) -> Parsed {
        let start = self.place().start;
        if !self.takes_word("not") {
            return self.comparison();
        }
        let of = self.deeper(Self::negation)?;
        let span = start..of.span.end;
        self.built(Kind::Not(Box::new(of)), span)
    }

    fn comparison(&mut self) -> Parsed {
        let left = self.sum()?;
        if let Some(operator) = self.comparator() {
            let right = self.sum()?;
            let node = self.binary(operator, left, right)?;
            return if self.comparator().is_some() { Err(self.unchained()) } else { Ok(node) };
        }
        let start = left.span.start;
        let negated = self.takes_word("not");
        let tested = self.test(left, start)?;
        match (negated, tested) {
            (false, node) => Ok(node),
            (true, node) if matches!(node.kind, Kind::Among { .. } | Kind::Within { .. }) => {
                let span = node.span.clone();
                self.built(Kind::Not(Box::new(node)), span)
            }
            (true, _) => Err(self.unexpected("write `not` before a condition, or before `in`")),
        }
    }

    fn unchained(&self) -> Trouble {
        let span = self.tokens.get(self.next.saturating_sub(1)).map_or(self.place(), |(_, span)| span.clone());
        Trouble::mistake(span, "comparisons cannot be chained", "write `a < b and b < c`")
    }

    fn comparator(&mut self) -> Option<Operator> {
        use Operator::{Equal, Greater, GreaterOrEqual, Less, LessOrEqual, Unequal};
        [Equal, Unequal, LessOrEqual, GreaterOrEqual, Less, Greater]
            .into_iter()
            .find(|operator| self.takes_sign(operator.sign()))
    }

    /// `in`, `is`, `starts`, `ends`, `has`; or the left side alone.
    fn test(&mut self, left: Node, start: usize) -> Parsed {
        let of = Box::new(left);
        let kind = if self.takes_word("in") {
            self.membership(of)?
        } else if self.takes_word("is") {
            return self.identity(of, start);
        } else if let Some(how) =
            [Match::Starts, Match::Ends, Match::Has].into_iter().find(|how| self.takes_word(how.word()))
        {
            Kind::Matches { of, how, text: self.text(how.word())? }
        } else {
            return Ok(*of);
        };
        self.built(kind, start..self.previous_end())
    }

    fn identity(&mut self, of: Box<Node>, start: usize) -> Parsed {
        let negated = self.takes_word("not");
        let kind = if self.takes_word("number") { Kind::IsNumber(of) } else { Kind::Is { of, text: self.text("is")? } };
        let node = self.built(kind, start..self.previous_end())?;
        let span = node.span.clone();
        if negated { self.built(Kind::Not(Box::new(node)), span) } else { Ok(node) }
    }

    fn membership(&mut self, of: Box<Node>) -> Result<Kind, Trouble> {
        if self.takes_sign("(") {
            return Ok(Kind::Among { of, items: self.arguments()? });
        }
        Ok(Kind::Within { of, names: Box::new(self.operand()?) })
    }

    fn text(&mut self, after: &str) -> Result<String, Trouble> {
        match self.peek() {
            Some(Token::Text(text)) => {
                let text = text.clone();
                self.next += 1;
                Ok(text)
            }
            _ => Err(Trouble::mistake(
                self.place(),
                format!("after `{after}` comes a text"),
                format!(
                    "write it in double quotes, e.g. `{after} \"TO\"`{}",
                    if after == "is" { ", or `is number`" } else { "" }
                ),
            )),
        }
    }

    fn previous_end(&self) -> usize {
        self.next.checked_sub(1).and_then(|last| self.tokens.get(last)).map_or(0, |(_, span)| span.end)
    }

    fn sum(&mut self) -> Parsed {
        self.chain(Self::product, |parser| {
            [Operator::Plus, Operator::Minus].into_iter().find(|operator| parser.takes_sign(operator.sign()))
        })
    }

    fn product(&mut self) -> Parsed {
        self.chain(Self::signed, |parser| {
            [Operator::Times, Operator::Over].into_iter().find(|operator| parser.takes_sign(operator.sign()))
        })
    }

    /// Operators of one level, grouped to the left.
    fn chain(&mut self, part: fn(&mut Self) -> Parsed, operator: impl Fn(&mut Self) -> Option<Operator>) -> Parsed {
        let mut left = part(self)?;
        while let Some(operator) = operator(self) {
            let right = part(self)?;
            left = self.binary(operator, left, right)?;
        }
        Ok(left)
    }

    fn binary(&mut self, operator: Operator, left: Node, right: Node) -> Parsed {
        let span = left.span.start..right.span.end;
        self.built(Kind::Binary { operator, left: Box::new(left), right: Box::new(right) }, span)
    }

    fn signed(&mut self) -> Parsed {
        let start = self.place().start;
        if !self.takes_sign("-") {
            return self.power();
        }
        let of = self.deeper(Self::signed)?;
        let span = start..of.span.end;
        self.built(Kind::Negated(Box::new(of)), span)
    }

    fn power(&mut self) -> Parsed {
        let base = self.operand()?;
        if !self.takes_sign("^") {
            return Ok(base);
        }
        let exponent = self.deeper(Self::signed)?;
        self.binary(Operator::Power, base, exponent)
    }

    fn operand(&mut self) -> Parsed {
        let place = self.place();
        let Some((token, span)) = self.take() else {
            return Err(Trouble::mistake(
                place,
                "something is missing here",
                "a number, a column or a function must follow",
            ));
        };
        match token {
            Token::Number(number) => self.built(Kind::Number(number), span),
            Token::Text(text) => self.built(Kind::Text(text), span),
            Token::Bracketed(column) => {
                let node = self.built(Kind::Own(column), span)?;
                self.cell(node)
            }
            Token::Sign("(") => {
                let node = self.expression()?;
                self.close(&span)?;
                Ok(node)
            }
            Token::Word(word) => self.named(word, span),
            Token::Sign(_) => {
                self.next -= 1;
                Err(self.unexpected("a number, a column or a function is expected here"))
            }
        }
    }

    fn close(&mut self, opened: &Span) -> Result<(), Trouble> {
        if self.takes_sign(")") {
            return Ok(());
        }
        match self.peek() {
            None => Err(Trouble::mistake(opened.clone(), "this parenthesis is not closed", "add the `)`")),
            Some(_) => Err(self.unexpected("`)` or an operator is expected here")),
        }
    }

    fn named(&mut self, word: String, span: Span) -> Parsed {
        match self.peek() {
            Some(Token::Bracketed(column)) => {
                let column = column.clone();
                let span = span.start..self.place().end;
                self.next += 1;
                let node = self.built(Kind::Column { table: word, column }, span)?;
                self.cell(node)
            }
            Some(Token::Sign("(")) => self.call(&word, span),
            _ => Err(lonely(&word, span)),
        }
    }

    /// A column, or the cell that `at` takes from it.
    fn cell(&mut self, column: Node) -> Parsed {
        if !self.takes_word("at") {
            return Ok(column);
        }
        let start = column.span.start;
        let key = self.text("at")?;
        self.built(Kind::At { column: Box::new(column), key }, start..self.previous_end())
    }

    fn call(&mut self, name: &str, span: Span) -> Parsed {
        let Some(function) = Function::named(name) else {
            let known = SIGNATURES.iter().map(|signature| signature.name);
            return Err(Trouble::mistake(
                span,
                format!("there is no function {}", quoted(name)),
                suggestion(name, "functions", known),
            ));
        };
        self.next += 1;
        let arguments = self.arguments()?;
        self.built(Kind::Call { function, arguments }, span.start..self.previous_end())
    }

    /// After the opening parenthesis, to the closing one.
    fn arguments(&mut self) -> Result<Vec<Node>, Trouble> {
        let opened = self.tokens.get(self.next.saturating_sub(1)).map_or(0..0, |(_, span)| span.clone());
        let mut arguments = Vec::new();
        if self.takes_sign(")") {
            return Ok(arguments);
        }
        loop {
            arguments.push(self.expression()?);
            if !self.takes_sign(",") {
                self.close(&opened)?;
                return Ok(arguments);
            }
        }
    }
}

fn too_deep(span: Span) -> Trouble {
    Trouble::mistake(
        span,
        "the expression is nested too deeply",
        format!("{DEEPEST} levels are enough for any claim; use `list(…)` or `stated(\"id\")`"),
    )
}

/// A name without brackets or parentheses.
fn lonely(word: &str, span: Span) -> Trouble {
    let help = if Function::named(word).is_some() {
        format!(
            "a function takes its arguments in parentheses: `{word}{}`",
            Function::named(word).map_or("", |f| f.signature().usage)
        )
    } else if word.contains('-') {
        "a column is written `table-4[column]`; a minus needs blanks around it".to_owned()
    } else {
        "a column is written `table-4[column]`, a function `mean(…)`, a text `\"…\"`".to_owned()
    };
    Trouble::mistake(span, format!("{} is not a value", quoted(word)), help)
}
