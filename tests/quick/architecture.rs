//! The map of ARCHITECTURE.md is true: crates depend downwards only, and no two modules of a crate need each other.
//!
//! The graph is drawn from the sources and written to `target/module-graph.dot`.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// Each crate with those that it may know, in the order of the map.
const CRATES: [(&str, &[&str]); 6] = [
    ("core", &[]),
    ("run", &["core"]),
    ("java", &["core", "run"]),
    ("python", &["core", "run"]),
    ("report", &["core", "run"]),
    ("cli", &["core", "run", "java", "python", "report"]),
];

/// What a module must never need, as ARCHITECTURE.md has it.
const FORBIDDEN: [(&str, &str, &[&str]); 6] = [
    ("core", "technique", &["whole_file", "folder_handle", "folders", "run_clock", "toml_file", "junit_report"]),
    ("core", "stats", &["suite", "engine", "technique", "whole_file", "folders", "toml_file"]),
    ("run", "store", &["runner", "project", "process", "assess", "detection", "once"]),
    ("run", "subject", &["project", "experiment", "runner", "store"]),
    ("run", "project", &["experiment", "runner", "store", "assess", "detection", "once"]),
    ("run", "runner", &["assess", "detection", "once"]),
];

/// External crates that only some of ours may know.
const KEPT_OUT: [(&str, &[&str]); 4] =
    [("polars", &["run"]), ("git2", &["run", "java"]), ("plotters", &["report"]), ("clap", &["cli"])];

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

/// The sources of a crate that are no tests, each with the module at the top of the crate that it belongs to.
fn sources(name: &str) -> Vec<(String, String)> {
    let (top, mut found, mut open) = (root().join("src").join(name), Vec::new(), vec![root().join("src").join(name)]);
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(folder).unwrap().flatten() {
            let path = entry.path();
            let stem = path.file_stem().unwrap().to_string_lossy().into_owned();
            if path.is_dir() && stem != "tests" {
                open.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") && !stem.ends_with("tests") {
                let below = path.strip_prefix(&top).unwrap();
                let module = below.components().next().unwrap().as_os_str().to_string_lossy().replace(".rs", "");
                let mut text = without_tests(&fs::read_to_string(&path).unwrap());
                // In the file of a top module, what is above it is the crate.
                if below.components().count() == 1 || (below.components().count() == 2 && stem == "mod") {
                    text = text.replace("super::", "crate::");
                }
                found.push((module, text));
            }
        }
    }
    found
}

/// Comments and what only tests compile do not count.
fn without_tests(text: &str) -> String {
    let production = text.split("#[cfg(test)]\nmod tests").next().unwrap_or_default();
    let production =
        production.split("#[cfg(any(test, feature = \"testing\"))]\n#[cfg_attr").next().unwrap_or_default();
    let mut kept = String::new();
    let mut skips = false;
    for line in production.lines() {
        let code = line.trim_start();
        if !skips && !code.starts_with("//") {
            kept.push_str(line);
            kept.push('\n');
        }
        skips = code.starts_with("#[cfg(test)]") || code.starts_with("#[cfg(any(test");
    }
    kept
}

/// The first name of every path that begins with the prefix; lists in braces are taken apart.
fn names_after(prefix: &str, text: &str) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    for (at, _) in text.match_indices(prefix) {
        let rest = &text[at + prefix.len()..];
        if let Some(list) = rest.strip_prefix('{') {
            let mut depth = 0;
            let mut name = String::new();
            for letter in list.chars() {
                match letter {
                    '{' => depth += 1,
                    '}' if depth == 0 => break,
                    '}' => depth -= 1,
                    ',' if depth == 0 => {
                        names.insert(first_word(&name));
                        name.clear();
                        continue;
                    }
                    _ => {}
                }
                name.push(letter);
            }
            names.insert(first_word(&name));
        } else {
            names.insert(first_word(rest));
        }
    }
    names.remove("");
    names
}

fn first_word(text: &str) -> String {
    text.trim_start().chars().take_while(|letter| letter.is_alphanumeric() || *letter == '_').collect()
}

