import Foundation
public import Gatefold
public import Primitives
public import Settings

/// The embedded subscriber database, `kind: sqlite`.
public struct SQLiteBackendKind: BackendKind {
    public static let name = "sqlite"

    /// The path of the database file.
    public let path: String
    public let proof: SQLiteSubscriberBackend.Proof?
    /// A Boolean value that indicates whether readers can register and change their own passwords. Default: false.
    public let isSelfService: Bool
    private let name: String

    public init(name: String, settings: SettingsSection) throws(SettingsError) {
        self.name = name
        guard let path = try settings.filePath("path") else {
            throw settings.error("path", expected: "missing; expected the path of the subscriber database")
        }
        self.path = path
        let field = try settings.string("proof", default: "password")
        let folds = try settings.boolean("proof_folds", default: false)
        let isChecked = try settings.boolean("check_proof", default: true)
        proof = isChecked ? SQLiteSubscriberBackend.Proof(field: field, folds: folds) : nil
        isSelfService = try settings.boolean("self_service", default: false)
        guard !isSelfService || (isChecked && !folds) else {
            throw settings.error(
                "self_service",
                expected: "expected a password for a proof: neither `check_proof: false` nor `proof_folds: true`")
        }
    }

    public var checkedProofs: Set<String>? { proof.map { [$0.field] } ?? [] }

    public var isRemote: Bool { false }

    /// A Boolean value that indicates whether the database accepts migrated readers. It requires a proof, because
    /// without one a sign-in does not authenticate the reader.
    public var supportsLazyMigration: Bool { proof != nil }

    public func open(_ services: BackendServices) throws -> any SubscriberBackend {
        SQLiteSubscriberBackend(
            name: name, database: try openDatabase(clock: services.clock), proof: proof,
            isSelfService: isSelfService, verifier: services.passwords, clock: services.clock)
    }

    /// Returns the subscriber that represents a stored record in tokens, logs and revocations.
    public func subscriber(_ record: SubscriberRecord) -> Subscriber {
        SQLiteSubscriberBackend.subscriber(record.id, backend: name)
    }

    /// Opens the database. Creates the file and its folder if they are missing.
    public func openDatabase(clock: WallClock = .system) throws -> SubscriberDatabase {
        try FileManager.default.createDirectory(
            at: URL(fileURLWithPath: path).deletingLastPathComponent(), withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700])
        return try SubscriberDatabase(path: path, clock: clock)
    }
}
