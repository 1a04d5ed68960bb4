import Foundation
import TestSupport
import Testing

@testable import Conformance

/// A single defect, and the rule that must find it.
struct ServerDefect: Sendable, CustomTestStringConvertible {
    let rule: String
    let title: String
    let change: @Sendable (FakeServerRequest, inout FakeResponse) -> Void

    var testDescription: String { "\(rule): \(title)" }

    init(
        _ rule: String, _ title: String,
        _ change: @escaping @Sendable (FakeServerRequest, inout FakeResponse) -> Void
    ) {
        self.rule = rule
        self.title = title
        self.change = change
    }

    /// All defects that plain HTTP reveals; TLS and shared caches have their own tests.
    static let all = caches + documents + rejections + readers + credentials + tokens + paths + inputs + gate
}

extension FakeServerRequest {
    var user: String? { FakePublisherServer.user(self["token"]) }
    var isSignIn: Bool { call == "sign_in" }
    var isVerification: Bool { call == "verify_subscription" && method != "HEAD" && method != "PATCH" }
    var isCredentials: Bool { call == "edition_credentials" && method != "HEAD" && method != "PATCH" }
    var isRenewal: Bool { call == "renew_token" && method != "HEAD" && method != "PATCH" }
    var isContent: Bool { path.hasPrefix("/content/") }
    /// Returns a Boolean value that indicates whether a field of an ordinary call contains the text of a malformed
    /// request.
    func holds(_ text: String) -> Bool { fields.contains { $0.value.contains(text) } }
}

extension FakeResponse {
    var isRejection: Bool { text.contains("<error") }
}
