//! `--only subject=GLOB,configuration=GLOB,cores=N`: a part of a plan.
//!
//! One filter is a set of terms. Terms of different keys must all hold, of several terms of one key one must, and of
//! several filters one must: `subject=a*,subject=b*,cores=2` is (a* or b*) on two cores.

use std::collections::BTreeSet;
use std::fmt;

use miette::Diagnostic;

use super::{Plan, Trial};
use crate::toml_file::names::{list, quoted, sorted_list, suggestion};

/// Of one subject.
const MOST_VERSIONS: u32 = 1_000;

const KEYS: [&str; 3] = ["subject", "configuration", "cores"];

/// Which trials of a plan are wanted; without a clause, all.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Filter {
    clauses: Vec<Clause>,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct Clause {
    text: String,
    subjects: Vec<String>,
    configurations: Vec<String>,
    cores: Vec<usize>,
}

/// A filter that cannot be read, or that nothing passes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FilterError {
    message: String,
    help: String,
}

impl fmt::Display for FilterError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for FilterError {}

impl Diagnostic for FilterError {
    fn help<'a>(&'a self) -> Option<Box<dyn fmt::Display + 'a>> {
        Some(Box::new(&self.help))
    }
}

impl Filter {
    /// From the values of `--only`, one for each time it was given.
    pub fn parse<S: AsRef<str>>(values: &[S]) -> Result<Self, FilterError> {
        let clauses = values.iter().map(|value| Clause::parse(value.as_ref())).collect::<Result<_, _>>()?;
        Ok(Filter { clauses })
    }

    /// Can it want trials of this subject, or of versions of it that nobody knows yet?
    pub fn may_want(&self, subject: &str) -> bool {
        self.clauses.is_empty()
            || self.clauses.iter().any(|clause| clause.picks_subject(subject) || clause.may_pick_version_of(subject))
    }

    /// The wanted trials in the plan's order. A filter that picks none is a mistake, whatever the others pick.
    pub fn apply(&self, plan: &Plan) -> Result<Plan, FilterError> {
        for clause in &self.clauses {
            if !plan.trials.iter().any(|trial| clause.picks(trial)) {
                return Err(clause.picks_nothing(plan));
            }
        }
        let wanted = |trial: &&Trial| self.clauses.is_empty() || self.clauses.iter().any(|clause| clause.picks(trial));
        Ok(Plan { trials: plan.trials.iter().filter(wanted).cloned().collect() })
    }
}

impl Clause {
    fn parse(text: &str) -> Result<Self, FilterError> {
        let mut clause = Clause { text: text.to_owned(), ..Clause::default() };
        for term in text.split(',').map(str::trim) {
            clause.add(term)?;
        }
        Ok(clause)
    }

    fn add(&mut self, term: &str) -> Result<(), FilterError> {
        let help = "write e.g. `subject=commons-*,configuration=classes,cores=2`";
        let Some((key, value)) = term.split_once('=') else {
            let message = format!("the filter {} has no `=`", quoted(term));
            return Err(FilterError { message, help: help.to_owned() });
        };
        match key.trim() {
            "subject" => self.subjects.push(value.trim().to_owned()),
            "configuration" => self.configurations.push(value.trim().to_owned()),
            "cores" => self.cores.push(value.trim().parse().map_err(|_| FilterError {
                message: format!("{} is not a number of cores", quoted(value)),
                help: help.to_owned(),
            })?),
            other => {
                let message = format!("trials cannot be filtered by {}", quoted(other));
                return Err(FilterError { message, help: suggestion(other, "keys", KEYS) });
            }
        }
        Ok(())
    }

    /// A version by its own name or by that of its subject.
    fn picks_subject(&self, name: &str) -> bool {
        let family = name.rsplit_once(".v").filter(|(_, number)| number.bytes().all(|digit| digit.is_ascii_digit()));
        let names = [Some(name), family.map(|(family, _)| family)];
        self.subjects.is_empty()
            || self.subjects.iter().any(|glob| names.iter().flatten().any(|name| matches(glob, name)))
    }

    /// By the names that versions get: more than a file may ask for are not tried.
    fn may_pick_version_of(&self, family: &str) -> bool {
        (1..=MOST_VERSIONS).any(|number| {
            let version = format!("{family}.v{number}");
            self.subjects.iter().any(|glob| matches(glob, &version))
        })
    }

    fn picks(&self, trial: &Trial) -> bool {
        let one_of = |globs: &[String], name: &str| globs.is_empty() || globs.iter().any(|glob| matches(glob, name));
        self.picks_subject(&trial.subject)
            && one_of(&self.configurations, &trial.configuration)
            && (self.cores.is_empty() || self.cores.contains(&trial.cores))
    }

