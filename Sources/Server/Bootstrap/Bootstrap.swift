import Backends
public import Commerce
public import Foundation
public import Gatefold
import PostgreSQL
public import Primitives
import SQLAccess
import Settings
package import State

/// The functions that build the parts of the server from the configuration.
public enum Bootstrap {
    /// Checks the rules that reading alone cannot check, and opens nothing.
    ///
    /// - Every backend's settings are usable.
    /// - Test readers and real readers do not mix.
    /// - The certificate and the key are a pair, and the certificate is valid at `timestamp`.
    ///
    /// Source: Pitfall 12, “Back doors for agents and tests”.
    ///
    /// - Returns: The warnings about usable but doubtful settings, in addition to the configuration's own warnings.
    /// - Throws: `SettingsError`, ``BootstrapError`` or ``TLSFileError``.
    @discardableResult
    public static func check(_ configuration: GatefoldConfiguration, at timestamp: Date = Date()) throws -> [String] {
        _ = try plan(configuration)
        _ = try stores(configuration)
        return try [configuration.tls, configuration.adminTLS].compactMap(\.self).compactMap {
            try ReloadableTLS.check($0, at: timestamp)
        }
    }

    /// Returns the kinds of the backends, each checked against the publications that query it.
    public static func plan(_ configuration: GatefoldConfiguration) throws -> BackendPlan {
        let plan = try BackendPlan(configuration.backends, stores: configuration.stores)
        for publication in configuration.publications {
            let requested = Set(publication.publication.credentialFields.proofs)
            for member in plan.family(of: publication.backend) {
                if member.kind.isForTests != publication.isTest {
                    throw BootstrapError.testMode(
                        publication: publication.publication.id, backend: member.name,
                        isForTests: member.kind.isForTests)
                }
                if let checked = member.kind.checkedProofs, checked != requested {
                    throw BootstrapError.proofs(
                        publication: publication.publication.id, backend: member.name, requested: requested.sorted(),
                        checked: checked.sorted())
                }
            }
        }
        return plan
    }

    /// Returns the settings of the app stores, each checked against the publications that sell in them.
    static func stores(_ configuration: GatefoldConfiguration) throws -> StorePlan {
        let plan = try StorePlan(configuration)
        for publication in configuration.publications {
            guard let purchases = publication.purchases else { continue }
            _ = try plan.environments(
                for: purchases, of: publication.publication.id, isTest: publication.isTest)
        }
        return plan
    }

    /// Returns the store environments whose purchases count for a publication. The set is empty if the publication
    /// sells in no store.
    ///
    /// - Throws: `SettingsError` or ``BootstrapError/stores(publication:cause:)``.
    package static func environments(
        of publication: PublicationConfiguration, in configuration: GatefoldConfiguration
    ) throws -> Set<StoreEnvironment> {
        guard let purchases = publication.purchases else { return [] }
        return try StorePlan(configuration).environments(
            for: purchases, of: publication.publication.id, isTest: publication.isTest)
    }

    /// Returns the token codec of the publication.
    public static func tokenCodec(
        for publication: PublicationConfiguration, in configuration: GatefoldConfiguration,
        random: RandomSource = .system
    ) throws -> any TokenCodec {
        let id = publication.publication.id
        return try plan(configuration).kind(publication.backend)?.tokenCodec(for: id)
            ?? CachingTokenCodec(
                SealedTokenCodec(publication: id, secrets: publication.tokenSecrets, random: random))
    }

    /// Opens the state store for a command and never creates one. If the files were removed while the server runs,
    /// a command would otherwise acknowledge changes to a state that the server does not use.
    ///
    /// - Throws: ``BootstrapError/noState(path:)``, or the errors of ``stateStore(_:)``.
    package static func existingStateStore(_ configuration: GatefoldConfiguration) throws -> any StateStore {
        if case .sqlite(let path) = configuration.state.location, !FileManager.default.fileExists(atPath: path) {
            throw BootstrapError.noState(path: path)
        }
        return try stateStore(configuration, creates: false)
    }

    /// Opens the state store for the server, and creates the store and its folder if they are missing.
    ///
    /// - Parameters:
    ///   - creates: Whether the tables are created in a PostgreSQL database without them.
    ///   - opensLater: Whether a PostgreSQL database is opened by the first call.
    /// - Throws: ``BootstrapError/state(name:cause:)`` or ``BootstrapError/newerSchema(cause:)``.
    package static func stateStore(
        _ configuration: GatefoldConfiguration, creates: Bool = true, opensLater: Bool = false
    ) throws -> any StateStore {
        try sqlStateStore(configuration, creates: creates, opensLater: opensLater)
    }

    /// Opens the state store for a copy of all rows, whose statements take longer than those of a server.
    ///
    /// - Parameter creates: Whether the tables are created or migrated in a PostgreSQL database.
    /// - Throws: The errors of ``stateStore(_:creates:)``.
    package static func stateStoreToCopy(
        _ configuration: GatefoldConfiguration, creates: Bool = true
    ) throws -> SQLStateStore {
        try sqlStateStore(configuration, creates: creates, opensLater: false, statementTimeout: .seconds(600))
    }

