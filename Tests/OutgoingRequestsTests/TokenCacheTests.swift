import Foundation
import Synchronization
import TestSupport
import Testing

@testable import OutgoingRequests

@Suite("Cache of the client's own token")
struct TokenCacheTests {
    private final class Endpoint: Sendable {
        struct UnavailableError: Error {}
        let count = Atomic(0)
        let isDown = Atomic(false)
        let gate = AsyncStream<Void>.makeStream()

        func fetch() throws -> TokenCache.Token {
            let number = count.add(1, ordering: .relaxed).newValue
            if isDown.load(ordering: .relaxed) { throw UnavailableError() }
            return TokenCache.Token(text: "t\(number)", lifetime: 600)
        }
    }

    @Test(
        "Fetches once for concurrent callers, and refreshes in the background before the expiry",
        .timeLimit(.minutes(5)))
    func once() async throws {
        let endpoint = Endpoint()
        let clock = ManualClock()
        let tokenCache = TokenCache(clock: clock.wall) {
            for await _ in endpoint.gate.stream { break }
            return try endpoint.fetch()
        }
        let tokens = try await withThrowingTaskGroup(of: String.self) { group in
            for _ in 0..<100 { group.addTask { try await tokenCache.token() } }
            endpoint.gate.continuation.yield()
            return try await group.reduce(into: Set<String>()) { $0.insert($1) }
        }
        #expect(tokens == ["t1"])
        clock.advance(by: 539)
        #expect(try await tokenCache.token() == "t1")
        clock.advance(by: 2)
        for _ in 0..<10 { #expect(try await tokenCache.token() == "t1", "the old one lasts while the next is fetched") }
        endpoint.gate.continuation.yield()
        while try await tokenCache.token() == "t1" { await Task.yield() }
        #expect(try await tokenCache.token() == "t2")
        #expect(endpoint.count.load(ordering: .relaxed) == 2)
    }

    @Test("Uses a valid token during an outage until its expiry", .timeLimit(.minutes(5)))
    func outage() async throws {
        let endpoint = Endpoint()
        let clock = ManualClock()
        let tokenCache = TokenCache(clock: clock.wall) { try endpoint.fetch() }
        #expect(try await tokenCache.token() == "t1")
        endpoint.isDown.store(true, ordering: .relaxed)
        clock.advance(by: 590)
        #expect(try await tokenCache.token() == "t1")
        while endpoint.count.load(ordering: .relaxed) < 2 { await Task.yield() }
        #expect(try await tokenCache.token() == "t1")
        clock.advance(by: 20)
        await #expect(throws: Endpoint.UnavailableError.self) { try await tokenCache.token() }
        endpoint.isDown.store(false, ordering: .relaxed)
        let next = try await tokenCache.token()
        #expect(next != "t1")
    }

    @Test("Replaces a rejected token at most once in ten seconds and serves it until then")
    func replaced() async throws {
        let endpoint = Endpoint()
        let clock = ManualClock()
        let tokenCache = TokenCache(clock: clock.wall) {
            for await _ in endpoint.gate.stream { break }
            return try endpoint.fetch()
        }
        endpoint.gate.continuation.yield()
        #expect(try await tokenCache.token() == "t1")
        #expect(try await tokenCache.replacement(of: "t0") == "t1", "a new token was issued meanwhile")
        let replacement = Task { try await tokenCache.replacement(of: "t1") }
        for _ in 0..<100 {
            await Task.yield()
            #expect(try await tokenCache.token() == "t1")
        }
        endpoint.gate.continuation.yield()
        #expect(try await replacement.value == "t2")
        #expect(try await tokenCache.replacement(of: "t1") == "t2")
        #expect(try await tokenCache.replacement(of: "t2") == nil, "no repeated request within the pause")
        #expect(try await tokenCache.token() == "t2")
        clock.advance(by: 10)
        endpoint.gate.continuation.yield()
        #expect(try await tokenCache.replacement(of: "t2") == "t3")
        clock.advance(by: 10)
        endpoint.isDown.store(true, ordering: .relaxed)
        endpoint.gate.continuation.yield()
        #expect(try await tokenCache.replacement(of: "t3") == nil, "no other token is available")
        #expect(try await tokenCache.token() == "t3")
    }

    @Test("A cancelled caller stops waiting without affecting the others")
    func cancelled() async throws {
        let endpoint = Endpoint()
        let tokenCache = TokenCache(clock: ManualClock().wall) {
            for await _ in endpoint.gate.stream { break }
            return try endpoint.fetch()
        }
        let impatient = Task { try await tokenCache.token() }
        let extended = Task { try await tokenCache.token() }
        impatient.cancel()
        await #expect(throws: CancellationError.self) { try await impatient.value }
        endpoint.gate.continuation.yield()
        #expect(try await extended.value == "t1")
    }
}
