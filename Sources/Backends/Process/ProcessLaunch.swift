import Foundation

/// How the process is started.
struct ProcessLaunch: Sendable, Equatable {
    enum Errors: String, CaseIterable, Sendable {
        /// Thrown away: what a program complains about may quote what a reader typed.
        case discard
        /// Written where the server writes its own.
        case pass
    }

    /// A path, or a name to be found in `PATH`.
    var program: String
    var arguments: [String]
    /// All of it: nothing is inherited.
    var environment: [String: String]
    /// The working directory.
    var folder: String
    var errors = Errors.discard

    /// Starts it at the head of a process group of its own, with nothing but these descriptors.
    func spawn(input: Int32, output: Int32, _ functions: SpawnFunctions) throws(ProcessFailure) -> pid_t {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, input, 0)
        posix_spawn_file_actions_adddup2(&actions, output, 1)
        if errors == .discard { posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0) }
        // Every descriptor of ours closes by itself in a new program, but not for certain every one of a library's.
        _ = functions.addCloseFrom(&actions, 3)
        _ = functions.addChangeFolder(&actions, folder)

        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var none = sigset_t()
        var all = sigset_t()
        sigemptyset(&none)
        sigfillset(&all)
        posix_spawnattr_setsigmask(&attributes, &none)
        posix_spawnattr_setsigdefault(&attributes, &all)
        posix_spawnattr_setpgroup(&attributes, 0)
        posix_spawnattr_setflags(
            &attributes, Int16(POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))

        let words = ([program] + arguments).map { strdup($0) }
        let variables = environment.map { strdup("\($0)=\($1)") }
        defer { (words + variables).forEach { free($0) } }
        var identifier: pid_t = 0
        let code = posix_spawnp(&identifier, program, &actions, &attributes, words + [nil], variables + [nil])
        guard code == 0 else { throw .didNotStart(code: code) }
        return identifier
    }
}
