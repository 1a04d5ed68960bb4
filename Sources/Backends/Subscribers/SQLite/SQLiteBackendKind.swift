import Foundation
public import Primitives
public import Settings

/// The embedded subscriber database, `kind: sqlite`.
public struct SQLiteBackendKind: SubscriberDatabaseKind {
    public static let name = "sqlite"

    /// The path of the database file.
    public let path: String
    public let backend: String
    public let registry: RegistrySettings

    public init(name: String, settings: SettingsSection) throws(SettingsError) {
        backend = name
        guard let path = try settings.filePath("path") else {
            throw settings.error("path", expected: "missing; expected the path of the subscriber database")
        }
        self.path = path
        registry = try RegistrySettings(settings)
    }

    public var isRemote: Bool { false }

    /// Opens the database. Creates the file and its folder if they are missing.
    public func openDatabase(clock: WallClock) throws -> SubscriberDatabase {
        try FileManager.default.createDirectory(
            at: URL(fileURLWithPath: path).deletingLastPathComponent(), withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700])
        return try SubscriberDatabase(path: path, clock: clock)
    }

    public func openExistingDatabase(clock: WallClock) throws -> SubscriberDatabase {
        guard FileManager.default.fileExists(atPath: path) else {
            return SubscriberDatabase(MissingSubscriberStore(path: path), clock: clock)
        }
        return try SubscriberDatabase(path: path, clock: clock)
    }
}
