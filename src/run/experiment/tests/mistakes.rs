//! Each class of mistakes, as a person sees it.

use miette::{GraphicalReportHandler, GraphicalTheme, NarratableReportHandler};

use super::*;

fn refused(text: &str) -> Mistakes {
    read(text).expect_err(text)
}

fn rendered(mistakes: &Mistakes) -> String {
    let mut page = String::new();
    let handler = GraphicalReportHandler::new_themed(GraphicalTheme::unicode_nocolor()).with_width(118);
    handler.render_report(&mut page, mistakes).expect("a page");
    page
}

/// All files, each with everything that is wrong with it.
fn pages(files: &[String]) -> String {
    files.iter().map(|file| rendered(&refused(file))).collect::<Vec<_>>().join("\n")
}

#[test]
fn keys_and_types() {
    insta::assert_snapshot!(pages(&[
        with_header("repetitons = 5"),
        with_header("threads = 5"),
        with_table("[machnie]\ncores = 1"),
        with_header("repetitions = \"five\""),
        with_header("repetitions = 2.5"),
        with_header("repetitions = -1"),
        with_subject("commit = 1234567"),
        with_subject("timeout = 90"),
        with_subject("modules = \"core\""),
        with_subject("modules = [\"core\", 3]"),
        with_subject("setup = [\"make all\"]"),
        with_subject("setup = \"make\""),
        with_subject("environment = [\"A=1\"]"),
        with_subject("environment = { JOBS = 3 }"),
        with_subject("override = { sequential = 3 }"),
        with_configuration("parallel = \"project\"\nreuse_forks = \"yes\""),
        with_configuration("parallel = \"classes\"\nthreads = 2\nforks = 1.5"),
        with_table("[[analysis]]\nbaseline = \"sequential\""),
        format!("{HEADER}[subject]\nname = \"x\"\n{SEQUENTIAL}"),
        "experiment = 3\n".to_owned(),
    ]));
}

#[test]
fn projects_of_this_machine_are_looked_into() {
    let folder = tempfile::tempdir().unwrap();
    let clone = folder.path().join("clone");
    let repository = git2::Repository::init(&clone).unwrap();
    let tree = repository.find_tree(repository.treebuilder(None).unwrap().write().unwrap()).unwrap();
    let author = git2::Signature::now("a", "a@example.org").unwrap();
    let commit = repository.commit(Some("HEAD"), &author, &author, "empty", &tree, &[]).unwrap();
    let object = repository.find_object(commit, None).unwrap();
    repository.tag_lightweight("v1.2.0", &object, false).unwrap();
    std::fs::create_dir_all(folder.path().join("plain/core")).unwrap();
    std::fs::write(folder.path().join("plain/core/pom.xml"), "<project/>").unwrap();
    let subject = |lines: &str| format!("{HEADER}{SEQUENTIAL}[[subject]]\nname = \"x\"\n{lines}\n");
    let told = |lines: &str| {
        let mistakes = read_in(folder.path(), &subject(lines)).expect_err(lines);
        rendered(&mistakes).split_whitespace().collect::<Vec<_>>().join(" ").replace("│ ", "")
    };
    assert!(read_in(folder.path(), &subject("git = \"clone\"\ncommit = \"v1.2.0\"")).is_ok());
    let tag = told("git = \"clone\"\ncommit = \"v1.2.1\"");
    assert!(tag.contains("has no commit, tag or branch `v1.2.1`") && tag.contains("`v1.2.0`"), "{tag}");
    assert!(tag.contains("experiment.toml:8:10"), "line and column: {tag}");
    let pom = told("path = \"plain\"");
    assert!(pom.contains("there is no pom.xml in `plain`") && pom.contains("directory = \"core\""), "{pom}");
    let url = told("git = \"github.com/shop/till\"\ncommit = \"v1\"");
    assert!(url.contains("git = \"https://github.com/shop/till\""), "{url}");
    let home = told("path = \"~/shop\"");
    assert!(home.contains("`~` works only in a shell"), "{home}");
    let none = told("git = \"plain\"\ncommit = \"v1\"");
    assert!(none.contains("`plain` is not a git repository"), "{none}");
}

#[test]
fn names() {
    insta::assert_snapshot!(pages(&[
        format!("[experiment]\nname = \"../../etc\"\n{SUBJECT}{SEQUENTIAL}"),
        with_header("study = \"a study\""),
        format!("{HEADER}{SEQUENTIAL}[[subject]]\nname = \"..\"\npath = \".\"\n"),
        format!("{HEADER}{SUBJECT}{SUBJECT}{SEQUENTIAL}"),
        with_table(SEQUENTIAL),
        format!("{HEADER}{SEQUENTIAL}[[subject]]\npath = \".\"\n"),
        format!("[experiment]\n{SUBJECT}{SEQUENTIAL}"),
    ]));
}

