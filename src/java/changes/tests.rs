use super::*;
use crate::subject::test_repository::TestRepository;
use crate::suite::{MethodLines, Program, Unit};

const OLD: &str = "\
package a;

class B {
    int f = 1;

    int m(int x) {
        int y = x;
        y++;
        return y;
    }

    void n() {
        call(f,
             2);
        new Runnable() {
            public void run() {
                other();
            }
        }.run();
    }

    abstract void none();
}
";
/// As a compiler sees them: the end of a method without a value is a return.
const EXECUTABLE: [u32; 10] = [3, 4, 7, 8, 9, 13, 15, 17, 18, 20];

/// Lines by themselves, `-` before those that were deleted.
fn touched(old: &str, new: &str) -> Vec<String> {
    let touched = compare(old.as_bytes(), new.as_bytes(), &EXECUTABLE).unwrap();
    let deleted = touched.deleted.iter().map(|line| format!("-{line}"));
    deleted.chain(touched.modified.iter().map(u32::to_string)).collect()
}

/// With one piece of the old text replaced.
fn replaced(from: &str, to: &str) -> Vec<String> {
    assert_eq!(OLD.matches(from).count(), 1, "{from:?}");
    touched(OLD, &OLD.replace(from, to))
}

#[test]
fn a_modified_line_has_changed() {
    assert_eq!(replaced("y++;", "y += 2;"), ["8"]);
    assert_eq!(replaced("int y = x;\n        y++;", "int y = 2 * x;\n        y--;"), ["7", "8"]);
    assert_eq!(replaced("int f = 1;", "int f = 2;"), ["4"]);
    assert_eq!(replaced("other();", "another();"), ["17"]);
}

#[test]
fn a_deleted_line_has_changed() {
    assert_eq!(replaced("        y++;\n", ""), ["-8"]);
    assert_eq!(replaced("    int f = 1;\n", ""), ["-4"]);
}

#[test]
fn an_insertion_changes_its_neighbours_in_the_method() {
    assert_eq!(replaced("        y++;\n", "        y++;\n        log(y);\n"), ["8", "9"]);
}

#[test]
fn an_insertion_at_the_beginning_of_a_method_changes_its_first_line() {
    assert_eq!(replaced("        int y = x;\n", "        check(x);\n        int y = x;\n"), ["7"]);
}

#[test]
fn an_insertion_at_the_end_of_a_method_changes_its_last_lines() {
    assert_eq!(replaced("        }.run();\n", "        }.run();\n        log();\n"), ["15", "20"]);
}

#[test]
fn an_insertion_into_an_inner_method_is_no_matter_of_the_outer_one() {
    let inserted = "                other();\n                log();\n";
    assert_eq!(replaced("                other();\n", inserted), ["17", "18"]);
}

#[test]
fn a_new_method_changes_no_old_one() {
    assert!(replaced("    void n() {", "    void k() {\n        k();\n    }\n\n    void n() {").is_empty());
    assert!(replaced("    abstract void none();\n", "    abstract void none();\n\n    int k = 3;\n").is_empty());
}

#[test]
fn a_change_within_a_statement_of_several_lines_changes_the_statement() {
    assert_eq!(replaced("             2);", "             3);"), ["13", "15"]);
}

#[test]
fn the_head_of_a_method_belongs_to_it() {
    assert_eq!(replaced("int m(int x) {", "long m(int x) {"), ["7"]);
}

#[test]
fn what_lies_outside_of_methods_is_nobodys() {
    assert!(replaced("package a;\n", "package a;\n\nimport java.util.List;\n").is_empty());
    assert!(replaced("abstract void none();", "abstract void nothing();").is_empty());
    // The head of a class is a line of its constructor, where it has no other.
    assert_eq!(replaced("class B {", "class B extends C {"), ["3"]);
}

#[test]
fn comments_blank_lines_and_indentation_are_no_change() {
    assert!(replaced("y++;", "y++; // one more").is_empty());
    assert!(replaced("        y++;\n", "        /* one\n           more */\n\n        y++;\n").is_empty());
    assert!(replaced("        y++;\n", "            y++;\n").is_empty());
    assert!(touched(OLD, &OLD.replace('\n', "\r\n")).is_empty());
}

#[test]
fn white_space_in_a_string_is_a_change() {
    let (old, new) = (OLD.replace("y++;", "p(\"a b\");"), OLD.replace("y++;", "p(\"a  b\");"));
    assert_eq!(touched(&old, &new), ["8"]);
}

