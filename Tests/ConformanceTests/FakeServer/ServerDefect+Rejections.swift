import Foundation

@testable import Conformance

extension ServerDefect {
    static let rejections: [ServerDefect] = [
        ServerDefect("refusal-token", "a reader whom nobody knows is let in") { request, response in
            if request.isSignIn, request["username"]?.hasPrefix("nobody") == true {
                response = FakePublisherServer().document("<token>\(FakePublisherServer.token("activeall"))</token>")
            }
        },
        ServerDefect("refusal-token", "any password is the right one") { request, response in
            if request.isSignIn, request["username"] == "peter" {
                response = FakePublisherServer().document("<token>\(FakePublisherServer.token("peter"))</token>")
            }
        },
        ServerDefect("refusal-sign-in", "a token that is none") { request, response in
            if request.isSignIn, response.isRejection { response = FakePublisherServer().document("<token></token>") }
        },
        ServerDefect("refusal-sign-in", "a 401") { request, response in
            if request.isSignIn, response.isRejection { response.status = 401 }
        },
        ServerDefect("refusal-status", "a word of the server's own") { request, response in
            if request.isSignIn { response.text = response.text.replacing("notrecognised", with: "wrongpassword") }
        },
        ServerDefect("refusal-uniform", "a message that tells who exists") { request, response in
            if request.isSignIn, request["username"] == "peter" {
                response.text = response.text.replacing("Invalid credentials", with: "Wrong password")
            }
        },
        ServerDefect("refusal-uniform", "a header that tells who exists") { request, response in
            if request.isSignIn, request["username"] == "peter", response.isRejection {
                response.set("X-Attempts", "1")
            }
        },
        ServerDefect("refusal-uniform", "a header whose value tells who exists") { request, response in
            if request.isSignIn, response.isRejection {
                response.set("X-Reason", request["username"] == "peter" ? "badpass" : "nouser")
            }
        },
        ServerDefect("refusal-uniform", "a message that tells who exists, beside what is new in each answer") {
            request, response in
            guard request.isSignIn, response.isRejection else { return }
            let reason = request["username"] == "peter" ? "Wrong password" : "No user"
            response.text = response.text.replacing("Invalid credentials", with: reason) + "<!-- Request \(UUID()) -->"
            response.set("X-Request-Id", "\(UUID())")
        },
        ServerDefect("refusal-uniform", "a message that tells who exists, beside the name of whoever was refused") {
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
        ServerDefect("refusal-credentials-status", "a word of the server's own") { request, response in
            if request.isCredentials { response.text = response.text.replacing("notentitled", with: "lapsed") }
        },
    ]
}
