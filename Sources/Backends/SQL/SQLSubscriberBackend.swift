import Gatefold
import PasswordHashing
import Primitives
import Resilience
import SQLAccess

/// Authenticates the subscribers of a database with the publisher's own statements.
struct SQLSubscriberBackend<Database: SQLDatabase>: EditionDecidingBackend, LookupBackend {
    let name: String
    let database: Database
    let queries: SQLQueries
    private let mapping: SubscriptionMapping
    let services: BackendServices

    init(
        name: String, database: Database, queries: SQLQueries, mapping: SubscriptionMapping, services: BackendServices
    ) {
        self.name = name
        self.database = database
        self.queries = queries
        self.mapping = mapping
        self.services = services
    }

    /// Authenticates a reader. No row, several rows, a row without a key and a wrong proof give the same result
    /// after the same work: one statement, and the comparison that the settings specify.
    func authenticate(_ credentials: Credentials, context: CallContext) async throws -> Fetched<AuthenticationResult> {
        let found = try await find(credentials, context)
        if let rule = queries.proof {
            let verdict = try await rule.check(credentials, against: found?.proof, with: services.passwords)
            guard case .right = verdict, found?.proof != nil else {
                let subscriber = found.map { Subscriber(backend: name, key: $0.key) }
                return .rejected(message: nil, found: FoundSubscribers(subscriber.map { [$0] } ?? []))
            }
        }
        guard let found else { return .rejected(message: nil) }
        return .authenticated(Subscriber(backend: name, key: found.key))
    }

    /// Returns the subscription of a reader. Each row is one subscription; see `Subscription.merged(_:)` for
    /// several.
    func subscription(of subscriber: Subscriber, context: CallContext) async throws -> Fetched<Subscription> {
        guard subscriber.backend == name, var values = SQLValues(key: subscriber.key, context, queries) else {
            return Fetched(Subscription(state: .unknown))
        }
        var wanted = mapping.fields
        // If a separate statement lists the editions, the column in the subscription statement is optional.
        var optional: Set<String> = []
        if queries.editions != nil, let own = wanted.remove(mapping.editionsField) { optional.insert(own) }
        QueryTrace.begin("queries.subscription")
        let records = try await rows(queries.subscription, &values)
            .records(wanted, optional: optional)
        guard !records.isEmpty else { return Fetched(Subscription(state: .unknown)) }
        var held: [Record]?
        if let editions = queries.editions {
            QueryTrace.begin("queries.editions")
            held = try await rows(editions, &values).records([mapping.editionsField])
        }
        let now = services.clock.now
        var subscriptions: [Subscription] = []
        for record in records {
            subscriptions.append(try mapping.subscription(from: record, held: held, at: now))
        }
        return Fetched(Subscription.merged(subscriptions))
    }

    func verdict(
        on edition: EditionID?, for subscriber: Subscriber, context: CallContext
    ) async throws -> Fetched<EditionVerdict?> {
        guard let statement = queries.verdict, let edition else { return Fetched(nil) }
        guard subscriber.backend == name, var values = SQLValues(key: subscriber.key, context, queries) else {
            return Fetched(.rejected(.rejected, message: nil))
        }
        values.bound[SQLQueries.edition] = edition.description
        QueryTrace.begin("queries.verdict")
        let rows: SQLRows
        do {
            rows = try await self.rows(statement, &values)
        } catch let failure as any SQLDatabaseFailure where failure.isValueError {
            // The app names the edition. Letters instead of a number are an edition that no reader holds.
            recordRejectedValue()
            return Fetched(.rejected(.notEntitled, message: nil))
        }
        return Fetched(try rows.isAffirmative ? .granted : .rejected(.notEntitled, message: nil))
    }

    func health() async throws {
        QueryTrace.begin("queries.health")
        _ = try await database.rows(queries.health, [:])
    }

    /// Runs a statement. A request field that the database rejects counts as not sent. An error would count as an
    /// outage for the reader, although the app chooses the fields that it sends.
    private func rows(_ statement: SQLStatement, _ values: inout SQLValues) async throws -> SQLRows {
        do {
            return try await database.rows(statement, values.bound)
        } catch let failure as any SQLDatabaseFailure
            where failure.isValueError && !statement.parameters.isDisjoint(with: values.requested)
        {
            recordRejectedValue()
            values.dropRequested()
            return try await database.rows(statement, values.bound)
        }
    }

    private func recordRejectedValue() { services.observe(BackendEvent(backend: name, name: "value_rejected")) }

    /// Throws an error if the result of `authenticate` has a stored proof that is not compared. It is a configuration
    /// mistake, and is reported for every reader.
    func requireVerification(of result: SQLRows) throws(SQLSetupError) {
        if queries.proof == nil, result.columns.contains(where: { $0.lowercased() == "password" }) {
            throw .unverifiedPassword
        }
    }

    private func find(
        _ credentials: Credentials, _ context: CallContext
    ) async throws -> (key: String, proof: StoredProof?)? {
        guard let values = SQLValues(credentials, context, queries) else { return nil }
        let stored: Set<String> = queries.proof == nil ? [] : ["password"]
        QueryTrace.begin("queries.authenticate")
        let result: SQLRows
        do {
            result = try await database.rows(queries.authenticate, values.bound)
        } catch let failure as any SQLDatabaseFailure where failure.isValueError {
            recordRejectedValue()
            return nil
        }
        try requireVerification(of: result)
        let rows = try result.records(stored.union(["key"]), optional: ["password", "salt"])
        guard rows.count <= 1 else {
            services.observe(
                BackendEvent(
                    backend: name, name: "several_matches",
                    detail: "\(rows.count) rows match the same credentials; expected at most one"))
            return nil
        }
        guard let row = rows.first else { return nil }
        guard let key = try row.value("key"), !key.isEmpty, !key.utf8.contains(0) else {
            services.observe(BackendEvent(backend: name, name: "row_without_key"))
            return nil
        }
        guard let password = try row.has("password") ? row.value("password") : nil, !password.isEmpty else {
            return (key, nil)
        }
        return (key, StoredProof(value: password, salt: try row.has("salt") ? row.value("salt") : nil))
    }
}

/// A mistake in the statements that only their results reveal.
enum SQLSetupError: BackendFailure, Equatable {
    case unverifiedPassword

    var cause: String {
        "`queries.authenticate` returns a column `password`, and no section `proof` defines how to compare it"
    }
}
