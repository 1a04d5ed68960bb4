public import Foundation

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// Keeps the session in a file that only its owner may read (mode 0600).
///
/// The file is replaced as a whole, so that a crash leaves the old session or the new one, never half of one.
public struct FileSessionStorage: SessionStorage {
    private let file: URL

    /// - Parameter file: in a folder that exists.
    public init(_ file: URL) {
        self.file = file
    }

    public func load() throws -> StoredSession? {
        let bytes: Data
        do {
            bytes = try Data(contentsOf: file)
        } catch let error as CocoaError where error.code == .fileReadNoSuchFile {
            return nil
        }
        return try JSONDecoder().decode(StoredSession.self, from: bytes)
    }

    public func save(_ session: StoredSession) throws {
        let bytes = try JSONEncoder().encode(session)
        let draft = file.deletingLastPathComponent()
            .appendingPathComponent(".\(file.lastPathComponent).\(UUID().uuidString)")
        // Made with its mode and then filled: at no moment may others read it.
        let mode: mode_t = 0o600
        let descriptor = open(draft.path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode)
        guard descriptor >= 0 else { throw Self.failure() }
        do {
            let handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
            try handle.write(contentsOf: bytes)
            try handle.synchronize()
            try handle.close()
            guard rename(draft.path, file.path) == 0 else { throw Self.failure() }
        } catch {
            try? FileManager.default.removeItem(at: draft)
            throw error
        }
    }

    private static func failure() -> POSIXError { POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }

    public func remove() throws {
        do {
            try FileManager.default.removeItem(at: file)
        } catch let error as CocoaError where error.code == .fileNoSuchFile {
            return
        }
    }
}
