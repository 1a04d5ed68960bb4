import Commerce
import Foundation
import JSON
import StoreFixtures
import Testing

@testable import Receipts

@Suite("Validity period of Apple's certificates without OCSP")
struct CertificateTimesTests {
    private let authority: SigningAuthority
    private let data: SignedAppStoreData

    init() throws {
        var shape = SigningAuthority.Shape()
        shape.leafValid = (TestDates.now - 400 * TestDates.day)...(TestDates.now - 100 * TestDates.day)
        authority = try SigningAuthority(shape)
        data = try SignedFormats.data(authority)
    }

    private func verdict(signedDate: JSONValue) async throws -> ReceiptVerdict {
        let payload = SignedFormats.transaction(with: ["signedDate": signedDate])
        return try await data.transactions(
            signed: try authority.sign(payload), allowing: [.production], at: TestDates.now)
    }

    @Test("Pitfall 18: accepts an expired leaf for data signed while the leaf was valid")
    func expiredLeaf() async throws {
        let signed = TestDates.milliseconds(TestDates.now - 200 * TestDates.day)
        #expect(try await verdict(signedDate: signed).transactions.count == 1)
    }

    @Test("Rejects a signedDate outside the leaf's validity period as forged")
    func outside() async throws {
        for days in [99.0, 0, -1, 401] {
            let signed = TestDates.milliseconds(TestDates.now - days * TestDates.day)
            #expect(try await verdict(signedDate: signed) == .rejected(ReceiptRejection(.forged)))
        }
    }

    @Test("Rejects an invalid signedDate as malformed without a trap")
    func noDate() async throws {
        for date in [
            "x", "", .number("-1"), .number("1e400"), .number("1e20"), .number("99999999999999999"), .null, true,
        ]
            as [JSONValue]
        {
            #expect(try await verdict(signedDate: date) == .rejected(ReceiptRejection(.malformed)))
        }
    }
}
