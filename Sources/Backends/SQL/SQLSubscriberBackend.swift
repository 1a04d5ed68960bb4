import Gatefold

/// Recognises the subscribers of a database by the publisher's own statements.
struct SQLSubscriberBackend<Database: SQLDatabase>: SubscriberBackend {
    let name: String
    private let database: Database
    private let queries: SQLQueries
    private let mapping: SubscriptionMapping
    private let services: BackendServices

    init(
        name: String, database: Database, queries: SQLQueries, mapping: SubscriptionMapping, services: BackendServices
    ) {
        self.name = name
        self.database = database
        self.queries = queries
        self.mapping = mapping
        self.services = services
    }

    /// Nobody, several, a row without a key and a wrong proof are one answer after the same work: one statement, and the
    /// comparison that the settings ask for.
    func recognise(_ credentials: Credentials, inquiry: Inquiry) async throws -> Recognition {
        let found = try await find(credentials, inquiry)
        if let rule = queries.proof {
            let verdict = try await rule.check(credentials, against: found?.proof, with: services.passwords)
            guard case .right = verdict, found?.proof != nil else {
                let subscriber = found.map { Subscriber(backend: name, key: $0.key) }
                return .notRecognised(message: nil, found: FoundSubscribers(subscriber.map { [$0] } ?? []))
            }
        }
        guard let found else { return .notRecognised(message: nil) }
        return .recognised(Subscriber(backend: name, key: found.key))
    }

    /// One row is one subscription of the reader's; see ``Subscription/merged(_:)`` for several.
    func subscription(of subscriber: Subscriber, inquiry: Inquiry) async throws -> Subscription {
        guard subscriber.backend == name, var values = SQLValues(key: subscriber.key, inquiry, queries) else {
            return Subscription(state: .unknown)
        }
        var wanted = mapping.fields
        // A statement of its own lists the editions; the subscription's may do so, too.
        var optional: Set<String> = []
        if queries.editions != nil, let own = wanted.remove(mapping.editionsField) { optional.insert(own) }
        let records = try await rows(queries.subscription, &values)
            .records(wanted, optional: optional)
        guard !records.isEmpty else { return Subscription(state: .unknown) }
        var held: [Record]?
        if let editions = queries.editions {
            held = try await rows(editions, &values).records([mapping.editionsField])
        }
        let now = services.clock.now
        var subscriptions: [Subscription] = []
        for record in records {
            subscriptions.append(try mapping.subscription(from: record, held: held, at: now))
        }
        return Subscription.merged(subscriptions)
    }

    func verdict(
        on edition: EditionID?, for subscriber: Subscriber, inquiry: Inquiry
    ) async throws -> EditionVerdict? {
        guard let statement = queries.verdict, let edition else { return nil }
        guard subscriber.backend == name, var values = SQLValues(key: subscriber.key, inquiry, queries) else {
            return .refused(.notRecognised, message: nil)
        }
        values.bound[SQLQueries.edition] = edition.description
        let rows: SQLRows
        do {
            rows = try await self.rows(statement, &values)
        } catch let failure as any SQLDatabaseFailure where failure.isOfValue {
            // The app names the edition: letters for a number are an edition that nobody holds.
            noteRefusedValue()
            return .refused(.notEntitled, message: nil)
        }
        return try rows.sayYes ? .granted : .refused(.notEntitled, message: nil)
    }

    func health() async throws {
        _ = try await database.rows(queries.health, [:])
    }

    /// A field of the request that the database refuses counts as one that was not sent. An error would be an outage to
    /// whoever asks, and the app decides what it sends.
    private func rows(_ statement: SQLStatement, _ values: inout SQLValues) async throws -> SQLRows {
        do {
            return try await database.rows(statement, values.bound)
        } catch let failure as any SQLDatabaseFailure
            where failure.isOfValue && !statement.parameters.isDisjoint(with: values.requested)
        {
            noteRefusedValue()
            values.dropRequested()
            return try await database.rows(statement, values.bound)
        }
    }

    private func noteRefusedValue() { services.observe(BackendEvent(backend: name, name: "value_refused")) }

    private func find(
        _ credentials: Credentials, _ inquiry: Inquiry
    ) async throws -> (key: String, proof: StoredProof?)? {
        guard let values = SQLValues(credentials, inquiry, queries) else { return nil }
        let stored: Set<String> = queries.proof == nil ? [] : ["password"]
        let answer: SQLRows
        do {
            answer = try await database.rows(queries.recognise, values.bound)
        } catch let failure as any SQLDatabaseFailure where failure.isOfValue {
            noteRefusedValue()
            return nil
        }
        // A stored proof that nothing compares is a mistake, not a decoration; told whoever asks.
        if queries.proof == nil, answer.columns.contains(where: { $0.lowercased() == "password" }) {
            throw SQLSetupError.uncheckedPassword
        }
        let rows = try answer.records(stored.union(["key"]), optional: ["password", "salt"])
        guard rows.count <= 1 else {
            services.observe(
                BackendEvent(
                    backend: name, name: "several_matches",
                    detail: "\(rows.count) rows answer to the same credentials; expected one at most"))
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

/// A mistake in the statements that only their answers show.
enum SQLSetupError: BackendFailure, Equatable {
    case uncheckedPassword

    var cause: String {
        "`queries.recognise` answers with a column `password`, and no section `proof` says how to compare it"
    }
}
