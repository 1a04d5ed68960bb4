import ArgumentParser
import Gatefold
import Server
import State

struct AdminTokenRevokeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "revoke",
        abstract: "Revoke a token of the admin API, a login link or a session of the console at once.",
        discussion: "The exit status is 1 if there is no such token.")

    @OptionGroup var configuration: ConfigurationOptions
    @OptionGroup var audit: AuditOptions

    @Argument(help: "The identifier of the token, as `admin token list` prints it.")
    var id: String

    func run() async throws {
        let read = try configuration.read()
        let store = try Bootstrap.existingStateStore(read)
        // A text that is no identifier may be a token, which must not be in the audit log.
        guard try await store.adminTokens().contains(where: { $0.id == id }) else {
            throw CommandFailure(.negativeResult, "no token with this identifier; see `gatefold admin token list`")
        }
        _ = try await audit.trail(read, in: store).perform(.adminTokenRevoke, of: [.adminToken(id)]) {
            try await store.revokeAdminToken(id, at: store.now)
        }
        print("Revoked token \(id).")
    }
}
