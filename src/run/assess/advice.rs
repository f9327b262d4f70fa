//! What to do: the lines that go into the project, where they go, and the command for the CI.

use serde::Serialize;

use super::ways::ParallelMode;
use crate::project::AdoptionFacts;

/// A text that goes into a file of the project.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Snippet {
    /// Below the project's folder.
    pub file: String,
    /// Where in the file.
    pub place: String,
    pub text: String,
}

/// What makes plain Maven run the suite this way; nothing for what the project does already.
pub fn snippets(way: ParallelMode, threads_per_core: usize, cores: usize, dialects: &AdoptionFacts) -> Vec<Snippet> {
    match way {
        ParallelMode::Project => Vec::new(),
        ParallelMode::Modules => vec![Snippet {
            file: ".mvn/maven.config".to_owned(),
            place: "on a separate line, or pass it to each mvn command".to_owned(),
            text: "-T1C\n".to_owned(),
        }],
        ParallelMode::Forks => {
            vec![in_pom(dialects, &[("forkCount", "1C".to_owned()), ("reuseForks", "true".to_owned())])]
        }
        ParallelMode::Classes | ParallelMode::ClassesAndMethods | ParallelMode::Methods => {
            let surefire = dialects.surefire.then(|| {
                let parallel = ("parallel", way.mode().name().to_owned());
                let threads = if dialects.testng { threads_per_core * cores } else { threads_per_core };
                let mut settings = vec![parallel, ("threadCount", threads.to_string())];
                settings.extend((!dialects.testng).then(|| ("perCoreThreadCount", "true".to_owned())));
                in_pom(dialects, &settings)
            });
            let platform =
                (dialects.jupiter || dialects.vintage).then(|| platform(way, threads_per_core, cores, dialects));
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

fn platform(way: ParallelMode, threads_per_core: usize, cores: usize, dialects: &AdoptionFacts) -> Snippet {
    let classes = matches!(way, ParallelMode::Classes | ParallelMode::ClassesAndMethods);
    let methods = matches!(way, ParallelMode::Methods | ParallelMode::ClassesAndMethods);
    let mode = |concurrent: bool| if concurrent { "concurrent" } else { "same_thread" };
    let mut text = String::new();
    let mut set = |key: &str, value: &str| text.push_str(&format!("junit.{key}={value}\n"));
    if dialects.jupiter {
        set("jupiter.execution.parallel.enabled", "true");
        set("jupiter.execution.parallel.mode.default", mode(methods));
        set("jupiter.execution.parallel.mode.classes.default", mode(classes));
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

/// The command that runs the suite this way, with what fails run again.
pub fn paste_command(project: &str, way: ParallelMode, threads: usize) -> String {
    let how = match way {
        ParallelMode::Forks => "--parallel classes --threads 1 --forks 1C".to_owned(),
        ParallelMode::Project => "--parallel project".to_owned(),
        ParallelMode::Modules => format!("--parallel classes --threads {threads} --modules 1C"),
        ParallelMode::Classes | ParallelMode::ClassesAndMethods | ParallelMode::Methods => {
            format!("--parallel {} --threads {threads}", way.mode())
        }
    };
    format!("parade test {} --technique paste {how}", quoted(project))
}

/// What the CI runs once the snippet is in place.
pub fn maven_command(way: ParallelMode) -> String {
    if way == ParallelMode::Modules { "mvn -T1C test".to_owned() } else { "mvn test".to_owned() }
}

/// A word of a command line that a shell takes as one.
fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./:@%+,=".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', "'\\''"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn dialects() -> AdoptionFacts {
        AdoptionFacts { surefire: true, surefire_version: "3.5.6".to_owned(), modules: 1, ..AdoptionFacts::default() }
    }

    #[test]
    fn surefire_takes_its_lines_in_the_pom() {
        let snippets = snippets(ParallelMode::Classes, 2, 4, &dialects());
        let [snippet] = snippets.as_slice() else { panic!("{snippets:?}") };
        assert_eq!(snippet.file, "pom.xml");
        for line in [
            "<parallel>classes</parallel>",
            "<threadCount>2</threadCount>",
            "<perCoreThreadCount>true</perCoreThreadCount>",
        ] {
            assert!(snippet.text.contains(line), "{}", snippet.text);
        }
        assert!(super::snippets(ParallelMode::Forks, 2, 4, &dialects())[0].text.contains("<forkCount>1C</forkCount>"));
        assert_eq!(super::snippets(ParallelMode::Project, 1, 4, &dialects()), []);
    }

    #[test]
    fn testng_is_told_the_number_of_threads_itself() {
        let testng = AdoptionFacts { testng: true, ..dialects() };
        let text = &super::snippets(ParallelMode::Methods, 2, 4, &testng)[0].text;
        assert!(text.contains("<threadCount>8</threadCount>") && !text.contains("perCore"), "{text}");
    }

    #[test]
    fn the_junit_platform_has_a_file_of_its_own() {
        let both = AdoptionFacts { surefire: false, jupiter: true, vintage: true, ..dialects() };
        let snippets = snippets(ParallelMode::Methods, 1, 4, &both);
        let text = &snippets[0].text;
        assert!(snippets[0].file.ends_with("junit-platform.properties"));
        assert!(text.contains("mode.default=concurrent\n") && text.contains("mode.classes.default=same_thread\n"));
        assert!(text.contains("junit.vintage.execution.parallel.pool-size=4\n"));
        assert_eq!(super::snippets(ParallelMode::Forks, 1, 4, &both)[0].file, "pom.xml");
    }

    #[test]
    fn commands_can_be_pasted_into_a_shell() {
        assert_eq!(
            paste_command("it's here", ParallelMode::Methods, 4),
            "parade test 'it'\\''s here' --technique paste --parallel methods --threads 4"
        );
        assert!(paste_command(".", ParallelMode::Forks, 2).ends_with("--parallel classes --threads 1 --forks 1C"));
    }
}
