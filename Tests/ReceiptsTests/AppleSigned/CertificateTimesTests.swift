import Foundation
import Gatefold
import JSON
import StoreBenches
import Testing

@testable import Receipts

@Suite("When Apple's certificates have to be valid, nobody being asked about them")
struct CertificateTimesTests {
    private let authority: SigningAuthority
    private let data: SignedAppStoreData

    init() throws {
        var shape = SigningAuthority.Shape()
        shape.leafValid = (Moments.now - 400 * Moments.day)...(Moments.now - 100 * Moments.day)
        authority = try SigningAuthority(shape)
        data = try SignedForms.data(authority)
    }

    private func verdict(signedDate: JSONValue) async throws -> ReceiptVerdict {
        let payload = SignedForms.transaction(with: ["signedDate": signedDate])
        return try await data.transactions(
            signed: try authority.sign(payload), allowing: [.production], at: Moments.now)
    }

    @Test("an expired leaf is good for what it signed while it was valid (PITFALLS row 18)")
    func expiredLeaf() async throws {
        let signed = Moments.milliseconds(Moments.now - 200 * Moments.day)
        #expect(try await verdict(signedDate: signed).transactions.count == 1)
    }

    @Test("a signedDate after the leaf's end or before its beginning is forged")
    func outside() async throws {
        for days in [99.0, 0, -1, 401] {
            let signed = Moments.milliseconds(Moments.now - days * Moments.day)
            #expect(try await verdict(signedDate: signed) == .refused(ReceiptRefusal(.forged)))
        }
    }

    @Test("a signedDate that is no date is malformed, and no trap for whoever computes with it")
    func noDate() async throws {
        for date in [
            "x", "", .number("-1"), .number("1e400"), .number("1e20"), .number("99999999999999999"), .null, true,
        ]
            as [JSONValue]
        {
            #expect(try await verdict(signedDate: date) == .refused(ReceiptRefusal(.malformed)))
        }
    }
}
