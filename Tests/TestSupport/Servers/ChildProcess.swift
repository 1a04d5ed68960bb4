import Foundation
import Synchronization

#if canImport(Glibc)
    import Glibc
#endif

/// A child process that leads its own process group, so that ending it ends its descendants.
///
/// Foundation's `Process` is unsuitable: its children inherit the blocked signals of an arbitrary thread, and it treats
/// a server as running as long as a surviving worker holds a descriptor.
final class ChildProcess: Sendable {
    struct DidNotSpawn: Error, CustomStringConvertible {
        let executable: String
        let code: Int32
        var description: String { "\(executable): \(String(cString: strerror(code)))" }
    }

    let identifier: pid_t
    private let ended: AsyncStream<Never>
    private let hasEnded: Flag

    private final class Flag: Sendable {
        let value = Atomic(false)
        let status = Atomic<Int32>(0)
    }

    /// - Parameters:
    ///   - output: The file for standard output.
    ///   - errors: The file for standard error. Default: `output`.
    ///   - input: The file for standard input.
    init(
        _ executable: String, _ arguments: [String], environment: [String: String], folder: String, output: String,
        errors: String? = nil, input: String = "/dev/null"
    ) throws {
        identifier = try Self.spawn(
            executable, arguments, environment, folder, output: output, errors: errors, input: input)
        let (ended, ending) = AsyncStream.makeStream(of: Never.self)
        self.ended = ended
        let flag = Flag()
        hasEnded = flag
        let identifier = identifier
        Thread.detachNewThread {
            var status: Int32 = 0
            while waitpid(identifier, &status, 0) == -1 && errno == EINTR {}
            flag.status.store(status, ordering: .relaxed)
            flag.value.store(true, ordering: .releasing)
            ending.finish()
        }
    }

    var isRunning: Bool { !hasEnded.value.load(ordering: .acquiring) }

    /// Waits for the end. Returns the exit status, or the negated signal that ended the process.
    func end() async -> Int32 {
        for await _ in ended {}
        let status = hasEnded.status.load(ordering: .relaxed)
        return status & 0x7F == 0 ? (status >> 8) & 0xFF : -(status & 0x7F)
    }

    /// Sends a signal, unless the process has ended.
    func send(_ signal: Int32) {
        if isRunning { kill(identifier, signal) }
    }

    /// Waits for the end, and kills the process and its descendants after the limit or if the task is cancelled.
    ///
    /// - Returns: The exit status, or the negated signal that ended the process.
    func end(within limit: Duration) async throws -> Int32 {
        let killer = Task {
            // The sleep ends early when the process has ended or the waiting task is cancelled.
            try? await Task.sleep(for: limit)
            if isRunning { killpg(identifier, SIGKILL) }
        }
        await withTaskCancellationHandler {
            // A detached task, so that it waits for the end even if the test was cancelled.
            await Task.detached { [ended] in for await _ in ended {} }.value
        } onCancel: {
            killer.cancel()
        }
        killer.cancel()
        try Task.checkCancellation()
        return await end()
    }

    /// Sends SIGTERM to the process, SIGKILL after five seconds, and SIGKILL to the rest of its group.
    func stop() async {
        if isRunning {
            kill(identifier, SIGTERM)
            let killer = Task.detached { [self] in
                try await Task.sleep(for: .seconds(5))
                if isRunning { kill(identifier, SIGKILL) }
            }
            // A detached task, so that it waits for the end even if the test was cancelled.
            await Task.detached { [ended] in for await _ in ended {} }.value
            killer.cancel()
        }
        killpg(identifier, SIGKILL)
    }

    private static func spawn(
        _ executable: String, _ arguments: [String], _ environment: [String: String], _ folder: String,
        output: String, errors: String?, input: String
    ) throws -> pid_t {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, 0, input, O_RDONLY, 0)
        posix_spawn_file_actions_addopen(&actions, 1, output, O_WRONLY | O_CREAT | O_APPEND, 0o644)
        if let errors {
            posix_spawn_file_actions_addopen(&actions, 2, errors, O_WRONLY | O_CREAT | O_APPEND, 0o644)
        } else {
            posix_spawn_file_actions_adddup2(&actions, 1, 2)
        }
        closeDescriptors(&actions)

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
        let flags = POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF
        posix_spawnattr_setflags(&attributes, Int16(flags))

        // env changes the folder and then executes the server with the same process identifier.
        let env = "/usr/bin/env"
        let words = ([env, "-C", folder, executable] + arguments).map { strdup($0) }
        let variables = environment.map { strdup("\($0)=\($1)") }
        defer { (words + variables).forEach { free($0) } }
        var identifier: pid_t = 0
        let code = posix_spawn(&identifier, env, &actions, &attributes, words + [nil], variables + [nil])
        guard code == 0 else { throw DidNotSpawn(executable: executable, code: code) }
        return identifier
    }

    /// Closes the test's descriptors in the child except for the three standard ones.
    ///
    /// Children inherit NIO's sockets. A child with an open socket keeps its port occupied, or hides the end of a
    /// connection from its peer.
    private static func closeDescriptors(_ actions: inout posix_spawn_file_actions_t) {
        typealias CloseFrom = @convention(c) (UnsafeMutablePointer<posix_spawn_file_actions_t>, CInt) -> CInt
        #if canImport(Glibc)
            // At the start of the child, so that no socket can be opened in between. The C library has it since 2.34.
            if let function = dlsym(nil, "posix_spawn_file_actions_addclosefrom_np") {
                _ = unsafeBitCast(function, to: CloseFrom.self)(&actions, 3)
                return
            }
        #endif
        for name in (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")) ?? [] {
            if let descriptor = Int32(name), descriptor > 2 { _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC) }
        }
    }
}
