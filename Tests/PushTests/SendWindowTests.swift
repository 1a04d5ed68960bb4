import Foundation
import Gatefold
import TestSupport
import Testing

@testable import Push

@Suite("The place of a campaign") struct SendWindowTests {
    private func campaign() throws -> PushCampaign {
        PushCampaign(
            name: "n", publication: try PushBench.publication, app: "a", environment: .production, edition: nil,
            begun: Date(timeIntervalSince1970: 0))
    }

    @Test("is behind the last token before which all are dealt with")
    func order() throws {
        var campaign = try campaign()
        var window = SendWindow(room: 10)
        let numbers = [3, 5, 9].map { window.begin($0) }
        window.finish(numbers[1], .sent)
        window.advance(&campaign)
        #expect((campaign.position, campaign.sent) == (0, 0))
        window.finish(numbers[0], .gone(since: nil))
        window.advance(&campaign)
        #expect((campaign.position, campaign.sent, campaign.gone) == (5, 1, 1))
        window.finish(numbers[2], .notTaken(APNsReason(status: 429, text: nil)))
        window.advance(&campaign)
        #expect((campaign.position, campaign.failed) == (9, 1))
    }

    @Test("is never further behind what was begun than the room, in any order of ends")
    func room() throws {
        var random = SeededRandom(seed: 3)
        for _ in 0..<200 {
            var campaign = try campaign()
            let room = Int.random(in: 1...20, using: &random)
            var window = SendWindow(room: room)
            var (place, kept) = (Int64(0), Int64(0))
            var open: [Int] = []
            for _ in 0..<500 {
                if window.hasRoom, Bool.random(using: &random) {
                    place += 1
                    open.append(window.begin(place))
                    #expect(place - kept <= room)
                } else if !open.isEmpty {
                    window.finish(open.remove(at: Int.random(in: 0..<open.count, using: &random)), .sent)
                    window.advance(&campaign)
                } else {
                    #expect(campaign.position == place)
                }
                if Int.random(in: 0..<5, using: &random) == 0 {
                    kept = campaign.position
                    window.didKeep()
                }
            }
            #expect(campaign.sent == Int(campaign.position))
        }
    }
}
