import ArgumentParser
import Foundation
import Gatefold
import Primitives
import Server
import State

struct TokenCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "token", abstract: "Inspect and revoke tokens.",
        subcommands: [TokenInspectCommand.self, TokenRevokeCommand.self])
}

struct TokenInspectCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "inspect", abstract: "Show the content of a token. Exits with 1 if it is not valid.",
        discussion: "The subscriber's key is personal data and is shown only on request.")

    @OptionGroup var configuration: ConfigurationOptions
    @OptionGroup var publication: PublicationOption
    @OptionGroup var output: OutputOptions
    @OptionGroup var audit: AuditOptions

    @Flag(help: "Include the backend's own key for the subscriber.")
    var revealKey = false

    @Argument(help: "The token; - reads it from standard input, which is required for a token that begins with -.")
    var token: String

    private struct Report: Encodable {
        var verdict: String
        let publication: String
        var backend: String?
        var subscriber: String?
        var key: String?
        var session: String?
        var device: String?
        var issuedAt: Date?
        var expiresAt: Date?
    }

    func run() async throws {
        let read = try configuration.read()
        let chosen = try read.publication(named: publication.publication)
        let codec = try Bootstrap.tokenCodec(for: chosen, in: read)
        var report = Report(verdict: "not a token of this publication", publication: chosen.publication.id.rawValue)
        if let session = codec.open(try StandardInput.argument(token)) {
            let subject = SaltSubject(
                subscriber: read.state.pseudonymKey.reference(to: session.subscriber), session: session.reference,
                issuedAt: session.issuedAt)
            let store = try Bootstrap.existingStateStore(read)
            try await audit.trail(read, in: store).record(
                .tokenInspect, of: [.subscriber(subject.subscriber)], in: chosen.publication.id,
                [("session", session.reference.description), ("key", revealKey ? "revealed" : nil)])
            let revocations = try await RevocationLists.recorded(in: store).list(for: chosen.publication.id)
            let isExpired = session.expiresAt <= WallClock.system.now
            report.verdict = revocations.isRevoked(subject) ? "revoked" : isExpired ? "expired" : "valid"
            report.backend = session.subscriber.backend
            report.subscriber = subject.subscriber.description
            report.key = revealKey ? session.subscriber.key : nil
            report.session = session.reference.description
            report.device = session.device?.description
            report.issuedAt = session.issuedAt
            report.expiresAt = session.expiresAt
        }
        let lines: [(String, String?)] = [
            ("verdict", report.verdict), ("publication", report.publication), ("backend", report.backend),
            ("subscriber", report.subscriber), ("key", report.key), ("session", report.session),
            ("device", report.device), ("issued", report.issuedAt?.formatted(.iso8601)),
            ("expires", report.expiresAt?.formatted(.iso8601)),
        ]
        try output.print(
            report,
            text: lines.compactMap { name, value in
                value.map { name.padding(toLength: 12, withPad: " ", startingAt: 0) + $0 }
            }.joined(separator: "\n"))
        if report.verdict != "valid" { throw ExitCode(CommandFailure.Status.negativeResult.rawValue) }
    }
}

struct TokenRevokeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "revoke", abstract: "Revoke the sessions of a token, a device or a subscriber.",
        discussion: """
            A running server applies the revocation within two seconds. It ends everything issued so far: tokens, \
            their renewals, and downloads with sealed salts. The reader can sign in again immediately.
            """)

    @OptionGroup var configuration: ConfigurationOptions
    @OptionGroup var publication: PublicationOption
    @OptionGroup var output: OutputOptions
    @OptionGroup var audit: AuditOptions

    @Option(parsing: .unconditional, help: "The token; - reads it from standard input.")
    var token: String?

    @Option(help: "The subscriber's pseudonym, as logs, `subscribers show` and `token inspect` show it.")
    var subscriber: String?

    @Option(
        help: "With --subscriber: only this device, by its pseudonym or by the identifier that the app sends.")
    var device: String?

    func validate() throws {
        guard (token == nil) != (subscriber == nil) else {
            throw ValidationError("expected either --token or --subscriber")
        }
        guard device == nil || subscriber != nil else { throw ValidationError("--device requires --subscriber") }
    }

    private struct Report: Encodable {
        let publication: String
        let subscriber: String
        let session: String?
    }

    func run() async throws {
        let read = try configuration.read()
        let chosen = try read.publication(named: publication.publication)
        let (revokedSubscriber, session, revokedDevice) = try target(read, chosen)
        let store = try Bootstrap.existingStateStore(read)
        let recorded = try await RevocationLists.recorded(in: store).list(for: chosen.publication.id)
        try await audit.trail(read, in: store).perform(
            .tokenRevoke, of: [.subscriber(revokedSubscriber)], in: chosen.publication.id,
            [("session", session?.description), ("device", revokedDevice?.description)]
        ) {
            try await store.record(recorded.makeRevocation(revokedSubscriber, session: session, at: store.now))
            if let revokedDevice {
                try await store.remove(revokedDevice, of: revokedSubscriber, in: chosen.publication.id)
            }
        }
        try output.print(
            Report(
                publication: chosen.publication.id.rawValue, subscriber: revokedSubscriber.description,
                session: session?.description),
            text: session.map { "Revoked session \($0) of subscriber \(revokedSubscriber)." }
                ?? "Revoked all sessions of subscriber \(revokedSubscriber).")
    }

    private func target(
        _ read: GatefoldConfiguration, _ chosen: PublicationConfiguration
    ) throws -> (SubscriberPseudonym, SessionPseudonym?, DevicePseudonym?) {
        if let token {
            let codec = try Bootstrap.tokenCodec(for: chosen, in: read)
            guard let session = codec.open(try StandardInput.argument(token)) else {
                throw CommandFailure(.dataError, "not a token of \(chosen.publication.id)")
            }
            return (read.state.pseudonymKey.reference(to: session.subscriber), session.reference, session.device)
        }
        guard let revokedSubscriber = subscriber.flatMap({ SubscriberPseudonym($0) }) else {
            throw CommandFailure(
                .usage,
                "expected --subscriber as \(SubscriberPseudonym.size * 2) hexadecimal digits; see `subscribers show`"
            )
        }
        guard let device else { return (revokedSubscriber, nil, nil) }
        let reference = DevicePseudonym(device) ?? read.state.pseudonymKey.reference(toDevice: device)
        return (revokedSubscriber, SessionPseudonym(reference), reference)
    }
}
