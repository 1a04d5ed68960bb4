import Accounts
import ArgumentParser
import Backends
import Foundation
import Gatefold
import Server
import State

/// The options that select a reader by one of the names that the operator may have.
struct ReaderOptions: ParsableArguments {
    @Argument(
        help: """
            The reader's sign-in identifier, or the pseudonym of the subscriber from a line of the log; - reads it from \
            standard input.
            """)
    var reader: String?

    @Option(help: "The backend of --key.")
    var backend: String?

    @Option(help: "A subscriber, by the backend's own key; requires --backend.")
    var key: String?

    @Option(help: "An owner, as `account show` and `purchases show` print it.")
    var owner: String?

    func validate() throws {
        guard [reader, key, owner].compactMap(\.self).count == 1 else {
            throw ValidationError("expected one of READER, --key and --owner")
        }
        guard (key == nil) == (backend == nil) else { throw ValidationError("expected --key and --backend together") }
        if let owner, PurchaseOwner(owner) == nil {
            throw ValidationError("expected --owner as 32 hexadecimal digits")
        }
    }

    /// What was found by the options.
    struct Found {
        var reader = TimelineReader()
        /// The subscribers whose keys are known.
        var named: [NamedReader] = []
        /// The subjects of an entry of the audit log.
        var subjects: [AuditSubject] = []

        mutating func add(_ subscriber: Subscriber, _ key: PseudonymKey) {
            let pseudonym = key.reference(to: subscriber)
            guard !subjects.contains(.subscriber(pseudonym)) else { return }
            reader.add(subscriber, key)
            subjects.append(.subscriber(pseudonym))
            named.append(
                NamedReader(backend: subscriber.backend, key: subscriber.key, pseudonym: pseudonym.description))
        }

        mutating func add(_ owner: PurchaseOwner, _ key: PseudonymKey) {
            // The owner of a subscriber who was added is known already.
            guard !reader.subjects.contains(.owner(owner)) else { return }
            reader.add(owner, key)
            subjects.append(.owner(owner))
        }
    }

    /// - Throws: ``CommandFailure`` for a backend that is not in the configuration, or the error of the state.
    func find(_ configuration: GatefoldConfiguration, in state: any StateStore) async throws -> Found {
        let pseudonymKey = configuration.state.pseudonymKey
        var found = Found()
        if let backend, let key {
            guard configuration.backends.contains(where: { $0.name == backend }) else {
                let names = configuration.backends.map(\.name).joined(separator: ", ")
                throw CommandFailure(.usage, "expected one of the backends \(names), not \(backend)")
            }
            found.add(Subscriber(backend: backend, key: key), pseudonymKey)
        } else if let owner = owner.flatMap({ PurchaseOwner($0) }) {
            found.add(owner, pseudonymKey)
        } else {
            try await find(try StandardInput.argument(reader ?? "-"), configuration, in: state, &found)
        }
        return found
    }

    private func find(
        _ text: String, _ configuration: GatefoldConfiguration, in state: any StateStore, _ found: inout Found
    ) async throws {
        let pseudonymKey = configuration.state.pseudonymKey
        if let pseudonym = SubscriberPseudonym(text) {
            if let known = try await state.knownReader(pseudonym)?.subscriber(pseudonymKey) {
                found.add(known, pseudonymKey)
            } else {
                found.reader.add(pseudonym)
                found.subjects.append(.subscriber(pseudonym))
            }
        }
        found.reader.add(identifier: text, pseudonymKey)
        for (name, kind) in try Bootstrap.plan(configuration).entries.compactMap({ entry in
            (entry.kind as? any SubscriberDatabaseKind).map { (entry.name, $0) }
        }) {
            do {
                if let id = try await kind.openDatabase().id(of: text) { found.add(kind.subscriber(id), pseudonymKey) }
            } catch {
                // The events of the other systems are still of use.
                FileHandle.standardError.write(Data("Warning: \(name) is left out: \(error)\n".utf8))
            }
        }
        for publication in configuration.publications.map(\.publication.id) {
            for account in try await state.accounts(identifiedBy: text, in: publication) {
                found.add(account.owner, pseudonymKey)
            }
        }
        if found.subjects.isEmpty { found.subjects.append(.identifier(text, pseudonymKey)) }
    }
}

/// A subscriber in the output of a command.
struct NamedReader: Encodable {
    let backend: String
    let key: String
    let pseudonym: String
}
