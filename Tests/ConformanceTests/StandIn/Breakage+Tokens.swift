@testable import Conformance

extension Breakage {
    static let tokens: [Breakage] = [
        Breakage("token-forged", "anybody is active") { request, answer in
            if request.isVerification, request["token"]?.hasPrefix("forged") == true {
                answer.text = answer.text.replacing("stale", with: "active")
            }
        },
        Breakage("token-missing", "nobody is given credentials") { request, answer in
            if request.isCredentials, request["token"] == nil {
                answer = StandIn().grant(request["product_id"] ?? "", userid: "salt")
            }
        },
        Breakage("token-stale", "an expired token is inactive") { request, answer in
            if request.isVerification, request.user == "expiredtoken" {
                answer.text = answer.text.replacing("stale", with: "inactive")
            }
        },
        Breakage("token-renew", "a token that could be renewed is refused") { request, answer in
            if request.call == "renew_token", request.user == "expiredtoken" {
                answer = StandIn().document("<error status=\"notrecognised\"/>")
            }
        },
        Breakage("token-renew-loop", "a stale token for a stale one") { request, answer in
            if request.call == "renew_token", request.user == "expiredtoken" {
                answer = StandIn().document("<token>\(StandIn.token("blockedtoken"))</token>")
            }
        },
        Breakage("token-renew-refused", "a blocked token is renewed") { request, answer in
            if request.call == "renew_token", request.user == "blockedtoken" {
                answer = StandIn().document("<token>\(StandIn.token("activeall"))</token>")
            }
        },
    ]
}
