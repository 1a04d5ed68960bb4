import BackendFixtures
import Foundation
import Gatefold
import TestSupport

/// A subscriber system that takes longer to reject blocked readers than others, which the timing gate must detect.
struct LeakyFixture: BackendFixture {
    static let name = "leaky"
    static let outages: [Outage] = []

    private let folder: URL

    static func run(_ body: (LeakyFixture) async throws -> Void) async throws {
        try await withTemporaryFolder { folder in
            try Data(program.utf8).write(to: folder.appending(path: "program.py"))
            try await body(LeakyFixture(folder: folder))
        }
    }

    var settings: String {
        """
        kind: process
        command: [/usr/bin/python3, program.py, \(StandardReaders.dan.email)]
        folder: \(folder.path)
        timeout: 5s
        subscription:
          editions: {from: editions}
        """
    }

    func set(_ state: SubscriptionState, of reader: StandardReader) async throws {}
    func setPassword(_ password: String, of reader: StandardReader) async throws {}
    func fail(_ outage: Outage) async throws {}
    func recover() async throws {}

    /// Rejects every reader, because all give a wrong password. The extra time exceeds the maximum rejection jitter.
    private static let program = #"""
        import json, sys, time

        for line in sys.stdin:
            query = json.loads(line)
            if query.get("identifier") == sys.argv[1]:
                time.sleep(0.03)
            print(json.dumps({"id": query["id"], "authenticated": False, "key": None}), flush=True)
        """#
}