    fn picks_nothing(&self, plan: &Plan) -> FilterError {
        let cores: BTreeSet<_> = plan.trials.iter().map(|trial| trial.cores).collect();
        let cores: Vec<_> = cores.into_iter().map(|count| count.to_string()).collect();
        let help = format!(
            "subjects: {}; configurations: {}; cores: {}",
            sorted_list(plan.trials.iter().map(|trial| trial.subject.as_str())),
            sorted_list(plan.trials.iter().map(|trial| trial.configuration.as_str())),
            list(cores.iter().map(String::as_str)),
        );
        FilterError { message: format!("no trial matches the filter {}", quoted(&self.text)), help }
    }
}

/// `*` stands for any characters, `?` for one. Linear in the name for each star, whatever the pattern.
fn matches(glob: &str, name: &str) -> bool {
    let glob: Vec<char> = glob.chars().collect();
    let name: Vec<char> = name.chars().collect();
    let (mut g, mut n) = (0, 0);
    let mut star = None;
    while n < name.len() {
        match glob.get(g) {
            Some('*') => {
                star = Some((g, n));
                g += 1;
            }
            Some(&c) if c == '?' || c == name[n] => {
                g += 1;
                n += 1;
            }
            _ => match star {
                Some((at, taken)) => {
                    star = Some((at, taken + 1));
                    g = at + 1;
                    n = taken + 1;
                }
                None => return false,
            },
        }
    }
    glob[g..].iter().all(|c| *c == '*')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plan() -> Plan {
        let mut trials = Vec::new();
        for subject in ["commons-io", "commons-lang", "mina"] {
            for configuration in ["sequential", "classes"] {
                for cores in [1, 2] {
                    trials.push(Trial {
                        id: format!("{subject}.{configuration}.c{cores}"),
                        subject: subject.to_owned(),
                        configuration: configuration.to_owned(),
                        cores,
                        repetition: 1,
                    });
                }
            }
        }
        Plan { trials }
    }

    fn picked(filters: &[&str]) -> Vec<String> {
        let filter = Filter::parse(filters).expect("a filter");
        filter.apply(&plan()).expect("trials").trials.into_iter().map(|trial| trial.id).collect()
    }

    #[test]
    fn terms_narrow_and_filters_widen() {
        assert_eq!(picked(&[]).len(), 12);
        assert_eq!(picked(&["subject=commons-*"]).len(), 8);
        assert_eq!(picked(&["subject=commons-??, cores=2"]), ["commons-io.sequential.c2", "commons-io.classes.c2"]);
        assert_eq!(picked(&["subject=mina,subject=commons-io,cores=1,configuration=c*"]).len(), 2);
        assert_eq!(picked(&["subject=mina,cores=1", "configuration=classes,cores=2"]).len(), 5);
    }

    #[test]
    fn only_subjects_that_a_filter_can_mean_are_looked_at() {
        let wanted = |filter: &str, subject: &str| Filter::parse(&[filter]).unwrap().may_want(subject);
        assert!(wanted("subject=http-*", "http-request") && !wanted("subject=http-*", "commons-io"));
        assert!(wanted("subject=commons-io.v2", "commons-io") && !wanted("subject=commons-io.v2", "mina"));
        assert!(wanted("subject=*.v12", "mina") && wanted("cores=2", "mina"));
        assert!(!wanted("subject=m*.w*", "mina"));
    }

    #[test]
    fn a_filter_that_picks_nothing_lists_what_there_is() {
        let filter = Filter::parse(&["cores=1", "subject=minna"]).expect("a filter");
        let error = filter.apply(&plan()).expect_err("nothing is called minna");
        assert_eq!(error.message, "no trial matches the filter `subject=minna`");
        assert_eq!(
            error.help,
            "subjects: `commons-io`, `commons-lang`, `mina`; configurations: `classes`, `sequential`; cores: `1`, `2`"
        );
    }

    #[test]
    fn a_filter_that_cannot_be_read_is_refused() {
        let help = |filter: &str| Filter::parse(&[filter]).expect_err(filter).help;
        assert!(help("subjct=a").starts_with("did you mean `subject`?"));
        assert!(help("subject").contains("commons-*"));
        assert!(help("cores=two").contains("cores=2"));
        assert!(help("").contains("commons-*"));
    }

    #[test]
    fn globs_match_whole_names() {
        assert!(matches("a*c", "abc") && matches("*", "") && matches("a**", "a") && matches("?b?", "abc"));
        assert!(!matches("a", "ab") && !matches("?", "") && !matches("a*d", "abc"));
        assert!(!matches(&"*a".repeat(200), &"a".repeat(199)));
    }
}
