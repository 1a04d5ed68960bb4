import ArgumentParser
import Foundation
import Gatefold
import Server
import State

struct TokenCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "token", abstract: "Look into tokens, and revoke them.",
        subcommands: [TokenInspectCommand.self, TokenRevokeCommand.self])
}

struct TokenInspectCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "inspect", abstract: "Say what a token stands for. Exits with 1 when it is not good.",
        discussion: "The subscriber's key is personal data and is shown only when asked for.")

    @OptionGroup var configuration: ConfigurationOptions
    @OptionGroup var publication: PublicationOption
    @OptionGroup var output: OutputOptions

    @Flag(help: "Show the backend's own key for the subscriber, too.")
    var revealKey = false

    @Argument(help: "The token; - reads it from standard input, as one that begins with - has to be.")
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
        let codec = try Assembly.tokenCodec(for: chosen, in: read)
        var report = Report(verdict: "no token of this publication", publication: chosen.publication.id.rawValue)
        if let session = codec.open(try StandardInput.argument(token)) {
            let holder = SaltHolder(
                subscriber: read.state.references.reference(to: session.subscriber), session: session.reference,
                issuedAt: session.issuedAt)
            let revocations = try await RevocationLists.recorded(in: Assembly.existingStateStore(read))
                .list(for: chosen.publication.id)
            let isExpired = session.expiresAt <= WallClock.system.now
            report.verdict = revocations.isRevoked(holder) ? "revoked" : isExpired ? "expired" : "good"
            report.backend = session.subscriber.backend
            report.subscriber = holder.subscriber.description
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
        if report.verdict != "good" { throw ExitCode(CommandFailure.Status.no.rawValue) }
    }
}

struct TokenRevokeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "revoke", abstract: "End sessions: of a token, of a device, or all of a subscriber.",
        discussion: """
            A running server follows within a second or two. Everything issued up to now ends: tokens, their renewals, \
            and downloads under sealed salts. Signing in again works at once.
            """)

    @OptionGroup var configuration: ConfigurationOptions
    @OptionGroup var publication: PublicationOption
    @OptionGroup var output: OutputOptions

    @Option(parsing: .unconditional, help: "The token; - reads it from standard input.")
    var token: String?

    @Option(help: "The subscriber's reference, as logs, `subscribers show` and `token inspect` show it.")
    var subscriber: String?

    @Option(help: "With --subscriber: only this device, as `token inspect` shows it, or as the app sends it.")
    var device: String?

    func validate() throws {
        guard (token == nil) != (subscriber == nil) else {
            throw ValidationError("expected either --token or --subscriber")
        }
        guard device == nil || subscriber != nil else { throw ValidationError("--device needs --subscriber") }
    }

    private struct Report: Encodable {
        let publication: String
        let subscriber: String
        let session: String?
    }

    func run() async throws {
        let read = try configuration.read()
        let chosen = try read.publication(named: publication.publication)
        let (who, session, endedDevice) = try target(read, chosen)
        let store = try Assembly.existingStateStore(read)
        let recorded = try await RevocationLists.recorded(in: store).list(for: chosen.publication.id)
        try await store.record(recorded.ending(who, session: session, at: WallClock.system.now))
        if let endedDevice { try await store.remove(endedDevice, of: who, in: chosen.publication.id) }
        try output.print(
            Report(
                publication: chosen.publication.id.rawValue, subscriber: who.description,
                session: session?.description),
            text: session.map { "Session \($0) of subscriber \(who) is revoked." }
                ?? "All sessions of subscriber \(who) are revoked.")
    }

    private func target(
        _ read: GatefoldConfiguration, _ chosen: PublicationConfiguration
    ) throws -> (SubscriberReference, SessionReference?, DeviceReference?) {
        if let token {
            let codec = try Assembly.tokenCodec(for: chosen, in: read)
            guard let session = codec.open(try StandardInput.argument(token)) else {
                throw CommandFailure(.dataError, "this is no token of \(chosen.publication.id)")
            }
            return (read.state.references.reference(to: session.subscriber), session.reference, session.device)
        }
        guard let who = subscriber.flatMap({ SubscriberReference($0) }) else {
            throw CommandFailure(
                .usage,
                "expected --subscriber as \(SubscriberReference.size * 2) hexadecimal digits; `subscribers show` tells them"
            )
        }
        guard let device else { return (who, nil, nil) }
        let reference = DeviceReference(device) ?? read.state.references.reference(toDevice: device)
        return (who, SessionReference(reference), reference)
    }
}
