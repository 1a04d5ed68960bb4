import Foundation

/// A server whose files temporarily have no room to grow.
public struct DiskQuota: Sendable {
    public struct NotEnded: Error, CustomStringConvertible {
        public let errors: String
        public var description: String { "the limit is not lifted: \(errors)" }
    }

    public let launch: ServerProcess.Launch
    private let beginning: @Sendable () async throws -> Void
    private let ending: @Sendable (ServerProcess) async throws -> Void

    /// Returns a quota by a full disk.
    ///
    /// - Parameter launch: A server with files on the disk.
    public static func ofDisk(_ disk: SmallDisk, under launch: ServerProcess.Launch) -> DiskQuota {
        DiskQuota(launch: launch, beginning: { try await disk.fill() }, ending: { _ in try disk.empty() })
    }

    /// Returns a quota by a file size limit, for machines that cannot mount a disk. The state uses a quarter of the
    /// limit from the start. A file at the limit rejects the next byte like a full disk, with another error.
    public static func ofFileSize(under launch: ServerProcess.Launch) -> DiskQuota {
        var limited = launch
        limited.executable = "sh"
        // The shell ignores the signal that would end the program. The limit is the soft one, which any user may raise.
        limited.arguments =
            ["-c", "trap '' XFSZ; exec prlimit --fsize=\(1 << 20): \"$0\" \"$@\" 2>/dev/null", launch.executable]
            + launch.arguments
        return DiskQuota(
            launch: limited, beginning: {},
            ending: { server in
                let lifted = try await CommandRun.of(
                    "prlimit", ["--pid", "\(server.identifier)", "--fsize=unlimited:"],
                    in: FileManager.default.temporaryDirectory)
                guard lifted.status == 0 else { throw NotEnded(errors: lifted.errors) }
            })
    }

    /// Starts the shortage, which may take effect a little later.
    public func begin() async throws { try await beginning() }

    /// Ends the shortage.
    public func end(_ server: ServerProcess) async throws { try await ending(server) }
}