#[test]
fn the_machine() {
    insta::assert_snapshot!(pages(&[
        with_table("[machine]\ncores = [1, 64]"),
        with_table("[machine]\ncores = 0"),
        with_table("[machine]\ncores = -1"),
        with_table("[machine]\ncores = \"every\""),
        with_table("[machine]\ncores = []"),
        with_table("[machine]\nmemory = \"64GiB\""),
        with_table("[machine]\nmemory = \"8G\""),
        with_table("[machine]\nmemory = \"0B\""),
        with_table("[machine]\ntimeout = \"0s\""),
        with_table("[machine]\ntimeout = \"3 hours\""),
        with_table("[machine]\nbuild_timeout = \"31d\""),
        with_table("[machine]\njdk = \"21\"\nuser = \"nowhere-man\""),
    ]));
}

#[test]
fn the_matrix() {
    insta::assert_snapshot!(pages(&[
        String::new(),
        format!("{HEADER}{SEQUENTIAL}"),
        format!("{HEADER}{SUBJECT}"),
        with_header("repetitions = 0"),
        with_header("screening = 1001"),
        with_subject("repetitions = 0"),
        with_subject("configurations = []"),
        with_subject("configurations = [\"sequentail\"]"),
        with_table("[analysis]\nbaseline = \"sequentialy\""),
        format!("{HEADER}{SUBJECT}[[configuration]]\nname = \"a\"\nparallel = \"classes\"\nthreads = 2\n"),
        with_table("[[configuration]]\nname = \"second\"\n[analysis]"),
    ]));
}

#[test]
fn where_subjects_come_from() {
    let subject = |lines: &str| format!("{HEADER}{SEQUENTIAL}[[subject]]\nname = \"it\"\n{lines}\n");
    insta::assert_snapshot!(pages(&[
        subject(""),
        subject("git = \"https://github.com/apache/mina\"\npath = \".\"\ncommit = \"daf2a33\""),
        subject("git = \"https://github.com/apache/mina\""),
        subject("git = \"htps://github.com/apache/mina\"\ncommit = \"daf2a33\""),
        subject("git = \"https://github.com/apache/mi na\"\ncommit = \"daf2a33\""),
        subject("git = \"-x:y\"\ncommit = \"daf2a33\""),
        subject("git = \"no/such/repository\"\ncommit = \"daf2a33\""),
        subject("git = \"https://github.com/apache/mina\"\ncommit = \"main branch\""),
        subject("path = \"no/such/folder\""),
        subject("path = \"mod.rs\""),
        subject("model = \"no-such.toml\""),
        subject("model = \"mod.rs\"\nphase = \"test\""),
        subject("path = \".\"\ndirectory = \"../elsewhere\""),
        subject("path = \".\"\nmodules = [\"/etc\", \"a/../../b\", \"a,b\", \"\"]"),
        subject("path = \".\"\ndependencies = \"no-such.toml\""),
        subject("path = \".\"\ndirectory = \"no/such/folder\""),
        subject("path = \"../../..\""),
        subject("path = \".\"\njdk = 21"),
        subject("path = \".\"\njdk = \"newest\""),
        subject("path = \".\"\njdk = \"tests/mod.rs\""),
        subject("path = \".\"\nuser = \"nowhere-man\""),
        subject("model = \"mod.rs\"\njdk = \"8\"\nuser = \"nobody\""),
    ]));
}

#[test]
fn settings() {
    insta::assert_snapshot!(pages(&[
        with_subject("phase = \"clean test\""),
        with_subject("phase = \"compile\""),
        with_subject("phase = \"tests\""),
        with_subject("phase = \"deploy\""),
        with_subject("surefire = \"newest\""),
        with_subject("disable_plugins = [\"rat\"]"),
        with_subject("environment = { \"2FAST\" = \"x\", \"A-B\" = \"y\" }"),
        with_subject("maven_args = [\"-DforkCount=2\", \"\"]"),
        with_subject("maven_args = [\"-T\", \"2\", \"-T1C\", \"--threads=2\"]"),
        with_subject("maven_args = [\"-f\", \"other.xml\", \"-o\", \"--offline\", \"-Dmaven.repo.local=x\"]"),
        with_subject("setup = [[]]"),
        with_subject("timeout = \"0m\""),
        // Said once, not once for every subject.
        with_table("[defaults]\nphase = \"Test!\"\ntimeout = \"soon\""),
    ]));
}

#[test]
fn configurations() {
    insta::assert_snapshot!(pages(&[
        with_configuration("technique = \"pasta\"\nparallel = \"classes\"\nthreads = 2"),
        with_configuration("parallel = \"class\"\nthreads = 2"),
        with_configuration("parallel = \"classesMethods\"\nthreads = 2"),
        with_configuration("parallel = \"classes\""),
        with_configuration("parallel = \"classes\"\nthreads = 0"),
        with_configuration("parallel = \"classes\"\nthreads = 2\nforks = \"C1\""),
        with_configuration("parallel = \"classes\"\nthreads = 2\nforks = 0"),
        with_configuration("parallel = \"classes\"\nthreads = 2\nforks = \"1000C\""),
        with_configuration(
            "technique = \"sequential\"\nparallel = \"classes\"\nthreads = 2\n[analysis]\nbaseline = \"second\""
        ),
        with_configuration("technique = \"paste\""),
        with_configuration("technique = \"paste\"\nparallel = \"sequential\""),
        with_configuration("threads = 4\n[analysis]\nbaseline = \"second\""),
        with_configuration("parallel = \"project\"\nforks = 2"),
        with_configuration("technique = \"sound-rerun\"\nparallel = \"classes\"\nthreads = 2"),
    ]));
}

