import Foundation

@testable import Conformance

extension ServerDefect {
    static let rejections: [ServerDefect] = [
        ServerDefect("refusal-token", "an unknown reader is authenticated") { request, response in
            if request.isSignIn, request["username"]?.hasPrefix("nobody") == true {
                response = FakePublisherServer().document("<token>\(FakePublisherServer.token("activeall"))</token>")
            }
        },
        ServerDefect("refusal-token", "any password is accepted") { request, response in
            if request.isSignIn, request["username"] == "peter" {
                response = FakePublisherServer().document("<token>\(FakePublisherServer.token("peter"))</token>")
            }
        },
        ServerDefect("refusal-sign-in", "an invalid token") { request, response in
            if request.isSignIn, response.isRejection { response = FakePublisherServer().document("<token></token>") }
        },
        ServerDefect("refusal-sign-in", "a 401") { request, response in
            if request.isSignIn, response.isRejection { response.status = 401 }
        },
        ServerDefect("refusal-status", "a nonstandard status") { request, response in
            if request.isSignIn { response.text = response.text.replacing("notrecognised", with: "wrongpassword") }
        },
        ServerDefect("refusal-uniform", "the message reveals whether the reader exists") { request, response in
            if request.isSignIn, request["username"] == "peter" {
                response.text = response.text.replacing("Invalid credentials", with: "Wrong password")
            }
        },
        ServerDefect("refusal-uniform", "a header reveals whether the reader exists") { request, response in
            if request.isSignIn, request["username"] == "peter", response.isRejection {
                response.set("X-Attempts", "1")
            }
        },
        ServerDefect("refusal-uniform", "a header value reveals whether the reader exists") { request, response in
            if request.isSignIn, response.isRejection {
                response.set("X-Reason", request["username"] == "peter" ? "badpass" : "nouser")
            }
        },
        ServerDefect("refusal-uniform", "the message reveals whether the reader exists, among varying parts") {
            request, response in
            guard request.isSignIn, response.isRejection else { return }
            let reason = request["username"] == "peter" ? "Wrong password" : "No user"
            response.text = response.text.replacing("Invalid credentials", with: reason) + "<!-- Request \(UUID()) -->"
            response.set("X-Request-Id", "\(UUID())")
        },
        ServerDefect("refusal-uniform", "the message reveals whether the reader exists, next to the rejected name") {
            request, response in
            guard request.isSignIn, response.isRejection, let name = request.plainName else { return }
            let reason = name == "peter" ? "wrong password" : "no such user"
            response.text = response.text.replacing("Invalid credentials", with: "\(name): \(reason)")
        },
        ServerDefect("refusal-credentials", "a 403") { request, response in
            if request.isCredentials, response.isRejection { response.status = 403 }
        },
        ServerDefect("refusal-credentials-place", "a bare error") { request, response in
            if request.isCredentials, response.isRejection {
                response.text = response.text.replacing("<credentials>", with: "").replacing("</credentials>", with: "")
            }
        },
        ServerDefect("refusal-credentials-status", "a nonstandard status") { request, response in
            if request.isCredentials { response.text = response.text.replacing("notentitled", with: "lapsed") }
        },
    ]
}
