//! Which engines run a configuration, and what only some engines can do.

use super::{At, Configuration, Context, quoted, suggestion};
use crate::engine::{EngineKind, Isolation, Mode};
use crate::experiment::raw::{RawConfiguration, RawHarness, RawOverride, Written};
use crate::technique::Harness;
use crate::technique::TechniqueKind;

/// Keys that only the direct engine understands.
const DIRECT_KEYS: [&str; 2] = ["isolation", "test_timeout"];

pub(super) fn harness(raw: &RawConfiguration, technique: TechniqueKind, context: &Context<'_>) -> Harness {
    let RawHarness { engine, rerun_engine, isolation, test_timeout } = &raw.harness;
    let main = engine.as_ref().and_then(|written| engine_kind(written, context));
    let rerun = rerun_engine.as_ref().and_then(|written| engine_kind(written, context));
    // An order has to be kept.
    let usual = if technique.algorithm().is_some() { EngineKind::Direct } else { EngineKind::default() };
    let harness = Harness {
        engine: main.unwrap_or(usual),
        rerun_engine: rerun.or(main).unwrap_or(usual),
        isolation: isolation.as_ref().and_then(|written| kept_apart(written, context)).unwrap_or_default(),
        test_limit: test_timeout.as_ref().and_then(|written| context.duration(written, "test_timeout")),
    };
    if let (Some(written), false) = (raw.written.get("rerun_engine"), technique.reruns()) {
        let message = format!("the technique `{technique}` reruns nothing, so it has no `rerun_engine`");
        context.log.add(written, message, "remove it, or write `technique = \"paste\"`");
    }
    // An engine that could not be understood is logged already, and nothing follows from it.
    let understood = engine.is_some() == main.is_some() && rerun_engine.is_some() == rerun.is_some();
    if understood {
        check_direct_keys(&raw.written, technique, harness, context);
    }
    harness
}

/// An override has only some of the keys, and the configuration's engines.
pub(super) fn check_override(raw: &RawOverride, configuration: &Configuration, context: &Context<'_>) {
    let Configuration { technique, harness, parallelism, .. } = configuration;
    check_direct_keys(&raw.written, *technique, *harness, context);
    check_modules(&raw.written, parallelism.mode, *technique, *harness, context);
}

fn engine_kind(written: &At<String>, context: &Context<'_>) -> Option<EngineKind> {
    let known = EngineKind::CHOICES.into_iter().find(|engine| engine.name() == written.value);
    if known.is_none() {
        let help = if written.value == EngineKind::Model.name() {
            "a subject with `model = \"suite.toml\"` always uses the model engine: remove this line".to_owned()
        } else if written.value == EngineKind::Pytest.name() {
            "a pytest project always uses pytest: remove this line".to_owned()
        } else {
            suggestion(&written.value, "engines", EngineKind::CHOICES.map(EngineKind::name))
        };
        context.log.add(&written.span, format!("{} is not an engine that can be chosen", quoted(&written.value)), help);
    }
    known
}

fn kept_apart(written: &At<String>, context: &Context<'_>) -> Option<Isolation> {
    let known = Isolation::ALL.into_iter().find(|isolation| isolation.name() == written.value);
    if known.is_none() {
        let help = suggestion(&written.value, "isolations", Isolation::ALL.map(Isolation::name));
        context.log.add(&written.span, format!("{} is not an isolation", quoted(&written.value)), help);
    }
    known
}

fn check_direct_keys(written: &Written, technique: TechniqueKind, harness: Harness, context: &Context<'_>) {
    if harness.needs(technique, EngineKind::Direct) {
        return;
    }
    let rerun = if technique.reruns() { " or `rerun_engine = \"direct\"`" } else { "" };
    for (key, span) in DIRECT_KEYS.iter().filter_map(|key| written.get_key_value(key)) {
        let message = format!("`{key}` has no meaning for the engine `{}`", harness.engine);
        context.log.add(span, message, format!("remove it, or write `engine = \"direct\"`{rerun}"));
    }
}

/// Modules at once are Maven's own doing, and no part of a sequential run.
pub(super) fn check_modules(
    written: &Written,
    mode: Mode,
    technique: TechniqueKind,
    harness: Harness,
    context: &Context<'_>,
) {
    let Some(span) = written.get("modules") else { return };
    let (message, help) = if technique == TechniqueKind::Sequential {
        ("a sequential run runs one module after the other", "remove `modules`, or write `technique = \"parallel\"`")
    } else if mode == Mode::Project {
        (
            "`modules` has no meaning for the mode `project`",
            "`project` uses the project's own settings, including its `-T`: remove this line, or choose another mode",
        )
    } else if harness.engine == EngineKind::Direct {
        ("the direct engine cannot run several modules at once", "remove `modules`, or write `engine = \"surefire\"`")
    } else {
        return;
    };
    context.log.add(span, message, help);
}
