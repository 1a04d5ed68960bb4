import Foundation
import Gatefold
import TestSupport
import Testing

@testable import Push

@Suite("Send window of a campaign") struct SendWindowTests {
    private func campaign() throws -> PushCampaign {
        PushCampaign(
            name: "n", publication: try PushFixture.publication, app: "a", environment: .production, edition: nil,
            begun: Date(timeIntervalSince1970: 0))
    }

    @Test("Advances to the last token before which all sends are complete")
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
        window.finish(numbers[2], .notAccepted(APNsReason(status: 429, text: nil)))
        window.advance(&campaign)
        #expect((campaign.position, campaign.failed) == (9, 1))
    }

    @Test("Never starts a send beyond the window, whatever the completion order")
    func room() throws {
        var random = SeededRandom(seed: 3)
        for _ in 0..<200 {
            var campaign = try campaign()
            let room = Int.random(in: 1...20, using: &random)
            var window = SendWindow(room: room)
            var (place, stored) = (Int64(0), Int64(0))
            var open: [Int] = []
            for _ in 0..<500 {
                if window.hasRoom, Bool.random(using: &random) {
                    place += 1
                    open.append(window.begin(place))
                    #expect(place - stored <= room)
                } else if !open.isEmpty {
                    window.finish(open.remove(at: Int.random(in: 0..<open.count, using: &random)), .sent)
                    window.advance(&campaign)
                } else {
                    #expect(campaign.position == place)
                }
                if Int.random(in: 0..<5, using: &random) == 0 {
                    stored = campaign.position
                    window.didSave()
                }
            }
            #expect(campaign.sent == Int(campaign.position))
        }
    }
}
