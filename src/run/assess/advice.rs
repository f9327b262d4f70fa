//! What to do about failures that a rerun repairs: the command for the CI. What goes into a project is its platform's matter.

use super::parallel_mode::ParallelMode;
use crate::wording::shell_word;

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
    format!("parade test {} --technique paste {how}", shell_word(project))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_can_be_pasted_into_a_shell() {
        assert_eq!(
            paste_command("it's here", ParallelMode::Methods, 4),
            "parade test 'it'\\''s here' --technique paste --parallel methods --threads 4"
        );
        assert!(paste_command(".", ParallelMode::Forks, 2).ends_with("--parallel classes --threads 1 --forks 1C"));
    }
}
