public import Foundation

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
        // Made with its mode and then filled: at no moment may others read it.
        let draft = file.deletingLastPathComponent()
            .appendingPathComponent(".\(file.lastPathComponent).\(UUID().uuidString)")
        guard
            FileManager.default.createFile(
                atPath: draft.path, contents: bytes, attributes: [.posixPermissions: 0o600])
        else { throw CocoaError(.fileWriteUnknown, userInfo: [NSFilePathErrorKey: file.path]) }
        guard rename(draft.path, file.path) == 0 else {
            let code = errno
            try? FileManager.default.removeItem(at: draft)
            throw POSIXError(POSIXErrorCode(rawValue: code) ?? .EIO)
        }
    }

    public func remove() throws {
        do {
            try FileManager.default.removeItem(at: file)
        } catch let error as CocoaError where error.code == .fileNoSuchFile {
            return
        }
    }
}
