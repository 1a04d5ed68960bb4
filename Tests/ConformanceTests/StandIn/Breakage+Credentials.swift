@testable import Conformance

extension Breakage {
    static let credentials: [Breakage] = [
        Breakage("credentials-held", "an edition that is listed is refused") { request, answer in
            if request.isCredentials, request.user == "lapsedsome" {
                answer = StandIn().document("<credentials><error status=\"notentitled\"/></credentials>")
            }
        },
        Breakage("credentials-unheld", "an edition that is not listed is given") { request, answer in
            if request.isCredentials, request.user == "activesome", request["product_id"] == StandIn.second {
                answer = StandIn().grant(StandIn.second, userid: "salt")
            }
        },
        Breakage("credentials-unheld", "whoever is active is given everything") { request, answer in
            if request.isCredentials, request.user == "yesbyproxy" {
                answer = StandIn().grant(request["product_id"] ?? "", userid: "salt")
            }
        },
        Breakage("credentials-no-product", "nothing is asked for, and given") { request, answer in
            if request.isCredentials, request.user == "activeall", request["product_id"] == nil {
                answer = StandIn().grant("", userid: "salt")
            }
        },
        Breakage("credentials-userid", "a colon") { request, answer in
            if request.isCredentials, request.user == "peter", !answer.isRefusal {
                answer = StandIn().grant(request["product_id"] ?? "", userid: "2024:salt")
            }
        },
        Breakage("credentials-userid", "a space") { request, answer in
            if request.isCredentials, request.user == "peter", !answer.isRefusal {
                answer = StandIn().grant(request["product_id"] ?? "", userid: "2024 salt")
            }
        },
        Breakage("credentials-userid", "a control character") { request, answer in
            if request.isCredentials, request.user == "peter", !answer.isRefusal {
                answer = StandIn().grant(request["product_id"] ?? "", userid: "2024\u{7F}salt")
            }
        },
        Breakage("credentials-userid-token", "the token, as the historic server has it") { request, answer in
            if request.isCredentials, request.user == "activeglobal", !answer.isRefusal {
                answer = StandIn().grant(request["product_id"] ?? "", userid: "\(StandIn.token("activeglobal"))-1")
            }
        },
        Breakage("credentials-userid-fresh", "always the same") { request, answer in
            if request.isCredentials, !answer.isRefusal {
                answer = StandIn().grant(request["product_id"] ?? "", userid: "salt")
            }
        },
        Breakage("credentials-password-form", "capital letters") { request, answer in
            if request.isCredentials, request.user == "lapsedsome",
                let match = answer.text.firstMatch(of: /<password>([^<]*)</)
            {
                answer.text = answer.text.replacing(match.1, with: match.1.uppercased() + "A")
            }
        },
        Breakage("credentials-password", "another secret") { request, answer in
            if request.isCredentials, request.user == "lapsedsome",
                let match = answer.text.firstMatch(of: /<password>([^<]*)</)
            {
                answer.text = answer.text.replacing(match.1, with: String(repeating: "5", count: 40))
            }
        },
        Breakage("credentials-feed-password", "another secret") { request, answer in
            if let match = answer.text.firstMatch(of: /global_auth_password="([^"]*)"/) {
                answer.text = answer.text.replacing(match.1, with: String(repeating: "5", count: 40))
            }
        },
        Breakage("credentials-feed-given", "it is left out") { request, answer in
            if request.isSignIn { answer.text = answer.text.replacing(#/ global_auth_password="[^"]*"/#, with: "") }
        },
        Breakage("credentials-feed-given", "it is left out for a lapsed reader") { request, answer in
            if request.isSignIn, request["username"] == "lapsedglobal" {
                answer.text = answer.text.replacing(#/ global_auth_password="[^"]*"/#, with: "")
            }
        },
        Breakage("credentials-headers", "a value that ends the line") { request, answer in
            answer.text = answer.text.replacing("a&amp;b", with: "a&#13;&#10;b")
        },
        Breakage("credentials-headers", "a name that is none") { request, answer in
            answer.text = answer.text.replacing("\"X-Edge\"", with: "\"X Edge\"")
        },
    ]
}
