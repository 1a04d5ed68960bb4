import Foundation
import TestSupport
import Testing

@testable import Conformance

/// One way to be wrong, and the rule that is to notice.
struct Breakage: Sendable, CustomTestStringConvertible {
    let rule: String
    let title: String
    let change: @Sendable (StandInRequest, inout StandInAnswer) -> Void

    var testDescription: String { "\(rule): \(title)" }

    init(
        _ rule: String, _ title: String,
        _ change: @escaping @Sendable (StandInRequest, inout StandInAnswer) -> Void
    ) {
        self.rule = rule
        self.title = title
        self.change = change
    }

    /// All that plain HTTP shows; TLS and shared caches have tests of their own.
    static let all = caches + documents + refusals + readers + credentials + tokens + paths + inputs + gate
}

extension StandInRequest {
    var user: String? { StandIn.user(self["token"]) }
    var isSignIn: Bool { call == "sign_in" }
    var isVerification: Bool { call == "verify_subscription" && method != "HEAD" && method != "PATCH" }
    var isCredentials: Bool { call == "edition_credentials" && method != "HEAD" && method != "PATCH" }
    var isRenewal: Bool { call == "renew_token" && method != "HEAD" && method != "PATCH" }
    var isContent: Bool { path.hasPrefix("/content/") }
    /// Whether a parameter of an ordinary call is what a malformed request has.
    func holds(_ text: String) -> Bool { fields.contains { $0.value.contains(text) } }
}

extension StandInAnswer {
    var isRefusal: Bool { text.contains("<error") }
}
