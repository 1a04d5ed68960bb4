import Foundation
import Gatefold
import PasswordHashing
import SQLAccess
import Settings

/// The backend kind of a program of the publisher that is queried over standard input and output, `kind: process`.
struct ProcessBackendKind: BackendKind {
    static let name = "process"
    /// The default `PATH` of the program.
    static let defaultSearchPath = "/usr/local/bin:/usr/bin:/bin"

    private let name: String
    private let launch: ProcessLaunch
    private let processes: Int
    private let timeout: TimeInterval
    private let restart: RestartBackoff
    private let mapping: SubscriptionMapping
    private let proof: ProofRule?
    private let supportsSignOut: Bool
    let varyingFields: Set<String>

    init(name: String, settings: SettingsSection) throws(SettingsError) {
        self.name = name
        let words = try settings.strings("command") ?? []
        guard let program = words.first, words.allSatisfy({ !$0.utf8.contains(0) }), !program.isEmpty else {
            throw settings.error("command", expected: "expected a program and its arguments, such as [python3, ask.py]")
        }
        launch = ProcessLaunch(
            program: program.contains("/") && !program.hasPrefix("/") ? "\(settings.folder)/\(program)" : program,
            arguments: Array(words.dropFirst()), environment: try Self.environment(settings),
            folder: try settings.filePath("folder") ?? settings.folder,
            errors: try settings.choice("stderr", default: .discard))
        processes = try settings.integer("processes", default: 2, in: 1...64)
        timeout = try settings.duration("timeout", default: 10, in: 1...300)
        let restart = try settings.section("restart")
        self.restart = RestartBackoff(
            minDelay: try restart.duration("min_delay", default: 1, in: 1...3600),
            maxDelay: try restart.duration("max_delay", default: 60, in: 1...3600))
        try restart.finish()
        varyingFields = Set(try settings.strings("fields") ?? [])
        supportsSignOut = try settings.boolean("sign_out", default: false)
        proof = settings.has("proof") ? try ProofRule(try settings.section("proof")) : nil
        mapping = try SubscriptionMapping(try settings.section("subscription"))
    }

    /// Always false, because the record contains the whole entitlement.
    var decidesEditions: Bool { false }

    var maxConcurrent: Int? { processes }

    /// The proof that the backend verifies, or nil when the program verifies the credentials: the program then
    /// receives every field that the publication requests.
    var checkedProofs: Set<String>? { proof.map { [$0.field] } }

    func open(_ services: BackendServices) throws -> any SubscriberBackend {
        let functions = try SpawnFunctions()
        let backoff = SharedBackoff(restart, clock: services.clock)
        let children = ConnectionPool(size: processes, idleLifetime: .seconds(86_400)) { [launch] in
            try ProcessConnection(launch, functions, restart: backoff)
        } isConnectionLoss: { error in
            (error as? ProcessFailure)?.isConnectionLoss ?? false
        }
        return ProcessBackend(
            name: name, children: children, timeout: .seconds(timeout), mapping: mapping, proof: proof,
            passedFields: varyingFields, supportsSignOut: supportsSignOut, verifier: services.passwords,
            clock: services.clock)
    }

    private static func environment(_ settings: SettingsSection) throws(SettingsError) -> [String: String] {
        var variables = ["PATH": defaultSearchPath]
        let plain = try settings.section("environment")
        for name in plain.names { variables[name] = try plain.string(name) }
        let secret = try settings.section("secrets")
        for name in secret.names { variables[name] = try secret.externalSecret(name) }
        for (section, key) in [(plain, "environment"), (secret, "secrets")] {
            for name in section.names where name.isEmpty || name.contains("=") || name.utf8.contains(0) {
                throw settings.error(key, expected: "expected names of environment variables")
            }
        }
        guard variables.values.allSatisfy({ !$0.utf8.contains(0) }) else {
            throw settings.error("environment", expected: "expected strings without a NUL")
        }
        return variables
    }
}
