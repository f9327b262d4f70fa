//! Builds that failed, told apart by what Maven said: would another JDK meet the same? And paths of a copy as the user knows them.
//! Pure functions on text.

use std::path::Path;

/// The network, the disk, repositories and their credentials, the pom itself.
const ELSEWHERE: [&str; 28] = [
    "Unknown host",
    "UnknownHostException",
    "Temporary failure in name resolution",
    "Connection refused",
    "Connection reset",
    "Connection timed out",
    "Connect timed out",
    "connect timed out",
    "Read timed out",
    "No route to host",
    "Network is unreachable",
    "No space left on device",
    "Permission denied",
    "Non-parseable POM",
    "Non-readable POM",
    "Malformed POM",
    "Non-parseable settings",
    "The build could not read",
    "Unable to parse command line",
    "Could not find the selected project in the reactor",
    "in offline mode",
    "Blocked mirror for repositories",
    "Not authorized",
    "authentication failed",
    "Non-resolvable parent POM",
    "Non-resolvable import POM",
    "Could not transfer artifact",
    "The specified user settings file does not exist",
];

/// Artifacts that a JDK brings along, or did.
const OF_THE_JDK: [&str; 4] = ["com.sun:tools", "jdk.tools:jdk.tools", "at specified path", "tools.jar"];

/// Has a build failed for a reason that every JDK would meet? `reason` are the decisive lines of its log.
pub fn is_independent_of_jdk(reason: &str) -> bool {
    if OF_THE_JDK.iter().any(|mark| reason.contains(mark)) {
        return false;
    }
    ELSEWHERE.iter().any(|mark| reason.contains(mark)) || is_missing_artifact(reason) || is_other_rule(reason)
}

fn is_missing_artifact(reason: &str) -> bool {
    ["Could not find artifact", "could not be resolved", "Could not resolve dependencies"]
        .iter()
        .any(|mark| reason.contains(mark))
}

/// A rule of the enforcer that asks for something else than a Java version.
fn is_other_rule(reason: &str) -> bool {
    let of_enforcer = reason.contains("maven-enforcer-plugin") || reason.contains("Enforcer Rules have failed");
    let of_java = ["RequireJavaVersion", "RequireJavaVendor", "EnforceBytecodeVersion", "Detected JDK", "JDK Version"];
    of_enforcer && !of_java.iter().any(|rule| reason.contains(rule))
}

/// A text about a copy of a project, with the paths of the project itself: `copies` is the folder of all copies, each with its
/// files in `<name>/tree`. Without a project the paths become relative. What `is_own` denies exists only in the copy, and keeps
/// its path there; it is asked with paths below the project.
pub fn with_own_paths(text: &str, copies: &Path, project: Option<&Path>, is_own: &dyn Fn(&Path) -> bool) -> String {
    let copies = format!("{}/", copies.display());
    let mut rest = text;
    let mut own = String::with_capacity(text.len());
    while let Some(at) = rest.find(&copies) {
        let (before, after) = rest.split_at(at);
        own.push_str(before);
        let inside = after.get(copies.len()..).unwrap_or_default();
        let tree = inside.find("/tree").filter(|end| !inside[..*end].contains(['/', '\n', ' ']));
        let below = tree.map(|end| &inside[end + "/tree".len()..]);
        match below.filter(|below| names_own_file(below, is_own)) {
            Some(below) => {
                let below = match project {
                    Some(project) => {
                        own.push_str(&project.to_string_lossy());
                        below
                    }
                    None => below.strip_prefix('/').unwrap_or(below),
                };
                rest = below;
            }
            None => {
                own.push_str(&copies);
                rest = inside;
            }
        }
    }
    own + rest
}

/// Does the text begin with a path that is the project's own? Where the path ends is not marked: it can hold spaces, and a
/// line number can follow.
fn names_own_file(text: &str, is_own: &dyn Fn(&Path) -> bool) -> bool {
    let line = text.lines().next().unwrap_or_default();
    let Some(path) = line.strip_prefix('/') else { return true };
    let ends = path.char_indices().filter(|(_, c)| !c.is_alphanumeric() && !"/-_$".contains(*c)).map(|(at, _)| at);
    ends.chain([path.len()]).filter(|end| *end > 0).any(|end| is_own(Path::new(&path[..end])))
}

/// Is a path below a project in a folder that a build writes?
pub fn is_in_build_folder(path: &Path) -> bool {
    path.components().any(|part| part.as_os_str() == "target")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_every_jdk_would_meet_is_told_from_what_one_does() {
        for reason in [
            "Could not transfer x: Unknown host repo.maven.apache.org",
            "Could not find artifact com.acme:parent:pom:1 in internal (https://nexus.acme/)",
            "Non-resolvable parent POM for shop:shop:1",
            "Failed to execute goal org.apache.maven.plugins:maven-enforcer-plugin:3.5.0:enforce (x)\nRule 0: org.apache.maven.enforcer.rules.RequireProperty failed",
            "authentication failed for https://nexus.acme/, status: 401 Unauthorized",
        ] {
            assert!(is_independent_of_jdk(reason), "{reason}");
        }
        for reason in [
            "Could not find artifact com.sun:tools:jar:1.6 at specified path /x",
            "A.java:[3,5] package sun.misc does not exist",
            "Source option 5 is no longer supported.",
            "maven-enforcer-plugin:3.5.0:enforce (x)\nRule 0: org.apache.maven.enforcer.rules.version.RequireJavaVersion failed with message:\nDetected JDK /x is version 21",
            "",
        ] {
            assert!(!is_independent_of_jdk(reason), "{reason}");
        }
    }

    #[test]
    fn compile_errors_name_the_users_own_files() {
        let text =
            "/c/worktrees/test-shop-content-12/tree/src/A.java:[3,5] x\nsee /c/worktrees/logs and /c/worktrees/a/tree";
        let all = |_: &Path| true;
        let own = with_own_paths(text, Path::new("/c/worktrees"), Some(Path::new("/home/me/shop")), &all);
        assert_eq!(own, "/home/me/shop/src/A.java:[3,5] x\nsee /c/worktrees/logs and /home/me/shop");
        let relative = with_own_paths(text, Path::new("/c/worktrees"), None, &all);
        assert!(relative.starts_with("src/A.java:[3,5] x\n"), "{relative}");
    }

    #[test]
    fn what_only_the_copy_has_keeps_its_path_there() {
        let text = "/c/w/a/tree/target/gen/A.java:[3,5] x\n/c/w/a/tree/src/my files/B.java:[1,2] y\n\
                    See /c/w/a/tree/target/surefire-reports for the individual results.";
        let is_own = |path: &Path| path == Path::new("src/my files/B.java");
        let own = with_own_paths(text, Path::new("/c/w"), Some(Path::new("/me")), &is_own);
        let expected = "/c/w/a/tree/target/gen/A.java:[3,5] x\n/me/src/my files/B.java:[1,2] y\n\
                        See /c/w/a/tree/target/surefire-reports for the individual results.";
        assert_eq!(own, expected);
        assert!(is_in_build_folder(Path::new("core/target/classes")) && !is_in_build_folder(Path::new("src/targets")));
    }
}
