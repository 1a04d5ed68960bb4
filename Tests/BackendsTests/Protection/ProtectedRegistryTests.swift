import Gatefold
import Synchronization
import TestSupport
import Testing

@testable import Resilience

@Suite("Registry behind the protections of its backend") struct ProtectedRegistryTests {
    @Test("A registration invalidates cached results only if it created a subscriber, or may have")
    func registration() async throws {
        let subscribers = InMemorySubscribers()
        let invalidated = Mutex<[FlushTarget]>([])
        let registry = ProtectedRegistry(subscribers) { target in invalidated.withLock { $0.append(target) } }
        #expect(try await registry.register(identifier: "ada", password: "first password") != nil)
        #expect(invalidated.withLock(\.self) == [.identifier("ada")])
        #expect(try await registry.register(identifier: "ada", password: "other password") == nil)
        #expect(invalidated.withLock(\.self) == [.identifier("ada")])
        subscribers.startOutage("register")
        await #expect(throws: InMemorySubscribers.UnavailableError.self) {
            try await registry.register(identifier: "bob", password: "first password")
        }
        #expect(invalidated.withLock(\.self) == [.identifier("ada"), .identifier("bob")])
    }
}
