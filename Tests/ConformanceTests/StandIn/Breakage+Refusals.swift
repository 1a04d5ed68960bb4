import Foundation

@testable import Conformance

extension Breakage {
    static let refusals: [Breakage] = [
        Breakage("refusal-token", "a reader whom nobody knows is let in") { request, answer in
            if request.isSignIn, request["username"]?.hasPrefix("nobody") == true {
                answer = StandIn().document("<token>\(StandIn.token("activeall"))</token>")
            }
        },
        Breakage("refusal-token", "any password is the right one") { request, answer in
            if request.isSignIn, request["username"] == "peter" {
                answer = StandIn().document("<token>\(StandIn.token("peter"))</token>")
            }
        },
        Breakage("refusal-sign-in", "a token that is none") { request, answer in
            if request.isSignIn, answer.isRefusal { answer = StandIn().document("<token></token>") }
        },
        Breakage("refusal-sign-in", "a 401") { request, answer in
            if request.isSignIn, answer.isRefusal { answer.status = 401 }
        },
        Breakage("refusal-status", "a word of the server's own") { request, answer in
            if request.isSignIn { answer.text = answer.text.replacing("notrecognised", with: "wrongpassword") }
        },
        Breakage("refusal-uniform", "a message that tells who exists") { request, answer in
            if request.isSignIn, request["username"] == "peter" {
                answer.text = answer.text.replacing("Invalid credentials", with: "Wrong password")
            }
        },
        Breakage("refusal-uniform", "a header that tells who exists") { request, answer in
            if request.isSignIn, request["username"] == "peter", answer.isRefusal { answer.set("X-Attempts", "1") }
        },
        Breakage("refusal-uniform", "a header whose value tells who exists") { request, answer in
            if request.isSignIn, answer.isRefusal {
                answer.set("X-Reason", request["username"] == "peter" ? "badpass" : "nouser")
            }
        },
        Breakage("refusal-uniform", "a message that tells who exists, beside what is new in each answer") {
            request, answer in
            guard request.isSignIn, answer.isRefusal else { return }
            let reason = request["username"] == "peter" ? "Wrong password" : "No user"
            answer.text = answer.text.replacing("Invalid credentials", with: reason) + "<!-- Request \(UUID()) -->"
            answer.set("X-Request-Id", "\(UUID())")
        },
        Breakage("refusal-uniform", "a message that tells who exists, beside the name of whoever was refused") {
            request, answer in
            guard request.isSignIn, answer.isRefusal, let name = request.plainName else { return }
            let reason = name == "peter" ? "wrong password" : "no such user"
            answer.text = answer.text.replacing("Invalid credentials", with: "\(name): \(reason)")
        },
        Breakage("refusal-credentials", "a 403") { request, answer in
            if request.isCredentials, answer.isRefusal { answer.status = 403 }
        },
        Breakage("refusal-credentials-place", "a bare error") { request, answer in
            if request.isCredentials, answer.isRefusal {
                answer.text = answer.text.replacing("<credentials>", with: "").replacing("</credentials>", with: "")
            }
        },
        Breakage("refusal-credentials-status", "a word of the server's own") { request, answer in
            if request.isCredentials { answer.text = answer.text.replacing("notentitled", with: "lapsed") }
        },
    ]
}
