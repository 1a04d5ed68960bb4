import AdminAPI
import Backends
import Foundation
import Gatefold
import JSON
import Primitives

/// The wrong attempts to sign in as one reader.
struct ReaderLocks: Sendable {
    private let reader: AdminReader
    /// The identifiers of the reader that are known. Only a database of Gatefold states them.
    private let identifiers: [String]

    /// - Throws: The error of the database.
    init(of reader: AdminReader, in set: ServingState) async throws {
        self.reader = reader
        let database = set.backends[reader.subscriber.backend] as? SubscriberDatabaseBackend
        identifiers = try await database?.identifier(of: reader.subscriber).map { [$0] } ?? []
    }

    private var service: AuthorizationService { reader.service }
    private var throttle: any LoginThrottling { service.loginThrottle }

    /// Returns an attempt by an identifier, whose counter all attempts by it share; nil if no sign-in accepts the identifier.
    private func attempt(_ identifier: String) -> LoginAttempt? {
        Credentials(finding: identifier, field: service.publication.credentialFields.identifier).map {
            service.pseudonymKey.attempt($0, publication: service.publication.id, device: nil, client: nil)
        }
    }

    /// Forgets the wrong attempts by any of the known identifiers, and by another one that the operator has.
    ///
    /// - Throws: The error of a shared store.
    func release(_ identifier: String?) async throws {
        let elapsed = service.clock.elapsed
        try await throttle.release(nil, reader.pseudonym, at: elapsed)
        for attempt in (identifiers + [identifier].compactMap(\.self)).compactMap({ attempt($0) }) {
            try await throttle.release(attempt, nil, at: elapsed)
        }
    }

    // MARK: JSON

    static let schema = AdminSchema.object([
        AdminProperty(
            "locks",
            .list(
                .object([
                    AdminProperty(
                        "identifier", .nullable(AdminSchemas.text),
                        "The sign-in identifier; null for the reader by whichever identifier."),
                    AdminProperty("failures", .integer(0...Int.max), "The wrong attempts that still count."),
                    AdminProperty(
                        "locked_until", .nullable(.timestamp),
                        "When there is room for another attempt; null if there is."),
                ])), "The reader, and the identifiers that a database of Gatefold has for them.")
    ])

    /// - Throws: The error of a shared store.
    func json() async throws -> JSONValue {
        var locks = [try await lock(nil, nil, reader.pseudonym)]
        for identifier in identifiers {
            guard let attempt = attempt(identifier) else { continue }
            locks.append(try await lock(identifier, attempt, nil))
        }
        return ["locks": .array(locks)]
    }

    private func lock(
        _ identifier: String?, _ attempt: LoginAttempt?, _ subscriber: SubscriberPseudonym?
    ) async throws -> JSONValue {
        let elapsed = service.clock.elapsed
        let failures = try await throttle.failures(of: attempt, subscriber, at: elapsed) ?? 0
        var end: Date?
        if case .locked(let wait) = try await throttle.lock(of: attempt, subscriber, at: elapsed) {
            end = service.clock.now.addingTimeInterval(TimeInterval(wait))
        }
        return ["identifier": .optional(identifier), "failures": .count(failures), "locked_until": .time(end)]
    }
}
