import Foundation

@testable import Conformance

extension Breakage {
    static let inputs: [Breakage] = [
        Breakage("malformed-escapes", "an error of the server") { request, answer in
            if request.holds("%zz") { answer = .text(500, "Error") }
        },
        Breakage("malformed-nul", "an error of the server") { request, answer in
            if request.holds("a\u{0}b") { answer = .text(500, "Error") }
        },
        Breakage("malformed-encoding", "a connection that is cut") { request, answer in
            if request.holds("%ff%fe") { answer.isNothing = true }
        },
        Breakage("malformed-length", "an error of the server") { request, answer in
            if request.body.count > 90_000 { answer = .text(502, "Bad gateway") }
        },
        Breakage("malformed-duplicates", "an error of the server") { request, answer in
            if request.fields.count > 1, request.fields[0].name == request.fields[1].name {
                answer = .text(500, "Error")
            }
        },
        Breakage("malformed-markup", "an error of the server") { request, answer in
            if request.holds("<!--") { answer = .text(500, "Error") }
        },
        Breakage("malformed-body", "an error of the server") { request, answer in
            if request.header("Content-Type") == "application/json" { answer = .text(500, "Error") }
        },
        Breakage("malformed-echo", "it comes back as it went in") { request, answer in
            if request.isVerification, request.holds("<!--"), let token = request["token"] {
                answer.text = answer.text.replacing("Generated", with: "Token \(token)")
            }
        },
        Breakage("malformed-opens", "a name that can not be read is somebody's") { request, answer in
            if request.isSignIn, request.holds("%zz") {
                answer = StandIn().document("<token>\(StandIn.token("activeall"))</token>")
            }
        },
        Breakage("malformed-opens", "an overlong token is renewed") { request, answer in
            if request.isRenewal, request.body.count > 90_000 {
                answer = StandIn().document("<token>\(StandIn.token("activeall"))</token>")
            }
        },
        Breakage("malformed-opens", "two tokens are as good as one") { request, answer in
            if request.isVerification, request.fields.count > 1, request.fields[0].name == request.fields[1].name {
                answer.text = answer.text.replacing("stale", with: "active")
            }
        },
        Breakage("malformed-opens", "nothing stands before a NUL, and is everybody's") { request, answer in
            if request.isCredentials, request.holds("a\u{0}b") {
                answer = StandIn().grant(StandIn.second, userid: "salt")
            }
        },
        Breakage("malformed-traces", "a page of a framework") { request, answer in
            if answer.status == 404 { answer.text = "Fatal error: Uncaught Exception in /srv/index.php:3" }
        },
        Breakage("echo-token", "a comment") { request, answer in
            if request.isVerification, let token = request["token"], request.user != nil, !token.contains("<") {
                answer.text = answer.text.replacing("Generated", with: "Generated for \(token)")
            }
        },
        Breakage("echo-token", "a header, in base64") { request, answer in
            if request.isCredentials, request.user == "activeall" { answer.set("X-Debug", "bGxhZXZpdGNh") }
        },
        Breakage("echo-token", "a header, in hexadecimal") { request, answer in
            if request.isCredentials, request.user == "activeall" { answer.set("X-Debug", "6c6c61657669746361") }
        },
        Breakage("echo-token", "a comment, escaped") { request, answer in
            if request.isVerification, request.user == "longjson" {
                let escaped = StandIn.escape(StandIn.token("longjson")).replacing("\"", with: "&quot;")
                answer.text = answer.text.replacing("Generated", with: "Generated for \(escaped)")
            }
        },
        Breakage("echo-token", "a header, percent-encoded") { request, answer in
            if request.isCredentials, request.user == "longjson" {
                answer.set(
                    "X-Debug", StandIn.token("longjson").addingPercentEncoding(withAllowedCharacters: .alphanumerics))
            }
        },
        Breakage("echo-token", "the reason of a refused renewal") { request, answer in
            if request.isRenewal, request.user == "blockedtoken", let token = request["token"] {
                answer.text = answer.text.replacing("Sign in again", with: "\(token) is blocked")
            }
        },
        Breakage("echo-token", "the old token in the comment of a renewal") { request, answer in
            if request.isRenewal, request.user == "expiredtoken", let token = request["token"] {
                answer.text += "<!-- In place of \(token) -->"
            }
        },
        Breakage("echo-token", "whose token is signed out") { request, answer in
            if request.call == "sign_out", request.method != "PATCH", let token = request["token"] {
                answer.text = "\(token) is signed out"
            }
        },
        Breakage("echo-password", "a comment") { request, answer in
            if request.isSignIn, let password = request["password"], password.hasPrefix("marker") {
                answer.text += "<!-- \(password) -->"
            }
        },
        Breakage("echo-password", "a reader's, where nobody typed it") { request, answer in
            if request.isVerification, request.user == "activeall" { answer.text += "<!-- marker-5f0c1d7e -->" }
        },
        Breakage("echo-password", "what was typed in vain") { request, answer in
            if request.isSignIn, let password = request["password"], password.hasPrefix("wrong"), answer.isRefusal {
                // As refusals are to be the same, it is told of everybody.
                answer.text = answer.text.replacing("Invalid", with: "\(password): invalid")
            }
        },
        Breakage("echo-secret", "a comment") { request, answer in
            if request.isVerification, request.user == "activeall" {
                answer.text += "<!-- \(StandIn.secret) -->"
            }
        },
    ]
}
