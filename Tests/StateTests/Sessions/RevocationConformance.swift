import Foundation
import Gatefold
import State
import TestSupport
import Testing

@Suite("Revocation store", .stateServers) struct RevocationConformance {
    @Test(
        "Returns revocations in order, and an extended one again under a new number",
        arguments: TestedStore<any RevocationStore>.all)
    func revocations(kind: TestedStore<any RevocationStore>) async throws {
        try await kind.with { store in
            let all = Revocation(publication: daily, subscriber: subscriber(1), session: nil, before: noon)
            let one = Revocation(
                publication: weekly, subscriber: subscriber(1), session: SessionPseudonym(device(1)), before: noon)
            try await store.record(all)
            try await store.record(one)
            let first = try await store.revocations(after: 0)
            #expect(first.map(\.revocation) == [all, one])
            let last = try #require(first.last?.sequence)
            #expect(first[0].sequence < last)
            #expect(try await store.revocations(after: last).isEmpty)

            let earlier = Revocation(publication: daily, subscriber: subscriber(1), session: nil, before: noon - 60)
            try await store.record(earlier)
            try await store.record(all)
            #expect(try await store.revocations(after: last).isEmpty)

            let later = Revocation(publication: daily, subscriber: subscriber(1), session: nil, before: noon + 60)
            try await store.record(later)
            #expect(try await store.revocations(after: last).map(\.revocation) == [later])
            #expect(try await store.revocations(after: 0).map(\.revocation) == [one, later])
        }
    }
}
