public import Foundation

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// A storage of the session in a file that only its owner can read (mode 0600).
///
/// The file is replaced atomically, so that a crash leaves either the old or the new session, never a partial file.
public struct FileSessionStorage: SessionStorage {
    private let file: URL

    /// Creates a storage.
    ///
    /// - Parameter file: The file, in an existing folder.
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
        // The file is created with its mode before it is filled, so that other users can never read it.
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
