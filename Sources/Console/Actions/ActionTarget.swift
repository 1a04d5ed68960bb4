import JSON

/// The object of a change, which its page names before the change. Each value comes from an operation that reads the object, so
/// that there is no page for an object that does not exist, and the audit log has who asked for it.
enum ActionTarget {
    typealias Facts = @Sendable (ConsoleVisit) async throws(ConsoleProblem) -> [Fact]

    static let reader: Facts = { visit throws(ConsoleProblem) in
        let reader = try await visit.call("getReader")
        return [
            Fact("Publication", Cell(visit.publication)), Fact("Reader", Shown.cell(reader["pseudonym"])),
            Fact("Backend", Shown.cell(reader["backend"])), Fact("Key in the backend", Shown.cell(reader["key"])),
        ]
    }

    static let device: Facts = { visit throws(ConsoleProblem) in
        let facts = try await reader(visit)
        let device = try await item(of: "listDevices", "device", visit.path["device"], visit)
        return facts + [
            Fact("Device", Shown.cell(device["device"])), Fact("First sign-in", Shown.time(device["first_used"])),
            Fact("Last use", Shown.time(device["last_used"])),
        ]
    }

    /// The publication only: each list has other handles of its deliveries, so that none can be found by its handle.
    static let delivery: Facts = { visit throws(ConsoleProblem) in
        _ = try await visit.call("listDeliveries", query: ["limit": "1"])
        return [Fact("Publication", Cell(visit.publication))]
    }

    static let backend: Facts = { visit throws(ConsoleProblem) in
        let backend = try await item(of: "listBackends", "name", visit.path["backend"], visit)
        return [
            Fact("Backend", Shown.cell(backend["name"])), Fact("Cached results", Shown.cell(backend["cached"])),
        ]
    }

    /// The maximum number of pages of a list that are read, each with 200 items.
    private static let maxPages = 10

    /// Returns the item of a list whose member has a value.
    ///
    /// - Throws: ``ConsoleProblem/notFound`` if there is none, or the problem of the operation.
    private static func item(
        of operation: String, _ member: String, _ value: String?, _ visit: ConsoleVisit
    ) async throws(ConsoleProblem) -> JSONValue {
        var cursor: String?
        for _ in 0..<maxPages {
            var query = ["limit": "200"]
            query["cursor"] = cursor
            let page = try await visit.call(operation, query: query)
            if let item = page["items"]?.items?.first(where: { $0[member]?.text == value }) { return item }
            cursor = page["next"]?.text
            if cursor == nil { break }
        }
        throw .notFound
    }
}
