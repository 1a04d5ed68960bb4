import ArgumentParser
import Foundation
import Gatefold
import Server

struct BackendsTestCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "test", abstract: "Connect to a backend, and run its statements or requests for one reader.",
        discussion: """
            Opens the backend of the configuration in this process, with its configured limits, checks the connection, \
            looks the reader up, signs in if a password is given, and shows what the system returns and what Gatefold \
            makes of it. Values that may identify the reader are masked. A step that fails names its statement or \
            request, and the cause. A chain is tested member by member.
            A sign-in counts as one in the subscriber system: it may open a session there, and a wrong password may \
            count as an attempt. The login throttle of the server is not involved.
            Exits with 0 if every step succeeded, 1 if no system has the reader or the password is wrong, and 69 if a \
            step failed.
            """)

    @OptionGroup var configuration: ConfigurationOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup var audit: AuditOptions

    @Argument(help: "The backend's name in the configuration.")
    var backend: String

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "The reader's sign-in identifier; - reads it from standard input. Default: only the connection is tested."))
    var identifier: String?

    @Flag(help: "Sign the reader in with the password in the next line of standard input.")
    var passwordStdin = false

    @Option(help: "An edition on which the backend's own verdict is requested.")
    var edition: String?

    func validate() throws {
        guard identifier != nil || (!passwordStdin && edition == nil) else {
            throw ValidationError("--password-stdin and --edition require --identifier")
        }
    }

    func run() async throws {
        let read = try configuration.read()
        guard read.backends.contains(where: { $0.name == backend }) else {
            let names = read.backends.map(\.name).joined(separator: ", ")
            throw CommandFailure(.usage, "no backend \(backend); expected one of \(names)")
        }
        let edition = try edition.map { try EditionID.argument($0) }
        let test = try BackendTest(backend, in: read)
        var reader: BackendTest.Reader?
        let identifier = try identifier.map { try StandardInput.argument($0) }
        if let identifier {
            guard test.accepts(identifier: identifier) else {
                throw CommandFailure(.usage, "no sign-in accepts this identifier")
            }
            var password: String?
            if passwordStdin {
                guard test.proofs.count == 1 else {
                    throw CommandFailure(.usage, "a test sign-in requires a publication with one proof")
                }
                password = try StandardInput.argument("-")
            }
            reader = BackendTest.Reader(identifier, password: password, edition: edition)
        }
        let subjects: [AuditSubject] =
            [.backend(backend)] + (identifier.map { [.identifier($0, read.state.pseudonymKey)] } ?? [])
        let report = try await audit.trail(read).perform(
            .backendTest, of: subjects, [("sign_in", passwordStdin ? "yes" : "no")]
        ) {
            try await test.run(reader)
        }
        try output.print(report, text: report.text)
        if report.hasFailed { throw ExitCode(CommandFailure.Status.unavailable.rawValue) }
        if report.isNegative { throw ExitCode(CommandFailure.Status.negativeResult.rawValue) }
    }
}
