import Foundation
import Gatefold
import Settings

/// A program of the publisher's own that is asked over standard input and output, `kind: process`.
struct ProcessBackendKind: BackendKind {
    static let name = "process"
    /// What a program finds other programs by, unless it is told otherwise.
    static let standardPath = "/usr/local/bin:/usr/bin:/bin"

    private let name: String
    private let launch: ProcessLaunch
    private let processes: Int
    private let timeout: TimeInterval
    private let restart: RestartBackoff
    private let mapping: SubscriptionMapping
    private let proof: ProofRule?
    private let endsSessions: Bool
    let decidingFields: Set<String>

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
            errors: try settings.choice("errors", default: .discard))
        processes = try settings.integer("processes", default: 2, in: 1...64)
        timeout = try settings.duration("timeout", default: 10, in: 1...300)
        let restart = try settings.section("restart")
        self.restart = RestartBackoff(
            shortest: try restart.duration("shortest", default: 1, in: 1...3600),
            longest: try restart.duration("longest", default: 60, in: 1...3600))
        try restart.finish()
        decidingFields = Set(try settings.strings("fields") ?? [])
        endsSessions = try settings.boolean("sign_out", default: false)
        proof = settings.has("proof") ? try ProofRule(try settings.section("proof")) : nil
        mapping = try SubscriptionMapping(try settings.section("subscription"))
    }

    /// The record says it all.
    var decidesEditions: Bool { false }

    var mostAtOnce: Int? { processes }

    /// Nil where the program checks what it is given: it is given everything that the publication asks for.
    var checkedProofs: Set<String>? { proof.map { [$0.field] } }

    func open(_ services: BackendServices) throws -> any SubscriberBackend {
        let functions = try SpawnFunctions()
        let backoff = SharedBackoff(restart, clock: services.clock)
        let children = ConnectionPool(size: processes, idleLifetime: .seconds(86_400)) { [launch] in
            try ProcessConnection(launch, functions, restart: backoff)
        } isLoss: { error in
            (error as? ProcessFailure)?.isLoss ?? false
        }
        return ProcessBackend(
            name: name, children: children, timeout: .seconds(timeout), mapping: mapping, proof: proof,
            shownFields: decidingFields, endsSessions: endsSessions, verifier: services.passwords,
            clock: services.clock)
    }

    private static func environment(_ settings: SettingsSection) throws(SettingsError) -> [String: String] {
        var variables = ["PATH": standardPath]
        let plain = try settings.section("environment")
        for name in plain.names { variables[name] = try plain.string(name) }
        let secret = try settings.section("secrets")
        for name in secret.names { variables[name] = try secret.foreignSecret(name) }
        for (section, key) in [(plain, "environment"), (secret, "secrets")] {
            for name in section.names where name.isEmpty || name.contains("=") || name.utf8.contains(0) {
                throw settings.error(key, expected: "expected names of environment variables")
            }
        }
        guard variables.values.allSatisfy({ !$0.utf8.contains(0) }) else {
            throw settings.error("environment", expected: "expected texts without a NUL")
        }
        return variables
    }
}
