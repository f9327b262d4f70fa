//! `claims.toml` as it is written: every key with its place, expressions parsed, nothing looked up yet.

use toml::de::DeTable;

use super::claim::{Claim, ClaimKind, Computation, Formula, Relation, Rounding, Stated, place_in_file};
use super::expression::parse;
use super::table::{Mark, Marks};
use crate::toml_file::mistake::{Log, Span};
use crate::toml_file::names::{quoted, suggestion};
use crate::toml_file::reader::{At, Reader, TableKind};

const FILE: TableKind = TableKind { header: "", keys: &["study", "marks", "tables", "subject", "claim"] };
const STUDY: TableKind =
    TableKind { header: "[study]", keys: &["name", "title", "authors", "year", "place", "remarks"] };
const MARK: TableKind = TableKind { header: "[marks]", keys: &["means", "value", "own"] };
const TABLE: TableKind = TableKind {
    header: "[tables.<name>]",
    keys: &["title", "key", "subject", "summary", "rounded", "exact", "marks", "names", "own"],
};
const OWN: TableKind = TableKind {
    header: "[[tables.<name>.own]]",
    keys: &["column", "row", "from", "published", "low", "high", "instead", "neutral"],
};
const SUBJECT: TableKind = TableKind { header: "[[subject]]", keys: &["published", "name"] };
const CLAIM: TableKind = TableKind {
    header: "[[claim]]",
    keys: &[
        "id",
        "where",
        "claim",
        "stated",
        "unit",
        "compute",
        "relation",
        "tolerance",
        "rounding",
        "step",
        "note",
        "not_computable",
        "kind",
        "own",
        "neutral",
    ],
};
const KINDS: &[&TableKind] = &[&FILE, &STUDY, &MARK, &TABLE, &OWN, &SUBJECT, &CLAIM];

/// What the file says.
#[derive(Debug, Default)]
pub struct Written {
    pub name: Option<At<String>>,
    pub title: String,
    pub authors: Vec<String>,
    pub year: Option<u64>,
    pub place: Option<String>,
    pub remarks: Vec<String>,
    pub marks: Marks,
    pub tables: Vec<WrittenTable>,
    pub subjects: Vec<SubjectName>,
    /// With the place of each, for what is wrong with it as a whole.
    pub claims: Vec<At<Claim>>,
}

#[derive(Debug)]
pub struct WrittenTable {
    pub name: At<String>,
    pub title: Option<String>,
    pub key: Vec<At<String>>,
    /// The column that names a row's subject, where it is not the key.
    pub subject: Option<At<String>>,
    pub summary: Vec<At<String>>,
    pub rounded: Vec<At<String>>,
    pub exact: Vec<At<String>>,
    pub marks: Marks,
    /// What a row is called elsewhere, by what this table calls it.
    pub names: Vec<(At<String>, At<String>)>,
    pub own: Vec<WrittenOwn>,
}

/// Where a run has what a column prints.
#[derive(Debug)]
pub struct WrittenOwn {
    pub column: At<String>,
    pub from: Formula,
    /// The same from the rows that are printed, for a run that has only some of the subjects.
    pub published: Option<Formula>,
    pub low: Option<Formula>,
    pub high: Option<Formula>,
    pub instead: Option<Formula>,
    pub neutral: Option<f64>,
    /// The one row that it is about; all rows of subjects if left out.
    pub row: Option<At<String>>,
}

/// The study's name for what an experiment of ours runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SubjectName {
    pub published: String,
    pub name: String,
}

pub fn read(tree: &DeTable<'_>, text: &str, log: &Log) -> Written {
    let file = Pen { text, log };
    let top = At::new(tree, 0..0);
    let reader = Reader::new(&top, &FILE, KINDS, log);
    reader.require("study", "{ name = \"…\", title = \"…\" }");
    let mut written = Written { marks: file.marks(&reader), ..Written::default() };
    if let Some(table) = reader.table("study") {
        file.study(&Reader::new(&table, &STUDY, KINDS, log), &mut written);
    }
    let tables = reader.named_tables("tables");
    written.tables = tables.into_iter().map(|(name, table)| file.table(name, &table)).collect();
    written.subjects = reader.tables("subject").iter().filter_map(|table| file.subject(table)).collect();
    written.claims = reader.tables("claim").iter().filter_map(|table| file.claim(table)).collect();
    file.unique(&written.claims);
    written
}

/// What every part of the file is read with.
struct Pen<'f> {
    text: &'f str,
    log: &'f Log,
}

fn plain(texts: Option<At<Vec<At<String>>>>) -> Vec<String> {
    texts.map_or_else(Vec::new, |texts| texts.value.into_iter().map(|text| text.value).collect())
}

fn placed(texts: Option<At<Vec<At<String>>>>) -> Vec<At<String>> {
    texts.map_or_else(Vec::new, |texts| texts.value)
}

