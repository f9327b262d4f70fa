use super::*;

fn id(name: &str) -> TestId {
    TestId::new("", "C", name, 1)
}

fn suite(names: &str) -> Vec<TestId> {
    names.split_whitespace().map(id).collect()
}

fn depends(test: &str, after: &[&str], not_after: &[&str]) -> Dependency {
    let groups = |groups: &[&str]| groups.iter().map(|group| suite(group)).collect();
    Dependency { test: id(test), after: groups(after), not_after: groups(not_after), cleaners: vec![] }
}

fn sorted(graph: &DependencyGraph, tests: &str) -> Vec<String> {
    let closure = graph.closure(&suite(tests));
    graph.sort(&closure).into_iter().map(|test| test.name).collect()
}

#[test]
fn the_closure_is_transitive_and_sorted_after_its_needs() {
    let dependencies = vec![depends("d", &["c"], &[]), depends("c", &["e a"], &[])];
    let graph = DependencyGraph::new(dependencies, &suite("a b c d e")).unwrap();
    assert_eq!(sorted(&graph, "d"), ["a", "e", "c", "d"]);
}

#[test]
fn free_tests_keep_the_original_order() {
    let graph = DependencyGraph::new(vec![], &suite("z y x")).unwrap();
    assert_eq!(sorted(&graph, "x y z"), ["z", "y", "x"]);
}

#[test]
fn the_group_complete_first_is_taken() {
    let graph = DependencyGraph::new(vec![depends("d", &["c", "a b"], &[])], &suite("a b c d")).unwrap();
    assert_eq!(sorted(&graph, "d"), ["a", "b", "d"]);
}

#[test]
fn a_polluter_in_the_closure_runs_after_its_victim() {
    let graph = DependencyGraph::new(vec![depends("v", &[], &["p"])], &suite("p v")).unwrap();
    assert_eq!(sorted(&graph, "p v"), ["v", "p"]);
}

#[test]
fn a_group_of_polluters_is_harmless_while_its_last_one_is_to_come() {
    let dependencies = vec![depends("v", &["p"], &["p q", "r"])];
    let graph = DependencyGraph::new(dependencies, &suite("p v q r")).unwrap();
    assert_eq!(graph.polluters(&id("v")).cloned().collect::<Vec<_>>(), suite("q r"));
    let precedence = graph.precedence();
    assert_eq!((precedence.needs(1), precedence.breaks(2), precedence.breaks(3)), (&[0][..], &[1][..], &[1][..]));
    assert_eq!((precedence.tests(), precedence.breaks(0)), (4, &[][..]));
}

#[test]
fn a_circle_is_an_error_that_names_it() {
    let dependencies = vec![depends("a", &["b"], &[]), depends("b", &["a"], &[])];
    let error = DependencyGraph::new(dependencies, &suite("a b")).unwrap_err().to_string();
    assert!(error.contains("`C#a` → `C#b` → `C#a`") || error.contains("`C#b` → `C#a` → `C#b`"), "{error}");
    assert!(error.contains("must run before"), "{error}");
}

#[test]
fn only_circles_of_polluters_could_be_conflicts() {
    let help = |dependencies: Vec<Dependency>| {
        let error = DependencyGraph::new(dependencies, &suite("a b c")).unwrap_err();
        error.help().map(|help| help.to_string()).unwrap_or_default()
    };
    assert!(help(vec![depends("a", &[], &["b"]), depends("b", &[], &["a"])]).contains("[[conflict]]"));
    assert!(!help(vec![depends("a", &["b"], &[]), depends("b", &["a"], &[])]).contains("[[conflict]]"));
    assert!(!help(vec![depends("a", &["b"], &["b"])]).contains("[[conflict]]"));
}

#[test]
fn a_file_alone_shows_some_mistakes() {
    let circle = "version = 1\n[[dependency]]\ntest = 'C#a'\nafter = [['C#b']]\n[[dependency]]\ntest = 'C#b'\nafter = [['C#a']]\n";
    for (text, named) in [
        (circle, "cycle"),
        ("version = 1\n[[dependency]]\ntest = 'C#a'\nafter = [[]]\n", "`C#a` have a group without tests"),
        ("version = 1\n[[dependency]]\ntest = 'C#a'\nnot_after = [['C#b'], []]\n", "a group without tests"),
        ("version = 1\n[[conflict]]\ntests = ['C#a', 'C#a']\n", "fewer than two"),
        ("version = 1\n[[conflict]]\ntests = ['C#a', 'C#b']\nvictims = ['C#c']\n", "`C#c`"),
        ("version = 1\n[[dependencies]]\n", "not a dependency file"),
    ] {
        let error = DependencyGraph::check_text(text).unwrap_err().to_string();
        assert!(error.contains(named), "{error}");
    }
    // Another group may be the one that counts.
    let open = circle.replacen("[['C#b']]", "[['C#b'], ['C#c']]", 1);
    assert!(DependencyGraph::check_text(&open).is_ok());
}