fn coverage() -> Coverage {
    let lines = |first, last| Element::Lines { file: "a/B.java".into(), first, last };
    let method = |name: &str, first, last| MethodLines { name: name.into(), file: "a/B.java".into(), first, last };
    let program = Program {
        methods: vec![method("a.B#m(int)", 7, 9), method("a.B#n()", 13, 20), method("a.B$1#run()", 17, 18)],
        executable: EXECUTABLE.iter().map(|line| lines(*line, *line)).collect(),
    };
    let test = ("T#m".parse().unwrap(), vec![lines(7, 9), Element::Method("a.B#m(int)".into())]);
    Coverage::measured(&program, [test]).unwrap()
}

const PATH: &str = "lib/src/main/java/a/B.java";

fn shown(change: &Change) -> (Vec<String>, Vec<String>) {
    let shown = |elements: &[Element]| elements.iter().map(Element::to_string).collect();
    (shown(&change.deleted), shown(&change.modified))
}

#[test]
fn two_commits_are_compared_by_the_names_of_the_coverage() {
    let repository = TestRepository::create();
    let old = repository.commit(&[(PATH, OLD), ("src/test/java/a/B.java", OLD), ("readme.txt", "x")]);
    let changed = OLD.replace("y++;", "y--;");
    let new = repository.commit(&[
        (PATH, &changed),
        ("src/test/java/a/B.java", &OLD.replace("call", "cull")),
        ("lib/src/main/java/a/New.java", "class New {}"),
    ]);
    let of = |scope: &[&str]| {
        let scope = Scope { folders: scope.iter().map(PathBuf::from).collect() };
        between(repository.path(), &old.to_string(), &new.to_string(), &coverage(), &scope).unwrap()
    };
    assert_eq!(shown(&of(&[])), (vec![], vec!["a/B.java:8".to_owned()]));
    assert_eq!((of(&["lib"]), of(&["other"])), (of(&[]), Change::default()));
    let (coverage, m) = (coverage(), "T#m".parse().unwrap());
    for unit in [Unit::Statement, Unit::Method] {
        assert!(coverage.of(&m, unit).meets(&coverage.touched_by(&of(&[]), unit)));
    }
}

#[test]
fn a_renamed_file_is_followed_and_a_deleted_one_is_gone() {
    let repository = TestRepository::create();
    let first = repository.commit(&[(PATH, OLD)]).to_string();
    let remove = |path: &str| {
        let mut index = repository.git.index().unwrap();
        index.remove(Path::new(path), 0).unwrap();
        index.write().unwrap();
    };
    remove(PATH);
    let moved = OLD.replace("y++;", "y--;").replace("class B", "class C");
    let renamed = repository.commit(&[("lib/src/main/java/a/C.java", &moved)]).to_string();
    remove("lib/src/main/java/a/C.java");
    let gone = repository.commit(&[("readme.txt", "x")]).to_string();
    let change = |new: &str| between(repository.path(), &first, new, &coverage(), &Scope::default()).unwrap();
    let modified = vec!["a/B.java:3".to_owned(), "a/B.java:8".to_owned()];
    assert_eq!(shown(&change(&renamed)), (vec![], modified));
    let (deleted, modified) = shown(&change(&gone));
    let all = ["3-4", "7-9", "13", "15", "17-18", "20"].map(|lines| format!("a/B.java:{lines}"));
    assert_eq!((deleted, modified), (all.to_vec(), vec![]));
}

#[test]
fn what_is_not_committed_counts_in_the_folder_as_it_stands() {
    let repository = TestRepository::create();
    let old = repository.commit(&[(PATH, OLD)]).to_string();
    let path = repository.path().join(PATH);
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    let change = |text: &str| {
        std::fs::write(&path, text).unwrap();
        until_now(repository.path(), &old, &coverage(), &Scope::default()).unwrap()
    };
    assert_eq!(change(OLD), Change::default());
    assert_eq!(shown(&change(&OLD.replace("y++;", "y--;"))).1, ["a/B.java:8"]);
    std::fs::remove_file(&path).unwrap();
    let gone = until_now(repository.path(), &old, &coverage(), &Scope::default()).unwrap();
    assert_eq!(shown(&gone).0.len(), 6);
}

#[test]
fn what_names_no_revision_is_an_error_that_says_so() {
    let repository = TestRepository::create();
    let commit = repository.commit(&[(PATH, OLD)]).to_string();
    let error = between(repository.path(), "nowhere", &commit, &coverage(), &Scope::default()).unwrap_err();
    assert!(error.to_string().contains("`nowhere`") && error.help().is_some(), "{error}");
    let error = between(Path::new("/proc"), "x", "y", &coverage(), &Scope::default()).unwrap_err();
    assert!(error.to_string().contains("/proc"), "{error}");
}