impl<'f> Pen<'f> {
    fn reader<'a>(&self, table: &At<&'a DeTable<'a>>, kind: &'static TableKind) -> Reader<'a>
    where
        'f: 'a,
    {
        Reader::new(table, kind, KINDS, self.log)
    }

    fn study(&self, reader: &Reader<'_>, written: &mut Written) {
        reader.require("name", "\"paste\"");
        reader.require("title", "\"the title of the document\"");
        written.name = reader.text("name", "\"paste\"");
        written.title = reader.text("title", "\"…\"").map_or_else(String::new, |title| title.value);
        written.authors = plain(reader.texts("authors", "[\"…\"]"));
        written.year = reader.count("year", "2021").map(|year| year.value);
        written.place = reader.text("place", "\"…\"").map(|place| place.value);
        written.remarks = plain(reader.texts("remarks", "[\"…\"]"));
    }

    fn marks(&self, reader: &Reader<'f>) -> Marks {
        let entry = |(text, table): (At<String>, At<&'f DeTable<'f>>)| {
            let mark = self.reader(&table, &MARK);
            mark.require("means", "\"did not end within the time limit\"");
            let means = mark.text("means", "\"…\"").map_or_else(String::new, |means| means.value);
            let value = mark.number("value", "0.0").map(|value| value.value);
            (text.value.trim().to_owned(), Mark { means, value, own: plain(mark.texts("own", "[\"timed_out\"]")) })
        };
        reader.named_tables("marks").into_iter().map(entry).collect()
    }

    fn table(&self, name: At<String>, table: &At<&'f DeTable<'f>>) -> WrittenTable {
        let reader = self.reader(table, &TABLE);
        WrittenTable {
            name,
            title: reader.text("title", "\"…\"").map(|title| title.value),
            key: placed(reader.texts_or_counts("key", "\"project\"")),
            subject: reader.text("subject", "\"Name\""),
            summary: placed(reader.texts("summary", "[\"Σ\"]")),
            rounded: placed(reader.texts("rounded", "[\"Time\"]")),
            exact: placed(reader.texts("exact", "[\"classes/#1\"]")),
            marks: self.marks(&reader),
            names: reader.text_table("names", "{ \"avro (E)\" = \"avro\" }"),
            own: reader.tables("own").iter().filter_map(|own| self.own(own)).collect(),
        }
    }

    fn own(&self, table: &At<&'f DeTable<'f>>) -> Option<WrittenOwn> {
        let reader = self.reader(table, &OWN);
        let example = "'speedups[speedup] where [configuration] == \"classes\"'";
        reader.require("column", "\"classes\"");
        reader.require("from", example);
        let column = reader.text("column", "\"classes\"");
        let [from, published, low, high, instead] =
            ["from", "published", "low", "high", "instead"].map(|key| self.formula(&reader, key, example));
        let neutral = reader.number("neutral", "1.0").map(|neutral| neutral.value);
        let row = reader.text("row", "\"Average\"");
        Some(WrittenOwn { column: column?, row, from: from?, published, low, high, instead, neutral })
    }

    fn subject(&self, table: &At<&'f DeTable<'f>>) -> Option<SubjectName> {
        let reader = self.reader(table, &SUBJECT);
        reader.require("published", "\"the study's name\"");
        reader.require("name", "\"the name in the experiment file\"");
        let published = reader.text("published", "\"…\"");
        let name = reader.text("name", "\"…\"");
        Some(SubjectName { published: published?.value, name: name?.value })
    }

    fn claim(&self, table: &At<&'f DeTable<'f>>) -> Option<At<Claim>> {
        let reader = self.reader(table, &CLAIM);
        for (key, example) in [
            ("id", "\"mean-speedup\""),
            ("where", "\"Abstract\""),
            ("claim", "\"in our words\""),
            ("stated", "\"1.59\""),
        ] {
            reader.require(key, example);
        }
        let [id, place, claim, stated] = ["id", "where", "claim", "stated"].map(|key| reader.text(key, "\"…\""));
        let step = reader.number("step", "100").map(|step| step.value.abs());
        let relation = self.relation(&reader);
        let rounding = self.choice(
            &reader,
            "rounding",
            &[("nearest", Rounding::Nearest), ("down", Rounding::Down), ("up", Rounding::Up)],
        );
        let kind = self.choice(
            &reader,
            "kind",
            &[
                ("derived", ClaimKind::Derived),
                ("contradiction", ClaimKind::Contradiction),
                ("citation", ClaimKind::Citation),
                ("reading", ClaimKind::Reading),
            ],
        );
        let computation = self.computation(&reader, &table.span);
        let own = self.formula(&reader, "own", "'mean(speedups[speedup])'");
        let value = Claim {
            id: id?.value,
            place: place?.value,
            claim: claim?.value,
            stated: self.stated(&stated?, step),
            unit: reader.text("unit", "\"%\"").map(|unit| unit.value),
            compute: computation?,
            relation,
            rounding: rounding.unwrap_or(Rounding::Nearest),
            note: reader.text("note", "\"…\"").map(|note| note.value),
            kind: kind.unwrap_or(ClaimKind::Derived),
            own,
            neutral: reader.number("neutral", "1.0").map(|neutral| neutral.value),
        };
        Some(At::new(value, table.span.clone()))
    }

    fn stated(&self, text: &At<String>, step: Option<f64>) -> Stated {
        if text.value.trim().is_empty() {
            self.log.add(
                &text.span,
                "nothing is stated",
                "write what is printed: \"1.59\", \"yes\", or names separated by `; `",
            );
        }
        Stated::read(&text.value, step)
    }

    fn computation(&self, reader: &Reader<'_>, span: &Span) -> Option<Computation> {
        let formula = self.formula(reader, "compute", "'mean(table-4[classes])'");
        let reason = reader.text("not_computable", "\"why nothing printed allows it\"");
        let written = reader.written();
        match (written.contains_key("compute"), reason) {
            (true, None) => formula.map(Computation::From),
            (false, Some(reason)) => Some(Computation::Impossible(reason.value)),
            (true, Some(reason)) => {
                self.log.add(
                    &reason.span,
                    "a claim has `compute` or `not_computable`, not both",
                    "keep one of the two",
                );
                None
            }
            (false, None) => {
                self.log.add(
                    span,
                    "[[claim]] has no `compute`",
                    "add `compute = 'an expression'`, or `not_computable = \"why\"`",
                );
                None
            }
        }
    }

    fn relation(&self, reader: &Reader<'_>) -> Relation {
        let about = Relation::About(0.1);
        let known = [
            ("equal", Relation::Equal),
            ("at_least", Relation::AtLeast),
            ("at_most", Relation::AtMost),
            ("more_than", Relation::MoreThan),
            ("less_than", Relation::LessThan),
            ("about", about),
        ];
        let relation = self.choice(reader, "relation", &known).unwrap_or(Relation::Equal);
        let Some(tolerance) = reader.number("tolerance", "0.1") else { return relation };
        if relation != about {
            self.log.add(
                &tolerance.span,
                "`tolerance` belongs to `relation = \"about\"`",
                "add that relation, or leave the tolerance out",
            );
        } else if !(0.0..=1.0).contains(&tolerance.value) {
            self.log.add(
                &tolerance.span,
                "`tolerance` is a share of the stated value",
                "write a number from 0 to 1, e.g. `tolerance = 0.1`",
            );
        }
        Relation::About(tolerance.value)
    }

    fn choice<T: Copy>(&self, reader: &Reader<'_>, key: &'static str, known: &[(&'static str, T)]) -> Option<T> {
        let written = reader.text(key, "\"…\"")?;
        let found = known.iter().find(|(name, _)| *name == written.value).map(|(_, value)| *value);
        if found.is_none() {
            let names: Vec<&str> = known.iter().map(|(name, _)| *name).collect();
            let message = format!("`{key}` cannot be {}", quoted(&written.value));
            self.log.add(&written.span, message, suggestion(&written.value, "it is one of", names));
        }
        found
    }

    fn formula(&self, reader: &Reader<'_>, key: &'static str, example: &str) -> Option<Formula> {
        let written = reader.text(key, example)?;
        let start = self.verbatim_start(&written);
        match parse(&written.value) {
            Ok(tree) => Some(Formula { text: written.value, tree, start, span: written.span }),
            Err(trouble) => {
                self.log.add(&place_in_file(start, &written.span, &trouble.span), trouble.message, trouble.help);
                None
            }
        }
    }

    /// Where the text begins in the file, if it stands there without escapes.
    fn verbatim_start(&self, written: &At<String>) -> Option<usize> {
        let raw = self.text.get(written.span.clone())?;
        let at = raw.find(written.value.as_str())?;
        (at <= "'''\r\n".len()).then_some(written.span.start + at)
    }

    fn unique(&self, claims: &[At<Claim>]) {
        let mut seen = std::collections::BTreeSet::new();
        for claim in claims {
            if !seen.insert(claim.value.id.as_str()) {
                let message = format!("two claims have the id {}", quoted(&claim.value.id));
                self.log.add(&claim.span, message, "give each claim a different id");
            }
            if claim.value.id.contains('/') || claim.value.id.trim().is_empty() {
                let message = format!("{} is not an id", quoted(&claim.value.id));
                self.log.add(
                    &claim.span,
                    message,
                    "write letters, digits and hyphens; `/` separates a study from an id",
                );
            }
        }
    }
}