#[test]
fn sequences_sort_what_a_rerun_needs() {
    let text =
        "version = 1\nordered = true\nincomplete = ['C#a']\n[[dependency]]\ntest = 'C#c'\nafter = [['C#b', 'C#a']]\n";
    let graph = DependencyGraph::parse(text, |_| suite("a b c")).unwrap();
    assert_eq!(sorted(&graph, "c"), ["b", "a", "c"]);
    assert_eq!(graph.incomplete().iter().cloned().collect::<Vec<_>>(), suite("a"));
    let a_set = DependencyGraph::parse(&text.replace("ordered = true", ""), |_| suite("a b c")).unwrap();
    assert_eq!(sorted(&a_set, "c"), ["a", "b", "c"]);
}

#[test]
fn neither_a_long_chain_nor_a_busy_test_is_too_much() {
    let names: Vec<String> = (0..50_000).map(|n| format!("t{n}")).collect();
    let suite: Vec<TestId> = names.iter().map(|name| id(name)).collect();
    let mut dependencies: Vec<Dependency> = names.windows(2).map(|pair| depends(&pair[1], &[&pair[0]], &[])).collect();
    let all: Vec<&str> = names[1..].iter().map(String::as_str).collect();
    dependencies.push(depends("t0", &[], &all));
    let graph = DependencyGraph::new(dependencies, &suite).unwrap();
    assert_eq!(graph.sort(&graph.closure(&[id("t49999")])), suite);
}

#[test]
fn a_second_table_for_one_test_is_refused_by_name() {
    let twice = vec![depends("b", &["a"], &[]), depends("b", &["c"], &[])];
    let error = DependencyGraph::new(twice, &suite("a b c")).unwrap_err().to_string();
    assert!(error.contains("`C#b` has two"), "{error}");
}

#[test]
fn an_unknown_test_is_an_error_that_names_it() {
    let error = DependencyGraph::new(vec![depends("a", &["gone"], &[])], &suite("a")).unwrap_err().to_string();
    assert!(error.contains("C#gone"), "{error}");
    let many: String = (10..25).map(|number| format!("gone{number} ")).collect();
    let error = DependencyGraph::new(vec![depends("a", &[many.trim()], &[])], &suite("a")).unwrap_err().to_string();
    assert!(error.contains("15 tests") && error.contains("C#gone19") && error.ends_with("and 5 more"), "{error}");
}

#[test]
fn in_a_suite_without_some_tests_the_rest_is_kept() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("dependencies.toml");
    let text = "version = 1\n[[dependency]]\ntest = 'C#b'\nafter = [['C#a', 'C#gone']]\n\
                not_after = [['C#lost', 'C#p'], ['C#p']]\n[[dependency]]\ntest = 'C#gone'\nafter = [['C#a']]\n";
    std::fs::write(&path, text).unwrap();
    let graph = DependencyGraph::load_present(&path, &suite("a b p")).unwrap();
    assert_eq!(graph.dependencies().cloned().collect::<Vec<_>>(), [depends("b", &["a"], &["p"])]);
    assert!(DependencyGraph::load(&path, &suite("a b p")).is_err());
}

#[test]
fn a_file_is_read_and_its_conflicts_are_checked() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("dependencies.toml");
    let text = "version = 1\n[[dependency]]\ntest = 'C#b'\nafter = [['C#a']]\n[[conflict]]\ntests = ['C#a', 'C#b']\n";
    std::fs::write(&path, text).unwrap();
    let graph = DependencyGraph::load(&path, &suite("a b")).unwrap();
    assert_eq!(graph.prerequisites(&id("b")), [id("a")]);
    let precedence = DependencyGraph::load_precedence(&path, &suite("z b y a")).unwrap();
    assert_eq!((precedence.tests(), precedence.needs(1)), (4, &[3][..]));
    assert!(DependencyGraph::load_precedence(&path, &suite("a")).is_err());
    for (wrong, named) in [("tests = ['C#a', 'C#gone']", "C#gone"), ("tests = ['C#a']", "fewer than two")] {
        std::fs::write(&path, text.replace("tests = ['C#a', 'C#b']", wrong)).unwrap();
        let error = DependencyGraph::load(&path, &suite("a b")).unwrap_err();
        assert!(error.to_string().contains(named), "{error}");
        assert!(error.help().is_some_and(|help| !help.to_string().is_empty()));
    }
    std::fs::write(&path, text.replace("version = 1", "version = 2")).unwrap();
    assert!(DependencyGraph::load(&path, &suite("a b")).is_err());
}
