import ArgumentParser
import Gatefold
import Server
import State

struct StateMigrateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "migrate", abstract: "Migrate the tables of the state to this release, or show what is to do.",
        discussion: """
            A server migrates the state when it starts. Use this command if the account of the servers must not change \
            tables, with a configuration that names an account that may, or to migrate at a quiet time.

            While servers of the former release run, migrate only if all migrations are additive: those servers go on, \
            and restart. Otherwise stop them first.

            With --plan, the status is 0 if there is nothing to do, and 1 if there are migrations to apply. The status \
            is 78 if the state requires a newer release.
            """)

    @OptionGroup var configuration: ConfigurationOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup var audit: AuditOptions

    @Flag(help: "Print the migrations to apply, and change nothing.")
    var plan = false

    func run() async throws {
        let read = try configuration.read()
        let plan = try self.plan ? Bootstrap.migrationPlan(read) : Bootstrap.migrateState(read)
        // The log may be a part of the migration, so the entry follows. The tables record their migrations themselves. An
        // empty state gets no entry, because the target of `state copy` must be empty, and no entry can be deleted.
        if !self.plan, !plan.steps.isEmpty, plan.version > 0,
            try await !Bootstrap.stateStoreToCopy(read, creates: false).isEmpty()
        {
            try await audit.trail(read).record(
                .stateMigrate, [("from", String(plan.version)), ("to", String(plan.known))])
        }
        let report = MigrationReport(plan, isPlan: self.plan)
        try output.print(report, text: report.text)
        if self.plan, !plan.steps.isEmpty { throw ExitCode(CommandFailure.Status.negativeResult.rawValue) }
    }
}
