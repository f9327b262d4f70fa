//! Tests by pytest's node ids and by ours: `tests/test_a.py::TestB::test_c[1]` is `tests.test_a.TestB#test_c`, with the row of a
//! parametrized test as its occurrence.

use std::collections::HashMap;

use crate::engine::Selection;
use crate::suite::TestId;

/// The tests of a suite in the order in which pytest collected them.
#[derive(Debug, Clone, Default)]
pub struct Collected {
    tests: Vec<TestId>,
    nodes: Vec<String>,
    by_test: HashMap<TestId, usize>,
    by_node: HashMap<String, Vec<usize>>,
}

impl Collected {
    pub fn new(nodes: Vec<String>) -> Self {
        let mut collected = Collected { nodes, ..Collected::default() };
        let mut rows: HashMap<(String, String), u32> = HashMap::new();
        for (index, node) in collected.nodes.iter().enumerate() {
            let (class, name) = named(node);
            let row = rows.entry((class.clone(), name.clone())).or_default();
            *row += 1;
            let test = TestId::new("", &class, &name, *row);
            collected.by_test.insert(test.clone(), index);
            collected.by_node.entry(node.clone()).or_default().push(index);
            collected.tests.push(test);
        }
        collected
    }

    pub fn tests(&self) -> &[TestId] {
        &self.tests
    }

    pub fn node(&self, test: &TestId) -> Option<&str> {
        self.by_test.get(test).map(|index| self.nodes[*index].as_str())
    }

    /// The test that ran as a node id for the nth time, from 0 on; one that nobody collected is known by its name.
    pub fn test(&self, node: &str, nth: usize) -> TestId {
        let known = self.by_node.get(node).and_then(|indices| indices.get(nth.min(indices.len() - 1)));
        known.map_or_else(
            || {
                let (class, name) = named(node);
                TestId::new("", &class, &name, 1)
            },
            |index| self.tests[*index].clone(),
        )
    }

    /// The node ids of a selection, in its order; nothing where all tests run as pytest has them.
    pub fn selected(&self, selection: &Selection) -> Option<Vec<&str>> {
        match selection {
            Selection::All => None,
            Selection::Tests(tests) => Some(tests.iter().filter_map(|test| self.node(test)).collect()),
            Selection::Classes(classes) => {
                let of_class = |class| self.tests.iter().filter(move |test| test.class_id() == class);
                let tests = classes.iter().cloned().flat_map(of_class);
                Some(tests.filter_map(|test| self.node(test)).collect())
            }
        }
    }
}

/// What people see of a row: the function with its parameters.
pub fn display(node: &str) -> Option<String> {
    let (base, parameters) = split(node);
    let name = base.rsplit("::").next().unwrap_or(base);
    (!parameters.is_empty()).then(|| format!("{name}{parameters}"))
}

/// Parameters can hold anything, `::` included; they begin with the first bracket behind the file.
fn split(node: &str) -> (&str, &str) {
    let file = node.find("::").unwrap_or(node.len());
    let end = node[file..].find('[').map_or(node.len(), |bracket| file + bracket);
    node.split_at(end)
}

/// Class and name. A file that is a test itself has its own name twice.
fn named(node: &str) -> (String, String) {
    let (base, _) = split(node);
    let mut parts = base.split("::");
    let file = parts.next().unwrap_or_default();
    let module = file.strip_suffix(".py").unwrap_or(file).replace('/', ".");
    let mut rest: Vec<&str> = parts.filter(|part| !part.is_empty()).collect();
    let name = rest.pop().unwrap_or(file);
    let class = std::iter::once(module.as_str()).chain(rest).filter(|part| !part.is_empty()).collect::<Vec<_>>();
    let or_unknown = |text: String| if text.is_empty() { "?".to_owned() } else { text };
    (or_unknown(class.join(".")), or_unknown(name.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::suite::ClassId;

    fn collected() -> Collected {
        let nodes = [
            "tests/test_a.py::test_x",
            "tests/test_a.py::TestB::test_y[1-a::b]",
            "tests/test_a.py::TestB::test_y[2-[c]]",
            "test_top.py::test_z",
            "docs/readme.txt",
        ];
        Collected::new(nodes.map(str::to_owned).to_vec())
    }

    #[test]
    fn rows_are_occurrences_and_the_way_back_is_known() {
        let collected = collected();
        let names: Vec<String> = collected.tests().iter().map(TestId::to_string).collect();
        let expected = [
            "tests.test_a#test_x",
            "tests.test_a.TestB#test_y",
            "tests.test_a.TestB#test_y~2",
            "test_top#test_z",
            "docs.readme.txt#docs/readme.txt",
        ];
        assert_eq!(names, expected);
        for (index, test) in collected.tests().iter().enumerate() {
            let node = collected.node(test).unwrap();
            assert_eq!(node, collected.nodes[index]);
            assert_eq!(collected.test(node, 0), *test);
        }
        assert_eq!(display("a.py::t[2-[c]]").as_deref(), Some("t[2-[c]]"));
        assert_eq!(display("a.py::t"), None);
        assert_eq!(collected.test("new.py::t", 0), TestId::new("", "new", "t", 1));
    }

    #[test]
    fn a_node_id_that_comes_twice_is_two_tests() {
        let collected = Collected::new(vec!["a.py::t".to_owned(), "a.py::t".to_owned()]);
        let seen = [0, 1, 2].map(|nth| collected.test("a.py::t", nth).occurrence);
        assert_eq!(seen, [1, 2, 2]);
    }

    #[test]
    fn a_selection_is_node_ids_in_its_order() {
        let collected = collected();
        assert_eq!(collected.selected(&Selection::All), None);
        let two = vec![TestId::new("", "test_top", "test_z", 1), TestId::new("", "tests.test_a", "test_x", 1)];
        let nodes = collected.selected(&Selection::Tests(two)).unwrap();
        assert_eq!(nodes, ["test_top.py::test_z", "tests/test_a.py::test_x"]);
        let class = ClassId { module: String::new(), class: "tests.test_a.TestB".to_owned() };
        assert_eq!(collected.selected(&Selection::Classes(vec![class])).unwrap().len(), 2);
    }
}
