@testable import Conformance

extension Breakage {
    static let documents: [Breakage] = [
        Breakage("document-complete", "fewer bytes than were announced") { request, answer in
            if request.isCredentials, request.user == "activenone" { answer.length = answer.body.count + 10 }
        },
        Breakage("document-complete", "more bytes than were announced") { request, answer in
            if request.isVerification, request.user == "activenone" { answer.stray = Array("<!-- 3 ms -->".utf8) }
        },
        Breakage("document-complete", "no answer") { request, answer in
            if request.isVerification, request.user == "credserror" { answer.isNothing = true }
        },
        Breakage("document-type", "HTML") { request, answer in
            // HEAD says the same, or another rule would notice that.
            if request.call == "verify_subscription", answer.status == 200 { answer.set("Content-Type", "text/html") }
        },
        Breakage("document-encoding", "a declaration that is not so") { request, answer in
            if request.isVerification { answer.text = answer.text.replacing("UTF-8", with: "ISO-8859-1") }
        },
        Breakage("document-encoding", "a charset that is not so") { request, answer in
            if request.isSignIn, answer.status == 200 { answer.set("Content-Type", "text/xml; charset=ISO-8859-1") }
        },
        Breakage("document-encoding", "a letter of Latin-1") { request, answer in
            if request.isSignIn, !request.holds("<!--"), let place = answer.body.firstRange(of: Array("Inv".utf8)) {
                answer.body[place.lowerBound] = 0xE4
            }
        },
        Breakage("document-well-formed", "an ampersand") { request, answer in
            if request.isCredentials, request.user != nil {
                answer.text = answer.text.replacing("Sorry", with: "Sorry & goodbye")
            }
        },
        Breakage("document-well-formed", "a DOCTYPE") { request, answer in
            if request.isVerification, request.user == "lapsedall" {
                answer.text = answer.text.replacing("<subscription", with: "<!DOCTYPE x><subscription")
            }
        },
        Breakage("document-schema", "an element of nobody's") { request, answer in
            if request.isVerification { answer.text = answer.text.replacing("</sub", with: "<expires/></sub") }
        },
        Breakage("document-schema", "two userids") { request, answer in
            if request.isCredentials, !answer.isRefusal {
                answer.text = answer.text.replacing("</credentials>", with: "<userid>2</userid></credentials>")
            }
        },
    ]
}
