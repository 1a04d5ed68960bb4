import Foundation

@testable import Conformance

extension ServerDefect {
    static let inputs: [ServerDefect] = [
        ServerDefect("malformed-escapes", "a server error") { request, response in
            if request.holds("%zz") { response = .text(500, "Error") }
        },
        ServerDefect("malformed-nul", "a server error") { request, response in
            if request.holds("a\u{0}b") { response = .text(500, "Error") }
        },
        ServerDefect("malformed-encoding", "a closed connection") { request, response in
            if request.holds("%ff%fe") { response.isNothing = true }
        },
        ServerDefect("malformed-length", "a server error") { request, response in
            if request.body.count > 90_000 { response = .text(502, "Bad gateway") }
        },
        ServerDefect("malformed-duplicates", "a server error") { request, response in
            if request.fields.count > 1, request.fields[0].name == request.fields[1].name {
                response = .text(500, "Error")
            }
        },
        ServerDefect("malformed-markup", "a server error") { request, response in
            if request.holds("<!--") { response = .text(500, "Error") }
        },
        ServerDefect("malformed-body", "a server error") { request, response in
            if request.header("Content-Type") == "application/json" { response = .text(500, "Error") }
        },
        ServerDefect("malformed-echo", "the input is echoed unescaped") { request, response in
            if request.isVerification, request.holds("<!--"), let token = request["token"] {
                response.text = response.text.replacing("Generated", with: "Token \(token)")
            }
        },
        ServerDefect("malformed-opens", "an undecodable name is authenticated") { request, response in
            if request.isSignIn, request.holds("%zz") {
                response = FakePublisherServer().document("<token>\(FakePublisherServer.token("activeall"))</token>")
            }
        },
        ServerDefect("malformed-opens", "an overlong token is renewed") { request, response in
            if request.isRenewal, request.body.count > 90_000 {
                response = FakePublisherServer().document("<token>\(FakePublisherServer.token("activeall"))</token>")
            }
        },
        ServerDefect("malformed-opens", "a repeated token is accepted") { request, response in
            if request.isVerification, request.fields.count > 1, request.fields[0].name == request.fields[1].name {
                response.text = response.text.replacing("stale", with: "active")
            }
        },
        ServerDefect("malformed-opens", "an empty name before a NUL is authenticated") { request, response in
            if request.isCredentials, request.holds("a\u{0}b") {
                response = FakePublisherServer().grant(FakePublisherServer.second, userid: "salt")
            }
        },
        ServerDefect("malformed-traces", "an error page of a framework") { request, response in
            if response.status == 404 { response.text = "Fatal error: Uncaught Exception in /srv/index.php:3" }
        },
        ServerDefect("echo-token", "a comment") { request, response in
            if request.isVerification, let token = request["token"], request.user != nil, !token.contains("<") {
                response.text = response.text.replacing("Generated", with: "Generated for \(token)")
            }
        },
        ServerDefect("echo-token", "a header, in base64") { request, response in
            if request.isCredentials, request.user == "activeall" { response.set("X-Debug", "bGxhZXZpdGNh") }
        },
        ServerDefect("echo-token", "a header, in hexadecimal") { request, response in
            if request.isCredentials, request.user == "activeall" { response.set("X-Debug", "6c6c61657669746361") }
        },
        ServerDefect("echo-token", "a comment, escaped") { request, response in
            if request.isVerification, request.user == "longjson" {
                let escaped = FakePublisherServer.escape(FakePublisherServer.token("longjson")).replacing(
                    "\"", with: "&quot;")
                response.text = response.text.replacing("Generated", with: "Generated for \(escaped)")
            }
        },
        ServerDefect("echo-token", "a header, percent-encoded") { request, response in
            if request.isCredentials, request.user == "longjson" {
                response.set(
                    "X-Debug",
                    FakePublisherServer.token("longjson").addingPercentEncoding(withAllowedCharacters: .alphanumerics))
            }
        },
        ServerDefect("echo-token", "the reason of a rejected renewal") { request, response in
            if request.isRenewal, request.user == "blockedtoken", let token = request["token"] {
                response.text = response.text.replacing("Sign in again", with: "\(token) is blocked")
            }
        },
        ServerDefect("echo-token", "the old token in a comment of the renewal") { request, response in
            if request.isRenewal, request.user == "expiredtoken", let token = request["token"] {
                response.text += "<!-- In place of \(token) -->"
            }
        },
        ServerDefect("echo-token", "the response to a sign-out") { request, response in
            if request.call == "sign_out", request.method != "PATCH", let token = request["token"] {
                response.text = "\(token) is signed out"
            }
        },
        ServerDefect("echo-password", "a comment") { request, response in
            if request.isSignIn, let password = request["password"], password.hasPrefix("marker") {
                response.text += "<!-- \(password) -->"
            }
        },
        ServerDefect("echo-password", "a stored password in another response") { request, response in
            if request.isVerification, request.user == "activeall" { response.text += "<!-- marker-5f0c1d7e -->" }
        },
        ServerDefect("echo-password", "the wrong password in a rejection") { request, response in
            if request.isSignIn, let password = request["password"], password.hasPrefix("wrong"), response.isRejection {
                // Applies to every reader, because rejections must be uniform.
                response.text = response.text.replacing("Invalid", with: "\(password): invalid")
            }
        },
        ServerDefect("echo-secret", "a comment") { request, response in
            if request.isVerification, request.user == "activeall" {
                response.text += "<!-- \(FakePublisherServer.secret) -->"
            }
        },
    ]
}
