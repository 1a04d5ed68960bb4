import Foundation
import TestSupport
import Testing

@testable import Push

@Suite("APNs responses") struct APNsVerdictTests {
    private func verdict(_ status: Int, _ body: String = "", retryAfter: String? = nil) -> APNsVerdict {
        APNsVerdict(status: status, retryAfter: retryAfter, body: Array(body.utf8))
    }

    private func reason(_ status: Int, _ text: String?) -> APNsReason { APNsReason(status: status, text: text) }

    @Test("Maps a response to a verdict on the token, the campaign or a temporary failure")
    func meaning() {
        #expect(verdict(200) == .accepted)
        #expect(
            verdict(410, #"{"reason":"Unregistered","timestamp":1793534400123}"#)
                == .unregistered(since: Date(timeIntervalSince1970: 1_793_534_400.123)))
        #expect(verdict(410, #"{"reason":"ExpiredToken"}"#) == .unregistered(since: nil))
        #expect(verdict(400, #"{"reason":"BadDeviceToken"}"#) == .badToken)
        #expect(verdict(400, #"{"reason":"DeviceTokenNotForTopic"}"#) == .notForTopic)
        #expect(verdict(400, #"{"reason":"BadTopic"}"#) == .rejected(reason(400, "BadTopic")))
        #expect(verdict(403, #"{"reason":"ExpiredProviderToken"}"#) == .providerTokenExpired)
        #expect(verdict(403, #"{"reason":"InvalidProviderToken"}"#) == .rejected(reason(403, "InvalidProviderToken")))
        #expect(verdict(413, #"{"reason":"PayloadTooLarge"}"#) == .rejected(reason(413, "PayloadTooLarge")))
        #expect(
            verdict(429, #"{"reason":"TooManyRequests"}"#, retryAfter: "7")
                == .later(reason(429, "TooManyRequests"), after: 7))
        #expect(verdict(503, #"{"reason":"Shutdown"}"#) == .later(reason(503, "Shutdown"), after: nil))
        #expect(verdict(500, "<html>", retryAfter: "soon") == .later(reason(500, nil), after: nil))
        #expect(verdict(301) == .rejected(reason(301, nil)))
    }

    @Test("Shows the reason only if it is a plain word")
    func words() {
        #expect(reason(403, "InvalidProviderToken").description == "403 InvalidProviderToken")
        #expect(reason(403, "a5a5 \u{1B}[2J").description == "403")
        #expect(reason(403, String(repeating: "a", count: 65)).description == "403")
    }

    @Test("Maps any response without a trap")
    func total() {
        var random = SeededRandom(seed: 6)
        for _ in 0..<10_000 {
            let body = random.hostileBytes(upTo: 60, specialCharacters: #"{"reason":"timestamp",:1793BadDeviceToken}"#)
            let status = Int.random(in: -1...700, using: &random)
            switch APNsVerdict(status: status, retryAfter: String(decoding: body, as: UTF8.self), body: body) {
            case .accepted: #expect(status == 200)
            case .unregistered: #expect(status == 410)
            case .later(_, let after): #expect(after.map { $0 >= 0 } ?? true)
            default: break
            }
        }
    }
}
