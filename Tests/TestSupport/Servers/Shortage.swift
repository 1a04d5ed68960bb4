import Foundation

/// A server whose files have no more room at some time, and some again later.
public struct Shortage: Sendable {
    public struct NotEnded: Error, CustomStringConvertible {
        public let errors: String
        public var description: String { "the limit is not lifted: \(errors)" }
    }

    public let launch: ServerProcess.Launch
    private let beginning: @Sendable () async throws -> Void
    private let ending: @Sendable (ServerProcess) async throws -> Void

    /// By a disk that is full.
    ///
    /// - Parameter launch: of a server that has files on the disk.
    public static func ofDisk(_ disk: SmallDisk, under launch: ServerProcess.Launch) -> Shortage {
        Shortage(launch: launch, beginning: { try await disk.fill() }, ending: { _ in try disk.empty() })
    }

    /// Where no disk can be mounted: by a limit on the size of files, of which a state has a quarter from the start. A file that may
    /// not grow is refused its next byte as on a full disk, with another error.
    public static func ofFileSize(under launch: ServerProcess.Launch) -> Shortage {
        var limited = launch
        limited.executable = "sh"
        // The shell passes over the signal that would end the program. The limit is the soft one, which anybody may lift.
        limited.arguments =
            ["-c", "trap '' XFSZ; exec prlimit --fsize=\(1 << 20): \"$0\" \"$@\" 2>/dev/null", launch.executable]
            + launch.arguments
        return Shortage(
            launch: limited, beginning: {},
            ending: { server in
                let lifted = try await CommandRun.of(
                    "prlimit", ["--pid", "\(server.identifier)", "--fsize=unlimited:"],
                    in: FileManager.default.temporaryDirectory)
                guard lifted.status == 0 else { throw NotEnded(errors: lifted.errors) }
            })
    }

    /// From now on there is no more room, or soon will not be.
    public func begin() async throws { try await beginning() }

    /// There is room again.
    public func end(_ server: ServerProcess) async throws { try await ending(server) }
}
