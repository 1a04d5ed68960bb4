public import Foundation

#if canImport(Glibc)
    import Glibc
#endif

/// A file system of four megabytes that a test can fill.
public struct SmallDisk: Sendable {
    public struct NotMounted: Error, CustomStringConvertible {
        public let errors: String
        public var description: String { "no small disk can be mounted: \(errors)" }
    }

    public let folder: URL

    /// Runs the body with a disk mounted at the folder and unmounts it afterwards, even if files are open.
    public static func mounted<Result>(
        at folder: URL, isolation: isolated (any Actor)? = #isolation, _ body: (SmallDisk) async throws -> Result
    ) async throws -> Result {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let mounted = try await CommandRun.of(
            "mount", ["-t", "tmpfs", "-o", "size=4m,mode=0700", "tmpfs", folder.path], in: folder)
        guard mounted.status == 0 else { throw NotMounted(errors: mounted.errors) }
        let disk = SmallDisk(folder: folder)
        let result: Result
        do {
            result = try await body(disk)
        } catch {
            try await disk.unmount()
            throw error
        }
        try await disk.unmount()
        return result
    }

    /// Returns whether a disk can be mounted, which needs root and may be impossible in a container.
    @Sendable public static func canBeMounted() async throws -> Bool {
        guard geteuid() == 0 else { return false }
        return try await withTemporaryFolder { folder in
            do {
                return try await mounted(at: folder.appendingPathComponent("disk")) { _ in true }
            } catch is NotMounted {
                return false
            }
        }
    }

    /// Fills the disk to the last byte.
    public func fill() async throws {
        _ = try await CommandRun.of("dd", ["if=/dev/zero", "of=\(folder.path)/filler", "bs=4096"], in: folder)
        _ = try await CommandRun.of("dd", ["if=/dev/zero", "of=\(folder.path)/filler-2", "bs=1"], in: folder)
    }

    /// Frees the space again.
    public func empty() throws {
        for name in ["filler", "filler-2"] {
            try FileManager.default.removeItem(at: folder.appendingPathComponent(name))
        }
    }

    private func unmount() async throws {
        _ = try await CommandRun.of("umount", ["-l", folder.path], in: folder.deletingLastPathComponent())
    }
}
