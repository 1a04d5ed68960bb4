import Foundation
import Gatefold
import Synchronization
import TestSupport
import Testing

@testable import OutgoingRequests

@Suite("A token of the client's own")
struct TokenKeeperTests {
    private final class Endpoint: Sendable {
        struct Down: Error {}
        let count = Atomic(0)
        let isDown = Atomic(false)
        let gate = AsyncStream<Void>.makeStream()

        func fetch() throws -> TokenKeeper.Token {
            let number = count.add(1, ordering: .relaxed).newValue
            if isDown.load(ordering: .relaxed) { throw Down() }
            return TokenKeeper.Token(text: "t\(number)", lifetime: 600)
        }
    }

    @Test(
        "It is fetched once, however many wait, and again shortly before it expires, behind whoever asks",
        .timeLimit(.minutes(5)))
    func once() async throws {
        let endpoint = Endpoint()
        let clock = ManualClock()
        let keeper = TokenKeeper(clock: clock.wall) {
            for await _ in endpoint.gate.stream { break }
            return try endpoint.fetch()
        }
        let tokens = try await withThrowingTaskGroup(of: String.self) { group in
            for _ in 0..<100 { group.addTask { try await keeper.token() } }
            endpoint.gate.continuation.yield()
            return try await group.reduce(into: Set<String>()) { $0.insert($1) }
        }
        #expect(tokens == ["t1"])
        clock.advance(by: 539)
        #expect(try await keeper.token() == "t1")
        clock.advance(by: 2)
        for _ in 0..<10 { #expect(try await keeper.token() == "t1", "the old one lasts while the next is fetched") }
        endpoint.gate.continuation.yield()
        while try await keeper.token() == "t1" { await Task.yield() }
        #expect(try await keeper.token() == "t2")
        #expect(endpoint.count.load(ordering: .relaxed) == 2)
    }

    @Test("An old one that still lasts is used while no new one is to be had, and no longer", .timeLimit(.minutes(5)))
    func outage() async throws {
        let endpoint = Endpoint()
        let clock = ManualClock()
        let keeper = TokenKeeper(clock: clock.wall) { try endpoint.fetch() }
        #expect(try await keeper.token() == "t1")
        endpoint.isDown.store(true, ordering: .relaxed)
        clock.advance(by: 590)
        #expect(try await keeper.token() == "t1")
        while endpoint.count.load(ordering: .relaxed) < 2 { await Task.yield() }
        #expect(try await keeper.token() == "t1")
        clock.advance(by: 20)
        await #expect(throws: Endpoint.Down.self) { try await keeper.token() }
        endpoint.isDown.store(false, ordering: .relaxed)
        let next = try await keeper.token()
        #expect(next != "t1")
    }

    @Test("One that was refused is replaced once in ten seconds, and the others use it until there is another")
    func replaced() async throws {
        let endpoint = Endpoint()
        let clock = ManualClock()
        let keeper = TokenKeeper(clock: clock.wall) {
            for await _ in endpoint.gate.stream { break }
            return try endpoint.fetch()
        }
        endpoint.gate.continuation.yield()
        #expect(try await keeper.token() == "t1")
        #expect(try await keeper.replacement(of: "t0") == "t1", "there is another by now")
        let replacement = Task { try await keeper.replacement(of: "t1") }
        for _ in 0..<100 {
            await Task.yield()
            #expect(try await keeper.token() == "t1")
        }
        endpoint.gate.continuation.yield()
        #expect(try await replacement.value == "t2")
        #expect(try await keeper.replacement(of: "t1") == "t2")
        #expect(try await keeper.replacement(of: "t2") == nil, "not again so soon")
        #expect(try await keeper.token() == "t2")
        clock.advance(by: 10)
        endpoint.gate.continuation.yield()
        #expect(try await keeper.replacement(of: "t2") == "t3")
        clock.advance(by: 10)
        endpoint.isDown.store(true, ordering: .relaxed)
        endpoint.gate.continuation.yield()
        #expect(try await keeper.replacement(of: "t3") == nil, "no other is to be had")
        #expect(try await keeper.token() == "t3")
    }

    @Test("Who is cancelled stops waiting at once, and the others go on")
    func cancelled() async throws {
        let endpoint = Endpoint()
        let keeper = TokenKeeper(clock: ManualClock().wall) {
            for await _ in endpoint.gate.stream { break }
            return try endpoint.fetch()
        }
        let impatient = Task { try await keeper.token() }
        let patient = Task { try await keeper.token() }
        impatient.cancel()
        await #expect(throws: CancellationError.self) { try await impatient.value }
        endpoint.gate.continuation.yield()
        #expect(try await patient.value == "t1")
    }
}
