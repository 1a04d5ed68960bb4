import ContentGate
import Foundation
import FrontDoors
import Gatefold
import TestSupport
import Testing

@testable import Server

@Suite("The publications in force")
struct CurrentPublicationsTests {
    private func set(retention: TimeInterval) throws -> PublicationSet {
        PublicationSet(
            directory: PublicationDirectory(), gate: try Gate([], clock: ManualClock().wall), backends: OpenBackends(),
            clients: ClientAddressResolver(trusted: []), revocationRetention: retention)
    }

    @Test("Pitfall 8: a reload that shortens lifetimes forgets no revocation that longer ones still need")
    func retention() throws {
        let current = CurrentPublications(try set(retention: 3600))
        current.replace(with: try set(retention: 60))
        #expect(current.longestRetention == 3600)
        current.replace(with: try set(retention: 7200))
        #expect(current.longestRetention == 7200)
    }
}
