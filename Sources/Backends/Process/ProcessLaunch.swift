import Foundation

/// The settings with which the process is started.
struct ProcessLaunch: Sendable, Equatable {
    enum Errors: String, CaseIterable, Sendable {
        /// The output is discarded, because error messages may quote input of a reader.
        case discard
        /// The output goes to the server's standard error.
        case inherit
    }

    /// A path, or a name that is looked up in `PATH`.
    var program: String
    var arguments: [String]
    /// The complete environment. Nothing is inherited.
    var environment: [String: String]
    /// The working directory.
    var folder: String
    var errors = Errors.discard

    /// Starts the process as the leader of its own process group, with only these descriptors.
    func spawn(input: Int32, output: Int32, _ functions: SpawnFunctions) throws(ProcessFailure) -> pid_t {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, input, 0)
        posix_spawn_file_actions_adddup2(&actions, output, 1)
        if errors == .discard { posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0) }
        // Every descriptor of the server has close-on-exec set, but descriptors of a library may not.
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
