//! Where the cgroup hierarchies are mounted, and where in each of them this process is.

use std::fs;
use std::path::{Path, PathBuf};

/// This process's own group in each hierarchy.
#[derive(Debug, Default)]
pub struct Hierarchies {
    unified: Option<PathBuf>,
    /// Controllers of version 1, each with its folder.
    controllers: Vec<(String, PathBuf)>,
}

impl Hierarchies {
    pub fn find() -> Self {
        let read = |file| fs::read_to_string(file).unwrap_or_default();
        parse(&read("/proc/self/mountinfo"), &read("/proc/self/cgroup"))
    }

    pub fn v2(&self) -> Option<&Path> {
        self.unified.as_deref()
    }

    pub fn v1(&self, controller: &str) -> Option<&Path> {
        self.controllers.iter().find(|(name, _)| name == controller).map(|(_, group)| group.as_path())
    }

    /// Every folder in which parade may have made a group.
    pub fn parents(&self) -> Vec<&Path> {
        let v1 = ["memory", "cpuacct", "freezer", "pids"].into_iter().filter_map(|controller| self.v1(controller));
        let mut parents: Vec<_> = v1.chain(self.v2()).chain(self.v2().and_then(Path::parent)).collect();
        parents.sort_unstable();
        parents.dedup();
        parents
    }
}

/// `cgroup` has one line per hierarchy, `id:controllers:path`; version 2 is the one without controllers.
fn parse(mountinfo: &str, cgroup: &str) -> Hierarchies {
    let mounts: Vec<Mount> = mountinfo.lines().filter_map(Mount::parse).collect();
    let mut hierarchies = Hierarchies::default();
    for line in cgroup.lines() {
        let mut parts = line.splitn(3, ':');
        let (Some(_), Some(names), Some(path)) = (parts.next(), parts.next(), parts.next()) else { continue };
        if names.is_empty() {
            hierarchies.unified = mounts.iter().filter(|mount| mount.v2).find_map(|mount| mount.folder(path));
            continue;
        }
        for name in names.split(',') {
            let found = mounts.iter().filter(|mount| mount.has(name)).find_map(|mount| mount.folder(path));
            hierarchies.controllers.extend(found.map(|group| (name.to_owned(), group)));
        }
    }
    hierarchies
}

struct Mount<'a> {
    v2: bool,
    /// The part of the hierarchy that is mounted.
    root: &'a str,
    point: &'a str,
    options: &'a str,
}

impl<'a> Mount<'a> {
    fn parse(line: &'a str) -> Option<Self> {
        let (place, system) = line.split_once(" - ")?;
        let mut place = place.split(' ').skip(3);
        let mut system = system.split(' ');
        let kind = system.next()?;
        let options = system.nth(1).unwrap_or_default();
        matches!(kind, "cgroup" | "cgroup2").then_some(Mount {
            v2: kind == "cgroup2",
            root: place.next()?,
            point: place.next()?,
            options,
        })
    }

    fn has(&self, controller: &str) -> bool {
        !self.v2 && self.options.split(',').any(|option| option == controller)
    }

    fn folder(&self, path: &str) -> Option<PathBuf> {
        let below = Path::new(path).strip_prefix(self.root).ok()?;
        // A group outside of this process's cgroup namespace is shown with leading `..`.
        let inside = below.components().all(|part| matches!(part, std::path::Component::Normal(_)));
        inside.then(|| Path::new(self.point).components().chain(below.components()).collect())
    }
}

/// Does the kernel have this controller for the group?
pub fn offers(group: &Path, controller: &str) -> bool {
    lists(&group.join("cgroup.controllers"), controller)
}

/// Will groups below have this controller?
pub fn passes_on(group: &Path, controller: &str) -> bool {
    lists(&group.join("cgroup.subtree_control"), controller)
}

fn lists(file: &Path, controller: &str) -> bool {
    fs::read_to_string(file).unwrap_or_default().split_whitespace().any(|name| name == controller)
}

/// Leaving this group frees a process from no limit on memory or CPU.
pub fn unlimited(group: &Path) -> bool {
    ["memory.max", "memory.high", "cpu.max"]
        .into_iter()
        .filter_map(|name| fs::read_to_string(group.join(name)).ok())
        .all(|limit| limit.starts_with("max"))
}

#[cfg(test)]
mod tests {
    use super::*;

    const MIXED: &str = "\
31 23 0:28 / /sys/fs/cgroup rw,relatime - tmpfs tmpfs rw,mode=755
33 31 0:30 / /sys/fs/cgroup/cpu,cpuacct rw,relatime - cgroup cgroup rw,cpu,cpuacct
35 31 0:32 /box /sys/fs/cgroup/memory rw,relatime shared:7 - cgroup cgroup rw,memory
41 31 0:38 / /sys/fs/cgroup/unified rw,relatime - cgroup2 cgroup2 rw,nsdelegate
";

    #[test]
    fn both_versions_are_found_side_by_side() {
        let found = parse(MIXED, "4:memory:/box/inner\n2:cpu,cpuacct:/\n0::/user\n");
        assert_eq!(found.v2(), Some(Path::new("/sys/fs/cgroup/unified/user")));
        assert_eq!(found.v1("memory"), Some(Path::new("/sys/fs/cgroup/memory/inner")));
        assert_eq!(found.v1("cpuacct"), Some(Path::new("/sys/fs/cgroup/cpu,cpuacct")));
        assert_eq!(found.v1("freezer"), None);
    }

    #[test]
    fn a_group_outside_of_what_is_mounted_is_out_of_reach() {
        let found = parse(MIXED, "4:memory:/other\n0::/../elsewhere\n");
        assert_eq!((found.v2(), found.v1("memory")), (None, None));
    }

    #[test]
    fn nonsense_is_no_hierarchy() {
        let found = parse("a b c\n - \n1 2 3 - cgroup2\n", "\n::\nx\n0::/\n");
        assert!(found.parents().is_empty());
    }
}
