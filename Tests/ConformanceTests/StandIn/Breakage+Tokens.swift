@testable import Conformance

extension Breakage {
    static let tokens: [Breakage] = [
        Breakage("token-forged", "anybody is active") { request, answer in
            if request.isVerification, request["token"]?.hasPrefix("forged") == true {
                answer.text = answer.text.replacing("stale", with: "active")
            }
        },
        Breakage("token-forged", "a made-up token is renewed") { request, answer in
            if request.isRenewal, request["token"]?.hasPrefix("forged") == true {
                answer = StandIn().document("<token>\(StandIn.token("activeall"))</token>")
            }
        },
        Breakage("token-missing", "nobody is given a token") { request, answer in
            if request.isRenewal, request["token"] == nil, request.body.isEmpty {
                answer = StandIn().document("<token>\(StandIn.token("activeall"))</token>")
            }
        },
        Breakage("token-missing", "nobody is given credentials") { request, answer in
            if request.isCredentials, request["token"] == nil, request.body.isEmpty {
                answer = StandIn().grant(request["product_id"] ?? "", userid: "salt")
            }
        },
        Breakage("token-stale", "an expired token is inactive") { request, answer in
            if request.isVerification, request.user == "expiredtoken" {
                answer.text = answer.text.replacing("stale", with: "inactive")
            }
        },
        Breakage("token-stale", "a token that is stale for ever becomes good") { request, answer in
            if request.isVerification, request.user == "alwaysstaletoken", request["token"]?.hasSuffix("X") == true {
                answer.text = answer.text.replacing("stale", with: "active")
            }
        },
        Breakage("token-renew", "a token that is stale for ever is refused") { request, answer in
            if request.isRenewal, request.user == "alwaysstaletoken" {
                answer = StandIn().document("<error status=\"notrecognised\"/>")
            }
        },
        Breakage("token-renew", "a token that could be renewed is refused") { request, answer in
            if request.isRenewal, request.user == "expiredtoken" {
                answer = StandIn().document("<error status=\"notrecognised\"/>")
            }
        },
        Breakage("token-renew-loop", "a stale token for a stale one") { request, answer in
            if request.isRenewal, request.user == "expiredtoken" {
                answer = StandIn().document("<token>\(StandIn.token("blockedtoken"))</token>")
            }
        },
        Breakage("token-renew-loop", "a token that nobody knows") { request, answer in
            Self.renewWithRubbish(
                request, &answer, StandIn().document("<subscription state=\"unknown\"><issues/></subscription>"))
        },
        Breakage("token-renew-loop", "a token at which the server fails") { request, answer in
            Self.renewWithRubbish(request, &answer, .text(500, "Error"))
        },
        Breakage("token-renew-loop", "a token that can not be verified at all") { request, answer in
            Self.renewWithRubbish(request, &answer, .text(404, "Not found"))
        },
        Breakage("token-renew-refused", "a blocked token is renewed") { request, answer in
            if request.isRenewal, request.user == "blockedtoken" {
                answer = StandIn().document("<token>\(StandIn.token("activeall"))</token>")
            }
        },
    ]

    /// Renewal gives a token of nobody's, whose verification is answered so.
    private static func renewWithRubbish(
        _ request: StandInRequest, _ answer: inout StandInAnswer, _ verification: StandInAnswer
    ) {
        if request.isRenewal, request.user == "expiredtoken" {
            answer = StandIn().document("<token>rubbish</token>")
        }
        if request.isVerification, request["token"] == "rubbish" { answer = verification }
    }
}
