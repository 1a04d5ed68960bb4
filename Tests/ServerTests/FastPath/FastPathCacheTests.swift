import Foundation
import Gatefold
import HTTPTypes
import NIOCore
import NIOEmbedded
import Primitives
import TestSupport
import Testing

@testable import Server

@Suite("Fast path cache")
struct FastPathCacheTests {
    private let timestamp = ManualClock().now
    private let request = ByteBuffer(string: "GET / HTTP/1.1\r\nHost: a\r\n\r\n")
    private let reader = ClientAddress("192.0.2.1")

    @Test("Returns a response to the same client for the same request within the same second")
    func second() {
        let cache = FastPathCache()
        let number = FastPathCache.number(of: request, from: reader)
        #expect(cache.response(number, to: request, from: reader, at: timestamp) == nil)
        cache.store(response(), as: number)
        #expect(cache.response(number, to: request, from: reader, at: timestamp.addingTimeInterval(0.999)) != nil)
        // Another request has the same number.
        #expect(cache.response(number, to: ByteBuffer(string: "GET /a"), from: reader, at: timestamp) == nil)
        cache.store(response(), as: number)
        #expect(cache.response(number, to: request, from: ClientAddress("192.0.2.2"), at: timestamp) == nil)
        cache.store(response(), as: number)
        #expect(cache.response(number, to: request, from: reader, at: timestamp.addingTimeInterval(1)) == nil)
        cache.store(response(), as: number)
        // After a clock step back, it is another second, too.
        #expect(cache.response(number, to: request, from: reader, at: timestamp) == nil)
    }

    @Test("Detects a repeated request within one second")
    func again() {
        let cache = FastPathCache()
        _ = cache.response(1, to: request, from: reader, at: timestamp)
        #expect([1, 2, 1, 1].map { cache.isRepeatedRequest($0) } == [false, false, true, true])
        _ = cache.response(1, to: request, from: reader, at: timestamp.addingTimeInterval(1))
        #expect(!cache.isRepeatedRequest(1))
        for number in 0..<(2 * FastPathCache.maxSeenOnce) { _ = cache.isRepeatedRequest(number) }
        #expect(!cache.isRepeatedRequest(2 * FastPathCache.maxSeenOnce - 1))
    }

    @Test("Treats a request found in one second as repeated in the next one only")
    func next() {
        let cache = FastPathCache()
        for number in [1, 2] {
            _ = cache.response(number, to: request, from: reader, at: timestamp)
            cache.store(response(), as: number)
        }
        #expect(cache.response(1, to: request, from: reader, at: timestamp) != nil)
        #expect(cache.response(1, to: request, from: reader, at: timestamp.addingTimeInterval(1)) == nil)
        #expect([1, 2].map { cache.isRepeatedRequest($0) } == [true, false])
        #expect(cache.response(1, to: request, from: reader, at: timestamp.addingTimeInterval(2)) == nil)
        #expect(!cache.isRepeatedRequest(1))
        cache.store(response(), as: 1)
        #expect(cache.response(1, to: request, from: reader, at: timestamp.addingTimeInterval(2)) != nil)
        #expect(cache.response(1, to: request, from: reader, at: timestamp.addingTimeInterval(4)) == nil)
        #expect(!cache.isRepeatedRequest(1))
    }

    @Test("Drops an invalid response")
    func validity() {
        let cache = FastPathCache()
        let changes = ChangeCounter()
        cache.store(response(CacheValidity([changes.baseline])), as: 1)
        _ = cache.response(0, to: request, from: reader, at: timestamp)
        cache.store(response(CacheValidity([changes.baseline])), as: 1)
        #expect(cache.response(1, to: request, from: reader, at: timestamp) != nil)
        changes.increment()
        #expect(cache.response(1, to: request, from: reader, at: timestamp) == nil)
        cache.store(response(CacheValidity(until: timestamp.addingTimeInterval(0.5))), as: 1)
        #expect(cache.response(1, to: request, from: reader, at: timestamp.addingTimeInterval(0.4)) != nil)
        #expect(cache.response(1, to: request, from: reader, at: timestamp.addingTimeInterval(0.5)) == nil)
    }

    @Test("The cache stays within its capacity")
    func bounds() {
        let cache = FastPathCache()
        _ = cache.response(0, to: request, from: reader, at: timestamp)
        let body = ByteBuffer(repeating: 0x61, count: 20_000)
        let limit = FastPathCache.capacity / 20_000
        for number in 0..<(2 * limit) { cache.store(response(bytes: body), as: number) }
        let found = (0..<(2 * limit)).count { cache.response($0, to: request, from: reader, at: timestamp) != nil }
        #expect((1...limit).contains(found))
        let long = FastPathCache()
        _ = long.response(0, to: request, from: reader, at: timestamp)
        long.store(response(bytes: ByteBuffer(repeating: 0, count: FastPathCache.maxEntrySize)), as: 1)
        #expect(long.response(1, to: request, from: reader, at: timestamp) == nil)
    }

    @Test("The cache is cleared after a few seconds without requests")
    func clearing() throws {
        let loop = EmbeddedEventLoop()
        let cache = FastPathCache(on: loop)
        _ = cache.response(0, to: request, from: reader, at: timestamp)
        cache.store(response(), as: 1)
        // Requests in between preserve the entries.
        for _ in 0..<3 {
            loop.advanceTime(by: .seconds(1))
            #expect(cache.response(1, to: request, from: reader, at: timestamp) != nil)
        }
        loop.advanceTime(by: .seconds(4))
        #expect(cache.response(1, to: request, from: reader, at: timestamp) == nil)
    }

    private func response(
        _ validity: CacheValidity = CacheValidity(), bytes: ByteBuffer = ByteBuffer(string: "HTTP/1.1")
    ) -> CachedResponse {
        CachedResponse(
            to: request, from: reader, .bytes(bytes), first: bytes, status: .ok, route: "/", validity: validity,
            commit: {},
            routeMetrics: AccessLog().routeMetrics(route: "/", method: "GET", status: .ok), path: "/", client: nil)
    }
}
