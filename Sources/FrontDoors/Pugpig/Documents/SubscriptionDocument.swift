package import Gatefold
import XML

/// The answer to a verification (PROTOCOLS 1.2).
package enum SubscriptionDocument {
    package static func bytes(_ answer: VerificationAnswer) -> [UInt8] {
        let subscription = answer.subscription
        var xml = XMLWriter()
        xml.element("subscription", ["state": subscription.state.rawValue, "message": subscription.message]) { xml in
            answer.comments.forEach { xml.comment($0) }
            if !subscription.userInfo.isEmpty {
                xml.element("userinfo") { xml in
                    for category in subscription.userInfo {
                        // The document says `term`, the historic server writes `value` (PROTOCOLS 6A row 1).
                        xml.element(
                            "category",
                            ["scheme": category.scheme, "term": category.value, "value": category.value])
                    }
                }
            }
            switch subscription.entitlement {
            case .allEditions:
                // No list at all is what opens everything (PITFALLS row 1).
                break
            case .editions(let held):
                xml.element("issues") { xml in
                    for edition in held.sorted() { xml.element("issue") { $0.text(edition.rawValue) } }
                }
            }
        }
        return xml.bytes
    }
}
