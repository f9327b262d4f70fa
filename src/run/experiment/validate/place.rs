//! What a subject runs on: its JDK and its user, its own or those of `[machine]`. Each is looked up where it is written,
//! and once, so that a mistake in `[machine]` is told once.

use super::{At, Context};
use crate::experiment::raw::{RawMachine, RawSubject};
use crate::spec::JdkWish;

/// The JDK and the user of those subjects that do not say otherwise.
#[derive(Default)]
pub(super) struct SubjectHost {
    pub jdk: Option<JdkWish>,
    pub user: Option<String>,
}

pub(super) fn of_machine(raw: &RawMachine, context: &Context<'_>) -> SubjectHost {
    SubjectHost { jdk: jdk(raw.jdk.as_ref(), context), user: user(raw.user.as_ref(), context) }
}

/// A scripted suite needs neither.
pub(super) fn of_subject(raw: &RawSubject, machine: &SubjectHost, context: &Context<'_>) -> SubjectHost {
    if raw.written.contains_key("model") {
        return SubjectHost::default();
    }
    SubjectHost {
        jdk: jdk(raw.jdk.as_ref(), context).or_else(|| machine.jdk.clone()),
        user: user(raw.user.as_ref(), context).or_else(|| machine.user.clone()),
    }
}

fn jdk(written: Option<&At<String>>, context: &Context<'_>) -> Option<JdkWish> {
    let written = written?;
    let wish = JdkWish::parse(&written.value, context.folder);
    let wish = wish.and_then(|wish| (context.here.check_jdk)(&wish).map(|()| wish));
    wish.map_err(|report| context.report(written, &report)).ok()
}

fn user(written: Option<&At<String>>, context: &Context<'_>) -> Option<String> {
    let written = written?;
    let possible = (context.here.check_user)(&written.value);
    possible.map_err(|report| context.report(written, &report)).ok().map(|()| written.value.clone())
}

impl Context<'_> {
    fn report(&self, written: &At<String>, report: &miette::Report) {
        let help = report.help().map(|help| help.to_string()).unwrap_or_default();
        self.log.add(&written.span, report.to_string(), help);
    }
}
