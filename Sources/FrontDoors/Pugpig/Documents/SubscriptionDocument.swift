package import Gatefold
import XML

/// The response to a verification.
///
/// Source: Pugpig protocol, “Verify subscription”.
package enum SubscriptionDocument {
    package static func bytes(_ result: VerificationResult) -> [UInt8] {
        let subscription = result.subscription
        var xml = XMLWriter()
        xml.element("subscription", ["state": subscription.state.rawValue, "message": subscription.message]) { xml in
            result.notes.forEach { xml.comment($0) }
            if !subscription.userInfo.isEmpty {
                xml.element("userinfo") { xml in
                    for category in subscription.userInfo {
                        // The specification uses `term`, and the historic server writes `value`. Source: Pugpig
                        // protocol, “User information categories”.
                        xml.element(
                            "category",
                            ["scheme": category.scheme, "term": category.value, "value": category.value])
                    }
                }
            }
            switch subscription.entitlement {
            case .allEditions:
                // A missing list opens everything. Source: Pitfall 1, “A missing issue list read as everything”.
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
