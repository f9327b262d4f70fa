//! Test processes whose frameworks grant larger time limits than the tests ask for: an experiment, never a measurement.

use std::collections::BTreeMap;
use std::path::Path;

use miette::miette;

use crate::direct::agent_option;
use crate::maven::Helper;

/// Every JVM below Maven reads it.
const VARIABLE: &str = "JAVA_TOOL_OPTIONS";
/// What the agent knows the task by.
const TASK: &str = "limits";

/// A subject's environment with the agent in it that makes limits larger.
pub fn enlarged(helper: &Helper, declared: &BTreeMap<String, String>) -> miette::Result<BTreeMap<String, String>> {
    let option = agent_option(helper, Path::new(TASK))?;
    let option = option.to_str().filter(|option| !option.contains('"')).ok_or_else(|| {
        miette!(
            help = "set PARADE_HOME to a folder with a plain name",
            "time limits cannot be raised, because the path of parade's agent has characters that {VARIABLE} does not allow"
        )
    })?;
    let mut environment = declared.clone();
    let own = environment.get(VARIABLE).map(|own| format!("{own} ")).unwrap_or_default();
    environment.insert(VARIABLE.to_owned(), format!("{own}\"{option}\""));
    Ok(environment)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_agent_comes_after_what_the_subject_has() {
        let helper =
            Helper { extension: "/h/m.jar".into(), listeners: "/h/with space/l.jar".into(), hash: String::new() };
        let declared = BTreeMap::from([(VARIABLE.to_owned(), "-Xmx1g".to_owned())]);
        let text = enlarged(&helper, &declared).unwrap()[VARIABLE].clone();
        assert!(text.starts_with("-Xmx1g \"-javaagent:/h/with space/parade-agent.jar=limits:"), "{text}");
        let odd = Helper { listeners: "/h/\"odd\"/l.jar".into(), ..helper };
        assert!(enlarged(&odd, &declared).is_err());
    }
}
