import Foundation
import Gatefold
import Primitives
import Testing

@testable import AdminAPI

@Suite("Pass of a local operator") struct LocalOperatorPassTests {
    private static let key = PseudonymKey(Secret("vS3nq0sYb2uT7kDx"))
    private static let now = Date(timeIntervalSince1970: 1_800_000_000)
    private static let target = "POST /backends/house/flush"
    private static let body = LocalOperatorPass.BodyDigest([1, 2], key: key)

    private func open(
        _ text: String, for target: String = target, key: PseudonymKey = key, at now: Date = now
    ) -> LocalOperatorPass? {
        LocalOperatorPass.open(text, for: target, key: key, at: now)
    }

    @Test("Names the user of the command for one request and a minute")
    func pass() throws {
        let text = try LocalOperatorPass("ada@desk", for: Self.target, Self.body, at: Self.now).sealed(with: Self.key)
        #expect(open(text)?.actor == AuditActor(.commandLineUser, name: "ada@desk"))
        #expect(open(text, at: Self.now + 60) != nil && open(text, at: Self.now - 60) != nil)
        #expect(open(text, at: Self.now + 61) == nil && open(text, at: Self.now - 61) == nil)
        #expect(open(text, for: "POST /backends/other/flush") == nil)
        #expect(open(text, key: PseudonymKey(Secret("another secret of a state"))) == nil)
        #expect(!text.contains("ada"))
        #expect(open(text)?.body == Self.body)
        #expect(open(text)?.body != LocalOperatorPass.BodyDigest([1, 3], key: Self.key))
    }

    @Test("No other text is a pass")
    func others() throws {
        let text = try LocalOperatorPass("ada@desk", for: Self.target, Self.body, at: Self.now).sealed(with: Self.key)
        let cursor = "gfl_" + Base64URL.encode(try Self.key.seal([1, 2, 3], for: "gatefold admin cursor 1"))
        for other in ["", "gfl_", String(text.dropLast()), text + "A", "gfa_" + text.dropFirst(4), cursor] {
            #expect(open(other) == nil, "\(other)")
        }
    }
}
