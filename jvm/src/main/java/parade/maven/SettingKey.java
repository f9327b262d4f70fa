package parade.maven;

/** The keys of the settings file, in which parade tells the extension what to do. */
enum SettingKey {
    SEAL("seal"),
    HANDSHAKE("handshake"),
    SUREFIRE_VERSION("surefire.version"),
    SUREFIRE_KEPT_FROM("surefire.kept-from"),
    COMPILER_MINIMUM("compiler.minimum"),
    PLUGINS_DISABLED("plugins.disabled"),
    MODULES("modules"),
    EVENTS("events"),
    LISTENERS("listeners"),
    WORKTREE("worktree"),
    MODE("mode"),
    THREADS("threads"),
    THREADS_TOTAL("threads.total"),
    THREADS_PER_CORE("threads.per-core"),
    FORKS("forks"),
    FORKS_REUSE("forks.reuse"),
    MODULES_AT_ONCE("modules.at-once"),
    PROVIDERS_FETCH("providers.fetch"),
    REVEAL("reveal"),
    SELECTION("selection");

    final String word;

    SettingKey(String word) {
        this.word = word;
    }
}
