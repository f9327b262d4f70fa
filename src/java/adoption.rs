//! What a team needs to know to write a parallel mode into its own build: what the project does in parallel today, and which
//! plugin and frameworks a mode has to be told to.

use std::path::Path;

use super::build::{Discovery, Prepared};
use crate::engine::{Forks, Mode, Parallelism};
use crate::project::{Adoption, AdoptionFacts, Snippet};
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
        ..AdoptionFacts::default()
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

/// The lines that go into the project, and what the CI runs once they are there.
pub(super) fn adoption(how: &Parallelism, cores: usize, dialects: &AdoptionFacts) -> Adoption {
    let command = if how.modules.is_some() { "mvn -T1C test" } else { "mvn test" };
    Adoption { snippets: snippets(how, cores, dialects), command: command.to_owned() }
}

/// What makes plain Maven run the suite this way; nothing for what the project does already.
pub(super) fn snippets(how: &Parallelism, cores: usize, dialects: &AdoptionFacts) -> Vec<Snippet> {
    let threads_per_core = how.threads as usize;
    match how.mode {
        Mode::Project => Vec::new(),
        _ if how.modules.is_some() => vec![Snippet {
            file: ".mvn/maven.config".to_owned(),
            place: "on a separate line, or pass it to each mvn command".to_owned(),
            text: "-T1C\n".to_owned(),
        }],
        Mode::Sequential => Vec::new(),
        _ if how.forks != Forks::Count(1) => {
            vec![in_pom(dialects, &[("forkCount", "1C".to_owned()), ("reuseForks", "true".to_owned())])]
        }
        Mode::Classes | Mode::ClassesAndMethods | Mode::Methods => {
            let surefire = dialects.surefire.then(|| {
                let parallel = ("parallel", how.mode.name().to_owned());
                let threads = if dialects.testng { threads_per_core * cores } else { threads_per_core };
                let mut settings = vec![parallel, ("threadCount", threads.to_string())];
                settings.extend((!dialects.testng).then(|| ("perCoreThreadCount", "true".to_owned())));
                in_pom(dialects, &settings)
            });
            let platform =
                (dialects.jupiter || dialects.vintage).then(|| platform(how.mode, threads_per_core, cores, dialects));
            surefire.into_iter().chain(platform).collect()
        }
    }
}

fn in_pom(dialects: &AdoptionFacts, settings: &[(&str, String)]) -> Snippet {
    let lines: String = settings.iter().map(|(key, value)| format!("    <{key}>{value}</{key}>\n")).collect();
    let where_to = if dialects.modules > 1 {
        "<build><plugins> of the root pom, for all modules that inherit from it"
    } else {
        "<build><plugins>, also if a parent or <pluginManagement> configures the plugin"
    };
    Snippet {
        file: "pom.xml".to_owned(),
        place: format!(
            "in {where_to}; if maven-surefire-plugin is already there, set this version and merge the lines of \
             <configuration>"
        ),
        text: format!(
            "<plugin>\n  <groupId>org.apache.maven.plugins</groupId>\n  <artifactId>maven-surefire-plugin</artifactId>\n  \
             <version>{}</version>\n  <configuration>\n{lines}  </configuration>\n</plugin>\n",
            dialects.surefire_version
        ),
    }
}

fn platform(mode: Mode, threads_per_core: usize, cores: usize, dialects: &AdoptionFacts) -> Snippet {
    let classes = matches!(mode, Mode::Classes | Mode::ClassesAndMethods);
    let methods = matches!(mode, Mode::Methods | Mode::ClassesAndMethods);
    let setting = |concurrent: bool| if concurrent { "concurrent" } else { "same_thread" };
    let mut text = String::new();
    let mut set = |key: &str, value: &str| text.push_str(&format!("junit.{key}={value}\n"));
    if dialects.jupiter {
        set("jupiter.execution.parallel.enabled", "true");
        set("jupiter.execution.parallel.mode.default", setting(methods));
        set("jupiter.execution.parallel.mode.classes.default", setting(classes));
        set("jupiter.execution.parallel.config.strategy", "dynamic");
        set("jupiter.execution.parallel.config.dynamic.factor", &threads_per_core.to_string());
    }
    if dialects.vintage {
        set("vintage.execution.parallel.enabled", "true");
        set("vintage.execution.parallel.classes", &classes.to_string());
        set("vintage.execution.parallel.methods", &methods.to_string());
        set("vintage.execution.parallel.pool-size", &(threads_per_core * cores).to_string());
    }
    let each = if dialects.modules > 1 { "of each module with tests" } else { "" };
    Snippet {
        file: "src/test/resources/junit-platform.properties".to_owned(),
        place: format!("lines {each}; create the file if it does not exist").replace("lines ;", "lines;"),
        text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn how(mode: Mode, threads: u32) -> Parallelism {
        Parallelism { mode, threads, threads_per_core: true, ..Parallelism::SEQUENTIAL }
    }

    fn forks() -> Parallelism {
        Parallelism { forks: Forks::PerCore(1.0), ..how(Mode::Classes, 1) }
    }

    fn written(how: Parallelism, cores: usize, dialects: &AdoptionFacts) -> Vec<Snippet> {
        adoption(&how, cores, dialects).snippets
    }

    fn dialects() -> AdoptionFacts {
        AdoptionFacts { surefire: true, surefire_version: "3.5.6".to_owned(), modules: 1, ..AdoptionFacts::default() }
    }

    #[test]
    fn surefire_takes_its_lines_in_the_pom() {
        let snippets = written(how(Mode::Classes, 2), 4, &dialects());
        let [snippet] = snippets.as_slice() else { panic!("{snippets:?}") };
        assert_eq!(snippet.file, "pom.xml");
        for line in [
            "<parallel>classes</parallel>",
            "<threadCount>2</threadCount>",
            "<perCoreThreadCount>true</perCoreThreadCount>",
        ] {
            assert!(snippet.text.contains(line), "{}", snippet.text);
        }
        assert!(written(forks(), 4, &dialects())[0].text.contains("<forkCount>1C</forkCount>"));
        assert_eq!(written(how(Mode::Project, 1), 4, &dialects()), []);
    }

    #[test]
    fn testng_is_told_the_number_of_threads_itself() {
        let testng = AdoptionFacts { testng: true, ..dialects() };
        let text = &written(how(Mode::Methods, 2), 4, &testng)[0].text;
        assert!(text.contains("<threadCount>8</threadCount>") && !text.contains("perCore"), "{text}");
    }

    #[test]
    fn the_junit_platform_has_a_file_of_its_own() {
        let both = AdoptionFacts { surefire: false, jupiter: true, vintage: true, ..dialects() };
        let snippets = written(how(Mode::Methods, 1), 4, &both);
        let text = &snippets[0].text;
        assert!(snippets[0].file.ends_with("junit-platform.properties"));
        assert!(text.contains("mode.default=concurrent\n") && text.contains("mode.classes.default=same_thread\n"));
        assert!(text.contains("junit.vintage.execution.parallel.pool-size=4\n"));
        assert_eq!(written(forks(), 4, &both)[0].file, "pom.xml");
    }

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
