import BackendFixtures
import Foundation
import Synchronization
import TestSupport
import Testing

/// Outages of each fixture's real system, seen by readers of the real program.
@Suite("Outages of a subscriber system") struct FaultTests {
    @Test(
        "Pitfall 9: known readers get the last good result or a 503, and recovery needs no restart",
        arguments: BackendFixtureCase.withOutages)
    func outages(system: BackendFixtureCase) async throws {
        for outage in system.fixture.outages {
            try await FrontedSystem.run(system) { front in
                let ada = StandardReaders.ada
                let token = try await front.token(ada)
                let known = try await front.verify(token)
                #expect(ReportedSubscription(known) == ReportedSubscription(ada))
                let cold = try await front.token(StandardReaders.cleo)
                // The reference for all later rejections must be a rejection itself.
                let rejected = try await front.signIn(StandardReaders.bob.email, "wrong")
                try #require(rejected.error == "notrecognised", "\(rejected.status) \(rejected.text)")
                let before = front.descriptors
                try await front.fixture.fail(outage)
                // Longer than the freshness, so that cached results are no longer fresh.
                try await Task.sleep(for: .milliseconds(1_500))
                // Slow responses are correct ones; most of them are too late, but not every one.
                var late = 0
                for _ in 1...8 {
                    let warm = try await front.verify(token)
                    if front.fixture.isRemote { #expect(warm.status == 200, "\(outage): \(warm.text)") }
                    expectTrueEventually(warm, ada, outage)
                    expectTrueEventually(try await front.verify(cold), StandardReaders.cleo, outage)
                    let stranger = try await front.signIn(StandardReaders.eve.email, StandardReaders.eve.password)
                    late += stranger.status == 503 ? 1 : 0
                    #expect(
                        stranger.status == 503 || outage == .slow && stranger.element("token") != nil,
                        "\(outage): \(stranger.text)")
                    #expect(stranger.status != 503 || stranger["Retry-After"] != nil)
                    let wrong = try await front.signIn(StandardReaders.eve.email, "wrong")
                    #expect(
                        wrong.status == 503 || outage == .slow && wrong.body == rejected.body,
                        "\(outage): \(wrong.text)")
                    let again = try await front.signIn(StandardReaders.bob.email, "wrong")
                    #expect(again.status == 503 || again.body == rejected.body, "\(outage): \(again.text)")
                    let none = try await front.credentials(cold, StandardReaders.secondEdition)
                    #expect(none.status == 200 && !none.text.contains("<userid>"), "\(outage): \(none.text)")
                }
                #expect(late > 4, "\(outage): the fault causes an outage")
                #expect(try await front.admin.send("GET", "/healthz").status == 200)
                #expect(try await front.admin.send("GET", "/readyz").status == 200, "degraded is still ready")
                try await front.fixture.recover()
                try await eventually("\(outage): new readers can sign in again") {
                    try await front.signIn(StandardReaders.eve.email, StandardReaders.eve.password).element("token")
                        != nil
                }
                try await eventually("\(outage): wrong passwords are rejected again") {
                    try await front.signIn(StandardReaders.eve.email, "wrong").body == rejected.body
                }
                #expect(ReportedSubscription(try await front.verify(token)) == ReportedSubscription(ada))
                #expect(
                    ReportedSubscription(try await front.verify(cold)) == ReportedSubscription(StandardReaders.cleo))
                try await eventually("\(outage): no connection is leaked (\(before) before)") {
                    front.descriptors <= before + 24
                }
            }
        }
    }

    @Test("A restart under load gives no wrong response", arguments: BackendFixtureCase.withOutages)
    func restartUnderLoad(system: BackendFixtureCase) async throws {
        guard let outage = system.fixture.outages.first(where: { $0 == .stopped }) ?? system.fixture.outages.first
        else {
            return
        }
        try await FrontedSystem.run(system) { front in
            var tokens: [(StandardReader, String)] = []
            for reader in StandardReaders.all { tokens.append((reader, try await front.token(reader))) }
            let known = tokens
            let counts = Counts()
            try await withThrowingTaskGroup(of: Void.self) { group in
                for index in 0..<6 {
                    group.addTask {
                        var number = index
                        while !counts.isOver {
                            let (reader, token) = known[number % known.count]
                            number += 1
                            let reported = try await front.verify(token)
                            expectTrueEventually(reported, reader, outage)
                            let password = number.isMultiple(of: 2) ? reader.password : "wrong"
                            let response = try await front.signIn(reader.email, password)
                            #expect(
                                response.status == 503
                                    || (response.element("token") != nil) == (password == reader.password),
                                "\(reader.email) \(password): \(response.status) \(response.text)")
                            counts.record(response.status)
                        }
                    }
                }
                group.addTask {
                    // Ends in any case, because the other tasks wait for it.
                    defer { counts.end() }
                    for _ in 1...2 {
                        try await Task.sleep(for: .milliseconds(600))
                        try await front.fixture.fail(outage)
                        try await Task.sleep(for: .milliseconds(1_200))
                        try await front.fixture.recover()
                    }
                    try await eventually("new readers are served again") {
                        try await front.signIn(StandardReaders.eve.email, StandardReaders.eve.password).status == 200
                    }
                }
                try await group.waitForAll()
            }
            #expect(counts.served > 0)
        }
    }

    @Test("The server starts and serves while the system is down", arguments: BackendFixtureCase.withOutages)
    func startsDown(system: BackendFixtureCase) async throws {
        guard system.fixture.outages.contains(.stopped) else { return }
        try await FrontedSystem.run(system, failing: .stopped) { front in
            #expect(try await front.signIn("ada@example.com", "correct horse").status == 503)
            let readiness = try await front.admin.send("GET", "/readyz")
            #expect(readiness.status == 200 && readiness.text.hasPrefix("degraded"), "\(readiness.text)")
            try await front.fixture.recover()
            try await eventually("the system is queried again after its start") {
                try await front.signIn("ada@example.com", "correct horse").element("token") != nil
            }
        }
    }
}

/// Expects the reader's true subscription, or a 503 that makes the app keep its state.
private func expectTrueEventually(
    _ response: RawResponse, _ reader: StandardReader, _ outage: Outage,
    sourceLocation: SourceLocation = #_sourceLocation
) {
    if response.status == 503 { return }
    #expect(
        response.status == 200 && ReportedSubscription(response) == ReportedSubscription(reader),
        "\(outage): \(response.text)",
        sourceLocation: sourceLocation)
}

private final class Counts: Sendable {
    private let over = Atomic(false)
    private let good = Atomic(0)

    var isOver: Bool { over.load(ordering: .relaxed) }
    var served: Int { good.load(ordering: .relaxed) }

    func end() { over.store(true, ordering: .relaxed) }

    func record(_ status: Int) {
        if status == 200 { good.add(1, ordering: .relaxed) }
    }
}
