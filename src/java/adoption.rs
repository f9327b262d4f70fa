//! What a team needs to know to write a parallel mode into its own build: what the project does in parallel today, and which
//! plugin and frameworks a mode has to be told to.

use std::path::Path;

use super::build::{Discovery, Prepared};
use crate::project::AdoptionFacts;
use crate::whole_file;

/// The modules' files with settings of the JUnit Platform.
const PLATFORM_FILE: &str = "src/test/resources/junit-platform.properties";
const PLATFORM_FILE_LIMIT: u64 = 1 << 20;

pub(super) fn facts(prepared: &Prepared) -> AdoptionFacts {
    let discovery: &Discovery = prepared.discovery();
    let provides = |names: &[&str]| {
        discovery.suites.iter().any(|suite| suite.providers.iter().any(|own| names.contains(&own.as_str())))
    };
    let has = |framework: &str| discovery.suites.iter().any(|suite| suite.frameworks.contains_key(framework));
    let platform = provides(&["surefire-junit-platform"]);
    AdoptionFacts {
        surefire: provides(&["surefire-junit4", "surefire-junit47", "surefire-testng"]),
        testng: provides(&["surefire-testng"]),
        jupiter: platform && has("jupiter"),
        vintage: platform && has("vintage"),
        surefire_version: discovery.suites.first().map(|suite| suite.surefire.clone()).unwrap_or_default(),
        modules: prepared.modules().len(),
    }
}

/// What parade had to override to run one test after the other.
pub(super) fn parallel_settings(prepared: &Prepared) -> Vec<String> {
    let texts = prepared.deviations().into_iter().map(|finding| finding.text);
    let mut found: Vec<String> = texts.filter(|text| is_parallel_setting(text)).collect();
    for module in prepared.modules() {
        let file = prepared.checkout.root.join(&module).join(PLATFORM_FILE);
        if is_enabled(&file) {
            let place = if module.is_empty() { String::new() } else { format!("{module}/") };
            found.push(format!("{place}{PLATFORM_FILE} runs the JUnit Platform in parallel"));
        }
    }
    found
}

/// Is a deviation about a setting that runs tests in parallel? The reason for it, in brackets, does not count: that of a replaced
/// Surefire speaks of parallel modes, too.
fn is_parallel_setting(deviation: &str) -> bool {
    let what = deviation.split(" (").next().unwrap_or(deviation);
    ["parallel", "threadCount", "forkCount", "forkMode", "at once"].iter().any(|word| what.contains(word))
}

fn is_enabled(file: &Path) -> bool {
    let small = std::fs::metadata(file).is_ok_and(|file| file.is_file() && file.len() <= PLATFORM_FILE_LIMIT);
    let text = small.then(|| whole_file::read(file).ok()).flatten().unwrap_or_default();
    text.lines().filter_map(|line| line.split_once(['=', ':'])).any(|(key, value)| {
        key.trim().ends_with("execution.parallel.enabled") && value.trim().eq_ignore_ascii_case("true")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_of_the_junit_platform_tells_whether_it_is_parallel() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("junit-platform.properties");
        for (text, expected) in [
            ("junit.jupiter.execution.parallel.enabled = true\n", true),
            ("# junit.jupiter.execution.parallel.enabled=true is off\nx=y\n", false),
            ("junit.jupiter.execution.parallel.enabled=false", false),
        ] {
            std::fs::write(&file, text).unwrap();
            assert_eq!(is_enabled(&file), expected, "{text}");
        }
        assert!(!is_enabled(folder.path()) && !is_enabled(&folder.path().join("none")));
    }

    #[test]
    fn a_replaced_surefire_is_no_parallel_setting() {
        let pinned = "maven-surefire-plugin 3.2.5 replaced by 3.5.6 (4 modules) (one version for all runs, in which every parallel mode works)";
        assert!(!is_parallel_setting(pinned));
        assert!(!is_parallel_setting("maven-surefire-plugin without a version replaced by 3.5.6 (one version)"));
        assert!(is_parallel_setting("parallel=classes, threadCount=4 overridden (2 modules)"));
        assert!(is_parallel_setting("forkCount 2C replaced by 1"));
    }
}
