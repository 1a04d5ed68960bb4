import ArgumentParser
import Foundation
import Gatefold
import Primitives
import Server

struct CredentialsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "credentials", abstract: "Issue and verify edition credentials.",
        subcommands: [CredentialsIssueCommand.self, CredentialsVerifyCommand.self])
}

struct CredentialsIssueCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "issue", abstract: "Print a userid and password that open an edition.",
        discussion: """
            Issues a plain salt, for the packager, a test or an editor. The gate accepts it if the publication accepts \
            plain salts (edition_credentials.accept_plain_salts). Any verifier with the secret accepts it.
            """)

    @OptionGroup var configuration: ConfigurationOptions
    @OptionGroup var publication: PublicationOption
    @OptionGroup var output: OutputOptions
    @OptionGroup var audit: AuditOptions

    @Argument(help: "The edition, such as com.example.title.2026-11.")
    var edition: String

    private struct Pair: Encodable {
        let edition: String
        let userid: String
        let password: String
    }

    func run() async throws {
        let read = try configuration.read()
        let chosen = try read.publication(named: publication.publication)
        let edition = try EditionID.argument(edition)
        try await audit.trail(read).record(
            .credentialsIssue, of: [.edition(edition)], in: chosen.publication.id)
        let salt = Hexadecimal.encode(RandomSource.system.bytes(16))
        let password = EditionPassword.make(edition: edition, salt: salt, secret: chosen.editionSecrets.current)
        try output.print(
            Pair(edition: edition.rawValue, userid: salt, password: password),
            text: "userid    \(salt)\npassword  \(password)")
    }
}

struct CredentialsVerifyCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify",
        abstract: "Verify a userid and password as the gate does. Exits with 1 if they are denied.",
        discussion: """
            Checks the pair alone, without the revocations in the running server's state. If the userid begins with -, \
            write -- before the edition.
            """)

    @OptionGroup var configuration: ConfigurationOptions
    @OptionGroup var publication: PublicationOption
    @OptionGroup var output: OutputOptions

    @Argument(help: "The edition.")
    var edition: String

    @Argument(help: "The userid, which is the salt.")
    var userid: String

    @Argument(help: "The password; - reads it from standard input.")
    var password: String

    private struct Report: Encodable {
        let accepted: Bool
        let verdict: String
        let subscriber: String?
    }

    func run() throws {
        let chosen = try configuration.read().publication(named: publication.publication)
        let edition = try EditionID.argument(edition)
        let verifier = EditionCredentialsVerifier(
            publication: chosen.publication.id, secrets: chosen.editionSecrets,
            acceptsPlainSalts: chosen.acceptsPlainSalts, resumeWindow: chosen.publication.lifetimes.resumeWindow)
        let pair = EditionCredentials(userid: userid, password: try StandardInput.argument(password))
        let verdict = verifier.verify(
            pair, for: edition, at: WallClock.system.now,
            revocations: RevocationList(publication: chosen.publication.id))
        let report =
            switch verdict {
            case .accepted(let subject):
                Report(accepted: true, verdict: "accepted", subscriber: subject?.subscriber.description)
            case .expiredButResumable(let subject):
                Report(
                    accepted: false, verdict: "expired; valid for a resumed download",
                    subscriber: subject.subscriber.description)
            case .expired(let subject):
                Report(accepted: false, verdict: "expired", subscriber: subject.subscriber.description)
            case .revoked(let subject):
                Report(accepted: false, verdict: "revoked", subscriber: subject.subscriber.description)
            case .wrongPassword: Report(accepted: false, verdict: "wrong password for this edition", subscriber: nil)
            case .unsealed:
                Report(accepted: false, verdict: "correct, but plain salts are not accepted", subscriber: nil)
            case .malformed:
                Report(
                    accepted: false, verdict: "malformed: expected a salt and 40 lower-case hexadecimal digits",
                    subscriber: nil)
            }
        try output.print(
            report, text: report.verdict + (report.subscriber.map { "\nsubscriber  \($0)" } ?? ""))
        if !report.accepted { throw ExitCode(CommandFailure.Status.negativeResult.rawValue) }
    }
}

extension EditionID {
    static func argument(_ text: String) throws -> EditionID {
        guard let edition = EditionID(text) else {
            throw CommandFailure(.usage, "expected an edition of 1 to 128 letters, digits, dots, - and _")
        }
        return edition
    }
}
