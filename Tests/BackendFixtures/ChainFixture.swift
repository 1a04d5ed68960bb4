public import Gatefold

/// A chain of an embedded database with one of the readers and a program with the others.
public struct ChainFixture: BackendFixture {
    public static let name = "chain"
    public static let outages = ProcessFixture.outages

    private let database: SQLiteFixture
    private let program: ProcessFixture

    public static func run(_ body: (ChainFixture) async throws -> Void) async throws {
        try await SQLiteFixture.run([StandardReaders.dan]) { database in
            try await ProcessFixture.run(StandardReaders.all.filter { $0 != StandardReaders.dan }) { program in
                try await body(ChainFixture(database: database, program: program))
            }
        }
    }

    public var settings: String {
        """
        kind: chain
        members:
          - backend: database
          - backend: program
        """
    }

    public var isRemote: Bool { false }

    public var members: [(name: String, settings: String, isRemote: Bool)] {
        [("database", database.settings, database.isRemote), ("program", program.settings, program.isRemote)]
    }

    public func set(_ state: SubscriptionState, of reader: StandardReader) async throws {
        try await database.set(state, of: reader)
        try await program.set(state, of: reader)
    }

    public func setPassword(_ password: String, of reader: StandardReader) async throws {
        try await database.setPassword(password, of: reader)
        try await program.setPassword(password, of: reader)
    }

    public func fail(_ outage: Outage) async throws { try await program.fail(outage) }

    public func recover() async throws { try await program.recover() }
}