    /// Returns the migrations that the state lacks, and changes nothing.
    ///
    /// - Throws: ``BootstrapError/noState(path:)``, or the errors of ``stateStore(_:creates:)``.
    package static func migrationPlan(_ configuration: GatefoldConfiguration) throws -> MigrationPlan {
        do {
            switch configuration.state.location {
            case .sqlite(let path):
                guard FileManager.default.fileExists(atPath: path) else { throw BootstrapError.noState(path: path) }
                return try SQLStateStore.migrationPlan(path: path)
            case .postgreSQL(let settings, let schema, _, _):
                return try SQLStateStore.migrationPlan(postgreSQL: settings, schema: schema, library: LibPQ())
            }
        } catch let error as BootstrapError {
            throw error
        } catch {
            throw stateFailure(error, configuration)
        }
    }

    /// Migrates the state, and creates the tables of one in PostgreSQL.
    ///
    /// - Returns: The migrations that it lacked.
    /// - Throws: The errors of ``migrationPlan(_:)``.
    package static func migrateState(_ configuration: GatefoldConfiguration) throws -> MigrationPlan {
        let plan = try migrationPlan(configuration)
        if !plan.steps.isEmpty { try stateStore(configuration).close() }
        return plan
    }

    private static func sqlStateStore(
        _ configuration: GatefoldConfiguration, creates: Bool, opensLater: Bool, statementTimeout: Duration? = nil
    ) throws -> SQLStateStore {
        let state = configuration.state
        do {
            // A command may run as another user than the server, which could not use its folder.
            if creates {
                try FileManager.default.createDirectory(
                    at: URL(fileURLWithPath: state.location.folder), withIntermediateDirectories: true,
                    attributes: [.posixPermissions: 0o700])
            }
            switch state.location {
            case .sqlite(let path):
                return try SQLStateStore(path: path, newPushTokensPerHour: state.pushTokensPerHour)
            case .postgreSQL(let settings, let schema, _, _):
                return try SQLStateStore(
                    postgreSQL: statementTimeout.map { settings.allowing(statements: $0) } ?? settings, schema: schema,
                    library: LibPQ(), migrates: creates, opensLater: opensLater,
                    newPushTokensPerHour: state.pushTokensPerHour)
            }
        } catch {
            throw stateFailure(error, configuration)
        }
    }

    /// Returns the error for a state that cannot be opened.
    static func stateFailure(_ error: any Error, _ configuration: GatefoldConfiguration) -> BootstrapError {
        if (error as? StateStoreError)?.isNewerSchema == true { return .newerSchema(cause: "\(error)") }
        return .state(name: configuration.state.location.name, cause: "\(error)")
    }

    /// Creates a state store that is used only while the folder exists.
    ///
    /// - Parameter folder: An empty folder.
    /// - Throws: `StateStoreError`.
    static func temporaryStateStore(in folder: URL) throws -> any StateStore {
        try SQLStateStore(path: folder.appending(path: "state.sqlite").path)
    }
}

/// An error that prevents the server from being built.
public enum BootstrapError: Error, Sendable, CustomStringConvertible {
    case testMode(publication: PublicationID, backend: String, isForTests: Bool)
    case proofs(publication: PublicationID, backend: String, requested: [String], checked: [String])
    case state(name: String, cause: String)
    /// A command needs a state store, and none exists.
    case noState(path: String)
    /// A command would create the state in a folder of another user, who probably runs the server.
    case foreignFolder(path: String, folder: String, owner: String)
    /// A newer release has changed the tables of the state or of a backend.
    case newerSchema(cause: String)
    /// A publication cannot sell in its stores with these settings.
    case stores(publication: PublicationID, cause: String)
    case store(name: StoreName, cause: String)
    case backend(name: String, cause: String)
    case deliveries(publication: PublicationID, cause: String)
    case gate(cause: String)
    case catalogue(publication: PublicationID, cause: String)
    case listen(address: String, cause: String)

    /// A Boolean value that indicates whether the configuration must change, and not the environment.
    public var isConfiguration: Bool {
        switch self {
        case .testMode, .proofs, .stores, .gate, .newerSchema: true
        case .state, .noState, .foreignFolder, .store, .deliveries, .backend, .catalogue, .listen: false
        }
    }

    public var description: String {
        switch self {
        case .testMode(let publication, let backend, true):
            "publications.\(publication): the backend \(backend) is for tests; expected `test: true` with it"
        case .testMode(let publication, let backend, false):
            "publications.\(publication): `test: true` is for test readers only, but \(backend) has real ones"
        case .proofs(let publication, let backend, let requested, let checked):
            "publications.\(publication).credentials.proofs: expected the fields that the backend \(backend) checks, "
                + "[\(checked.joined(separator: ", "))], not [\(requested.joined(separator: ", "))]; "
                + "they follow from its `proof` and the placeholders in its statements and templates"
        case .state(let name, let cause): "the state database \(name) cannot be opened: \(cause)"
        case .noState(let path):
            "no state at \(path): the server creates it at its first start; "
                + "if a server runs, the file was deleted or replaced"
        case .foreignFolder(let path, let folder, let owner):
            "no state at \(path), and \(folder) belongs to \(owner): start the server first, or run the command as "
                + "\(owner), because the server could not open the files of another user"
        case .newerSchema(let cause): cause
        case .stores(let publication, let cause): "publications.\(publication).stores: \(cause)"
        case .store(let name, let cause): "the store \(name) cannot be opened: \(cause)"
        case .backend(let name, let cause): "the backend \(name) cannot be opened: \(cause)"
        case .catalogue(let publication, let cause):
            "the catalogue of \(publication) cannot be opened: \(cause)"
        case .deliveries(let publication, let cause):
            "publications.\(publication).deliveries cannot be used: \(cause)"
        case .gate(let cause): "the content gate cannot be set up: \(cause)"
        case .listen(let address, let cause): "cannot listen on \(address): \(cause)"
        }
    }
}
