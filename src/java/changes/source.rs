//! A Java source file, as far as a change to it has to be understood: what of it is code, and where its methods are.

use std::ops::Range;

use tree_sitter::{Node, Parser, TreeCursor};

/// Stands for white space inside of literals, where it means something.
const SOLID: u8 = 1;

/// Lines count from 1.
#[derive(Debug)]
pub struct Source {
    /// The text without its comments, line by line as it was.
    code: String,
    lines: Vec<Range<usize>>,
    regions: Vec<Region>,
}

/// A method, a constructor, an initializer or a field with its value: what is executed as one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Region {
    first: u32,
    last: u32,
}

impl Source {
    /// Never fails: of what is no Java nothing is known but its lines.
    pub fn parse(text: &[u8]) -> Self {
        let mut code = text.to_vec();
        let mut regions = Vec::new();
        let mut parser = Parser::new();
        let tree = match parser.set_language(&tree_sitter_java::LANGUAGE.into()) {
            Ok(()) => parser.parse(text, None),
            Err(_) => None,
        };
        if let Some(tree) = tree {
            each_node(tree.walk(), |node| match node.kind() {
                "line_comment" | "block_comment" => overwrite(&mut code, node.byte_range(), b' '),
                "string_literal" | "character_literal" => overwrite_blanks(&mut code, node.byte_range()),
                _ => regions.extend(region(node)),
            });
        }
        let code = String::from_utf8_lossy(&code).into_owned();
        let mut at = 0;
        let line = |text: &str| {
            at += text.len();
            at - text.len()..at
        };
        let lines = code.split_inclusive('\n').map(line).collect();
        Source { code, lines, regions }
    }

    pub fn code(&self) -> &str {
        &self.code
    }

    /// Is there no code on it?
    pub fn is_blank(&self, line: u32) -> bool {
        let range = (line as usize).checked_sub(1).and_then(|at| self.lines.get(at));
        range.is_none_or(|range| self.code[range.clone()].trim().is_empty())
    }

    /// The innermost region that has this line.
    pub fn around(&self, line: u32) -> Option<Region> {
        self.innermost(|region| region.first <= line && line <= region.last)
    }

    /// The innermost region that something before this line would be put into.
    pub fn around_gap(&self, line: u32) -> Option<Region> {
        self.innermost(|region| region.first < line && line <= region.last)
    }

    fn innermost(&self, is_around: impl Fn(&Region) -> bool) -> Option<Region> {
        self.regions.iter().copied().filter(is_around).min_by_key(|region| region.last - region.first)
    }
}

fn region(node: Node<'_>) -> Option<Region> {
    let own = match node.kind() {
        "method_declaration" | "constructor_declaration" | "compact_constructor_declaration" => true,
        "static_initializer" | "field_declaration" | "constant_declaration" | "enum_constant" => true,
        // An instance's initializer; other blocks are parts of something.
        "block" => node.parent().is_some_and(|around| matches!(around.kind(), "class_body" | "enum_body_declarations")),
        _ => false,
    };
    let row = |row: usize| u32::try_from(row + 1).unwrap_or(u32::MAX);
    own.then(|| Region { first: row(node.start_position().row), last: row(node.end_position().row) })
}

/// From the top down, without recursion: sources can be nested as deep as they like.
fn each_node<'a>(mut cursor: TreeCursor<'a>, mut each: impl FnMut(Node<'a>)) {
    loop {
        each(cursor.node());
        if cursor.goto_first_child() {
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return;
            }
        }
    }
}

fn overwrite(code: &mut [u8], range: Range<usize>, with: u8) {
    code[range].iter_mut().filter(|byte| !matches!(**byte, b'\n' | b'\r')).for_each(|byte| *byte = with);
}

fn overwrite_blanks(code: &mut [u8], range: Range<usize>) {
    code[range].iter_mut().filter(|byte| matches!(**byte, b' ' | b'\t')).for_each(|byte| *byte = SOLID);
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "\
package a; // the package
class B {
    int x = 3;
    /* none
       here */
    void m() {
        s(\"a // b\"); // c
        new Object() {
            void inner() {
                t();
            }
        };
    }
    { i(); }
}
";

    #[test]
    fn comments_are_no_code_and_strings_are() {
        let source = Source::parse(TEXT.as_bytes());
        let lines: Vec<&str> = source.code().lines().map(str::trim).collect();
        assert_eq!((lines[0], lines[6]), ("package a;", "s(\"a\u{1}//\u{1}b\");"));
        assert_eq!([3, 4, 5, 6].map(|line| source.is_blank(line)), [false, true, true, false]);
        assert!(source.is_blank(0) && source.is_blank(99));
        assert_eq!(source.code().lines().count(), TEXT.lines().count());
    }

    #[test]
    fn lines_lie_in_the_innermost_method() {
        let source = Source::parse(TEXT.as_bytes());
        let region = |first, last| Some(Region { first, last });
        let around = [1, 3, 5, 6, 9, 10, 13, 14].map(|line| source.around(line));
        let (m, inner) = (region(6, 13), region(9, 11));
        assert_eq!(around, [None, region(3, 3), None, m, inner, inner, m, region(14, 14)]);
        // Before a method's first line is outside of it; before its last one is inside.
        assert_eq!([6, 7, 9, 10, 13, 14].map(|line| source.around_gap(line)), [None, m, m, inner, m, None]);
    }

    #[test]
    fn what_is_no_java_is_lines() {
        for text in ["", "\u{0}}}}{{\"", "not java at all\n", "class {"] {
            let source = Source::parse(text.as_bytes());
            assert_eq!(source.code().lines().count(), text.lines().count());
        }
        Source::parse(&[0xff, 0xfe, b'\n', b'"']);
        Source::parse("(".repeat(200_000).as_bytes());
    }
}
