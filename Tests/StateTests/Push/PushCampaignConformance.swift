import Foundation
import Gatefold
import State
import Testing

@Suite("Push campaign store", .stateServers, .serialized) struct PushCampaignConformance {
    @Test("Begins a campaign once and stores its progress", arguments: TestedStore<any PushCampaignStore>.all)
    func campaigns(kind: TestedStore<any PushCampaignStore>) async throws {
        try await kind.with { store async throws in
            func campaign(_ name: String, begun: Date = noon, in publication: PublicationID = daily) -> PushCampaign {
                PushCampaign(
                    name: name, publication: publication, app: "com.example.daily", environment: .production,
                    edition: EditionID("november"), begun: begun)
            }
            var first = try await store.begin(campaign("1"))
            #expect(first == campaign("1"))
            first.position = 7
            first.sent = 5
            first.failed = 1
            first.gone = 1
            try await store.save(first)
            #expect(try await store.begin(campaign("1", begun: noon + 60)) == first)
            var behind = first
            behind.position = 3
            try await store.save(behind)
            #expect(try await store.begin(campaign("1")) == first)
            first.finished = noon + 99
            try await store.save(first)
            let second = try await store.begin(
                PushCampaign(
                    name: "2", publication: daily, app: "com.example.daily", environment: .sandbox, edition: nil,
                    begun: noon + 1))
            _ = try await store.begin(campaign("3", in: weekly))
            #expect(try await store.campaigns(in: daily, unfinished: false, limit: 9) == [second, first])
            #expect(try await store.campaigns(in: daily, unfinished: true, limit: 9) == [second])
            #expect(try await store.campaigns(in: daily, unfinished: false, limit: 1) == [second])
        }
    }
}