#[test]
fn engines() {
    let paste = |lines: &str| {
        with_configuration(&format!("technique = \"paste\"\nparallel = \"classes\"\nthreads = 2\n{lines}"))
    };
    insta::assert_snapshot!(pages(&[
        paste("engine = \"direkt\""),
        paste("rerun_engine = \"model\""),
        paste("rerun-engine = \"direct\""),
        paste("isolation = \"warm\""),
        paste("engine = \"direct\"\nisolation = \"hot\""),
        paste("rerun_engine = \"direct\"\ntest_timeout = \"0s\""),
        paste("engine = \"direct\"\nmodules = 2"),
        paste("modules = 0"),
        paste("modules = \"1M\""),
        with_configuration("parallel = \"classes\"\nthreads = 2\nrerun_engine = \"direct\""),
        with_configuration("parallel = \"classes\"\nthreads = 2\ntest_timeout = \"30s\""),
        with_configuration("parallel = \"project\"\nmodules = 2"),
        with_configuration("technique = \"sequential\"\nmodules = 2\n[analysis]\nbaseline = \"second\""),
        with_subject("[subject.override.sequential]\nmodules = 2\ntest_timeout = \"1m\""),
    ]));
}

#[test]
fn overrides() {
    insta::assert_snapshot!(pages(&[
        with_subject("[subject.override.sequentail]\ntimeout = \"1h\""),
        with_subject("[subject.override.sequential]\nthreads = 3"),
        with_subject("[subject.override.sequential]\ntimeout = \"never\"\nparallel = \"classes\""),
        with_subject(
            "configurations = [\"other\"]\n[subject.override.sequential]\ntimeout = \"1h\"\n[[configuration]]\nname = \"other\"\nparallel = \"project\""
        ),
    ]));
}

#[test]
fn syntax() {
    insta::assert_snapshot!(pages(&[
        "[experiment]\nname = paste\n".to_owned(),
        "[experiment\nname = \"paste\"\n".to_owned(),
        "[experiment]\nname = \"paste\n".to_owned(),
        "[experiment]\nname = \"a\"\n\nseed = 1 2\nstudy = 'x\n".to_owned(),
        "[experiment]\nname = \"a\u{1b}[31m\"\n".to_owned(),
        "\0\0\0".to_owned(),
        // The rest is checked all the same.
        with_header("seed = 1\nseed = 2\nrepetitions = 0"),
        with_table("[experiment]\nname = \"again\""),
    ]));
}

const MANY: &str = r#"# Everything at once.
[experiment]
name = "a/b"
repetitions = 0
sed = 5

[machine]
cores = [1, 99]
timeout = 3

[[subject]]
name = "one"
git = "https://github.com/apache/mina"

[[subject]]
name = "one"
path = "nowhere"
phase = "test -o"

[[configuration]]
name = "fast"
technique = "past"
parallel = "classesMethods"

[analysis]
baseline = "sequential"
"#;

#[test]
fn all_mistakes_of_a_file_come_at_once() {
    insta::assert_snapshot!(rendered(&refused(MANY)));
}

#[test]
fn without_graphics_the_same_is_told() {
    let mut page = String::new();
    NarratableReportHandler::new().render_report(&mut page, &refused(&with_header("repetitons = 5"))).expect("a page");
    insta::assert_snapshot!(page);
}

#[test]
fn mistakes_are_data_too() {
    let mistakes = refused(MANY);
    let places: Vec<_> = mistakes.entries().iter().map(|mistake| (mistake.line, mistake.column)).collect();
    assert!(places.is_sorted(), "{places:?}");
    assert_eq!(mistakes.count(), 12);
    insta::assert_snapshot!(serde_json::to_string_pretty(&mistakes.entries()[..2]).expect("JSON"));
}

#[test]
fn a_password_is_not_shown_with_a_mistake() {
    let secret = "https://me:hunter2@example.org/x.git?token=hunter2";
    let files = [
        format!("{HEADER}[[subject]]\nname = \"x\"\nurl = \"{secret}\"\ncommit = 3\n{SEQUENTIAL}"),
        format!("{HEADER}[[subject]]\nname = \"x\"\nulr = \"{secret}\"\n{SEQUENTIAL}"),
        format!("{HEADER}[[subject]]\nname = \"{secret}\"\nurl = \"{secret}\n{SEQUENTIAL}"),
    ];
    for file in files {
        let mistakes = refused(&file);
        let json = serde_json::to_string(mistakes.entries()).unwrap();
        let page = rendered(&mistakes);
        assert!(!page.contains("hunter2") && !json.contains("hunter2"), "{page}\n{json}");
    }
}
