import Backends
public import Foundation
public import Gatefold
import Settings
public import State

/// Puts the parts together as the configuration says.
public enum Assembly {
    /// Checks what reading alone can not: that every backend's settings can be used, that test and real readers do not
    /// mix (PITFALLS row 12), and that certificate and key are a pair whose time has come and is not over. Opens nothing.
    ///
    /// - Returns: what can be used and hardly should be, beside the configuration's own warnings.
    /// - Throws: ``SettingsError``, ``AssemblyError`` or ``TLSFileError``.
    @discardableResult
    public static func check(_ configuration: GatefoldConfiguration, at moment: Date = Date()) throws -> [String] {
        _ = try plan(configuration)
        _ = try stores(configuration)
        return try configuration.tls.flatMap { try ReloadableTLS.check($0, at: moment) }.map { [$0] } ?? []
    }

    /// The backends' kinds, each checked against the publications that ask it.
    public static func plan(_ configuration: GatefoldConfiguration) throws -> BackendPlan {
        let plan = try BackendPlan(configuration.backends, stores: configuration.stores)
        for publication in configuration.publications {
            let asked = Set(publication.publication.credentialFields.proofs)
            for member in plan.family(of: publication.backend) {
                if member.kind.isForTests != publication.isTest {
                    throw AssemblyError.testMode(
                        publication: publication.publication.id, backend: member.name,
                        isForTests: member.kind.isForTests)
                }
                if let checked = member.kind.checkedProofs, checked != asked {
                    throw AssemblyError.proofs(
                        publication: publication.publication.id, backend: member.name, asked: asked.sorted(),
                        checked: checked.sorted())
                }
            }
        }
        return plan
    }

    /// The app stores' settings, each checked against the publications that sell in them.
    static func stores(_ configuration: GatefoldConfiguration) throws -> StorePlan {
        let plan = try StorePlan(configuration)
        for publication in configuration.publications {
            guard let purchases = publication.purchases else { continue }
            _ = try plan.environments(
                for: purchases, of: publication.publication.id, isTest: publication.isTest)
        }
        return plan
    }

    /// The environments whose purchases count for a publication; none where it sells in no store.
    ///
    /// - Throws: ``SettingsError`` or ``AssemblyError/stores(publication:cause:)``.
    package static func environments(
        of publication: PublicationConfiguration, in configuration: GatefoldConfiguration
    ) throws -> Set<StoreEnvironment> {
        guard let purchases = publication.purchases else { return [] }
        return try StorePlan(configuration).environments(
            for: purchases, of: publication.publication.id, isTest: publication.isTest)
    }

    /// How the publication's tokens look.
    public static func tokenCodec(
        for publication: PublicationConfiguration, in configuration: GatefoldConfiguration,
        random: RandomSource = .system
    ) throws -> any TokenCodec {
        let id = publication.publication.id
        return try plan(configuration).kind(publication.backend)?.tokenCodec(for: id)
            ?? RememberingTokenCodec(
                SealedTokenCodec(publication: id, secrets: publication.tokenSecrets, random: random))
    }

    /// Opens the state store for a command, which never makes one: what it acknowledged would be in a state that the server
    /// does not have, if the files were removed while it runs.
    ///
    /// - Throws: ``AssemblyError/noState(path:)``, or as ``stateStore(_:)``.
    public static func existingStateStore(_ configuration: GatefoldConfiguration) throws -> SQLiteStateStore {
        let path = configuration.state.path
        guard FileManager.default.fileExists(atPath: path) else { throw AssemblyError.noState(path: path) }
        return try stateStore(configuration)
    }

    /// Opens the state store for the server, and makes it and its folder where they are missing.
    ///
    /// - Throws: ``AssemblyError/state(path:cause:)`` or ``AssemblyError/newerSchema(cause:)``.
    public static func stateStore(_ configuration: GatefoldConfiguration) throws -> SQLiteStateStore {
        let path = configuration.state.path
        do {
            try FileManager.default.createDirectory(
                at: URL(fileURLWithPath: path).deletingLastPathComponent(), withIntermediateDirectories: true,
                attributes: [.posixPermissions: 0o700])
            return try SQLiteStateStore(path: path, newPushTokensPerHour: configuration.state.pushTokensPerHour)
        } catch let error as StateStoreError where error.isNewerSchema {
            throw AssemblyError.newerSchema(cause: "\(error)")
        } catch {
            throw AssemblyError.state(path: path, cause: "\(error)")
        }
    }
}

/// Why the parts could not be put together.
public enum AssemblyError: Error, Sendable, CustomStringConvertible {
    case testMode(publication: PublicationID, backend: String, isForTests: Bool)
    case proofs(publication: PublicationID, backend: String, asked: [String], checked: [String])
    case state(path: String, cause: String)
    /// A command needs a state, and there is none.
    case noState(path: String)
    /// A newer release has changed the tables of the state or of a backend.
    case newerSchema(cause: String)
    /// A publication can not sell in its stores like this.
    case stores(publication: PublicationID, cause: String)
    case store(name: StoreName, cause: String)
    case backend(name: String, cause: String)
    case deliveries(publication: PublicationID, cause: String)
    case gate(cause: String)
    case catalogue(publication: PublicationID, cause: String)
    case listen(address: ListenAddress, cause: String)

    /// Whether the configuration has to change, rather than the world.
    public var isConfiguration: Bool {
        switch self {
        case .testMode, .proofs, .stores, .gate, .newerSchema: true
        case .state, .noState, .store, .deliveries, .backend, .catalogue, .listen: false
        }
    }

    public var description: String {
        switch self {
        case .testMode(let publication, let backend, true):
            "publications.\(publication): the backend \(backend) has made-up readers; expected `test: true` with it"
        case .testMode(let publication, let backend, false):
            "publications.\(publication): `test: true` is for made-up readers only, and \(backend) has real ones"
        case .proofs(let publication, let backend, let asked, let checked):
            "publications.\(publication).credentials.proofs: expected what the backend \(backend) checks, "
                + "[\(checked.joined(separator: ", "))], not [\(asked.joined(separator: ", "))]; "
                + "its `proof`, and the places in its statements and templates, say what it checks"
        case .state(let path, let cause): "the state database \(path) can not be opened: \(cause)"
        case .noState(let path):
            "there is no state at \(path): the server makes it at its first start, and if one runs, its file was deleted or replaced"
        case .newerSchema(let cause): cause
        case .stores(let publication, let cause): "publications.\(publication).stores: \(cause)"
        case .store(let name, let cause): "the store \(name) can not be opened: \(cause)"
        case .backend(let name, let cause): "the backend \(name) can not be opened: \(cause)"
        case .catalogue(let publication, let cause):
            "the catalogue of \(publication) can not be opened: \(cause)"
        case .deliveries(let publication, let cause):
            "publications.\(publication).deliveries can not be used: \(cause)"
        case .gate(let cause): "the content gate can not be set up: \(cause)"
        case .listen(let address, let cause): "can not listen on \(address): \(cause)"
        }
    }
}
