import Commerce
import Foundation
import TestSupport
import Testing

@testable import FrontDoors

@Suite("Cloud Softphone purchase parser")
struct SoftphonePurchaseTests {
    @Test("accepts or rejects any bytes, within its limits and never in part")
    func anything() {
        var random = SeededRandom(seed: 21)
        var settings = CloudSoftphone(path: "/title/iap", store: .apple)
        settings.fields.token = "token"
        let specialCharacters = "receipt=&productCode=&username=&price=&token=%+\"{}:,0123456789\\u00 A"
        var found = 0
        for round in 0..<8_000 {
            var bytes = random.hostileBytes(upTo: 60, specialCharacters: specialCharacters)
            // Half of the inputs begin like a purchase.
            if round.isMultiple(of: 2) {
                bytes = Array("productCode=a&username=b&receipt=M&price=".utf8) + bytes
            } else if round.isMultiple(of: 3) {
                bytes = Array(#"{"productCode":"a","username":"b","token":"c","price":"#.utf8) + bytes
            }
            var fields: [String: String] = [:]
            for (name, value) in FlatJSON.parse(bytes) ?? FormFields.parse(bytes) { fields[name] = value }
            guard let purchase = SoftphonePurchase(fields, by: settings) else { continue }
            found += 1
            let isSound =
                (1...256).contains(purchase.credit.account.utf8.count)
                && !purchase.credit.account.utf8.contains(0) && purchase.receipt[.product]?.isEmpty == false
                && (purchase.receipt[.receipt] ?? purchase.receipt[.token]) != nil
                && (purchase.credit.price?.utf8.count ?? 1) <= 64 && purchase.credit.price?.isEmpty != true
            if !isSound { Issue.record("\(bytes)") }
        }
        #expect(found > 800)
    }
}
