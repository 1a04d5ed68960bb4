import ArgumentParser
import Foundation
import Gatefold
import Server
import State

struct AuditVerifyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify", abstract: "Verify the chain of the audit log, and print its head.",
        discussion: """
            Reads the whole log and reports the first entry that was changed, removed, inserted or moved. Without \
            --expect it cannot show that entries at the end are missing: note the head of each verification outside of \
            the state, and pass it to the next.

            The exit status is 0 if the log is intact, 1 if it is not or cannot be read, 64 for an invalid head and 69 \
            if the state cannot be read. If the first entry is reported as changed, `state.pseudonym_secret` may be \
            another one.
            """)

    @OptionGroup var configuration: ConfigurationOptions
    @OptionGroup var output: OutputOptions

    @Option(help: "A head that this command printed before, as NUMBER:HASH. The log must contain it.")
    var expect: Head?

    struct Head: ExpressibleByArgument {
        let head: AuditHead

        init?(argument: String) {
            guard let head = AuditHead(argument) else { return nil }
            self.head = head
        }
    }

    private struct Report: Encodable {
        struct Break: Encodable {
            let sequence: Int64
            let cause: String
        }

        let intact: Bool
        /// The number of entries before the first break.
        let entries: Int64
        /// The last of them.
        let head: String?
        let firstBreak: Break?
    }

    func run() async throws {
        let read = try configuration.read()
        let found: AuditVerification.Report
        do {
            found = try await AuditVerification.run(
                Bootstrap.existingStateStore(read), AuditChain(read.state.pseudonymKey), expecting: expect?.head)
        } catch let error as StateStoreError where StateStoreError.isUnavailable(error) {
            throw CommandFailure(.unavailable, error.description)
        } catch let error as StateStoreError {
            throw CommandFailure(.negativeResult, "The audit log is broken: \(error)")
        } catch let error as AuditLogError {
            throw CommandFailure(.negativeResult, "The audit log is broken: \(error)")
        }
        let report = Report(
            intact: found.firstBreak == nil, entries: found.intact, head: found.head?.description,
            firstBreak: found.firstBreak.map { Report.Break(sequence: $0.sequence, cause: $0.cause.rawValue) })
        let head = "head  \(found.head?.description ?? "none")"
        try output.print(
            report,
            text: found.firstBreak.map {
                "The audit log is broken: \($0). \(found.intact) entries before it are intact."
            }
                ?? "The audit log is intact: \(found.intact) entries.\n\(head)")
        if found.firstBreak != nil { throw ExitCode(CommandFailure.Status.negativeResult.rawValue) }
    }
}
