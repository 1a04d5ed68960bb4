import ArgumentParser
import Foundation
import Gatefold
import Server
import State

struct StateEndSessionsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "end-sessions", abstract: "End all sessions after a restore of a state in PostgreSQL.",
        discussion: """
            A backup lacks the revocations made after it. Run this command after you restored the database with \
            PostgreSQL's own tools and before the servers start. It ends all existing sessions: tokens, their \
            renewals, and downloads with sealed salts. All readers must sign in again. It also \
            deletes the e-mails that wait, because most were sent after the backup.
            """)

    @OptionGroup var configuration: ConfigurationOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup var audit: AuditOptions

    private struct Report: Encodable {
        let sessionFloor: Date
    }

    func run() async throws {
        let read = try configuration.read()
        let store = try read.sharedStateStore("`state restore` ends its sessions")
        let floor = try await audit.trail(read, in: store).perform(
            .stateEndSessions,
            outcome: { (floor: Date) -> AuditDetails.Pairs in [("session_floor", floor.formatted(.iso8601))] }
        ) { try await store.endAllSessions() }
        try output.print(
            Report(sessionFloor: floor), text: "Sessions issued before \(floor.formatted(.iso8601)) are ended.")
    }
}
