import BackendBenches
import Foundation
import Synchronization
import TestSupport
import Testing

/// The bad days of each bench's real system, seen by readers of the real program.
@Suite("When a system has a bad day") struct FaultTests {
    @Test(
        "Pitfall 9: known readers have their last answer or are asked to come back, and nothing has to be restarted",
        arguments: BenchCase.breakable)
    func outages(system: BenchCase) async throws {
        for outage in system.bench.outages {
            try await FrontedSystem.run(system) { front in
                let ada = StandardReaders.ada
                let token = try await front.token(ada)
                let known = try await front.verify(token)
                #expect(Told(known) == Told(ada))
                let cold = try await front.token(StandardReaders.cleo)
                // What all refusals are compared with has to be one.
                let refused = try await front.signIn(StandardReaders.bob.email, "wrong")
                try #require(refused.error == "notrecognised", "\(refused.status) \(refused.text)")
                let before = front.descriptors
                try await front.bench.fail(outage)
                // Longer than the freshness, so that what is remembered is no longer fresh.
                try await Task.sleep(for: .milliseconds(1_500))
                // Slow answers are true ones; that they come too late is seen in most of them, not in each.
                var late = 0
                for _ in 1...8 {
                    let warm = try await front.verify(token)
                    if front.bench.isRemote { #expect(warm.status == 200, "\(outage): \(warm.text)") }
                    expectTrueOrLater(warm, ada, outage)
                    expectTrueOrLater(try await front.verify(cold), StandardReaders.cleo, outage)
                    let stranger = try await front.signIn(StandardReaders.eve.email, StandardReaders.eve.password)
                    late += stranger.status == 503 ? 1 : 0
                    #expect(
                        stranger.status == 503 || outage == .slow && stranger.element("token") != nil,
                        "\(outage): \(stranger.text)")
                    #expect(stranger.status != 503 || stranger["Retry-After"] != nil)
                    let wrong = try await front.signIn(StandardReaders.eve.email, "wrong")
                    #expect(
                        wrong.status == 503 || outage == .slow && wrong.body == refused.body,
                        "\(outage): \(wrong.text)")
                    let again = try await front.signIn(StandardReaders.bob.email, "wrong")
                    #expect(again.status == 503 || again.body == refused.body, "\(outage): \(again.text)")
                    let none = try await front.credentials(cold, StandardReaders.secondEdition)
                    #expect(none.status == 200 && !none.text.contains("<userid>"), "\(outage): \(none.text)")
                }
                #expect(late > 4, "\(outage): it is an outage")
                #expect(try await front.admin.send("GET", "/healthz").status == 200)
                #expect(try await front.admin.send("GET", "/readyz").status == 200, "degraded is still ready")
                try await front.bench.recover()
                try await eventually("\(outage): new readers can sign in again") {
                    try await front.signIn(StandardReaders.eve.email, StandardReaders.eve.password).element("token")
                        != nil
                }
                try await eventually("\(outage): wrong passwords are refused again") {
                    try await front.signIn(StandardReaders.eve.email, "wrong").body == refused.body
                }
                #expect(Told(try await front.verify(token)) == Told(ada))
                #expect(Told(try await front.verify(cold)) == Told(StandardReaders.cleo))
                try await eventually("\(outage): no connection is leaked (\(before) before)") {
                    front.descriptors <= before + 24
                }
            }
        }
    }

    @Test("a restart in the middle of load gives no wrong answer", arguments: BenchCase.breakable)
    func restartUnderLoad(system: BenchCase) async throws {
        guard let outage = system.bench.outages.first(where: { $0 == .stopped }) ?? system.bench.outages.first else {
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
                            let told = try await front.verify(token)
                            expectTrueOrLater(told, reader, outage)
                            let password = number.isMultiple(of: 2) ? reader.password : "wrong"
                            let answer = try await front.signIn(reader.email, password)
                            #expect(
                                answer.status == 503
                                    || (answer.element("token") != nil) == (password == reader.password),
                                "\(reader.email) \(password): \(answer.status) \(answer.text)")
                            counts.note(answer.status)
                        }
                    }
                }
                group.addTask {
                    // To be over whatever happens: the others wait for it.
                    defer { counts.end() }
                    for _ in 1...2 {
                        try await Task.sleep(for: .milliseconds(600))
                        try await front.bench.fail(outage)
                        try await Task.sleep(for: .milliseconds(1_200))
                        try await front.bench.recover()
                    }
                    try await eventually("new readers are served again") {
                        try await front.signIn(StandardReaders.eve.email, StandardReaders.eve.password).status == 200
                    }
                }
                try await group.waitForAll()
            }
            #expect(counts.answered > 0)
        }
    }

    @Test("the server starts and serves while the system is down", arguments: BenchCase.breakable)
    func startsDown(system: BenchCase) async throws {
        guard system.bench.outages.contains(.stopped) else { return }
        try await FrontedSystem.run(system, failing: .stopped) { front in
            #expect(try await front.signIn("ada@example.com", "correct horse").status == 503)
            let readiness = try await front.admin.send("GET", "/readyz")
            #expect(readiness.status == 200 && readiness.text.hasPrefix("degraded"), "\(readiness.text)")
            try await front.bench.recover()
            try await eventually("it is asked once it is up") {
                try await front.signIn("ada@example.com", "correct horse").element("token") != nil
            }
        }
    }
}

/// Whatever the day: what is true of the reader, or nothing (503) so that the app keeps what it knows.
private func expectTrueOrLater(
    _ answer: RawResponse, _ reader: StandardReader, _ outage: Outage, sourceLocation: SourceLocation = #_sourceLocation
) {
    if answer.status == 503 { return }
    #expect(
        answer.status == 200 && Told(answer) == Told(reader), "\(outage): \(answer.text)",
        sourceLocation: sourceLocation)
}

private final class Counts: Sendable {
    private let over = Atomic(false)
    private let good = Atomic(0)

    var isOver: Bool { over.load(ordering: .relaxed) }
    var answered: Int { good.load(ordering: .relaxed) }

    func end() { over.store(true, ordering: .relaxed) }

    func note(_ status: Int) {
        if status == 200 { good.add(1, ordering: .relaxed) }
    }
}