/// Which module of a crate needs which other ones of the same crate.
fn module_graph(name: &str) -> BTreeMap<String, BTreeSet<String>> {
    let sources = sources(name);
    let modules: BTreeSet<String> = sources.iter().map(|(module, _)| module.clone()).collect();
    let exported = exported(&sources, &modules);
    let mut graph: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for (module, text) in sources.iter().filter(|(module, _)| module != "lib" && module != "main") {
        let needs = graph.entry(module.clone()).or_default();
        for name in names_after("crate::", text) {
            let needed = exported.get(&name).unwrap_or(&name);
            if needed != module && modules.contains(needed) {
                needs.insert(needed.clone());
            }
        }
    }
    graph
}

/// Which module each name comes from that the crate's root exports.
fn exported(sources: &[(String, String)], modules: &BTreeSet<String>) -> BTreeMap<String, String> {
    let root = sources.iter().find(|(module, _)| module == "lib").map(|(_, text)| text.as_str()).unwrap_or_default();
    let mut exported = BTreeMap::new();
    for module in modules {
        for name in names_after(&format!("pub use {module}::"), root) {
            exported.insert(name, module.clone());
        }
    }
    exported
}

/// A way from a module back to itself, if there is one.
fn cycle(graph: &BTreeMap<String, BTreeSet<String>>) -> Option<Vec<String>> {
    fn visit(
        at: &str,
        graph: &BTreeMap<String, BTreeSet<String>>,
        path: &mut Vec<String>,
        done: &mut BTreeSet<String>,
    ) -> Option<Vec<String>> {
        if let Some(start) = path.iter().position(|known| known == at) {
            return Some(path[start..].to_vec());
        }
        if !done.insert(at.to_owned()) {
            return None;
        }
        path.push(at.to_owned());
        let found = graph.get(at).into_iter().flatten().find_map(|next| visit(next, graph, path, done));
        path.pop();
        found
    }
    let mut done = BTreeSet::new();
    graph.keys().find_map(|module| visit(module, graph, &mut Vec::new(), &mut done))
}

#[test]
fn no_two_modules_of_a_crate_need_each_other() {
    let mut drawing = String::from("digraph parade {\n");
    for (name, _) in CRATES {
        let graph = module_graph(name);
        assert!(graph.values().any(|needed| !needed.is_empty()), "{name}: no edge was found, so nothing was checked");
        assert_eq!(cycle(&graph), None, "{name}");
        for (module, needed) in &graph {
            needed
                .iter()
                .for_each(|other| drawing.push_str(&format!("  \"{name}/{module}\" -> \"{name}/{other}\";\n")));
        }
    }
    for (name, below) in CRATES {
        below.iter().for_each(|other| drawing.push_str(&format!("  \"{name}\" -> \"{other}\" [style=bold];\n")));
    }
    fs::write(Path::new(env!("CARGO_TARGET_TMPDIR")).join("../module-graph.dot"), drawing + "}\n").unwrap();
}

#[test]
fn crates_know_only_those_below() {
    for (name, below) in CRATES.iter().filter(|(name, _)| *name != "cli") {
        let manifest = fs::read_to_string(root().join("src").join(name).join("Cargo.toml")).unwrap();
        let known: BTreeSet<&str> = manifest
            .lines()
            .filter_map(|line| line.strip_prefix("parade-"))
            .filter_map(|rest| rest.split([' ', '=']).next())
            .collect();
        assert_eq!(known, below.iter().copied().collect(), "{name}");
        for (library, owners) in KEPT_OUT {
            let uses = manifest.lines().any(|line| line.starts_with(&format!("{library} ")));
            assert!(!uses || owners.contains(name), "{name} must not know {library}");
        }
    }
}

#[test]
fn what_the_invariants_exclude_is_not_there() {
    for (name, module, excluded) in FORBIDDEN {
        let graph = module_graph(name);
        let needed = graph.get(module).unwrap_or_else(|| panic!("{name} has no module {module}"));
        let wrong: Vec<&&str> = excluded.iter().filter(|other| needed.contains(**other)).collect();
        assert!(wrong.is_empty(), "{name}/{module} needs {wrong:?}");
    }
    for (name, _) in CRATES.iter().filter(|(name, _)| ["core", "run", "report"].contains(name)) {
        for (module, text) in sources(name) {
            assert!(!text.contains("parade_java"), "{name}/{module} knows a platform");
        }
    }
    for (name, _) in CRATES {
        for (module, text) in sources(name).iter().filter(|(module, _)| module != "process") {
            assert!(!text.contains("std::process::Command"), "{name}/{module} starts processes by itself");
        }
    }
}
