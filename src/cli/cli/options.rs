//! From the words of the command line to what the commands take, which know nothing of clap.

use super::arguments::{
    ArtifactArgs, AssessArgs, AuditArgs, CheckArgs, CleanArgs, CompareArgs, DetectArgs, DoctorArgs, InitArgs,
    MavenArgs, MergeArgs, OrderArgs, ReportArgs, RunArgs, SimulateArgs, StatsArgs, TestArgs,
};
use crate::commands::artifact::ArtifactOptions;
use crate::commands::assess::AssessOptions;
use crate::commands::audit::AuditOptions;
use crate::commands::check::CheckOptions;
use crate::commands::clean::CleanOptions;
use crate::commands::compare::CompareOptions;
use crate::commands::detect::DetectOptions;
use crate::commands::doctor::DoctorOptions;
use crate::commands::init::InitOptions;
use crate::commands::maven_options::MavenOptions;
use crate::commands::merge::MergeOptions;
use crate::commands::order::OrderOptions;
use crate::commands::report::ReportOptions;
use crate::commands::run::RunOptions;
use crate::commands::simulate::SimulateOptions;
use crate::commands::stats::StatsOptions;
use crate::commands::test::TestOptions;

impl From<CheckArgs> for CheckOptions {
    fn from(args: CheckArgs) -> Self {
        Self { file: args.file, quick: args.quick, only: args.only, json: args.json }
    }
}

impl From<RunArgs> for RunOptions {
    fn from(args: RunArgs) -> Self {
        Self {
            file: args.file,
            out: args.out,
            fresh: args.fresh,
            quick: args.quick,
            dry_run: args.dry_run,
            accept_changes: args.accept_changes,
            retry: args.retry,
            only: args.only,
            jdk: args.jdk,
            json: args.json,
        }
    }
}

impl From<ReportArgs> for ReportOptions {
    fn from(args: ReportArgs) -> Self {
        Self { run_dir: args.run_dir, format: args.format, table: args.table, timeline: args.timeline, json: args.json }
    }
}

impl From<StatsArgs> for StatsOptions {
    fn from(args: StatsArgs) -> Self {
        Self {
            file: args.file,
            baseline: args.baseline,
            candidate: args.candidate,
            alternative: args.alternative,
            zeros: args.zero,
            method: args.method,
            level: args.level,
            seed: args.seed,
            json: args.json,
        }
    }
}

impl From<AuditArgs> for AuditOptions {
    fn from(args: AuditArgs) -> Self {
        Self {
            studies: args.studies,
            folder: args.folder,
            run: args.run,
            only: args.only,
            claim: args.claim,
            strict: args.strict,
            json: args.json,
        }
    }
}

impl From<CompareArgs> for CompareOptions {
    fn from(args: CompareArgs) -> Self {
        Self { first: args.first, second: args.second, format: args.format, json: args.json }
    }
}

impl From<MergeArgs> for MergeOptions {
    fn from(args: MergeArgs) -> Self {
        Self { runs: args.runs, out: args.out, repetitions: args.repetitions, json: args.json }
    }
}

impl From<ArtifactArgs> for ArtifactOptions {
    fn from(args: ArtifactArgs) -> Self {
        Self {
            run_dir: args.run_dir,
            out: args.out,
            experiment: args.experiment,
            anonymous: args.anonymous,
            json: args.json,
        }
    }
}

impl From<MavenArgs> for MavenOptions {
    fn from(args: MavenArgs) -> Self {
        Self {
            maven: args.maven,
            settings: args.settings,
            tools: args.python.into_iter().map(|path| ("python", path)).collect(),
            environment: args.environment,
            memory_bytes: args.memory,
            args: args.maven_args,
        }
    }
}

impl From<TestArgs> for TestOptions {
    fn from(args: TestArgs) -> Self {
        Self {
            project: args.suite.project,
            technique: args.technique,
            parallel: args.parallel,
            threads: args.threads,
            forks: args.forks,
            modules: args.modules,
            rerun_engine: args.rerun_engine,
            module: args.suite.module,
            revision: args.suite.revision,
            maven: args.maven.into(),
            cores: args.cores,
            timeout: args.timeout,
            test_timeout: args.test_timeout,
            reports: args.reports,
            allow_no_tests: args.allow_no_tests,
            jdk: args.jdk.jdk,
            json: args.json,
        }
    }
}

impl From<OrderArgs> for OrderOptions {
    fn from(args: OrderArgs) -> Self {
        Self {
            project: args.suite.project,
            algorithm: args.algorithm,
            dependencies: args.dependencies,
            machines: args.machines,
            durations: args.durations,
            coverage: args.coverage,
            changes: args.changes,
            since: args.since,
            save_coverage: args.save_coverage,
            save_changes: args.save_changes,
            run: args.run,
            module: args.suite.module,
            revision: args.suite.revision,
            maven: args.maven.into(),
            timeout: args.timeout,
            jdk: args.jdk.jdk,
            json: args.json,
        }
    }
}

impl From<DetectArgs> for DetectOptions {
    fn from(args: DetectArgs) -> Self {
        Self {
            project: args.suite.project,
            strategies: args.strategies,
            interleave: args.interleave,
            rounds: args.rounds,
            k: args.k,
            seed: args.seed,
            budget: args.budget,
            baseline: args.baseline,
            module: args.suite.module,
            revision: args.suite.revision,
            maven: args.maven.into(),
            timeout: args.timeout,
            results: args.results,
            out: args.out,
            fresh: args.fresh,
            jdk: args.jdk,
            json: args.json,
        }
    }
}

impl From<AssessArgs> for AssessOptions {
    fn from(args: AssessArgs) -> Self {
        Self {
            project: args.suite.project,
            budget: args.budget,
            builds_per_day: args.builds_per_day,
            price_per_core_hour: args.price_per_core_hour,
            currency: args.currency,
            module: args.suite.module,
            revision: args.suite.revision,
            maven: args.maven.into(),
            cores: args.cores,
            timeout: args.timeout,
            results: args.results,
            fresh: args.fresh,
            jdk: args.jdk.jdk,
            format: args.format,
            json: args.json,
        }
    }
}

impl From<SimulateArgs> for SimulateOptions {
    fn from(args: SimulateArgs) -> Self {
        Self {
            source: args.source,
            dependencies: args.dependencies,
            machines: args.machines,
            algorithms: args.algorithms,
            json: args.json,
        }
    }
}

impl From<InitArgs> for InitOptions {
    fn from(args: InitArgs) -> Self {
        Self { file: args.file, subject: args.subject, force: args.force, json: args.json }
    }
}

impl From<CleanArgs> for CleanOptions {
    fn from(args: CleanArgs) -> Self {
        Self { yes: args.yes, all: args.all, older_than: args.older_than, json: args.json }
    }
}

impl From<DoctorArgs> for DoctorOptions {
    fn from(args: DoctorArgs) -> Self {
        Self { prepare: args.prepare, json: args.json }
    }
}
