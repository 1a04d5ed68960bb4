import ArgumentParser
import Foundation
import Gatefold
import Server
import State

/// The options of a command that changes something or reveals a person, and so writes to the audit log.
///
/// A test requires these options of each command that is not in its list of the other commands.
struct AuditOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The reason, for the audit log.",
            discussion: "One line without personal data, because entries are never deleted. Maximum: 500 bytes."))
    var reason: String?

    func validate() throws {
        if let reason, AuditReason(reason) == nil {
            throw ValidationError(
                "expected --reason as one line of 1 to \(AuditReason.maxBytes) bytes without an e-mail address")
        }
    }

    /// Returns the trail of this user in a state that the command has opened.
    func trail(_ configuration: GatefoldConfiguration, in log: any AuditLog) -> AuditTrail {
        AuditTrail(
            log, AuditChain(configuration.state.pseudonymKey), by: actor,
            reason: reason.flatMap { AuditReason($0) },
            didMissOutcome: { error in
                FileHandle.standardError.write(
                    Data("Warning: the outcome is not in the audit log: \(error)\n".utf8))
            })
    }

    /// Returns the trail of this user for a command that does not use the state otherwise. A state that never existed is
    /// created.
    ///
    /// - Throws: `BootstrapError`.
    func trail(_ configuration: GatefoldConfiguration) throws -> AuditTrail {
        trail(configuration, in: try Bootstrap.auditedStateStore(configuration))
    }

    /// Returns the record of an action that is appended together with its change.
    func record(_ action: AuditAction, _ details: AuditDetails.Pairs = []) -> AuditRecord {
        AuditRecord(
            action, by: actor, reason: reason.flatMap { AuditReason($0) }, details: AuditDetails(details))
    }

    private var actor: AuditActor { CommandUser.actor(ProcessInfo.processInfo.environment) }
}
